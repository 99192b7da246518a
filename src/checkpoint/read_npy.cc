#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

#include "base/file.h"
#include "checkpoint/element_bytes.h"
#include "checkpoint/npy_format.h"
#include "lockstep/checkpoint/npy.h"
#include "tensor/buffer.h"

namespace lockstep {
namespace checkpoint {

namespace {

Status DamagedNpy(const std::string& rule, const std::string& got, const std::string& path) {
  return Status(Code::kDataLoss,
                "[npy] " + rule + "; got " + got + " (" + path + "); write the file again");
}

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> sizes;
  std::string_view elements;
};

// Reads the Python dict of a header, which has three known keys.
class DictReader {
 public:
  explicit DictReader(std::string_view text) : rest_(text) {}

  bool Read(Header& header) {
    if (!Take("{")) return false;
    int keys = 0;
    while (!Take("}")) {
      std::string key;
      if (!Text(key) || !Take(":")) return false;
      if (key == "descr") {
        if (!Text(header.descr)) return false;
      } else if (key == "fortran_order") {
        header.fortran_order = Take("True");
        if (!header.fortran_order && !Take("False")) return false;
      } else if (key != "shape" || !Tuple(header.sizes)) {
        return false;
      }
      ++keys;
      Take(",");
    }
    Skip();
    return keys == 3 && rest_.empty();
  }

 private:
  void Skip() {
    const size_t next = rest_.find_first_not_of(" \n");
    rest_.remove_prefix(next == std::string_view::npos ? rest_.size() : next);
  }
  bool Take(std::string_view word) {
    Skip();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool Text(std::string& text) {
    Skip();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return false;
    text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool Tuple(std::vector<int64_t>& sizes) {
    if (!Take("(")) return false;
    while (!Take(")")) {
      Skip();
      int64_t size = 0;
      const auto parsed = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (parsed.ec != std::errc() || size < 0) return false;
      rest_.remove_prefix(parsed.ptr - rest_.data());
      Take("L");  // as Python 2 has written them
      sizes.push_back(size);
      if (!Take(",")) return Take(")");
    }
    return true;
  }

  std::string_view rest_;
};

Result<Header> ReadHeader(std::string_view bytes, const std::string& path) {
  if (!bytes.starts_with("\x93NUMPY")) {
    return Status(
        Code::kDataLoss,
        "[npy] an array begins with the bytes \\x93NUMPY; got another kind of file (" + path + ")");
  }
  if (bytes.size() < 12) return DamagedNpy("a header must be whole", "the end of the file", path);
  const int version = static_cast<uint8_t>(bytes[6]);
  if (version < 1 || version > 3) {
    return Status(Code::kUnimplemented, "[npy] the versions 1 to 3 are known; got " +
                                            std::to_string(version) + " (" + path + ")");
  }
  const size_t width = version == 1 ? 2 : 4;
  uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, width);
  bytes.remove_prefix(8 + width);
  if (length > bytes.size() || length > kMostNpyHeader - 12)
    return DamagedNpy("a header must be whole and at most 1 MiB long",
                      std::to_string(length) + " bytes", path);
  Header header;
  if (!DictReader(bytes.substr(0, length)).Read(header))
    return DamagedNpy("a header names descr, fortran_order and shape", "another", path);
  header.elements = bytes.substr(length);
  return header;
}

// A dtype of NumPy's: its kind, the bytes of an element, and whether the first byte is the largest.
struct Descr {
  char kind = 0;
  size_t size = 0;
  bool big_endian = false;
};

bool ParseDescr(std::string_view text, Descr& descr) {
  if (text.size() < 3 || std::string_view("<>|=").find(text[0]) == std::string_view::npos)
    return false;
  descr.big_endian = text[0] == '>';
  descr.kind = text[1];
  const auto parsed = std::from_chars(text.data() + 2, text.data() + text.size(), descr.size);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

DType DTypeFrom(const Descr& descr) {
  const auto is = [&](char kind, size_t size) { return descr.kind == kind && descr.size == size; };
  if (descr.kind == 'S' || descr.kind == 'U') return DType::kString;
  if (is('f', 4)) return DType::kFloat32;
  if (is('f', 8)) return DType::kFloat64;
  if (is('f', 2)) return DType::kFloat16;
  if (is('V', 2)) return DType::kBFloat16;
  if (is('i', 1)) return DType::kInt8;
  if (is('i', 2)) return DType::kInt16;
  if (is('i', 4)) return DType::kInt32;
  if (is('i', 8)) return DType::kInt64;
  if (is('u', 1)) return DType::kUInt8;
  if (is('b', 1)) return DType::kBool;
  return DType::kInvalid;
}

void AppendUtf8(uint32_t point, std::string& text) {
  const auto put = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) return put(point);
  if (point < 0x800) {
    put(0xc0 | point >> 6);
  } else {
    if (point < 0x10000) {
      put(0xe0 | point >> 12);
    } else {
      put(0xf0 | point >> 18);
      put(0x80 | (point >> 12 & 0x3f));
    }
    put(0x80 | (point >> 6 & 0x3f));
  }
  put(0x80 | (point & 0x3f));
}

// One string of fixed length; zeros at its end are padding. False for what is no Unicode.
bool ReadString(std::string_view element, const Descr& descr, std::string& text) {
  if (descr.kind == 'S') {
    const size_t last = element.find_last_not_of('\0');
    text = element.substr(0, last == std::string_view::npos ? 0 : last + 1);
    return true;
  }
  size_t zeros = 0;
  for (size_t at = 0; at + 4 <= element.size(); at += 4) {
    uint32_t point;
    std::memcpy(&point, element.data() + at, sizeof point);
    if (descr.big_endian) point = __builtin_bswap32(point);
    if (point > 0x10ffff) return false;
    if (point == 0) {
      ++zeros;
      continue;
    }
    text.append(std::exchange(zeros, 0), '\0');
    AppendUtf8(point, text);
  }
  return true;
}

// The bytes of one string.
size_t WidthOf(const Descr& descr) { return descr.kind == 'U' ? descr.size * 4 : descr.size; }

// Whether `bytes` are those of the elements. A count is compared before anything is multiplied.
bool ElementsFit(DType dtype, const Descr& descr, const Shape& shape, uint64_t bytes) {
  if (dtype != DType::kString) return BytesFit(dtype, shape, bytes);
  constexpr size_t kMostWidth = size_t{1} << 40;
  if (descr.size == 0 || descr.size > kMostWidth || bytes % WidthOf(descr) != 0) return false;
  return BytesFit(DType::kUInt8, shape, bytes / WidthOf(descr));
}

Result<Tensor> ReadStrings(const Header& header, const Descr& descr, const Shape& shape,
                           const std::string& path) {
  const size_t width = WidthOf(descr), count = header.elements.size() / width;
  std::vector<std::string> values(count);
  for (size_t i = 0; i < count; ++i) {
    if (!ReadString(header.elements.substr(i * width, width), descr, values[i]))
      return DamagedNpy("strings are Unicode", "other numbers", path);
  }
  return Tensor::FromStrings(values, shape);
}

void SwapBytes(char* elements, size_t count, size_t size) {
  for (size_t i = 0; i < count; ++i) std::reverse(elements + i * size, elements + (i + 1) * size);
}

// Elements whose first axis is the fastest into the order in which the last one is.
template <typename T>
void FromFortran(const T* from, T* to, const Shape& shape) {
  const int64_t count = shape.num_elements();
  std::vector<int64_t> place(shape.rank(), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = 0;
    for (int axis = 0; axis < shape.rank(); ++axis) at = at * shape[axis] + place[axis];
    to[at] = from[i];
    for (int axis = 0; axis < shape.rank() && ++place[axis] == shape[axis]; ++axis) place[axis] = 0;
  }
}

Tensor Reordered(const Tensor& tensor) {
  auto buffer = tensor::Buffer::Allocate(tensor.dtype(), tensor.num_elements());
  const auto move = [&](auto zero) {
    using T = decltype(zero);
    FromFortran(static_cast<const T*>(tensor.raw_data()), static_cast<T*>(buffer->data()),
                tensor.shape());
  };
  if (tensor.dtype() == DType::kString) {
    move(std::string());
  } else {
    switch (DTypeSize(tensor.dtype())) {
      case 1:
        move(uint8_t{});
        break;
      case 2:
        move(uint16_t{});
        break;
      case 4:
        move(uint32_t{});
        break;
      default:
        move(uint64_t{});
    }
  }
  return Tensor::FromBuffer(std::move(buffer), tensor.dtype(), tensor.shape());
}

struct Layout {
  Descr descr;
  DType dtype = DType::kInvalid;
  Shape shape;
};

// What the header says, checked against the number of bytes behind it.
Result<Layout> LayoutOf(const Header& header, uint64_t bytes, const std::string& path) {
  Layout layout;
  if (ParseDescr(header.descr, layout.descr)) layout.dtype = DTypeFrom(layout.descr);
  if (layout.dtype == DType::kInvalid || header.sizes.size() > Shape::kMaxRank) {
    return Status(Code::kUnimplemented,
                  "[npy] an array is of a dtype of Lockstep's and has at most 8 axes; got " +
                      header.descr + " with " + std::to_string(header.sizes.size()) + " axes (" +
                      path + "); convert it with NumPy's astype");
  }
  layout.shape = Shape(header.sizes);
  if (!ElementsFit(layout.dtype, layout.descr, layout.shape, bytes))
    return DamagedNpy("the file has the bytes of its elements, " + layout.shape.ToString(),
                      std::to_string(bytes), path);
  return layout;
}

}  // namespace

Result<Tensor> ParseNpy(std::string_view bytes, const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const Header header, ReadHeader(bytes, path));
  LOCKSTEP_ASSIGN_OR_RETURN(const Layout layout, LayoutOf(header, header.elements.size(), path));
  Tensor tensor;
  if (layout.dtype == DType::kString) {
    LOCKSTEP_ASSIGN_OR_RETURN(tensor, ReadStrings(header, layout.descr, layout.shape, path));
  } else {
    tensor =
        FromElementBytes(layout.dtype, layout.shape, std::as_bytes(std::span(header.elements)));
    if (layout.descr.big_endian)
      SwapBytes(static_cast<char*>(tensor.buffer()->data()), tensor.num_elements(),
                layout.descr.size);
  }
  return header.fortran_order && layout.shape.rank() > 1 ? Reordered(tensor) : tensor;
}

Result<TensorAbout> DescribeNpy(std::string_view start, uint64_t size, const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const Header header, ReadHeader(start, path));
  const uint64_t bytes = size - (header.elements.data() - start.data());
  LOCKSTEP_ASSIGN_OR_RETURN(const Layout layout, LayoutOf(header, bytes, path));
  return TensorAbout{"", layout.dtype, layout.shape, static_cast<int64_t>(bytes)};
}

}  // namespace checkpoint

Result<Tensor> ReadNpy(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string bytes, base::ReadWholeFile(base::LocalFiles(), path));
  return checkpoint::ParseNpy(bytes, path);
}

}  // namespace lockstep
