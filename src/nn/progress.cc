#include "nn/progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace lockstep {

namespace {

constexpr int kBarWidth = 20;
constexpr std::chrono::milliseconds kRedraw{50};

template <typename... Arguments>
std::string Format(const char* format, Arguments... arguments) {
  char text[64];
  std::snprintf(text, sizeof text, format, arguments...);
  return text;
}

std::string FormatEta(double seconds) {
  const int64_t whole = static_cast<int64_t>(seconds);
  if (whole > 3600) {
    return Format("%d:%02d:%02d", static_cast<int>(whole / 3600),
                  static_cast<int>(whole % 3600 / 60), static_cast<int>(whole % 60));
  }
  if (whole > 60)
    return Format("%d:%02d", static_cast<int>(whole / 60), static_cast<int>(whole % 60));
  return Format("%ds", static_cast<int>(whole));
}

double Seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::string FormatFigure(double value) {
  return std::abs(value) > 1e-3 ? Format("%.4f", value) : Format("%.4e", value);
}

std::string FormatStepTime(double seconds) {
  if (seconds >= 1 || seconds == 0) return Format("%.0fs", seconds);
  if (seconds >= 1e-3) return Format("%.0fms", seconds * 1e3);
  return Format("%.0fus", seconds * 1e6);
}

Progress::Progress(Verbosity verbosity, int epoch, int epochs, int64_t steps)
    : verbosity_(verbosity), terminal_(isatty(STDOUT_FILENO) == 1), steps_(steps) {
  if (verbosity_ == Verbosity::kAuto) verbosity_ = Verbosity::kBar;
  start_ = after_first_ = drawn_ = Clock::now();
  if (verbosity_ != Verbosity::kSilent && epochs > 1)
    std::printf("Epoch %d/%d\n", epoch + 1, epochs);
}

std::string Progress::Bar(int64_t done, const Logs& logs, bool last) const {
  const auto now = Clock::now();
  const int64_t counted = std::max<int64_t>(1, done - 1);
  const double per_step = Seconds(now - (done > 1 ? after_first_ : start_)) / counted;
  const std::string total = std::to_string(steps_);
  std::string count = std::to_string(done);
  count.insert(0, total.size() - std::min(total.size(), count.size()), ' ');
  std::string text = count + "/" + total + " ";
  if (verbosity_ == Verbosity::kBar) {
    const int filled = steps_ == 0 ? kBarWidth : static_cast<int>(kBarWidth * done / steps_);
    if (terminal_) text += "\033[32m";
    for (int i = 0; i < kBarWidth; ++i) {
      if (terminal_ && i == filled) text += "\033[37m";
      text += "━";
    }
    if (terminal_) text += "\033[0m";
    text += " ";
  } else {
    text += "- ";
  }
  text += last ? FormatEta(Seconds(now - start_)) : FormatEta(per_step * (steps_ - done));
  text += (verbosity_ == Verbosity::kBar ? " " : " - ") + FormatStepTime(per_step) + "/step";
  for (const auto& [name, value] : logs) text += " - " + name + ": " + FormatFigure(value);
  return text;
}

void Progress::Step(int64_t done, const std::function<Logs()>& logs) {
  done_ = done;
  if (done == 1) after_first_ = Clock::now();
  if (verbosity_ != Verbosity::kBar || !terminal_ || done == steps_ || --countdown_ > 0) return;
  countdown_ = 32;
  const auto now = Clock::now();
  if (now - drawn_ < kRedraw) return;
  // A look at the clock every few steps is enough, but slow steps are all looked at.
  if (now - drawn_ > 4 * kRedraw) countdown_ = 1;
  drawn_ = now;
  std::printf("\r%s\033[K", Bar(done, logs(), false).c_str());
  std::fflush(stdout);
}

void Progress::End(const Logs& logs) {
  if (verbosity_ == Verbosity::kSilent) return;
  const std::string line = Bar(done_, logs, true);
  if (terminal_ && verbosity_ == Verbosity::kBar) {
    std::printf("\r%s\033[K\n", line.c_str());
  } else {
    std::printf("%s\n", line.c_str());
  }
  std::fflush(stdout);
}

}  // namespace lockstep
