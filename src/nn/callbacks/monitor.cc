#include "nn/callbacks/monitor.h"

#include <cmath>
#include <string_view>

#include "base/log.h"

namespace lockstep::callbacks {

namespace {

bool Mentions(std::string_view name, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

// Keras asks the metric for its direction; ours is told by its name, which is Keras's by default.
Mode DirectionOf(const std::string& where, std::string_view monitored) {
  std::string_view name = monitored;
  if (name.starts_with("val_")) name.remove_prefix(4);
  if (Mentions(name, {"loss", "error", "entropy", "hinge", "divergence", "poisson", "logcosh",
                      "false_", "mse", "mae", "mape", "msle"})) {
    return Mode::kMin;
  }
  if (Mentions(name, {"acc", "auc", "precision", "recall", "score", "true_", "iou", "io_u",
                      "similarity"})) {
    return Mode::kMax;
  }
  throw Error(Code::kInvalidArgument, "[" + where +
                                          "] the name of the metric must tell whether lower or "
                                          "higher is better; got " +
                                          std::string(monitored) + "; give mode kMin or kMax");
}

}  // namespace

Monitor::Monitor(std::string where, std::string name, Mode mode, double min_delta)
    : where_(std::move(where)),
      name_(std::move(name)),
      mode_(mode),
      min_delta_(std::abs(min_delta)) {}

std::optional<double> Monitor::Value(const Logs& logs) {
  if (mode_ == Mode::kAuto) mode_ = DirectionOf(where_, name_);
  const auto place = logs.find(name_);
  if (place != logs.end()) return place->second;
  if (!warned_) {
    warned_ = true;
    std::string known;
    for (const auto& [name, value] : logs) known += (known.empty() ? "" : ", ") + name;
    base::Log(base::Severity::kWarning,
              "[" + where_ + "] monitors " + name_ + ", which is not among the logs; got " + known);
  }
  return {};
}

bool Monitor::Better(double value, std::optional<double> reference) const {
  if (!reference) return true;
  return mode_ == Mode::kMax ? value - min_delta_ > *reference : value + min_delta_ < *reference;
}

double LearningRateOf(const Model& model) {
  return model.compiled().optimizer->learning_rate().scalar<float>();
}

void SetLearningRate(Model& model, double rate) {
  model.compiled().optimizer->SetLearningRate(rate);
}

NamedTensor Kept(const std::string& name, double value) { return {name, Scalar<double>(value)}; }

double KeptIn(const SavedState& state, const std::string& name, double otherwise) {
  const Tensor* value = state.Find(name);
  if (value == nullptr || value->dtype() != DType::kFloat64 || value->num_elements() != 1) {
    return otherwise;
  }
  return value->scalar<double>();
}

}  // namespace lockstep::callbacks
