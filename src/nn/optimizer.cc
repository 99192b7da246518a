#include "lockstep/nn/optimizer.h"

#include <algorithm>

#include "lockstep/distribute/strategy.h"
#include "lockstep/graph/device.h"
#include "lockstep/nn/constraints.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "nn/optimizers/update.h"
#include "ops/builder.h"
#include "runtime/placed_variable.h"
#include "runtime/variable_state.h"

namespace lockstep {

using nn::AssignWhere;
using nn::RequireNotNegative;

namespace {

// Each element brought into [-limit, limit].
Tensor Bounded(const Tensor& x, double limit) { return Minimum(Maximum(x, -limit), limit); }

void CheckOptions(const std::string& where, const UpdateOptions& options) {
  RequireNotNegative(where, "weight_decay", options.weight_decay.value_or(0));
  RequireNotNegative(where, "clipnorm", options.clipnorm);
  RequireNotNegative(where, "clipvalue", options.clipvalue);
  RequireNotNegative(where, "global_clipnorm", options.global_clipnorm);
  RequireNotNegative(where, "loss_scale_factor", options.loss_scale_factor);
  const int clippings =
      (options.clipnorm > 0) + (options.clipvalue > 0) + (options.global_clipnorm > 0);
  if (clippings > 1) {
    throw Error(Code::kInvalidArgument,
                "[" + where +
                    "] only one of clipnorm, clipvalue and global_clipnorm may be set; got " +
                    std::to_string(options.clipnorm) + ", " + std::to_string(options.clipvalue) +
                    " and " + std::to_string(options.global_clipnorm));
  }
  if (!(options.ema_momentum >= 0 && options.ema_momentum <= 1)) {
    throw Error(Code::kInvalidArgument, "[" + where + "] ema_momentum must be in [0, 1]; got " +
                                            std::to_string(options.ema_momentum));
  }
  if (options.ema_overwrite_frequency < 0) {
    throw Error(Code::kInvalidArgument, "[" + where +
                                            "] ema_overwrite_frequency must not be negative; got " +
                                            std::to_string(options.ema_overwrite_frequency));
  }
  if (options.gradient_accumulation_steps < 0 || options.gradient_accumulation_steps == 1) {
    throw Error(Code::kInvalidArgument,
                "[" + where +
                    "] gradient_accumulation_steps must be at least 2, or 0 for none; "
                    "got " +
                    std::to_string(options.gradient_accumulation_steps));
  }
}

// a and b, of which either may be empty.
Tensor Both(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() ? a : b;
  return LogicalAnd(a, b);
}

}  // namespace

Tensor WeightGradient::Squares() const { return moment.defined() ? moment : Square(value); }

Optimizer::Optimizer(std::string kind, const LearningRate& learning_rate, UpdateOptions options)
    : name_(options.name.empty() ? std::move(kind) : options.name),
      options_(std::move(options)),
      schedule_(learning_rate.schedule()),
      iterations_(Scalar<int64_t>(0), {.name = name_ + "/iterations", .trainable = false}) {
  CheckOptions(name_, options_);
  if (schedule_ != nullptr) return;
  RequireNotNegative(name_, "learning_rate", learning_rate.value());
  learning_rate_ = Variable(Scalar<float>(static_cast<float>(learning_rate.value())),
                            {.name = name_ + "/learning_rate", .trainable = false});
}

Tensor Optimizer::InitialSlot(const std::string&, const Variable& weight) const {
  return ops::Emit1("ZerosLike", {weight.value()});
}

std::optional<double> Optimizer::WeightDecay(const Variable&) const {
  return options_.weight_decay;
}

Optimizer::Slots* Optimizer::Find(const Variable& weight) {
  const auto place = std::find_if(slots_.begin(), slots_.end(), [&](const Slots& slots) {
    return slots.weight.state().first().id() == weight.state().first().id();
  });
  return place == slots_.end() ? nullptr : &*place;
}

Variable Optimizer::MakeSlot(const Variable& weight, const std::string& slot, bool zeros) const {
  std::string name = weight.name();
  std::replace(name.begin(), name.end(), '/', '_');
  std::optional<Device> beside;
  if (const auto* placed = runtime::AsPlacedVariable(weight.state().first())) {
    beside.emplace(placed->device);
  }
  return Variable(
      [&] { return zeros ? ops::Emit1("ZerosLike", {weight.value()}) : InitialSlot(slot, weight); },
      VariableOptions{.name = name_ + "/" + name + "_" + slot, .trainable = false});
}

void Optimizer::Build(const std::vector<Variable>& weights) {
  if (slots_.empty()) own_variables_ = MakeOwnVariables(weights);
  for (const Variable& weight : weights) {
    if (Find(weight) != nullptr) continue;
    Slots slots{.weight = weight};
    if (options_.gradient_accumulation_steps > 0)
      slots.accumulator = MakeSlot(weight, "gradient_accumulator", true);
    if (options_.use_ema) slots.average = MakeSlot(weight, "average", true);
    for (const std::string& slot : SlotNames(weight))
      slots.slots.push_back(MakeSlot(weight, slot, false));
    slots_.push_back(std::move(slots));
  }
  for (Slots& slots : slots_) {
    if (!keep_norms_ || slots.norm.defined()) continue;
    slots.norm = Variable(
        Scalar<float>(0),
        {.name = name_ + "/" + slots.weight.name() + "_gradient_norm", .trainable = false});
  }
}

void Optimizer::KeepGradientNorms(bool keep) { keep_norms_ = keep; }

std::vector<std::pair<std::string, double>> Optimizer::gradient_norms() const {
  std::vector<std::pair<std::string, double>> norms;
  for (const Slots& slots : slots_) {
    if (slots.norm.defined())
      norms.emplace_back(slots.weight.name(), slots.norm.value().scalar<float>());
  }
  return norms;
}

void Optimizer::Apply(const std::vector<Tensor>& gradients, const std::vector<Variable>& weights) {
  std::vector<Weight> plain;
  for (const Variable& weight : weights) plain.push_back({.variable = weight});
  Apply(gradients, plain);
}

void Optimizer::Apply(const std::vector<Tensor>& gradients, const std::vector<Weight>& weights) {
  const ReplicaContext* replica = GetReplicaContext();
  if (replica == nullptr || replica->num_replicas_in_sync() == 1) {
    ApplyIf(Tensor(), gradients, weights);
    return;
  }
  // Replicas hold one value of each weight, so their gradients are added and applied once.
  const auto apply = [&](Strategy& strategy, const std::vector<PerReplica>& own) {
    std::vector<Tensor> sums;
    for (const PerReplica& gradient : own)
      sums.push_back(strategy.Reduce(ReduceOp::kSum, gradient, {}));
    ApplyIf(Tensor(), sums, weights);
    return std::vector<PerReplica>();
  };
  replica->MergeCall(apply, gradients);
}

// Keras bounds each slice; those of a row are added behind that. Where gradients are accumulated
// they are dense before they are clipped.
Tensor Optimizer::ClippedSlices(const Tensor& values) const {
  if (options_.clipvalue == 0 || options_.gradient_accumulation_steps > 0) return values;
  const double scale = options_.loss_scale_factor > 0 ? options_.loss_scale_factor : 1;
  return Bounded(values, options_.clipvalue * scale);
}

std::vector<Optimizer::Contribution> Optimizer::Contributions(const std::vector<Tensor>& gradients,
                                                              const std::vector<Weight>& weights) {
  if (gradients.size() != weights.size()) {
    throw Error(Code::kInvalidArgument,
                "[" + name_ + "] each weight needs a gradient, perhaps an empty one; got " +
                    std::to_string(gradients.size()) + " gradients for " +
                    std::to_string(weights.size()) + " weights");
  }
  std::vector<Contribution> all;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (!gradients[i].defined()) continue;
    WeightGradient gradient;
    Tensor values;
    if (const IndexedSlices* slices = IndexedSlices::Of(gradients[i])) {
      values = ClippedSlices(slices->values);
      const auto dense = [slices](const Tensor& rows) {
        return IndexedSlices{rows, slices->indices, slices->dense_shape}.ToDense();
      };
      gradient.value = dense(values);
      gradient.moment = dense(moment_of_magnitudes() ? Abs(values) : Square(values));
    } else {
      gradient.value = gradients[i];
    }
    const DType dtype = weights[i].variable.dtype();
    if (gradient.value.dtype() != dtype) {
      gradient.value = Cast(gradient.value, dtype);
      if (gradient.moment.defined()) gradient.moment = Cast(gradient.moment, dtype);
    }
    all.push_back({Find(weights[i].variable), std::move(gradient), values});
  }
  if (all.empty()) {
    throw Error(Code::kInvalidArgument,
                "[" + name_ + "] at least one weight needs a gradient; got none for " +
                    std::to_string(weights.size()) +
                    " weights; does the loss depend on the model's weights?");
  }
  return all;
}

void Optimizer::ApplyIf(const Tensor& enabled, const std::vector<Tensor>& gradients,
                        const std::vector<Weight>& weights) {
  std::vector<Variable> variables;
  for (const Weight& weight : weights) variables.push_back(weight.variable);
  Build(variables);
  std::vector<Contribution> contributions = Contributions(gradients, weights);
  if (options_.loss_scale_factor > 0) {
    const double scale = options_.loss_scale_factor;
    const double of_moment = moment_of_magnitudes() ? scale : scale * scale;
    for (Contribution& c : contributions) {
      c.gradient.value = c.gradient.value / scale;
      if (c.slices.defined()) c.slices = c.slices / scale;
      if (c.gradient.moment.defined()) c.gradient.moment = c.gradient.moment / of_moment;
    }
  }
  const Tensor updates = Accumulate(enabled, contributions);
  if (keep_norms_) NoteNorms(updates, contributions);
  Clip(contributions);
  UpdateAll(updates, contributions);
  if (options_.use_ema) Average(enabled);
  for (const Weight& weight : weights) {
    if (weight.constraint == nullptr) continue;
    AssignWhere(enabled, weight.variable, (*weight.constraint)(weight.variable.value()));
  }
  iterations_.AssignAdd(enabled.defined() ? Cast(enabled, DType::kInt64) : Tensor(1));
}

Tensor Optimizer::UpdatesDone() const {
  const int64_t steps = options_.gradient_accumulation_steps;
  const Tensor calls = iterations_.value();
  return steps == 0 ? calls : FloorDiv(calls, steps);
}

Tensor Optimizer::Accumulate(const Tensor& enabled,
                             std::vector<Contribution>& contributions) const {
  const int64_t steps = options_.gradient_accumulation_steps;
  if (steps == 0) return enabled;
  const Tensor updates = Equal(FloorMod(iterations_.value() + 1, steps), 0);
  for (Contribution& c : contributions) {
    const Variable& kept = c.slots->accumulator;
    const Tensor sum = kept.value() + c.gradient.value;
    AssignWhere(enabled, kept, Where(updates, ops::Emit1("ZerosLike", {sum}), sum));
    c.gradient = {.value = sum / static_cast<double>(steps)};
    c.slices = {};
  }
  return Both(updates, enabled);
}

void Optimizer::NoteNorms(const Tensor& enabled,
                          const std::vector<Contribution>& contributions) const {
  for (const Contribution& c : contributions) {
    const bool wide = c.gradient.value.dtype() == DType::kFloat64;
    const Tensor value = wide ? c.gradient.value : Cast(c.gradient.value, DType::kFloat32);
    AssignWhere(enabled, c.slots->norm, Cast(Sqrt(SumOfSquares(value)), DType::kFloat32));
  }
}

void Optimizer::Clip(std::vector<Contribution>& contributions) const {
  if (options_.clipvalue > 0) {
    for (Contribution& c : contributions) {
      if (c.slices.defined()) continue;  // each has been clipped for itself
      c.gradient = {.value = Bounded(c.gradient.value, options_.clipvalue)};
    }
    return;
  }
  if (options_.clipnorm == 0 && options_.global_clipnorm == 0) return;
  std::vector<Tensor> squares;
  for (const Contribution& c : contributions) {
    squares.push_back(SumOfSquares(c.slices.defined() ? c.slices : c.gradient.value));
  }
  if (options_.clipnorm > 0) {
    for (size_t i = 0; i < squares.size(); ++i) {
      const Tensor norm = Sqrt(squares[i]);
      const Tensor factor = options_.clipnorm / Maximum(norm, options_.clipnorm);
      WeightGradient& gradient = contributions[i].gradient;
      gradient.value = gradient.value * factor;
      if (!gradient.moment.defined()) continue;
      gradient.moment = gradient.moment * (moment_of_magnitudes() ? factor : Square(factor));
    }
    return;
  }
  // A norm that is not finite makes everything NaN, as in Keras.
  const bool doubles = std::any_of(squares.begin(), squares.end(), [](const Tensor& square) {
    return square.dtype() == DType::kFloat64;
  });
  for (Tensor& square : squares) square = Cast(square, doubles ? DType::kFloat64 : DType::kFloat32);
  const Tensor norm = Sqrt(AddN(squares));
  const double limit = options_.global_clipnorm;
  const Tensor factor = limit * Minimum(1.0 / norm, 1.0 / limit) + (norm - norm);
  // Slices times a tensor are dense in Keras: they have no moment of their own any more.
  for (Contribution& c : contributions)
    c.gradient = {.value = c.gradient.value * Cast(factor, c.gradient.value.dtype())};
}

bool Optimizer::Decays(const Variable& weight) const {
  const auto& names = options_.exclude_from_weight_decay;
  const bool named = std::any_of(names.begin(), names.end(), [&](const std::string& part) {
    return weight.name().find(part) != std::string::npos;
  });
  return !named && std::none_of(undecayed_.begin(), undecayed_.end(), [&](const Variable& one) {
    return one.state().first().id() == weight.state().first().id();
  });
}

void Optimizer::ExcludeFromWeightDecay(const std::vector<Variable>& weights) {
  undecayed_.insert(undecayed_.end(), weights.begin(), weights.end());
}

void Optimizer::SetSchedule(SchedulePtr schedule) {
  schedule_ = std::move(schedule);
  learning_rate_ = Variable();
}

void Optimizer::UpdateAll(const Tensor& enabled, const std::vector<Contribution>& contributions) {
  const Tensor step = UpdatesDone() + 1;
  const Tensor rate = learning_rate();
  std::vector<std::pair<DType, UpdateContext>> contexts;
  for (const Contribution& c : contributions) {
    const DType dtype = c.slots->weight.dtype();
    auto place = std::find_if(contexts.begin(), contexts.end(),
                              [&](const auto& entry) { return entry.first == dtype; });
    if (place == contexts.end()) {
      UpdateContext made{.step = Cast(step, dtype), .rate = Cast(rate, dtype), .enabled = enabled};
      made.shared = SharedValues(made.step, made.rate);
      place = contexts.insert(contexts.end(), {dtype, std::move(made)});
    }
    UpdateContext context = place->second;
    const std::optional<double> decay = WeightDecay(c.slots->weight);
    if (Decays(c.slots->weight) && decay.value_or(0) != 0) context.decay = context.rate * *decay;
    UpdateOne(c, std::move(context));
  }
  UpdateOwnVariables(step, enabled);
}

void Optimizer::UpdateOne(const Contribution& contribution, UpdateContext context) const {
  const Slots& own = *contribution.slots;
  const auto update = [&] { Update(own.weight, contribution.gradient, own.slots, context); };
  if (handles_context()) return update();
  const Tensor decay = std::exchange(context.decay, {});
  const Tensor enabled = std::exchange(context.enabled, {});
  std::vector<Variable> changed = own.slots;
  changed.push_back(own.weight);
  std::vector<Tensor> before;
  for (const Variable& variable : changed) {
    if (enabled.defined()) before.push_back(variable.value());
  }
  if (decay.defined()) own.weight.AssignSub(own.weight.value() * decay);
  update();
  for (size_t i = 0; i < before.size(); ++i)
    changed[i].Assign(Where(enabled, changed[i].value(), before[i]));
}

void Optimizer::Average(const Tensor& enabled) const {
  const Tensor done = UpdatesDone();
  const Tensor momentum =
      Where(Equal(done, 0), Scalar(0.0f), Scalar(static_cast<float>(options_.ema_momentum)));
  Tensor overwrites;
  if (options_.ema_overwrite_frequency > 0) {
    overwrites = Both(Equal(FloorMod(done + 1, options_.ema_overwrite_frequency), 0), enabled);
  }
  for (const Slots& slots : slots_) {
    const Tensor share = Cast(momentum, slots.weight.dtype());
    const Tensor average = share * slots.average.value() + (1 - share) * slots.weight.value();
    const Tensor now = AssignWhere(enabled, slots.average, average);
    if (overwrites.defined()) AssignWhere(overwrites, slots.weight, now);
  }
}

Tensor Optimizer::ScaleLoss(const Tensor& loss) const {
  return options_.loss_scale_factor > 0 ? loss * options_.loss_scale_factor : loss;
}

void Optimizer::Finalize() {
  if (!options_.use_ema || iterations_.value().scalar<int64_t>() == 0) return;
  for (const Slots& slots : slots_) slots.weight.Assign(slots.average.value());
}

Tensor Optimizer::learning_rate() const {
  return schedule_ != nullptr ? (*schedule_)(iterations_.value()) : learning_rate_.value();
}

void Optimizer::SetLearningRate(double rate) {
  if (schedule_ != nullptr) {
    throw Error(Code::kFailedPrecondition,
                "[" + name_ + "] the rate follows from a schedule; got an assignment of " +
                    std::to_string(rate) + "; build the optimizer with a number instead");
  }
  RequireNotNegative(name_, "learning_rate", rate);
  learning_rate_.Assign(Scalar<float>(static_cast<float>(rate)));
}

std::vector<Variable> Optimizer::variables() const {
  std::vector<Variable> all{iterations_};
  const auto add = [&](const Variable& variable) {
    if (variable.defined()) all.push_back(variable);
  };
  add(learning_rate_);
  for (const Variable& variable : own_variables_) add(variable);
  for (const Slots& slots : slots_) {
    add(slots.accumulator);
    add(slots.average);
    for (const Variable& slot : slots.slots) add(slot);
  }
  return all;
}

}  // namespace lockstep
