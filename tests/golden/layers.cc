#include "lockstep/nn/layers.h"

#include <algorithm>

#include "gradients.h"
#include "lockstep/nn/constraints.h"
#include "lockstep/nn/regularizers.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/gradient_tape.h"
#include "weights.h"

namespace golden {
namespace {

using lockstep::Activation;
using lockstep::LayerPtr;
using lockstep::Size2D;
using lockstep::Tensor;
using lockstep::Variable;

Activation ActivationOf(const Case& golden) {
  return lockstep::activations::Get(golden.Param<std::string>("activation", "linear"));
}

Size2D SizeOf(const Case& golden, const std::string& name, Size2D fallback) {
  if (!golden.HasParam(name)) return fallback;
  const std::vector<int64_t> values = golden.Integers(name);
  return Size2D(values.front(), values.back());
}

LayerPtr Dense(const Case& golden) {
  return lockstep::Dense(
      golden.Get<int64_t>("units"),
      {.activation = ActivationOf(golden), .use_bias = golden.Param("use_bias", true)});
}

lockstep::Conv2DOptions Convolution(const Case& golden) {
  lockstep::Conv2DOptions options;
  options.strides = SizeOf(golden, "strides", 1);
  options.padding = golden.Param<std::string>("padding", "valid");
  options.dilation_rate = SizeOf(golden, "dilation_rate", 1);
  options.groups = golden.Param<int64_t>("groups", 1);
  options.activation = ActivationOf(golden);
  options.use_bias = golden.Param("use_bias", true);
  return options;
}

LayerPtr Conv2D(const Case& golden) {
  return lockstep::Conv2D(golden.Get<int64_t>("filters"), SizeOf(golden, "kernel_size", 1),
                          Convolution(golden));
}
LayerPtr DepthwiseConv2D(const Case& golden) {
  return lockstep::DepthwiseConv2D(SizeOf(golden, "kernel_size", 1), Convolution(golden),
                                   golden.Param<int64_t>("depth_multiplier", 1));
}
LayerPtr SeparableConv2D(const Case& golden) {
  return lockstep::SeparableConv2D(golden.Get<int64_t>("filters"), SizeOf(golden, "kernel_size", 1),
                                   Convolution(golden),
                                   golden.Param<int64_t>("depth_multiplier", 1));
}
LayerPtr Conv2DTranspose(const Case& golden) {
  lockstep::Conv2DOptions options = Convolution(golden);
  if (golden.HasParam("output_padding"))
    options.output_padding = SizeOf(golden, "output_padding", 0);
  return lockstep::Conv2DTranspose(golden.Get<int64_t>("filters"), SizeOf(golden, "kernel_size", 1),
                                   options);
}
LayerPtr UpSampling2D(const Case& golden) {
  const auto method = golden.Param<std::string>("interpolation", "nearest");
  if (method == "bilinear") return lockstep::BilinearUpSampling2D(SizeOf(golden, "size", 2));
  if (method == "nearest") return lockstep::UpSampling2D(SizeOf(golden, "size", 2));
  throw Skip{"up-sampling is nearest or bilinear here, not " + method};
}
LayerPtr Conv1D(const Case& golden) {
  lockstep::Conv1DOptions options;
  if (golden.HasParam("strides")) options.strides = golden.Integers("strides").front();
  options.padding = golden.Param<std::string>("padding", "valid");
  if (golden.HasParam("dilation_rate"))
    options.dilation_rate = golden.Integers("dilation_rate").front();
  options.groups = golden.Param<int64_t>("groups", 1);
  options.activation = ActivationOf(golden);
  options.use_bias = golden.Param("use_bias", true);
  return lockstep::Conv1D(golden.Get<int64_t>("filters"), golden.Integers("kernel_size").front(),
                          options);
}

LayerPtr BatchNormalization(const Case& golden) {
  return lockstep::BatchNormalization({.axis = golden.Param("axis", -1),
                                       .momentum = golden.Param("momentum", 0.99),
                                       .epsilon = golden.Param("epsilon", 1e-3),
                                       .center = golden.Param("center", true),
                                       .scale = golden.Param("scale", true)});
}
LayerPtr LayerNormalization(const Case& golden) {
  if (golden.Param("rms_scaling", false))
    throw Skip{"the parameter rms_scaling of layer normalization is not known here"};
  return lockstep::LayerNormalization(
      {.axis = golden.HasParam("axis") ? golden.Integers("axis") : std::vector<int64_t>{-1},
       .epsilon = golden.Param("epsilon", 1e-3),
       .center = golden.Param("center", true),
       .scale = golden.Param("scale", true)});
}
LayerPtr GroupNormalization(const Case& golden) {
  return lockstep::GroupNormalization({.groups = golden.Param<int64_t>("groups", 32),
                                       .axis = golden.Param("axis", -1),
                                       .epsilon = golden.Param("epsilon", 1e-3),
                                       .center = golden.Param("center", true),
                                       .scale = golden.Param("scale", true)});
}
LayerPtr RmsNormalization(const Case& golden) {
  return lockstep::RMSNormalization(
      golden.HasParam("axis") ? golden.Integers("axis") : std::vector<int64_t>{-1},
      golden.Param("epsilon", 1e-6));
}

LayerPtr Embedding(const Case& golden) {
  return lockstep::Embedding(golden.Get<int64_t>("input_dim"), golden.Get<int64_t>("output_dim"));
}

LayerPtr MultiHeadAttention(const Case& golden) {
  lockstep::MultiHeadAttentionOptions options;
  if (golden.HasParam("value_dim")) options.value_dim = golden.Get<int64_t>("value_dim");
  options.use_bias = golden.Param("use_bias", true);
  options.use_causal_mask = golden.Param("use_causal_mask", false);
  if (golden.HasParam("output_shape")) options.output_dim = golden.Integers("output_shape").back();
  options.dropout = golden.Param("dropout", 0.0);  // outside of training, for rows all masked
  return lockstep::MultiHeadAttention(golden.Get<int64_t>("num_heads"),
                                      golden.Get<int64_t>("key_dim"), options);
}

lockstep::AttentionLayerOptions AttentionOptions(const Case& golden) {
  lockstep::AttentionLayerOptions options;
  if (golden.HasParam("use_scale")) options.use_scale = golden.Get<bool>("use_scale");
  options.use_causal_mask = golden.Param("use_causal_mask", false);
  options.dropout = golden.Param("dropout", 0.0);
  options.concat_scores = golden.Param<std::string>("score_mode", "dot") == "concat";
  return options;
}

// Inputs x, or q, v and k; a mask comes last.
std::vector<std::string> InputNames(const Case& golden) {
  std::vector<std::string> names;
  for (const char* name : {"x", "q", "v", "k"}) {
    if (golden.HasInput(name)) names.push_back(name);
  }
  return names;
}

Tensor MaskOf(const Case& golden) {
  return lockstep::Cast(ReadNested(golden.Value("attention_mask")), lockstep::DType::kBool);
}

// The inputs, and behind query, value and key the mask where the case has one. What is left out is
// the one before, as in Keras.
std::vector<Tensor> WithMask(const Case& golden, std::vector<Tensor> inputs) {
  if (!golden.HasParam("attention_mask")) return inputs;
  while (inputs.size() < 3) inputs.push_back(inputs.back());
  inputs.push_back(MaskOf(golden));
  return inputs;
}

// One call that starts from the given weights, and its gradients.
Handler Measure(LayerPtr (*make)(const Case&)) {
  return [make](const Case& golden, Produced& produced) {
    const LayerPtr layer = make(golden);
    const bool training = golden.Param("training", false);
    std::vector<Tensor> inputs;
    for (const std::string& name : InputNames(golden)) inputs.push_back(golden.Input(name));
    const std::vector<Tensor> watched = inputs;
    inputs = WithMask(golden, inputs);
    layer(inputs);  // makes the weights
    const auto weights = AssignWeights(golden, *layer);
    lockstep::GradientTape tape({.persistent = true});
    for (const Tensor& input : watched) tape.Watch(input);
    const Tensor y = layer(inputs, training);
    produced["y0"] = y;
    lockstep::GradientOptions options;
    if (golden.HasInput("dy0")) options.output_gradients = {golden.Input("dy0")};
    for (size_t i = 0; i < watched.size(); ++i) {
      const std::string name = "d_" + InputNames(golden)[i];
      if (golden.HasOutput(name))
        ProduceGradient(produced, name, tape.Gradient(y, watched[i], options));
    }
    for (const auto& [path, weight] : weights) {
      if (golden.HasOutput("d_w:" + path))
        ProduceGradient(produced, "d_w:" + path, tape.Gradient(y, weight, options));
      if (golden.HasOutput("after_w:" + path)) produced["after_w:" + path] = weight.value();
    }
  };
}

void Regularizers(const Case& golden, Produced& produced) {
  const Tensor w = golden.Input("w");
  const double l1 = golden.Param("l1", 0.01), l2 = golden.Param("l2", 0.01);
  produced["l1"] = (*lockstep::regularizers::L1(l1))(w);
  produced["l2"] = (*lockstep::regularizers::L2(l2))(w);
  // The file's L1L2 has factors of its own, which no case says.
  produced["l1l2"] = (*lockstep::regularizers::L1L2(0.02, 0.03))(w);
}

void Constraints(const Case& golden, Produced& produced) {
  const Tensor w = golden.Input("w");
  const auto range = golden.Param<std::vector<double>>("min_max", {0, 1, 1});
  produced["max_norm"] = (*lockstep::constraints::MaxNorm(golden.Param("max_norm", 2.0)))(w);
  produced["non_neg"] = (*lockstep::constraints::NonNeg())(w);
  produced["unit_norm"] = (*lockstep::constraints::UnitNorm())(w);
  produced["min_max"] = (*lockstep::constraints::MinMaxNorm(
      {.min_value = range[0], .max_value = range[1], .rate = range[2]}))(w);
}

lockstep::RecurrentOptions RecurrentOptionsOf(const Case& golden) {
  lockstep::RecurrentOptions options;
  if (golden.HasParam("activation")) options.activation = ActivationOf(golden);
  if (golden.HasParam("recurrent_activation")) {
    options.recurrent_activation =
        lockstep::activations::Get(golden.Get<std::string>("recurrent_activation"));
  }
  options.use_bias = golden.Param("use_bias", true);
  options.return_sequences = golden.Param("return_sequences", false);
  options.go_backwards = golden.Param("go_backwards", false);
  options.unit_forget_bias = golden.Param("unit_forget_bias", true);
  options.reset_after = golden.Param("reset_after", true);
  options.zero_output_for_mask = golden.Param("zero_output_for_mask", false);
  golden.Param("unroll", false);  // it changes what a mask means, no more: StepMaskOf
  return options;
}

using MakeRecurrent = lockstep::RecurrentPtr (*)(int64_t, const lockstep::RecurrentOptions&);

lockstep::RecurrentPtr RecurrentOf(const Case& golden, MakeRecurrent make) {
  return make(golden.Get<int64_t>("units"), RecurrentOptionsOf(golden));
}

lockstep::MergeMode MergeModeOf(const Case& golden) {
  if (!golden.MentionsParam("merge_mode")) return lockstep::MergeMode::kConcat;
  const auto mode = golden.Param<std::string>("merge_mode", "none");
  return mode == "concat" ? lockstep::MergeMode::kConcat
         : mode == "sum"  ? lockstep::MergeMode::kSum
         : mode == "mul"  ? lockstep::MergeMode::kMultiply
         : mode == "ave"  ? lockstep::MergeMode::kAverage
                          : lockstep::MergeMode::kNone;
}

// A bool matrix from nested lists. Where steps are unrolled, Keras turns it round together with the
// input that goes backwards, but not for the zeros of outputs; and else never.
Tensor StepMaskOf(const Case& golden, bool both_ways) {
  const Tensor mask = lockstep::Cast(ReadNested(golden.Value("mask")), lockstep::DType::kBool);
  const bool backwards = both_ways || golden.Param("go_backwards", false);
  if (!golden.Param("unroll", false) || !backwards) return mask;
  const Tensor turned = lockstep::Reverse(mask, {1});
  const bool zeros =
      golden.Param("zero_output_for_mask", false) && golden.Param("return_sequences", false);
  if ((both_ways || zeros) && !std::ranges::equal(mask.data<bool>(), turned.data<bool>()))
    throw Skip{"unrolled and backwards, Keras turns a mask round for one of its two uses"};
  return turned;
}

// A layer with several results: y0, y1, ...; one that goes both ways is two in Keras.
void MeasureStates(const Case& golden, Produced& produced, bool both_ways,
                   const lockstep::StatefulPtr<lockstep::StatefulLayer>& layer) {
  const Tensor x = golden.Input("x");
  std::vector<Tensor> inputs{x};
  if (golden.HasParam("mask")) inputs.push_back(StepMaskOf(golden, both_ways));
  golden.Param("return_state", false);
  layer->CallWithStates(inputs);  // makes the weights
  const auto weights = AssignWeights(golden, *layer);
  lockstep::GradientTape tape({.persistent = true});
  tape.Watch(x);
  const std::vector<Tensor> results =
      layer->CallWithStates(inputs, golden.Param("training", false));
  Tensor target;  // the sum of y dy over all results
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string number = std::to_string(i);
    if (!golden.HasOutput("y" + number)) break;
    produced["y" + number] = results[i];
    if (!golden.HasInput("dy" + number)) continue;
    const Tensor part = lockstep::ReduceSum(results[i] * golden.Input("dy" + number));
    target = target.defined() ? target + part : part;
  }
  if (!target.defined()) return;
  ProduceGradient(produced, "d_x", tape.Gradient(target, x));
  for (const auto& [path, weight] : weights)
    ProduceGradient(produced, "d_w:" + path, tape.Gradient(target, weight));
}

Handler Recurrent(MakeRecurrent make) {
  return [make](const Case& golden, Produced& produced) {
    MeasureStates(golden, produced, false,
                  std::shared_ptr<lockstep::StatefulLayer>(RecurrentOf(golden, make)));
  };
}
Handler Bidirectional(MakeRecurrent make) {
  return [make](const Case& golden, Produced& produced) {
    MeasureStates(golden, produced, true,
                  lockstep::Bidirectional(RecurrentOf(golden, make), MergeModeOf(golden)));
  };
}

const RegisterGroup kLayers(
    "layers", {
                  {"dense", Measure(Dense)},
                  {"conv2d", Measure(Conv2D)},
                  {"depthwise_conv2d", Measure(DepthwiseConv2D)},
                  {"separable_conv2d", Measure(SeparableConv2D)},
                  {"conv2d_transpose", Measure(Conv2DTranspose)},
                  {"conv1d", Measure(Conv1D)},
                  {"batchnorm", Measure(BatchNormalization)},
                  {"layernorm", Measure(LayerNormalization)},
                  {"groupnorm", Measure(GroupNormalization)},
                  {"rmsnorm", Measure(RmsNormalization)},
                  {"embedding", Measure(Embedding)},
                  {"mha", Measure(MultiHeadAttention)},
                  {"attention",
                   Measure([](const Case& c) { return lockstep::Attention(AttentionOptions(c)); })},
                  {"additive_attention", Measure([](const Case& c) {
                     return lockstep::AdditiveAttention(AttentionOptions(c));
                   })},
                  {"global_avg_pool2d", Measure([](const Case& c) {
                     return lockstep::GlobalAveragePooling2D(c.Param("keepdims", false));
                   })},
                  {"global_max_pool2d", Measure([](const Case& c) {
                     return lockstep::GlobalMaxPooling2D(c.Param("keepdims", false));
                   })},
                  {"prelu", Measure([](const Case& c) {
                     lockstep::PReluOptions options;
                     if (c.HasParam("shared_axes")) options.shared_axes = c.Integers("shared_axes");
                     return lockstep::PReLU(options);
                   })},
                  {"upsampling2d", Measure(UpSampling2D)},
                  {"regularizers", Regularizers},
                  {"constraints", Constraints},
                  {"lstm", Recurrent(lockstep::LSTM)},
                  {"gru", Recurrent(lockstep::GRU)},
                  {"simple_rnn", Recurrent(lockstep::SimpleRNN)},
                  {"bidirectional_lstm", Bidirectional(lockstep::LSTM)},
                  {"bidirectional_gru", Bidirectional(lockstep::GRU)},
                  {"bidirectional_simple_rnn", Bidirectional(lockstep::SimpleRNN)},
                  {"time_distributed_dense",
                   Measure([](const Case& c) { return lockstep::TimeDistributed(Dense(c)); })},
              });

}  // namespace
}  // namespace golden
