// What each row of a batch takes from its replica's statistics: _BatchAffine, _BatchSpread, and how
// many elements these are of, _BatchInverseCounts.

#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/replica_batch.h"

namespace lockstep::kernels {
namespace {

template <typename T>
__attribute__((optimize("O3"))) void ScalePlaces(const T* __restrict x, const T* __restrict scale,
                                                 const T* __restrict offset, int64_t places,
                                                 int64_t channels, T* __restrict y) {
  for (int64_t i = 0; i < places; ++i) {
    const int64_t first = i * channels;
    for (int64_t c = 0; c < channels; ++c) y[first + c] = x[first + c] * scale[c] + offset[c];
  }
}

template <typename T>
__attribute__((optimize("O3"))) void ScalePlaces(const T* __restrict x, const T* __restrict scale,
                                                 int64_t places, int64_t channels,
                                                 T* __restrict y) {
  for (int64_t i = 0; i < places; ++i) {
    const int64_t first = i * channels;
    for (int64_t c = 0; c < channels; ++c) y[first + c] = x[first + c] * scale[c];
  }
}

// The column of replica `r` of a statistic [channels, replicas], as a vector.
template <typename T>
const T* Column(const ReplicaBatch& batch, const T* statistic, int64_t r, std::vector<T>& scratch) {
  if (batch.count() == 1) return statistic;
  if (static_cast<int64_t>(scratch.size()) < batch.channels) scratch.resize(batch.channels);
  for (int64_t c = 0; c < batch.channels; ++c) scratch[c] = statistic[c * batch.count() + r];
  return scratch.data();
}

// Calls `work(replica, first row, last row)` for the parts of [begin, end).
template <typename Work>
void ForReplicas(const ReplicaBatch& batch, int64_t begin, int64_t end, const Work& work) {
  for (int64_t row = begin; row < end;) {
    const int64_t r = batch.replica_of(row);
    const int64_t last = std::min(end, batch.replicas[r + 1]);
    work(r, row, last);
    row = last;
  }
}

class RowsKernel : public Kernel {
 public:
  RowsKernel(const KernelSpec& spec, uint32_t aligned)
      : batch_(spec.outputs[0].shape, spec.attributes, {}), aligned_(aligned) {}
  int64_t rows() const override { return batch_.rows; }
  uint32_t aligned_inputs() const override { return aligned_; }
  double cost_per_row() const override {
    return 2.0 * static_cast<double>(batch_.inner * batch_.channels);
  }

 protected:
  ReplicaBatch batch_;
  uint32_t aligned_;
};

template <typename T>
class AffineKernel : public RowsKernel {
 public:
  explicit AffineKernel(const KernelSpec& spec)
      : RowsKernel(spec, 1), has_offset_(spec.inputs.size() == 3) {}

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    thread_local std::vector<T> scales, offsets;
    const int64_t row_size = batch_.inner * batch_.channels;
    ForReplicas(batch_, begin, end, [&](int64_t r, int64_t first, int64_t last) {
      const T* scale = Column(batch_, memory.in<T>(1), r, scales);
      const T* x = memory.in<T>(0) + first * row_size;
      T* y = memory.out<T>(0) + first * row_size;
      const int64_t places = (last - first) * batch_.inner;
      if (has_offset_) {
        ScalePlaces(x, scale, Column(batch_, memory.in<T>(2), r, offsets), places, batch_.channels,
                    y);
      } else {
        ScalePlaces(x, scale, places, batch_.channels, y);
      }
    });
  }

 private:
  bool has_offset_;
};

template <typename T>
class SpreadKernel : public RowsKernel {
 public:
  explicit SpreadKernel(const KernelSpec& spec) : RowsKernel(spec, 0) {}

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    thread_local std::vector<T> values;
    const int64_t row_size = batch_.inner * batch_.channels;
    ForReplicas(batch_, begin, end, [&](int64_t r, int64_t first, int64_t last) {
      const T* value = Column(batch_, memory.in<T>(0), r, values);
      T* y = memory.out<T>(0) + first * row_size;
      for (int64_t i = 0; i < (last - first) * batch_.inner; ++i) {
        std::copy_n(value, batch_.channels, y + i * batch_.channels);
      }
    });
  }
};

template <typename T>
class InverseCountsKernel : public Kernel {
 public:
  explicit InverseCountsKernel(const KernelSpec& spec)
      : batch_(spec.inputs[0].shape, spec.attributes, {}) {}

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (begin == end) return;
    for (int64_t r = 0; r < batch_.count(); ++r) {
      const int64_t elements = batch_.elements(r);
      memory.out<T>(0)[r] = elements == 0 ? T{0} : T{1} / static_cast<T>(elements);
    }
  }

 private:
  ReplicaBatch batch_;
};

const RegisterKernel kAffine("_BatchAffine", MakeForReals<AffineKernel>);
const RegisterKernel kSpread("_BatchSpread", MakeForReals<SpreadKernel>);
const RegisterKernel kCounts("_BatchInverseCounts", MakeForReals<InverseCountsKernel>);

}  // namespace
}  // namespace lockstep::kernels
