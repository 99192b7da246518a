// Optimizer updates: weight and slots are read and written once, in one pass.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/training.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/cpu/training_rules-inl.h"
#include "kernels/kernel.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {

// Applies `rule` to the elements [first, last).
template <class Rule>
void UpdateElements(const Rule& rule, const KernelMemory& memory, int64_t first, int64_t last) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int kSlots = Rule::kSlots;
  float* weight = memory.resource<float>(0);
  float* slots[kSlots + 1];
  for (int s = 0; s < kSlots; ++s) slots[s] = memory.resource<float>(1 + s);
  const float* gradient = memory.in<float>(1 + kSlots);
  V scalars[Rule::kScalars];
  for (int s = 0; s < Rule::kScalars; ++s)
    scalars[s] = hn::Set(d, *memory.in<float>(2 + kSlots + s));
  int64_t i = first;
  for (; i + lanes <= last; i += lanes) {
    V w = hn::LoadU(d, weight + i);
    V values[kSlots + 1];
    for (int s = 0; s < kSlots; ++s) values[s] = hn::LoadU(d, slots[s] + i);
    rule(d, w, hn::LoadU(d, gradient + i), values, scalars);
    hn::StoreU(w, d, weight + i);
    for (int s = 0; s < kSlots; ++s) hn::StoreU(values[s], d, slots[s] + i);
  }
  if (i == last) return;
  const auto mask = hn::FirstN(d, static_cast<size_t>(last - i));
  V w = hn::MaskedLoad(mask, d, weight + i);
  V values[kSlots + 1];
  for (int s = 0; s < kSlots; ++s) values[s] = hn::MaskedLoad(mask, d, slots[s] + i);
  rule(d, w, hn::MaskedLoad(mask, d, gradient + i), values, scalars);
  hn::BlendedStore(w, mask, d, weight + i);
  for (int s = 0; s < kSlots; ++s) hn::BlendedStore(values[s], mask, d, slots[s] + i);
}

void GradientDescent(const ops::Attributes& a, const KernelMemory& memory, int64_t first,
                     int64_t last) {
  UpdateElements(GradientDescentRule(a), memory, first, last);
}
void Momentum(const ops::Attributes& a, const KernelMemory& memory, int64_t first, int64_t last) {
  UpdateElements(MomentumRule(a), memory, first, last);
}
void Adam(const ops::Attributes& a, const KernelMemory& memory, int64_t first, int64_t last) {
  UpdateElements(AdamRule(a), memory, first, last);
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {
namespace {

HWY_EXPORT(GradientDescent);
HWY_EXPORT(Momentum);
HWY_EXPORT(Adam);

using UpdateFunction = void (*)(const ops::Attributes&, const KernelMemory&, int64_t, int64_t);

class UpdateKernel : public Kernel {
 public:
  UpdateKernel(const KernelSpec& spec, UpdateFunction function)
      : attributes_(spec.attributes), function_(function) {
    const Shape& shape = spec.inputs[0].shape;
    rows_ = shape.rank() > 0 ? shape[0] : 1;
    row_elements_ = rows_ == 0 ? 0 : shape.num_elements() / rows_;
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
      if (spec.inputs[i].shape == shape && shape.rank() > 0) aligned_ |= 1u << i;
    }
  }
  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return aligned_; }
  double cost_per_row() const override { return 20.0 * row_elements_; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    function_(attributes_, memory, begin * row_elements_, end * row_elements_);
  }

 private:
  const ops::Attributes attributes_;
  UpdateFunction function_;
  int64_t rows_, row_elements_;
  uint32_t aligned_ = 0;
};

std::unique_ptr<Kernel> MakeUpdate(const KernelSpec& spec, UpdateFunction function) {
  if (spec.inputs[0].dtype != DType::kFloat32) return nullptr;
  return std::make_unique<UpdateKernel>(spec, function);
}

// Registers `op` with the function that HWY_EXPORT has made a table for.
#define LOCKSTEP_REGISTER_UPDATE(op, Function)                                                   \
  const RegisterKernel k##Function(op, [](const KernelSpec& spec) {                              \
    return MakeUpdate(                                                                           \
        spec, [](const ops::Attributes& a, const KernelMemory& m, int64_t first, int64_t last) { \
          HWY_DYNAMIC_DISPATCH(Function)(a, m, first, last);                                     \
        });                                                                                      \
  })

LOCKSTEP_REGISTER_UPDATE("ResourceApplyGradientDescent", GradientDescent);
LOCKSTEP_REGISTER_UPDATE("ResourceApplyMomentum", Momentum);
LOCKSTEP_REGISTER_UPDATE("ResourceApplyAdam", Adam);

}  // namespace
}  // namespace lockstep::kernels
#endif
