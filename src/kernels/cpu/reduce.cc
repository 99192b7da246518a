#include "kernels/cpu/reduce.h"

namespace lockstep::kernels {

namespace {

// An array without elements may have axes that take minutes to walk: [2^40, 0]. What is reduced is
// as empty with 0 in their places.
Shape WithoutLongAxes(Shape shape, const bool* is_reduced) {
  constexpr int64_t kLong = int64_t{1} << 20;
  for (int i = 0; i < shape.rank(); ++i) {
    if (is_reduced[i] && shape[i] > kLong) shape.set_dim(i, 0);
  }
  return shape;
}

}  // namespace

ReducePlan::ReducePlan(const Shape& whole, std::span<const int64_t> axes, const LeafTable& offsets)
    : leaves(offsets) {
  bool is_reduced[Shape::kMaxRank] = {};
  for (int64_t axis : axes) is_reduced[axis] = true;
  const Shape shape = whole.num_elements() > 0 ? whole : WithoutLongAxes(whole, is_reduced);
  if (shape.rank() > 0 && shape[0] != whole[0]) leaves.clear();
  int64_t results = 1;
  for (int i = 0; i < shape.rank(); ++i) (is_reduced[i] ? reduced : results) *= shape[i];
  int first = 0;
  if (shape.rank() > 0 && is_reduced[0]) {
    has_rows = true;
    RequireLeaves(leaves, shape[0]);
    rows = {shape[0], shape.product(1, shape.rank()), results, false};
    // Reduced axes behind axis 0 lengthen the chain, unless all becomes one element.
    for (first = 1; first < shape.rank() && is_reduced[first] && results > 1; ++first) {
      rows.size *= shape[first];
      rows.stride = shape.product(first + 1, shape.rank());
      for (int64_t& offset : leaves) offset *= shape[first];
    }
  } else {
    leaves.clear();
  }
  int64_t stride = 1;
  int64_t inside = 1;
  for (int i = shape.rank() - 1; i >= first; --i) {
    const bool kept = !is_reduced[i];
    if (shape[i] == 1) continue;
    if (!levels.empty() && levels.front().kept == kept) {
      levels.front().size *= shape[i];
    } else {
      levels.insert(levels.begin(), {shape[i], stride, inside, kept});
    }
    stride *= shape[i];
    if (kept) inside *= shape[i];
  }
}

}  // namespace lockstep::kernels
