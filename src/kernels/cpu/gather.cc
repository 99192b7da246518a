#include "kernels/cpu/axis_split.h"
#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/gather_layout.h"
#include "kernels/failure.h"

namespace lockstep::kernels {
namespace {

// Runs of `inner` elements. With one outer row (axis 0), a row is an index; else an outer row.
template <typename Index>
class Gather : public Kernel {
 public:
  explicit Gather(const KernelSpec& spec)
      : layout_(spec.inputs[0].shape, spec.inputs[1].shape, spec.attributes) {
    element_bytes_ = static_cast<int64_t>(DTypeSize(spec.inputs[0].dtype));
    run_bytes_ = static_cast<size_t>(layout_.inner * element_bytes_);
    drop_negative_ = spec.attributes.GetOr("drop_negative", false);
  }
  int64_t rows() const override { return layout_.by_index() ? layout_.count : layout_.outer(); }
  uint32_t aligned_inputs() const override { return layout_.aligned(0b01, 0b10); }
  double cost_per_row() const override {
    const int64_t runs = layout_.by_index() ? 1 : layout_.count;
    return static_cast<double>(runs) * (1 + static_cast<double>(run_bytes_) / 8);
  }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (columns() > 0) return CopyColumns(memory, begin, end, 0, layout_.inner);
    if (layout_.by_index()) return Copy(memory, 0, begin, end);
    for (int64_t row = begin; row < end; ++row) Copy(memory, row, 0, layout_.count);
  }
  int64_t columns() const override {
    return layout_.by_index() && !drop_negative_ ? layout_.inner : 0;
  }
  void RunColumns(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    CopyColumns(memory, 0, layout_.count, begin, end);
  }
  void RunDepth(const KernelMemory& memory, int64_t begin, int64_t end, int64_t from,
                int64_t to) const override {
    CopyColumns(memory, begin, end, from, to);
    // What comes next arrives while others work on this.
    RunsOf(memory).Fetch(end, std::min(layout_.count, end + (end - begin)), from, to);
  }

 private:
  GatheredRuns<Index> RunsOf(const KernelMemory& memory) const {
    return {layout_, memory.in<char>(0), memory.in<Index>(1), element_bytes_};
  }
  void CopyColumns(const KernelMemory& memory, int64_t begin, int64_t end, int64_t from,
                   int64_t to) const {
    char* const out = memory.out<char>(0) + from * element_bytes_;
    const size_t bytes = static_cast<size_t>((to - from) * element_bytes_);
    RunsOf(memory).ForEach(begin, end, from, to, [&](int64_t i, const char* run) {
      CopyRun(out + i * static_cast<int64_t>(run_bytes_), run, bytes);
    });
  }

  void Copy(const KernelMemory& memory, int64_t row, int64_t begin, int64_t end) const {
    const Index* indices = memory.in<Index>(1) + layout_.IndicesOf(row);
    const char* from = memory.in<char>(0) + row * layout_.limit * run_bytes_;
    char* to = memory.out<char>(0) + row * layout_.count * run_bytes_;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = indices[i];
      if (index < 0 && drop_negative_) {
        std::memset(to + i * run_bytes_, 0, run_bytes_);
        continue;
      }
      if (index < 0 || index >= layout_.limit) {
        ThrowIndex("GatherV2", layout_.IndicesOf(row) + i, index, layout_.limit);
      }
      CopyRun(to + i * run_bytes_, from + index * run_bytes_, run_bytes_);
    }
  }

  GatherLayout layout_;
  int64_t element_bytes_;
  size_t run_bytes_;
  bool drop_negative_;  // zeros for a negative index
};

std::unique_ptr<Kernel> MakeGather(const KernelSpec& spec) {
  if (spec.inputs[0].dtype == DType::kString) return nullptr;
  return ForDType(IndexTypes(), spec.inputs[1].dtype, [&]<typename I>(std::type_identity<I>) {
    return std::make_unique<Gather<I>>(spec);
  });
}
const RegisterKernel kGather("GatherV2", MakeGather);
const RegisterFailure kGatherFails("GatherV2", Failure::kAlways);

}  // namespace

void ThrowIndex(const char* where, int64_t place, int64_t index, int64_t limit) {
  throw Error(Code::kInvalidArgument, std::string("[") + where + "] an index must be in [0, " +
                                          std::to_string(limit) + "); got indices[" +
                                          std::to_string(place) + "] = " + std::to_string(index));
}

}  // namespace lockstep::kernels
