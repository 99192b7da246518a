#include "remote/transport_rpc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "net/in_process.h"
#include "remote/roads.h"

namespace lockstep::remote {
namespace {

using std::chrono::seconds;

net::Payload BytesOf(size_t size, int seed) {
  auto bytes = std::make_shared<net::Bytes>(size);
  for (size_t i = 0; i < size; ++i) (*bytes)[i] = static_cast<std::byte>(i * 7 + seed);
  return bytes;
}

// A caller and who answers, on one loop and over shared memory.
class RoadOfTwo : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server.Open(loop, 7).ok());
    ASSERT_TRUE(client->Open(loop, 7).ok());
    ASSERT_TRUE(server.Join(0, client->address(), "server").ok());
    ASSERT_TRUE(client->Join(1, server.address(), "client").ok());
    // Gives back as many bytes as it is asked for, in one body, and what it got.
    server.rpc().ServeParcels(
        "give", [](net::Parcel request, const net::Rpc::ParcelAnswer& answer) {
          request.bodies.insert(request.bodies.begin(), BytesOf(std::stoul(request.text),
                                                                static_cast<int>(request.text[0])));
          answer(std::move(request));
        });
  }
  Result<net::Parcel> Call(const std::string& method, net::Parcel request) {
    std::optional<Result<net::Parcel>> result;
    client->rpc().CallParcel("", method, std::move(request), seconds(120),
                             [&](Result<net::Parcel> answer) { result = std::move(answer); });
    EXPECT_TRUE(loop.RunUntil([&] { return result.has_value(); }, seconds(120)));
    return result.value_or(Status(Code::kInternal, "[test] no answer"));
  }

  base::EventLoop loop;
  SharedRoad server;
  std::unique_ptr<SharedRoad> client = std::make_unique<SharedRoad>();
};

TEST_F(RoadOfTwo, CarriesBodiesBothWays) {
  for (const size_t size : {0ul, 1ul, 191ul, 193ul, 70'000ul, 3ul << 20}) {
    for (const std::vector<size_t>& more : {std::vector<size_t>{}, {0}, {5, 1000}}) {
      net::Parcel request{.text = std::to_string(size), .bodies = {}};
      for (size_t other : more) request.bodies.push_back(BytesOf(other, 3));
      const net::Parcel back = Call("give", request).OrThrow();
      EXPECT_EQ(back.text, request.text);
      ASSERT_EQ(back.bodies.size(), more.size() + 1);
      EXPECT_TRUE(std::ranges::equal(back.bodies[0].bytes(), BytesOf(size, back.text[0]).bytes()));
      for (size_t i = 0; i < more.size(); ++i)
        EXPECT_TRUE(std::ranges::equal(back.bodies[i + 1].bytes(), request.bodies[i].bytes()));
    }
  }
  EXPECT_EQ(client->rpc().lent_bodies(), 0u);
  EXPECT_EQ(Call("absent", {}).status().code(), Code::kUnimplemented);
}

// A long text and an error take the same road.
TEST_F(RoadOfTwo, CarriesTextsAndErrors) {
  server.rpc().Serve("turn", [](std::string request, const net::Rpc::Answer& answer) {
    if (request.empty()) return answer(Status(Code::kDataLoss, "[test] why"));
    answer(std::string(request.rbegin(), request.rend()));
  });
  std::string text(100'000, 'x');
  text[0] = 'y';
  EXPECT_TRUE(Call("turn", {text, {}}).OrThrow().text == std::string(text.rbegin(), text.rend()));
  const Status status = Call("turn", {}).status();
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_EQ(status.message(), "[test] why");
}

// Who keeps all that comes must not stop the other side: it may lend only so much at once.
TEST_F(RoadOfTwo, OutlivesACallerWhoKeepsEverything) {
  std::vector<net::Parcel> kept;
  constexpr size_t kCalls = 5000;  // more than the transport has tickets
  for (size_t i = 0; i < kCalls; ++i) kept.push_back(Call("give", {"1000", {}}).OrThrow());
  EXPECT_EQ(client->rpc().lent_bodies(), TransportRpc::kMostLentBodies);
  for (const net::Parcel& parcel : kept)
    ASSERT_TRUE(std::ranges::equal(parcel.bodies[0].bytes(), BytesOf(1000, '1').bytes()));
  kept.clear();
  EXPECT_EQ(client->rpc().lent_bodies(), 0u);
  // What is kept outlives the road.
  net::Parcel last = Call("give", {"9000", {}}).OrThrow();
  EXPECT_EQ(client->rpc().lent_bodies(), 1u);
  client.reset();
  EXPECT_TRUE(std::ranges::equal(last.bodies[0].bytes(), BytesOf(9000, '9').bytes()));
}

// Nonsense on the channel is an answer that nobody waits for, or an error.
TEST(TransportRpc, TakesWhateverComes) {
  base::EventLoop loop;
  net::InProcessNetwork network({&loop, &loop});
  for (int rank : {0, 1}) network.transport(rank).EnterEpoch(1);
  TransportRpc server(network.transport(0), "server");
  bool handled = false;
  server.ServeParcels("take", [&](const net::Parcel&, const net::Rpc::ParcelAnswer& answer) {
    handled = true;
    answer(net::Parcel());
  });
  const auto send = [&](const std::string& text) {
    const auto owner = std::make_shared<const std::string>(text);
    network.transport(1).Send(0, {.epoch = 1,
                                  .channel = net::Channel::kRemote,
                                  .payload = {owner, std::as_bytes(std::span(*owner))},
                                  .body = BytesOf(100, 1)});
  };
  int answers = 0;
  network.transport(1).Listen(net::Channel::kRemote, [&](int, const net::Message&) {
    ++answers;
    return net::Receipt::kTaken;
  });
  std::string request(9, '\0');                                // a request, its number
  request += std::string("\4\0\0\0take", 8);                   // the method
  const std::string bodies("\1\0\0\0\144\0\0\0\0\0\0\0", 12);  // one of 100 bytes
  for (size_t cut = 0; cut < request.size() + bodies.size(); ++cut)
    send((request + bodies).substr(0, cut));
  send("\7" + request.substr(1) + bodies);
  loop.RunUntil([] { return false; }, std::chrono::milliseconds(20));
  EXPECT_FALSE(handled);
  send(request + bodies);
  ASSERT_TRUE(loop.RunUntil([&] { return handled; }, seconds(60)));
  EXPECT_GT(answers, 0);
  network.transport(1).Listen(net::Channel::kRemote, nullptr);
}

}  // namespace
}  // namespace lockstep::remote
