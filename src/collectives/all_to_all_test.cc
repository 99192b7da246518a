#include "collectives/all_to_all.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/event_loop.h"
#include "net/forwarding_transport_test.h"
#include "net/in_process.h"
#include "net/text_payload.h"

namespace lockstep::collectives {
namespace {

// P ranks of one process, on one event loop.
class AllToAllTest : public ::testing::Test {
 protected:
  void Make(int ranks) {
    network_ = std::make_unique<net::InProcessNetwork>(std::vector<base::Executor*>(ranks, &loop_));
    for (int rank = 0; rank < ranks; ++rank)
      groups_.push_back(std::make_unique<Group>(network_->transport(rank)));
    statuses_.resize(ranks);
    got_.resize(ranks);
  }
  void Start(int rank, AllToAllRequest request) {
    request.on_piece = [this, rank](int from, size_t piece, const net::Payload& bytes) {
      got_[rank][{from, piece}] = net::TextOf(bytes);
    };
    AllToAll(*groups_[rank], std::move(request),
             [this, rank](const Result<Reduced>& result) { statuses_[rank] = result.status(); });
  }
  bool Wait() {
    return loop_.RunUntil(
        [this] {
          for (const auto& status : statuses_)
            if (!status.has_value()) return false;
          return true;
        },
        std::chrono::seconds(20));
  }

  base::EventLoop loop_;
  std::unique_ptr<net::InProcessNetwork> network_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<std::optional<Status>> statuses_;
  std::vector<std::map<std::pair<int, size_t>, std::string>> got_;
};

TEST_F(AllToAllTest, EveryPieceArrivesWhereItIsWanted) {
  Make(3);
  for (int rank = 0; rank < 3; ++rank) {
    AllToAllRequest request{.id = {1, 0}};
    request.peers.resize(3);
    for (int peer = 0; peer < 3; ++peer) {
      // As many pieces as the sender's number says, each of another size.
      for (int piece = 0; piece < rank; ++piece)
        request.peers[peer].send.push_back(
            net::TextPayload(std::string(piece * 17, 'a' + rank) + std::to_string(peer)));
      for (int piece = 0; piece < peer; ++piece)
        request.peers[peer].receive.push_back(piece * 17 + 1);
    }
    Start(rank, std::move(request));
  }
  ASSERT_TRUE(Wait());
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_TRUE(statuses_[rank]->ok()) << statuses_[rank]->ToString();
    std::map<std::pair<int, size_t>, std::string> expected;
    for (int from = 0; from < 3; ++from) {
      for (size_t piece = 0; from != rank && piece < static_cast<size_t>(from); ++piece)
        expected[{from, piece}] = std::string(piece * 17, 'a' + from) + std::to_string(rank);
    }
    EXPECT_EQ(got_[rank], expected);
  }
}

// Rank 0 sends pieces of so many bytes of one piece of memory, each `gap` behind the one before;
// gives where the body of its message lay.
const std::byte* SentFrom(const std::vector<size_t>& sizes, size_t gap,
                          const std::shared_ptr<std::vector<std::byte>>& memory, bool other_owner) {
  class Seeing final : public net::ForwardingTransport {
   public:
    using ForwardingTransport::ForwardingTransport;
    void Send(int to, net::Message message) override {
      sent_from = message.body.data();
      ForwardingTransport::Send(to, std::move(message));
    }
    const std::byte* sent_from = nullptr;
  };
  base::EventLoop loop;
  net::InProcessNetwork network({&loop, &loop});
  Seeing seeing(network.transport(0));
  Group first(seeing), second(network.transport(1));
  std::vector<std::string> got;
  int done = 0;
  AllToAllRequest sends{.id = {1, 0}}, takes{.id = {1, 0}};
  sends.peers.resize(2);
  takes.peers.resize(2);
  std::vector<std::string> expected;
  size_t at = 0;
  for (const size_t size : sizes) {
    std::shared_ptr<const void> owner = memory;
    if (other_owner && at > 0) owner = std::make_shared<int>(0);
    sends.peers[1].send.push_back({std::move(owner), {memory->data() + at, size}});
    expected.emplace_back(reinterpret_cast<const char*>(memory->data()) + at, size);
    takes.peers[0].receive.push_back(size);
    at += size + gap;
  }
  takes.on_piece = [&](int, size_t, const net::Payload& bytes) {
    got.emplace_back(net::TextOf(bytes));
  };
  const auto note = [&](const Result<Reduced>& result) { done += result.ok() ? 1 : 0; };
  AllToAll(first, std::move(sends), note);
  AllToAll(second, std::move(takes), note);
  EXPECT_TRUE(loop.RunUntil([&] { return done == 2; }, std::chrono::seconds(20)));
  EXPECT_EQ(got, expected);
  return seeing.sent_from;
}

TEST_F(AllToAllTest, PiecesThatLieAsAMessageHasThemAreNotCopied) {
  const auto memory = std::make_shared<std::vector<std::byte>>(200);
  for (size_t i = 0; i < memory->size(); ++i) (*memory)[i] = static_cast<std::byte>(i);
  EXPECT_EQ(SentFrom({64, 1}, 0, memory, false), memory->data());
  EXPECT_EQ(SentFrom({32, 0, 48, 7}, 0, memory, false), memory->data());
  EXPECT_NE(SentFrom({64, 1}, 16, memory, false), memory->data());
  EXPECT_NE(SentFrom({63, 1}, 0, memory, false), memory->data());
  EXPECT_NE(SentFrom({63, 1}, 1, memory, false), memory->data()) << "what lies between would go";
  EXPECT_NE(SentFrom({64, 1}, 0, memory, true), memory->data()) << "nobody keeps all of it";
}

TEST_F(AllToAllTest, OneRankIsDoneAtOnce) {
  Make(1);
  AllToAllRequest request{.id = {1, 0}};
  request.peers.resize(1);
  Start(0, std::move(request));
  ASSERT_TRUE(Wait());
  EXPECT_TRUE(statuses_[0]->ok());
}

TEST_F(AllToAllTest, RanksThatDisagreeEndTheEpochAndSaySo) {
  Make(2);
  for (int rank = 0; rank < 2; ++rank) {
    AllToAllRequest request{.id = {1, 0}, .fingerprint = 7};
    request.peers.resize(2);
    request.peers[1 - rank].send.push_back(net::TextPayload("abc"));
    request.peers[1 - rank].receive.push_back(rank == 0 ? 3 : 5);
    Start(rank, std::move(request));
  }
  ASSERT_TRUE(Wait());
  EXPECT_EQ(statuses_[1]->code(), Code::kInvalidArgument);
  EXPECT_NE(statuses_[1]->message().find("got 3 bytes from rank 0 where 5 are due to all_to_all"),
            std::string::npos)
      << statuses_[1]->message();
}

TEST_F(AllToAllTest, ADeadlineNamesTheRanksWaitedFor) {
  Make(3);
  AllToAllRequest request{.id = {4, 2}, .timeout = std::chrono::milliseconds(20)};
  request.peers.resize(3);
  request.peers[1].receive.push_back(3);
  request.peers[2].receive.push_back(3);
  Start(0, std::move(request));
  statuses_[1] = statuses_[2] = Status();
  ASSERT_TRUE(Wait());
  EXPECT_EQ(statuses_[0]->code(), Code::kDeadlineExceeded);
  EXPECT_NE(statuses_[0]->message().find("nothing from rank 1, 2"), std::string::npos)
      << statuses_[0]->message();
}

TEST_F(AllToAllTest, PeersMustBeTheRanks) {
  Make(2);
  Start(0, {.id = {1, 0}});
  statuses_[1] = Status();
  ASSERT_TRUE(Wait());
  EXPECT_EQ(statuses_[0]->code(), Code::kInvalidArgument);
  EXPECT_NE(statuses_[0]->message().find("got 0 peers"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::collectives
