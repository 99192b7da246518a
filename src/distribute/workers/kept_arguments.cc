#include "distribute/workers/kept_arguments.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "cluster/fields.h"
#include "tensor/buffer.h"
#include "tensor/origins.h"

namespace lockstep::distribute {

namespace {

constexpr size_t kMostCopied = 1024;

bool IsWorthACopy(const Tensor& argument) {
  return argument.defined() && argument.buffer() != nullptr && argument.dtype() != DType::kString &&
         argument.num_bytes() <= kMostCopied && !argument.is_weak() && !tensor::HasOrigin(argument);
}

// Bytes that hold each of the values, if none is negative.
size_t WidthFor(std::span<const int64_t> values) {
  uint64_t all = 0;
  for (const int64_t value : values) all |= static_cast<uint64_t>(value);
  return all <= UINT16_MAX ? 2 : all <= UINT32_MAX ? 4 : 8;
}

template <typename To, typename From>
void Convert(const void* from, size_t count, void* to) {
  const auto* values = static_cast<const From*>(from);
  std::copy(values, values + count, static_cast<To*>(to));
}

void Put(const Tensor& argument, cluster::FieldWriter* copies) {
  const DType dtype = argument.dtype();
  const auto count = static_cast<size_t>(argument.num_elements());
  const size_t width =
      dtype == DType::kInt64 ? WidthFor(argument.data<int64_t>()) : DTypeSize(dtype);
  copies->Put(static_cast<uint8_t>(dtype)).Put(static_cast<uint8_t>(width));
  copies->Put(static_cast<uint8_t>(argument.rank()));
  for (const int64_t size : argument.shape().sizes()) copies->Put(size);
  alignas(8) char elements[kMostCopied];
  if (width == DTypeSize(dtype)) {
    if (count > 0) std::memcpy(elements, argument.raw_data(), count * width);
  } else if (width == 2) {
    Convert<uint16_t, int64_t>(argument.raw_data(), count, elements);
  } else {
    Convert<uint32_t, int64_t>(argument.raw_data(), count, elements);
  }
  copies->PutText({elements, count * width});
}

Tensor Take(DType dtype, cluster::FieldReader* copies) {
  const size_t width = copies->Take<uint8_t>();
  Shape shape;
  for (int left = copies->Take<uint8_t>(); left > 0; --left) shape.Append(copies->Take<int64_t>());
  const auto count = static_cast<size_t>(shape.num_elements());
  const std::string elements(copies->TakeView());  // aligned
  auto buffer = tensor::Buffer::Allocate(dtype, count);
  if (width == DTypeSize(dtype)) {
    if (count > 0) std::memcpy(buffer->data(), elements.data(), elements.size());
  } else if (width == 2) {
    Convert<int64_t, uint16_t>(elements.data(), count, buffer->data());
  } else {
    Convert<int64_t, uint32_t>(elements.data(), count, buffer->data());
  }
  return Tensor::FromBuffer(std::move(buffer), dtype, shape);
}

}  // namespace

KeptArguments::KeptArguments(std::span<const Tensor> arguments, const KeptArguments& before) {
  cluster::FieldWriter copies;
  std::vector<Tensor> themselves;
  for (const Tensor& argument : arguments) {
    if (IsWorthACopy(argument)) {
      Put(argument, &copies);
    } else {
      copies.Put(static_cast<uint8_t>(DType::kInvalid));
      themselves.push_back(argument);
    }
  }
  copies_ = copies.Take();
  copies_.shrink_to_fit();
  if (themselves.empty()) return;
  const bool are_the_same =
      std::ranges::equal(themselves, before.themselves(),
                         [](const Tensor& a, const Tensor& b) { return a.id() == b.id(); });
  themselves_ = are_the_same ? before.themselves_
                             : std::make_shared<const std::vector<Tensor>>(std::move(themselves));
}

std::vector<Tensor> KeptArguments::Get() const {
  std::vector<Tensor> arguments;
  cluster::FieldReader copies(copies_);
  auto itself = themselves().begin();
  while (!copies.rest().empty()) {
    const auto dtype = static_cast<DType>(copies.Take<uint8_t>());
    arguments.push_back(dtype == DType::kInvalid ? *itself++ : Take(dtype, &copies));
  }
  return arguments;
}

std::span<const Tensor> KeptArguments::themselves() const {
  if (themselves_ == nullptr) return {};
  return *themselves_;
}

}  // namespace lockstep::distribute
