// LossScaleOptimizer: gradients of a scaled loss, skipped where they are not finite.

#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "nn/optimizers/update.h"

namespace lockstep::optimizers {

namespace {

class LossScaleWrapper : public Optimizer {
 public:
  LossScaleWrapper(OptimizerPtr inner, const LossScaleOptions& options)
      : Optimizer("loss_scale_optimizer", 0.0),
        inner_(std::move(inner)),
        growth_steps_(options.dynamic_growth_steps),
        counter_(Scalar<int64_t>(0), {.name = name() + "/step_counter", .trainable = false}),
        scale_(Scalar<float>(static_cast<float>(options.initial_scale)),
               {.name = name() + "/dynamic_scale", .trainable = false}) {}

  void Build(const std::vector<Variable>& weights) override { inner_->Build(weights); }
  Tensor ScaleLoss(const Tensor& loss) const override {
    return loss * Cast(scale_.value(), loss.dtype());
  }
  void Finalize() override { inner_->Finalize(); }
  const Variable& iterations() const override { return inner_->iterations(); }
  Tensor learning_rate() const override { return inner_->learning_rate(); }
  void SetLearningRate(double rate) override { inner_->SetLearningRate(rate); }
  void SetSchedule(SchedulePtr schedule) override { inner_->SetSchedule(std::move(schedule)); }
  void ExcludeFromWeightDecay(const std::vector<Variable>& weights) override {
    inner_->ExcludeFromWeightDecay(weights);
  }
  bool has_schedule() const override { return inner_->has_schedule(); }
  void KeepGradientNorms(bool keep) override { inner_->KeepGradientNorms(keep); }
  bool keeps_gradient_norms() const override { return inner_->keeps_gradient_norms(); }
  std::vector<std::pair<std::string, double>> gradient_norms() const override {
    return inner_->gradient_norms();
  }
  std::vector<Variable> variables() const override {
    std::vector<Variable> all{counter_, scale_};
    for (const Variable& variable : inner_->variables()) all.push_back(variable);
    return all;
  }

  void ApplyIf(const Tensor& enabled, const std::vector<Tensor>& gradients,
               const std::vector<Weight>& weights) override {
    const Tensor scale = scale_.value();
    std::vector<Tensor> unscaled;
    Tensor finite;
    for (const Tensor& gradient : gradients) {
      unscaled.push_back(Unscaled(gradient, scale));
      if (!gradient.defined()) continue;
      const IndexedSlices* slices = IndexedSlices::Of(gradient);
      const Tensor all = ReduceAll(IsFinite(slices != nullptr ? slices->ToDense() : gradient));
      finite = finite.defined() ? LogicalAnd(finite, all) : all;
    }
    if (!finite.defined()) finite = Equal(scale, scale);  // the inner one refuses
    inner_->ApplyIf(enabled.defined() ? LogicalAnd(enabled, finite) : finite, unscaled, weights);
    const Tensor counter = counter_.value();
    const Tensor grows = Equal(counter, growth_steps_ - 1);
    const Tensor restarts = LogicalOr(LogicalNot(finite), grows);
    nn::AssignWhere(enabled, counter_, Where(restarts, Scalar<int64_t>(0), counter + 1));
    nn::AssignWhere(enabled, scale_, Where(finite, Where(grows, scale * 2, scale), scale * 0.5));
  }

 protected:
  std::vector<std::string> SlotNames(const Variable&) const override { return {}; }
  std::vector<Tensor> SharedValues(const Tensor&, const Tensor&) const override { return {}; }
  void Update(const Variable&, const WeightGradient&, const std::vector<Variable>&,
              const UpdateContext&) const override {}

 private:
  static Tensor Unscaled(const Tensor& gradient, const Tensor& scale) {
    if (!gradient.defined()) return gradient;
    const Tensor divisor = Cast(scale, gradient.dtype());
    if (const IndexedSlices* slices = IndexedSlices::Of(gradient)) {
      return IndexedSlices{slices->values / divisor, slices->indices, slices->dense_shape}
          .ToTensor();
    }
    return gradient / divisor;
  }

  OptimizerPtr inner_;
  int64_t growth_steps_;
  Variable counter_, scale_;
};

}  // namespace

OptimizerPtr LossScaleOptimizer(OptimizerPtr inner, const LossScaleOptions& options) {
  if (inner == nullptr) {
    throw Error(Code::kInvalidArgument, "[loss_scale_optimizer] an optimizer is needed; got none");
  }
  if (inner->options().loss_scale_factor != 0) {
    throw Error(Code::kInvalidArgument,
                "[loss_scale_optimizer] the optimizer inside must not scale the loss; got "
                "loss_scale_factor " +
                    std::to_string(inner->options().loss_scale_factor));
  }
  if (!(options.initial_scale > 0) || options.dynamic_growth_steps < 1) {
    throw Error(Code::kInvalidArgument,
                "[loss_scale_optimizer] initial_scale and dynamic_growth_steps must be positive; "
                "got " +
                    std::to_string(options.initial_scale) + " and " +
                    std::to_string(options.dynamic_growth_steps));
  }
  return std::make_shared<LossScaleWrapper>(std::move(inner), options);
}

}  // namespace lockstep::optimizers
