#include "base/termination.h"

#include <atomic>
#include <csignal>
#include <ctime>
#include <mutex>
#include <utility>

namespace lockstep::base {
namespace {

// A handler reaches nothing but globals.
std::atomic<bool> told{false};
std::atomic<bool> has_last_call{false};
timer_t last_call;  // sends SIGTERM
static_assert(std::atomic<bool>::is_always_lock_free);

std::mutex termination_mutex;
int termination_scopes = 0;  // guarded by termination_mutex
bool is_heard = false;       // guarded by it, too: Hear was set

void Hear(int) {
  told.store(true);
  std::signal(SIGTERM, SIG_DFL);
  if (!has_last_call.load()) return;
  itimerspec after = {};
  after.it_value.tv_sec = TerminationScope::kLastCall;
  timer_settime(last_call, 0, &after, nullptr);
}

bool IsHandledBy(void (*handler)(int)) {
  struct sigaction action = {};
  return sigaction(SIGTERM, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
         action.sa_handler == handler;
}

}  // namespace

TerminationScope::TerminationScope() {
  const std::lock_guard<std::mutex> lock(termination_mutex);
  if (termination_scopes++ > 0 || told.load() || !IsHandledBy(SIG_DFL)) return;
  if (!has_last_call.load()) {
    sigevent event = {};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGTERM;
    has_last_call.store(timer_create(CLOCK_MONOTONIC, &event, &last_call) == 0);
  }
  struct sigaction action = {};
  action.sa_handler = Hear;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  is_heard = sigaction(SIGTERM, &action, nullptr) == 0;
}

TerminationScope::~TerminationScope() {
  const std::lock_guard<std::mutex> lock(termination_mutex);
  if (--termination_scopes > 0 || !std::exchange(is_heard, false)) return;
  if (IsHandledBy(Hear)) std::signal(SIGTERM, SIG_DFL);
}

bool ToldToEnd() { return told.load(); }

}  // namespace lockstep::base
