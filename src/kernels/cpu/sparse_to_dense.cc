// SparseToDense.

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/texts.h"
#include "kernels/kernel.h"
#include "tensor/sizes.h"

namespace lockstep::kernels {
namespace {

std::string PlaceText(std::span<const int64_t> place) { return tensor::ListText(place); }

[[noreturn]] void RefusePlace(const Shape& shape, size_t number, std::span<const int64_t> place,
                              const std::string& what) {
  throw Error(Code::kInvalidArgument, "[SparseToDense] places must lie within " + shape.ToString() +
                                          " and rise; got places of which indices[" +
                                          std::to_string(number) + "] = " + PlaceText(place) +
                                          " is " + what);
}

// The places as single numbers, row-major.
std::vector<int64_t> FlatPlaces(const Tensor& indices, const Shape& shape, bool ordered) {
  const auto all = indices.data<int64_t>();
  const auto rank = static_cast<size_t>(shape.rank());
  std::vector<int64_t> flat(static_cast<size_t>(indices.shape()[0]));
  for (size_t i = 0; i < flat.size(); ++i) {
    const auto place = all.subspan(i * rank, rank);
    for (size_t axis = 0; axis < rank; ++axis) {
      const int64_t size = shape[static_cast<int>(axis)];
      if (place[axis] < 0 || place[axis] >= size) RefusePlace(shape, i, place, "out of bounds");
      flat[i] = flat[i] * size + place[axis];
    }
    if (!ordered || i == 0 || flat[i] > flat[i - 1]) continue;
    if (flat[i] == flat[i - 1]) RefusePlace(shape, i, place, "repeated");
    RefusePlace(shape, i, place, "out of order; sort them by tf.sparse.reorder");
  }
  return flat;
}

template <typename T>
Tensor Spread(const Tensor& values, const Tensor& other, std::span<const int64_t> places,
              const Shape& shape) {
  const auto* in = static_cast<const T*>(values.raw_data());
  const auto* rest = static_cast<const T*>(other.raw_data());
  return Filled<T>(values.dtype(), shape, [&](T* out) {
    std::fill(out, out + shape.num_elements(), *rest);
    for (size_t i = 0; i < places.size(); ++i) out[places[i]] = in[i];
  });
}

Shape DenseShape(const Tensor& sizes) {
  Shape shape;
  for (const int64_t size : sizes.data<int64_t>()) {
    if (size < 0) {
      throw Error(Code::kInvalidArgument, "[SparseToDense] sizes must be >= 0; got dense_shape " +
                                              PlaceText(sizes.data<int64_t>()));
    }
    shape.Append(size);
  }
  (void)tensor::ProductOfSizes(shape.sizes(), "SparseToDense");
  return shape;
}

std::vector<Tensor> ToDense(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  (void)InferOf("SparseToDense", attributes, inputs);
  const Shape shape = DenseShape(inputs[1]);
  const auto places = FlatPlaces(inputs[0], shape, attributes.Get<bool>("validate_indices"));
  const Tensor &values = inputs[2], &other = inputs[3];
  if (values.dtype() == DType::kString) return {Spread<std::string>(values, other, places, shape)};
  switch (DTypeSize(values.dtype())) {
    case 1:
      return {Spread<uint8_t>(values, other, places, shape)};
    case 2:
      return {Spread<uint16_t>(values, other, places, shape)};
    case 4:
      return {Spread<uint32_t>(values, other, places, shape)};
    default:
      return {Spread<uint64_t>(values, other, places, shape)};
  }
}
const RegisterValueFunction kToDense("SparseToDense", ToDense);

}  // namespace
}  // namespace lockstep::kernels
