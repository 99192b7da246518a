// ScaledDotProductAttention and its gradient, and both on heads as they lie, head by head: products
// of matrices (product.h) and rows of scores (attention_rows.h), in blocks of queries whose size is
// fixed.

#include <algorithm>

#include "kernels/cpu/attention_rows.h"
#include "kernels/cpu/leading_rows.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/widened.h"

namespace lockstep::kernels {
namespace {

constexpr int64_t kAttentionBlock = 64;  // queries, or keys, at a time

struct HeadGeometry {
  explicit HeadGeometry(const KernelSpec& spec)
      : heads(spec.op.name[0] == '_' ? spec.inputs[0].shape[2] : 0),
        queries(spec.inputs[0].shape.dim(heads > 0 ? 1 : -2)),
        keys(spec.inputs[1].shape.dim(heads > 0 ? 1 : -2)),
        depth(spec.inputs[0].shape.dim(-1)),
        value_depth(spec.inputs[2].shape.dim(-1)),
        causal(spec.attributes.Get<bool>("causal")) {}

  // How many keys query t sees.
  int64_t Seen(int64_t t) const { return causal ? t + 1 + keys - queries : keys; }
  // The first query of a block that sees key s.
  int64_t FirstBlockThatSees(int64_t s) const {
    return causal ? std::max<int64_t>(0, s - (keys - queries)) / kAttentionBlock * kAttentionBlock
                  : 0;
  }

  // Where vector `t` of a head begins among vectors of `size`, of which there are `count` a head.
  int64_t Offset(int64_t head, int64_t t, int64_t count, int64_t size) const {
    if (heads == 0) return (head * count + t) * size;
    return ((head / heads * count + t) * heads + head % heads) * size;
  }
  // From a head's vector to its next.
  int64_t Step(int64_t size) const { return heads == 0 ? size : heads * size; }

  int64_t heads;  // of [b, t, h, d]; 0: [..., t, d]
  int64_t queries, keys, depth, value_depth;
  bool causal;
};

template <typename T>
class HeadsKernel : public Kernel {
 public:
  HeadsKernel(const KernelSpec& spec, uint32_t aligned, double cost)
      : head_(spec),
        scale_(static_cast<T>(spec.attributes.Get<double>("scale"))),
        rows_(head_.heads > 0 ? spec.inputs[0].shape[0] : LeadingRows(spec.inputs[0].shape, 2)),
        heads_(head_.heads > 0 ? rows_ * head_.heads
                               : spec.inputs[0].shape.product(0, spec.inputs[0].shape.rank() - 2)),
        aligned_(aligned),
        cost_(cost) {}

  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return aligned_; }
  double cost_per_row() const override {
    return cost_ * static_cast<double>(HeadsOf(1) * head_.queries * head_.keys * head_.depth);
  }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    for (int64_t head = HeadsOf(begin); head < HeadsOf(end); ++head) RunHead(memory, head);
  }

 protected:
  virtual void RunHead(const KernelMemory& memory, int64_t head) const = 0;
  int64_t HeadsOf(int64_t rows) const { return rows_ == 0 ? 0 : heads_ / rows_ * rows; }

  HeadGeometry head_;
  T scale_;
  int64_t rows_, heads_;
  uint32_t aligned_;
  double cost_;
};

// This thread's memory for scores.
template <typename T>
T* Scores(int64_t count) {
  thread_local std::vector<T> scores;
  if (static_cast<int64_t>(scores.size()) < count) scores.resize(count);
  return scores.data();
}

// c[rows, columns] = a[rows, depth] b^T with b [columns, depth]; both have rows `step` apart.
template <typename T>
void TimesTransposed(const T* a, const T* b, int64_t step, T* c, int64_t rows, int64_t columns,
                     int64_t depth, int64_t c_stride) {
  Product(ProductArguments<T>{.rows = rows,
                              .columns = columns,
                              .depth = depth,
                              .a = a,
                              .a_stride = step,
                              .b = b,
                              .b_stride = step,
                              .b_transposed = true,
                              .c = c,
                              .c_stride = c_stride});
}

// c[rows, columns] = a[rows, depth] b[depth, columns]; b and c have rows `step` apart.
template <typename T>
void TimesRows(const T* a, int64_t a_stride, bool a_transposed, const T* b, T* c, int64_t step,
               int64_t rows, int64_t columns, int64_t depth) {
  Product(ProductArguments<T>{.rows = rows,
                              .columns = columns,
                              .depth = depth,
                              .a = a,
                              .a_stride = a_stride,
                              .a_transposed = a_transposed,
                              .b = b,
                              .b_stride = step,
                              .c = c,
                              .c_stride = step});
}

// Inputs query, key, value; outputs the result and the logarithms of the queries' sums.
template <typename T>
class AttentionKernel : public HeadsKernel<T> {
 public:
  explicit AttentionKernel(const KernelSpec& spec) : HeadsKernel<T>(spec, 0b111, 4) {}

 protected:
  void RunHead(const KernelMemory& memory, int64_t head) const override {
    const HeadGeometry& h = this->head_;
    const T* q = memory.in<T>(0) + h.Offset(head, 0, h.queries, h.depth);
    const T* k = memory.in<T>(1) + h.Offset(head, 0, h.keys, h.depth);
    const T* v = memory.in<T>(2) + h.Offset(head, 0, h.keys, h.value_depth);
    T* result = memory.out<T>(0) + h.Offset(head, 0, h.queries, h.value_depth);
    const int64_t step = h.Step(h.depth), value_step = h.Step(h.value_depth);
    T* log_sum = memory.out<T>(1) + head * h.queries;
    T* scores = Scores<T>(kAttentionBlock * h.keys);
    T inverse[kAttentionBlock];
    for (int64_t first = 0; first < h.queries; first += kAttentionBlock) {
      const int64_t count = std::min(kAttentionBlock, h.queries - first);
      const int64_t seen = h.Seen(first + count - 1);
      TimesTransposed(q + first * step, k, step, scores, count, seen, h.depth, seen);
      for (int64_t t = 0; t < count; ++t) {
        inverse[t] = ScoresToPowers(scores + t * seen, h.Seen(first + t), seen, this->scale_,
                                    log_sum + first + t);
      }
      T* rows = result + first * value_step;
      TimesRows(scores, seen, false, v, rows, value_step, count, h.value_depth, seen);
      for (int64_t t = 0; t < count; ++t) {
        ScaleRow(rows + t * value_step, h.value_depth, inverse[t]);
      }
    }
  }
};

// Inputs query, key, value, result, logarithms, the result's gradient; outputs the gradients of
// query, key and value.
template <typename T>
class AttentionGradKernel : public HeadsKernel<T> {
 public:
  explicit AttentionGradKernel(const KernelSpec& spec) : HeadsKernel<T>(spec, 0b111111, 10) {}

 protected:
  void RunHead(const KernelMemory& memory, int64_t head) const override {
    const HeadGeometry& h = this->head_;
    const T* q = memory.in<T>(0) + h.Offset(head, 0, h.queries, h.depth);
    const T* k = memory.in<T>(1) + h.Offset(head, 0, h.keys, h.depth);
    const T* g = memory.in<T>(5) + h.Offset(head, 0, h.queries, h.value_depth);
    const int64_t step = h.Step(h.depth), value_step = h.Step(h.value_depth);
    T* shares = Scores<T>(2 * h.queries * h.keys);
    T* slopes = shares + h.queries * h.keys;  // of the scores
    for (int64_t first = 0; first < h.queries; first += kAttentionBlock) {
      ScoreBlock(memory, head, first, shares, slopes);
      const int64_t count = std::min(kAttentionBlock, h.queries - first);
      TimesRows(slopes + first * h.keys, h.keys, false, k,
                memory.out<T>(0) + h.Offset(head, first, h.queries, h.depth), step, count, h.depth,
                h.Seen(first + count - 1));
    }
    for (int64_t key = 0; key < h.keys; key += kAttentionBlock) {
      const int64_t count = std::min(kAttentionBlock, h.keys - key);
      const int64_t first = h.FirstBlockThatSees(key);
      const int64_t depth = h.queries - first;
      const int64_t place = first * h.keys + key;
      TimesRows(slopes + place, h.keys, true, q + first * step,
                memory.out<T>(1) + h.Offset(head, key, h.keys, h.depth), step, count, h.depth,
                depth);
      TimesRows(shares + place, h.keys, true, g + first * value_step,
                memory.out<T>(2) + h.Offset(head, key, h.keys, h.value_depth), value_step, count,
                h.value_depth, depth);
    }
  }

 private:
  // The shares of a block of queries, and what flows back into their scores; 0 for keys unseen that
  // some later step reads.
  void ScoreBlock(const KernelMemory& memory, int64_t head, int64_t first, T* shares,
                  T* slopes) const {
    const HeadGeometry& h = this->head_;
    const int64_t count = std::min(kAttentionBlock, h.queries - first);
    const int64_t seen = h.Seen(first + count - 1);
    const int64_t read = std::min(h.keys, h.causal ? LastKeyRead(seen) : seen);
    const T* q = memory.in<T>(0) + h.Offset(head, first, h.queries, h.depth);
    const T* k = memory.in<T>(1) + h.Offset(head, 0, h.keys, h.depth);
    const T* v = memory.in<T>(2) + h.Offset(head, 0, h.keys, h.value_depth);
    const int64_t rows = h.Offset(head, first, h.queries, h.value_depth);
    const T* result = memory.in<T>(3) + rows;
    const T* log_sum = memory.in<T>(4) + head * h.queries + first;
    const T* g = memory.in<T>(5) + rows;
    const int64_t value_step = h.Step(h.value_depth);
    T* share = shares + first * h.keys;
    T* slope = slopes + first * h.keys;
    TimesTransposed(q, k, h.Step(h.depth), share, count, seen, h.depth, h.keys);
    TimesTransposed(g, v, value_step, slope, count, seen, h.value_depth, h.keys);
    for (int64_t t = 0; t < count; ++t, share += h.keys, slope += h.keys) {
      ScoresToShares(share, h.Seen(first + t), read, this->scale_, log_sum[t]);
      const T delta = DotOfRows(g + t * value_step, result + t * value_step, h.value_depth);
      SharesGradient(share, slope, seen, this->scale_, delta);
      std::fill(slope + seen, slope + read, T{0});
    }
  }
  // The sums over queries take keys in blocks, of which one may end past the last key seen.
  static int64_t LastKeyRead(int64_t seen) {
    return (seen + kAttentionBlock - 1) / kAttentionBlock * kAttentionBlock;
  }
};

const RegisterKernel kAttention("ScaledDotProductAttention", MakeForFloats<AttentionKernel>);
const RegisterKernel kHeads("_HeadsAttention", MakeForFloats<AttentionKernel>);
const RegisterKernel kHeadsGrad("_HeadsAttentionGrad", MakeForFloats<AttentionGradKernel>);
const RegisterKernel kAttentionGrad("ScaledDotProductAttentionGrad",
                                    MakeForFloats<AttentionGradKernel>);

}  // namespace
}  // namespace lockstep::kernels
