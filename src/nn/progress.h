#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "lockstep/nn/model.h"

namespace lockstep {

/// Keras's progress bar: redrawn in place at most every 0.05 s on a terminal, one line an epoch
/// elsewhere. Values are computed only when something is drawn.
class Progress {
 public:
  Progress(Verbosity verbosity, int epoch, int epochs, int64_t steps);
  void Step(int64_t done, const std::function<Logs()>& logs);
  void End(const Logs& logs);

 private:
  using Clock = std::chrono::steady_clock;
  std::string Bar(int64_t done, const Logs& logs, bool last) const;

  Verbosity verbosity_;
  bool terminal_;
  int64_t steps_;
  int64_t done_ = 0;
  Clock::time_point start_, after_first_, drawn_;
  int countdown_ = 0;  // steps until the clock is looked at again
};

/// "0.1234", or "1.2340e-05" for small values, as Keras prints figures.
std::string FormatFigure(double value);
/// "12us", "3ms", "2s" a step.
std::string FormatStepTime(double seconds);

}  // namespace lockstep
