#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/nn/layer.h"
#include "lockstep/nn/schedules.h"
#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// What all optimizers have besides their rule, by Keras's names. At most one of the three
/// clippings may be set; zero is off. They act on the sum over replicas, never on a replica's share
/// (Keras clips each share; see ARCHITECTURE.md).
struct UpdateOptions {
  /// The share of a weight, times the rate, that is taken off before its update.
  std::optional<double> weight_decay = {};
  /// The largest norm of each gradient.
  double clipnorm = 0;
  /// The largest magnitude of each element.
  double clipvalue = 0;
  /// The largest norm of all gradients together.
  double global_clipnorm = 0;
  /// Keeps the running means of the weights, which replace them every `ema_overwrite_frequency`
  /// updates (0: never) and when `Fit` ends.
  bool use_ema = false;
  double ema_momentum = 0.99;
  int64_t ema_overwrite_frequency = 0;
  /// Factor of the loss before its gradients are taken, and divisor of the gradients; 0: none.
  double loss_scale_factor = 0;
  /// Updates happen every so many calls, by the mean of the gradients since; 0: each time.
  int64_t gradient_accumulation_steps = 0;
  /// Weights with one of these in their name are not decayed.
  std::vector<std::string> exclude_from_weight_decay = {};
  /// The name of the optimizer; empty: its kind.
  std::string name = {};
};

/// The gradient of a weight, as an update sees it.
struct WeightGradient {
  /// Shape and dtype: the weight's.
  Tensor value;
  /// For a gradient that was given as slices: the sum over the occurrences of each row of their
  /// squares (or magnitudes), which Keras takes in place of the square of the sum. Else empty.
  Tensor moment;

  /// The moment, or the value's square.
  Tensor Squares() const;
};

/// What an update sees of its step; numbers are scalars of the weight's dtype.
struct UpdateContext {
  Tensor step;  // counts the updates from one
  Tensor rate;
  std::vector<Tensor> shared;  // what the optimizer computes once for all weights
  Tensor decay;                // the share of the weight to take off first; empty: none
  Tensor enabled;              // bool; nothing may change where it is false; empty: true
};

/// Changes weights by their gradients. The update consists of ops, eager or in a graph, and its
/// state lives in variables: `iterations`, `learning_rate` and slots named "<weight>_<slot>".
/// To write one, derive, name the slots, and override `Update`. Source: keras.optimizers.Optimizer.
/// Threads: to be used by one thread at a time.
class Optimizer {
 public:
  /// InvalidArgument for options out of range or several clippings.
  Optimizer(std::string kind, const LearningRate& learning_rate, UpdateOptions options = {});
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  const std::string& name() const { return name_; }
  const UpdateOptions& options() const { return options_; }
  /// Creates the slots; called by the first `Apply` too.
  virtual void Build(const std::vector<Variable>& weights);
  /// One update: gradients are unscaled, accumulated and clipped; weights are decayed, updated,
  /// averaged and constrained; then `iterations` counts. Empty gradients are skipped;
  /// InvalidArgument when all are empty, or when their number is not that of the weights. Inside of
  /// a replica the sum of all replicas' gradients is applied, once.
  void Apply(const std::vector<Tensor>& gradients, const std::vector<Variable>& weights);
  void Apply(const std::vector<Tensor>& gradients, const std::vector<Weight>& weights);
  /// `Apply` where `enabled` (a bool scalar) is true; where it is false, nothing at all changes.
  virtual void ApplyIf(const Tensor& enabled, const std::vector<Tensor>& gradients,
                       const std::vector<Weight>& weights);
  /// The loss from which gradients for `Apply` are to be taken.
  virtual Tensor ScaleLoss(const Tensor& loss) const;
  /// Whether updates note how large each weight's gradient is, before it is clipped. What was
  /// traced before keeps to what held then. Costs a pass over the gradients, and changes no
  /// weight's bits.
  virtual void KeepGradientNorms(bool keep);
  virtual bool keeps_gradient_norms() const { return keep_norms_; }
  /// The weights' names with the norms of their gradients in the last update that noted them.
  virtual std::vector<std::pair<std::string, double>> gradient_norms() const;
  /// From now on updates take no weight decay off these weights.
  virtual void ExcludeFromWeightDecay(const std::vector<Variable>& weights);
  /// From now on the rate is the schedule's. What was traced before keeps the rate that it had.
  virtual void SetSchedule(SchedulePtr schedule);
  /// Ends training: with `use_ema` weights become their running means.
  virtual void Finalize();

  /// How often `Apply` has been called; int64.
  virtual const Variable& iterations() const { return iterations_; }
  /// The rate of the next update; float32.
  virtual Tensor learning_rate() const;
  /// FailedPrecondition when the rate is a schedule's, InvalidArgument when it is negative or NaN.
  virtual void SetLearningRate(double rate);
  virtual bool has_schedule() const { return schedule_ != nullptr; }
  /// iterations, learning_rate, then the slots in the order of the weights.
  virtual std::vector<Variable> variables() const;

 protected:
  /// The names of the slots of a weight, and their first values (zeros when not overridden).
  virtual std::vector<std::string> SlotNames(const Variable& weight) const = 0;
  virtual Tensor InitialSlot(const std::string& slot, const Variable& weight) const;
  /// Variables of the optimizer itself, made once `weights` are known.
  virtual std::vector<Variable> MakeOwnVariables(const std::vector<Variable>& weights) {
    return {};
  }
  /// Changes the optimizer's own variables, once an update and after all weights.
  virtual void UpdateOwnVariables(const Tensor& step, const Tensor& enabled) {}
  /// Values that all weights of a dtype share in a step, such as corrections of a bias.
  virtual std::vector<Tensor> SharedValues(const Tensor& step, const Tensor& rate) const = 0;
  /// Whether the moment of slices is made of magnitudes instead of squares.
  virtual bool moment_of_magnitudes() const { return false; }
  virtual std::optional<double> WeightDecay(const Variable& weight) const;
  /// Changes a weight and its slots. Decay has been done, and what this changes counts only where
  /// the update is enabled, unless `handles_context`.
  virtual void Update(const Variable& weight, const WeightGradient& gradient,
                      const std::vector<Variable>& slots, const UpdateContext& context) const = 0;
  /// Whether `Update` itself takes `decay` and `enabled` of its context into account, which saves
  /// passes over the weights. Otherwise both are empty there.
  virtual bool handles_context() const { return false; }

 private:
  struct Slots {
    Variable weight;
    std::vector<Variable> slots;
    Variable accumulator, average, norm;
  };
  struct Contribution {
    Slots* slots;
    WeightGradient gradient;
    Tensor slices;  // a gradient that was given as slices: their values, a row for each occurrence
  };

  Slots* Find(const Variable& weight);
  bool Decays(const Variable& weight) const;
  Variable MakeSlot(const Variable& weight, const std::string& slot, bool zeros) const;
  Tensor ClippedSlices(const Tensor& values) const;
  std::vector<Contribution> Contributions(const std::vector<Tensor>& gradients,
                                          const std::vector<Weight>& weights);
  /// The number of updates before this one.
  Tensor UpdatesDone() const;
  /// Adds to what is kept; the result says whether this call updates.
  Tensor Accumulate(const Tensor& enabled, std::vector<Contribution>& contributions) const;
  void NoteNorms(const Tensor& enabled, const std::vector<Contribution>& contributions) const;
  void Clip(std::vector<Contribution>& contributions) const;
  void UpdateOne(const Contribution& contribution, UpdateContext context) const;
  void UpdateAll(const Tensor& enabled, const std::vector<Contribution>& contributions);
  void Average(const Tensor& enabled) const;

  std::string name_;
  UpdateOptions options_;
  SchedulePtr schedule_;
  Variable iterations_;
  Variable learning_rate_;
  std::vector<Variable> own_variables_;
  std::vector<Slots> slots_;
  std::vector<Variable> undecayed_;
  bool keep_norms_ = false;
};
using OptimizerPtr = std::shared_ptr<Optimizer>;

}  // namespace lockstep
