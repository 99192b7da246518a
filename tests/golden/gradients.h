#pragma once

#include <functional>
#include <string>
#include <vector>

#include "case.h"

namespace golden {

using Forward = std::function<lockstep::Tensor(const std::vector<lockstep::Tensor>&)>;

/// Runs `forward` on the inputs `names` and produces "y", then, where the case has "dy", "d_NAME"
/// for each input of a real dtype.
void ForwardAndBackward(const Case& golden, Produced& produced,
                        const std::vector<std::string>& names, const Forward& forward);

/// Puts `gradient` into `produced`, dense; zeros never stand in for no gradient: "None".
void ProduceGradient(Produced& produced, const std::string& name, const lockstep::Tensor& gradient);

}  // namespace golden
