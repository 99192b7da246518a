#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lockstep/nn/activations.h"
#include "lockstep/nn/initializers.h"
#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// A term that a weight adds to the loss; see regularizers.h.
class Regularizer;
/// What is done to a weight after each update; see constraints.h.
class Constraint;

struct WeightOptions {
  InitializerPtr initializer = initializers::GlorotUniform();
  bool trainable = true;
  DType dtype = DType::kFloat32;
  std::shared_ptr<const Regularizer> regularizer;
  std::shared_ptr<const Constraint> constraint;
};

/// A weight with what training needs to know of it.
struct Weight {
  Variable variable;
  std::shared_ptr<const Regularizer> regularizer;
  std::shared_ptr<const Constraint> constraint;
};

/// Part of a model: makes its weights when it first sees an input's shape, and maps inputs to an
/// output with any ops. To write one, derive, override `Build` and `Call`.
/// Source: keras.layers.Layer.
class Layer {
 public:
  explicit Layer(std::string type) : type_(std::move(type)) {}
  virtual ~Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  /// Applies the layer; builds it first when it has no weights yet. Axis 0 holds the examples.
  /// InvalidArgument, naming the layer, for inputs that do not fit.
  Tensor operator()(const Tensor& input, bool training = false);
  Tensor operator()(const std::vector<Tensor>& inputs, bool training = false);

  /// "dense", "conv2d", ...
  const std::string& type() const { return type_; }
  /// Unique in its model: "dense", "dense_1", ... Weights are called "dense_1/kernel".
  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  bool built() const { return built_; }
  bool trainable() const { return trainable_; }
  void set_trainable(bool trainable) { trainable_ = trainable; }

  /// Own weights and those of the layers inside, in the order of their creation.
  virtual std::vector<Weight> weights() const { return weights_; }
  /// The name of the activation that the output has passed last, "linear" where none.
  virtual std::string output_activation() const { return "linear"; }
  /// Layers inside this one.
  virtual std::vector<Layer*> inner_layers() const { return {}; }
  /// What this layer adds to the loss of the call in progress (activity), besides regularizers.
  virtual std::vector<Tensor> TakeLosses() { return {}; }

 protected:
  virtual void Build(const std::vector<Shape>& input_shapes) {}
  virtual Tensor Call(const std::vector<Tensor>& inputs, bool training) = 0;
  Variable AddWeight(const std::string& name, const Shape& shape, WeightOptions options = {});
  /// Throws InvalidArgument "[name] text; got shape".
  [[noreturn]] void Refuse(const std::string& text, const Shape& got) const;

 private:
  std::string type_;
  std::string name_;
  bool built_ = false;
  bool trainable_ = true;
  std::vector<Weight> weights_;
};
using LayerPtr = std::shared_ptr<Layer>;

}  // namespace lockstep
