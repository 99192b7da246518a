#include "base/signal_count.h"

#include <array>
#include <atomic>
#include <csignal>

#include "base/check.h"

namespace lockstep::base {
namespace {

// A handler reaches nothing but globals.
constexpr int kSignals = 64;
std::array<std::atomic<uint64_t>, kSignals> counts;
static_assert(std::atomic<uint64_t>::is_always_lock_free);

void Count(int signal) { counts[static_cast<size_t>(signal)].fetch_add(1); }

}  // namespace

void CountSignal(int signal) {
  LOCKSTEP_CHECK(signal > 0 && signal < kSignals);
  struct sigaction action = {};
  action.sa_handler = Count;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  LOCKSTEP_CHECK_EQ(sigaction(signal, &action, nullptr), 0);
}

uint64_t SignalsCounted(int signal) {
  LOCKSTEP_CHECK(signal > 0 && signal < kSignals);
  return counts[static_cast<size_t>(signal)].load();
}

}  // namespace lockstep::base
