#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "lockstep/ops/activation.h"
#include "lockstep/ops/bits.h"
#include "lockstep/ops/clip.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "python/bind.h"
#include "python/run_ops.h"

namespace lockstep::python {

namespace {

using AxisList = std::optional<std::vector<int64_t>>;
Axes AxesOf(const AxisList& axes) { return axes ? Axes(*axes) : Axes(); }

template <auto kFunction>
Tensor Reduced(const Tensor& x, const AxisList& axes, bool keep_dims) {
  return Unlocked([&] { return kFunction(x, AxesOf(axes), keep_dims); });
}

void BindArithmetic(nb::module_& m) {
  m.def("add", &Binary<Add>);
  m.def("subtract", &Binary<Subtract>);
  m.def("multiply", &Binary<Multiply>);
  m.def("divide", &Binary<Divide>);
  m.def("divide_no_nan", &Binary<DivideNoNan>);
  m.def("maximum", &Binary<Maximum>);
  m.def("minimum", &Binary<Minimum>);
  m.def("squared_difference", &Binary<SquaredDifference>);
  m.def("pow", &Binary<Pow>);
  m.def("atan2", &Binary<Atan2>);
  m.def("floordiv", &Binary<FloorDiv>);
  m.def("floormod", &Binary<FloorMod>);
  m.def("truncatediv", &Binary<TruncateDiv>);
  m.def("truncatemod", &Binary<TruncateMod>);
  m.def("equal", &Binary<Equal>);
  m.def("not_equal", &Binary<NotEqual>);
  m.def("less", &Binary<Less>);
  m.def("less_equal", &Binary<LessEqual>);
  m.def("greater", &Binary<Greater>);
  m.def("greater_equal", &Binary<GreaterEqual>);
  m.def("logical_and", &Binary<LogicalAnd>);
  m.def("logical_or", &Binary<LogicalOr>);
  m.def("logical_not", &Unary<LogicalNot>);
  m.def("bitwise_and", &Binary<BitwiseAnd>);
  m.def("bitwise_or", &Binary<BitwiseOr>);
  m.def("bitwise_xor", &Binary<BitwiseXor>);
  m.def("left_shift", &Binary<LeftShift>);
  m.def("right_shift", &Binary<RightShift>);
  m.def("invert", &Unary<Invert>);
  m.def("where", [](Arg condition, Arg a, Arg b) {
    const Tensor mask = condition.Strong();
    const auto branches = Operands(a, b);
    return Unlocked([&] { return Where(mask, branches.first, branches.second); });
  });
}

void BindElementary(nb::module_& m) {
  m.def("negative", &Unary<Negative>);
  m.def("square", &Unary<Square>);
  m.def("abs", &Unary<Abs>);
  m.def("sign", &Unary<Sign>);
  m.def("reciprocal", &Unary<Reciprocal>);
  m.def("sqrt", &Unary<Sqrt>);
  m.def("rsqrt", &Unary<Rsqrt>);
  m.def("floor", &Unary<Floor>);
  m.def("ceil", &Unary<Ceil>);
  m.def("round", &Unary<Round>);
  m.def("rint", &Unary<Rint>);
  m.def("exp", &Unary<Exp>);
  m.def("expm1", &Unary<Expm1>);
  m.def("log", &Unary<Log>);
  m.def("log1p", &Unary<Log1p>);
  m.def("sin", &Unary<Sin>);
  m.def("cos", &Unary<Cos>);
  m.def("tan", &Unary<Tan>);
  m.def("asin", &Unary<Asin>);
  m.def("acos", &Unary<Acos>);
  m.def("atan", &Unary<Atan>);
  m.def("sinh", &Unary<Sinh>);
  m.def("cosh", &Unary<Cosh>);
  m.def("tanh", &Unary<Tanh>);
  m.def("asinh", &Unary<Asinh>);
  m.def("acosh", &Unary<Acosh>);
  m.def("atanh", &Unary<Atanh>);
  m.def("erf", &Unary<Erf>);
  m.def("erfc", &Unary<Erfc>);
  m.def("sigmoid", &Unary<Sigmoid>);
  m.def("lgamma", &Unary<Lgamma>);
  m.def("digamma", &Unary<Digamma>);
  m.def("is_nan", &Unary<IsNan>);
  m.def("is_inf", &Unary<IsInf>);
  m.def("is_finite", &Unary<IsFinite>);
  m.def("polygamma", [](int order, const Tensor& x) { return Polygamma(order, x); });
  m.def("cast", &Cast, nb::call_guard<nb::gil_scoped_release>());
  m.def("add_n", &AddN, nb::call_guard<nb::gil_scoped_release>());
}

void BindActivations(nb::module_& m) {
  m.def("relu", &Unary<Relu>);
  m.def("relu6", &Unary<Relu6>);
  m.def("selu", &Unary<Selu>);
  m.def("softplus", &Unary<Softplus>);
  m.def("softsign", &Unary<Softsign>);
  m.def("silu", &Unary<Silu>);
  m.def("mish", &Unary<Mish>);
  m.def("hard_sigmoid", &Unary<HardSigmoid>);
  m.def("log_sigmoid", &Unary<LogSigmoid>);
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  m.def("leaky_relu", &LeakyRelu, unlocked);
  m.def("elu", &Elu, unlocked);
  m.def("gelu", &Gelu, unlocked);
}

void BindReductions(nb::module_& m) {
  m.def("reduce_sum", &Reduced<ReduceSum>, nb::arg(), nb::arg().none(), nb::arg());
  m.def("reduce_mean", &Reduced<ReduceMean>, nb::arg(), nb::arg().none(), nb::arg());
  m.def("reduce_max", &Reduced<ReduceMax>, nb::arg(), nb::arg().none(), nb::arg());
  m.def("reduce_min", &Reduced<ReduceMin>, nb::arg(), nb::arg().none(), nb::arg());
  m.def("reduce_prod", &Reduced<ReduceProd>, nb::arg(), nb::arg().none(), nb::arg());
  m.def("reduce_all", &Reduced<ReduceAll>, nb::arg(), nb::arg().none(), nb::arg());
  m.def("reduce_any", &Reduced<ReduceAny>, nb::arg(), nb::arg().none(), nb::arg());
  m.def("reduce_logsumexp", &Reduced<ReduceLogSumExp>, nb::arg(), nb::arg().none(), nb::arg());
  m.def("reduce_variance", &Reduced<ReduceVariance>, nb::arg(), nb::arg().none(), nb::arg());
  m.def("reduce_std", &Reduced<ReduceStd>, nb::arg(), nb::arg().none(), nb::arg());
  m.def("reduce_euclidean_norm", &Reduced<ReduceEuclideanNorm>, nb::arg(), nb::arg().none(),
        nb::arg());
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  m.def("l2_loss", &L2Loss, unlocked);
  m.def("global_norm", &GlobalNorm, unlocked);
  m.def(
      "cumsum",
      [](const Tensor& x, int axis, bool exclusive, bool reverse) {
        return Cumsum(x, axis, {exclusive, reverse});
      },
      unlocked);
  m.def(
      "cumprod",
      [](const Tensor& x, int axis, bool exclusive, bool reverse) {
        return Cumprod(x, axis, {exclusive, reverse});
      },
      unlocked);
  m.def("unsorted_segment_sum", &UnsortedSegmentSum, unlocked);
  m.def("segment_sum", &SegmentSum, unlocked);
  m.def("argmax", &ArgMax, unlocked);
  m.def("argmin", &ArgMin, unlocked);
}

}  // namespace

void BindMathOps(nb::module_& m) {
  BindArithmetic(m);
  BindElementary(m);
  BindActivations(m);
  BindReductions(m);
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  m.def("matmul", &MatMul, unlocked);
  m.def("einsum", &Einsum, unlocked);
  m.def("bias_add", &BiasAdd, unlocked);
  m.def("clip_by_value", &ClipByValue, unlocked);
  m.def(
      "clip_by_norm",
      [](const Tensor& x, const Tensor& norm, const AxisList& axes) {
        return Unlocked([&] { return ClipByNorm(x, norm, AxesOf(axes)); });
      },
      nb::arg(), nb::arg(), nb::arg().none());
  m.def("clip_by_global_norm", [](nb::object tensors, const Tensor& norm) {
    const std::vector<Tensor> list = TensorsOf(tensors);
    auto [clipped, total] = Unlocked([&] { return ClipByGlobalNorm(list, norm); });
    nb::list result;
    for (const Tensor& one : clipped) result.append(one.defined() ? nb::cast(one) : nb::none());
    return nb::make_tuple(result, total);
  });
}

}  // namespace lockstep::python
