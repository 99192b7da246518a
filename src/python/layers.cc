#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "distribute/servers/partitioner_scope.h"
#include "nn/weight_limit.h"
#include "python/bind.h"
#include "python/callback.h"
#include "python/nn_values.h"
#include "runtime/autocast.h"

namespace lockstep::python {

namespace {

using Shared = std::shared_ptr<Layer>;
using Maker = Shared (*)(const Given&);
using Integers = std::vector<int64_t>;
using Seed = std::optional<int64_t>;

template <typename Options>
void TakeKernel(const Given& g, Options& o) {
  o.use_bias = g.Get("use_bias", true);
  o.activation = g.Function("activation");
  o.kernel_initializer = g.Initial("kernel_initializer", o.kernel_initializer);
  o.bias_initializer = g.Initial("bias_initializer", o.bias_initializer);
  o.kernel_regularizer = g.Boxed<Regularizer>("kernel_regularizer");
  o.bias_regularizer = g.Boxed<Regularizer>("bias_regularizer");
  o.kernel_constraint = g.Boxed<Constraint>("kernel_constraint");
  o.bias_constraint = g.Boxed<Constraint>("bias_constraint");
}

// Of a layer that normalises.
template <typename Options>
void TakeScale(const Given& g, Options& o) {
  o.center = g.Get("center", true);
  o.scale = g.Get("scale", true);
  o.beta_initializer = g.Initial("beta_initializer", o.beta_initializer);
  o.gamma_initializer = g.Initial("gamma_initializer", o.gamma_initializer);
  o.beta_regularizer = g.Boxed<Regularizer>("beta_regularizer");
  o.gamma_regularizer = g.Boxed<Regularizer>("gamma_regularizer");
  o.beta_constraint = g.Boxed<Constraint>("beta_constraint");
  o.gamma_constraint = g.Boxed<Constraint>("gamma_constraint");
}

Conv2DOptions Windows2D(const Given& g) {
  Conv2DOptions o;
  TakeKernel(g, o);
  o.strides = g.Size("strides", 1);
  o.padding = g.Get<std::string>("padding", "valid");
  o.dilation_rate = g.Size("dilation_rate", 1);
  o.groups = g.Get<int64_t>("groups", 1);
  if (g.Has("output_padding")) o.output_padding = g.Size("output_padding", 0);
  return o;
}

Conv1DOptions Windows1D(const Given& g) {
  Conv1DOptions o;
  TakeKernel(g, o);
  o.strides = g.Get<int64_t>("strides", 1);
  o.padding = g.Get<std::string>("padding", "valid");
  o.dilation_rate = g.Get<int64_t>("dilation_rate", 1);
  o.groups = g.Get<int64_t>("groups", 1);
  return o;
}

Pooling2DOptions Pool2D(const Given& g) {
  Pooling2DOptions o;
  if (g.Has("strides")) o.strides = g.Size("strides", 1);
  o.padding = g.Get<std::string>("padding", "valid");
  return o;
}
Pooling1DOptions Pool1D(const Given& g) {
  return {g.Optional<int64_t>("strides"), g.Get<std::string>("padding", "valid"), ""};
}

RecurrentOptions Steps(const Given& g) {
  RecurrentOptions o;
  if (g.Has("activation")) o.activation = g.Function("activation");
  if (g.Has("recurrent_activation")) o.recurrent_activation = g.Function("recurrent_activation");
  o.use_bias = g.Get("use_bias", true);
  o.return_sequences = g.Get("return_sequences", false);
  o.go_backwards = g.Get("go_backwards", false);
  o.unit_forget_bias = g.Get("unit_forget_bias", true);
  o.reset_after = g.Get("reset_after", true);
  o.zero_output_for_mask = g.Get("zero_output_for_mask", false);
  o.kernel_initializer = g.Initial("kernel_initializer", o.kernel_initializer);
  o.recurrent_initializer = g.Initial("recurrent_initializer", o.recurrent_initializer);
  o.bias_initializer = g.Initial("bias_initializer", o.bias_initializer);
  o.kernel_regularizer = g.Boxed<Regularizer>("kernel_regularizer");
  o.recurrent_regularizer = g.Boxed<Regularizer>("recurrent_regularizer");
  o.bias_regularizer = g.Boxed<Regularizer>("bias_regularizer");
  return o;
}

Shared MakeBatchNormalization(const Given& g) {
  BatchNormalizationOptions o;
  o.axis = g.Get("axis", -1);
  o.momentum = g.Get("momentum", 0.99);
  o.epsilon = g.Get("epsilon", 1e-3);
  TakeScale(g, o);
  o.synchronized = g.Get("synchronized", false);
  o.moving_mean_initializer = g.Initial("moving_mean_initializer", o.moving_mean_initializer);
  o.moving_variance_initializer =
      g.Initial("moving_variance_initializer", o.moving_variance_initializer);
  return BatchNormalization(o);
}

Shared MakeLayerNormalization(const Given& g) {
  LayerNormalizationOptions o;
  o.axis = g.Get<Integers>("axis", {-1});
  o.epsilon = g.Get("epsilon", 1e-3);
  TakeScale(g, o);
  return LayerNormalization(o);
}

Shared MakeGroupNormalization(const Given& g) {
  GroupNormalizationOptions o;
  o.groups = g.Get<int64_t>("groups", 32);
  o.axis = g.Get("axis", -1);
  o.epsilon = g.Get("epsilon", 1e-3);
  TakeScale(g, o);
  return GroupNormalization(o);
}

Shared MakeAttention(const Given& g) {
  MultiHeadAttentionOptions o;
  o.value_dim = g.Optional<int64_t>("value_dim");
  o.dropout = g.Get("dropout", 0.0);
  o.use_bias = g.Get("use_bias", true);
  o.output_shape = g.Get("output_shape", std::vector<int64_t>());
  o.kernel_initializer = g.Initial("kernel_initializer", o.kernel_initializer);
  o.bias_initializer = g.Initial("bias_initializer", o.bias_initializer);
  o.seed = g.Optional<int64_t>("seed");
  return MultiHeadAttention(g.Get<int64_t>("num_heads", 1), g.Get<int64_t>("key_dim", 1), o);
}

AttentionLayerOptions Scores(const Given& g) {
  AttentionLayerOptions o;
  o.use_scale = g.Optional<bool>("use_scale");
  o.dropout = g.Get("dropout", 0.0);
  o.use_causal_mask = g.Get("use_causal_mask", false);
  o.concat_scores = g.Get("concat_scores", false);
  o.seed = g.Optional<int64_t>("seed");
  return o;
}

Shared MakeDense(const Given& g) {
  DenseOptions o;
  TakeKernel(g, o);
  return Dense(g.Get<int64_t>("units", 1), o);
}

Shared MakeEmbedding(const Given& g) {
  EmbeddingOptions o;
  o.embeddings_initializer = g.Boxed<Initializer>("embeddings_initializer");
  o.embeddings_regularizer = g.Boxed<Regularizer>("embeddings_regularizer");
  o.embeddings_constraint = g.Boxed<Constraint>("embeddings_constraint");
  return Embedding(g.Get<int64_t>("input_dim", 1), g.Get<int64_t>("output_dim", 1), o);
}

DropoutOptions Drop(const Given& g) {
  return {g.Get<Integers>("noise_shape", {}), g.Optional<int64_t>("seed"), ""};
}
NoiseOptions Noise(const Given& g) { return {g.Optional<int64_t>("seed"), ""}; }

// In the order of keras.layers's pages.
const std::map<std::string, Maker>& Makers() {
  static const auto* makers = new std::map<std::string, Maker>{
      {"Dense", MakeDense},
      {"Embedding", MakeEmbedding},
      {"ReLU",
       [](const Given& g) -> Shared {
         return ReLU({g.Optional<double>("max_value"), g.Get("negative_slope", 0.0),
                      g.Get("threshold", 0.0)});
       }},
      {"LeakyReLU",
       [](const Given& g) -> Shared { return LeakyReLU(g.Get("negative_slope", 0.3)); }},
      {"ELU", [](const Given& g) -> Shared { return ELU(g.Get("alpha", 1.0)); }},
      {"Softmax", [](const Given& g) -> Shared { return Softmax(g.Get("axis", -1)); }},
      {"PReLU",
       [](const Given& g) -> Shared {
         PReluOptions o;
         o.alpha_initializer = g.Initial("alpha_initializer", o.alpha_initializer);
         o.shared_axes = g.Get<Integers>("shared_axes", {});
         return PReLU(o);
       }},
      {"Conv2D",
       [](const Given& g) -> Shared {
         return Conv2D(g.Get<int64_t>("filters", 1), g.Size("kernel_size", 1), Windows2D(g));
       }},
      {"Conv1D",
       [](const Given& g) -> Shared {
         return Conv1D(g.Get<int64_t>("filters", 1), g.Get<int64_t>("kernel_size", 1),
                       Windows1D(g));
       }},
      {"DepthwiseConv2D",
       [](const Given& g) -> Shared {
         return DepthwiseConv2D(g.Size("kernel_size", 1), Windows2D(g),
                                g.Get<int64_t>("depth_multiplier", 1));
       }},
      {"SeparableConv2D",
       [](const Given& g) -> Shared {
         return SeparableConv2D(g.Get<int64_t>("filters", 1), g.Size("kernel_size", 1),
                                Windows2D(g), g.Get<int64_t>("depth_multiplier", 1));
       }},
      {"Conv2DTranspose",
       [](const Given& g) -> Shared {
         return Conv2DTranspose(g.Get<int64_t>("filters", 1), g.Size("kernel_size", 1),
                                Windows2D(g));
       }},
      {"MaxPooling2D",
       [](const Given& g) -> Shared { return MaxPooling2D(g.Size("pool_size", 2), Pool2D(g)); }},
      {"AveragePooling2D",
       [](const Given& g) -> Shared {
         return AveragePooling2D(g.Size("pool_size", 2), Pool2D(g));
       }},
      {"MaxPooling1D",
       [](const Given& g) -> Shared {
         return MaxPooling1D(g.Get<int64_t>("pool_size", 2), Pool1D(g));
       }},
      {"AveragePooling1D",
       [](const Given& g) -> Shared {
         return AveragePooling1D(g.Get<int64_t>("pool_size", 2), Pool1D(g));
       }},
      {"GlobalAveragePooling2D",
       [](const Given& g) -> Shared { return GlobalAveragePooling2D(g.Get("keepdims", false)); }},
      {"GlobalMaxPooling2D",
       [](const Given& g) -> Shared { return GlobalMaxPooling2D(g.Get("keepdims", false)); }},
      {"GlobalAveragePooling1D",
       [](const Given& g) -> Shared { return GlobalAveragePooling1D(g.Get("keepdims", false)); }},
      {"GlobalMaxPooling1D",
       [](const Given& g) -> Shared { return GlobalMaxPooling1D(g.Get("keepdims", false)); }},
      {"UpSampling2D", [](const Given& g) -> Shared { return UpSampling2D(g.Size("size", 2)); }},
      {"BilinearUpSampling2D",
       [](const Given& g) -> Shared { return BilinearUpSampling2D(g.Size("size", 2)); }},
      {"SimpleRNN",
       [](const Given& g) -> Shared { return SimpleRNN(g.Get<int64_t>("units", 1), Steps(g)); }},
      {"LSTM", [](const Given& g) -> Shared { return LSTM(g.Get<int64_t>("units", 1), Steps(g)); }},
      {"GRU", [](const Given& g) -> Shared { return GRU(g.Get<int64_t>("units", 1), Steps(g)); }},
      {"BatchNormalization", MakeBatchNormalization},
      {"LayerNormalization", MakeLayerNormalization},
      {"GroupNormalization", MakeGroupNormalization},
      {"RMSNormalization",
       [](const Given& g) -> Shared {
         return RMSNormalization(g.Get<Integers>("axis", {-1}), g.Get("epsilon", 1e-6));
       }},
      {"UnitNormalization",
       [](const Given& g) -> Shared { return UnitNormalization(g.Get<Integers>("axis", {-1})); }},
      {"MultiHeadAttention", MakeAttention},
      {"Attention", [](const Given& g) -> Shared { return Attention(Scores(g)); }},
      {"AdditiveAttention", [](const Given& g) -> Shared { return AdditiveAttention(Scores(g)); }},
      {"Dropout", [](const Given& g) -> Shared { return Dropout(g.Get("rate", 0.5), Drop(g)); }},
      {"SpatialDropout1D",
       [](const Given& g)
           -> Shared { return SpatialDropout1D(g.Get("rate", 0.5), g.Optional<int64_t>("seed")); }},
      {"SpatialDropout2D",
       [](const Given& g)
           -> Shared { return SpatialDropout2D(g.Get("rate", 0.5), g.Optional<int64_t>("seed")); }},
      {"GaussianNoise",
       [](const Given& g) -> Shared { return GaussianNoise(g.Get("stddev", 0.1), Noise(g)); }},
      {"GaussianDropout",
       [](const Given& g) -> Shared { return GaussianDropout(g.Get("rate", 0.5), Noise(g)); }},
      {"AlphaDropout",
       [](const Given& g) -> Shared { return AlphaDropout(g.Get("rate", 0.5), Drop(g)); }},
      {"Rescaling",
       [](const Given& g)
           -> Shared { return Rescaling(g.Get("scale", 1.0), g.Get("offset", 0.0)); }},
      {"ZeroPadding2D",
       [](const Given& g)
           -> Shared { return ZeroPadding2D(g.Get<Borders>("padding", {1, 1, 1, 1})); }},
      {"Cropping2D", [](const Given& g) -> Shared {
         return Cropping2D(g.Get<Borders>("cropping", {0, 0, 0, 0}));
       }}};
  return *makers;
}

// A layer of Python: its weights are made here, its call stays there.
class PythonLayer : public Layer {
 public:
  PythonLayer(const std::string& name, const std::string& class_name) : Layer(name, class_name) {
    set_name(name);
  }
  Variable Add(const std::string& name, const Shape& shape, WeightOptions options) {
    return AddWeight(name, shape, std::move(options));
  }
  Variable Count(const std::string& name, std::optional<int64_t> seed) {
    return AddCounter(name, seed);
  }

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override { return inputs[0]; }
};

Variable AddWeightOf(PythonLayer& layer, const std::string& name, const Shape& shape,
                     nb::dict options) {
  const Given g(options);
  WeightOptions o;
  o.initializer = g.Initial("initializer", o.initializer);
  o.trainable = g.Get("trainable", true);
  o.dtype = static_cast<DType>(g.Get("dtype", 1));
  o.autocast = g.Get("autocast", true);
  o.aggregation = static_cast<VariableAggregation>(g.Get("aggregation", 0));
  o.regularizer = g.Boxed<Regularizer>("regularizer");
  o.constraint = g.Boxed<Constraint>("constraint");
  if (!g.Get("whole", false)) return layer.Add(name, shape, o);
  const distribute::PartitionerScope uncut(nullptr);
  return layer.Add(name, shape, o);
}

nb::list WeightsOf(const Layer& layer) {
  nb::list list;
  for (const Weight& weight : layer.weights()) {
    list.append(nb::make_tuple(weight.variable, Box<Regularizer>{weight.regularizer},
                               Box<Constraint>{weight.constraint}));
  }
  return list;
}

}  // namespace

void BindLayers(nb::module_& m) {
  // The dtype in which weights are read from now on, by its number; -1: their own. What it was.
  m.def("set_autocast", [](int dtype) {
    const auto outer = runtime::SetAutocast(dtype < 0 ? std::optional<DType>()
                                                      : std::optional(static_cast<DType>(dtype)));
    return outer ? static_cast<int>(*outer) : -1;
  });
  nb::class_<Layer>(m, "Layer")
      .def_prop_ro("name", &Layer::name)
      .def("set_name", &Layer::set_name)
      .def("set_dtype_policy",
           [](Layer& layer, const std::string& name) {
             layer.set_dtype_policy(DTypePolicy::Named(name));
           })
      .def_prop_ro("built", &Layer::built)
      .def_prop_rw("trainable", &Layer::trainable, &Layer::set_trainable)
      .def("call", [](Layer& layer, const std::vector<Tensor>& inputs,
                      bool training) { return Unlocked([&] { return layer(inputs, training); }); })
      .def("call_causal",
           [](Layer& layer, const std::vector<Tensor>& inputs, bool training) {
             const CausalAttentionScope scope(true);
             return Unlocked([&] { return layer(inputs, training); });
           })
      .def("call_with_states",
           [](Layer& layer, const std::vector<Tensor>& inputs, bool training) {
             auto* stateful = dynamic_cast<StatefulLayer*>(&layer);
             if (stateful == nullptr) throw nb::type_error("the layer has no states");
             return Unlocked([&] { return stateful->CallWithStates(inputs, training); });
           })
      .def("weights", &WeightsOf)
      .def("counters", &Layer::counters);
  nb::class_<PythonLayer, Layer>(m, "PythonLayer")
      .def(nb::init<const std::string&, const std::string&>())
      .def("add_weight", &AddWeightOf)
      .def("add_counter", &PythonLayer::Count, nb::arg(), nb::arg().none());
  m.def("set_weight_limit", &nn::SetWeightLimit, nb::arg().none());
  m.def("make_layer", [](const std::string& kind, nb::dict options) -> Shared {
    const auto found = Makers().find(kind);
    if (found == Makers().end()) throw nb::key_error(kind.c_str());
    return found->second(Given(options));
  });
  m.def("make_bidirectional", [](Shared layer, int merge) -> Shared {
    return Bidirectional(RecurrentPtr(std::dynamic_pointer_cast<RecurrentLayer>(layer)),
                         static_cast<MergeMode>(merge));
  });
  m.def("make_time_distributed",
        [](Shared layer) -> Shared { return TimeDistributed(LayerPtr(layer)); });
  m.def("step_mask", [](const Tensor& x, double padding) { return StepMask(padding)(x); });
  m.def("activate", [](const std::string& name, const Tensor& x) {
    const Activation& activation = activations::Get(name);
    return Unlocked([&] { return activation(x); });
  });
  m.def("activation_names", &activations::Names);
}

}  // namespace lockstep::python
