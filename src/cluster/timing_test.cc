#include <gtest/gtest.h>

#include "cluster/coordinator_replica.h"

namespace lockstep::cluster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Timing, StaysWhereTimersComeInTime) {
  const Timing given;
  for (const base::Duration late : {milliseconds(0), milliseconds(20)}) {
    EXPECT_EQ(given.At(late).election, given.election);
    EXPECT_EQ(given.At(late).call, given.call);
    EXPECT_EQ(given.At(late).silence, given.silence);
  }
}

TEST(Timing, GrowsWithHowLateTimersCome) {
  const Timing late = Timing().At(milliseconds(500));
  EXPECT_EQ(late.election, seconds(4));
  EXPECT_GE(late.call, late.election);
  EXPECT_GE(late.steady_silence, 2 * late.election);  // a leader is replaced before it is dead
  EXPECT_GE(late.silence, late.steady_silence);
  EXPECT_EQ(late.beat, Timing().beat);
  EXPECT_EQ(Timing().At(seconds(100)).election, seconds(10));
}

}  // namespace
}  // namespace lockstep::cluster
