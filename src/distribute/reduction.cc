#include "distribute/reduction.h"

#include "collectives/tree.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "ops/builder.h"

namespace lockstep::distribute {

namespace {

Tensor SumOf(const std::vector<Tensor>& values, collectives::Node node) {
  if (node.size() == 1) return values[node.begin];
  return ops::Emit1("AddV2", {SumOf(values, collectives::LeftChild(node)),
                              SumOf(values, collectives::RightChild(node))});
}

}  // namespace

void RequireAlike(const std::vector<Tensor>& values, const char* where) {
  for (size_t r = 1; r < values.size(); ++r) {
    if (!values[r].defined()) continue;
    for (size_t q = 0; q < r; ++q) {
      if (!values[q].defined()) continue;
      if (values[q].dtype() == values[r].dtype() &&
          values[q].shape().CompatibleWith(values[r].shape())) {
        break;
      }
      throw Error(Code::kInvalidArgument,
                  std::string("[") + where +
                      "] dtypes and shapes must agree across replicas; got " +
                      std::string(DTypeName(values[q].dtype())) + values[q].shape().ToString() +
                      " and " + std::string(DTypeName(values[r].dtype())) +
                      values[r].shape().ToString() + " (replicas " + std::to_string(q) + " and " +
                      std::to_string(r) + " of " + std::to_string(values.size()) + ")");
    }
  }
}

Tensor TreeSum(const std::vector<Tensor>& values) {
  return SumOf(values, collectives::Root(static_cast<collectives::Leaf>(values.size())));
}

Tensor DividedBy(const Tensor& value, int64_t count) {
  if (count == 1) return value;
  if (IsFloating(value.dtype())) return value / static_cast<double>(count);
  return Cast(Cast(value, DType::kFloat64) / static_cast<double>(count), value.dtype());
}

Tensor Combine(ReduceOp op, const std::vector<Tensor>& given, const char* where) {
  RequireAlike(given, where);
  std::vector<Tensor> present, slice_values, slice_indices;
  Shape dense_shape;
  for (const Tensor& value : given) {
    if (!value.defined()) continue;
    present.push_back(value);
    if (const IndexedSlices* slices = IndexedSlices::Of(value)) {
      slice_values.push_back(slices->values);
      slice_indices.push_back(slices->indices);
      dense_shape = slices->dense_shape;
    }
  }
  if (present.empty()) return Tensor();
  const int64_t divisor = op == ReduceOp::kMean ? static_cast<int64_t>(present.size()) : 1;
  if (slice_values.size() == present.size()) {
    if (present.size() == 1) return present[0];
    return IndexedSlices{DividedBy(Concat(slice_values, 0), divisor), Concat(slice_indices, 0),
                         dense_shape}
        .ToTensor();
  }
  return DividedBy(TreeSum(present), divisor);
}

}  // namespace lockstep::distribute
