// ByValues: the op that is meant, with the lists of its attributes taken from values; and Range.

#include "kernels/kernel.h"
#include "lockstep/ops/array.h"
#include "ops/op.h"
#include "ops/signature.h"
#include "tensor/buffer.h"

namespace lockstep::kernels {
namespace {

// The attributes that are values, in the order in which they lie one behind the other.
std::vector<const char*> ListsOf(const ops::Attributes& attributes) {
  for (const char* only : {"shape", "multiples", "paddings"}) {
    if (attributes.Find(only) != nullptr) return {only};
  }
  return {"begin", attributes.Find("size") != nullptr ? "size" : "end"};
}

ops::Attributes WithValues(const ops::Attributes& attributes, const Tensor& values) {
  ops::Attributes filled = attributes;
  const auto numbers = values.data<int64_t>();
  const auto lists = ListsOf(attributes);
  const size_t count = numbers.size() / lists.size();
  for (size_t i = 0; i < lists.size(); ++i) {
    const auto from = numbers.begin() + static_cast<int64_t>(i * count);
    filled.Set(lists[i], std::vector<int64_t>(from, from + static_cast<int64_t>(count)));
  }
  filled.Set("open", int64_t{0});  // of a strided slice: all is known now
  return filled;
}

Tensor RunNow(const ops::OpSpec& spec, const ops::Attributes& attributes,
              std::span<const Tensor> inputs) {
  const std::vector<ops::TensorType> types = ops::TypesOf(inputs);
  ops::CheckImported(spec, attributes, types);
  std::vector<const void*> pointers;
  for (const Tensor& input : inputs) pointers.push_back(input.raw_data());
  const auto made = spec.infer({spec, attributes, types});
  if (spec.view) return inputs[0].WithShape(made[0].shape);
  const auto kernel = KernelRegistry::Cpu().Make({spec, attributes, types, made, {}});
  auto buffer = tensor::Buffer::Allocate(made[0].dtype, made[0].shape.num_elements());
  void* out = buffer->data();
  kernel->Run({pointers.data(), &out}, 0, kernel->rows());
  return Tensor::FromBuffer(std::move(buffer), made[0].dtype, made[0].shape);
}

void RequireSizes(const Tensor& values) {
  for (int64_t size : values.data<int64_t>()) {
    if (size >= 0) continue;
    throw Error(Code::kInvalidArgument, "[BroadcastTo] sizes must not be negative; got " +
                                            Shape(values.ToVector<int64_t>()).ToString());
  }
}

std::vector<Tensor> ByValues(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  const auto& spec = ops::OpRegistry::Global().Find(attributes.Get<std::string>("op"));
  if (spec.name == "BroadcastTo") RequireSizes(inputs.back());
  return {RunNow(spec, WithValues(attributes, inputs.back()), inputs.first(inputs.size() - 1))};
}
const RegisterValueFunction kByValues("ByValues", ByValues);

std::vector<Tensor> RangeOf(const ops::Attributes&, std::span<const Tensor> inputs) {
  return {lockstep::Range(inputs[0], inputs[1], inputs[2])};
}
const RegisterValueFunction kRange("Range", RangeOf);

}  // namespace
}  // namespace lockstep::kernels
