#include "remote/roads.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "base/event_loop.h"
#include "base/randomness.h"
#include "net/grpc_rpc.h"
#include "net/grpc_test.h"
#include "remote/messages.h"

namespace lockstep::remote {
namespace {

using std::chrono::seconds;

// A server of this host that says which way a call has come, and somebody who calls it.
class RoadsOnUse : public testing::Test {
 protected:
  void SetUp() override {
    LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
    Start();
    Say(*server, "call");
  }
  void Start() {
    auto made = net::MakeGrpcRpc(loop, {.listen = "127.0.0.1:0"});
    ASSERT_TRUE(made.ok()) << made.status().message();
    server = std::move(*made);
    made = net::MakeGrpcRpc(loop, {.listen = "127.0.0.1:0"});
    ASSERT_TRUE(made.ok()) << made.status().message();
    client = std::move(*made);
  }
  static void Say(net::Rpc& rpc, const std::string& way) {
    rpc.ServeParcels("way", [way](const net::Parcel&, const net::Rpc::ParcelAnswer& answer) {
      answer(net::Parcel{.text = way, .bodies = {}});
    });
    rpc.Serve(kHello, [](std::string, const net::Rpc::Answer& answer) { answer(std::string()); });
  }
  std::string Way(Roads& roads) {
    std::optional<Result<net::Parcel>> result;
    roads.CallParcel(server->address(), "way", {}, seconds(60),
                     [&](Result<net::Parcel> answer) { result = std::move(answer); });
    EXPECT_TRUE(loop.RunUntil([&] { return result.has_value(); }, seconds(60)));
    return result.has_value() && result->ok() ? (*result)->text : "none";
  }
  // Until the way is that, or for long.
  bool Comes(Roads& roads, const std::string& way) {
    const base::Time end = loop.Now() + seconds(60);
    while (Way(roads) != way && loop.Now() < end) {
    }
    return loop.Now() < end;
  }

  base::EventLoop loop;
  base::SystemRandomness randomness;
  std::unique_ptr<net::Rpc> server, client;
};

TEST_F(RoadsOnUse, TheFirstCallAsksAndLaterOnesTakeIt) {
  RoadServer gives(*server, loop, [](net::Rpc& road) { Say(road, "road"); });
  Roads roads(*client, loop, randomness, /*attaches=*/true);
  EXPECT_EQ(Way(roads), "call");
  EXPECT_TRUE(Comes(roads, "road"));
  EXPECT_EQ(Way(roads), "road");
}

TEST_F(RoadsOnUse, WhoDoesNotAskHasNone) {
  RoadServer gives(*server, loop, [](net::Rpc& road) { Say(road, "road"); });
  Roads roads(*client, loop, randomness);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Way(roads), "call");
}

TEST_F(RoadsOnUse, CallsGoOnWithoutOneAndAfterIt) {
  Roads roads(*client, loop, randomness, /*attaches=*/true);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Way(roads), "call");  // nobody gives roads
  {
    RoadServer gives(*server, loop, [](net::Rpc& road) { Say(road, "road"); });
    Roads others(*client, loop, randomness, /*attaches=*/true);
    EXPECT_TRUE(Comes(others, "road"));
    roads.Attach(server->address(), [] {});
    EXPECT_TRUE(Comes(roads, "road"));
  }
  EXPECT_TRUE(Comes(roads, "call")) << "the server's end has gone";
}

}  // namespace
}  // namespace lockstep::remote
