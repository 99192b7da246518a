#include "lockstep/nn/activations.h"

#include "lockstep/ops/activation.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/nn.h"
#include "lockstep/ops/reduce.h"
#include "nn/known_names.h"

namespace lockstep::activations {

namespace {

Tensor Glu(const Tensor& x) {
  const std::vector<Tensor> halves = Split(x, 2, -1);
  return halves[0] * Sigmoid(halves[1]);
}

// 0 for |x| <= 0.5, x elsewhere.
Tensor HardShrink(const Tensor& x) { return Where(Greater(Abs(x), 0.5), x, ZerosLike(x)); }

Tensor HardTanh(const Tensor& x) { return Minimum(Maximum(x, -1.0), 1.0); }

Tensor SoftShrink(const Tensor& x) {
  return Where(Greater(x, 0.5), x - 0.5, Where(Less(x, -0.5), x + 0.5, ZerosLike(x)));
}

// 0 below -1, x above 1, a parabola between them.
Tensor SparsePlus(const Tensor& x) {
  return Where(LessEqual(x, -1.0), ZerosLike(x), Where(Less(x, 1.0), 0.25 * Square(x + 1.0), x));
}

// Each row's nearest point among those that are not negative and sum to 1 (Martins and Astudillo):
// x - tau above tau, 0 elsewhere. Of the elements in descending order the first k lie above tau.
Tensor Sparsemax(const Tensor& x) {
  const Tensor sorted = Sort(x, -1, SortDirection::kDescending);
  const Tensor places = Cumsum(OnesLike(sorted), -1);
  const Tensor above = Greater(1.0 + places * sorted, Cumsum(sorted, -1));
  const Tensor k = ReduceSum(Cast(above, x.dtype()), -1, true);
  const Tensor tau = (ReduceSum(Where(above, sorted, ZerosLike(sorted)), -1, true) - 1.0) / k;
  return Maximum(x - tau, 0.0);
}

Tensor SparseSigmoid(const Tensor& x) { return Minimum(Maximum(0.5 * (x + 1.0), 0.0), 1.0); }

Tensor Squareplus(const Tensor& x) { return 0.5 * (x + Sqrt(Square(x) + 4.0)); }

Tensor Threshold(const Tensor& x) { return Where(Greater(x, 1.0), x, ZerosLike(x)); }

}  // namespace

const Activation celu{"celu", [](const Tensor& x) { return Elu(x); }};
const Activation elu{"elu", [](const Tensor& x) { return Elu(x); }};
const Activation exponential{"exponential", Exp};
const Activation gelu{"gelu", [](const Tensor& x) { return Gelu(x); }};
const Activation glu{"glu", Glu};
const Activation hard_shrink{"hard_shrink", HardShrink};
const Activation hard_sigmoid{"hard_sigmoid", HardSigmoid};
const Activation hard_silu{"hard_silu", [](const Tensor& x) { return x * HardSigmoid(x); }};
const Activation hard_tanh{"hard_tanh", HardTanh};
const Activation leaky_relu{"leaky_relu", [](const Tensor& x) { return LeakyRelu(x, 0.2); }};
const Activation linear{};
const Activation log_sigmoid{"log_sigmoid", LogSigmoid};
const Activation log_softmax{"log_softmax", [](const Tensor& x) { return LogSoftmax(x, -1); }};
const Activation mish{"mish", Mish};
const Activation relu{"relu", Relu};
const Activation relu6{"relu6", Relu6};
const Activation selu{"selu", Selu};
const Activation sigmoid{"sigmoid", Sigmoid};
const Activation silu{"silu", Silu};
const Activation soft_shrink{"soft_shrink", SoftShrink};
const Activation softmax{"softmax", [](const Tensor& x) { return Softmax(x, -1); }};
const Activation softplus{"softplus", Softplus};
const Activation softsign{"softsign", Softsign};
const Activation sparse_plus{"sparse_plus", SparsePlus};
const Activation sparse_sigmoid{"sparse_sigmoid", SparseSigmoid};
const Activation sparsemax{"sparsemax", Sparsemax};
const Activation squareplus{"squareplus", Squareplus};
const Activation tanh{"tanh", Tanh};
const Activation tanh_shrink{"tanh_shrink", [](const Tensor& x) { return x - Tanh(x); }};
const Activation threshold{"threshold", Threshold};

namespace {

const Activation* const kAll[] = {
    &celu,           &elu,         &exponential,  &gelu,       &glu,         &hard_shrink,
    &hard_silu,      &hard_tanh,   &hard_sigmoid, &leaky_relu, &linear,      &log_sigmoid,
    &log_softmax,    &mish,        &relu,         &relu6,      &selu,        &sigmoid,
    &silu,           &soft_shrink, &softmax,      &softplus,   &softsign,    &sparse_plus,
    &sparse_sigmoid, &sparsemax,   &squareplus,   &tanh,       &tanh_shrink, &threshold};

std::string WithoutAlias(const std::string& name) {
  if (name == "swish") return "silu";
  if (name == "hard_swish") return "hard_silu";
  return name;
}

}  // namespace

const Activation& Get(const std::string& name) {
  for (const Activation* activation : kAll) {
    if (activation->name == WithoutAlias(name)) return *activation;
  }
  nn::RefuseName("activation", name, Names());
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const Activation* activation : kAll) names.push_back(activation->name);
  return names;
}

}  // namespace lockstep::activations

namespace lockstep {

Activation::Activation(const char* name) {
  if (name != nullptr) *this = activations::Get(name);
}

Activation::Activation(const std::string& name) : Activation(name.c_str()) {}

}  // namespace lockstep
