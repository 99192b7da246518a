#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::ops {

/// The layout of an update op `ResourceApply<Rule>`: inputs are the weight's handle, the handles of
/// its slots, the gradient, then scalars that all weights share, then the extras that the attribute
/// "extras" names, in the order of their bits; other attributes are the rule's constants (float64).
/// The op writes weight and slots, element by element; or, with a direction, slots and an output
/// like the gradient, along which the weight is to go (nothing where the update is not enabled),
/// and the weight by its decay alone.
struct UpdateRule {
  const char* op;
  int slots;
  int scalars;
  bool direction = false;
};

/// Bits of the attribute "extras" (int64).
enum UpdateExtras : int64_t {
  /// A tensor like the gradient, taken in place of its square (in place of its magnitude by the
  /// rules that take that): for gradients whose rows occur several times.
  kUpdateMoment = 1,
  /// A scalar: the share of the weight that is taken off before the rule.
  kUpdateDecay = 2,
  /// A bool scalar: nothing happens when it is false.
  kUpdateEnabled = 4,
};

/// All rules, in no particular order.
inline constexpr UpdateRule kUpdateRules[] = {
    {"ResourceApplyGradientDescent", 0, 1},          // rate
    {"ResourceApplyMomentum", 1, 1},                 // momentum; rate
    {"ResourceApplyLion", 1, 1},                     // momentum; rate
    {"ResourceApplyAdam", 2, 1},                     // m, v; corrected rate
    {"ResourceApplyAdamWithAmsgrad", 3, 1},          // m, v, largest v; corrected rate
    {"ResourceApplyNadam", 2, 3},                    // m, v; factors of m, of the gradient, of v
    {"ResourceApplyLambDirection", 2, 2, true},      // m, v; factors of m and of v
    {"ResourceApplyAdaMax", 2, 1},                   // m, norm; corrected rate
    {"ResourceApplyRMSProp", 1, 1},                  // velocity; rate
    {"ResourceApplyRMSPropMomentum", 2, 1},          // velocity, momentum; rate
    {"ResourceApplyCenteredRMSProp", 2, 1},          // velocity, average; rate
    {"ResourceApplyCenteredRMSPropMomentum", 3, 1},  // velocity, momentum, average; rate
    {"ResourceApplyAdagrad", 1, 1},                  // accumulator; rate
    {"ResourceApplyAdadelta", 2, 1},                 // of gradients, of changes; rate
    {"ResourceApplyFtrl", 2, 1},                     // accumulator, linear; rate
};

/// The rule of an op as `RuleOf` says; nullptr: it is none.
const UpdateRule* FindRule(std::string_view op);

/// The rule of the op `ResourceApply...`, or of `_ProductResourceApply...`: the same update with
/// the product that makes its gradient inside. Its inputs are those of the update, with A[examples,
/// rows] in the gradient's place and G[examples, columns] behind the last; the gradient is A^T * G,
/// summed over "leaves". A may have bytes, each of which stands for its product with a scalar
/// behind G. It has neither a direction nor a moment.
const UpdateRule& RuleOf(std::string_view op);

}  // namespace lockstep::ops
