#include "lockstep/ops/array.h"

#include <nanobind/stl/vector.h>

#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/structure.h"
#include "ops/check_numerics.h"
#include "python/bind.h"
#include "python/run_ops.h"

namespace lockstep::python {

namespace {

using Integers = std::vector<int64_t>;

Tensor Padded(const Tensor& input, const std::vector<Integers>& paddings, int mode,
              double constant) {
  std::vector<AxisPadding> pairs;
  for (const Integers& pair : paddings) pairs.push_back({pair.at(0), pair.at(1)});
  return Unlocked([&] { return Pad(input, pairs, static_cast<PadMode>(mode), constant); });
}

Tensor StridedSliceOf(const Tensor& input, const Integers& begin, const Integers& end,
                      const Integers& strides, const Integers& masks) {
  return Unlocked([&] {
    return StridedSlice(input, begin, end, strides,
                        {masks[0], masks[1], masks[2], masks[3], masks[4]});
  });
}

void BindMoves(nb::module_& m) {
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  m.def(
      "expand_dims", [](const Tensor& x, int axis) { return ExpandDims(x, axis); }, unlocked);
  m.def("squeeze", &Squeeze, unlocked);
  m.def("transpose", &Transpose, unlocked);
  m.def("concat", &Concat, unlocked);
  m.def("split", &Split, unlocked);
  m.def("split_v", &SplitV, unlocked);
  m.def("stack", &Stack, unlocked);
  m.def("unstack", &Unstack, unlocked);
  m.def("slice", &Slice, unlocked);
  m.def("strided_slice", &StridedSliceOf);
  m.def("pad", &Padded);
  m.def("tile", &Tile, unlocked);
  m.def("reverse", &Reverse, unlocked);
  m.def("identity", &Identity, unlocked);
  m.def("ensure_shape", &EnsureShape, unlocked);
  m.def("set_check_numerics", &ops::SetCheckNumerics);
  m.def("stop_gradient", &StopGradient, unlocked);
  m.def("reshape", &Reshape, unlocked);
  m.def("reshape_like", &ReshapeLike, unlocked);
  m.def("broadcast_to", &BroadcastTo, unlocked);
  m.def("broadcast_like", &BroadcastLike, unlocked);
  m.def("sum_like", &SumLike, unlocked);
  m.def("matrix_band_part", &MatrixBandPart, unlocked);
}

void BindPlaces(nb::module_& m) {
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  m.def(
      "gather",
      [](const Tensor& params, const Tensor& indices, int axis, int batch_dims) {
        return Gather(params, indices, {axis, batch_dims});
      },
      unlocked);
  m.def("gather_nd", &GatherNd, unlocked);
  m.def("scatter_nd", &ScatterNd, unlocked);
  m.def("tensor_scatter_update", &TensorScatterUpdate, unlocked);
  m.def("tensor_scatter_add", &TensorScatterAdd, unlocked);
  m.def("sparse_to_dense", &SparseToDense, unlocked);
  m.def("top_k", [](const Tensor& x, int64_t k) {
    TopKResult result = Unlocked([&] { return TopK(x, k); });
    return nb::make_tuple(result.values, result.indices);
  });
  m.def(
      "sort",
      [](const Tensor& x, int axis, bool falling) {
        return Sort(x, axis, falling ? SortDirection::kDescending : SortDirection::kAscending);
      },
      unlocked);
  m.def(
      "argsort",
      [](const Tensor& x, int axis, bool falling) {
        return ArgSort(x, axis, falling ? SortDirection::kDescending : SortDirection::kAscending);
      },
      unlocked);
  m.def(
      "where_true", [](const Tensor& x) { return Where(x); }, unlocked);
  m.def("boolean_mask", &BooleanMask, unlocked);
  m.def("unique", [](const Tensor& x) {
    UniqueResult result = Unlocked([&] { return Unique(x); });
    return nb::make_tuple(result.values, result.indices);
  });
  m.def("searchsorted", &SearchSorted, unlocked);
  m.def(
      "one_hot",
      [](const Tensor& indices, int64_t depth, double on, double off, int axis, DType dtype) {
        return OneHot(indices, depth, {on, off, axis, dtype});
      },
      unlocked);
}

}  // namespace

void BindArrayOps(nb::module_& m) {
  BindMoves(m);
  BindPlaces(m);
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  m.def("shape_of", &ShapeOf, unlocked);
  m.def("size_of", &SizeOf, unlocked);
  m.def("range", [](Arg start, Arg limit, Arg delta) {
    const Tensor from = start.Strong(), to = limit.Strong(), step = delta.Strong();
    return Unlocked([&] { return Range(from, to, step); });
  });
  m.def("linspace", &LinSpace, unlocked);
  m.def("fill", &Fill, unlocked);
  m.def("zeros", &Zeros, unlocked);
  m.def("ones", &Ones, unlocked);
  m.def("zeros_like", &Unary<ZerosLike>);
  m.def("ones_like", &Unary<OnesLike>);
}

}  // namespace lockstep::python
