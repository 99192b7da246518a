#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "distribute/workers/elastic_workers_test.h"
#include "lockstep/distribute/parameter_server.h"
#include "lockstep/nn/initializers.h"

namespace lockstep {

/// Trains on two servers and two workers that take turns, undisturbed and then in 16 rounds in each
/// of which one task dies, ever later in its work. `train(strategy)` gives what a task ended with;
/// `check` looks at that of each that is left, with a text on who died.
template <typename Train, typename Check>
void LetOneDieInEachRound(const Train& train, const Check& check) {
  using Ended = std::invoke_result_t<Train, Strategy&>;
  constexpr int kTasks = 4, kRounds = 17;
  std::vector<int64_t> pieces(kTasks, 0);
  int deaths = 0;
  for (int round = 0; round < kRounds; ++round) {
    const int dying = round % kTasks;
    SetRandomSeed(7);
    distribute::ElasticJob job(kTasks, 0, /*servers=*/{0, 1});
    if (round > 0) job.KillAt(dying, std::max<int64_t>(1, pieces[dying] * round / 20));
    std::mutex mutex;
    std::map<int, Ended> all;
    distribute::RunElastic(job, [&](int task, std::shared_ptr<distribute::Communicator> ranks) {
      ParameterServerStrategy strategy(
          std::move(ranks), {.mode = ParameterServerMode::BoundedStaleness(0), .devices = 1});
      const Ended own = train(strategy);
      const std::lock_guard<std::mutex> lock(mutex);
      if (round == 0) pieces[task] = job.pieces(task);
      all[task] = own;
    });
    deaths += job.deaths();
    EXPECT_EQ(all.size(), static_cast<size_t>(kTasks - job.deaths()));
    for (const auto& [task, own] : all)
      check(own, "task " + std::to_string(dying) + " dies in round " + std::to_string(round));
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(deaths, 5);
}

}  // namespace lockstep
