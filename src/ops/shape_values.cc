// Shapes as values, and ranges: what is known while a program is traced becomes a constant.

#include <cmath>
#include <span>

#include "base/range_count.h"
#include "lockstep/ops/array.h"
#include "ops/array_rules.h"
#include "tensor/buffer.h"

namespace lockstep {
namespace ops {
namespace {

std::vector<TensorType> InferShapeOf(const InferenceContext& context) {
  const DType dtype = context.attributes.Get<DType>("out_type");
  if (dtype != DType::kInt32 && dtype != DType::kInt64) {
    Reject(context.spec, "out_type must be int32 or int64", std::string(DTypeName(dtype)));
  }
  const Shape& shape = context.inputs[0].shape;
  return {{dtype, Shape{shape.ranked() ? shape.rank() : Shape::kUnknown}}};
}

std::vector<TensorType> InferSizeOf(const InferenceContext& context) {
  auto result = InferShapeOf(context);
  result[0].shape = Shape{};
  return result;
}

RowEffect ShapeRows(const RowContext&) { return RowEffect::kWhole; }

const RegisterOp kShape(
    {.name = "Shape", .infer = InferShapeOf, .rows = ShapeRows, .shape_only = 0b1});
const RegisterOp kSize(
    {.name = "Size", .infer = InferSizeOf, .rows = ShapeRows, .shape_only = 0b1});

// A vector of `count` numbers that `fill` writes; ResourceExhausted for too many.
template <typename T, typename Fill>
Tensor VectorOf(int64_t count, const Fill& fill) {
  auto buffer = tensor::Buffer::Allocate(kDTypeOf<T>, static_cast<size_t>(count));
  fill(std::span<T>(static_cast<T*>(buffer->data()), static_cast<size_t>(count)));
  return Tensor::FromBuffer(std::move(buffer), kDTypeOf<T>, Shape{count});
}

// start, start + delta, ...: added up in T, as TensorFlow does.
template <typename T>
Tensor RangeOf(T start, T limit, T delta) {
  const bool fits = delta != 0 && (delta > 0 ? start <= limit : start >= limit);
  if (!fits) {
    throw Error(Code::kInvalidArgument,
                "[Range] delta must lead from start to limit; got start " + std::to_string(start) +
                    ", limit " + std::to_string(limit) + ", delta " + std::to_string(delta));
  }
  double count;
  if constexpr (std::is_integral_v<T>) {
    count = static_cast<double>(base::RangeCount(start, limit, delta));
  } else {
    count = std::ceil(std::abs((limit - start) / delta));
  }
  constexpr double kMost = int64_t{1} << 40;
  if (!(count <= kMost)) {
    throw Error(Code::kResourceExhausted,
                "[Range] the numbers must fit into memory; got start " + std::to_string(start) +
                    ", limit " + std::to_string(limit) + ", delta " + std::to_string(delta));
  }
  return VectorOf<T>(static_cast<int64_t>(count), [&](std::span<T> values) {
    T value = start;
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) value += delta;
      values[i] = value;
    }
  });
}

template <typename T>
Tensor LinSpaceOf(T start, T stop, int64_t num) {
  return VectorOf<T>(num, [&](std::span<T> values) {
    const T step = num > 1 ? (stop - start) / static_cast<T>(num - 1) : T(0);
    values[0] = start;
    for (int64_t i = 1; i < num - 1; ++i) values[i] = start + step * static_cast<T>(i);
    if (num > 1) values.back() = stop;
  });
}

void RequireNumbers(const std::vector<Tensor>& numbers, const char* where) {
  for (const Tensor& number : numbers) {
    if (number.is_symbolic() || number.rank() != 0) {
      throw Error(Code::kInvalidArgument, std::string("[") + where +
                                              "] the bounds must be numbers that are known now; "
                                              "got " +
                                              TensorType::Of(number).ToString());
    }
  }
}

}  // namespace
}  // namespace ops

Tensor ShapeOf(const Tensor& input, DType out_type) {
  if (!input.shape().fully_known()) {
    return ops::Emit1("Shape", {input}, {{"out_type", out_type}});
  }
  const auto sizes = input.shape().vector();
  if (out_type == DType::kInt64) return Constant<int64_t>(sizes);
  return Constant<int32_t>(std::vector<int32_t>(sizes.begin(), sizes.end()));
}

Tensor SizeOf(const Tensor& input, DType out_type) {
  if (!input.shape().fully_known()) {
    return ops::Emit1("Size", {input}, {{"out_type", out_type}});
  }
  return ops::CastScalar(Scalar<int64_t>(input.num_elements()), out_type);
}

Tensor Range(const Tensor& limit) { return Range(0, limit); }

Tensor Range(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  std::vector<Tensor> numbers{start, limit, delta};
  ops::RequireNumbers(numbers, "Range");
  ops::ResolveWeak(numbers, "Range");
  const auto of = [&]<typename T>(T) {
    return ops::RangeOf<T>(numbers[0].scalar<T>(), numbers[1].scalar<T>(), numbers[2].scalar<T>());
  };
  switch (numbers[0].dtype()) {
    case DType::kInt32:
      return of(int32_t());
    case DType::kInt64:
      return of(int64_t());
    case DType::kFloat32:
      return of(float());
    case DType::kFloat64:
      return of(double());
    default:
      throw Error(Code::kInvalidArgument,
                  "[Range] bounds must be int32, int64, float32 or float64; got " +
                      std::string(DTypeName(numbers[0].dtype())));
  }
}

Tensor LinSpace(const Tensor& start, const Tensor& stop, int64_t num) {
  std::vector<Tensor> numbers{start, stop};
  ops::RequireNumbers(numbers, "LinSpace");
  for (Tensor& number : numbers) {
    if (number.is_weak()) number = ops::CastScalar(number, DType::kFloat32);
  }
  if (num < 1) {
    throw Error(Code::kInvalidArgument,
                "[LinSpace] num must be positive; got " + std::to_string(num));
  }
  if (numbers[0].dtype() == DType::kFloat64) {
    return ops::LinSpaceOf(numbers[0].scalar<double>(), numbers[1].scalar<double>(), num);
  }
  return ops::LinSpaceOf(numbers[0].scalar<float>(), numbers[1].scalar<float>(), num);
}

}  // namespace lockstep
