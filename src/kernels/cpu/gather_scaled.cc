// _GatherScaled: rows of bytes as float32, times a scalar; each element is rounded once.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gather_scaled.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/gather_layout.h"
#include "kernels/failure.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// to[i] = float(from[i]) * scale
void ScaleBytes(const uint8_t* from, float scale, int64_t count, float* to) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<int32_t, decltype(d)> di;
  const hn::Rebind<uint8_t, decltype(d)> db;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto by = hn::Set(d, scale);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto numbers = hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(db, from + i)));
    hn::StoreU(hn::Mul(numbers, by), d, to + i);
  }
  for (; i < count; ++i) to[i] = static_cast<float>(from[i]) * scale;
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {
namespace {

HWY_EXPORT(ScaleBytes);

template <typename Index>
class GatherScaled : public Kernel {
 public:
  explicit GatherScaled(const KernelSpec& spec)
      : layout_(spec.inputs[0].shape, spec.inputs[1].shape, spec.attributes) {}
  int64_t rows() const override { return layout_.count; }
  uint32_t aligned_inputs() const override { return 0b10; }
  double cost_per_row() const override { return 1 + static_cast<double>(layout_.inner) / 4; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    Scale(memory, begin, end, 0, layout_.inner);
  }
  int64_t columns() const override { return layout_.inner; }
  void RunColumns(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    Scale(memory, 0, layout_.count, begin, end);
  }
  void RunDepth(const KernelMemory& memory, int64_t begin, int64_t end, int64_t from,
                int64_t to) const override {
    if (begin == 0) Prefetch(memory, 0, end, from, to);
    Scale(memory, begin, end, from, to);
    // What comes next arrives while others work on this.
    Prefetch(memory, end, std::min(layout_.count, end + (end - begin)), from, to);
  }

 private:
  void Scale(const KernelMemory& memory, int64_t begin, int64_t end, int64_t from,
             int64_t to) const {
    const Index* indices = memory.in<Index>(1);
    const float scale = *memory.in<float>(2);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = indices[i];
      if (index < 0 || index >= layout_.limit) {
        ThrowIndex("GatherV2", i, index, layout_.limit);
      }
      Prefetch(memory, i + kAhead, std::min(end, i + kAhead + 1), from, to);
      HWY_DYNAMIC_DISPATCH(ScaleBytes)
      (memory.in<uint8_t>(0) + index * layout_.inner + from, scale, to - from,
       memory.out<float>(0) + i * layout_.inner + from);
    }
  }

  // Examples lie anywhere in memory, too far from each other for the processor's foresight.
  static constexpr int64_t kAhead = 4, kLine = 64;
  void Prefetch(const KernelMemory& memory, int64_t begin, int64_t end, int64_t from,
                int64_t to) const {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = memory.in<Index>(1)[i];
      if (index < 0 || index >= layout_.limit) continue;
      const uint8_t* row = memory.in<uint8_t>(0) + index * layout_.inner;
      for (int64_t at = from; at < to; at += kLine) __builtin_prefetch(row + at);
      __builtin_prefetch(row + to - 1);  // a row begins anywhere in a line
    }
  }

  GatherLayout layout_;
};

const RegisterFailure kGatherScaledFails("_GatherScaled", Failure::kAlways);
const RegisterKernel kGatherScaled("_GatherScaled", [](const KernelSpec& spec) {
  return ForDType(IndexTypes(), spec.inputs[1].dtype, [&]<typename I>(std::type_identity<I>) {
    return std::make_unique<GatherScaled<I>>(spec);
  });
});

}  // namespace
}  // namespace lockstep::kernels
#endif
