#include "nn/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/printf.h"

namespace lockstep {

namespace {

using base::Printf;

constexpr int kBarWidth = 20;
constexpr std::chrono::milliseconds kRedraw{50};

std::string FormatEta(double seconds) {
  const int64_t whole = static_cast<int64_t>(seconds);
  if (whole > 3600) {
    return Printf("%d:%02d:%02d", static_cast<int>(whole / 3600),
                  static_cast<int>(whole % 3600 / 60), static_cast<int>(whole % 60));
  }
  if (whole > 60)
    return Printf("%d:%02d", static_cast<int>(whole / 60), static_cast<int>(whole % 60));
  return Printf("%ds", static_cast<int>(whole));
}

double Seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::string FormatFigure(double value) {
  return std::abs(value) > 1e-3 ? Printf("%.4f", value) : Printf("%.4e", value);
}

std::string FormatStepTime(double seconds) {
  if (seconds >= 1 || seconds == 0) return Printf("%.0fs", seconds);
  if (seconds >= 1e-3) return Printf("%.0fms", seconds * 1e3);
  return Printf("%.0fus", seconds * 1e6);
}

namespace {

std::string FormatCount(const ProgressLine& line) {
  if (line.steps < 0) return Printf("%7lld/Unknown", static_cast<long long>(line.done));
  const std::string total = std::to_string(line.steps);
  std::string count = std::to_string(line.done);
  count.insert(0, total.size() - std::min(total.size(), count.size()), ' ');
  return count + "/" + total;
}

std::string FormatBar(const ProgressLine& line) {
  const int64_t done = line.steps > 0 ? kBarWidth * line.done / line.steps : kBarWidth;
  std::string text = line.colours ? "\033[32m" : "";
  for (int i = 0; i < kBarWidth; ++i) {
    if (line.colours && i == done) text += "\033[37m";
    text += "━";
  }
  return line.colours ? text + "\033[0m" : text;
}

}  // namespace

std::string FormatProgress(const ProgressLine& line) {
  const std::string count = FormatCount(line);
  std::string text = line.colours ? "\033[1m" + count + "\033[0m" : count;
  if (line.bar && line.steps >= 0) text += " " + FormatBar(line);
  const char* joint = line.bar ? " " : " - ";
  text += joint;
  text += line.last || line.steps < 0
              ? Printf("%.0fs", line.seconds)
              : FormatEta(line.seconds_per_step * static_cast<double>(line.steps - line.done));
  text += joint + FormatStepTime(line.seconds_per_step) + "/step";
  for (const auto& [name, value] : line.logs) text += " - " + name + ": " + FormatFigure(value);
  return text;
}

Progress::Progress(Verbosity verbosity, int epoch, int epochs, int64_t steps, int64_t done)
    : verbosity_(verbosity),
      terminal_(isatty(STDOUT_FILENO) == 1),
      steps_(steps),
      before_(done),
      done_(done) {
  if (verbosity_ == Verbosity::kAuto) verbosity_ = Verbosity::kBar;
  start_ = after_first_ = after_last_ = drawn_ = Clock::now();
  if (verbosity_ != Verbosity::kSilent && epochs > 1)
    std::printf("Epoch %d/%d\n", epoch + 1, epochs);
}

// The first step is left out of the time of a step: it may compile. So is validation.
std::string Progress::Line(const Logs& logs, bool last) const {
  const int64_t counted = done_ - before_;
  const auto per_step = counted > 1 ? (after_last_ - after_first_) / (counted - 1)
                                    : (after_last_ - start_) / std::max<int64_t>(1, counted);
  return FormatProgress({.done = done_,
                         .steps = last && steps_ < 0 ? done_ : steps_,
                         .seconds = Seconds(Clock::now() - start_),
                         .seconds_per_step = Seconds(per_step),
                         .last = last,
                         .bar = verbosity_ == Verbosity::kBar,
                         .colours = terminal_ && verbosity_ == Verbosity::kBar,
                         .logs = logs});
}

void Progress::Step(int64_t done, const std::function<Logs()>& logs) {
  done_ = done;
  if (verbosity_ == Verbosity::kSilent) return;
  after_last_ = Clock::now();
  if (done == before_ + 1) after_first_ = after_last_;
  if (verbosity_ != Verbosity::kBar || !terminal_ || done == steps_) return;
  if (after_last_ - drawn_ < kRedraw) return;
  drawn_ = after_last_;
  std::printf("\r%s\033[K", Line(logs(), false).c_str());
  std::fflush(stdout);
}

void Progress::Speak(Verbosity verbosity) {
  verbosity_ = verbosity == Verbosity::kAuto ? Verbosity::kBar : verbosity;
  after_first_ = start_;
  after_last_ = Clock::now();
}

void Progress::End(const Logs& logs) {
  if (verbosity_ == Verbosity::kSilent) return;
  const std::string line = Line(logs, true);
  const bool redraw = terminal_ && verbosity_ == Verbosity::kBar;
  std::printf(redraw ? "\r%s\033[K\n" : "%s\n", line.c_str());
  std::fflush(stdout);
}

}  // namespace lockstep
