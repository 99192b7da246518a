#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// A learning rate that follows from the number of updates done. To write one, derive and use ops,
/// so that it works eagerly and in a traced step. Source:
/// keras.optimizers.schedules.LearningRateSchedule.
class LearningRateSchedule {
 public:
  virtual ~LearningRateSchedule() = default;
  /// The rate for `step`, an integer scalar that counts from zero. Shape: []; float32.
  virtual Tensor operator()(const Tensor& step) const = 0;
};
using SchedulePtr = std::shared_ptr<const LearningRateSchedule>;

/// Schedules by Keras's names and with its defaults. s is the step as float32; a number of steps
/// may have a fraction. Errors of all: InvalidArgument when a number of steps is not positive.
namespace schedules {

struct ExponentialDecayOptions {
  double initial_learning_rate = 0;
  double decay_steps = 0;
  double decay_rate = 0;
  bool staircase = false;
};
/// rate * decay_rate^(s / decay_steps), a whole exponent with `staircase`.
SchedulePtr ExponentialDecay(const ExponentialDecayOptions& options);
inline SchedulePtr ExponentialDecay(double initial_learning_rate, double decay_steps,
                                    double decay_rate, bool staircase = false) {
  return ExponentialDecay({initial_learning_rate, decay_steps, decay_rate, staircase});
}

/// values[i] for steps up to and with boundaries[i], the last value beyond. InvalidArgument unless
/// there is one value more than boundaries.
SchedulePtr PiecewiseConstantDecay(std::vector<int64_t> boundaries, std::vector<double> values);

struct PolynomialDecayOptions {
  double initial_learning_rate = 0;
  double decay_steps = 0;
  double end_learning_rate = 0.0001;
  double power = 1;
  bool cycle = false;
};
/// (rate - end) * (1 - min(s, n) / n)^power + end; with `cycle` n is the next multiple of
/// decay_steps instead of its end.
SchedulePtr PolynomialDecay(const PolynomialDecayOptions& options);
inline SchedulePtr PolynomialDecay(double initial_learning_rate, double decay_steps,
                                   double end_learning_rate = 0.0001, double power = 1) {
  return PolynomialDecay({initial_learning_rate, decay_steps, end_learning_rate, power});
}

struct InverseTimeDecayOptions {
  double initial_learning_rate = 0;
  double decay_steps = 0;
  double decay_rate = 0;
  bool staircase = false;
};
/// rate / (1 + decay_rate * s / decay_steps), a whole quotient with `staircase`.
SchedulePtr InverseTimeDecay(const InverseTimeDecayOptions& options);
inline SchedulePtr InverseTimeDecay(double initial_learning_rate, double decay_steps,
                                    double decay_rate, bool staircase = false) {
  return InverseTimeDecay({initial_learning_rate, decay_steps, decay_rate, staircase});
}

struct CosineDecayOptions {
  double initial_learning_rate = 0;
  double decay_steps = 0;
  double alpha = 0;
  std::optional<double> warmup_target = {};
  double warmup_steps = 0;
};
/// rate * ((1 - alpha) * (1 + cos(pi * min(s, n) / n)) / 2 + alpha); with a warmup target first
/// linear up to it, then from there.
SchedulePtr CosineDecay(const CosineDecayOptions& options);
inline SchedulePtr CosineDecay(double initial_learning_rate, double decay_steps, double alpha = 0) {
  return CosineDecay({initial_learning_rate, decay_steps, alpha});
}

struct CosineDecayRestartsOptions {
  double initial_learning_rate = 0;
  double first_decay_steps = 0;
  double t_mul = 2;
  double m_mul = 1;
  double alpha = 0;
};
/// Cosine decays one after another, each `t_mul` times as long and beginning `m_mul` times as high.
SchedulePtr CosineDecayRestarts(const CosineDecayRestartsOptions& options);
inline SchedulePtr CosineDecayRestarts(double initial_learning_rate, double first_decay_steps) {
  return CosineDecayRestarts(
      {.initial_learning_rate = initial_learning_rate, .first_decay_steps = first_decay_steps});
}

}  // namespace schedules

/// A fixed rate or a schedule, as options of optimizers take it.
class LearningRate {
 public:
  LearningRate(double value) : value_(value) {}  // NOLINT: implicit
  /// InvalidArgument for a null pointer.
  template <std::convertible_to<SchedulePtr> S>
  LearningRate(S schedule) : schedule_(std::move(schedule)) {  // NOLINT: implicit
    RequireSchedule();
  }
  double value() const { return value_; }
  const SchedulePtr& schedule() const { return schedule_; }

 private:
  void RequireSchedule() const;
  double value_ = 0;
  SchedulePtr schedule_;
};

}  // namespace lockstep
