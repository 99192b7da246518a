#pragma once

#include <string_view>

namespace lockstep::ops {

/// The layout of an update op `ResourceApply<Rule>`: inputs are the weight's handle, the handles of
/// its slots, the gradient, then scalars that all weights share; attributes are the rule's
/// constants (float64). The op writes weight and slots, element by element.
struct UpdateRule {
  const char* op;
  int slots;
  int scalars;
};

/// All rules, in no particular order.
inline constexpr UpdateRule kUpdateRules[] = {
    {"ResourceApplyGradientDescent", 0, 1},  // rate
    {"ResourceApplyMomentum", 1, 1},         // slots momentum; rate; attributes momentum, nesterov
    {"ResourceApplyAdam", 2, 1},             // slots m, v; corrected rate; beta_1, beta_2, epsilon
};

}  // namespace lockstep::ops
