#include "lockstep/ops/indexed_slices.h"

#include "ops/builder.h"

namespace lockstep {

namespace {

class WrappedSlices : public TensorObject {
 public:
  explicit WrappedSlices(IndexedSlices slices) : slices(std::move(slices)) {}
  const IndexedSlices slices;
};

}  // namespace

Tensor IndexedSlices::ToDense() const {
  return ops::Emit1("UnsortedSegmentSum", {values, indices}, {{"num_segments", dense_shape[0]}});
}

Tensor IndexedSlices::ToTensor() const {
  return Tensor::FromObject(std::make_shared<WrappedSlices>(*this), values.dtype(), dense_shape);
}

const IndexedSlices* IndexedSlices::Of(const Tensor& tensor) {
  if (!tensor.defined() || tensor.object() == nullptr) return nullptr;
  const auto* wrapped = dynamic_cast<const WrappedSlices*>(tensor.object().get());
  return wrapped == nullptr ? nullptr : &wrapped->slices;
}

}  // namespace lockstep
