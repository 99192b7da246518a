#include "base/cores.h"

#include <algorithm>
#include <thread>

namespace lockstep::base {

int Cores() {
  static const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return cores;
}

}  // namespace lockstep::base
