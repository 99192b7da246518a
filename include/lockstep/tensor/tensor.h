#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/base/status.h"
#include "lockstep/tensor/dtype.h"
#include "lockstep/tensor/shape.h"

namespace lockstep {

namespace tensor {
class Buffer;
}

/// Something that a tensor can refer to instead of carrying elements: a value of a graph that is
/// being traced, or a resource such as a variable.
class TensorObject {
 public:
  virtual ~TensorObject() = default;
};

/// An immutable value: a dtype, a shape and a reference to a buffer that nobody changes while it is
/// referred to. Copying copies the reference. While a function is traced, a tensor is *symbolic*:
/// it has a dtype and perhaps unknown sizes, but no elements yet.
///
/// Threads: a tensor may be read and copied from any thread.
class Tensor {
 public:
  /// No tensor at all; `defined()` is false. Gradients that do not exist are of this kind.
  Tensor() = default;

  /// A scalar that takes the other operand's dtype in an operation, like a Python number.
  template <typename T>
  requires std::integral<T> || std::floating_point<T> Tensor(
      T value);  // NOLINT: implicit by design
  /// A vector or matrix of float32.
  Tensor(std::initializer_list<float> values);
  Tensor(std::initializer_list<std::initializer_list<float>> rows);

  /// Copies `values` (row-major) into a new tensor. InvalidArgument when the counts differ.
  template <typename T>
  static Tensor FromHost(std::span<const T> values, const Shape& shape);
  template <typename T>
  static Tensor FromVector(const std::vector<T>& values, const Shape& shape) {
    if constexpr (std::same_as<T, bool>) {
      return FromBools(values, shape);
    } else {
      return FromHost(std::span<const T>(values), shape);
    }
  }
  static Tensor FromBools(const std::vector<bool>& values, const Shape& shape);
  static Tensor FromStrings(const std::vector<std::string>& values, const Shape& shape);
  /// Adopts a buffer of `shape.num_elements()` elements.
  static Tensor FromBuffer(std::shared_ptr<tensor::Buffer> buffer, DType dtype, const Shape& shape);
  /// A tensor without elements that stands for `object`; `element` is the dtype of what a resource
  /// holds.
  static Tensor FromObject(std::shared_ptr<TensorObject> object, DType dtype, const Shape& shape,
                           DType element = DType::kInvalid);

  bool defined() const { return rep_ != nullptr; }
  DType dtype() const;
  const Shape& shape() const;
  int rank() const { return shape().rank(); }
  int64_t num_elements() const { return shape().num_elements(); }
  size_t num_bytes() const;
  /// For a resource the dtype of what it holds, else `dtype()`.
  DType element_dtype() const;
  bool is_symbolic() const;
  /// Whether the dtype may give way to another operand's (a scalar made from a C++ number).
  bool is_weak() const;
  /// Equal for copies of one tensor, different for tensors made by different operations.
  uint64_t id() const;
  const std::shared_ptr<TensorObject>& object() const;
  const std::shared_ptr<tensor::Buffer>& buffer() const;

  /// The elements, row-major. FailedPrecondition while tracing, InvalidArgument for another dtype.
  template <typename T>
  std::span<const T> data() const {
    RequireElements(kDTypeOf<T>);
    return {static_cast<const T*>(raw_data()), static_cast<size_t>(num_elements())};
  }
  /// The only element. InvalidArgument when there are more or none.
  template <typename T>
  T scalar() const {
    RequireScalar();
    return data<T>()[0];
  }
  /// A copy of the elements.
  template <typename T>
  std::vector<T> ToVector() const {
    const auto view = data<T>();
    return {view.begin(), view.end()};
  }
  const void* raw_data() const;
  /// The same elements under another shape with as many elements; nothing is copied.
  Tensor WithShape(const Shape& shape) const;

  /// Elements in NumPy's layout, then shape and dtype; long tensors are abridged.
  std::string ToString() const;

 private:
  struct Rep;
  explicit Tensor(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}
  static Tensor Weak(DType dtype, const void* value);
  static Tensor CopyFrom(DType dtype, const void* values, size_t count, const Shape& shape);
  void RequireElements(DType dtype) const;
  void RequireScalar() const;
  const Rep& rep() const;

  std::shared_ptr<const Rep> rep_;
};

template <typename T>
requires std::integral<T> || std::floating_point<T> Tensor::Tensor(T value) {
  if constexpr (std::same_as<T, bool>) {
    *this = Weak(DType::kBool, &value);
  } else if constexpr (std::integral<T>) {
    const int64_t wide = static_cast<int64_t>(value);
    *this = Weak(DType::kInt64, &wide);
  } else {
    const double wide = value;
    *this = Weak(DType::kFloat64, &wide);
  }
}

template <typename T>
Tensor Tensor::FromHost(std::span<const T> values, const Shape& shape) {
  static_assert(!std::same_as<T, std::string>, "use FromStrings");
  return CopyFrom(kDTypeOf<T>, values.data(), values.size(), shape);
}

/// Copies; the dtype is T's. `Constant<int32_t>({1, 2, 3}, {3})`.
template <typename T>
Tensor Constant(const std::vector<T>& values, const Shape& shape) {
  return Tensor::FromVector<T>(values, shape);
}
template <typename T>
Tensor Constant(const std::vector<T>& values) {
  return Tensor::FromVector<T>(values, Shape{static_cast<int64_t>(values.size())});
}
/// A vector, or a matrix by rows, as it is written: `Constant({1.0f, 2.0f})`,
/// `Constant({{1, 2}, {3, 4}})`. Errors: InvalidArgument for rows of unequal length.
template <typename T>
Tensor Constant(std::initializer_list<T> values) {
  if constexpr (std::convertible_to<T, std::string>) {
    return Tensor::FromStrings({values.begin(), values.end()},
                               Shape{static_cast<int64_t>(values.size())});
  } else {
    return Tensor::FromHost(std::span<const T>(values.begin(), values.size()),
                            Shape{static_cast<int64_t>(values.size())});
  }
}
template <typename T>
Tensor Constant(std::initializer_list<std::initializer_list<T>> rows) {
  std::vector<T> values;
  const size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
  for (const std::initializer_list<T>& row : rows) {
    if (row.size() != columns) {
      throw Error(Code::kInvalidArgument,
                  "[constant] all rows must have as many values; got " + std::to_string(columns) +
                      " and " + std::to_string(row.size()) + "; write every row whole");
    }
    values.insert(values.end(), row.begin(), row.end());
  }
  return Tensor::FromHost(std::span<const T>(values),
                          Shape{static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)});
}
/// A scalar of dtype T that keeps its dtype.
template <typename T>
Tensor Scalar(T value) {
  return Tensor::FromHost(std::span<const T>(&value, 1), Shape{});
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace lockstep
