// The adjoint of broadcasting: sums over the axes that had been added or repeated.

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/copy.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/leaves_of.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/reduce_operators.h"
#include "kernels/cpu/reduce_order.h"
#include "kernels/cpu/widen.h"

namespace lockstep::kernels {
namespace {

// Neighbouring axes with the same fate.
struct Axes {
  int64_t size;
  bool summed;
};

// Scratch of this thread for sums within sums; it only grows.
template <typename T>
T* Partial(size_t depth, int64_t count) {
  thread_local std::array<std::vector<T>, Shape::kMaxRank + 1> partials;
  if (static_cast<int64_t>(partials[depth].size()) < count) partials[depth].resize(count);
  return partials[depth].data();
}

template <typename T>
void SumRows(const T* g, int64_t columns, std::span<const int64_t> offsets, T* out) {
  LeafSumRows(g, columns, offsets, out, 0, columns);
}

// The sum of `g`, which has the axes `axes[0]`, `axes[1]`, ...: inner sums first.
template <typename T>
void Sum(std::span<const Axes> axes, const T* g, T* out) {
  int64_t inner = 1, kept = 1;
  for (size_t i = 1; i < axes.size(); ++i) {
    inner *= axes[i].size;
    if (!axes[i].summed) kept *= axes[i].size;
  }
  if (axes.empty()) {
    *out = *g;
  } else if (!axes[0].summed) {
    if (axes.size() == 1) {
      std::copy_n(g, axes[0].size, out);
      return;
    }
    for (int64_t i = 0; i < axes[0].size; ++i) Sum(axes.subspan(1), g + i * inner, out + i * kept);
  } else if (axes.size() == 1) {
    *out = ReduceContiguous<SumOperator<T>>(g, axes[0].size);
  } else {
    const std::array<int64_t, 2> one_leaf{0, axes[0].size};
    if (axes.size() > 2) {
      T* partial = Partial<T>(axes.size(), axes[0].size * kept);
      for (int64_t i = 0; i < axes[0].size; ++i) {
        Sum(axes.subspan(1), g + i * inner, partial + i * kept);
      }
      g = partial;
    }
    SumRows<T>(g, kept, one_leaf, out);
  }
}

void AppendAxis(std::vector<Axes>& axes, int64_t size, bool summed) {
  if (size == 1) return;
  if (!axes.empty() && axes.back().summed == summed) {
    axes.back().size *= size;
  } else {
    axes.push_back({size, summed});
  }
}

class SumLike : public Kernel {
 public:
  explicit SumLike(const KernelSpec& spec) : dtype_(spec.inputs[0].dtype) {
    const Shape& from = spec.inputs[0].shape;
    const Shape& to = spec.outputs[0].shape;
    out_size_ = to.num_elements();
    in_size_ = from.num_elements();
    if (from.rank() == 0) return;
    const auto summed = [&](int axis) {
      const int own = axis - (from.rank() - to.rank());
      return own < 0 || (to[own] == 1 && from[axis] != 1);
    };
    std::vector<Axes> all;
    for (int axis = 0; axis < from.rank(); ++axis) AppendAxis(all, from[axis], summed(axis));
    for (int axis = 1; axis < from.rank(); ++axis) AppendAxis(axes_, from[axis], summed(axis));
    first_size_ = from[0];
    first_summed_ = summed(0);
    if (!first_summed_) return;
    RequireLeaves(spec.leaves, first_size_);
    offsets_ = spec.leaves.empty() ? LeafTable{0, first_size_} : spec.leaves;
    by_columns_ = all.size() == 2 && all[0].summed && !IsHalf(dtype_);
    if (by_columns_) {
      axes_.clear();
      for (int64_t& offset : offsets_) offset *= all[0].size / std::max<int64_t>(1, first_size_);
    }
  }

  int64_t rows() const override {
    if (by_columns_) return out_size_;
    return first_summed_ || IsHalf(dtype_) ? 1 : first_size_;
  }
  int64_t row_grain() const override { return by_columns_ ? 64 : 1; }
  uint32_t aligned_inputs() const override {
    return by_columns_ || first_summed_ || IsHalf(dtype_) ? 0 : 1;
  }
  double cost_per_row() const override {
    return static_cast<double>(in_size_) / std::max<int64_t>(1, rows());
  }

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (begin >= end || out_size_ == 0) return;
    if (dtype_ == DType::kFloat32) {
      RunReal(memory.in<float>(0), memory.out<float>(0), begin, end);
    } else if (dtype_ == DType::kFloat64) {
      RunReal(memory.in<double>(0), memory.out<double>(0), begin, end);
    } else {
      thread_local std::vector<float> wide;
      if (static_cast<int64_t>(wide.size()) < in_size_ + out_size_)
        wide.resize(in_size_ + out_size_);
      Widen(dtype_, memory.inputs[0], wide.data(), in_size_);
      RunReal(wide.data(), wide.data() + in_size_, 0, first_summed_ ? 1 : first_size_);
      Narrow(dtype_, wide.data() + in_size_, memory.outputs[0], out_size_);
    }
  }

 private:
  template <typename T>
  void RunReal(const T* g, T* out, int64_t begin, int64_t end) const {
    if (by_columns_) return LeafSumRows(g, out_size_, offsets_, out, begin, end);
    const int64_t inner = in_size_ / std::max<int64_t>(1, first_size_);
    if (first_summed_) {
      const T* rows = g;
      if (inner != out_size_) {
        T* partial = Partial<T>(0, first_size_ * out_size_);
        for (int64_t i = 0; i < first_size_; ++i) {
          Sum<T>(axes_, g + i * inner, partial + i * out_size_);
        }
        rows = partial;
      }
      SumRows<T>(rows, out_size_, offsets_, out);
    } else {
      const int64_t kept = out_size_ / first_size_;
      for (int64_t i = begin; i < end; ++i) Sum<T>(axes_, g + i * inner, out + i * kept);
    }
  }

  const DType dtype_;
  std::vector<Axes> axes_;  // after axis 0
  int64_t first_size_ = 1;
  bool first_summed_ = false;
  bool by_columns_ = false;  // axis 0 and what follows it is summed away, the rest stays
  LeafTable offsets_;        // of axis 0, if it is summed
  int64_t in_size_;
  int64_t out_size_;
};

std::unique_ptr<Kernel> MakeSumLike(const KernelSpec& spec) {
  if (!IsFloating(spec.inputs[0].dtype)) return nullptr;
  if (spec.inputs[0].shape == spec.outputs[0].shape) return MakeCopy(spec);
  return std::make_unique<SumLike>(spec);
}

const RegisterKernel kSumLike("SumLike", MakeSumLike);

}  // namespace
}  // namespace lockstep::kernels
