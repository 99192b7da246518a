#include "net/tcp_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/event_loop.h"
#include "net/tcp_socket.h"

/// The order in which a port's thread learns of its membership, its links and its callers.

namespace lockstep::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using ::testing::HasSubstr;

class Losses final : public LinkEvents {
 public:
  void Arrive(int, Message) override {}
  void HearAbort(Epoch, Abort) override {}
  void Lose(int, Status why) override { heard = why.message(); }
  std::string heard;
};

class TcpSideTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (auto& side : sides_) {
      TcpListener listener = ListenTcp("127.0.0.1:0").value();
      addresses_.push_back(listener.address);
      side = std::make_unique<TcpSide>(loop_, TcpOptions{}, /*job=*/7, nullptr,
                                       std::move(listener.socket));
      side->Listen();
    }
  }
  void Join(int rank) { sides_[rank]->Join({/*membership=*/1, rank, 2}, addresses_, minutes(10)); }
  void Bind(int rank) {
    sides_[rank]->Bind(std::make_shared<TcpBridge>(loop_, &losses_[rank], 1 - rank));
  }
  // All that comes without anything being done for it.
  void Settle() {
    loop_.RunUntil([] { return false; }, milliseconds(20));
  }

  base::EventLoop loop_;
  Losses losses_[2];
  std::vector<std::string> addresses_;
  std::unique_ptr<TcpSide> sides_[2];
};

TEST_F(TcpSideTest, ACallerMayComeBetweenTheMembershipAndItsLink) {
  Join(1);
  Bind(1);
  sides_[1]->Leave();
  Join(0);
  Settle();
  Bind(0);
  EXPECT_TRUE(loop_.RunUntil([&] { return !losses_[0].heard.empty(); }, minutes(1)));
  EXPECT_THAT(losses_[0].heard, HasSubstr("rank 1 must outlive the epoch; got its leave"));
}

}  // namespace
}  // namespace lockstep::net
