#include "lockstep/nn/schedules.h"
#include "case.h"
#include "lockstep/ops/array.h"

namespace golden {
namespace {

using lockstep::SchedulePtr;
using lockstep::Tensor;
namespace schedules = lockstep::schedules;

Handler Schedule(const std::function<SchedulePtr(const Case&)>& make) {
  return [make](const Case& golden, Produced& produced) {
    const SchedulePtr schedule = make(golden);
    std::vector<Tensor> rates;
    for (const Tensor& step : lockstep::Unstack(golden.Input("step")))
      rates.push_back((*schedule)(step));
    produced["lr"] = lockstep::Stack(rates);
  };
}

double Rate(const Case& golden) { return golden.Get<double>("initial_learning_rate"); }
double Steps(const Case& golden) { return golden.Get<double>("decay_steps"); }

SchedulePtr Cosine(const Case& golden) {
  schedules::CosineDecayOptions options{.initial_learning_rate = Rate(golden),
                                        .decay_steps = Steps(golden),
                                        .alpha = golden.Param("alpha", 0.0),
                                        .warmup_steps = golden.Param("warmup_steps", 0.0)};
  if (golden.HasParam("warmup_target")) options.warmup_target = golden.Get<double>("warmup_target");
  return schedules::CosineDecay(options);
}

const RegisterGroup kSchedules(
    "schedules",
    {
        {"schedule_ExponentialDecay", Schedule([](const Case& c) {
           return schedules::ExponentialDecay({.initial_learning_rate = Rate(c),
                                               .decay_steps = Steps(c),
                                               .decay_rate = c.Get<double>("decay_rate"),
                                               .staircase = c.Param("staircase", false)});
         })},
        {"schedule_PiecewiseConstantDecay", Schedule([](const Case& c) {
           return schedules::PiecewiseConstantDecay(c.Integers("boundaries"),
                                                    c.Get<std::vector<double>>("values"));
         })},
        {"schedule_PolynomialDecay", Schedule([](const Case& c) {
           return schedules::PolynomialDecay(
               {.initial_learning_rate = Rate(c),
                .decay_steps = Steps(c),
                .end_learning_rate = c.Param("end_learning_rate", 0.0001),
                .power = c.Param("power", 1.0),
                .cycle = c.Param("cycle", false)});
         })},
        {"schedule_InverseTimeDecay", Schedule([](const Case& c) {
           return schedules::InverseTimeDecay({.initial_learning_rate = Rate(c),
                                               .decay_steps = Steps(c),
                                               .decay_rate = c.Get<double>("decay_rate"),
                                               .staircase = c.Param("staircase", false)});
         })},
        {"schedule_CosineDecay", Schedule(Cosine)},
        {"schedule_CosineDecayRestarts", Schedule([](const Case& c) {
           return schedules::CosineDecayRestarts(
               {.initial_learning_rate = Rate(c),
                .first_decay_steps = c.Get<double>("first_decay_steps"),
                .t_mul = c.Param("t_mul", 2.0),
                .m_mul = c.Param("m_mul", 1.0),
                .alpha = c.Param("alpha", 0.0)});
         })},
    });

}  // namespace
}  // namespace golden
