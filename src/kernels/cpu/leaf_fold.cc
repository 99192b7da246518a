#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/leaf_fold.cc"
#include "kernels/cpu/leaf_fold.h"

#include <algorithm>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/scratch.h"

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

namespace {

bool BeginsFour(const FoldStep* first) {
  for (int i = 1; i < 4; ++i) {
    if (first[i].length != first->length) return false;
  }
  return first[0].adds == 0 && first[1].adds == 1 && first[2].adds == 0 && first[3].adds >= 2;
}

}  // namespace

// A binary counter over leaf numbers: a present leaf is a sum of level 0; with a leaf's number's
// trailing ones sums of equal level are carried up, added where both are there.
FoldPlan::FoldPlan(std::span<const int64_t> offsets)
    : steps_(ThreadScratch<FoldStep>(ScratchUse::kFoldPlan, static_cast<int64_t>(offsets.size()))) {
  int levels[64];  // of the sums held, falling
  int64_t held = 0;
  for (size_t leaf = 0; leaf + 1 < offsets.size(); ++leaf) {
    const int64_t length = offsets[leaf + 1] - offsets[leaf];
    bool present = length > 0;
    if (present) steps_[count_++] = {.first = offsets[leaf], .length = length, .adds = 0};
    depth_ = std::max(depth_, held + (present ? 1 : 0));
    int level = 0;
    for (; ((leaf >> level) & 1) != 0; ++level) {
      if (held == 0 || levels[held - 1] != level) continue;
      --held;
      if (present) ++steps_[count_ - 1].adds;
      present = true;
    }
    if (present) levels[held++] = level;
  }
  if (count_ > 0) steps_[count_ - 1].adds += held - 1;
  for (int64_t s = 0; s + 4 <= count_; ++s) steps_[s].begins_four = BeginsFour(steps_ + s);
}

}  // namespace lockstep::kernels
#endif
