#pragma once

#include <span>
#include <string>
#include <vector>

#include "ops/op.h"
#include "tensor/buffer.h"

/// What the kernels of ops on strings share.

namespace lockstep::kernels {

/// What the shape rule of `op` makes of these inputs; its errors are those of wrong inputs.
inline std::vector<ops::TensorType> InferOf(std::string_view op, const ops::Attributes& attributes,
                                            std::span<const Tensor> inputs) {
  const ops::OpSpec& spec = ops::OpRegistry::Global().Find(op);
  const std::vector<ops::TensorType> types = ops::TypesOf(inputs);
  return spec.infer({spec, attributes, types});
}

/// A new tensor of T, dtype `dtype`, that `fill(T* out)` fills.
template <typename T, typename Fill>
Tensor Filled(DType dtype, const Shape& shape, const Fill& fill) {
  auto buffer = tensor::Buffer::Allocate(dtype, shape.num_elements());
  fill(static_cast<T*>(buffer->data()));
  return Tensor::FromBuffer(std::move(buffer), dtype, shape);
}

/// A tensor of `function(text)` for each of `input`'s texts.
template <typename T, typename Function>
Tensor EachText(DType dtype, const Tensor& input, const Function& function) {
  const auto texts = input.data<std::string>();
  return Filled<T>(dtype, input.shape(), [&](T* out) {
    for (size_t i = 0; i < texts.size(); ++i) out[i] = function(texts[i]);
  });
}

}  // namespace lockstep::kernels
