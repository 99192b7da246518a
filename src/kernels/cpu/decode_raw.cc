// Numbers that lie in strings.

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/kernel.h"
#include "tensor/buffer.h"
#include "tensor/sizes.h"

namespace lockstep::kernels {
namespace {

[[noreturn]] void RefuseSize(const std::string& rule, size_t got, size_t number) {
  throw Error(Code::kInvalidArgument, "[DecodeRaw] " + rule + "; got " + std::to_string(got) +
                                          " bytes (string " + std::to_string(number) + ")");
}

// The bytes of which each string has as many.
size_t CommonBytes(std::span<const std::string> texts, size_t size) {
  if (texts.empty()) return 0;
  const size_t bytes = texts[0].size();
  if (bytes % size != 0) {
    RefuseSize("a string must be a multiple of the " + std::to_string(size) + " bytes of a number",
               bytes, 0);
  }
  for (size_t i = 1; i < texts.size(); ++i) {
    if (texts[i].size() == bytes) continue;
    RefuseSize("strings must have equal sizes, here " + std::to_string(bytes) + " bytes",
               texts[i].size(), i);
  }
  return bytes;
}

void ReverseEach(char* numbers, size_t bytes, size_t size) {
  for (size_t at = 0; at < bytes; at += size) std::reverse(numbers + at, numbers + at + size);
}

std::vector<Tensor> DecodeRaw(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  const auto& spec = ops::OpRegistry::Global().Find("DecodeRaw");
  const ops::TensorType type = ops::TensorType::Of(inputs[0]);
  const ops::TensorType made = spec.infer({spec, attributes, {&type, 1}})[0];
  const auto texts = inputs[0].data<std::string>();
  const size_t size = DTypeSize(made.dtype);
  const auto fixed = attributes.Get<int64_t>("fixed_length");
  const size_t bytes = fixed > 0 ? static_cast<size_t>(fixed) : CommonBytes(texts, size);
  auto buffer = tensor::Buffer::Allocate(
      made.dtype,
      tensor::ProductOfSizes({std::ssize(texts), static_cast<int64_t>(bytes / size)}, "DecodeRaw"));
  auto* out = static_cast<char*>(buffer->data());
  for (const std::string& text : texts) {
    const size_t taken = std::min(bytes, text.size());
    if (taken > 0) std::memcpy(out, text.data(), taken);
    if (taken < bytes) std::memset(out + taken, 0, bytes - taken);
    if (!attributes.Get<bool>("little_endian")) ReverseEach(out, bytes, size);
    out += bytes;
  }
  if (made.dtype == DType::kBool) {
    auto* flags = static_cast<uint8_t*>(buffer->data());
    for (size_t i = 0; i < buffer->num_bytes(); ++i) flags[i] = flags[i] != 0;
  }
  Shape shape = type.shape;
  shape.Append(static_cast<int64_t>(bytes / size));
  return {Tensor::FromBuffer(std::move(buffer), made.dtype, shape)};
}
const RegisterValueFunction kDecodeRaw("DecodeRaw", DecodeRaw);

}  // namespace
}  // namespace lockstep::kernels
