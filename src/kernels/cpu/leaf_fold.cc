#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/leaf_fold.cc"
#include "kernels/cpu/leaf_fold.h"

#include <bit>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
void Add(T* left, const T* right, int64_t count) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, left + i), hn::LoadU(d, right + i)), d, left + i);
  }
  if (i == count) return;
  const auto mask = hn::FirstN(d, static_cast<size_t>(count - i));
  const auto sum = hn::Add(hn::MaskedLoad(mask, d, left + i), hn::MaskedLoad(mask, d, right + i));
  hn::BlendedStore(sum, mask, d, left + i);
}

void AddFloats(float* left, const float* right, int64_t count) { Add(left, right, count); }
void AddDoubles(double* left, const double* right, int64_t count) { Add(left, right, count); }

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {

HWY_EXPORT(AddFloats);
HWY_EXPORT(AddDoubles);

void AddInto(float* left, const float* right, int64_t count) {
  HWY_DYNAMIC_DISPATCH(AddFloats)(left, right, count);
}
void AddInto(double* left, const double* right, int64_t count) {
  HWY_DYNAMIC_DISPATCH(AddDoubles)(left, right, count);
}

template <typename T>
int64_t LeafFold<T>::BuffersNeeded(int64_t num_leaves) {
  return num_leaves <= 1 ? 1 : std::bit_width(static_cast<uint64_t>(num_leaves - 1)) + 1;
}

template <typename T>
void LeafFold<T>::Push(bool present) {
  const int64_t leaf = leaf_++;
  int level = 0;
  for (; ((leaf >> level) & 1) != 0; ++level) {
    if (levels_.empty() || levels_.back() != level) continue;
    const T* right = Next();
    levels_.pop_back();
    if (present) AddInto(Next(), right, size_);
    present = true;
  }
  if (present) levels_.push_back(level);
}

template <typename T>
T* LeafFold<T>::Finish() {
  if (levels_.empty()) return nullptr;
  levels_.pop_back();
  while (!levels_.empty()) {
    const T* right = Next();
    levels_.pop_back();
    AddInto(Next(), right, size_);
  }
  return memory_;
}

template class LeafFold<float>;
template class LeafFold<double>;

}  // namespace lockstep::kernels
#endif
