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
  /// `steps` is negative where it is not known. `done` steps of the epoch were done before.
  Progress(Verbosity verbosity, int epoch, int epochs, int64_t steps, int64_t done = 0);
  void Step(int64_t done, const std::function<Logs()>& logs);
  void End(const Logs& logs);
  /// Shows the rest of an epoch that began silently.
  void Speak(Verbosity verbosity);

 private:
  using Clock = std::chrono::steady_clock;
  std::string Line(const Logs& logs, bool last) const;

  Verbosity verbosity_;
  bool terminal_;
  int64_t steps_;
  int64_t before_;
  int64_t done_;
  Clock::time_point start_, after_first_, after_last_, drawn_;
};

/// What a line of progress shows.
struct ProgressLine {
  int64_t done = 0;
  int64_t steps = 0;  // negative: not known
  double seconds = 0;
  double seconds_per_step = 0;
  bool last = false;     // shows the time it took, not the time to come
  bool bar = true;       // else one line an epoch, without a bar
  bool colours = false;  // for a terminal
  Logs logs;
};
/// Keras's line. Source: keras.utils.Progbar.
std::string FormatProgress(const ProgressLine& line);

/// "0.1234", or "1.2340e-05" for small values, as Keras prints figures.
std::string FormatFigure(double value);
/// "12us", "3ms", "2s" a step.
std::string FormatStepTime(double seconds);

}  // namespace lockstep
