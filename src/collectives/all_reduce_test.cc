#include "collectives/all_reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/probe.h"
#include "collectives/measured_way.h"
#include "collectives/sum_reference.h"
#include "net/forwarding_transport_test.h"
#include "net/in_process.h"

namespace lockstep::collectives {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Algorithm kAlgorithms[] = {Algorithm::kAuto, Algorithm::kExchange, Algorithm::kSlices,
                                     Algorithm::kRelay, Algorithm::kMeasured};

// P ranks of one process, on one event loop.
class Ranks {
 public:
  explicit Ranks(int num_ranks, GroupOptions options = {})
      : network_(std::vector<base::Executor*>(num_ranks, &loop)) {
    for (int rank = 0; rank < num_ranks; ++rank)
      groups.push_back(std::make_unique<Group>(network_.transport(rank), options));
    statuses.resize(num_ranks);
    present.resize(num_ranks);
  }

  void Start(int rank, SumRequest request) {
    ++under_way_;
    AllReduceSum(*groups[rank], std::move(request), [this, rank](const Result<Reduced>& reduced) {
      statuses[rank] = reduced.status();
      present[rank] = reduced.ok() && reduced->present;
      --under_way_;
    });
  }
  bool Wait() {
    return loop.RunUntil([this] { return under_way_ == 0; }, seconds(60));
  }
  // Lets all that is posted, and what follows from it at once, happen; no clock is asked.
  void Settle() {
    for (int round = 0; round < 50; ++round) {
      bool ran = false;
      loop.Post([&ran] { ran = true; });
      loop.RunUntil([&ran] { return ran; }, std::chrono::minutes(1));
    }
  }
  net::Transport& transport(int rank) { return network_.transport(rank); }

  base::EventLoop loop;

 private:
  net::InProcessNetwork network_;
  int under_way_ = 0;

 public:
  std::vector<std::unique_ptr<Group>> groups;
  std::vector<Status> statuses;
  std::vector<bool> present;
};

template <typename T>
void ExpectSum(const Division& division, size_t count, Algorithm algorithm, double absent,
               uint64_t seed) {
  base::SeededRandomness randomness(seed);
  const Leaf n = division.num_leaves();
  const auto leaves = RandomLeaves<T>(randomness, n, count, absent);
  const auto expected = SumByDefinition(leaves, 0, n);
  const int num_ranks = division.num_ranks();
  Ranks ranks(num_ranks);
  const std::vector<T> untouched(count, T{77});
  std::vector<std::vector<T>> outputs(num_ranks, untouched);
  for (int rank = 0; rank < num_ranks; ++rank) {
    AllReduceOptions options;
    options.algorithm = algorithm;
    ranks.Start(rank, RequestOf({seed, 0}, leaves, division, rank, &outputs[rank], options));
  }
  ASSERT_TRUE(ranks.Wait());
  for (int rank = 0; rank < num_ranks; ++rank) {
    ASSERT_EQ(ranks.statuses[rank], Status::Ok());
    ASSERT_EQ(ranks.present[rank], expected.has_value());
    ASSERT_TRUE(SameBits(outputs[rank], expected.value_or(untouched)))
        << "rank " << rank << " of " << num_ranks << ", " << n << " leaves, " << count
        << " elements, " << AlgorithmName(algorithm);
  }
}

Division RandomDivision(base::Randomness& randomness, Leaf num_leaves, int num_ranks) {
  std::vector<Leaf> borders{0, num_leaves};
  while (static_cast<int>(borders.size()) < num_ranks + 1)
    borders.push_back(static_cast<Leaf>(randomness.Below(num_leaves + 1)));
  std::sort(borders.begin(), borders.end());
  return Division::FromBorders(borders).OrThrow();
}

TEST(AllReduce, GivesTheTreesBitsForEveryNumberOfRanksAndDivision) {
  uint64_t seed = 1;
  for (int ranks : {1, 2, 3, 4, 7, 8}) {
    for (size_t count : {0, 1, 7, 1000, 10000}) {
      for (Leaf n : {1u, 2u, 5u, 8u, 13u}) {
        if (count == 10000 && n == 5) continue;  // the longest rows
        for (Algorithm algorithm : kAlgorithms) {
          base::SeededRandomness randomness(seed);
          const bool is_even = seed % 2 == 0;
          const Division division =
              is_even ? Division::Even(n, ranks) : RandomDivision(randomness, n, ranks);
          ExpectSum<float>(division, count, algorithm, (seed % 3) * 0.4, seed);
          if (HasFatalFailure()) return;
          ++seed;
        }
      }
    }
  }
}

TEST(AllReduce, AddsEveryType) {
  for (Algorithm algorithm : kAlgorithms) {
    for (int ranks : {2, 3, 8}) {
      ExpectSum<double>(Division::Even(11, ranks), 1000, algorithm, 0.1, 1);
      ExpectSum<int32_t>(Division::Even(11, ranks), 1000, algorithm, 0.1, 2);
      ExpectSum<int64_t>(Division::Even(11, ranks), 1000, algorithm, 0.1, 3);
    }
  }
}

// Sums of one form on the same groups: rank 0 takes the one way, then the other. Some ranks' parts
// can be read where they lie, those of others are copied, and go out in slices.
TEST(AllReduce, TakesEitherMeasuredWayToTheSameBits) {
  for (int num_ranks : {1, 2, 3, 8}) {
    const auto num_leaves = static_cast<Leaf>(num_ranks + 2);
    base::SeededRandomness randomness(num_leaves);
    const Division division = num_ranks == 3
                                  ? Division::FromBorders({0, 4, 4, num_leaves}).OrThrow()
                                  : Division::Even(num_leaves, num_ranks);
    Ranks ranks(num_ranks);
    for (uint64_t step = 1; step <= MeasuredWay::kFirst + 8 * MeasuredWay::kTries; ++step) {
      const size_t count = step % 2 == 0 ? 1000 : 130;
      const auto leaves = RandomLeaves<float>(randomness, num_leaves, count, step % 4 * 0.2);
      const std::vector<float> untouched(count, 77.0f);
      std::vector<std::vector<float>> outputs(static_cast<size_t>(num_ranks), untouched);
      AllReduceOptions options;
      options.algorithm = Algorithm::kMeasured;
      for (int i = 0; i < num_ranks; ++i) {
        const int rank = (i + static_cast<int>(step)) % num_ranks;
        SumRequest request = RequestOf({step, 0}, leaves, division, rank, &outputs[rank], options);
        const bool has_keepers = step % 5 < 2 || (step % 5 < 4 && randomness.Chance(0.5));
        for (Contribution& each : request.contributions)
          if (has_keepers) each.keeper = std::make_shared<int>(0);
        ranks.Start(rank, std::move(request));
        if (step % 3 == 0) ranks.Settle();
      }
      ASSERT_TRUE(ranks.Wait());
      const auto expected = SumByDefinition(leaves, 0, num_leaves);
      for (int rank = 0; rank < num_ranks; ++rank) {
        ASSERT_EQ(ranks.statuses[rank], Status::Ok());
        ASSERT_TRUE(SameBits(outputs[rank], expected.value_or(untouched)))
            << "rank " << rank << " of " << num_ranks << ", step " << step;
      }
    }
  }
}

TEST(AllReduce, SaysWhenNobodyContributes) {
  for (Algorithm algorithm : kAlgorithms) {
    ExpectSum<float>(Division::Even(6, 3), 100, algorithm, 1.0, 1);
    ExpectSum<float>(Division::Even(0, 3), 100, algorithm, 0.0, 1);
    ExpectSum<float>(Division::Even(6, 3), 0, algorithm, 1.0, 1);
  }
}

TEST(AllReduce, TakesSumsThatWereMadeBeforeAndWritesInPlace) {
  base::SeededRandomness randomness(5);
  const auto leaves = RandomLeaves<float>(randomness, 8, 100, 0.0);
  const auto expected = SumByDefinition(leaves, 0, 8);
  const Division division = Division::Even(8, 2);
  for (Algorithm algorithm : kAlgorithms) {
    Ranks ranks(2);
    std::vector<std::vector<float>> outputs(2);
    for (int rank = 0; rank < 2; ++rank) {
      const Node block = division.block(rank);
      outputs[rank] = *SumByDefinition(leaves, block.begin, block.end);
      SumRequest request = RequestOf({0, 0}, leaves, division, rank, &outputs[rank]);
      request.options.algorithm = algorithm;
      request.contributions = {{block, request.output}};
      ranks.Start(rank, request);
    }
    ASSERT_TRUE(ranks.Wait());
    for (const auto& output : outputs) EXPECT_TRUE(SameBits(output, *expected));
  }
}

TEST(AllReduce, RunsManyBucketsSideBySideAndKeepsWhatComesEarly) {
  base::SeededRandomness randomness(6);
  constexpr int kBuckets = 5;
  GroupOptions options;
  options.held_bytes = 700;  // not even two early partials: the rest waits with their senders
  Ranks ranks(3, options);
  const Division division = Division::Even(7, 3);
  std::vector<Leaves<float>> leaves;
  for (int bucket = 0; bucket < kBuckets; ++bucket)
    leaves.push_back(RandomLeaves<float>(randomness, 7, 100, 0.2));
  std::vector<std::vector<float>> outputs(3 * kBuckets, std::vector<float>(100));
  for (int rank = 0; rank < 3; ++rank) {
    for (int i = 0; i < kBuckets; ++i) {
      const uint32_t bucket = rank == 1 ? kBuckets - 1 - i : i;  // another order
      ranks.Start(rank, RequestOf({3, bucket}, leaves[bucket], division, rank,
                                  &outputs[rank * kBuckets + bucket]));
    }
    ranks.Settle();
  }
  ASSERT_TRUE(ranks.Wait());
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(ranks.statuses[rank], Status::Ok());
    for (int bucket = 0; bucket < kBuckets; ++bucket)
      EXPECT_TRUE(
          SameBits(outputs[rank * kBuckets + bucket], *SumByDefinition(leaves[bucket], 0, 7)));
  }
}

// Delivers every message twice, as two workers would that compute the same node.
class Twice final : public net::ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  void Send(int to, net::Message message) override {
    ForwardingTransport::Send(to, message);
    ForwardingTransport::Send(to, std::move(message));
  }
};

TEST(AllReduce, DropsRepeatsWhetherTheSumIsDoneOrNot) {
  base::SeededRandomness randomness(7);
  const Division division = Division::Even(7, 3);
  const auto leaves = RandomLeaves<float>(randomness, 7, 100, 0.0);
  for (Algorithm algorithm : kAlgorithms) {
    Ranks ranks(3);
    std::vector<std::unique_ptr<Twice>> twice;
    std::vector<std::vector<float>> outputs(3, std::vector<float>(100));
    AllReduceOptions options;
    options.algorithm = algorithm;
    for (int rank = 0; rank < 3; ++rank) {
      ranks.groups[rank].reset();
      twice.push_back(std::make_unique<Twice>(ranks.transport(rank)));
      ranks.groups[rank] = std::make_unique<Group>(*twice[rank]);
      ranks.Start(rank, RequestOf({1, 0}, leaves, division, rank, &outputs[rank], options));
    }
    ASSERT_TRUE(ranks.Wait());
    ranks.Settle();
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(ranks.statuses[rank], Status::Ok());
      EXPECT_TRUE(SameBits(outputs[rank], *SumByDefinition(leaves, 0, 7)));
    }
    ranks.groups.clear();
  }
  for (const base::Probe* probe : base::AllProbes()) {
    const std::string name = probe->name();
    if (name == "a partial's leaves are already in the sum" ||
        name == "a partial comes after its collective finished here") {
      EXPECT_GT(probe->hits(), 0u) << name;
    }
  }
}

TEST(AllReduce, RefusesANameThatWasUsedBefore) {
  base::SeededRandomness randomness(7);
  Ranks ranks(1);
  const auto leaves = RandomLeaves<float>(randomness, 2, 4, 0.0);
  std::vector<float> output(4);
  const auto run = [&](uint64_t step) {
    ranks.Start(0, RequestOf({step, 0}, leaves, Division::Even(2, 1), 0, &output));
    EXPECT_TRUE(ranks.Wait());
    return ranks.statuses[0];
  };
  EXPECT_EQ(run(1), Status::Ok());
  EXPECT_EQ(run(1), Status(Code::kInvalidArgument,
                           "[all_reduce] step and bucket must name one collective of an epoch; got "
                           "a name that was used before (rank 0 of 1, epoch 0, step 1, bucket 0)"));
  EXPECT_EQ(run(2), Status::Ok());
  ranks.groups[0]->RetireBefore(5);
  EXPECT_EQ(run(4).code(), Code::kInvalidArgument);
  EXPECT_EQ(run(5), Status::Ok());
}

TEST(AllReduce, NamesWhoIsMissingWhenTheDeadlinePasses) {
  base::SeededRandomness randomness(8);
  Ranks ranks(4);
  const Division division = Division::Even(8, 4);
  const auto leaves = RandomLeaves<float>(randomness, 8, 100, 0.0);
  std::vector<std::vector<float>> outputs(4, std::vector<float>(100));
  for (int rank : {1, 3, 0}) {
    ranks.Settle();
    AllReduceOptions options;
    options.timeout = rank == 0 ? milliseconds(20) : seconds(60);
    options.algorithm = Algorithm::kSlices;
    ranks.Start(rank, RequestOf({17, 2}, leaves, division, rank, &outputs[rank], options));
  }
  ASSERT_TRUE(ranks.Wait());
  EXPECT_EQ(ranks.statuses[0].code(), Code::kDeadlineExceeded);
  EXPECT_EQ(ranks.statuses[0].message(),
            "[all_reduce] every partial must arrive within 20.0 ms; got none of node [4,6), slice "
            "0, from rank 2; 0 of 4 slices are done (rank 0 of 4, epoch 0, step 17, bucket 2); see "
            "whether that rank runs, or raise the timeout");
  for (int rank : {1, 3}) {
    EXPECT_EQ(ranks.statuses[rank].code(), Code::kAborted);
    const std::string text = ranks.statuses[rank].message();
    EXPECT_NE(text.find("got an abort by rank 0: " + ranks.statuses[0].message()),
              std::string::npos);
    EXPECT_NE(text.find("waiting here: none of node [4,6)"), std::string::npos) << text;
  }
  // The late rank learns at once, and the next epoch works.
  ranks.Start(2, RequestOf({17, 2}, leaves, division, 2, &outputs[2]));
  ASSERT_TRUE(ranks.Wait());
  EXPECT_EQ(ranks.statuses[2].code(), Code::kAborted);
  for (int rank = 0; rank < 4; ++rank) {
    ranks.groups[rank].reset();
    ranks.transport(rank).EnterEpoch(1);
    ranks.groups[rank] = std::make_unique<Group>(ranks.transport(rank));
    ranks.Start(rank, RequestOf({17, 2}, leaves, division, rank, &outputs[rank]));
  }
  ASSERT_TRUE(ranks.Wait());
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(ranks.statuses[rank], Status::Ok());
    EXPECT_TRUE(SameBits(outputs[rank], *SumByDefinition(leaves, 0, 8)));
  }
}

// Whether it is a part, or the sum of a slice: here rank 0 has all leaves, so that the sum is a
// part.
TEST(AllReduce, NamesWhatIsMissingOfEachPlan) {
  const auto missing = [](std::vector<Leaf> borders, Algorithm algorithm) {
    Ranks ranks(2);
    const std::vector<float> leaf(40, 1.0f);
    std::vector<float> output(40);
    ranks.Start(0, RequestOf({1, 0}, Leaves<float>{leaf, leaf},
                             Division::FromBorders(std::move(borders)).OrThrow(), 0, &output,
                             {milliseconds(5), algorithm}));
    EXPECT_TRUE(ranks.Wait());
    return ranks.statuses[0].message();
  };
  EXPECT_NE(missing({0, 1, 2}, Algorithm::kMeasured)
                .find("got none of node [1,2), slice 0, from rank 1; 0 of 3 slices are done"),
            std::string::npos);
  EXPECT_NE(missing({0, 2, 2}, Algorithm::kMeasured)
                .find("got none of node [0,2), slice 2, from rank 1; 2 of 3 slices are done"),
            std::string::npos);
  EXPECT_NE(missing({0, 2, 2}, Algorithm::kSlices)
                .find("got none of node [0,2), slice 1, from rank 1; 1 of 2 slices are done"),
            std::string::npos);
}

TEST(AllReduce, EndsEverywhereWhenOneRankAborts) {
  base::SeededRandomness randomness(9);
  Ranks ranks(3);
  const auto leaves = RandomLeaves<float>(randomness, 3, 10, 0.0);
  std::vector<std::vector<float>> outputs(3, std::vector<float>(10));
  for (int rank : {0, 1})
    ranks.Start(rank, RequestOf({1, 0}, leaves, Division::Even(3, 3), rank, &outputs[rank]));
  ranks.groups[2]->Abort(Status(Code::kAborted, "[test] stop"));
  ASSERT_TRUE(ranks.Wait());
  for (int rank : {0, 1}) {
    EXPECT_EQ(ranks.statuses[rank].code(), Code::kAborted);
    EXPECT_NE(ranks.statuses[rank].message().find("got an abort by rank 2: [test] stop"),
              std::string::npos);
  }
  ranks.Start(2, RequestOf({1, 0}, leaves, Division::Even(3, 3), 2, &outputs[2]));
  ASSERT_TRUE(ranks.Wait());
  EXPECT_EQ(ranks.statuses[2].code(), Code::kAborted);
}

TEST(AllReduce, EndsWithItsGroup) {
  base::SeededRandomness randomness(9);
  Ranks ranks(2);
  const auto leaves = RandomLeaves<float>(randomness, 2, 10, 0.0);
  std::vector<float> output(10);
  ranks.Start(0, RequestOf({1, 0}, leaves, Division::Even(2, 2), 0, &output));
  ranks.groups[0].reset();
  ASSERT_TRUE(ranks.Wait());
  EXPECT_EQ(ranks.statuses[0].code(), Code::kCancelled);
}

TEST(AllReduce, NamesTheFirstDifferenceBetweenRanks) {
  base::SeededRandomness randomness(10);
  const auto run = [&](const Division& other, size_t count, Algorithm algorithm) {
    Ranks ranks(2);
    const auto leaves = RandomLeaves<float>(randomness, 4, 10, 0.0);
    const auto others = RandomLeaves<float>(randomness, other.num_leaves(), count, 0.0);
    std::vector<float> output(10), other_output(count);
    AllReduceOptions options;
    options.algorithm = algorithm;
    ranks.Start(0, RequestOf({2, 1}, leaves, Division::Even(4, 2), 0, &output));
    ranks.Start(1, RequestOf({2, 1}, others, other, 1, &other_output, options));
    EXPECT_TRUE(ranks.Wait());
    // Whoever hears the other first says so.
    const bool is_first = ranks.statuses[0].code() == Code::kInvalidArgument;
    EXPECT_EQ(ranks.statuses[is_first ? 0 : 1].code(), Code::kInvalidArgument);
    EXPECT_FALSE(ranks.statuses[is_first ? 1 : 0].ok());
    return ranks.statuses[is_first ? 0 : 1].message();
  };
  const std::string text = run(Division::Even(4, 2), 11, Algorithm::kAuto);
  EXPECT_NE(text.find("got another number of elements: all_reduce, float32[10], at "
                      "src/collectives/all_reduce_test.cc:"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(" here, all_reduce, float32[11], at src/collectives/all_reduce_test.cc:"),
            std::string::npos);
  EXPECT_NE(text.find(" on rank 1 (rank 0 of 2, epoch 0, step 2, bucket 1)"), std::string::npos);
  const std::string plan = "got another division, algorithm, root or sizes: ";
  EXPECT_NE(run(Division::Even(5, 2), 10, Algorithm::kAuto).find(plan), std::string::npos);
  EXPECT_NE(run(Division::FromBorders({0, 1, 4}).OrThrow(), 10, Algorithm::kAuto).find(plan),
            std::string::npos);
  EXPECT_NE(run(Division::Even(4, 2), 10, Algorithm::kSlices).find(plan), std::string::npos);
}

TEST(AllReduce, RefusesWhatIsNoSum) {
  Ranks ranks(2);
  base::SeededRandomness randomness(11);
  const auto leaves = RandomLeaves<float>(randomness, 4, 10, 0.0);
  std::vector<float> output(10);
  const SumRequest right = RequestOf({1, 0}, leaves, Division::Even(4, 2), 0, &output);
  const auto expect = [&](const SumRequest& request, const std::string& text) {
    ranks.Start(0, request);
    ASSERT_TRUE(ranks.Wait());
    EXPECT_EQ(ranks.statuses[0].code(), Code::kInvalidArgument);
    EXPECT_EQ(ranks.statuses[0].message(),
              "[all_reduce] " + text + " (rank 0 of 2, epoch 0, step 1, bucket 0)");
  };
  SumRequest wrong = right;
  wrong.dtype = DType::kBool;
  expect(wrong, "dtype must be one of numbers; got bool");
  wrong = right;
  wrong.division = Division::Even(4, 3);
  expect(wrong, "the division must have a block per rank; got 3 blocks");
  wrong = right;
  wrong.output = nullptr;
  expect(wrong, "a sum must have a place to go; got no output");
  wrong = right;
  wrong.contributions.pop_back();
  expect(wrong, "contributions must be nodes that make up the block [0,2) of this rank; got [0,1)");
  wrong = right;
  wrong.contributions.push_back(wrong.contributions[0]);
  expect(wrong,
         "contributions must be nodes that make up the block [0,2) of this rank; got [0,1) [0,1) "
         "[1,2)");
}

TEST(AllReduce, CanBeAwaited) {
  base::SeededRandomness randomness(12);
  const auto leaves = RandomLeaves<double>(randomness, 6, 50, 0.0);
  const Division division = Division::Even(6, 3);
  Ranks ranks(3);
  std::vector<std::vector<double>> outputs(3, std::vector<double>(50));
  int good = 0;
  const auto worker = [&](int rank) -> base::Task<void> {
    for (uint64_t step = 0; step < 10; ++step) {
      const auto reduced = co_await AllReduceSum(
          *ranks.groups[rank], RequestOf({step, 0}, leaves, division, rank, &outputs[rank]));
      good += reduced.ok() && reduced->present ? 1 : 0;
      ranks.groups[rank]->RetireBefore(step);
    }
  };
  base::TaskScope scope(ranks.loop);
  for (int rank = 0; rank < 3; ++rank) scope.Spawn(worker(rank));
  ASSERT_TRUE(ranks.loop.RunUntil([&] { return scope.unfinished() == 0; }, seconds(20)));
  EXPECT_EQ(good, 30);
  for (const auto& output : outputs) EXPECT_TRUE(SameBits(output, *SumByDefinition(leaves, 0, 6)));
}

TEST(AllReduce, RunsOnAnExecutorWithAThreadPerRank) {
  constexpr int kRanks = 3;
  constexpr uint64_t kSteps = 50;
  base::SeededRandomness randomness(13);
  const auto leaves = RandomLeaves<float>(randomness, 8, 200, 0.1);
  const auto expected = SumByDefinition(leaves, 0, 8);
  const Division division = Division::Even(8, kRanks);
  base::EventLoop here;
  std::vector<std::unique_ptr<base::EventThread>> threads;  // end before what they post to
  std::vector<base::Executor*> executors;
  for (int rank = 0; rank < kRanks; ++rank) {
    threads.push_back(std::make_unique<base::EventThread>());
    executors.push_back(&threads.back()->executor());
  }
  net::InProcessNetwork network(executors);
  std::vector<std::unique_ptr<Group>> groups(kRanks);
  std::vector<std::unique_ptr<base::TaskScope>> scopes(kRanks);
  int ended = 0, right = 0;
  const auto worker = [&](int rank) -> base::Task<void> {
    int good = 0;
    for (uint64_t step = 0; step < kSteps; ++step) {
      std::vector<float> output(200);
      const auto reduced = co_await AllReduceSum(
          *groups[rank], RequestOf({step, 0}, leaves, division, rank, &output));
      good += reduced.ok() && SameBits(output, *expected) ? 1 : 0;
    }
    here.Post([&, good] { ++ended, right += good; });
  };
  for (int rank = 0; rank < kRanks; ++rank) {
    executors[rank]->Post([&, rank] {
      groups[rank] = std::make_unique<Group>(network.transport(rank));
      scopes[rank] = std::make_unique<base::TaskScope>(*executors[rank]);
      scopes[rank]->Spawn(worker(rank));
    });
  }
  EXPECT_TRUE(here.RunUntil([&] { return ended == kRanks; }, seconds(20)));
  EXPECT_EQ(right, kRanks * static_cast<int>(kSteps));
  ended = 0;
  for (int rank = 0; rank < kRanks; ++rank) {
    executors[rank]->Post([&, rank] {
      scopes[rank].reset();
      groups[rank].reset();
      here.Post([&] { ++ended; });
    });
  }
  EXPECT_TRUE(here.RunUntil([&] { return ended == kRanks; }, seconds(20)));
}

TEST(AllReduce, EndsTheEpochForAPartialThatIsNoNodeOfASlice) {
  base::SeededRandomness randomness(14);
  const auto leaves = RandomLeaves<float>(randomness, 4, 10, 0.0);
  const Division division = Division::Even(4, 2);
  // What rank 1 would send, taken off the wire and bent before rank 0 gets it.
  const auto run = [&](const std::function<void(net::Bytes*, net::Bytes*)>& bend) {
    Ranks ranks(2);
    net::Transport& wire = ranks.transport(1);
    std::vector<std::vector<float>> outputs(2, std::vector<float>(10));
    net::Message sent;
    ranks.groups[1].reset();
    wire.Listen(net::Channel::kCollectives, [&](int, const net::Message& message) {
      sent = message;
      return net::Receipt::kTaken;
    });
    ranks.Start(0, RequestOf({1, 0}, leaves, division, 0, &outputs[0]));
    ranks.Settle();
    net::Bytes header(sent.payload.bytes().begin(), sent.payload.bytes().end());
    net::Bytes elements(sent.body.bytes().begin(), sent.body.bytes().end());
    bend(&header, &elements);
    wire.Send(0, {0, net::Channel::kCollectives, std::make_shared<net::Bytes>(header),
                  std::make_shared<net::Bytes>(elements)});
    EXPECT_TRUE(ranks.Wait());
    EXPECT_EQ(ranks.statuses[0].code(), Code::kInvalidArgument);
    ranks.Settle();
    EXPECT_NE(wire.aborted(), nullptr);
    return ranks.statuses[0].message();
  };
  EXPECT_EQ(
      run([](auto* header, auto* body) { (*header)[32] = std::byte{1}, body->push_back({}); }),
      "[all_reduce] a partial must be a node of a slice; got node [0,1) of slice 0 with 41 "
      "bytes from rank 1 (rank 0 of 2, epoch 0, step 1, bucket 0)");
  EXPECT_NE(run([](auto* header, auto*) { (*header)[32] = std::byte{9}; }).find("node [0,9)"),
            std::string::npos);
  EXPECT_NE(run([](auto* header, auto*) { (*header)[24] = std::byte{1}; }).find("slice 1 with 40"),
            std::string::npos);
  EXPECT_NE(run([](auto*, auto* body) { body->pop_back(); }).find("with 39 bytes"),
            std::string::npos);
}

TEST(PartialMessage, ComesBackAsItWasAndRefusesStrangers) {
  PartialHeader header;
  header.op = {1ull << 40, 7};
  header.dtype = DType::kInt64;
  header.present = true;
  header.slice = 3;
  header.node = {4, 6};
  header.num_leaves = 9;
  header.plan = 0xdeadbeefu;
  header.count = 1ull << 33;
  const net::Bytes elements(16, std::byte{5});
  const net::Payload payload = Encode(header, {"dense/kernel", "[3,4]", "src/a.cc", 17});
  ASSERT_EQ(payload.size(), 56u + 12 + 5 + 8);
  const auto decode = [&](const net::Bytes& bytes) {
    return Decode({0, net::Channel::kCollectives, std::make_shared<net::Bytes>(bytes),
                   std::make_shared<net::Bytes>(elements)});
  };
  const net::Bytes whole(payload.bytes().begin(), payload.bytes().end());
  const auto message = decode(whole);
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->header.op, header.op);
  EXPECT_EQ(message->header.node, header.node);
  EXPECT_EQ(message->header.count, header.count);
  EXPECT_EQ(message->header.plan, header.plan);
  EXPECT_EQ(message->header.dtype, DType::kInt64);
  EXPECT_EQ(message->elements.size(), 16u);
  EXPECT_EQ(message->call.line, 17u);
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(decode(net::Bytes(whole.begin(), whole.begin() + size)));
  net::Bytes other = whole;
  other.push_back(std::byte{0});
  EXPECT_FALSE(decode(other));
  other = whole;
  other[0] = std::byte{2};  // another version
  EXPECT_FALSE(decode(other));
  other = whole;
  other[52] = std::byte{13};  // a label longer than what is there
  EXPECT_FALSE(decode(other));
  other = whole;
  other[3] = std::byte{3 << 3};  // a way that there is not
  EXPECT_FALSE(decode(other));
  other = whole;
  other[46] = std::byte{1};  // a number of texts beyond the last
  EXPECT_FALSE(decode(other));
  const net::Payload number = Encode(header, 7);
  EXPECT_EQ(number.size(), 48u);
  other.assign(number.bytes().begin(), number.bytes().end());
  EXPECT_EQ(decode(other)->text, 7u);
  EXPECT_FALSE(decode(other)->has_text);
  other[44] = std::byte{0};  // neither texts nor a number
  EXPECT_FALSE(decode(other));
  header.way = SumWay::kSlices;
  header.took = 31000;
  for (const net::Payload& timed : {Encode(header, 7), Encode(header, {"a", "b", "c", 17}, 7)}) {
    other.assign(timed.bytes().begin(), timed.bytes().end());
    EXPECT_EQ(decode(other)->header.way, SumWay::kSlices);
    EXPECT_EQ(decode(other)->header.took, 31000u);
    EXPECT_EQ(decode(other)->call.line, decode(other)->has_text ? 17u : 0u);
    for (size_t size = 0; size < other.size(); ++size)
      EXPECT_FALSE(decode(net::Bytes(other.begin(), other.begin() + size)));
  }
  // Long texts are cut where they say least.
  const net::Message cut{
      0,
      net::Channel::kCollectives,
      Encode(header, {std::string(220, 'l'), "", "a/" + std::string(200, 'f'), 1}),
      {}};
  EXPECT_EQ(Decode(cut)->call.label, std::string(200, 'l'));
  EXPECT_EQ(Decode(cut)->call.file, std::string(200, 'f'));
}

}  // namespace
}  // namespace lockstep::collectives
