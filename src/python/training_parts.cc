#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "lockstep/nn/metric.h"
#include "lockstep/nn/optimizers.h"
#include "nn/logits_behind.h"
#include "python/bind.h"
#include "python/callback.h"
#include "python/nn_values.h"

namespace lockstep::python {

namespace {

using Doubles = std::vector<double>;
using Seed = std::optional<int64_t>;

// ---- what Python writes itself

class PythonInitializer : public Initializer {
 public:
  explicit PythonInitializer(nb::object function) : function_(std::move(function)) {}
  Tensor Make(const Shape& shape, DType dtype, int64_t) const override {
    const nb::gil_scoped_acquire lock;
    return Arg{function_.get()(nb::cast(shape), static_cast<int>(dtype))}.Strong();
  }
  std::string name() const override { return "python"; }

 private:
  Held function_;
};

template <typename Base>
class OfTensor : public Base {
 public:
  explicit OfTensor(nb::object function) : function_(std::move(function)) {}
  Tensor operator()(const Tensor& value) const override {
    const nb::gil_scoped_acquire lock;
    return Arg{function_.get()(value)}.Strong();
  }

 private:
  Held function_;
};

class PythonMetric : public Metric {
 public:
  PythonMetric(const std::string& name, nb::object update, nb::object result)
      : Metric(name), update_(std::move(update)), result_(std::move(result)) {}
  void Update(const Tensor& y_true, const Tensor& y_pred, const Tensor& weight) override {
    const nb::gil_scoped_acquire lock;
    update_.get()(y_true, y_pred, weight.defined() ? nb::cast(weight) : nb::none());
  }
  Tensor Result() const override {
    const nb::gil_scoped_acquire lock;
    return Arg{result_.get()()}.Strong();
  }
  Variable Add(const std::string& name, const Shape& shape, int dtype) {
    return AddState(name, shape, static_cast<DType>(dtype));
  }

 private:
  Held update_, result_;
};

// ---- initializers, regularizers, constraints

InitializerPtr MakeInitializer(const std::string& kind, nb::dict options) {
  namespace i = initializers;
  const Given g(options);
  const Seed seed = g.Optional<int64_t>("seed");
  if (kind == "Zeros") return i::Zeros();
  if (kind == "Ones") return i::Ones();
  if (kind == "Constant") return i::Constant(g.Get("value", 0.0));
  if (kind == "Identity") return i::Identity(g.Get("gain", 1.0));
  if (kind == "RandomUniform")
    return i::RandomUniform(g.Get("minval", -0.05), g.Get("maxval", 0.05), seed);
  if (kind == "RandomNormal")
    return i::RandomNormal(g.Get("mean", 0.0), g.Get("stddev", 0.05), seed);
  if (kind == "TruncatedNormal")
    return i::TruncatedNormal(g.Get("mean", 0.0), g.Get("stddev", 0.05), seed);
  if (kind == "GlorotUniform") return i::GlorotUniform(seed);
  if (kind == "GlorotNormal") return i::GlorotNormal(seed);
  if (kind == "HeUniform") return i::HeUniform(seed);
  if (kind == "HeNormal") return i::HeNormal(seed);
  if (kind == "LecunUniform") return i::LecunUniform(seed);
  if (kind == "LecunNormal") return i::LecunNormal(seed);
  if (kind == "Orthogonal") return i::Orthogonal(g.Get("gain", 1.0), seed);
  if (kind == "VarianceScaling") {
    const std::string mode = g.Get<std::string>("mode", "fan_in");
    const std::string spread = g.Get<std::string>("distribution", "truncated_normal");
    return i::VarianceScaling({g.Get("scale", 1.0),
                               mode == "fan_in"    ? i::FanMode::kIn
                               : mode == "fan_out" ? i::FanMode::kOut
                                                   : i::FanMode::kAverage,
                               spread == "uniform" ? i::Distribution::kUniform
                               : spread == "untruncated_normal"
                                   ? i::Distribution::kUntruncatedNormal
                                   : i::Distribution::kTruncatedNormal,
                               seed});
  }
  throw nb::key_error(kind.c_str());
}

Axes AxesOf(const Given& g) {
  return g.Has("axis") ? Axes(g.Get<std::vector<int64_t>>("axis", {0})) : Axes(0);
}

void BindSmallParts(nb::module_& m) {
  nb::class_<Box<Initializer>>(m, "Initializer")
      .def("make", [](const Box<Initializer>& box, const Shape& shape, DType dtype, int64_t seed) {
        return Unlocked([&] { return box.value->Make(shape, dtype, seed); });
      });
  m.def("make_initializer", [](const std::string& kind, nb::dict options) {
    return Box<Initializer>{MakeInitializer(kind, options)};
  });
  m.def("python_initializer", [](nb::object function) {
    return Box<Initializer>{std::make_shared<PythonInitializer>(std::move(function))};
  });
  nb::class_<Box<Regularizer>>(m, "Regularizer")
      .def_prop_ro("there", [](const Box<Regularizer>& box) { return box.value != nullptr; })
      .def("penalty", [](const Box<Regularizer>& box, const Tensor& w) {
        return Unlocked([&] { return (*box.value)(w); });
      });
  m.def("make_l1l2",
        [](double l1, double l2) { return Box<Regularizer>{regularizers::L1L2(l1, l2)}; });
  m.def("make_orthogonal", [](double factor, bool rows) {
    return Box<Regularizer>{
        regularizers::OrthogonalRegularizer(factor, rows ? regularizers::OrthogonalMode::kRows
                                                         : regularizers::OrthogonalMode::kColumns)};
  });
  m.def("python_regularizer", [](nb::object function) {
    return Box<Regularizer>{std::make_shared<OfTensor<Regularizer>>(std::move(function))};
  });
  nb::class_<Box<Constraint>>(m, "Constraint")
      .def_prop_ro("there", [](const Box<Constraint>& box) { return box.value != nullptr; })
      .def("apply", [](const Box<Constraint>& box, const Tensor& w) {
        return Unlocked([&] { return (*box.value)(w); });
      });
  m.def("make_constraint", [](const std::string& kind, nb::dict options) {
    const Given g(options);
    namespace c = constraints;
    if (kind == "MaxNorm") return Box<Constraint>{c::MaxNorm(g.Get("max_value", 2.0), AxesOf(g))};
    if (kind == "NonNeg") return Box<Constraint>{c::NonNeg()};
    if (kind == "UnitNorm") return Box<Constraint>{c::UnitNorm(AxesOf(g))};
    return Box<Constraint>{c::MinMaxNorm(
        {g.Get("min_value", 0.0), g.Get("max_value", 1.0), g.Get("rate", 1.0), AxesOf(g)})};
  });
  m.def("python_constraint", [](nb::object function) {
    return Box<Constraint>{std::make_shared<OfTensor<Constraint>>(std::move(function))};
  });
}

// ---- losses

Reduction ReductionOf(const Given& g) {
  const std::string name = g.Get<std::string>("reduction", "sum_over_batch_size");
  if (name == "sum") return Reduction::kSum;
  if (name == "none") return Reduction::kNone;
  if (name == "mean_with_sample_weight") return Reduction::kMeanWithSampleWeight;
  return Reduction::kSumOverBatchSize;
}

LossPtr MakeLoss(const std::string& kind, nb::dict options) {
  const Given g(options);
  const Reduction r = ReductionOf(g);
  const std::string name = g.Get<std::string>("name", "");
  const losses::LossOptions plain{r, name};
  const losses::CrossentropyOptions cross{
      g.Get("from_logits", false), g.Get("label_smoothing", 0.0), g.Get("axis", -1), r, name};
  losses::FocalOptions focal;
  focal.alpha = g.Get("alpha", 0.25);
  focal.gamma = g.Get("gamma", 2.0);
  focal.apply_class_balancing = g.Get("apply_class_balancing", false);
  focal.from_logits = cross.from_logits;
  focal.label_smoothing = cross.label_smoothing;
  focal.axis = cross.axis;
  focal.reduction = r;
  focal.name = name;
  losses::OverlapOptions overlap;
  overlap.alpha = g.Get("alpha", 0.5);
  overlap.beta = g.Get("beta", 0.5);
  if (kind == "Dice" || kind == "Tversky") {
    if (g.Has("axis")) overlap.axis = Axes(g.Get<std::vector<int64_t>>("axis", {}));
  }
  overlap.reduction = r;
  overlap.name = name;
  if (kind == "MeanSquaredError") return losses::MeanSquaredError(plain);
  if (kind == "MeanAbsoluteError") return losses::MeanAbsoluteError(plain);
  if (kind == "MeanAbsolutePercentageError") return losses::MeanAbsolutePercentageError(plain);
  if (kind == "MeanSquaredLogarithmicError") return losses::MeanSquaredLogarithmicError(plain);
  if (kind == "LogCosh") return losses::LogCosh(plain);
  if (kind == "Hinge") return losses::Hinge(plain);
  if (kind == "SquaredHinge") return losses::SquaredHinge(plain);
  if (kind == "CategoricalHinge") return losses::CategoricalHinge(plain);
  if (kind == "KLDivergence") return losses::KLDivergence(plain);
  if (kind == "Poisson") return losses::Poisson(plain);
  if (kind == "Huber") return losses::Huber({g.Get("delta", 1.0), r, name});
  if (kind == "CosineSimilarity") return losses::CosineSimilarity({cross.axis, r, name});
  if (kind == "BinaryCrossentropy") return losses::BinaryCrossentropy(cross);
  if (kind == "CategoricalCrossentropy") return losses::CategoricalCrossentropy(cross);
  if (kind == "BinaryFocalCrossentropy") return losses::BinaryFocalCrossentropy(focal);
  if (kind == "CategoricalFocalCrossentropy") return losses::CategoricalFocalCrossentropy(focal);
  if (kind == "SparseCategoricalCrossentropy") {
    return losses::SparseCategoricalCrossentropy(losses::SparseCrossentropyOptions{
        cross.from_logits, g.Optional<int64_t>("ignore_class"), cross.axis, r, name});
  }
  if (kind == "CategoricalGeneralizedCrossEntropy")
    return losses::CategoricalGeneralizedCrossEntropy({g.Get("q", 0.5), r, name});
  if (kind == "Dice") return losses::Dice(overlap);
  if (kind == "Tversky") return losses::Tversky(overlap);
  throw nb::key_error(kind.c_str());
}

std::function<Tensor(const Tensor&, const Tensor&)> PairFunction(nb::object function) {
  return [held = Held(std::move(function))](const Tensor& a, const Tensor& b) {
    const nb::gil_scoped_acquire lock;
    return Arg{held.get()(a, b)}.Strong();
  };
}

void BindLosses(nb::module_& m) {
  m.def("logits_behind", [](const Tensor& probabilities) -> nb::object {
    const Tensor logits = nn::LogitsBehind(probabilities);
    return logits.defined() ? nb::cast(logits) : nb::none();
  });
  nb::class_<Box<Loss>>(m, "Loss")
      .def_prop_ro("name", [](const Box<Loss>& box) { return box.value->name(); })
      .def("per_example",
           [](const Box<Loss>& box, const Tensor& y_true, const Tensor& y_pred) {
             return Unlocked([&] { return box.value->PerExample(y_true, y_pred); });
           })
      .def(
          "call",
          [](const Box<Loss>& box, const Tensor& y_true, const Tensor& y_pred, Arg weight) {
            const Tensor weights = weight.Optional();
            return Unlocked([&] { return (*box.value)(y_true, y_pred, weights); });
          },
          nb::arg(), nb::arg(), nb::arg().none())
      .def("of_logits", [](const Box<Loss>& box) -> nb::object {
        LossPtr made = box.value->OfLogits();
        return made == nullptr ? nb::none() : nb::cast(Box<Loss>{made});
      });
  m.def("make_loss", [](const std::string& kind, nb::dict options) {
    return Box<Loss>{MakeLoss(kind, options)};
  });
  m.def("python_loss", [](const std::string& name, nb::object function, nb::dict options) {
    return Box<Loss>{
        losses::FromFunction(name, PairFunction(std::move(function)), ReductionOf(Given(options)))};
  });
}

// ---- metrics

MetricPtr MakeMetric(const std::string& kind, nb::dict options) {
  namespace k = metrics;
  const Given g(options);
  const std::string name = g.Get<std::string>("name", "metric");
  const Doubles thresholds = g.Get<Doubles>("thresholds", {});
  const bool logits = g.Get("from_logits", false);
  const double smoothing = g.Get("label_smoothing", 0.0);
  if (kind == "Accuracy") return k::Accuracy(name);
  if (kind == "BinaryAccuracy") return k::BinaryAccuracy(name, g.Get("threshold", 0.5));
  if (kind == "CategoricalAccuracy") return k::CategoricalAccuracy(name);
  if (kind == "SparseCategoricalAccuracy") return k::SparseCategoricalAccuracy(name);
  if (kind == "TopKCategoricalAccuracy")
    return k::TopKCategoricalAccuracy(g.Get<int64_t>("k", 5), name);
  if (kind == "SparseTopKCategoricalAccuracy")
    return k::SparseTopKCategoricalAccuracy(g.Get<int64_t>("k", 5), name);
  if (kind == "AccuracyByShape") return k::AccuracyByShape(name);
  if (kind == "Precision") return k::Precision(thresholds, name);
  if (kind == "Recall") return k::Recall(thresholds, name);
  if (kind == "TruePositives") return k::TruePositives(thresholds, name);
  if (kind == "TrueNegatives") return k::TrueNegatives(thresholds, name);
  if (kind == "FalsePositives") return k::FalsePositives(thresholds, name);
  if (kind == "FalseNegatives") return k::FalseNegatives(thresholds, name);
  if (kind == "AUC") {
    return k::AUC({.num_thresholds = g.Get<int64_t>("num_thresholds", 200),
                   .curve = g.Get<std::string>("curve", "ROC") == "PR" ? k::Curve::kPrecisionRecall
                                                                       : k::Curve::kRoc,
                   .name = name});
  }
  if (kind == "MeanSquaredError") return k::MeanSquaredError(name);
  if (kind == "RootMeanSquaredError") return k::RootMeanSquaredError(name);
  if (kind == "MeanAbsoluteError") return k::MeanAbsoluteError(name);
  if (kind == "MeanAbsolutePercentageError") return k::MeanAbsolutePercentageError(name);
  if (kind == "MeanSquaredLogarithmicError") return k::MeanSquaredLogarithmicError(name);
  if (kind == "LogCoshError") return k::LogCoshError(name);
  if (kind == "CosineSimilarity") return k::CosineSimilarity(name, g.Get("axis", -1));
  if (kind == "KLDivergence") return k::KLDivergence(name);
  if (kind == "Poisson") return k::Poisson(name);
  if (kind == "Hinge") return k::Hinge(name);
  if (kind == "SquaredHinge") return k::SquaredHinge(name);
  if (kind == "CategoricalHinge") return k::CategoricalHinge(name);
  if (kind == "BinaryCrossentropy") return k::BinaryCrossentropy(name, logits, smoothing);
  if (kind == "CategoricalCrossentropy") return k::CategoricalCrossentropy(name, logits, smoothing);
  if (kind == "SparseCategoricalCrossentropy")
    return k::SparseCategoricalCrossentropy(name, logits);
  if (kind == "R2Score") return k::R2Score(k::ClassAggregation::kUniformAverage, name);
  if (kind == "MeanIoU") return k::MeanIoU(g.Get<int64_t>("num_classes", 2), {.name = name});
  if (kind == "Mean") return std::make_shared<k::Mean>(name);
  if (kind == "Sum") return std::make_shared<k::Sum>(name);
  throw nb::key_error(kind.c_str());
}

void BindMetrics(nb::module_& m) {
  nb::class_<Metric>(m, "Metric")
      .def_prop_ro("name", &Metric::name)
      .def(
          "update",
          [](Metric& metric, const Tensor& y_true, const Tensor& y_pred, Arg weight) {
            const Tensor weights = weight.Optional();
            Unlocked([&] { metric.Update(y_true, y_pred, weights); });
          },
          nb::arg(), nb::arg(), nb::arg().none())
      .def(
          "update_of_logits",
          [](Metric& metric, const Tensor& y_true, const Tensor& logits, Arg weight) {
            const Tensor weights = weight.Optional();
            return Unlocked([&] { return metric.UpdateOfLogits(y_true, logits, weights); });
          },
          nb::arg(), nb::arg(), nb::arg().none())
      .def(
          "update_values",
          [](Metric& metric, const Tensor& values, Arg weight) {
            const Tensor weights = weight.Optional();
            Unlocked([&] {
              if (auto* mean = dynamic_cast<metrics::Mean*>(&metric)) {
                mean->UpdateValues(values, weights);
              } else {
                dynamic_cast<metrics::Sum&>(metric).UpdateValues(values, weights);
              }
            });
          },
          nb::arg(), nb::arg().none())
      .def("result", &Metric::Result, nb::call_guard<nb::gil_scoped_release>())
      .def("reset", &Metric::Reset, nb::call_guard<nb::gil_scoped_release>())
      .def("variables", &Metric::variables);
  nb::class_<PythonMetric, Metric>(m, "PythonMetric")
      .def(nb::init<const std::string&, nb::object, nb::object>())
      .def("add", &PythonMetric::Add);
  m.def("make_metric", &MakeMetric);
  m.def("metric_of_function", [](const std::string& name, nb::object function) {
    return metrics::FromFunction(name, PairFunction(std::move(function)));
  });
}

}  // namespace

void BindTrainingParts(nb::module_& m) {
  BindSmallParts(m);
  BindLosses(m);
  BindMetrics(m);
}

}  // namespace lockstep::python
