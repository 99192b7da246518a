#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/nn/activations.h"
#include "lockstep/nn/dtype_policy.h"
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
  /// By default the one in which the layer's policy keeps weights.
  std::optional<DType> dtype = {};
  /// Whether the layer reads it in the dtype in which it computes.
  bool autocast = true;
  /// How the values that replicas assign become one.
  VariableAggregation aggregation = VariableAggregation::kNone;
  std::shared_ptr<const Regularizer> regularizer = {};
  std::shared_ptr<const Constraint> constraint = {};
};

/// A weight with what training needs to know of it.
struct Weight {
  Variable variable;
  std::shared_ptr<const Regularizer> regularizer;
  std::shared_ptr<const Constraint> constraint;
};

class Layer;

/// A layer that several places share. It can be called like the layer itself:
/// `Dense(128, relu)(x)`.
class LayerPtr : public std::shared_ptr<Layer> {
 public:
  using std::shared_ptr<Layer>::shared_ptr;
  LayerPtr(std::shared_ptr<Layer> layer)  // NOLINT: the same thing
      : std::shared_ptr<Layer>(std::move(layer)) {}
  Tensor operator()(const Tensor& input, bool training = false) const;
  Tensor operator()(const std::vector<Tensor>& inputs, bool training = false) const;
};

/// Part of a model: makes its weights when it first sees an input's shape, and maps inputs to an
/// output with any ops. To write one, derive, override `Build` and `Call`.
/// Source: keras.layers.Layer.
class Layer : public std::enable_shared_from_this<Layer> {
 public:
  /// `type` is the stem of the layer's name, "max_pooling2d"; `class_name` what a summary calls it,
  /// by default the type in capitals: "MaxPooling2D".
  explicit Layer(std::string type, std::string class_name = {});
  virtual ~Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  /// Applies the layer; builds it first when it has no weights yet. Axis 0 holds the examples.
  /// Inputs of other floating dtypes are cast to the one in which the layer computes.
  /// Given the symbolic inputs of a functional model (functional.h), gives a symbolic output.
  /// InvalidArgument, naming the layer, for inputs that do not fit.
  Tensor operator()(const Tensor& input, bool training = false);
  Tensor operator()(const std::vector<Tensor>& inputs, bool training = false);

  /// "dense", "conv2d", ...
  const std::string& type() const { return type_; }
  const std::string& class_name() const { return class_name_; }
  /// Unique in its model: "dense", "dense_1", ... Weights are called "dense_1/kernel".
  const std::string& name() const { return name_; }
  /// FailedPrecondition once the layer is built, as its weights bear its name.
  void set_name(std::string name);
  /// The global one when the layer was made, or what it was given since.
  const DTypePolicy& dtype_policy() const { return policy_; }
  /// For the layers inside, too. FailedPrecondition once the layer is built.
  void set_dtype_policy(const DTypePolicy& policy);
  bool built() const { return built_; }
  bool trainable() const { return trainable_; }
  void set_trainable(bool trainable) { trainable_ = trainable; }

  /// Own weights, then those of the layers inside, in the order of their creation.
  virtual std::vector<Weight> weights() const;
  /// Those that training changes: none of a layer that is not trainable.
  std::vector<Weight> trainable_weights() const;
  /// Counters of random streams: part of a model's state, but not of its weights.
  std::vector<Variable> counters() const;
  /// What the last call gave; empty before the first one.
  const std::optional<Shape>& output_shape() const { return output_shape_; }
  /// The name of the activation that the output has passed last, "linear" where none.
  virtual std::string output_activation() const { return "linear"; }
  /// Layers inside this one.
  const std::vector<LayerPtr>& inner_layers() const { return inner_; }

 protected:
  virtual void Build(const std::vector<Shape>& input_shapes) {}
  /// Builds the layer as a call would, for layers with calls of another kind.
  void BuildFor(const std::vector<Tensor>& inputs);
  /// The inputs in the dtype in which the layer computes.
  std::vector<Tensor> CastInputs(std::vector<Tensor> inputs) const;
  virtual Tensor Call(const std::vector<Tensor>& inputs, bool training) = 0;
  /// A weight "layer's name/name". Where the constructor asks, before the layer has a name, it
  /// takes the next of its type in this process, as Keras's layers do: "scale", "scale_1", ...;
  /// seeds go by names, so that a program that makes several models names such layers itself.
  Variable AddWeight(const std::string& name, const Shape& shape, WeightOptions options = {});
  /// The seed of a random stream that nobody else has, [seed, 0], in a variable of two int64, of
  /// which a call of the layer uses the value and then advances the second number by one. Without
  /// `seed` it follows from the global seed and the layer's name.
  Variable AddCounter(const std::string& name, std::optional<int64_t> seed = {});
  /// To be called by the constructor of a layer for each layer inside it, in order. Their names
  /// become "outer/inner".
  LayerPtr Track(LayerPtr layer);
  /// Throws InvalidArgument "[name] text; got shape".
  [[noreturn]] void Refuse(const std::string& text, const Shape& got) const;

 private:
  void BuildOnce(const std::vector<Tensor>& inputs);

  std::string type_;
  std::string class_name_;
  std::string name_;
  DTypePolicy policy_ = GlobalPolicy();
  bool built_ = false;
  bool trainable_ = true;
  std::vector<Weight> weights_;
  std::vector<Variable> counters_;
  std::vector<LayerPtr> inner_;
  std::optional<Shape> output_shape_;
};

}  // namespace lockstep
