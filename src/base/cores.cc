#include "base/cores.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/first_line.h"

namespace lockstep::base {

namespace {

// "quota period" in microseconds; "max", -1 and nothing are no limit: 0.
double CoresOf(const std::string& quota_and_period) {
  double quota = 0, period = 0;
  if (std::sscanf(quota_and_period.c_str(), "%lf %lf", &quota, &period) != 2) return 0;
  return quota > 0 && period > 0 ? quota / period : 0;
}

double Tighter(double a, double b) { return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b); }

// Of a group below `root`, and of all groups around it. In a container the group's path may be that
// of the machine outside, whose files are not there.
double TightestFrom(const std::string& root, std::string group, bool is_version_2) {
  double tightest = 0;
  while (true) {
    const std::string folder = root + group;
    const std::string limit = is_version_2 ? FirstLine(folder + "/cpu.max")
                                           : FirstLine(folder + "/cpu.cfs_quota_us") + " " +
                                                 FirstLine(folder + "/cpu.cfs_period_us");
    tightest = Tighter(tightest, CoresOf(limit));
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos) return tightest;
    group.resize(slash);
  }
}

bool NamesProcessor(const std::string& controllers) {
  std::istringstream list(controllers);
  for (std::string name; std::getline(list, name, ',');)
    if (name == "cpu") return true;
  return false;
}

}  // namespace

// Lines "number:controllers:/group", without controllers in version 2.
double CoresOfControlGroup(const std::string& root, const std::string& groups) {
  double tightest = 0;
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      tightest = Tighter(tightest, TightestFrom(root, group, true));
    } else if (NamesProcessor(controllers)) {
      tightest = Tighter(tightest, TightestFrom(root + "/" + controllers, group, false));
      if (controllers != "cpu")
        tightest = Tighter(tightest, TightestFrom(root + "/cpu", group, false));
    }
  }
  return tightest;
}

double CoresOfControlGroup() {
  std::ifstream file("/proc/self/cgroup");
  std::stringstream groups;
  groups << file.rdbuf();
  return CoresOfControlGroup("/sys/fs/cgroup", groups.str());
}

int Cores() {
  static const int cores = [] {
    const auto may_run_on = static_cast<int>(CoreNumbers().size());
    const double time = CoresOfControlGroup();
    return std::max(1, time > 0 && time < may_run_on ? static_cast<int>(time) : may_run_on);
  }();
  return cores;
}

std::vector<int> CoreNumbers() {
  std::vector<int> numbers;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set)) numbers.push_back(core);
  }
  if (!numbers.empty()) return numbers;
  const auto all = static_cast<int>(std::thread::hardware_concurrency());
  for (int core = 0; core < std::max(1, all); ++core) numbers.push_back(core);
  return numbers;
}

int CurrentCore() { return sched_getcpu(); }

bool GoToCore(int core) {
  cpu_set_t may_run_on, only;
  CPU_ZERO(&may_run_on);
  CPU_ZERO(&only);
  if (core < 0 || core >= CPU_SETSIZE || sched_getaffinity(0, sizeof(may_run_on), &may_run_on) != 0)
    return false;
  if (!CPU_ISSET(core, &may_run_on)) return false;
  CPU_SET(core, &only);
  if (sched_setaffinity(0, sizeof(only), &only) != 0) return false;
  return sched_setaffinity(0, sizeof(may_run_on), &may_run_on) == 0;
}

}  // namespace lockstep::base
