#include "base/termination.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace lockstep::base {
namespace {

void EndIf(bool good) { std::_Exit(good ? 0 : 1); }

const auto kWell = testing::ExitedWithCode(0);
const auto kByTheSignal = testing::KilledBySignal(SIGTERM);

TEST(Termination, IsRememberedInAScope) {
  EXPECT_EXIT(
      {
        const TerminationScope scope;
        const bool before = ToldToEnd();
        std::raise(SIGTERM);
        EndIf(!before && ToldToEnd());
      },
      kWell, "");
}

TEST(Termination, EndsTheProcessTheSecondTimeAndOutsideOfScopes) {
  EXPECT_EXIT(
      {
        const TerminationScope scope;
        std::raise(SIGTERM);
        std::raise(SIGTERM);
      },
      kByTheSignal, "");
  EXPECT_EXIT(
      {
        {
          const TerminationScope outer;
          const TerminationScope inner;
        }
        std::raise(SIGTERM);
      },
      kByTheSignal, "");
}

volatile std::sig_atomic_t own_handler_calls = 0;
void CountOwn(int) { own_handler_calls = own_handler_calls + 1; }

TEST(Termination, LeavesAProgramsOwnHandlerAlone) {
  EXPECT_EXIT(
      {
        std::signal(SIGTERM, CountOwn);
        {
          const TerminationScope scope;
          std::raise(SIGTERM);
        }
        std::raise(SIGTERM);
        EndIf(own_handler_calls == 2 && !ToldToEnd());
      },
      kWell, "");
  EXPECT_EXIT(
      {
        {
          const TerminationScope scope;
          std::signal(SIGTERM, CountOwn);
        }
        std::raise(SIGTERM);
        EndIf(own_handler_calls == 1 && !ToldToEnd());
      },
      kWell, "");
}

}  // namespace
}  // namespace lockstep::base
