#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/event_loop.h"
#include "collectives/all_reduce.h"
#include "collectives/measured_way.h"
#include "collectives/sum_reference.h"
#include "net/port.h"

/// Sums over the transports between processes, each rank with a loop and a thread of its own.

namespace lockstep::collectives {
namespace {

using std::chrono::seconds;
using ::testing::AnyOf;
using ::testing::HasSubstr;

enum class Road { kSharedMemory, kTls, kMixed };

std::string NameOf(Road road) {
  constexpr const char* kNames[] = {"SharedMemory", "Tls", "Mixed"};
  return kNames[static_cast<int>(road)];
}

// One rank, all of whose life happens on its own thread.
struct Rank {
  std::unique_ptr<net::Port> port;
  std::unique_ptr<net::Transport> transport;
  std::unique_ptr<Group> group;
  std::vector<float> sum;
  Status status;
  base::EventThread thread;  // last: it ends before what it uses
};

class RoadsTest : public ::testing::TestWithParam<Road> {
 protected:
  void Make(int num_ranks) {
    static const net::Credentials credentials = net::MakeCredentials().value();
    for (int i = 0; i < num_ranks; ++i) ranks_.push_back(std::make_unique<Rank>());
    net::Membership membership{1, 0, std::vector<std::string>(ranks_.size())};
    OnAll([&](int i, Rank& rank) {
      net::PortOptions options;
      options.shared_memory.beat_limit = seconds(60);
      options.tcp.limits.silence = seconds(60);
      options.connect_limit = seconds(300);
      options.use_shared_memory =
          GetParam() == Road::kSharedMemory || (GetParam() == Road::kMixed && i % 3 != 2);
      if (GetParam() != Road::kSharedMemory) options.tcp.listen = "127.0.0.1:0";
      options.credentials = credentials;
      rank.port = net::Port::Open(rank.thread.loop(), options).value();
      membership.addresses[static_cast<size_t>(i)] = rank.port->address();
    });
    OnAll([&](int i, Rank& rank) {
      net::Membership own = membership;
      own.rank = i;
      rank.transport = rank.port->Join(own).value();
      rank.group = std::make_unique<Group>(*rank.transport);
    });
  }
  void TearDown() override {
    OnAll([](int, Rank& rank) {
      rank.group.reset();
      rank.transport.reset();
      rank.port.reset();
    });
    ranks_.clear();
  }
  // Runs `work` on each rank's thread, and waits for all.
  void OnAll(const std::function<void(int, Rank&)>& work) {
    int done = 0;
    for (size_t i = 0; i < ranks_.size(); ++i) {
      Rank& rank = *ranks_[i];
      rank.thread.executor().Post([&, i] {
        work(static_cast<int>(i), rank);
        here_.Post([&done] { ++done; });
      });
    }
    ASSERT_TRUE(
        here_.RunUntil([&] { return done == static_cast<int>(ranks_.size()); }, seconds(60)));
  }
  void LeaveASum(int leaver, bool at_once);
  void ExpectSum(size_t count, Algorithm algorithm, bool has_keepers) {
    const int num_ranks = static_cast<int>(ranks_.size());
    const Division division = Division::Even(static_cast<Leaf>(num_ranks + 3), num_ranks);
    base::SeededRandomness randomness(count + 1);
    const auto leaves =
        RandomLeaves<float>(randomness, division.num_leaves(), count, count % 2 * 0.3);
    const auto expected = SumByDefinition(leaves, 0, division.num_leaves());
    const uint64_t step = ++step_;
    int done = 0;
    for (int i = 0; i < num_ranks; ++i) {
      Rank& rank = *ranks_[static_cast<size_t>(i)];
      rank.thread.executor().Post([&, i] {
        rank.sum.assign(count, 7);
        AllReduceOptions options;
        options.algorithm = algorithm;
        options.timeout = seconds(120);
        SumRequest request = RequestOf({step, 0}, leaves, division, i, &rank.sum, options);
        for (Contribution& each : request.contributions) {
          if (!has_keepers || each.data == nullptr || count == 0) continue;
          const net::Block block = rank.transport->Allocate(count * 4);
          std::memcpy(block.bytes.data(), each.data, count * 4);
          each.data = block.bytes.data();
          each.keeper = block.owner;
        }
        net::Block sum;
        if (has_keepers && count > 0) {
          sum = rank.transport->Allocate(count * 4);
          std::memcpy(sum.bytes.data(), rank.sum.data(), count * 4);
          request.output = sum.bytes.data();
          request.output_keeper = sum.owner;
        }
        AllReduceSum(*rank.group, std::move(request), [&, sum](const Result<Reduced>& reduced) {
          if (sum.owner != nullptr) std::memcpy(rank.sum.data(), sum.bytes.data(), count * 4);
          rank.status = reduced.status();
          here_.Post([&done] { ++done; });
        });
      });
    }
    ASSERT_TRUE(here_.RunUntil([&] { return done == num_ranks; }, seconds(60)));
    for (const auto& rank : ranks_) {
      ASSERT_EQ(rank->status, Status::Ok());
      ASSERT_TRUE(SameBits(rank->sum, expected.value_or(std::vector<float>(count, 7))))
          << num_ranks << " ranks, " << count << " elements, " << AlgorithmName(algorithm);
    }
  }

  base::EventLoop here_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  uint64_t step_ = 0;
};

TEST_P(RoadsTest, GiveTheTreesBits) {
  const bool is_shared = GetParam() == Road::kSharedMemory;
  for (int num_ranks : {1, 2, 3, 4, 7, 8}) {
    if (!is_shared && num_ranks == 7) continue;  // each step takes its time
    Make(num_ranks);
    for (Algorithm algorithm :
         {Algorithm::kExchange, Algorithm::kSlices, Algorithm::kRelay, Algorithm::kMeasured})
      for (size_t count : {0, 1, 7, 1000, 10000})
        for (bool has_keepers : {false, true})
          if (is_shared || has_keepers) ExpectSum(count, algorithm, has_keepers);
    if (num_ranks <= 3) ExpectSum(1310720, Algorithm::kAuto, true);
    // So that rank 0 goes each way.
    for (int sum = 0; num_ranks == 2 && sum < MeasuredWay::kFirst + 2 * MeasuredWay::kTries; ++sum)
      ExpectSum(50000, Algorithm::kAuto, true);
    TearDown();
    if (HasFatalFailure()) return;
  }
}

// `leaver` goes at once, maybe before it is connected, or once the others have met.
void RoadsTest::LeaveASum(int leaver, bool at_once) {
  Make(3);
  if (!at_once) ExpectSum(10, Algorithm::kAuto, false);
  const Division division = Division::Even(3, 3);
  int done = 0;
  const std::vector<float> leaf(1000, 1);
  for (int i = 0; i < 3; ++i) {
    if (i == leaver) continue;
    Rank& rank = *ranks_[static_cast<size_t>(i)];
    rank.thread.executor().Post([&, i] {
      rank.sum.assign(1000, 0);
      SumRequest request;
      request.id = {9, 0};
      request.options.timeout = seconds(120);
      request.dtype = DType::kFloat32;
      request.count = 1000;
      request.division = division;
      request.output = reinterpret_cast<std::byte*>(rank.sum.data());
      request.contributions = {
          {division.block(i), reinterpret_cast<const std::byte*>(leaf.data())}};
      AllReduceSum(*rank.group, std::move(request), [&](const Result<Reduced>& reduced) {
        rank.status = reduced.status();
        here_.Post([&done] { ++done; });
      });
    });
  }
  Rank& leaves = *ranks_[static_cast<size_t>(leaver)];
  leaves.thread.executor().Post([&] {
    leaves.group.reset();
    leaves.transport.reset();
  });
  // Not by the sum's deadline.
  ASSERT_TRUE(here_.RunUntil([&] { return done == 2; }, seconds(60)));
  const std::string rank = "[net] rank " + std::to_string(leaver);
  for (int i = 0; i < 3; ++i) {
    if (i == leaver) continue;
    const Status& status = ranks_[static_cast<size_t>(i)]->status;
    EXPECT_THAT(status.code(), AnyOf(Code::kUnavailable, Code::kAborted));
    // Over TCP a connection's end may overtake the leave that was sent on it.
    EXPECT_THAT(status.message(), AnyOf(HasSubstr(rank + " must outlive the epoch; got its leave"),
                                        HasSubstr(rank + " must keep its connection")));
  }
  TearDown();
}

TEST_P(RoadsTest, ARankThatLeavesEndsTheSumOfTheOthers) { LeaveASum(2, false); }

TEST_P(RoadsTest, ARankThatLeavesBeforeItIsConnectedDoesToo) {
  for (int leaver : {0, 1, 2}) LeaveASum(leaver, true);
}

INSTANTIATE_TEST_SUITE_P(All, RoadsTest,
                         ::testing::Values(Road::kSharedMemory, Road::kTls, Road::kMixed),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace lockstep::collectives
