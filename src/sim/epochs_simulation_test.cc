#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "collectives/all_reduce.h"
#include "collectives/sum_reference.h"
#include "sim/nemesis.h"
#include "sim/world.h"

namespace lockstep::sim {
namespace {

using collectives::AllReduceOptions;
using collectives::Division;
using collectives::Group;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr collectives::Leaf kLeaves = 9;
constexpr size_t kCount = 20;
constexpr uint64_t kSteps = 4;

// Every rank runs all steps in one epoch; whenever the epoch is aborted it begins anew in the next.
// Each epoch has leaves of its own, so that whatever strays from one into another shows in the
// bits.
class Retrying {
 public:
  explicit Retrying(World& world)
      : world_(world), division_(Division::Even(kLeaves, world.num_ranks())) {
    good_epochs.resize(world.num_ranks());
    for (int rank = 0; rank < world.num_ranks(); ++rank) {
      scopes_.push_back(std::make_unique<base::TaskScope>(world.executor(rank)));
      scopes_.back()->Spawn(Live(rank));
    }
  }

  /// Whether all ranks have run all steps in one and the same epoch.
  bool done() const {
    for (uint64_t epoch : good_epochs)
      if (epoch == 0 || epoch != good_epochs[0]) return false;
    return true;
  }

  std::vector<uint64_t> good_epochs;  // by rank; 0: none yet
  bool any_wrong = false;
  int aborts = 0;

 private:
  base::Task<void> Live(int rank) {
    net::Transport& transport = world_.transport(rank);
    for (net::Epoch epoch = 1;; ++epoch) {
      transport.EnterEpoch(epoch);
      if (co_await RunEpoch(rank)) good_epochs[rank] = epoch;
      while (transport.aborted() == nullptr)
        co_await base::Sleep(transport.executor(), milliseconds(1));
      ++aborts;
      good_epochs[rank] = 0;
    }
  }

  base::Task<bool> RunEpoch(int rank) {
    net::Transport& transport = world_.transport(rank);
    Group group(transport);
    base::SeededRandomness draw(transport.epoch());
    for (uint64_t step = 0; step < kSteps; ++step) {
      const auto leaves = collectives::RandomLeaves<float>(draw, kLeaves, kCount, 0.0);
      std::vector<float> output(kCount);
      AllReduceOptions options;
      options.timeout = milliseconds(100);
      const auto reduced = co_await AllReduceSum(
          group, collectives::RequestOf({step, 0}, leaves, division_, rank, &output, options));
      if (!reduced.ok()) co_return false;
      any_wrong = any_wrong ||
                  !collectives::SameBits(output, *collectives::SumByDefinition(leaves, 0, kLeaves));
    }
    co_return true;
  }

  World& world_;
  const Division division_;
  std::vector<std::unique_ptr<base::TaskScope>> scopes_;
};

TEST(SimulatedEpochs, NothingStraysFromOneIntoAnother) {
  int aborts = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    base::SeededRandomness draw(seed);
    WorldOptions options;
    options.num_ranks = static_cast<int>(2 + draw.Below(5));
    options.network.loss = 0.1;
    options.network.repeat = 0.1;
    options.network.stray = 0.1;
    World world(seed, options);
    Retrying job(world);
    Trouble(world, milliseconds(300));
    for (int i = 0; i < 5; ++i) {
      const int rank = static_cast<int>(draw.Below(options.num_ranks));
      world.executor(rank).PostAfter(base::Duration(draw.Between(0, 300'000'000)), [&world, rank] {
        world.transport(rank).AbortEpoch(Status(Code::kAborted, "[test] enough"));
      });
    }
    ASSERT_FALSE(world.RunUntil([] { return false; }, milliseconds(301)));
    EXPECT_TRUE(world.RunUntil([&] { return job.done(); }, seconds(30))) << "seed " << seed;
    EXPECT_FALSE(job.any_wrong) << "seed " << seed;
    aborts += job.aborts;
    if (HasFailure()) return;
  }
  EXPECT_GT(aborts, 500);
}

}  // namespace
}  // namespace lockstep::sim
