#include "net/shared_memory_hub.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cores.h"

namespace lockstep::net {
namespace {

class NoEvents final : public LinkEvents {
 public:
  void Arrive(int, Message) override {}
  void HearAbort(Epoch, Abort) override {}
  void Lose(int, Status) override {}
};

// Two ranks on this thread, each of which sees the other one on the core that it is on itself.
class RanksOfOneThread : public ::testing::Test {
 protected:
  RanksOfOneThread() {
    for (int rank = 0; rank < 2; ++rank) {
      auto hub = SharedMemoryHub::Create({.membership = 7, .rank = rank, .num_ranks = 2}, {}, loop_,
                                         heart_, events_);
      EXPECT_TRUE(hub.ok()) << hub.status().message();
      hubs_[rank] = std::move(*hub);
      links_[rank] = hubs_[rank]->MakeLink(1 - rank);
    }
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
    for (int rank = 0; rank < 2; ++rank) {
      FileDescriptor control(dup(hubs_[1 - rank]->control().file()));
      EXPECT_TRUE(
          hubs_[rank]->Connect(1 - rank, FileDescriptor(ends[rank]), std::move(control)).ok());
    }
  }
  ~RanksOfOneThread() override {
    for (auto& link : links_) link.reset();
  }

  // Whether rank 0 has gone to another core. The system may move the thread, too, but seldom: it is
  // so if it is so several times.
  bool MovesAway(bool other_sleeps) {
    int moves = 0;
    for (int i = 0; i < 5; ++i) {
      // Until it may move again.
      base::EventLoop().RunUntil([] { return false; }, std::chrono::milliseconds(2));
      hubs_[0]->Poll();
      hubs_[1]->Poll();
      if (other_sleeps) hubs_[1]->BeforeSleep();
      const int before = base::CurrentCore();
      hubs_[0]->AfterYield();
      moves += base::CurrentCore() != before;
    }
    return moves >= 3;
  }

  base::EventLoop loop_;
  Heart heart_{std::chrono::milliseconds(10)};
  NoEvents events_;
  std::unique_ptr<SharedMemoryHub> hubs_[2];
  std::unique_ptr<Link> links_[2];
};

TEST_F(RanksOfOneThread, OneThatWaitsGoesWhereNobodyRuns) {
  const std::vector<int> cores = base::CoreNumbers();
  if (cores.size() < 2) GTEST_SKIP() << "needs two cores";
  EXPECT_TRUE(MovesAway(/*other_sleeps=*/false));
  EXPECT_EQ(base::CoreNumbers(), cores) << "it may still run where it might before";
}

TEST_F(RanksOfOneThread, BesideOneThatSleepsItStays) {
  EXPECT_FALSE(MovesAway(/*other_sleeps=*/true));
}

}  // namespace
}  // namespace lockstep::net
