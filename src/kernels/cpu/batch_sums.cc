// Sums over the rows of each replica, a result for each channel: _BatchMoments, _BatchSum,
// _BatchDot. A row of these kernels is a channel. Order: a chain over the places of an example, a
// chain over the examples of a leaf, the tree over the leaves of a replica.

#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/replica_batch.h"
#include "kernels/cpu/scratch.h"
#include "kernels/leaf_tree.h"

namespace lockstep::kernels {
namespace {

constexpr int64_t kChannelsAtATime = 16;

// sums[j] += term(i, j) for all places i of [begin, end), in order; j < count.
template <typename T, typename Term>
inline void AddPlaces(const Term& term, int64_t begin, int64_t end, int64_t count, T* sums) {
  T own[kChannelsAtATime] = {};
  if (count == kChannelsAtATime) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j < kChannelsAtATime; ++j) own[j] += term(i, j);
    }
  } else {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j < count; ++j) own[j] += term(i, j);
    }
  }
  for (int64_t j = 0; j < count; ++j) sums[j] += own[j];
}

// The sums of replica `r`'s terms for `count` channels; null where it has no rows.
template <typename T, typename Term>
const T* SumReplica(const ReplicaBatch& batch, int64_t r, int64_t count, const Term& term) {
  const auto leaves = batch.leaves_of(r);
  const int64_t buffers = LeafTree<T>::BuffersNeeded(batch.leaves_per_replica);
  LeafTree<T> tree(ThreadScratch<T>(ScratchUse::kLeafSums, buffers * kChannelsAtATime),
                   kChannelsAtATime);
  for (int64_t leaf = 0; leaf < batch.leaves_per_replica; ++leaf) {
    T* sums = tree.Next();
    std::fill_n(sums, kChannelsAtATime, T{0});
    for (int64_t row = leaves[leaf]; row < leaves[leaf + 1] && batch.inner > 0; ++row) {
      AddPlaces(term, row * batch.inner, (row + 1) * batch.inner, count, sums);
    }
    tree.Push(leaves[leaf + 1] > leaves[leaf]);
  }
  return tree.Finish();
}

class SumsKernel : public Kernel {
 public:
  SumsKernel(const KernelSpec& spec, double cost_per_element)
      : batch_(spec.inputs[0].shape, spec.attributes, spec.leaves), cost_(cost_per_element) {}

  int64_t rows() const override { return batch_.channels; }
  int64_t row_grain() const override { return kChannelsAtATime; }
  double cost_per_row() const override {
    return cost_ * static_cast<double>(batch_.rows * batch_.inner);
  }

 protected:
  ReplicaBatch batch_;
  double cost_;
};

// Calls `work(first channel, how many)` for the blocks of [begin, end).
template <typename Work>
void ForBlocks(int64_t begin, int64_t end, const Work& work) {
  for (int64_t c = begin; c < end; c += kChannelsAtATime)
    work(c, std::min(kChannelsAtATime, end - c));
}

template <typename T>
class BatchSumKernel : public SumsKernel {
 public:
  explicit BatchSumKernel(const KernelSpec& spec) : SumsKernel(spec, 1) {}

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const int64_t channels = batch_.channels;
    ForBlocks(begin, end, [&](int64_t c, int64_t count) {
      const T* x = memory.in<T>(0) + c;
      for (int64_t r = 0; r < batch_.count(); ++r) {
        const T* sums = SumReplica<T>(batch_, r, count,
                                      [=](int64_t i, int64_t j) { return x[i * channels + j]; });
        for (int64_t j = 0; j < count; ++j) {
          memory.out<T>(0)[(c + j) * batch_.count() + r] = sums == nullptr ? 0 : sums[j];
        }
      }
    });
  }
};

template <typename T>
class BatchDotKernel : public SumsKernel {
 public:
  explicit BatchDotKernel(const KernelSpec& spec) : SumsKernel(spec, 2) {}

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const int64_t channels = batch_.channels;
    ForBlocks(begin, end, [&](int64_t c, int64_t count) {
      const T *a = memory.in<T>(0) + c, *b = memory.in<T>(1) + c;
      for (int64_t r = 0; r < batch_.count(); ++r) {
        const T* sums = SumReplica<T>(batch_, r, count, [=](int64_t i, int64_t j) {
          return a[i * channels + j] * b[i * channels + j];
        });
        for (int64_t j = 0; j < count; ++j) {
          memory.out<T>(0)[(c + j) * batch_.count() + r] = sums == nullptr ? 0 : sums[j];
        }
      }
    });
  }
};

template <typename T>
class BatchMomentsKernel : public SumsKernel {
 public:
  explicit BatchMomentsKernel(const KernelSpec& spec) : SumsKernel(spec, 4) {}

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    ForBlocks(begin, end, [&](int64_t c, int64_t count) {
      for (int64_t r = 0; r < batch_.count(); ++r) RunReplica(memory, c, count, r);
    });
  }

 private:
  void RunReplica(const KernelMemory& memory, int64_t c, int64_t count, int64_t r) const {
    const int64_t channels = batch_.channels;
    const T* x = memory.in<T>(0) + c;
    const T elements = static_cast<T>(batch_.elements(r));
    T mean[kChannelsAtATime] = {};
    const T* sums =
        SumReplica<T>(batch_, r, count, [=](int64_t i, int64_t j) { return x[i * channels + j]; });
    for (int64_t j = 0; sums != nullptr && j < count; ++j) mean[j] = sums[j] / elements;
    const T* middle = mean;
    const T* squares = SumReplica<T>(batch_, r, count, [=](int64_t i, int64_t j) {
      const T deviation = x[i * channels + j] - middle[j];
      return deviation * deviation;
    });
    for (int64_t j = 0; j < count; ++j) {
      const int64_t place = (c + j) * batch_.count() + r;
      memory.out<T>(0)[place] = mean[j];
      memory.out<T>(1)[place] = squares == nullptr ? 0 : squares[j] / elements;
    }
  }
};

const RegisterKernel kBatchSum("_BatchSum", MakeForReals<BatchSumKernel>);
const RegisterKernel kDot("_BatchDot", MakeForReals<BatchDotKernel>);
const RegisterKernel kMoments("_BatchMoments", MakeForReals<BatchMomentsKernel>);

}  // namespace
}  // namespace lockstep::kernels
