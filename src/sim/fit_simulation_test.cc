#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <utility>

#include "distribute/workers/communicator.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/optimizers.h"
#include "sim/fit_job_test.h"
#include "sim/nemesis.h"
#include "sim/seeds_test.h"

/// Whole training jobs in simulated worlds: Model::Fit with the membership, the journal and the
/// collectives of production. LOCKSTEP_SIM_SEED=n replays a seed with its trace printed;
/// LOCKSTEP_SIM_SEEDS=10000 runs more of them. docs/simulation.md says what is simulated.

namespace lockstep::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using End = FitJob::End;

constexpr int64_t kSteps = 24;

WorldOptions Of(int ranks) {
  WorldOptions options{.num_ranks = ranks};
  options.scheduler.lanes = 2;
  return options;
}

TEST(SimulatedFit, NothingHappens) {
  for (int ranks : {1, 2, 3, 5}) {
    World world(ranks, Of(ranks));
    FitJob job(world, {});
    for (int rank = 0; rank < ranks; ++rank) job.Start(rank);
    ASSERT_TRUE(world.RunUntil([&] { return job.AllEnded(); }, minutes(1))) << job.Describe();
    EXPECT_EQ(job.Count(End::kTrained), ranks) << job.Describe();
    EXPECT_EQ(job.fault(), "");
    EXPECT_EQ(job.newest_epoch(), 1u);
  }
}

TEST(SimulatedFit, WhoWaitsForAllToComeLeavesWhenAsked) {
  World world(3, Of(3));
  bool is_asked = false;
  FitJob job(world, {.leaves = [&] { return is_asked; }});
  job.Start(0);
  world.RunUntil([&] { return job.AllEnded(); }, seconds(2));
  ASSERT_EQ(job.life(0).end, End::kNone) << job.Describe();
  is_asked = true;
  ASSERT_TRUE(world.RunUntil([&] { return job.AllEnded(); }, seconds(1))) << job.Describe();
  EXPECT_EQ(job.life(0).end, End::kLeft) << job.Describe();
  EXPECT_NE(job.life(0).why.find("waited for all to come"), std::string::npos) << job.life(0).why;
}

// The majority of the coordinators goes on while the rest is cut off, commits nothing, and comes
// back when the cut is healed.
TEST(SimulatedFit, TheMajorityGoesOnAndTheRestComesBack) {
  for (int ranks : {3, 4, 5}) {
    World world(ranks, Of(ranks));
    FitJobSettings settings;
    settings.longest_compute = milliseconds(100);
    FitJob job(world, settings);
    for (int rank = 0; rank < ranks; ++rank) job.Start(rank);
    ASSERT_TRUE(world.RunUntil([&] { return job.last_step() == 4; }, minutes(1)));
    // Rank 0 leads: with another coordinator it stays on the side that goes on.
    const std::set<int> rest = ranks == 3 ? std::set<int>{2} : std::set<int>{2, 3};
    world.network().Partition(rest);
    ASSERT_TRUE(world.RunUntil([&] { return job.last_step() == 8; }, minutes(1))) << job.Describe();
    for (int rank : rest) EXPECT_LE(job.life(rank).last_step, 5) << job.Describe();
    EXPECT_EQ(job.newest_epoch(), 2u);
    world.network().Heal();
    ASSERT_TRUE(world.RunUntil([&] { return job.AllEnded(); }, minutes(5))) << job.Describe();
    EXPECT_EQ(job.Count(End::kTrained), ranks) << job.Describe();
    for (int rank : rest) EXPECT_GT(job.life(rank).epoch, 2u) << job.Describe();
    EXPECT_EQ(job.fault(), "");
  }
}

// Two sides without a majority of the coordinators on one of them: nobody commits until the cut is
// healed.
TEST(SimulatedFit, ASideWithoutAMajorityWaitsAndSaysSoInTheEnd) {
  for (const bool heals : {true, false}) {
    World world(3, Of(3));
    FitJob job(world, {.longest_compute = milliseconds(100)});
    for (int rank = 0; rank < 3; ++rank) job.Start(rank);
    ASSERT_TRUE(world.RunUntil([&] { return job.last_step() == 4; }, minutes(1)));
    for (const int rank : {0, 1, 2}) world.network().Partition({rank});
    world.RunUntil([] { return false; }, seconds(30));
    EXPECT_LE(job.last_step(), 5);
    EXPECT_EQ(job.newest_epoch(), 1u);
    EXPECT_FALSE(job.AllEnded());
    if (heals) world.network().Heal();
    ASSERT_TRUE(world.RunUntil([&] { return job.AllEnded(); }, minutes(5))) << job.Describe();
    EXPECT_EQ(job.Count(heals ? End::kTrained : End::kFailed), 3) << job.Describe();
    for (const auto& life : job.lives()) {
      if (heals) continue;
      EXPECT_NE(life->why.find("Unavailable: [multi_worker] the coordinators of the job must be in "
                               "reach; got none that leads for"),
                std::string::npos)
          << life->why;
      EXPECT_NE(life->why.find("resume from the newest save"), std::string::npos) << life->why;
    }
    EXPECT_EQ(job.fault(), "");
  }
}

// The others finish while two workers are cut off. When the network is whole again, these find that
// the others have ended, and do not wait for as long as for a network.
TEST(SimulatedFit, WorkersCutOffFromAMajorityThatFinishedEndSoon) {
  for (const int ranks : {4, 5}) {
    World world(90 + ranks, Of(ranks));
    FitJob job(world, {.longest_compute = milliseconds(20)});
    for (int rank = 0; rank < ranks; ++rank) job.Start(rank);
    ASSERT_TRUE(world.RunUntil([&] { return job.last_step() == 4; }, minutes(1)));
    world.network().Partition({2, 3});
    const auto others_have_ended = [&] { return job.Count(End::kTrained) == ranks - 2; };
    ASSERT_TRUE(world.RunUntil(others_have_ended, minutes(1))) << job.Describe();
    world.RunUntil([] { return false; }, seconds(20));
    EXPECT_EQ(job.Count(End::kNone), 2) << job.Describe();
    world.network().Heal();
    ASSERT_TRUE(world.RunUntil([&] { return job.AllEnded(); }, seconds(30))) << job.Describe();
    for (const int rank : {2, 3}) {
      EXPECT_EQ(job.life(rank).end, End::kFailed) << job.Describe();
      EXPECT_NE(job.life(rank).why.find("this worker was cut off from the others, and they have "
                                        "ended; got refused connections for"),
                std::string::npos)
          << job.life(rank).why;
    }
    EXPECT_EQ(job.fault(), "");
  }
}

// Who is left out after the last step finds nobody who lets it in, and ends well all the same: with
// the results of one process where it has all that they need, and else as one that has left.
TEST(SimulatedFit, WhoIsLeftOutAfterTheLastStepEndsWell) {
  int trained = 0, left = 0;
  for (const int ranks : {2, 3}) {
    for (int moment = 0; moment < 160; moment += 11) {
      World world(1000 * ranks + moment, Of(ranks));
      FitJobSettings settings;
      settings.longest_compute = milliseconds(20);
      const int victim = moment % ranks;
      settings.on_step = [&](int64_t step) {
        if (step != kSteps) return;
        world.After(milliseconds(moment), [&] { world.Pause(victim, milliseconds(3500)); });
      };
      FitJob job(world, settings);
      for (int rank = 0; rank < ranks; ++rank) job.Start(rank);
      ASSERT_TRUE(world.RunUntil([&] { return job.AllEnded(); }, minutes(5))) << job.Describe();
      ASSERT_EQ(job.fault(), "") << moment << " ms\n" << job.Describe();
      ASSERT_EQ(job.Count(End::kFailed), 0) << moment << " ms\n" << job.Describe();
      const FitJob::Life& life = job.life(victim);
      ASSERT_EQ(job.Count(End::kTrained), life.end == End::kLeft ? ranks - 1 : ranks)
          << job.Describe();
      ++(life.end == End::kLeft ? left : trained);
    }
  }
  std::printf("%d ended their training, %d left\n", trained, left);
  EXPECT_GT(trained, 0);
}

// The others are through with it when the next training begins, and let in who waits.
TEST(SimulatedFit, WhoIsLeftOutBetweenTwoTrainingsComesBackInTheSecond) {
  int came_back = 0;
  for (int moment = 0; moment < 100; moment += 9) {
    World world(77 + moment, Of(3));
    std::set<std::string> ends;
    FitJobSettings settings;
    settings.longest_compute = milliseconds(20);
    settings.has_arbiter = true;
    settings.body = [&](Strategy& strategy, Program& program) {
      const auto scope = strategy.scope();
      Sequential model{Dense(400), Dense(4)};
      model.Compile({.optimizer = optimizers::Get("adam"),
                     .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true)});
      const FitOptions fit{
          .batch_size = 16, .epochs = 3, .verbose = Verbosity::kSilent, .shards = 4};
      model.Fit(Features(), Labels(), fit);
      if (program.rank() == 1) {
        program.world().After(milliseconds(moment),
                              [&] { program.world().Pause(1, milliseconds(3500)); });
      }
      std::string end;
      for (int i = 0; i < 20; ++i)
        end = std::to_string(model.Evaluate(Features(), Labels(), 20).at("loss"));
      FitOptions longer = fit;
      longer.epochs = 60;
      const History history = model.Fit(Features(), Labels(), longer);
      end += " " + model.StateDigest();
      ends.insert(end);
      came_back +=
          program.rank() == 1 && strategy.num_workers() == 3 && strategy.ranks()->epoch() > 1;
    };
    FitJob job(world, settings);
    for (int rank = 0; rank < 3; ++rank) job.Start(rank);
    ASSERT_TRUE(world.RunUntil([&] { return job.AllEnded(); }, minutes(9))) << job.Describe();
    ASSERT_EQ(job.Count(End::kTrained), 3) << moment << " ms\n" << job.Describe();
    ASSERT_EQ(ends.size(), 1u) << *ends.begin() << " and " << *ends.rbegin();
  }
  EXPECT_GT(came_back, 0);
}

// One thing that goes wrong, soon after a step.
void DoSomething(World& world, FitJob& job, base::SeededRandomness& draw, bool deadly,
                 bool may_leave) {
  const auto any = [&] { return static_cast<int>(draw.Below(world.num_ranks())); };
  const base::Duration time = milliseconds(draw.Below(draw.Chance(0.5) ? 200 : 6000));
  switch (draw.Below(deadly ? 7 : 4)) {
    case 0:
      return world.Pause(any(), time);
    case 1: {
      std::set<int> side;
      for (int rank = 0; rank < world.num_ranks(); ++rank)
        if (draw.Chance(0.5)) side.insert(rank);
      world.network().Partition(side);
      return world.After(time, [&world] { world.network().Heal(); });
    }
    case 2:
      world.network().CutOneWay(any(), any());
      return world.After(time, [&world] { world.network().Heal(); });
    case 3:
      return may_leave ? job.AskToLeave(any()) : void();
    default:
      for (uint64_t deaths = 1 + draw.Below(2); deaths > 0; --deaths) {
        const int victim = any();
        job.Kill(victim);
        if (draw.Chance(0.7))
          world.After(milliseconds(draw.Below(1500)), [&job, victim] { job.Restart(victim); });
      }
  }
}

struct Outcome {
  uint64_t trace = 0;
  bool ended = false;
  bool promised = false;
  std::string fault;
  std::string text;
};

WorldOptions DrawWorld(base::SeededRandomness& draw) {
  WorldOptions options = Of(static_cast<int>(1 + draw.Below(5)));
  options.network.loss = draw.Chance(0.5) ? 0.1 * static_cast<double>(draw.Below(100)) / 100 : 0;
  options.network.repeat = draw.Chance(0.5) ? 0.1 : 0;
  options.network.stray = draw.Chance(0.3) ? 0.05 : 0;
  options.deaths_are_noticed = draw.Chance(0.6);
  return options;
}

FitJobSettings DrawSettings(base::SeededRandomness& draw, bool deadly) {
  FitJobSettings settings;
  settings.has_arbiter = deadly && draw.Chance(0.7);
  settings.interval = draw.Chance(0.3) ? 0 : 1 + draw.Below(5);
  settings.wire.silence_limit = draw.Chance(0.5) ? seconds(1) : seconds(10);
  constexpr base::Duration kComputes[] = {milliseconds(0), milliseconds(1), milliseconds(10),
                                          milliseconds(40)};
  settings.longest_compute = std::chrono::microseconds(50) + kComputes[draw.Below(4)];
  return settings;
}

// Whether it ended as who comes when the others have gone, or never hears that they have.
bool HasNamedEnd(const FitJob::Life& life) {
  const auto says = [&life](const char* words) {
    return life.why.find(words) != std::string::npos;
  };
  return says("all workers must come in time") ||
         says("coordinators of the job must be in reach") ||
         says("cut off from the others, and they have ended");
}

// How a job that was promised to go on has not; empty: it has.
std::string Broken(const World& world, const FitJob& job, int ranks) {
  bool somebody_leaves = false;
  for (const auto& life : job.lives()) somebody_leaves |= life->was_asked_to_leave;
  if (job.Count(End::kTrained) == 0 && !somebody_leaves) return "nobody has trained to the end";
  for (int rank = 0; rank < ranks; ++rank) {
    const FitJob::Life& life = job.life(rank);
    if (life.end == End::kNone) return "rank " + std::to_string(rank) + " has not ended";
    // Where all others have left, one that was left out meanwhile has nobody to go on with.
    const bool was_deserted =
        somebody_leaves && life.why.find("the others must come to the end") != std::string::npos;
    if (life.end == End::kFailed && !HasNamedEnd(life) && !was_deserted)
      return "rank " + std::to_string(rank) + " failed";
  }
  return "";
}

// One job with everything drawn from its seed.
Outcome RunSeed(uint64_t seed, bool deadly, bool keep_trace) {
  base::SeededRandomness draw(seed ^ 0xf17);
  WorldOptions options = DrawWorld(draw);
  options.keep_trace = keep_trace;
  const int ranks = options.num_ranks;
  World world(seed, options);
  FitJobSettings settings = DrawSettings(draw, deadly);
  if (ranks > 1 && draw.Chance(0.15)) settings.min_members = 2;
  std::set<int64_t> moments;
  for (uint64_t many = draw.Below(5); many > 0; --many)
    moments.insert(static_cast<int64_t>(draw.Below(kSteps + 1)));
  FitJob* job_of_world = nullptr;
  const auto trouble_after = [&](int64_t step) {
    if (moments.erase(step) == 0) return;
    const base::Duration pause =
        std::chrono::microseconds(draw.Below(draw.Chance(0.7) ? 20'000 : 400'000));
    world.After(
        pause, [&] { DoSomething(world, *job_of_world, draw, deadly, settings.min_members == 1); });
  };
  settings.on_step = trouble_after;
  FitJob job(world, settings);
  job_of_world = &job;
  for (int rank = 0; rank < ranks; ++rank)
    world.After(milliseconds(draw.Below(100)), [&job, rank] { job.Start(rank); });
  world.After(milliseconds(100), [&] { trouble_after(0); });
  world.RunUntil([] { return false; }, milliseconds(101));
  world.RunUntil([&] { return job.AllEnded() || !job.fault().empty(); }, seconds(60));
  // The network is whole again; machines that were lost come back.
  world.network().set_faults({});
  world.network().Heal();
  Outcome outcome;
  bool any_alive = false;
  for (int rank = 0; rank < ranks; ++rank)
    any_alive = any_alive || job.life(rank).end != End::kKilled;
  // Without its first epoch a job needs all that it was to begin with.
  outcome.promised =
      any_alive && !job.is_lost() && (!deadly || settings.has_arbiter) && job.newest_epoch() > 0;
  if (job.newest_epoch() == 0 || settings.min_members > 1)
    for (int rank = 0; rank < ranks; ++rank) job.Restart(rank);
  outcome.ended =
      world.RunUntil([&] { return job.AllEnded() || !job.fault().empty(); }, minutes(5));
  outcome.fault = job.fault();
  if (outcome.fault.empty() && outcome.promised) outcome.fault = Broken(world, job, ranks);
  outcome.text = job.Describe();
  outcome.trace = world.trace().hash();
  for (const std::string& line : world.trace().lines()) std::printf("%s\n", line.c_str());
  return outcome;
}

void ForSeeds(bool deadly) {
  const auto [first, last, is_replay] = SeedsToRun(100);
  uint64_t ended = 0;
  for (uint64_t seed = first; seed < last; ++seed) {
    const Outcome outcome = RunSeed(seed, deadly, is_replay);
    EXPECT_EQ(outcome.fault, "") << "seed " << seed << "\n" << outcome.text;
    if (is_replay) std::printf("%s", outcome.text.c_str());
    ended += outcome.ended ? 1 : 0;
    if (seed % 25 == 0) {
      EXPECT_EQ(outcome.trace, RunSeed(seed, deadly, false).trace) << "seed " << seed;
    }
    if (::testing::Test::HasFailure()) return;
  }
  std::printf("%llu of %llu jobs came to their end\n", static_cast<unsigned long long>(ended),
              static_cast<unsigned long long>(last - first));
}

TEST(SimulatedFit, EndsWithTheSameBitsWhateverTheNetworkDoes) { ForSeeds(false); }

TEST(SimulatedFit, EndsWithTheSameBitsWhoeverDies) { ForSeeds(true); }

// Each found a fault once.
TEST(SimulatedFit, SeedsThatFailedOnce) {
  constexpr std::pair<uint64_t, bool> kSeeds[] = {
      {1001, false},  // left out after the last step: Aborted
      {7447, false},  // asked to leave after it had told that it stays: nobody was left
      {7283, true},   // died between the rebases of two others: their snapshots no longer met
      {8010, true},   // the same
      {3055, true},   // let in while it was about to found the job: a failed check
  };
  for (const auto& [seed, deadly] : kSeeds) {
    const Outcome outcome = RunSeed(seed, deadly, /*keep_trace=*/false);
    EXPECT_EQ(outcome.fault, "") << "seed " << seed << "\n" << outcome.text;
  }
}

}  // namespace
}  // namespace lockstep::sim
