// LookupTableFind.

#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/texts.h"
#include "kernels/kernel.h"
#include "ops/lookup_values.h"

namespace lockstep::kernels {
namespace {

using ops::LookupValues;

// The elements of `values` at `places`, for -1 the scalar `other`.
template <typename T>
Tensor Take(const Tensor& values, const Tensor& other, std::span<const int64_t> places,
            const Shape& shape) {
  const auto* in = static_cast<const T*>(values.raw_data());
  const auto* unknown = static_cast<const T*>(other.raw_data());
  return Filled<T>(values.dtype(), shape, [&](T* out) {
    for (size_t i = 0; i < places.size(); ++i) out[i] = places[i] < 0 ? *unknown : in[places[i]];
  });
}

Tensor TakeOf(const Tensor& values, const Tensor& other, std::span<const int64_t> places,
              const Shape& shape) {
  if (values.dtype() == DType::kString) return Take<std::string>(values, other, places, shape);
  switch (DTypeSize(values.dtype())) {
    case 1:
      return Take<uint8_t>(values, other, places, shape);
    case 2:
      return Take<uint16_t>(values, other, places, shape);
    case 4:
      return Take<uint32_t>(values, other, places, shape);
    default:
      return Take<uint64_t>(values, other, places, shape);
  }
}

template <typename Key>
Tensor FindEach(const LookupValues& table, const Tensor& keys) {
  const auto all = keys.data<Key>();
  std::vector<int64_t> places(all.size());
  table.Find(all, places.data());
  if (table.unknown().buckets == 0)
    return TakeOf(table.values(), table.unknown().value, places, keys.shape());
  const auto values = table.values().data<int64_t>();
  return Filled<int64_t>(DType::kInt64, keys.shape(), [&](int64_t* out) {
    for (size_t i = 0; i < all.size(); ++i)
      out[i] = places[i] < 0 ? table.Bucket(all[i]) : values[places[i]];
  });
}

std::vector<Tensor> Find(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  (void)InferOf("LookupTableFind", attributes, inputs);
  const LookupValues& table = LookupValues::Of(attributes);
  return {inputs[0].dtype() == DType::kString ? FindEach<std::string>(table, inputs[0])
                                              : FindEach<int64_t>(table, inputs[0])};
}
const RegisterValueFunction kFind("LookupTableFind", Find);

}  // namespace
}  // namespace lockstep::kernels
