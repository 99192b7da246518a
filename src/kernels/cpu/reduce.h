#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cpu/leaves_of.h"
#include "kernels/cpu/reduce_order.h"
#include "kernels/kernel.h"

namespace lockstep::kernels {

/// The axes of a reduction, joined to levels. When axis 0 is reduced its elements are `rows`, in
/// which examples lie; otherwise `rows.size` is 0.
struct ReducePlan {
  ReduceLevel rows;
  bool has_rows = false;
  LeafTable leaves;                 // offsets into rows
  std::vector<ReduceLevel> levels;  // inside a row, or of the whole
  int64_t reduced = 1;              // elements that become one

  ReducePlan(const Shape& shape, std::span<const int64_t> axes, const LeafTable& leaves);
  /// The size of the outermost kept level: what can be divided.
  int64_t units() const { return !levels.empty() && levels[0].kept ? levels[0].size : 1; }
};

/// Leaves a value as it is.
struct KeepValue {
  template <typename Value>
  Value operator()(Value value, int64_t) const {
    return value;
  }
};

/// A reduction by `Operator` of input 0 over the attribute "axes"; `finish(value, count)` makes the
/// output's element from a value and the number of elements that became one.
template <typename T, typename Operator, typename Out, typename Finish = KeepValue>
class ReduceKernel : public Kernel {
 public:
  using Value = typename Operator::Value;

  explicit ReduceKernel(const KernelSpec& spec)
      : plan_(spec.inputs[0].shape, spec.attributes.Get<std::vector<int64_t>>("axes"),
              spec.leaves) {
    const Shape& shape = spec.inputs[0].shape;
    RequireLeaves(spec.leaves, shape.rank() > 0 ? shape[0] : 0);
    elements_ = shape.num_elements();
    results_ = spec.outputs[0].shape.num_elements();
  }
  int64_t rows() const override { return results_ == 0 ? 0 : plan_.units(); }
  uint32_t aligned_inputs() const override { return plan_.has_rows || rows() == 1 ? 0 : 1; }
  double cost_per_row() const override {
    return static_cast<double>(elements_) / static_cast<double>(std::max<int64_t>(1, rows()));
  }

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (begin >= end) return;
    const T* x = memory.in<T>(0);
    ReduceLevel levels[Shape::kMaxRank];
    std::copy(plan_.levels.begin(), plan_.levels.end(), levels);
    std::span<const ReduceLevel> part(levels, plan_.levels.size());
    ReduceLevel row = plan_.rows;
    int64_t first = 0;
    int64_t count = results_;
    if (!part.empty() && levels[0].kept) {
      x += begin * levels[0].stride;
      levels[0].size = end - begin;
      first = begin * levels[0].results;
      count = (end - begin) * levels[0].results;
      row.results = count;
    }
    Out* out = memory.out<Out>(0) + first;
    if constexpr (std::is_same_v<Out, Value>) {
      Fill(row, part, x, out);
      if constexpr (!std::is_same_v<Finish, KeepValue>) {
        for (int64_t i = 0; i < count; ++i) out[i] = Finish()(out[i], plan_.reduced);
      }
    } else {
      static thread_local std::unique_ptr<Value[]> values;
      static thread_local int64_t capacity = 0;
      if (capacity < count) {
        values.reset(new Value[count]);
        capacity = count;
      }
      Fill(row, part, x, values.get());
      for (int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<Out>(Finish()(values[i], plan_.reduced));
      }
    }
  }

 private:
  void Fill(const ReduceLevel& row, std::span<const ReduceLevel> levels, const T* x,
            Value* out) const {
    if (plan_.has_rows) {
      LevelReducer<Operator, T>::ReduceRows(row, plan_.leaves, levels, x, out, 0);
    } else {
      LevelReducer<Operator, T>::Reduce(levels, x, out, 0);
    }
  }

  ReducePlan plan_;
  int64_t elements_;
  int64_t results_;
};

}  // namespace lockstep::kernels
