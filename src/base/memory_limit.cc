#include "base/memory_limit.h"

#include <sys/resource.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>

#include "base/first_line.h"

namespace lockstep::base {

namespace {

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

std::atomic<uint64_t> lowered_limit{kUnlimited};

// "max", a number too large for 64 bits and an absent file are no limit.
uint64_t BytesIn(const std::string& line) {
  uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), bytes);
  return error == std::errc() && end != line.data() ? bytes : kUnlimited;
}

// Of a group below `root`, and of all groups around it. In a container the group's path may be that
// of the machine outside, where no such file exists; then the file at `root` counts.
uint64_t TightestFrom(const std::string& root, std::string group, const char* file) {
  uint64_t tightest = kUnlimited;
  while (true) {
    tightest = std::min(tightest, BytesIn(FirstLine(root + group + file)));
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos) return tightest;
    group.resize(slash);
  }
}

uint64_t MemoryOfMachine() {
  struct sysinfo info {};
  if (sysinfo(&info) != 0) return kUnlimited;
  return (static_cast<uint64_t>(info.totalram) + info.totalswap) * info.mem_unit;
}

uint64_t FixedLimit() {
  std::ifstream file("/proc/self/cgroup");
  std::stringstream groups;
  groups << file.rdbuf();
  return std::min(MemoryOfMachine(), MemoryOfControlGroup("/sys/fs/cgroup", groups.str()));
}

// The number of kilobytes in a line "name:  number kB" of /proc/meminfo, in bytes.
uint64_t BytesInLine(const std::string& line) {
  const size_t begin = line.find_first_of("0123456789");
  return begin == std::string::npos ? 0 : BytesIn(line.substr(begin)) * 1024;
}

}  // namespace

uint64_t FreeMemory() {
  std::ifstream file("/proc/meminfo");
  uint64_t bytes = 0;
  bool known = false;
  for (std::string line; std::getline(file, line);) {
    known |= line.starts_with("MemAvailable:");
    if (line.starts_with("MemAvailable:") || line.starts_with("SwapFree:"))
      bytes += BytesInLine(line);
  }
  return known ? bytes : kUnlimited;
}

// Lines "number:controllers:/group", without controllers in version 2.
uint64_t MemoryOfControlGroup(const std::string& root, const std::string& groups) {
  uint64_t tightest = kUnlimited;
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      tightest = std::min(tightest, TightestFrom(root, group, "/memory.max"));
    } else if (controllers == "memory") {
      tightest =
          std::min(tightest, TightestFrom(root + "/memory", group, "/memory.limit_in_bytes"));
    }
  }
  return tightest;
}

void LimitMemoryTo(uint64_t bytes) { lowered_limit.store(bytes, std::memory_order_relaxed); }

uint64_t MemoryLimit() {
  static const uint64_t machine = FixedLimit();
  const uint64_t fixed = std::min(machine, lowered_limit.load(std::memory_order_relaxed));
  rlimit address_space{};
  if (getrlimit(RLIMIT_AS, &address_space) != 0 || address_space.rlim_cur == RLIM_INFINITY)
    return fixed;
  return std::min<uint64_t>(fixed, address_space.rlim_cur);
}

}  // namespace lockstep::base
