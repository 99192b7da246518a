#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/gather_layout.h"
#include "kernels/cpu/leaves_of.h"
#include "kernels/cpu/segment_sum.h"
#include "kernels/failure.h"

namespace lockstep::kernels {
namespace {

// Adds up the rows that a gather has taken. With one outer row the rows of the result are divided.
template <typename T, typename Index>
class GatherAdjoint : public Kernel {
 public:
  explicit GatherAdjoint(const KernelSpec& spec)
      : layout_(spec.inputs[2].shape, spec.inputs[1].shape, spec.attributes) {
    drop_negative_ = spec.attributes.GetOr("drop_negative", false);
    const Shape& indices = spec.inputs[1].shape;
    if (layout_.by_index() && indices.rank() > 0 && indices[0] > 0) {
      leaves_ = spec.leaves;
      RequireLeaves(leaves_, indices[0]);
      for (int64_t& offset : leaves_) offset *= layout_.count / indices[0];
    }
  }
  int64_t rows() const override { return layout_.by_index() ? layout_.limit : layout_.outer(); }
  uint32_t aligned_inputs() const override {
    return layout_.by_index() ? 0 : layout_.aligned(0b01, 0b10);
  }
  double cost_per_row() const override {
    const int64_t runs = layout_.by_index() ? 1 : layout_.limit;
    return static_cast<double>(layout_.count + runs * layout_.inner);
  }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (layout_.by_index()) return Sum(memory, 0, begin, end);
    for (int64_t row = begin; row < end; ++row) Sum(memory, row, 0, layout_.limit);
  }

 private:
  void Sum(const KernelMemory& memory, int64_t row, int64_t first, int64_t last) const {
    const Index* indices = memory.in<Index>(1) + layout_.IndicesOf(row);
    for (int64_t i = 0; i < layout_.count; ++i) {
      if ((indices[i] < 0 && !drop_negative_) || indices[i] >= layout_.limit) {
        ThrowIndex("GatherAdjoint", layout_.IndicesOf(row) + i, indices[i], layout_.limit);
      }
    }
    const T* values = memory.in<T>(0) + row * layout_.count * layout_.inner;
    T* out = memory.out<T>(0) + (row * layout_.limit + first) * layout_.inner;
    SumSegments(values, indices, layout_.count, layout_.inner, leaves_, first, last, out);
  }

  GatherLayout layout_;
  LeafTable leaves_;
  bool drop_negative_;  // a negative index takes part in nothing
};

std::unique_ptr<Kernel> MakeGatherAdjoint(const KernelSpec& spec) {
  return ForDType(FloatingTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return ForDType(IndexTypes(), spec.inputs[1].dtype, [&]<typename I>(std::type_identity<I>) {
      return std::make_unique<GatherAdjoint<T, I>>(spec);
    });
  });
}
const RegisterKernel kGatherAdjoint("GatherAdjoint", MakeGatherAdjoint);
const RegisterFailure kAdjointFails("GatherAdjoint", Failure::kAlways);

}  // namespace
}  // namespace lockstep::kernels
