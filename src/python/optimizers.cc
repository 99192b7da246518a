#include "lockstep/nn/optimizers.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bind.h"
#include "python/nn_values.h"

namespace lockstep::python {

namespace {

class PythonSchedule : public LearningRateSchedule {
 public:
  explicit PythonSchedule(nb::object function) : function_(std::move(function)) {}
  Tensor operator()(const Tensor& step) const override {
    const nb::gil_scoped_acquire lock;
    return Arg{function_.get()(step)}.Strong();
  }

 private:
  Held function_;
};

LearningRate RateOf(const Given& g, double fallback) {
  if (auto schedule = g.Boxed<LearningRateSchedule>("schedule")) return LearningRate(schedule);
  return LearningRate(g.Get("learning_rate", fallback));
}

UpdateOptions UpdatesOf(const Given& g) {
  UpdateOptions o;
  o.weight_decay = g.Optional<double>("weight_decay");
  o.clipnorm = g.Get("clipnorm", 0.0);
  o.clipvalue = g.Get("clipvalue", 0.0);
  o.global_clipnorm = g.Get("global_clipnorm", 0.0);
  o.use_ema = g.Get("use_ema", false);
  o.ema_momentum = g.Get("ema_momentum", 0.99);
  o.ema_overwrite_frequency = g.Get<int64_t>("ema_overwrite_frequency", 0);
  o.loss_scale_factor = g.Get("loss_scale_factor", 0.0);
  o.gradient_accumulation_steps = g.Get<int64_t>("gradient_accumulation_steps", 0);
  o.exclude_from_weight_decay = g.Get<std::vector<std::string>>("exclude_from_weight_decay", {});
  o.name = g.Get<std::string>("name", "");
  return o;
}

optimizers::MuonOptions MuonOf(const Given& g, const LearningRate& rate) {
  optimizers::MuonOptions o{.learning_rate = rate};
  o.adam_beta_1 = g.Get("adam_beta_1", o.adam_beta_1);
  o.adam_beta_2 = g.Get("adam_beta_2", o.adam_beta_2);
  o.adam_weight_decay = g.Get("adam_weight_decay", o.adam_weight_decay);
  o.epsilon = g.Get("epsilon", o.epsilon);
  o.exclude_layers = g.Get<std::vector<std::string>>("exclude_layers", {});
  o.exclude_embeddings = g.Get("exclude_embeddings", o.exclude_embeddings);
  o.muon_a = g.Get("muon_a", o.muon_a);
  o.muon_b = g.Get("muon_b", o.muon_b);
  o.muon_c = g.Get("muon_c", o.muon_c);
  o.adam_lr_ratio = g.Get("adam_lr_ratio", o.adam_lr_ratio);
  o.momentum = g.Get("momentum", o.momentum);
  o.ns_steps = g.Get("ns_steps", o.ns_steps);
  o.nesterov = g.Get("nesterov", o.nesterov);
  o.rms_rate = g.Optional<double>("rms_rate").value_or(0);
  return o;
}

OptimizerPtr MakeOptimizer(const std::string& kind, nb::dict options) {
  namespace o = optimizers;
  const Given g(options);
  const UpdateOptions u = UpdatesOf(g);
  const LearningRate rate = RateOf(g, kind == "SGD" ? 0.01 : 0.001);
  const double beta_1 = g.Get("beta_1", 0.9);
  const double beta_2 = g.Get("beta_2", kind == "Lion" ? 0.99 : 0.999);
  const double epsilon = g.Get("epsilon", 1e-7);
  if (kind == "SGD") return o::Sgd({rate, g.Get("momentum", 0.0), g.Get("nesterov", false)}, u);
  if (kind == "RMSprop") {
    return o::Rmsprop(
        {rate, g.Get("rho", 0.9), g.Get("momentum", 0.0), epsilon, g.Get("centered", false)}, u);
  }
  if (kind == "Adagrad")
    return o::Adagrad({rate, g.Get("initial_accumulator_value", 0.1), epsilon}, u);
  if (kind == "Adadelta") return o::Adadelta({rate, g.Get("rho", 0.95), epsilon}, u);
  if (kind == "Adam") return o::Adam({rate, beta_1, beta_2, epsilon, g.Get("amsgrad", false)}, u);
  if (kind == "AdamW") return o::AdamW({rate, beta_1, beta_2, epsilon, g.Get("amsgrad", false)}, u);
  if (kind == "Nadam") return o::Nadam({rate, beta_1, beta_2, epsilon}, u);
  if (kind == "Adamax") return o::Adamax({rate, beta_1, beta_2, epsilon}, u);
  if (kind == "Ftrl") {
    return o::Ftrl(
        {rate, g.Get("learning_rate_power", -0.5), g.Get("initial_accumulator_value", 0.1),
         g.Get("l1_regularization_strength", 0.0), g.Get("l2_regularization_strength", 0.0),
         g.Get("l2_shrinkage_regularization_strength", 0.0), g.Get("beta", 0.0)},
        u);
  }
  if (kind == "Lion") return o::Lion({rate, beta_1, beta_2}, u);
  if (kind == "Lamb") return o::Lamb({rate, beta_1, beta_2, epsilon}, u);
  if (kind == "Adafactor") {
    return o::Adafactor({rate, g.Get("beta_2_decay", -0.8), g.Get("epsilon_1", 1e-30),
                         g.Get("epsilon_2", 1e-3), g.Get("clip_threshold", 1.0)},
                        u);
  }
  if (kind == "Muon") return o::Muon(MuonOf(g, rate), u);
  throw nb::key_error(kind.c_str());
}

SchedulePtr MakeSchedule(const std::string& kind, nb::dict options) {
  namespace s = schedules;
  const Given g(options);
  const double first = g.Get("initial_learning_rate", 0.0);
  const double steps = g.Get("decay_steps", 0.0);
  if (kind == "ExponentialDecay")
    return s::ExponentialDecay({first, steps, g.Get("decay_rate", 0.0), g.Get("staircase", false)});
  if (kind == "InverseTimeDecay")
    return s::InverseTimeDecay({first, steps, g.Get("decay_rate", 0.0), g.Get("staircase", false)});
  if (kind == "PiecewiseConstantDecay") {
    return s::PiecewiseConstantDecay(g.Get<std::vector<int64_t>>("boundaries", {}),
                                     g.Get<std::vector<double>>("values", {}));
  }
  if (kind == "PolynomialDecay") {
    return s::PolynomialDecay({first, steps, g.Get("end_learning_rate", 0.0001),
                               g.Get("power", 1.0), g.Get("cycle", false)});
  }
  if (kind == "CosineDecay") {
    return s::CosineDecay({first, steps, g.Get("alpha", 0.0), g.Optional<double>("warmup_target"),
                           g.Get("warmup_steps", 0.0)});
  }
  if (kind == "CosineDecayRestarts") {
    return s::CosineDecayRestarts({first, g.Get("first_decay_steps", 0.0), g.Get("t_mul", 2.0),
                                   g.Get("m_mul", 1.0), g.Get("alpha", 0.0)});
  }
  throw nb::key_error(kind.c_str());
}

}  // namespace

void BindOptimizers(nb::module_& m) {
  nb::class_<Box<LearningRateSchedule>>(m, "Schedule")
      .def("rate", [](const Box<LearningRateSchedule>& box, const Tensor& step) {
        return Unlocked([&] { return (*box.value)(step); });
      });
  m.def("make_schedule", [](const std::string& kind, nb::dict options) {
    return Box<LearningRateSchedule>{MakeSchedule(kind, options)};
  });
  m.def("python_schedule", [](nb::object function) {
    return Box<LearningRateSchedule>{std::make_shared<PythonSchedule>(std::move(function))};
  });
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<Optimizer>(m, "Optimizer")
      .def_prop_ro("name", &Optimizer::name)
      .def("build", &Optimizer::Build, unlocked)
      .def("apply",
           [](Optimizer& optimizer, nb::object gradients, const std::vector<Variable>& weights) {
             const std::vector<Tensor> list = TensorsOf(gradients);
             Unlocked([&] { optimizer.Apply(list, weights); });
           })
      .def("scale_loss", &Optimizer::ScaleLoss, unlocked)
      .def("finalize", &Optimizer::Finalize, unlocked)
      .def("keep_gradient_norms", &Optimizer::KeepGradientNorms)
      .def("gradient_norms", &Optimizer::gradient_norms, unlocked)
      .def("iterations", &Optimizer::iterations)
      .def("learning_rate", &Optimizer::learning_rate, unlocked)
      .def("set_learning_rate", &Optimizer::SetLearningRate, unlocked)
      .def("set_schedule",
           [](Optimizer& optimizer, const Box<LearningRateSchedule>& schedule) {
             optimizer.SetSchedule(schedule.value);
           })
      .def("exclude_from_weight_decay", &Optimizer::ExcludeFromWeightDecay)
      .def_prop_ro("has_schedule", &Optimizer::has_schedule)
      .def("variables", &Optimizer::variables);
  m.def("make_optimizer", &MakeOptimizer);
  m.def("loss_scale_optimizer", [](OptimizerPtr inner, double scale, int64_t steps) {
    return optimizers::LossScaleOptimizer(std::move(inner), {scale, steps});
  });
}

}  // namespace lockstep::python
