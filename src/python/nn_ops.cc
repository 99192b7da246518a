#include "lockstep/ops/nn.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "lockstep/nn/loss.h"
#include "lockstep/ops/attention.h"
#include "lockstep/ops/convolution.h"
#include "lockstep/ops/normalization.h"
#include "lockstep/ops/pooling.h"
#include "python/bind.h"
#include "python/run_ops.h"

namespace lockstep::python {

namespace {

using Pair = std::array<int64_t, 2>;
using Four = std::array<int64_t, 4>;

ConvolutionOptions Windows(Pair strides, int padding, Pair dilations, Four explicit_paddings) {
  return {strides, static_cast<Padding>(padding), dilations, explicit_paddings};
}

void BindWindows(nb::module_& m) {
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  m.def(
      "conv2d",
      [](const Tensor& x, const Tensor& w, Pair strides, int padding, Pair dilations, Four sides) {
        return Conv2D(x, w, Windows(strides, padding, dilations, sides));
      },
      unlocked);
  m.def(
      "depthwise_conv2d",
      [](const Tensor& x, const Tensor& w, Pair strides, int padding, Pair dilations, Four sides) {
        return DepthwiseConv2D(x, w, Windows(strides, padding, dilations, sides));
      },
      unlocked);
  m.def(
      "conv2d_transpose",
      [](const Tensor& x, const Tensor& w, const std::vector<int64_t>& shape, Pair strides,
         int padding, Pair dilations, Four sides) {
        return Conv2DTranspose(x, w, shape, Windows(strides, padding, dilations, sides));
      },
      unlocked);
  m.def(
      "conv1d",
      [](const Tensor& x, const Tensor& w, int64_t stride, int padding, int64_t dilation) {
        return Conv1D(x, w, {stride, static_cast<Padding>(padding), dilation});
      },
      unlocked);
  m.def(
      "max_pool",
      [](const Tensor& x, Pair window, Pair strides, int padding, Four sides) {
        return MaxPool(x, window, {strides, static_cast<Padding>(padding), sides});
      },
      unlocked);
  m.def(
      "avg_pool",
      [](const Tensor& x, Pair window, Pair strides, int padding, Four sides) {
        return AvgPool(x, window, {strides, static_cast<Padding>(padding), sides});
      },
      unlocked);
}

}  // namespace

void BindNnOps(nb::module_& m) {
  BindWindows(m);
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  m.def("softmax", nb::overload_cast<const Tensor&, int64_t>(&Softmax), unlocked);
  m.def("log_softmax", &LogSoftmax, unlocked);
  m.def("softmax_cross_entropy", &SoftmaxCrossEntropyWithLogits, unlocked);
  m.def("sparse_softmax_cross_entropy", &SparseSoftmaxCrossEntropyWithLogits, unlocked);
  m.def("sigmoid_cross_entropy", &SigmoidCrossEntropyWithLogits, unlocked);
  m.def("in_top_k", &InTopK, unlocked);
  m.def(
      "layer_normalization",
      [](const Tensor& x, const Tensor& scale, const Tensor& offset, double epsilon) {
        return LayerNormalization(x, scale, offset, epsilon);
      },
      unlocked);
  m.def("moments", [](const Tensor& x, const std::vector<int64_t>& axes, bool keep_dims) {
    MeanAndVariance result = Unlocked([&] { return Moments(x, axes, keep_dims); });
    return nb::make_tuple(result.mean, result.variance);
  });
  m.def(
      "batch_normalization",
      [](Arg x, Arg mean, Arg variance, Arg offset, Arg scale, double epsilon) {
        const Tensor values = x.Strong(), m = mean.Strong(), v = variance.Strong();
        const Tensor o = offset.Optional(), s = scale.Optional();
        return Unlocked([&] { return BatchNormalization(values, m, v, o, s, epsilon); });
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg());
  m.def(
      "l2_normalize",
      [](const Tensor& x, const std::optional<std::vector<int64_t>>& axes, double epsilon) {
        return Unlocked([&] { return L2Normalize(x, axes ? Axes(*axes) : Axes(), epsilon); });
      },
      nb::arg(), nb::arg().none(), nb::arg());
  m.def(
      "local_response_normalization",
      [](const Tensor& x, int64_t radius, double bias, double alpha, double beta) {
        return LocalResponseNormalization(x, {radius, bias, alpha, beta});
      },
      unlocked);
  m.def(
      "dot_product_attention",
      [](const Tensor& q, const Tensor& k, const Tensor& v, bool causal, double scale) {
        return ScaledDotProductAttention(q, k, v, {causal, scale});
      },
      unlocked);
  m.def(
      "compute_average_loss",
      [](Arg values, Arg weight, std::optional<int64_t> global_batch_size) {
        const Tensor losses = values.Strong(), weights = weight.Optional();
        return Unlocked([&] { return ComputeAverageLoss(losses, weights, global_batch_size); });
      },
      nb::arg(), nb::arg().none(), nb::arg().none());
  m.def("scale_regularization_loss", &ScaleRegularizationLoss, unlocked);
}

}  // namespace lockstep::python
