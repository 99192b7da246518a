#include "lockstep/nn/schedules.h"

#include <numbers>
#include <sstream>
#include <string>

#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"

namespace lockstep::schedules {

namespace {

void RequireSteps(const char* where, const char* name, double steps) {
  if (steps > 0) return;
  std::ostringstream text;
  text << "[" << where << "] " << name << " must be positive; got " << steps;
  throw Error(Code::kInvalidArgument, text.str());
}

Tensor Real(const Tensor& step) { return Cast(step, DType::kFloat32); }

// s / decay_steps, perhaps without its fraction.
Tensor Periods(const Tensor& step, double decay_steps, bool staircase) {
  const Tensor periods = Real(step) / decay_steps;
  return staircase ? Floor(periods) : periods;
}

// (1 + cos(pi * fraction)) / 2
Tensor HalfCosine(const Tensor& fraction) { return 0.5 * (1 + Cos(std::numbers::pi * fraction)); }

class ExponentialDecaySchedule : public LearningRateSchedule {
 public:
  explicit ExponentialDecaySchedule(const ExponentialDecayOptions& o) : o_(o) {
    RequireSteps("exponential_decay", "decay_steps", o.decay_steps);
  }
  Tensor operator()(const Tensor& step) const override {
    const Tensor periods = Periods(step, o_.decay_steps, o_.staircase);
    return o_.initial_learning_rate * Pow(o_.decay_rate, periods);
  }

 private:
  const ExponentialDecayOptions o_;
};

class PiecewiseConstantDecaySchedule : public LearningRateSchedule {
 public:
  PiecewiseConstantDecaySchedule(std::vector<int64_t> boundaries, std::vector<double> values)
      : boundaries_(std::move(boundaries)), values_(std::move(values)) {
    if (values_.size() != boundaries_.size() + 1) {
      throw Error(Code::kInvalidArgument,
                  "[piecewise_constant_decay] there must be one value more than boundaries; got " +
                      std::to_string(values_.size()) + " values and " +
                      std::to_string(boundaries_.size()) + " boundaries");
    }
    for (size_t i = 1; i < boundaries_.size(); ++i) {
      if (boundaries_[i] > boundaries_[i - 1]) continue;
      throw Error(Code::kInvalidArgument, "[piecewise_constant_decay] boundaries must rise; got " +
                                              std::to_string(boundaries_[i - 1]) + " before " +
                                              std::to_string(boundaries_[i]));
    }
  }
  Tensor operator()(const Tensor& step) const override {
    Tensor rate = Scalar(static_cast<float>(values_.back()));
    for (size_t i = boundaries_.size(); i-- > 0;) {
      rate = Where(LessEqual(step, boundaries_[i]), Scalar(static_cast<float>(values_[i])), rate);
    }
    return rate;
  }

 private:
  const std::vector<int64_t> boundaries_;
  const std::vector<double> values_;
};

class PolynomialDecaySchedule : public LearningRateSchedule {
 public:
  explicit PolynomialDecaySchedule(const PolynomialDecayOptions& o) : o_(o) {
    RequireSteps("polynomial_decay", "decay_steps", o.decay_steps);
  }
  Tensor operator()(const Tensor& step) const override {
    Tensor s = Real(step);
    Tensor length = Scalar(static_cast<float>(o_.decay_steps));
    if (o_.cycle) {
      length = length * Maximum(Ceil(s / o_.decay_steps), 1);
    } else {
      s = Minimum(s, length);
    }
    const double height = o_.initial_learning_rate - o_.end_learning_rate;
    return height * Pow(1 - s / length, o_.power) + o_.end_learning_rate;
  }

 private:
  const PolynomialDecayOptions o_;
};

class InverseTimeDecaySchedule : public LearningRateSchedule {
 public:
  explicit InverseTimeDecaySchedule(const InverseTimeDecayOptions& o) : o_(o) {
    RequireSteps("inverse_time_decay", "decay_steps", o.decay_steps);
  }
  Tensor operator()(const Tensor& step) const override {
    const Tensor periods = Periods(step, o_.decay_steps, o_.staircase);
    return o_.initial_learning_rate / (1 + o_.decay_rate * periods);
  }

 private:
  const InverseTimeDecayOptions o_;
};

class CosineDecaySchedule : public LearningRateSchedule {
 public:
  explicit CosineDecaySchedule(const CosineDecayOptions& o) : o_(o) {
    RequireSteps("cosine_decay", "decay_steps", o.decay_steps);
    if (o.warmup_steps < 0) {
      std::ostringstream text;
      text << "[cosine_decay] warmup_steps must not be negative; got " << o.warmup_steps;
      throw Error(Code::kInvalidArgument, text.str());
    }
  }
  Tensor operator()(const Tensor& step) const override {
    const Tensor s = Real(step);
    if (!o_.warmup_target.has_value()) return Decayed(s, o_.initial_learning_rate);
    const Tensor decayed = Decayed(s - o_.warmup_steps, *o_.warmup_target);
    if (o_.warmup_steps == 0) return decayed;
    const double height = *o_.warmup_target - o_.initial_learning_rate;
    const Tensor warming = height * (s / o_.warmup_steps) + o_.initial_learning_rate;
    return Where(Less(s, o_.warmup_steps), warming, decayed);
  }

 private:
  Tensor Decayed(const Tensor& s, double from) const {
    const Tensor fraction = Minimum(s, o_.decay_steps) / o_.decay_steps;
    return from * ((1 - o_.alpha) * HalfCosine(fraction) + o_.alpha);
  }

  const CosineDecayOptions o_;
};

class CosineDecayRestartsSchedule : public LearningRateSchedule {
 public:
  explicit CosineDecayRestartsSchedule(const CosineDecayRestartsOptions& o) : o_(o) {
    RequireSteps("cosine_decay_restarts", "first_decay_steps", o.first_decay_steps);
  }
  Tensor operator()(const Tensor& step) const override {
    const Tensor periods = Real(step) / o_.first_decay_steps;
    Tensor restarts, fraction;
    if (o_.t_mul == 1) {
      restarts = Floor(periods);
      fraction = periods - restarts;
    } else {
      const Tensor factor = Scalar(static_cast<float>(o_.t_mul));
      restarts = Floor(Log(1 - periods * (1 - factor)) / Log(factor));
      const Tensor length = Pow(factor, restarts);  // of this period, in first periods
      fraction = (periods - (1 - length) / (1 - factor)) / length;
    }
    const Tensor height = Pow(o_.m_mul, restarts);
    return o_.initial_learning_rate * ((1 - o_.alpha) * (height * HalfCosine(fraction)) + o_.alpha);
  }

 private:
  const CosineDecayRestartsOptions o_;
};

}  // namespace

SchedulePtr ExponentialDecay(const ExponentialDecayOptions& options) {
  return std::make_shared<ExponentialDecaySchedule>(options);
}
SchedulePtr PiecewiseConstantDecay(std::vector<int64_t> boundaries, std::vector<double> values) {
  return std::make_shared<PiecewiseConstantDecaySchedule>(std::move(boundaries), std::move(values));
}
SchedulePtr PolynomialDecay(const PolynomialDecayOptions& options) {
  return std::make_shared<PolynomialDecaySchedule>(options);
}
SchedulePtr InverseTimeDecay(const InverseTimeDecayOptions& options) {
  return std::make_shared<InverseTimeDecaySchedule>(options);
}
SchedulePtr CosineDecay(const CosineDecayOptions& options) {
  return std::make_shared<CosineDecaySchedule>(options);
}
SchedulePtr CosineDecayRestarts(const CosineDecayRestartsOptions& options) {
  return std::make_shared<CosineDecayRestartsSchedule>(options);
}

}  // namespace lockstep::schedules

namespace lockstep {

void LearningRate::RequireSchedule() const {
  if (schedule_ != nullptr) return;
  throw Error(Code::kInvalidArgument,
              "[learning_rate] a rate is a number or a schedule; got a null pointer");
}

}  // namespace lockstep
