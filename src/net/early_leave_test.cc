#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/event_loop.h"
#include "net/port.h"

/// Ranks that go before they are connected.

namespace lockstep::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using ::testing::AnyOf;
using ::testing::HasSubstr;

enum class Road { kSharedMemory, kTcp, kTls };

class EarlyLeaveTest : public ::testing::TestWithParam<std::tuple<Road, int>> {
 protected:
  void SetUp() override {
    static const Credentials credentials = MakeCredentials().value();
    const Road road = std::get<0>(GetParam());
    PortOptions options;
    options.use_shared_memory = road == Road::kSharedMemory;
    options.shared_memory.beat_limit = minutes(1);
    if (road != Road::kSharedMemory) options.tcp.listen = "127.0.0.1:0";
    options.tcp.plain_text = road == Road::kTcp;
    options.tcp.limits.silence = minutes(1);
    options.tcp.refused_limit = milliseconds(20);
    options.credentials = credentials;
    options.connect_limit = minutes(10);  // nothing here ends by it
    for (int rank : {0, 1}) {
      ports_[rank] = Port::Open(loop_, options).value();
      addresses_.push_back(ports_[rank]->address());
    }
  }
  void Join(int rank) {
    transports_[rank] = ports_[rank]->Join({membership_, rank, addresses_}).value();
  }
  // The rank that does not go, waits until it knows.
  Status Await() {
    const auto& transport = transports_[1 - goes()];
    EXPECT_TRUE(loop_.RunUntil([&] { return transport->aborted() != nullptr; }, minutes(1)));
    return transport->aborted() != nullptr ? transport->aborted()->reason : Status::Ok();
  }
  void ExpectLeave() {
    const Status why = Await();
    EXPECT_EQ(why.code(), Code::kUnavailable);
    // Over TCP a connection's end may overtake the leave that was sent on it.
    EXPECT_THAT(why.message(), AnyOf(HasSubstr(Rank() + " must outlive the epoch; got its leave"),
                                     HasSubstr(Rank() + " must keep its connection")));
  }
  static int goes() { return std::get<1>(GetParam()); }
  static std::string Rank() { return "[net] rank " + std::to_string(goes()); }

  base::EventLoop loop_;
  uint64_t membership_ = 1;
  std::vector<std::string> addresses_;
  std::unique_ptr<Port> ports_[2];
  std::unique_ptr<Transport> transports_[2];
};

TEST_P(EarlyLeaveTest, EndsTheEpochOfWhoIsThere) {
  for (int rank : {0, 1}) Join(rank);
  transports_[goes()].reset();
  ExpectLeave();
}

TEST_P(EarlyLeaveTest, EndsTheEpochOfWhoComesLater) {
  Join(goes());
  transports_[goes()].reset();
  Join(1 - goes());
  ExpectLeave();
}

TEST_P(EarlyLeaveTest, IsForgottenInTheNextMembership) {
  for (int rank : {0, 1}) Join(rank);
  transports_[goes()].reset();
  ExpectLeave();
  transports_[1 - goes()].reset();
  ++membership_;
  int taken = 0;
  for (int rank : {0, 1}) {
    Join(rank);
    transports_[rank]->Listen(Channel::kTest, [&taken](int, const Message&) {
      ++taken;
      return Receipt::kTaken;
    });
  }
  for (int rank : {0, 1}) transports_[rank]->Send(1 - rank, {0, Channel::kTest, {}, {}});
  EXPECT_TRUE(loop_.RunUntil([&] { return taken == 2; }, minutes(1)));
  for (int rank : {0, 1}) EXPECT_EQ(transports_[rank]->aborted(), nullptr);
}

// Who has been called hears nothing from a caller that does not exist; the membership tells it.
TEST_P(EarlyLeaveTest, OfAWholePortIsSeenByItsCaller) {
  if (goes() != 0) return;  // the higher rank calls
  ports_[0].reset();
  Join(1);
  const Status why = Await();
  EXPECT_EQ(why.code(), Code::kUnavailable);
  EXPECT_THAT(why.message(), HasSubstr(Rank()));
  EXPECT_THAT(why.message(),
              AnyOf(HasSubstr("connections refused"), HasSubstr("got Connection refused")));
}

std::string NameOf(const std::tuple<Road, int>& parameters) {
  constexpr const char* kNames[] = {"SharedMemory", "Tcp", "Tls"};
  const auto [road, rank] = parameters;
  return kNames[static_cast<int>(road)] + std::string("Rank") + std::to_string(rank);
}

INSTANTIATE_TEST_SUITE_P(All, EarlyLeaveTest,
                         ::testing::Combine(::testing::Values(Road::kSharedMemory, Road::kTcp,
                                                              Road::kTls),
                                            ::testing::Values(0, 1)),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace lockstep::net
