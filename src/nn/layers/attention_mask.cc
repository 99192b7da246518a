#include "nn/layers/attention_mask.h"

#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"

namespace lockstep::nn {

AttentionInputs SplitAttentionInputs(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> values = inputs;
  AttentionInputs split;
  if (values.back().dtype() == DType::kBool) {
    split.mask = values.back();
    values.pop_back();
  }
  if (values.empty() || values.size() > 3) {
    throw Error(Code::kInvalidArgument,
                "query, value and perhaps a key are needed besides a mask; got " +
                    std::to_string(values.size()) + " tensors");
  }
  split.query = values[0];
  split.value = values.size() > 1 ? values[1] : values[0];
  split.key = values.size() > 2 ? values[2] : split.value;
  return split;
}

Tensor JoinMasks(const Tensor& mask, bool causal, int64_t queries, int64_t keys, int rank) {
  Tensor joined = mask;
  for (; joined.defined() && joined.rank() < rank;) {
    joined = ExpandDims(joined, joined.rank() == 2 ? 0 : 1);
  }
  if (!causal) return joined;
  std::vector<bool> seen;
  for (int64_t t = 0; t < queries; ++t) {
    for (int64_t s = 0; s < keys; ++s) seen.push_back(s <= t);
  }
  Shape shape{queries, keys};
  while (shape.rank() < rank) {
    std::vector<int64_t> sizes = shape.vector();
    sizes.insert(sizes.begin(), 1);
    shape = Shape(sizes);
  }
  const Tensor past = Tensor::FromBools(seen, shape);
  return joined.defined() ? LogicalAnd(joined, past) : past;
}

double Hidden(DType dtype) { return dtype == DType::kFloat16 ? -3e4 : -1e9; }

}  // namespace lockstep::nn
