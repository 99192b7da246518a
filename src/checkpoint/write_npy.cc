#include <algorithm>

#include "base/file.h"
#include "checkpoint/npy_format.h"
#include "checkpoint/write_files.h"
#include "lockstep/checkpoint/npy.h"

namespace lockstep {
namespace checkpoint {

namespace {

constexpr size_t kNpyAlignment = 64;

size_t LongestString(const Tensor& tensor) {
  size_t longest = 1;  // NumPy has no strings of zero bytes
  for (const std::string& text : tensor.data<std::string>())
    longest = std::max(longest, text.size());
  return longest;
}

std::string Descr(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kFloat32:
      return "<f4";
    case DType::kFloat64:
      return "<f8";
    case DType::kFloat16:
      return "<f2";
    case DType::kBFloat16:
      return "<V2";
    case DType::kInt8:
      return "|i1";
    case DType::kInt16:
      return "<i2";
    case DType::kInt32:
      return "<i4";
    case DType::kInt64:
      return "<i8";
    case DType::kUInt8:
      return "|u1";
    case DType::kBool:
      return "|b1";
    default:
      return "|S" + std::to_string(LongestString(tensor));
  }
}

std::string Tuple(const Shape& shape) {
  std::string text = "(";
  for (int axis = 0; axis < shape.rank(); ++axis) {
    text += (axis > 0 ? ", " : "") + std::to_string(shape[axis]);
  }
  return text + (shape.rank() == 1 ? ",)" : ")");
}

}  // namespace

Result<std::string> NpyHeader(const Tensor& tensor) {
  if (!tensor.defined() || tensor.is_symbolic() || tensor.dtype() == DType::kResource) {
    return Status(Code::kInvalidArgument,
                  "[npy] only values can be written; got a tensor without elements");
  }
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.data<std::string>()) {
      if (text.empty() || text.back() != '\0') continue;
      return Status(Code::kInvalidArgument,
                    "[npy] NumPy's strings do not end with a zero byte; got one of " +
                        std::to_string(text.size()) + " bytes that does; write a tensor bundle");
    }
  }
  std::string dict = "{'descr': '" + Descr(tensor) +
                     "', 'fortran_order': False, 'shape': " + Tuple(tensor.shape()) + ", }";
  const size_t before = 10;
  const size_t total =
      (before + dict.size() + 1 + kNpyAlignment - 1) / kNpyAlignment * kNpyAlignment;
  dict.resize(total - before - 1, ' ');
  dict += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size());
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

std::string_view NpyElements(const Tensor& tensor, std::string& storage) {
  if (tensor.dtype() != DType::kString)
    return {static_cast<const char*>(tensor.raw_data()), tensor.num_bytes()};
  const size_t longest = LongestString(tensor);
  storage.clear();
  for (const std::string& text : tensor.data<std::string>()) {
    storage += text;
    storage.append(longest - text.size(), '\0');
  }
  return storage;
}

}  // namespace checkpoint

Status WriteNpy(const std::string& path, const Tensor& tensor) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string header, checkpoint::NpyHeader(tensor));
  std::string storage;
  const std::string_view elements = checkpoint::NpyElements(tensor, storage);
  const Status written =
      checkpoint::WriteInOneStep(base::LocalFiles(), path, [&](base::WritableFile& file) -> Status {
        checkpoint::PieceWriter pieces(file);
        LOCKSTEP_RETURN_IF_ERROR(pieces.Append(header));
        LOCKSTEP_RETURN_IF_ERROR(pieces.Append(elements));
        return pieces.Flush();
      });
  return checkpoint::SaveStatus("the array " + path, written);
}

}  // namespace lockstep
