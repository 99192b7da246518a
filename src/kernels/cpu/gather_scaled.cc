// _GatherScaled: rows of bytes as float32, times a scalar; each element is rounded once.

#include <algorithm>

#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/gather_layout.h"
#include "kernels/cpu/scaled_bytes.h"
#include "kernels/failure.h"

namespace lockstep::kernels {
namespace {

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
    Scale(memory, begin, end, from, to);
    // What comes next arrives while others work on this.
    const GatheredRuns<Index> runs{layout_, memory.in<char>(0), memory.in<Index>(1), 1};
    runs.Fetch(end, std::min(layout_.count, end + (end - begin)), from, to);
  }

 private:
  void Scale(const KernelMemory& memory, int64_t begin, int64_t end, int64_t from,
             int64_t to) const {
    const GatheredRuns<Index> runs{layout_, memory.in<char>(0), memory.in<Index>(1), 1};
    const float scale = *memory.in<float>(2);
    runs.ForEach(begin, end, from, to, [&](int64_t i, const char* run) {
      ScaleBytes(reinterpret_cast<const uint8_t*>(run), scale, to - from,
                 memory.out<float>(0) + i * layout_.inner + from);
    });
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
