#include <gtest/gtest.h>

#include <memory>

#include "collectives/all_reduce.h"
#include "collectives/sum_reference.h"
#include "distribute/workers/flight_reporter.h"
#include "sim/world.h"

/// What the flight recorders of a simulated cluster say when one of its ranks stalls or dies.

namespace lockstep::sim {
namespace {

using collectives::Phase;
using distribute::FlightReporter;
using std::chrono::seconds;

constexpr int kRanks = 4;
constexpr collectives::Leaf kLeaves = 4;

class FlightSimulation : public ::testing::Test {
 protected:
  void Make(uint64_t seed) {
    WorldOptions options{.num_ranks = kRanks};
    options.network.loss = 0.05;
    options.network.repeat = 0.05;
    world_ = std::make_unique<World>(seed, options);
    std::vector<std::string> addresses;
    for (int rank = 0; rank < kRanks; ++rank) {
      flights_.push_back(std::make_shared<distribute::Flight>());
      groups_.push_back(
          std::make_unique<collectives::Group>(world_->transport(rank), flights_[rank]->Options()));
      reporters_.push_back(std::make_unique<FlightReporter>(
          world_->rpc(rank), flights_[rank],
          distribute::FlightOptions{.limit = seconds(1), .tries = 5}));
      reporters_[rank]->OnFinding([this, rank](const FlightReporter::Finding& finding) {
        found_.emplace_back(rank, finding.difference);
      });
      addresses.push_back(world_->rpc(rank).address());
      flights_[rank]->recorder().Enter(Phase::kStep, world_->executor(rank).Now());
    }
    for (auto& reporter : reporters_) reporter->Enter(0, addresses);
  }
  void TearDown() override {
    reporters_.clear();
    groups_.clear();
    world_.reset();
  }

  void Sum(int rank, uint64_t step) {
    collectives::SumRequest request{.id = {step, 0},
                                    .dtype = DType::kFloat32,
                                    .count = 16,
                                    .division = collectives::Division::Even(kLeaves, kRanks)};
    request.contributions = {{request.division.block(rank), Numbers(rank)}};
    request.output = Numbers(rank);
    request.label = "dense/kernel";
    collectives::AllReduceSum(*groups_[rank], std::move(request),
                              [this](const Result<collectives::Reduced>&) { ++ended_; });
  }
  std::byte* Numbers(int rank) { return reinterpret_cast<std::byte*>(numbers_[rank]); }

  float numbers_[kRanks][16] = {};
  std::unique_ptr<World> world_;
  std::vector<std::shared_ptr<distribute::Flight>> flights_;
  std::vector<std::unique_ptr<collectives::Group>> groups_;
  std::vector<std::unique_ptr<FlightReporter>> reporters_;
  std::vector<std::pair<int, std::string>> found_;
  int ended_ = 0;
};

TEST_F(FlightSimulation, AStalledRankIsNamedByAllWhoWait) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Make(seed);
    ended_ = 0;
    for (int rank = 0; rank < kRanks; ++rank) Sum(rank, 1);
    ASSERT_TRUE(world_->RunUntil([&] { return ended_ == kRanks; }, seconds(10)));
    flights_[2]->recorder().Enter(Phase::kInput, world_->executor(2).Now());
    for (int rank : {0, 1, 3}) Sum(rank, 2);
    ASSERT_TRUE(world_->RunUntil([&] { return found_.size() >= 3; }, seconds(10)));
    for (const auto& [rank, text] : found_) {
      EXPECT_EQ(text.find("worker 2 never reached all_reduce 2 of dense/kernel, at "
                          "src/sim/flight_simulation_test.cc:"),
                0u)
          << "seed " << seed << ": " << text;
      EXPECT_NE(text.find("in which workers 0, 1 and 3 wait since "), std::string::npos) << text;
      EXPECT_NE(text.find("it is in the input pipeline since "), std::string::npos) << text;
    }
    found_.clear();
    reporters_.clear();
    groups_.clear();
    flights_.clear();
    world_.reset();
  }
}

TEST_F(FlightSimulation, ADeadRankGaveNoAnswer) {
  Make(7);
  for (int rank : {0, 1, 2}) Sum(rank, 1);
  world_->Kill(3);
  reporters_[3].reset();
  groups_[3].reset();
  ASSERT_TRUE(world_->RunUntil([&] { return found_.size() >= 3; }, seconds(60)));
  for (const auto& [rank, text] : found_) {
    EXPECT_EQ(text.find("worker 3 gave no answer: ended, stopped or out of reach, before the end "
                        "of all_reduce 1 of dense/kernel"),
              0u)
        << text;
  }
}

}  // namespace
}  // namespace lockstep::sim
