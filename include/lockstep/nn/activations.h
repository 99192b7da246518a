#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// A function of a layer's output, with the name by which Keras knows it.
struct Activation {
  using Function = Tensor (*)(const Tensor&);
  std::string name = "linear";
  Function apply = nullptr;

  Activation() = default;
  /// The one with that name (nullptr: linear), so that layers take "relu" as well as relu.
  /// NotFound, with the names there are.
  Activation(const char* name);         // NOLINT: implicit, as in Keras
  Activation(const std::string& name);  // NOLINT
  Activation(std::string name, Function apply) : name(std::move(name)), apply(apply) {}

  Tensor operator()(const Tensor& x) const { return apply == nullptr ? x : apply(x); }
};

// Activations by name, to be given to layers: Dense(128, relu). All act element by element but
// softmax, log_softmax, sparsemax and glu, which act along the last axis. Source:
// keras.activations.
namespace activations {
extern const Activation celu;
extern const Activation elu;
extern const Activation exponential;
extern const Activation gelu;
/// The first half of the last axis times the sigmoid of the second one.
extern const Activation glu;
extern const Activation hard_shrink;
extern const Activation hard_sigmoid;
/// x * hard_sigmoid(x); also called hard_swish.
extern const Activation hard_silu;
extern const Activation hard_tanh;
/// Slope 0.2 below 0; the layer LeakyReLU has 0.3.
extern const Activation leaky_relu;
extern const Activation linear;
extern const Activation log_sigmoid;
extern const Activation log_softmax;
extern const Activation mish;
extern const Activation relu;
extern const Activation relu6;
extern const Activation selu;
extern const Activation sigmoid;
/// x * sigmoid(x); also called swish.
extern const Activation silu;
extern const Activation soft_shrink;
extern const Activation softmax;
extern const Activation softplus;
extern const Activation softsign;
extern const Activation sparse_plus;
extern const Activation sparse_sigmoid;
extern const Activation sparsemax;
extern const Activation squareplus;
extern const Activation tanh;
extern const Activation tanh_shrink;
extern const Activation threshold;

/// The activation called `name`, aliases included. NotFound, with the names there are.
const Activation& Get(const std::string& name);
std::vector<std::string> Names();
}  // namespace activations

// The most common ones, for a shorter line. (`tanh` would clash with the C library's.)
using activations::elu;
using activations::gelu;
using activations::linear;
using activations::relu;
using activations::selu;
using activations::sigmoid;
using activations::silu;
using activations::softmax;
using activations::softplus;

}  // namespace lockstep
