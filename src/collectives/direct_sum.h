#pragma once

#include <memory>

#include "collectives/sum_operation.h"

namespace lockstep::collectives {

/// The sum by the plans `exchange` and `slices`: whoever adds up a slice has all of its partials
/// first, where they lie with their ranks if the transport shares memory, and adds them in one
/// pass.
std::unique_ptr<Operation> MakeDirectSum(SumRequest request, Call call,
                                         std::shared_ptr<const PreparedSum> prepared,
                                         OnReduced done);

}  // namespace lockstep::collectives
