#include "base/signal_count.h"

#include <gtest/gtest.h>

#include <csignal>

namespace lockstep::base {
namespace {

TEST(SignalCount, CountsAndDoesNothingElse) {
  CountSignal(SIGUSR2);
  const uint64_t before = SignalsCounted(SIGUSR2);
  std::raise(SIGUSR2);
  std::raise(SIGUSR2);
  EXPECT_EQ(SignalsCounted(SIGUSR2), before + 2);
  EXPECT_EQ(SignalsCounted(SIGUSR1), 0u);
  std::signal(SIGUSR2, SIG_DFL);
}

}  // namespace
}  // namespace lockstep::base
