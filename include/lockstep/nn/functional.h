#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "lockstep/nn/layer.h"
#include "lockstep/nn/model.h"

namespace lockstep {

/// An input of a functional model: a symbolic tensor of one example's `shape`, to be given to
/// layers, which then give symbolic outputs:
///
///   const Tensor x = Input({28, 28, 1});
///   const Tensor h = Conv2D(32, 3, relu)(x);
///   FunctionalModel model({x}, {Dense(10)(Flatten()(h))});
///
/// Shapes: the result is [?, shape...]. Source: keras.Input.
Tensor Input(const std::vector<int64_t>& shape, DType dtype = DType::kFloat32);

/// The model that computes `outputs` from `inputs` by the layers between them. Layers that have no
/// name of their own are called "dense", "dense_1", ... in the order in which they are called.
/// InvalidArgument when an output needs an input that is not among `inputs`.
/// Source: keras.Model(inputs, outputs).
class FunctionalModel : public Model {
 public:
  FunctionalModel(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs,
                  std::string name = "functional");
  /// Of one input and one output, without braces.
  template <std::same_as<Tensor> T>
  FunctionalModel(const T& input, const T& output, std::string name = "functional")
      : FunctionalModel(std::vector<Tensor>{input}, std::vector<Tensor>{output}, std::move(name)) {}
  /// For a model of one input and one output. InvalidArgument for others.
  Tensor Call(const Tensor& inputs, bool training) override;
  /// The outputs for one tensor an input.
  std::vector<Tensor> CallAll(const std::vector<Tensor>& inputs, bool training = false);

 private:
  struct Operation {
    LayerPtr layer;
    std::vector<int> inputs;  // values: the model's inputs, then the operations' outputs
  };
  int Visit(const Tensor& tensor);

  std::vector<Tensor> symbols_;  // by value
  std::vector<Operation> operations_;
  size_t num_inputs_;
  std::vector<int> outputs_;
};

}  // namespace lockstep
