#include "net/transport.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/randomness.h"
#include "net/in_process.h"
#include "net/port.h"
#include "net/reliable.h"
#include "net/text_payload.h"

namespace lockstep::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string Pattern(int seed, size_t size) {
  std::string text(size, '\0');
  for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>((seed + 1) * 31 + i * 7 + i / 256);
  return text;
}

// Datagrams on the real event loop that lose and repeat by a seed, and can be cut.
class LossyPort final : public Datagrams {
 public:
  LossyPort(int rank, std::vector<LossyPort*>* ports, base::Executor& executor)
      : rank_(rank), ports_(ports), executor_(executor), randomness_(rank) {}
  int rank() const override { return rank_; }
  int num_ranks() const override { return static_cast<int>(ports_->size()); }
  base::Executor& executor() override { return executor_; }
  void Send(int to, Payload datagram) override {
    ++sent;
    if (cut || randomness_.Chance(loss)) return;
    for (int copy = randomness_.Chance(0.2) ? 0 : 1; copy < 2; ++copy) {
      executor_.Post([this, to, datagram] {
        if ((*ports_)[to]->receive_) (*ports_)[to]->receive_(rank_, datagram);
      });
    }
  }
  void OnReceive(std::function<void(int, const Payload&)> receive) override {
    receive_ = std::move(receive);
  }

  double loss = 0;
  bool cut = false;
  int sent = 0;

 private:
  int rank_;
  std::vector<LossyPort*>* ports_;
  base::Executor& executor_;
  base::SeededRandomness randomness_;
  std::function<void(int, const Payload&)> receive_;
};

enum class Road { kInProcess, kReliable, kSharedMemory, kTcp, kTls, kMixed };

std::string NameOf(Road road) {
  constexpr const char* kNames[] = {"InProcess", "Reliable", "SharedMemory", "Tcp", "Tls", "Mixed"};
  return kNames[static_cast<int>(road)];
}

// The same tests over every transport, with all ranks on one loop.
class TransportTest : public ::testing::TestWithParam<Road> {
 protected:
  void Make(int num_ranks, double loss = 0.3, base::Duration silence = seconds(60)) {
    if (GetParam() >= Road::kSharedMemory) {
      MakePorts(num_ranks);
      return;
    }
    if (GetParam() == Road::kInProcess) {
      in_process_ =
          std::make_unique<InProcessNetwork>(std::vector<base::Executor*>(num_ranks, &loop_));
      for (int rank = 0; rank < num_ranks; ++rank)
        transports_.push_back(&in_process_->transport(rank));
      return;
    }
    lossy_ports_.resize(num_ranks);
    for (int rank = 0; rank < num_ranks; ++rank) {
      lossy_.push_back(std::make_unique<LossyPort>(rank, &lossy_ports_, loop_));
      lossy_.back()->loss = loss;
      lossy_ports_[rank] = lossy_.back().get();
    }
    ReliableOptions options;
    options.silence_limit = silence;
    for (int rank = 0; rank < num_ranks; ++rank) {
      reliable_.push_back(MakeReliable(*lossy_[rank], options));
      transports_.push_back(reliable_.back().get());
    }
  }
  void SetUpAgain(int num_ranks) {
    TakeDown();
    Make(num_ranks);
  }
  void TakeDown() {
    transports_.clear();
    joined_.clear();
    ports_.clear();
    reliable_.clear();
    RunFor(milliseconds(5));  // what is on the wire
    lossy_.clear();
    lossy_ports_.clear();
    in_process_.reset();
  }
  void MakePorts(int num_ranks) {
    PortOptions options;
    options.shared_memory.beat_limit = seconds(60);
    options.tcp.limits.silence = seconds(60);
    Membership membership;
    static const Credentials credentials = MakeCredentials().value();
    for (int rank = 0; rank < num_ranks; ++rank) {
      // Mixed: the first two ranks share memory.
      options.use_shared_memory =
          GetParam() == Road::kSharedMemory || (GetParam() == Road::kMixed && rank < 2);
      if (GetParam() != Road::kSharedMemory) options.tcp.listen = "127.0.0.1:0";
      options.tcp.plain_text = GetParam() == Road::kTcp;
      if (GetParam() != Road::kTcp) options.credentials = credentials;
      ports_.push_back(Port::Open(loop_, options).value());
      membership.addresses.push_back(ports_.back()->address());
    }
    for (; membership.rank < num_ranks; ++membership.rank) {
      joined_.push_back(ports_[membership.rank]->Join(membership).value());
      transports_.push_back(joined_.back().get());
    }
  }
  bool RunUntil(const std::function<bool()>& done) { return loop_.RunUntil(done, seconds(60)); }
  void RunFor(base::Duration time) {
    loop_.RunUntil([] { return false; }, time);
  }
  Transport& transport(int rank) { return *transports_[rank]; }

  base::EventLoop loop_;
  std::vector<LossyPort*> lossy_ports_;
  std::vector<std::unique_ptr<LossyPort>> lossy_;
  std::unique_ptr<InProcessNetwork> in_process_;
  std::vector<std::unique_ptr<Transport>> reliable_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<std::unique_ptr<Transport>> joined_;
  std::vector<Transport*> transports_;
};

TEST_P(TransportTest, TakesEveryMessageExactlyOnce) {
  Make(3);
  std::vector<std::vector<int>> counts(2, std::vector<int>(100));
  int taken = 0;
  transport(2).Listen(Channel::kTest, [&](int from, const Message& message) {
    EXPECT_LT(from, 2);
    ++counts[from][std::stoi(std::string(TextOf(message.payload)))];
    ++taken;
    return Receipt::kTaken;
  });
  for (int i = 0; i < 100; ++i)
    for (int from : {0, 1})
      transport(from).Send(2, {0, Channel::kTest, TextPayload(std::to_string(i))});
  EXPECT_TRUE(RunUntil([&] { return taken >= 200; }));
  RunFor(milliseconds(20));
  EXPECT_EQ(counts, std::vector<std::vector<int>>(2, std::vector<int>(100, 1)));
}

TEST_P(TransportTest, KeepsWhatIsNotTakenYet) {
  Make(2);
  transport(0).Send(1, {0, Channel::kTest, TextPayload("early")});
  RunFor(milliseconds(10));
  int refused = 0;
  std::vector<std::string> taken;
  transport(1).Listen(Channel::kTest, [&](int, const Message& message) {
    if (refused++ < 2) return Receipt::kLater;
    taken.emplace_back(TextOf(message.payload));
    return Receipt::kTaken;
  });
  EXPECT_TRUE(RunUntil([&] { return !taken.empty(); }));
  RunFor(milliseconds(10));
  EXPECT_EQ(taken, std::vector<std::string>{"early"});
}

TEST_P(TransportTest, HoldsAFutureEpochBackAndDropsAPastOne) {
  Make(2);
  std::vector<std::string> taken;
  transport(1).Listen(Channel::kTest, [&](int, const Message& message) {
    taken.emplace_back(TextOf(message.payload));
    return Receipt::kTaken;
  });
  transport(0).EnterEpoch(2);
  transport(0).Send(1, {1, Channel::kTest, TextPayload("of no epoch of the sender")});
  transport(0).Send(1, {2, Channel::kTest, TextPayload("future")});
  transport(1).Send(0, {0, Channel::kTest, TextPayload("past")});
  RunFor(milliseconds(20));
  EXPECT_TRUE(taken.empty());
  transport(1).EnterEpoch(2);
  EXPECT_TRUE(RunUntil([&] { return !taken.empty(); }));
  RunFor(milliseconds(20));
  EXPECT_EQ(taken, std::vector<std::string>{"future"});
}

TEST_P(TransportTest, TellsEveryRankOfAnAbortOnceAndWorksInTheNextEpoch) {
  Make(4);
  std::vector<std::string> heard(4);
  int messages = 0;
  for (int rank = 0; rank < 4; ++rank) {
    transport(rank).WatchAborts([&heard, rank](Epoch epoch, const Abort& abort) {
      heard[rank] += std::to_string(epoch) + " by " + std::to_string(abort.by) + ": " +
                     abort.reason.ToString();
    });
    transport(rank).Listen(Channel::kTest, [&messages](int, const Message&) {
      ++messages;
      return Receipt::kTaken;
    });
  }
  transport(1).AbortEpoch(Status(Code::kDataLoss, "[test] why"));
  transport(1).AbortEpoch(Status(Code::kDataLoss, "[test] again"));
  transport(1).Send(0, {0, Channel::kTest, TextPayload("too late")});
  ASSERT_NE(transport(1).aborted(), nullptr);
  const std::string expected = "0 by 1: DataLoss: [test] why";
  EXPECT_TRUE(RunUntil([&] { return heard == std::vector<std::string>(4, expected); }));
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(transport(rank).aborted()->by, 1);
    transport(rank).EnterEpoch(1);
    EXPECT_EQ(transport(rank).aborted(), nullptr);
  }
  transport(1).Send(0, {1, Channel::kTest, TextPayload("in time")});
  EXPECT_TRUE(RunUntil([&] { return messages > 0; }));
  RunFor(milliseconds(20));
  EXPECT_EQ(messages, 1);
  EXPECT_EQ(heard, std::vector<std::string>(4, expected));
}

TEST_P(TransportTest, LearnsOfAnAbortBeforeItEntersTheEpoch) {
  Make(2);
  bool heard = false;
  transport(1).WatchAborts([&](Epoch epoch, const Abort& abort) {
    EXPECT_EQ(epoch, 5u);
    EXPECT_EQ(abort.reason.code(), Code::kUnavailable);
    heard = true;
  });
  transport(0).EnterEpoch(5);
  transport(0).AbortEpoch(Status(Code::kUnavailable, "[test] early"));
  RunFor(milliseconds(50));
  EXPECT_FALSE(heard);
  transport(1).EnterEpoch(5);
  EXPECT_TRUE(RunUntil([&] { return heard; }));
}

TEST_P(TransportTest, CarriesPayloadsAndBodiesOfAllSizes) {
  for (const int num_ranks : {2, 3}) {
    SetUpAgain(num_ranks);
    std::vector<size_t> sizes = {0, 1, 7, 47, 48, 144, 145, 192, 193, 1000, 10000};
    if (GetParam() == Road::kReliable) sizes = {0, 7, 1000};  // each takes its time to arrive
    size_t taken = 0;
    for (int rank = 0; rank < num_ranks; ++rank) {
      transport(rank).Listen(Channel::kTest, [&, rank](int from, const Message& message) {
        EXPECT_EQ(TextOf(message.payload), Pattern(from + rank, message.payload.size()));
        EXPECT_EQ(TextOf(message.body), Pattern(from * rank, message.body.size()));
        EXPECT_EQ(reinterpret_cast<uintptr_t>(message.body.data()) % 16, 0u);
        ++taken;
        return Receipt::kTaken;
      });
    }
    size_t sent = 0;
    for (int from = 0; from < num_ranks; ++from) {
      for (int to = 0; to < num_ranks; ++to) {
        if (from == to) continue;
        for (size_t payload : sizes) {
          for (size_t body : sizes) {
            Block block = transport(from).Allocate(body);
            const std::string text = Pattern(from * to, body);
            std::memcpy(block.bytes.data(), text.data(), body);
            // Every other body lies in memory of its own.
            transport(from).Send(to, {0, Channel::kTest, TextPayload(Pattern(from + to, payload)),
                                      ++sent % 2 == 0 ? Payload(block) : TextPayload(text)});
          }
        }
      }
    }
    EXPECT_TRUE(RunUntil([&] { return taken == sent; })) << taken << " of " << sent;
  }
}

INSTANTIATE_TEST_SUITE_P(All, TransportTest,
                         ::testing::Values(Road::kInProcess, Road::kReliable, Road::kSharedMemory,
                                           Road::kTcp, Road::kTls, Road::kMixed),
                         [](const auto& info) { return NameOf(info.param); });

using ReliableTest = TransportTest;

TEST_P(ReliableTest, SaysWhichRankIsSilent) {
  Make(3, 0.0, milliseconds(500));
  std::vector<Status> heard(3);
  for (int rank = 0; rank < 3; ++rank) {
    transport(rank).WatchAborts(
        [&heard, rank](Epoch, const Abort& abort) { heard[rank] = abort.reason; });
    transport(rank).Listen(Channel::kTest, [](int, const Message&) { return Receipt::kTaken; });
  }
  lossy_[2]->cut = true;
  transport(0).Send(2, {0, Channel::kTest, TextPayload("lost")});
  EXPECT_TRUE(RunUntil([&] { return !heard[0].ok() && !heard[1].ok(); }));
  EXPECT_EQ(heard[0].code(), Code::kUnavailable);
  EXPECT_EQ(heard[1], heard[0]);
  const std::string text = heard[0].message();
  EXPECT_NE(text.find("[net] rank 2 must answer within 500.0 ms; got silence for "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("with 1 messages waiting (rank 0 of 3, epoch 0)"), std::string::npos) << text;
}

TEST_P(ReliableTest, DropsStrangersBytes) {
  Make(2, 0.0);
  int taken = 0;
  transport(1).Listen(Channel::kTest, [&](int, const Message&) {
    ++taken;
    return Receipt::kTaken;
  });
  base::SeededRandomness randomness(3);
  for (int i = 0; i < 500; ++i) {
    std::string text(randomness.Below(40), '\0');
    for (char& c : text) c = static_cast<char>(randomness.Below(256));
    if (!text.empty()) text[0] = static_cast<char>(randomness.Below(6));
    if (text[0] == 1 || text[0] == 3) text.resize(text.size() % 22);  // no epoch to end or take
    lossy_[0]->Send(1, TextPayload(text));
  }
  RunFor(milliseconds(5));
  EXPECT_EQ(taken, 0);
  transport(0).Send(1, {0, Channel::kTest, TextPayload("ours")});
  EXPECT_TRUE(RunUntil([&] { return taken == 1; }));
}

INSTANTIATE_TEST_SUITE_P(Lossy, ReliableTest, ::testing::Values(Road::kReliable));

}  // namespace
}  // namespace lockstep::net
