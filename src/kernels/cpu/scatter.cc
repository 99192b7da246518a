// GatherNd, ScatterNd and TensorScatter: slices of an array at places named by indices.

#include "kernels/cpu/axis_split.h"
#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/leaves_of.h"
#include "kernels/cpu/segment_sum.h"
#include "kernels/failure.h"

namespace lockstep::kernels {
namespace {

// The array seen as `slices` slices of `inner` elements; `count` places of `depth` numbers.
struct ScatterPlaces {
  int depth = 0;
  int64_t sizes[Shape::kMaxRank];
  int64_t slices = 1;
  int64_t inner = 1;
  int64_t count = 1;
  const char* where;

  ScatterPlaces(const Shape& array, const Shape& indices, const char* op) : where(op) {
    depth = static_cast<int>(indices[indices.rank() - 1]);
    for (int i = 0; i < depth; ++i) sizes[i] = array[i];
    slices = array.product(0, depth);
    inner = array.product(depth, array.rank());
    count = indices.product(0, indices.rank() - 1);
  }

  // The slice that place i names.
  template <typename Index>
  int64_t Slice(const Index* indices, int64_t i) const {
    int64_t slice = 0;
    for (int d = 0; d < depth; ++d) {
      const int64_t index = indices[i * depth + d];
      if (index < 0 || index >= sizes[d]) Throw(i, d, index);
      slice = slice * sizes[d] + index;
    }
    return slice;
  }

  template <typename Index>
  const std::vector<int64_t>& All(const Index* indices) const {
    static thread_local std::vector<int64_t> all;
    all.resize(count);
    for (int64_t i = 0; i < count; ++i) all[i] = Slice(indices, i);
    return all;
  }

  [[noreturn]] void Throw(int64_t i, int d, int64_t index) const {
    throw Error(Code::kInvalidArgument, std::string("[") + where + "] an index must be in [0, " +
                                            std::to_string(sizes[d]) + "); got " +
                                            std::to_string(index) + " (place " + std::to_string(i) +
                                            ", axis " + std::to_string(d) + ")");
  }
};

template <typename Index>
class GatherNd : public Kernel {
 public:
  explicit GatherNd(const KernelSpec& spec)
      : places_(spec.inputs[0].shape, spec.inputs[1].shape, "GatherNd"),
        run_bytes_(places_.inner * DTypeSize(spec.inputs[0].dtype)) {}
  int64_t rows() const override { return places_.count; }
  uint32_t aligned_inputs() const override { return 0b10; }
  double cost_per_row() const override { return 4 + static_cast<double>(run_bytes_) / 8; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t slice = places_.Slice(memory.in<Index>(1), i);
      CopyRun(memory.out<char>(0) + i * run_bytes_, memory.in<char>(0) + slice * run_bytes_,
              run_bytes_);
    }
  }

 private:
  ScatterPlaces places_;
  size_t run_bytes_;
};

std::unique_ptr<Kernel> MakeGatherNd(const KernelSpec& spec) {
  if (spec.inputs[0].dtype == DType::kString) return nullptr;
  return ForDType(IndexTypes(), spec.inputs[1].dtype, [&]<typename I>(std::type_identity<I>) {
    return std::make_unique<GatherNd<I>>(spec);
  });
}
const RegisterKernel kGatherNd("GatherNd", MakeGatherNd);

// Sums of updates by place, in order.
template <typename T, typename Index>
class ScatterSum : public Kernel {
 public:
  ScatterSum(const KernelSpec& spec, int indices, int updates, const char* where)
      : places_(spec.outputs[0].shape, spec.inputs[indices].shape, where),
        leaves_(spec.leaves),
        indices_(indices),
        updates_(updates) {
    const Shape& shape = spec.inputs[indices].shape;
    RequireLeaves(leaves_, shape.rank() > 1 ? shape[0] : 0);
    for (int64_t& offset : leaves_) offset *= shape.product(1, shape.rank() - 1);
  }
  int64_t rows() const override { return places_.slices; }
  double cost_per_row() const override {
    return static_cast<double>(places_.inner + 4 * places_.count);
  }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const auto& ids = places_.All(memory.in<Index>(indices_));
    SumSegments(memory.in<T>(updates_), ids.data(), places_.count, places_.inner, leaves_, begin,
                end, memory.out<T>(0) + begin * places_.inner);
  }

 private:
  ScatterPlaces places_;
  LeafTable leaves_;
  int indices_;
  int updates_;
};

std::unique_ptr<Kernel> MakeScatterSum(const KernelSpec& spec, int indices, int updates,
                                       const char* where) {
  return ForDType(
      NumberTypes(), spec.inputs[updates].dtype, [&]<typename T>(std::type_identity<T>) {
        return ForDType(IndexTypes(), spec.inputs[indices].dtype,
                        [&]<typename I>(std::type_identity<I>) {
                          return std::make_unique<ScatterSum<T, I>>(spec, indices, updates, where);
                        });
      });
}
const RegisterKernel kGatherNdAdjoint("GatherNdAdjoint", [](const KernelSpec& spec) {
  return MakeScatterSum(spec, 1, 0, "GatherNdAdjoint");
});
const RegisterKernel kScatterNd("ScatterNd", [](const KernelSpec& spec) {
  return MakeScatterSum(spec, 0, 1, "ScatterNd");
});

// A copy of input 0 into which updates go one after another.
template <typename T, typename Index, bool kAdd>
class TensorScatter : public Kernel {
 public:
  explicit TensorScatter(const KernelSpec& spec)
      : places_(spec.inputs[0].shape, spec.inputs[1].shape, spec.op.name.c_str()) {}
  int64_t rows() const override { return places_.slices; }
  uint32_t aligned_inputs() const override { return 0b01; }
  double cost_per_row() const override {
    return static_cast<double>(places_.inner + 4 * places_.count);
  }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const int64_t inner = places_.inner;
    T* out = memory.out<T>(0);
    std::copy(memory.in<T>(0) + begin * inner, memory.in<T>(0) + end * inner, out + begin * inner);
    const auto& ids = places_.All(memory.in<Index>(1));
    for (int64_t i = 0; i < places_.count; ++i) {
      if (ids[i] < begin || ids[i] >= end) continue;
      const T* update = memory.in<T>(2) + i * inner;
      T* to = out + ids[i] * inner;
      if constexpr (kAdd) {
        for (int64_t k = 0; k < inner; ++k) {
          to[k] = static_cast<T>(SumOperator<T>::Combine(static_cast<SumType<T>>(to[k]),
                                                         static_cast<SumType<T>>(update[k])));
        }
      } else {
        std::copy_n(update, inner, to);
      }
    }
  }

 private:
  ScatterPlaces places_;
};

template <bool kAdd>
std::unique_ptr<Kernel> MakeTensorScatter(const KernelSpec& spec) {
  if (!kAdd && spec.inputs[0].dtype == DType::kBool) {
    return ForDType(IndexTypes(), spec.inputs[1].dtype, [&]<typename I>(std::type_identity<I>) {
      return std::make_unique<TensorScatter<uint8_t, I, false>>(spec);
    });
  }
  return ForDType(NumberTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return ForDType(IndexTypes(), spec.inputs[1].dtype, [&]<typename I>(std::type_identity<I>) {
      return std::make_unique<TensorScatter<T, I, kAdd>>(spec);
    });
  });
}
const RegisterKernel kTensorScatterUpdate("TensorScatterUpdate", MakeTensorScatter<false>);
const RegisterKernel kTensorScatterAdd("TensorScatterAdd", MakeTensorScatter<true>);
const RegisterFailure kGatherNdFails("GatherNd", Failure::kAlways);
const RegisterFailure kGatherNdAdjointFails("GatherNdAdjoint", Failure::kAlways);
const RegisterFailure kScatterNdFails("ScatterNd", Failure::kAlways);
const RegisterFailure kTensorScatterUpdateFails("TensorScatterUpdate", Failure::kAlways);
const RegisterFailure kTensorScatterAddFails("TensorScatterAdd", Failure::kAlways);

}  // namespace
}  // namespace lockstep::kernels
