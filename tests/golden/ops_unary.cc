#include "gradients.h"
#include "lockstep/nn/activations.h"
#include "lockstep/ops/activation.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"

namespace golden {
namespace {

using lockstep::Tensor;

Handler Unary(Tensor (*function)(const Tensor&)) {
  return [function](const Case& golden, Produced& produced) {
    ForwardAndBackward(golden, produced, {"x"},
                       [&](const std::vector<Tensor>& inputs) { return function(inputs[0]); });
  };
}

void LeakyRelu(const Case& golden, Produced& produced) {
  const double alpha = golden.Param("alpha", golden.Param("negative_slope", 0.2));
  ForwardAndBackward(golden, produced, {"x"}, [&](const std::vector<Tensor>& inputs) {
    return lockstep::LeakyRelu(inputs[0], alpha);
  });
}

void Elu(const Case& golden, Produced& produced) {
  ForwardAndBackward(golden, produced, {"x"}, [&](const std::vector<Tensor>& inputs) {
    return lockstep::Elu(inputs[0], golden.Param("alpha", 1.0));
  });
}

void Gelu(const Case& golden, Produced& produced) {
  const bool approximate = golden.Param("approximate", false);
  ForwardAndBackward(golden, produced, {"x"}, [&](const std::vector<Tensor>& inputs) {
    return lockstep::Gelu(inputs[0], approximate);
  });
}

Tensor TanhGelu(const Tensor& x) { return lockstep::Gelu(x, true); }

void Silu(const Case& golden, Produced& produced) {
  const double beta = golden.Param("beta", 1.0);
  ForwardAndBackward(golden, produced, {"x"}, [&](const std::vector<Tensor>& inputs) {
    const Tensor& x = inputs[0];
    return beta == 1 ? lockstep::Silu(x) : x * lockstep::Sigmoid(x * beta);
  });
}

// An activation of Keras's by its name, which is the case's from "unary_" on.
Handler Named(const std::string& name) {
  return [name](const Case& golden, Produced& produced) {
    const lockstep::Activation& activation = lockstep::activations::Get(name);
    ForwardAndBackward(golden, produced, {"x"},
                       [&](const std::vector<Tensor>& inputs) { return activation(inputs[0]); });
  };
}

Handlers Activations() {
  Handlers handlers;
  for (const std::string& name : lockstep::activations::Names())
    handlers["unary_" + name] = Named(name);
  for (const char* unknown : {"erfinv", "ndtri", "bessel_i0e", "bessel_i1e", "is_non_decreasing"}) {
    handlers[std::string("unary_") + unknown] = [](const Case& golden, Produced&) {
      throw Skip{"Lockstep has no op for " + golden.name()};
    };
  }
  return handlers;
}

const RegisterGroup kUnary("ops_unary", {
                                            {"unary_neg", Unary(lockstep::Negative)},
                                            {"unary_abs", Unary(lockstep::Abs)},
                                            {"unary_exp", Unary(lockstep::Exp)},
                                            {"unary_expm1", Unary(lockstep::Expm1)},
                                            {"unary_square", Unary(lockstep::Square)},
                                            {"unary_sin", Unary(lockstep::Sin)},
                                            {"unary_cos", Unary(lockstep::Cos)},
                                            {"unary_tan", Unary(lockstep::Tan)},
                                            {"unary_tanh", Unary(lockstep::Tanh)},
                                            {"unary_sinh", Unary(lockstep::Sinh)},
                                            {"unary_cosh", Unary(lockstep::Cosh)},
                                            {"unary_asin", Unary(lockstep::Asin)},
                                            {"unary_acos", Unary(lockstep::Acos)},
                                            {"unary_atan", Unary(lockstep::Atan)},
                                            {"unary_asinh", Unary(lockstep::Asinh)},
                                            {"unary_acosh", Unary(lockstep::Acosh)},
                                            {"unary_atanh", Unary(lockstep::Atanh)},
                                            {"unary_sigmoid", Unary(lockstep::Sigmoid)},
                                            {"unary_log_sigmoid", Unary(lockstep::LogSigmoid)},
                                            {"unary_softplus", Unary(lockstep::Softplus)},
                                            {"unary_softsign", Unary(lockstep::Softsign)},
                                            {"unary_relu", Unary(lockstep::Relu)},
                                            {"unary_relu6", Unary(lockstep::Relu6)},
                                            {"unary_elu", Elu},
                                            {"unary_selu", Unary(lockstep::Selu)},
                                            {"unary_leaky_relu", LeakyRelu},
                                            {"unary_gelu", Gelu},
                                            {"unary_gelu_tanh", Unary(TanhGelu)},
                                            {"unary_silu", Silu},
                                            {"unary_swish", Silu},
                                            {"unary_erf", Unary(lockstep::Erf)},
                                            {"unary_erfc", Unary(lockstep::Erfc)},
                                            {"unary_mish", Unary(lockstep::Mish)},
                                            {"unary_hard_sigmoid", Unary(lockstep::HardSigmoid)},
                                            {"unary_sign", Unary(lockstep::Sign)},
                                            {"unary_log", Unary(lockstep::Log)},
                                            {"unary_log1p", Unary(lockstep::Log1p)},
                                            {"unary_sqrt", Unary(lockstep::Sqrt)},
                                            {"unary_rsqrt", Unary(lockstep::Rsqrt)},
                                            {"unary_reciprocal", Unary(lockstep::Reciprocal)},
                                            {"unary_lgamma", Unary(lockstep::Lgamma)},
                                            {"unary_digamma", Unary(lockstep::Digamma)},
                                            {"unary_floor", Unary(lockstep::Floor)},
                                            {"unary_ceil", Unary(lockstep::Ceil)},
                                            {"unary_round", Unary(lockstep::Round)},
                                            {"unary_rint", Unary(lockstep::Rint)},
                                            {"unary_is_nan", Unary(lockstep::IsNan)},
                                            {"unary_is_inf", Unary(lockstep::IsInf)},
                                            {"unary_is_finite", Unary(lockstep::IsFinite)},
                                            {"unary_logical_not", Unary(lockstep::LogicalNot)},
                                            {"unary_identity", Unary(lockstep::Identity)},
                                            {"unary_stop_gradient", Unary(lockstep::StopGradient)},
                                            {"unary_zeros_like", Unary(lockstep::ZerosLike)},
                                            {"unary_ones_like", Unary(lockstep::OnesLike)},
                                        });

// After the ops above, which are kept where an activation has an op's name.
const RegisterGroup kActivations("ops_unary", Activations());

}  // namespace
}  // namespace golden
