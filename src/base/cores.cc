#include "base/cores.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace lockstep::base {

int Cores() {
  static const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
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
  for (int core = 0; core < Cores(); ++core) numbers.push_back(core);
  return numbers;
}

}  // namespace lockstep::base
