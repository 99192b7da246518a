#include "tensor/tensor_proto.h"

#include <cstring>
#include <vector>

#include "tensor/buffer.h"

namespace lockstep::tensor {

namespace {

using base::WireReader;
using base::WireType;
using base::WireWriter;

// What the message of a tensor says, elements still in their fields.
struct Parts {
  DType dtype = DType::kInvalid;
  Shape shape;
  std::string_view content;
  std::vector<std::string_view> strings;
  std::vector<uint64_t> numbers;  // of all other fields, as the wire has them
};

// The field that holds the elements of a dtype, by its number and the form of one element.
struct Place {
  int field = 0;
  WireType type = WireType::kVarint;
};

Place PlaceOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return {5, WireType::kFixed32};
    case DType::kFloat64:
      return {6, WireType::kFixed64};
    case DType::kInt64:
      return {10, WireType::kVarint};
    case DType::kBool:
      return {11, WireType::kVarint};
    case DType::kFloat16:
    case DType::kBFloat16:
      return {13, WireType::kVarint};
    default:
      return {7, WireType::kVarint};
  }
}

// Elements one by one or packed.
bool TakeNumbers(const WireReader& reader, WireType form, std::vector<uint64_t>& numbers) {
  if (reader.type() == form) {
    numbers.push_back(reader.number());
    return true;
  }
  if (reader.type() != WireType::kBytes) return false;
  std::string_view rest = reader.bytes();
  const size_t size = form == WireType::kFixed32 ? 4 : 8;
  while (!rest.empty()) {
    uint64_t number = 0;
    if (form == WireType::kVarint) {
      if (!base::TakeVarint(rest, number)) return false;
    } else {
      if (rest.size() < size) return false;
      std::memcpy(&number, rest.data(), size);
      rest.remove_prefix(size);
    }
    numbers.push_back(number);
  }
  return true;
}

bool ReadParts(std::string_view bytes, Parts& parts) {
  for (WireReader reader(bytes); reader.Next();) {  // the dtype says which field holds elements
    if (reader.Is(1, WireType::kVarint) && IsElementDType(reader.number()))
      parts.dtype = static_cast<DType>(reader.number());
  }
  if (parts.dtype == DType::kInvalid) return false;
  const Place place = PlaceOf(parts.dtype);
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(2, WireType::kBytes)) {
      const auto shape = ParseShapeProto(reader.bytes());
      if (!shape || !shape->fully_known()) return false;
      parts.shape = *shape;
    } else if (reader.Is(4, WireType::kBytes)) {
      parts.content = reader.bytes();
    } else if (reader.Is(8, WireType::kBytes)) {
      parts.strings.push_back(reader.bytes());
    } else if (reader.field() == place.field) {
      if (!TakeNumbers(reader, place.type, parts.numbers)) return false;
    }
  }
  return !reader.broken();
}

// One element may stand for all: then the message is small and the tensor is not. This much.
constexpr int64_t kMostRepeated = int64_t{1} << 24;

template <typename T>
std::optional<int64_t> CountFor(const Parts& parts, const std::vector<T>& given) {
  const auto size = static_cast<int64_t>(given.size());
  const auto count = ElementsUpTo(parts.shape, std::max(kMostRepeated, size));
  if (!count || size > *count || (size == 0 && *count > 0)) return std::nullopt;
  return count;
}

std::optional<Tensor> FromStringParts(const Parts& parts) {
  const auto count = CountFor(parts, parts.strings);
  if (!count) return std::nullopt;
  std::vector<std::string> values(parts.strings.begin(), parts.strings.end());
  if (*count > 0) values.resize(*count, values.back());
  return Tensor::FromStrings(values, parts.shape);
}

}  // namespace

std::optional<int64_t> ElementsUpTo(const Shape& shape, int64_t most) {
  int64_t count = 1;
  for (const int64_t size : shape.sizes()) {
    if (size == 0) return 0;
  }
  for (const int64_t size : shape.sizes()) {
    if (__builtin_mul_overflow(count, size, &count) || count > most) return std::nullopt;
  }
  return count;
}

bool IsElementDType(uint64_t number) {
  return (number >= 1 && number <= 7) || number == 9 || number == 10 || number == 14 ||
         number == 19;
}

std::string ShapeProto(const Shape& shape) {
  WireWriter proto;
  for (const int64_t size : shape.sizes()) {
    WireWriter dim;
    if (size != 0) dim.Signed(1, size);
    proto.Message(2, dim);
  }
  return std::move(proto).bytes();
}

std::optional<Shape> ParseShapeProto(std::string_view bytes) {
  Shape shape;
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(3, WireType::kVarint) && reader.number() != 0) return std::nullopt;
    if (!reader.Is(2, WireType::kBytes)) continue;
    int64_t size = 0;
    WireReader dim(reader.bytes());
    while (dim.Next()) {
      if (dim.Is(1, WireType::kVarint)) size = dim.integer();
    }
    if (dim.broken() || size < Shape::kUnknown || shape.rank() == Shape::kMaxRank)
      return std::nullopt;
    shape.Append(size);
  }
  if (reader.broken()) return std::nullopt;
  return shape;
}

std::string TensorProto(const Tensor& tensor) {
  WireWriter proto;
  proto.Varint(1, static_cast<uint64_t>(tensor.dtype())).Bytes(2, ShapeProto(tensor.shape()));
  if (tensor.dtype() == DType::kString) {
    for (const std::string& value : tensor.data<std::string>()) proto.Bytes(8, value);
  } else if (tensor.num_bytes() > 0) {
    proto.Bytes(4, {static_cast<const char*>(tensor.raw_data()), tensor.num_bytes()});
  }
  return std::move(proto).bytes();
}

std::optional<Tensor> ParseTensorProto(std::string_view bytes) {
  Parts parts;
  if (!ReadParts(bytes, parts)) return std::nullopt;
  if (parts.dtype == DType::kString) return FromStringParts(parts);
  const auto size = static_cast<int64_t>(DTypeSize(parts.dtype));
  std::optional<int64_t> count;
  if (!parts.content.empty()) {
    const auto bytes_there = static_cast<int64_t>(parts.content.size());
    count = ElementsUpTo(parts.shape, bytes_there / size);
    if (!count || *count * size != bytes_there) return std::nullopt;
  } else {
    count = CountFor(parts, parts.numbers);
  }
  if (!count) return std::nullopt;
  auto buffer = Buffer::Allocate(parts.dtype, *count);
  auto* out = static_cast<char*>(buffer->data());
  if (!parts.content.empty()) {
    std::memcpy(out, parts.content.data(), parts.content.size());
  } else {
    for (int64_t i = 0; i < *count; ++i) {  // little-endian: the low bytes come first
      const size_t from = std::min<size_t>(i, parts.numbers.size() - 1);
      std::memcpy(out + i * size, &parts.numbers[from], size);
    }
  }
  return Tensor::FromBuffer(std::move(buffer), parts.dtype, parts.shape);
}

}  // namespace lockstep::tensor
