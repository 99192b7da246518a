#include "base/probe.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace lockstep::base {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<const Probe*> probes;
};

Registry& GlobalRegistry() {
  static Registry registry;
  return registry;
}

}  // namespace

Probe::Probe(const char* name, const char* file, int line) : name_(name), file_(file), line_(line) {
  std::lock_guard lock(GlobalRegistry().mutex);
  GlobalRegistry().probes.push_back(this);
}

std::vector<const Probe*> AllProbes() {
  std::lock_guard lock(GlobalRegistry().mutex);
  auto probes = GlobalRegistry().probes;
  std::sort(probes.begin(), probes.end(), [](const Probe* a, const Probe* b) {
    const int files = std::strcmp(a->file(), b->file());
    return files != 0 ? files < 0 : a->line() < b->line();
  });
  return probes;
}

}  // namespace lockstep::base
