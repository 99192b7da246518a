#include <algorithm>

#include "kernels/kernel.h"

namespace lockstep::kernels {
namespace {

class ReplicaWeights : public Kernel {
 public:
  explicit ReplicaWeights(const KernelSpec& spec)
      : rows_(spec.outputs[0].shape[0]),
        first_(spec.attributes.GetOr<int64_t>("row_offset", 0)),
        examples_(spec.attributes.GetOr<int64_t>("row_count", rows_)),
        replicas_(spec.attributes.Get<int64_t>("replicas")) {}
  int64_t rows() const override { return rows_; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const int64_t share = examples_ < 1 ? 1 : (examples_ - 1) / replicas_ + 1;
    float* out = memory.out<float>(0);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = (first_ + i) / share * share;
      const int64_t own = std::min(share, examples_ - first);
      out[i] = static_cast<float>(examples_) / static_cast<float>(replicas_ * own);
    }
  }

 private:
  int64_t rows_;
  int64_t first_;  // these are rows [first_, first_ + rows_) of `examples_`
  int64_t examples_;
  int64_t replicas_;
};

std::unique_ptr<Kernel> MakeReplicaWeights(const KernelSpec& spec) {
  return std::make_unique<ReplicaWeights>(spec);
}
const RegisterKernel kReplicaWeights("ReplicaWeights", MakeReplicaWeights);

}  // namespace
}  // namespace lockstep::kernels
