#pragma once

#include <optional>
#include <string>

#include "lockstep/nn/callbacks.h"

namespace lockstep::callbacks {

/// A value of the logs that a callback watches, and which of two is better.
class Monitor {
 public:
  /// `where` names the callback in texts. A value is better when it is so by more than `min_delta`.
  Monitor(std::string where, std::string name, Mode mode, double min_delta);

  const std::string& name() const { return name_; }
  /// The value; nothing, after a warning, when the logs lack it. The first call finds out which
  /// values are better.
  std::optional<double> Value(const Logs& logs);
  bool Better(double value, std::optional<double> reference) const;

 private:
  std::string where_;
  std::string name_;
  Mode mode_;
  double min_delta_;
  bool warned_ = false;
};

/// "learning_rate" for the logs.
double LearningRateOf(const Model& model);
/// Sets the rate of the model's optimizer.
void SetLearningRate(Model& model, double rate);

/// A number as a saved tensor, and back; `otherwise` when the save lacks it.
NamedTensor Kept(const std::string& name, double value);
double KeptIn(const SavedState& state, const std::string& name, double otherwise);

}  // namespace lockstep::callbacks
