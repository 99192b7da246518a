#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/wire.h"
#include "lockstep/tensor/tensor.h"

/// TensorFlow's messages of tensors, which stand in graphs, event files and checkpoints.
/// Source: tensor_shape.proto, tensor.proto.

namespace lockstep::tensor {

/// TensorShapeProto: dim = 2 {size = 1}. An unknown size is -1.
std::string ShapeProto(const Shape& shape);
/// Nothing where it is no message, of unknown rank, or has more axes than a shape can.
std::optional<Shape> ParseShapeProto(std::string_view bytes);

/// TensorProto: dtype = 1, tensor_shape = 2, the elements as they lie in memory = 4 (strings: 8).
std::string TensorProto(const Tensor& tensor);
/// Takes elements in any of the fields that there are for them, where one stands for all that
/// follow. Nothing where they do not fit the shape, or the dtype is none of Lockstep's.
std::optional<Tensor> ParseTensorProto(std::string_view bytes);

/// The number of elements, unless it is more than `most`: of a shape that a file claims.
std::optional<int64_t> ElementsUpTo(const Shape& shape, int64_t most);

/// Whether `number` is one of our dtypes with elements; the numbers are TensorFlow's.
bool IsElementDType(uint64_t number);

}  // namespace lockstep::tensor
