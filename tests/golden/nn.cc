#include "lockstep/ops/nn.h"

#include <array>

#include "gradients.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/convolution.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/normalization.h"
#include "lockstep/ops/pooling.h"

namespace golden {
namespace {

using lockstep::Padding;
using lockstep::Tensor;

// One number for both axes, two, or TensorFlow's four of an NHWC tensor.
std::array<int64_t, 2> Pair(const Case& golden, const std::string& name) {
  if (!golden.HasParam(name)) return {1, 1};
  const std::vector<int64_t> values = golden.Integers(name);
  if (values.size() == 4) return {values[1], values[2]};
  return {values.front(), values.back()};
}

// As Pair, of one spatial axis: one number, or TensorFlow's three of an NWC tensor.
int64_t Single(const Case& golden, const std::string& name) {
  const std::vector<int64_t> values = golden.Integers(name);
  return values.size() == 3 ? values[1] : values.front();
}

Padding PaddingOf(const Case& golden) {
  if (golden.HasParam("padding") && golden.Value("padding").is_array()) return Padding::kExplicit;
  const auto padding = golden.Param<std::string>("padding", "VALID");
  return padding == "SAME" || padding == "same" ? Padding::kSame : Padding::kValid;
}

// What "padding", a pair an axis, says before and after each of the `Count / 2` spatial axes.
template <size_t Count>
std::array<int64_t, Count> ExplicitPaddings(const Case& golden) {
  std::array<int64_t, Count> paddings{};
  if (PaddingOf(golden) != Padding::kExplicit) return paddings;
  const auto pairs = golden.Get<std::vector<std::array<int64_t, 2>>>("padding");
  if (pairs.size() != Count / 2 + 2 || pairs.front() != std::array<int64_t, 2>{} ||
      pairs.back() != std::array<int64_t, 2>{})
    throw Skip{"padding is told for the axes between examples and channels only, not " +
               golden.Value("padding").dump()};
  for (size_t i = 0; i < Count; ++i) paddings[i] = pairs[1 + i / 2][i % 2];
  return paddings;
}

lockstep::ConvolutionOptions Convolution(const Case& golden) {
  return {.strides = Pair(golden, "strides"),
          .padding = PaddingOf(golden),
          .dilations = Pair(golden, "dilations"),
          .explicit_paddings = ExplicitPaddings<4>(golden)};
}

void Conv2D(const Case& golden, Produced& produced) {
  ForwardAndBackward(golden, produced, {"x", "w"}, [&](const std::vector<Tensor>& inputs) {
    return lockstep::Conv2D(inputs[0], inputs[1], Convolution(golden));
  });
}

void DepthwiseConv2D(const Case& golden, Produced& produced) {
  ForwardAndBackward(golden, produced, {"x", "w"}, [&](const std::vector<Tensor>& inputs) {
    return lockstep::DepthwiseConv2D(inputs[0], inputs[1], Convolution(golden));
  });
}

void Conv2DTranspose(const Case& golden, Produced& produced) {
  ForwardAndBackward(golden, produced, {"x", "w"}, [&](const std::vector<Tensor>& inputs) {
    return lockstep::Conv2DTranspose(inputs[0], inputs[1], golden.Integers("output_shape"),
                                     Convolution(golden));
  });
}

void Conv1D(const Case& golden, Produced& produced) {
  ForwardAndBackward(golden, produced, {"x", "w"}, [&](const std::vector<Tensor>& inputs) {
    lockstep::Convolution1DOptions options{.padding = PaddingOf(golden),
                                           .explicit_paddings = ExplicitPaddings<2>(golden)};
    for (const char* name : {"stride", "strides"}) {
      if (golden.HasParam(name)) options.stride = Single(golden, name);
    }
    if (golden.HasParam("dilations")) options.dilation = Single(golden, "dilations");
    return lockstep::Conv1D(inputs[0], inputs[1], options);
  });
}

Handler Pool(Tensor (*function)(const Tensor&, std::array<int64_t, 2>,
                                const lockstep::PoolingOptions&)) {
  return [function](const Case& golden, Produced& produced) {
    ForwardAndBackward(golden, produced, {"x"}, [&](const std::vector<Tensor>& inputs) {
      return function(inputs[0], Pair(golden, "ksize"),
                      {.strides = Pair(golden, "strides"),
                       .padding = PaddingOf(golden),
                       .explicit_paddings = ExplicitPaddings<4>(golden)});
    });
  };
}

void Softmax(const Case& golden, Produced& produced) {
  ForwardAndBackward(golden, produced, {"x"}, [&](const std::vector<Tensor>& inputs) {
    return lockstep::Softmax(inputs[0], golden.Param<int64_t>("axis", -1));
  });
}

void LogSoftmax(const Case& golden, Produced& produced) {
  ForwardAndBackward(golden, produced, {"x"}, [&](const std::vector<Tensor>& inputs) {
    return lockstep::LogSoftmax(inputs[0], golden.Param<int64_t>("axis", -1));
  });
}

// With `axis` after all others.
Tensor AxisLast(const Tensor& x, int64_t axis) {
  if (axis < 0) axis += x.rank();
  std::vector<int64_t> order;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (i != axis) order.push_back(i);
  }
  order.push_back(axis);
  return lockstep::Transpose(x, order);
}

// Classes along any axis, which are brought to the end.
void SoftmaxCrossEntropy(const Case& golden, Produced& produced) {
  const auto axis = golden.Param<int64_t>("axis", -1);
  ForwardAndBackward(golden, produced, {"labels", "logits"}, [&](const std::vector<Tensor>& in) {
    if (axis == -1) return lockstep::SoftmaxCrossEntropyWithLogits(in[0], in[1]);
    return lockstep::SoftmaxCrossEntropyWithLogits(AxisLast(in[0], axis), AxisLast(in[1], axis));
  });
}

// A cross entropy of (labels, logits).
Handler CrossEntropy(Tensor (*function)(const Tensor&, const Tensor&)) {
  return [function](const Case& golden, Produced& produced) {
    ForwardAndBackward(golden, produced, {"labels", "logits"},
                       [&](const std::vector<Tensor>& in) { return function(in[0], in[1]); });
  };
}

void L2Loss(const Case& golden, Produced& produced) {
  ForwardAndBackward(golden, produced, {"x"},
                     [](const std::vector<Tensor>& inputs) { return lockstep::L2Loss(inputs[0]); });
}

void L2Normalize(const Case& golden, Produced& produced) {
  ForwardAndBackward(golden, produced, {"x"}, [&](const std::vector<Tensor>& inputs) {
    const lockstep::Axes axes =
        golden.HasParam("axis") ? lockstep::Axes(golden.Integers("axis")) : lockstep::Axes();
    return lockstep::L2Normalize(inputs[0], axes, golden.Param("epsilon", 1e-12));
  });
}

void BiasAdd(const Case& golden, Produced& produced) {
  ForwardAndBackward(golden, produced, {"x", "b"}, [](const std::vector<Tensor>& inputs) {
    return lockstep::BiasAdd(inputs[0], inputs[1]);
  });
}

void Moments(const Case& golden, Produced& produced) {
  const auto [mean, variance] = lockstep::Moments(golden.Input("x"), golden.Integers("axes"),
                                                  golden.Param("keepdims", false));
  produced["mean"] = mean;
  produced["variance"] = variance;
}

void LocalResponseNorm(const Case& golden, Produced& produced) {
  ForwardAndBackward(golden, produced, {"x"}, [&](const std::vector<Tensor>& inputs) {
    return lockstep::LocalResponseNormalization(
        inputs[0], {.depth_radius = golden.Param<int64_t>("depth_radius", 5),
                    .bias = golden.Param("bias", 1.0),
                    .alpha = golden.Param("alpha", 1.0),
                    .beta = golden.Param("beta", 0.5)});
  });
}

const RegisterGroup kNn("nn", {
                                  {"conv2d", Conv2D},
                                  {"depthwise_conv2d", DepthwiseConv2D},
                                  {"conv2d_transpose", Conv2DTranspose},
                                  {"conv1d", Conv1D},
                                  {"max_pool", Pool(lockstep::MaxPool)},
                                  {"avg_pool", Pool(lockstep::AvgPool)},
                                  {"softmax", Softmax},
                                  {"log_softmax", LogSoftmax},
                                  {"softmax_cross_entropy", SoftmaxCrossEntropy},
                                  {"sparse_softmax_cross_entropy",
                                   CrossEntropy(lockstep::SparseSoftmaxCrossEntropyWithLogits)},
                                  {"sigmoid_cross_entropy",
                                   CrossEntropy(lockstep::SigmoidCrossEntropyWithLogits)},
                                  {"l2_loss", L2Loss},
                                  {"l2_normalize", L2Normalize},
                                  {"bias_add", BiasAdd},
                                  {"moments", Moments},
                                  {"local_response_norm", LocalResponseNorm},
                              });

}  // namespace
}  // namespace golden
