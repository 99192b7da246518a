// _GatherScaled: rows of bytes as float32, times a scalar; each element is rounded once.
// _GatherBytes: the rows themselves, for products that take bytes.

#include <algorithm>

#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/gather_layout.h"
#include "kernels/cpu/scaled_bytes.h"
#include "kernels/failure.h"

namespace lockstep::kernels {
namespace {

// T: float, the numbers; uint8_t, the bytes.
template <typename Index, typename T>
class GatherBytes : public Kernel {
 public:
  explicit GatherBytes(const KernelSpec& spec)
      : layout_(spec.inputs[0].shape, spec.inputs[1].shape, spec.attributes) {}
  int64_t rows() const override { return layout_.count; }
  uint32_t aligned_inputs() const override { return 0b10; }
  double cost_per_row() const override { return 1 + static_cast<double>(layout_.inner) / 4; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    Take(memory, begin, end, 0, layout_.inner);
  }
  int64_t columns() const override { return layout_.inner; }
  void RunColumns(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    Take(memory, 0, layout_.count, begin, end);
  }
  void RunDepth(const KernelMemory& memory, int64_t begin, int64_t end, int64_t from,
                int64_t to) const override {
    if (begin == 0) Prefetch(memory, 0, end, from, to);
    Take(memory, begin, end, from, to);
    // What comes next arrives while others work on this.
    Prefetch(memory, end, std::min(layout_.count, end + (end - begin)), from, to);
  }

 private:
  void Take(const KernelMemory& memory, int64_t begin, int64_t end, int64_t from,
            int64_t to) const {
    const Index* indices = memory.in<Index>(1);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = indices[i];
      if (index < 0 || index >= layout_.limit) {
        ThrowIndex("GatherV2", i, index, layout_.limit);
      }
      Prefetch(memory, i + kAhead, std::min(end, i + kAhead + 1), from, to);
      const uint8_t* bytes = memory.in<uint8_t>(0) + index * layout_.inner + from;
      T* const out = memory.out<T>(0) + i * layout_.inner + from;
      if constexpr (std::is_same_v<T, float>) {
        ScaleBytes(bytes, *memory.in<float>(2), to - from, out);
      } else {
        std::copy(bytes, bytes + (to - from), out);
      }
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

template <typename T>
std::unique_ptr<Kernel> MakeGather(const KernelSpec& spec) {
  return ForDType(IndexTypes(), spec.inputs[1].dtype, [&]<typename I>(std::type_identity<I>) {
    return std::make_unique<GatherBytes<I, T>>(spec);
  });
}

const RegisterFailure kGatherScaledFails("_GatherScaled", Failure::kAlways);
const RegisterKernel kGatherScaled("_GatherScaled", MakeGather<float>);
const RegisterFailure kGatherBytesFails("_GatherBytes", Failure::kAlways);
const RegisterKernel kGatherBytes("_GatherBytes", MakeGather<uint8_t>);

}  // namespace
}  // namespace lockstep::kernels
