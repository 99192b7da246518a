#include "lockstep/ops/nn.h"
#include "gradients.h"
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

Padding PaddingOf(const Case& golden) {
  const auto padding = golden.Param<std::string>("padding", "VALID");
  return padding == "SAME" || padding == "same" ? Padding::kSame : Padding::kValid;
}

lockstep::ConvolutionOptions Convolution(const Case& golden) {
  return {.strides = Pair(golden, "strides"),
          .padding = PaddingOf(golden),
          .dilations = Pair(golden, "dilations")};
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
    return lockstep::Conv1D(inputs[0], inputs[1],
                            {.stride = golden.Param<int64_t>("stride", 1),
                             .padding = PaddingOf(golden),
                             .dilation = golden.Param<int64_t>("dilations", 1)});
  });
}

Handler Pool(Tensor (*function)(const Tensor&, std::array<int64_t, 2>,
                                const lockstep::PoolingOptions&)) {
  return [function](const Case& golden, Produced& produced) {
    ForwardAndBackward(golden, produced, {"x"}, [&](const std::vector<Tensor>& inputs) {
      return function(inputs[0], Pair(golden, "ksize"),
                      {.strides = Pair(golden, "strides"), .padding = PaddingOf(golden)});
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

const RegisterGroup kNn(
    "nn", {
              {"conv2d", Conv2D},
              {"depthwise_conv2d", DepthwiseConv2D},
              {"conv2d_transpose", Conv2DTranspose},
              {"conv1d", Conv1D},
              {"max_pool", Pool(lockstep::MaxPool)},
              {"avg_pool", Pool(lockstep::AvgPool)},
              {"softmax", Softmax},
              {"log_softmax", LogSoftmax},
              {"softmax_cross_entropy", CrossEntropy(lockstep::SoftmaxCrossEntropyWithLogits)},
              {"sparse_softmax_cross_entropy",
               CrossEntropy(lockstep::SparseSoftmaxCrossEntropyWithLogits)},
              {"sigmoid_cross_entropy", CrossEntropy(lockstep::SigmoidCrossEntropyWithLogits)},
              {"l2_loss", L2Loss},
              {"l2_normalize", L2Normalize},
              {"bias_add", BiasAdd},
              {"moments", Moments},
              {"local_response_norm", LocalResponseNorm},
          });

}  // namespace
}  // namespace golden
