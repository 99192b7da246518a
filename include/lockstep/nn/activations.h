#pragma once

#include <string>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// A function of a layer's output, with the name by which Keras knows it.
struct Activation {
  std::string name = "linear";
  Tensor (*apply)(const Tensor&) = nullptr;

  Tensor operator()(const Tensor& x) const { return apply == nullptr ? x : apply(x); }
};

}  // namespace lockstep
