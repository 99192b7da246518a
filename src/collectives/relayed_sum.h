#pragma once

#include <memory>

#include "collectives/sum_operation.h"

namespace lockstep::collectives {

/// The sum by any plan, node by node as partials come: for `relay`, where ranks pass on sums of
/// what others have sent.
std::unique_ptr<Operation> MakeRelayedSum(SumRequest request, Call call,
                                          std::shared_ptr<const PreparedSum> prepared,
                                          OnReduced done);

}  // namespace lockstep::collectives
