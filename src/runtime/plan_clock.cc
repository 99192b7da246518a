#include "runtime/plan_clock.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

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

}  // namespace

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
  std::vector<std::pair<double, std::string>> lines;
  double total = 0, rest = 0;
  for (size_t what = 0; what <= names.size(); ++what) {
    double ticks = 0;
    for (const Lane& lane : lanes_) ticks += static_cast<double>(lane.ticks[what]);
    total += ticks * scale;
    lines.emplace_back(ticks * scale, what == 0 ? "waiting at barriers" : names[what - 1]);
  }
  std::sort(lines.rbegin(), lines.rend());
  std::string text = Line("a run, from start to end", static_cast<double>(run_ticks_) * scale, 1) +
                     "added up over lanes:\n";
  for (const auto& [microseconds, name] : lines) {
    if (microseconds >= 0.01 * total) {
      text += Line("  " + name, microseconds, microseconds / total);
    } else {
      rest += microseconds;
    }
  }
  return text + Line("  all others", rest, rest / total);
}

}  // namespace lockstep::runtime
