// Where, Unique, SearchSorted, MatrixBandPart.

#include <algorithm>
#include <limits>

#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/reduce_operators.h"
#include "tensor/buffer.h"

namespace lockstep::kernels {
namespace {

// The places of elements that are not zero, row-major.
template <typename T>
Tensor PlacesOf(const Tensor& input) {
  const Shape& shape = input.shape();
  const auto values = input.data<T>();
  const auto is_zero = [](const T& value) {
    return static_cast<CompareType<T>>(value) == CompareType<T>(0);
  };
  const int64_t count = std::ssize(values) - std::count_if(values.begin(), values.end(), is_zero);
  const Shape places{count, shape.rank()};
  auto buffer = tensor::Buffer::Allocate(DType::kInt64, places.num_elements());
  auto* out = static_cast<int64_t*>(buffer->data());
  for (int64_t n = 0; n < std::ssize(values); ++n) {
    if (is_zero(values[n])) continue;
    for (int i = 0; i < shape.rank(); ++i) {
      *out++ = n / shape.product(i + 1, shape.rank()) % shape[i];
    }
  }
  return Tensor::FromBuffer(std::move(buffer), DType::kInt64, places);
}

// Calls function(T()) for the number or bool T of `dtype`.
template <typename Function>
auto WithType(const char* where, DType dtype, Function function) {
  switch (dtype) {
    case DType::kBool:
      return function(bool());
    case DType::kFloat32:
      return function(float());
    case DType::kFloat64:
      return function(double());
    case DType::kInt8:
      return function(int8_t());
    case DType::kInt16:
      return function(int16_t());
    case DType::kInt32:
      return function(int32_t());
    case DType::kInt64:
      return function(int64_t());
    case DType::kUInt8:
      return function(uint8_t());
    case DType::kBFloat16:
      return function(bfloat16());
    case DType::kFloat16:
      return function(float16());
    default:
      throw Error(Code::kUnimplemented, std::string("[") + where +
                                            "] numbers or bools are needed; got " +
                                            std::string(DTypeName(dtype)));
  }
}

std::vector<Tensor> Where(const ops::Attributes&, std::span<const Tensor> inputs) {
  return {
      WithType("Where", inputs[0].dtype(), [&]<typename T>(T) { return PlacesOf<T>(inputs[0]); })};
}
const RegisterValueFunction kWhere("Where", Where);

// The different values in the order of their first occurrence, and for each element which it is.
template <typename T>
std::vector<Tensor> UniqueOf(const Tensor& input) {
  const auto values = input.data<T>();
  if (values.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    throw Error(Code::kInvalidArgument,
                "[Unique] at most 2^31 - 1 elements have places in int32; got " +
                    std::to_string(values.size()));
  }
  std::vector<int32_t> order(values.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
  const auto value = [&](int32_t i) { return static_cast<CompareType<T>>(values[i]); };
  // Equal ones next to each other, the first occurrence first; every NaN is a value of its own.
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const auto x = value(a);
    const auto y = value(b);
    if (x != x || y != y) return x == x;
    return x < y;
  });
  std::vector<int32_t> first(values.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && value(order[i]) == value(order[i - 1]);
    first[order[i]] = same ? first[order[i - 1]] : order[i];
  }
  std::vector<int32_t> places(values.size());
  std::vector<int32_t> firsts;
  for (size_t i = 0; i < first.size(); ++i) {
    if (first[i] == static_cast<int32_t>(i)) {
      places[i] = static_cast<int32_t>(firsts.size());
      firsts.push_back(first[i]);
    } else {
      places[i] = places[first[i]];
    }
  }
  auto unique = std::make_unique<T[]>(firsts.size());
  for (size_t i = 0; i < firsts.size(); ++i) unique[i] = values[firsts[i]];
  return {Tensor::FromHost(std::span<const T>(unique.get(), firsts.size()),
                           {static_cast<int64_t>(firsts.size())}),
          Tensor::FromVector(places, input.shape())};
}

std::vector<Tensor> Unique(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  const auto& spec = ops::OpRegistry::Global().Find("Unique");
  const ops::TensorType type = ops::TensorType::Of(inputs[0]);
  (void)spec.infer({spec, attributes, {&type, 1}});
  return WithType("Unique", type.dtype, [&]<typename T>(T) { return UniqueOf<T>(inputs[0]); });
}
const RegisterValueFunction kUnique("Unique", Unique);

template <typename T>
class SearchSorted : public Kernel {
 public:
  explicit SearchSorted(const KernelSpec& spec) : right_(spec.attributes.Get<bool>("right")) {
    const Shape& sorted = spec.inputs[0].shape;
    rows_ = sorted.product(0, sorted.rank() - 1);
    size_ = sorted[sorted.rank() - 1];
    count_ = spec.inputs[1].shape[sorted.rank() - 1];
  }
  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return 0b11; }
  double cost_per_row() const override { return 16 * static_cast<double>(count_); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    for (int64_t r = begin; r < end; ++r) {
      const T* sorted = memory.in<T>(0) + r * size_;
      for (int64_t i = r * count_; i < (r + 1) * count_; ++i) {
        const T value = memory.in<T>(1)[i];
        const T* place = right_ ? std::upper_bound(sorted, sorted + size_, value)
                                : std::lower_bound(sorted, sorted + size_, value);
        memory.out<int32_t>(0)[i] = static_cast<int32_t>(place - sorted);
      }
    }
  }

 private:
  bool right_;
  int64_t rows_;
  int64_t size_;
  int64_t count_;
};

std::unique_ptr<Kernel> MakeSearch(const KernelSpec& spec) {
  using Kinds = Types<float, double, int32_t, int64_t>;
  return ForDType(Kinds(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<SearchSorted<T>>(spec);
  });
}
const RegisterKernel kSearch("SearchSorted", MakeSearch);

// Rows of all matrices one after another; what is outside of the band becomes zero.
template <typename T>
class MatrixBandPart : public Kernel {
 public:
  explicit MatrixBandPart(const KernelSpec& spec) {
    const Shape& shape = spec.inputs[0].shape;
    // A band wider than the matrix takes all of it.
    lower_ = std::min(spec.attributes.Get<int64_t>("lower"), shape[shape.rank() - 2]);
    upper_ = std::min(spec.attributes.Get<int64_t>("upper"), shape[shape.rank() - 1]);
    columns_ = shape[shape.rank() - 1];
    matrix_rows_ = shape[shape.rank() - 2];
    rows_ = shape.product(0, shape.rank() - 1);
  }
  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return 1; }
  double cost_per_row() const override { return static_cast<double>(columns_); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t m = r % matrix_rows_;
      const int64_t from = lower_ < 0 ? 0 : std::clamp<int64_t>(m - lower_, 0, columns_);
      const int64_t to =
          upper_ < 0 ? columns_ : std::clamp<int64_t>(m + upper_ + 1, from, columns_);
      const T* x = memory.in<T>(0) + r * columns_;
      T* out = memory.out<T>(0) + r * columns_;
      std::fill(out, out + from, T());
      std::copy(x + from, x + to, out + from);
      std::fill(out + to, out + columns_, T());
    }
  }

 private:
  int64_t lower_;
  int64_t upper_;
  int64_t columns_;
  int64_t matrix_rows_;
  int64_t rows_;
};

std::unique_ptr<Kernel> MakeBand(const KernelSpec& spec) {
  using Kinds =
      Types<float, double, bfloat16, float16, int32_t, int64_t, int8_t, int16_t, uint8_t, bool>;
  return ForDType(Kinds(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<MatrixBandPart<T>>(spec);
  });
}
const RegisterKernel kBand("MatrixBandPart", MakeBand);

}  // namespace
}  // namespace lockstep::kernels
