#pragma once

#include <memory>
#include <vector>

#include "lockstep/nn/layer.h"

namespace lockstep::nn {

/// What a symbolic tensor of a functional model stands for: an input, or what a layer made of
/// others.
class FunctionalValue : public TensorObject {
 public:
  FunctionalValue(std::shared_ptr<Layer> layer, std::vector<Tensor> inputs)
      : layer_(std::move(layer)), inputs_(std::move(inputs)) {}

  /// Null for an input.
  const std::shared_ptr<Layer>& layer() const { return layer_; }
  const std::vector<Tensor>& inputs() const { return inputs_; }
  /// The value that `tensor` stands for, or null.
  static const FunctionalValue* Of(const Tensor& tensor);

 private:
  std::shared_ptr<Layer> layer_;
  std::vector<Tensor> inputs_;
};

/// Whether any of `inputs` is symbolic in this sense.
bool IsFunctional(const std::vector<Tensor>& inputs);
/// Names and builds `layer` where needed, and gives its symbolic output.
/// InvalidArgument when symbolic and other inputs are mixed, or the layer refuses their shapes.
Tensor CallFunctional(const std::shared_ptr<Layer>& layer, const std::vector<Tensor>& inputs);

}  // namespace lockstep::nn
