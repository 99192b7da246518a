#include "runtime/plan_clock.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

namespace lockstep::runtime {

namespace {

// Ticks of the counter in a microsecond.
double TicksPerMicrosecond() {
  static const double ticks = [] {
    const auto start = std::chrono::steady_clock::now();
    const uint64_t first = __rdtsc();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(5)) {
    }
    const std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - start;
    return static_cast<double>(__rdtsc() - first) / elapsed.count();
  }();
  return ticks;
}

std::string Line(const std::string& name, double microseconds, double share) {
  char text[96];
  std::snprintf(text, sizeof text, "%-44.44s %10.2f us %5.1f %%\n", name.c_str(), microseconds,
                share * 100);
  return text;
}

// The lines worth more than a hundredth of `total`, at most a dozen, dearest first, and the rest in
// one.
std::string Table(std::vector<std::pair<double, std::string>> lines, double total) {
  std::sort(lines.rbegin(), lines.rend());
  std::string text;
  double rest = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto& [microseconds, name] = lines[i];
    if (i < 12 && microseconds >= 0.01 * total) {
      text += Line("  " + name, microseconds, microseconds / total);
    } else {
      rest += microseconds;
    }
  }
  return text + Line("  all others", rest, rest / total);
}

}  // namespace

void PlanClock::Span::Trace() const {
  if (what_ == kRun) return;
  const uint32_t name =
      what_ == kWaiting ? watch_.waiting : watch_.first + static_cast<uint32_t>(what_);
  watch_.trace->Op(lane_, name, begin_, watch_.trace->Now());
}

PlanClock::PlanClock(size_t num_steps) {
  for (Lane& lane : lanes_) lane.ticks.assign(num_steps + 1, 0);
}

void PlanClock::Add(int lane, int what, uint64_t ticks) {
  if (what == kRun) {
    run_ticks_ += ticks;
    ++runs_;
  } else if (lane < kLanes) {
    lanes_[lane].ticks[what + 1] += ticks;
  }
}

std::string PlanClock::Describe(const std::vector<std::string>& names) const {
  if (runs_ == 0) return "no runs measured\n";
  const double scale = 1 / (TicksPerMicrosecond() * static_cast<double>(runs_));
  std::map<std::string, double> by_op;
  std::vector<std::pair<double, std::string>> steps;
  double total = 0;
  for (size_t what = 0; what <= names.size(); ++what) {
    double microseconds = 0;
    for (const Lane& lane : lanes_) microseconds += static_cast<double>(lane.ticks[what]) * scale;
    total += microseconds;
    const std::string name = what == 0 ? "waiting at barriers" : names[what - 1];
    by_op[name.substr(0, name.rfind('_'))] += microseconds;
    if (what > 0) steps.emplace_back(microseconds, name);
  }
  std::vector<std::pair<double, std::string>> ops;
  for (const auto& [name, microseconds] : by_op) ops.emplace_back(microseconds, name);
  return Line("a run, from start to end", static_cast<double>(run_ticks_) * scale, 1) +
         "added up over lanes, by op:\n" + Table(std::move(ops), total) + "the dearest steps:\n" +
         Table(std::move(steps), total);
}

}  // namespace lockstep::runtime
