#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/sparse_product.cc"
#include "kernels/cpu/sparse_product.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/nonzero_bits-inl.h"
#include "kernels/cpu/register_sums-inl.h"

#ifndef LOCKSTEP_SPARSE_STEPS
#define LOCKSTEP_SPARSE_STEPS
namespace lockstep::kernels {

// Some steps of the chains of some rows and of a panel of columns.
struct SparseSteps {
  const void* a;  // A(row, k) at a[row * a_stride + k]
  int64_t a_stride;
  const float* numbers;  // of A's bytes; null: A has floats
  const uint64_t* bits;  // of the steps, [rows][row_words]
  int64_t row_words;
  int64_t words;   // that the steps have in each row
  const float* b;  // B(k, n) at b[k * b_stride + n]
  int64_t b_stride;
  float* sums;  // [rows][sums_stride]
  int64_t sums_stride;
  int64_t rows;
  int columns;
};

}  // namespace lockstep::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {

constexpr int64_t kLanes = HWY_MAX_BYTES / sizeof(float);
// So many sums of a row are as many chains as the units for fused multiply-adds take in turn.
constexpr int kPanelVectors = 8;

template <typename A, int kVectors, bool kMasked>
void AddSteps(const SparseSteps& steps) {
  const hn::ScalableTag<float> d;
  Sums<float, 1, kVectors, kMasked> sums(steps.columns);
  for (int64_t row = 0; row < steps.rows; ++row) {
    float* const to = steps.sums + row * steps.sums_stride;
    sums.LoadFrom(&to);
    const A* a = static_cast<const A*>(steps.a) + row * steps.a_stride;
    const uint64_t* bits = steps.bits + row * steps.row_words;
    const float* b = steps.b;
    for (int64_t word = 0; word < steps.words; ++word, a += 64, b += 64 * steps.b_stride) {
      for (uint64_t left = bits[word]; left != 0; left &= left - 1) {
        const int64_t k = std::countr_zero(left);
        const auto factor = hn::Set(d, NumberOf(a[k], steps.numbers));
        const float* line = b + k * steps.b_stride;
        LOCKSTEP_UNROLL
        for (int j = 0; j < kVectors; ++j)
          sums.sum[0][j] = hn::MulAdd(factor, sums.Load(line, j), sums.sum[0][j]);
      }
    }
    sums.StoreTo(&to);
  }
}

template <typename A, size_t... kVector>
void AddAnySteps(const SparseSteps& steps, std::index_sequence<kVector...>) {
  static constexpr void (*kFull[])(const SparseSteps&) = {AddSteps<A, kVector + 1, false>...};
  static constexpr void (*kPart[])(const SparseSteps&) = {AddSteps<A, kVector + 1, true>...};
  (steps.columns % kLanes == 0 ? kFull : kPart)[(steps.columns - 1) / kLanes](steps);
}

void AddSparseSteps(const SparseSteps& steps) {
  constexpr auto kVectors = std::make_index_sequence<kPanelVectors>();
  steps.numbers == nullptr ? AddAnySteps<float>(steps, kVectors)
                           : AddAnySteps<uint8_t>(steps, kVectors);
}

// c = sums (+ bias) (then relu) for one row.
void FinishRow(const ProductArguments<float>& p, const float* sums, float* c) {
  const hn::ScalableTag<float> d;
  const auto zero = hn::Zero(d);
  for (int64_t n = 0; n < p.columns; n += kLanes) {
    const auto mask = hn::FirstN(d, static_cast<size_t>(std::min(kLanes, p.columns - n)));
    auto sum = hn::MaskedLoad(mask, d, sums + n);
    if (p.bias != nullptr) sum = hn::Add(sum, hn::MaskedLoad(mask, d, p.bias + n));
    if (p.relu) sum = hn::IfThenElse(hn::Lt(sum, zero), zero, sum);
    hn::BlendedStore(sum, mask, d, c + n);
  }
}

int64_t WidestPanel() { return kPanelVectors * kLanes; }

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/product_pack.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/underflow.h"
#include "kernels/cpu/zeros.h"
#include "kernels/kernel.h"

namespace lockstep::kernels {
namespace {

HWY_EXPORT(AddSparseSteps);
HWY_EXPORT(FinishRow);
HWY_EXPORT(WidestPanel);

// Smaller products are not worth a look.
constexpr int64_t kLeastColumns = 32, kLeastDepth = 64, kLeastRows = 4;
// What stays in the nearest cache of B, and the rows that use it before the next part.
constexpr int64_t kNearElements = int64_t{1} << 13;
constexpr int64_t kRowBlock = 64;

// Some rows, panel by panel and, of each, some steps at a time.
template <typename A>
class SparseRows {
 public:
  SparseRows(const ProductArguments<float>& p, const Factor<A>& a, const SparseFactor& factor,
             int64_t begin, int64_t end)
      : p_(p),
        a_(a),
        factor_(factor),
        begin_(begin),
        rows_(end - begin),
        sums_(ThreadScratch<float>(ScratchUse::kLeafSums, rows_ * p.columns)) {}

  // The chains; false: they have to be computed whole.
  bool Compute() {
    const UnderflowWatch watch;
    for (int64_t row = 0; row < rows_; ++row) {
      float* to = sums_ + row * p_.columns;
      if (p_.accumulate) {
        std::copy_n(p_.c + (begin_ + row) * p_.c_stride, p_.columns, to);
      } else {
        std::fill_n(to, p_.columns, 0.0f);
      }
    }
    const int64_t panel = HWY_DYNAMIC_DISPATCH(WidestPanel)();
    for (int64_t n = 0; n < p_.columns; n += panel) AddPanel(n, std::min(panel, p_.columns - n));
    return !watch.Seen();
  }

  void Finish() const {
    for (int64_t row = 0; row < rows_; ++row) {
      HWY_DYNAMIC_DISPATCH(FinishRow)
      (p_, sums_ + row * p_.columns, p_.c + (begin_ + row) * p_.c_stride);
    }
  }

 private:
  void AddPanel(int64_t n, int64_t columns) const {
    const int64_t words = std::max<int64_t>(1, kNearElements / columns / 64);
    for (int64_t word = 0; word < factor_.words; word += words) {
      const int64_t k = word * 64, some = std::min(words, factor_.words - word);
      if (p_.b_rows != nullptr) AskForRows(word, word + some);
      SparseSteps steps = {
          .a = a_.elements + begin_ * a_.stride + k,
          .a_stride = a_.stride,
          .numbers = a_.table(),
          .bits = factor_.bits + (begin_ - factor_.first_row) * factor_.words + word,
          .row_words = factor_.words,
          .words = some,
          .b = p_.b + k * p_.b_stride + n,
          .b_stride = p_.b_stride,
          .sums = sums_ + n,
          .sums_stride = p_.columns,
          .rows = rows_,
          .columns = static_cast<int>(columns)};
      if (2 * columns < p_.b_stride) {  // lines far from each other would compete for their places
        const int64_t depth = std::min(some * 64, p_.depth - k);
        float* packed = ThreadScratch<float>(ScratchUse::kPackedColumns, some * 64 * columns);
        PackColumns(steps.b, p_.b_stride, false, depth, columns, columns, packed);
        steps.b = packed;
        steps.b_stride = columns;
      }
      HWY_DYNAMIC_DISPATCH(AddSparseSteps)(steps);
    }
  }

  // The rows of B where some row of A is not zero.
  void AskForRows(int64_t word, int64_t end) const {
    for (; word < end; ++word) {
      const uint64_t* bits = factor_.bits + (begin_ - factor_.first_row) * factor_.words + word;
      uint64_t some = 0;
      for (int64_t row = 0; row < rows_; ++row, bits += factor_.words) some |= *bits;
      p_.b_rows->Need(word * 64, some);
    }
  }

  const ProductArguments<float>& p_;
  const Factor<A>& a_;
  const SparseFactor& factor_;
  const int64_t begin_, rows_;
  float* const sums_;
};

// The rows [begin, end) with whole chains.
void WholeProduct(const ProductArguments<float>& p, const Factor<float>&, int64_t begin,
                  int64_t end) {
  Product(p, begin, end);
}
void WholeProduct(const ProductArguments<float>& p, const Factor<uint8_t>& a, int64_t begin,
                  int64_t end) {
  ProductArguments<float> some = p;
  some.rows = end - begin;
  some.c += begin * p.c_stride;
  some.a = ScaledRows({a.elements + begin * a.stride, a.stride, a.numbers}, some.rows, p.depth);
  some.a_stride = p.depth;
  Product(some);
}

bool AreNumbers(const Factor<float>&) { return true; }  // a NaN or an infinity is no zero
bool AreNumbers(const Factor<uint8_t>& a) { return a.numbers->finite(); }

}  // namespace

bool SparseFactor::IsFinite(const ProductArguments<float>& p) const {
  if (finite || (p.b_rows != nullptr && p.b_rows->AreFinite())) return true;
  if (p.b_rows != nullptr) p.b_rows->NeedAll();
  return AllFinite(p.b, p.b_stride, p.depth, p.columns);
}

template <typename A>
bool SparseFactor::Find(const ProductArguments<float>& p, const Factor<A>& a, int64_t begin,
                        int64_t end) {
  if (Pays(p, a, begin, end)) return true;
  if (p.b_rows != nullptr) p.b_rows->NeedAll();
  return false;
}

template <typename A>
bool SparseFactor::Pays(const ProductArguments<float>& p, const Factor<A>& a, int64_t begin,
                        int64_t end) {
  const int64_t rows = end - begin;
  if (hopeless || rows < kLeastRows || p.columns < kLeastColumns || p.depth < kLeastDepth)
    return false;
  const A* elements = a.elements + begin * a.stride;
  hopeless = !AreNumbers(a) || !SeemsSparse(elements, a.stride, rows, p.depth, kSparseProduct) ||
             !IsFinite(p);
  if (hopeless) return false;
  finite = true;
  first_row = begin;
  words = (p.depth + 63) / 64;
  uint64_t* to = ThreadScratch<uint64_t>(ScratchUse::kNonzeroBits, rows * words);
  bits = to;
  int64_t nonzero = 0;
  for (int64_t row = 0; row < rows; ++row, to += words)
    nonzero += MapNonzeroElements(elements + row * a.stride, p.depth, to);
  return IsSparse(nonzero, rows * p.depth, kSparseProduct);
}

template <typename A>
void SparseProduct(const ProductArguments<float>& p, const Factor<A>& a, const SparseFactor& factor,
                   int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; row += kRowBlock) {
    const int64_t last = std::min(end, row + kRowBlock);
    SparseRows<A> rows(p, a, factor, row, last);
    if (rows.Compute()) {
      rows.Finish();
    } else {
      if (p.b_rows != nullptr) p.b_rows->NeedAll();
      WholeProduct(p, a, row, last);
    }
  }
}

template <typename A>
void ProductOf(const ProductArguments<float>& p, const Factor<A>& a, SparseFactor& factor,
               int64_t begin, int64_t end) {
  factor.Find(p, a, begin, end) ? SparseProduct(p, a, factor, begin, end)
                                : WholeProduct(p, a, begin, end);
}

template bool SparseFactor::Find(const ProductArguments<float>&, const Factor<float>&, int64_t,
                                 int64_t);
template bool SparseFactor::Find(const ProductArguments<float>&, const Factor<uint8_t>&, int64_t,
                                 int64_t);
template void SparseProduct(const ProductArguments<float>&, const Factor<float>&,
                            const SparseFactor&, int64_t, int64_t);
template void SparseProduct(const ProductArguments<float>&, const Factor<uint8_t>&,
                            const SparseFactor&, int64_t, int64_t);
template void ProductOf(const ProductArguments<float>&, const Factor<float>&, SparseFactor&,
                        int64_t, int64_t);
template void ProductOf(const ProductArguments<float>&, const Factor<uint8_t>&, SparseFactor&,
                        int64_t, int64_t);

}  // namespace lockstep::kernels
#endif
