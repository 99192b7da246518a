#pragma once

#include <string>

namespace lockstep::base {

/// "sgd_1/dense_2_kernel" as "sgd/dense_kernel": a name without the numbers that things get in a
/// process that has made such things before.
std::string Unnumbered(const std::string& name);

}  // namespace lockstep::base
