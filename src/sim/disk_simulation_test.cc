#include <gtest/gtest.h>

#include "checkpoint/save_directory.h"
#include "sim/fit_job_test.h"
#include "sim/seeds_test.h"

/// Trainings that are saved to a slow disk, which fills up, while tasks are paused, cut off and
/// die.

namespace lockstep::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using End = FitJob::End;

constexpr int64_t kSteps = 24, kEvery = 3;

// The values in each save of one process, by step.
const std::map<int64_t, SavedState>& TrueSaves() {
  static std::map<int64_t, SavedState> saves;
  if (!saves.empty()) return saves;
  base::MemoryFiles disk;
  const base::FilesScope scope(disk);
  SetRandomSeed(7);
  MirroredStrategy strategy({.devices = 1, .replicas = 1});
  const auto keep = [&](int64_t step, const Status&) {
    saves[step] = checkpoint::ReadSaveOrNewest(disk, kSaves).OrThrow();
  };
  Train(strategy, {.callbacks = {MakeSaver(kEvery, keep)}});
  return saves;
}

std::string Difference(const SavedState& got, const SavedState& expected) {
  for (const NamedTensor& tensor : expected.tensors) {
    const Tensor* value = got.Find(tensor.name);
    if (value == nullptr) return "no " + tensor.name;
    const auto bytes = [](const Tensor& of) {
      return std::string_view(static_cast<const char*>(of.raw_data()), of.num_bytes());
    };
    if (bytes(*value) != bytes(tensor.value)) return "another " + tensor.name;
  }
  return got.tensors.size() == expected.tensors.size() ? "" : "too much";
}

// The newest save is whole, has the values of one process after its step, and is no older than what
// the tasks were told.
std::string FaultOnDisk(base::MemoryFiles& disk, const FitJob& job) {
  int64_t newest = 0;
  for (const auto& [step, code] : job.saves())
    if (code == Code::kOk) newest = std::max(newest, step);
  const auto save = checkpoint::ReadSaveOrNewest(disk, kSaves);
  if (!save.ok()) return newest == 0 ? "" : save.status().ToString();
  const std::string path = checkpoint::SaveDirectory(disk, kSaves).NewestPath().OrThrow();
  const int64_t step = std::atoll(path.c_str() + path.rfind('-') + 1);
  if (step < newest)
    return "save " + std::to_string(newest) + " was made, and the newest is " +
           std::to_string(step);
  const std::string difference = Difference(*save, TrueSaves().at(step));
  return difference.empty() ? "" : difference + " in the save after step " + std::to_string(step);
}

// Who is stopped while it writes and was left out meanwhile does not go on with its save: another
// has made that one and later ones.
TEST(SimulatedDisk, AChiefThatWasStoppedDoesNotGoOnWithItsSave) {
  for (int moment = 0; moment < 12; ++moment) {
    World world(moment, {.num_ranks = 3, .scheduler = {.lanes = 2}});
    base::MemoryFiles disk;
    FitJobSettings settings;
    settings.disk = &disk;
    settings.save_every = kEvery;
    settings.disk_delays = {.usual = milliseconds(20), .hangs = 0};
    settings.longest_compute = milliseconds(5);
    settings.on_step = [&](int64_t step) {
      if (step == 6)
        world.After(milliseconds(5 + 10 * moment), [&] { world.Pause(0, seconds(4)); });
    };
    FitJob job(world, settings);
    for (int rank = 0; rank < 3; ++rank) job.Start(rank);
    ASSERT_TRUE(world.RunUntil([&] { return job.AllEnded(); }, minutes(5))) << job.Describe();
    EXPECT_EQ(job.fault(), "");
    EXPECT_GE(job.Count(End::kTrained), 2) << job.Describe();
    EXPECT_EQ(job.saves().size(), 8u);
    for (const auto& [step, code] : job.saves()) EXPECT_EQ(code, Code::kOk) << step;
    EXPECT_EQ(FaultOnDisk(disk, job), "") << moment << "\n" << job.Describe();
  }
}

struct Outcome {
  std::string fault;
  std::string text;
  bool was_full = false;
};

Outcome RunSeed(uint64_t seed, bool keep_trace) {
  base::SeededRandomness draw(seed ^ 0xd15c);
  WorldOptions options{.num_ranks = static_cast<int>(2 + draw.Below(3))};
  options.scheduler.lanes = 2;
  options.keep_trace = keep_trace;
  World world(seed, options);
  base::MemoryFiles disk;
  FitJobSettings settings;
  settings.has_arbiter = true;
  settings.disk = &disk;
  settings.save_every = kEvery;
  settings.disk_delays.hangs = draw.Chance(0.5) ? 0.05 : 0;
  settings.disk_delays.longest = milliseconds(draw.Chance(0.5) ? 400 : 4000);
  const bool fills = draw.Chance(0.3);
  const auto any = [&] { return static_cast<int>(draw.Below(options.num_ranks)); };
  FitJob* job_of_world = nullptr;
  settings.on_step = [&](int64_t step) {
    if (fills && step == 7) disk.set_capacity(0);
    if (fills && step == 16) disk.set_capacity(-1);
    if (step % kEvery != 0 || !draw.Chance(0.4)) return;
    world.After(std::chrono::microseconds(draw.Below(30'000)), [&] {
      const int victim = any();
      if (draw.Chance(0.5)) return world.Pause(victim, milliseconds(draw.Below(6000)));
      job_of_world->Kill(victim);
      if (draw.Chance(0.8))
        world.After(milliseconds(draw.Below(800)), [&, victim] { job_of_world->Restart(victim); });
    });
  };
  FitJob job(world, settings);
  job_of_world = &job;
  for (int rank = 0; rank < options.num_ranks; ++rank) job.Start(rank);
  world.RunUntil([&] { return job.AllEnded() || !job.fault().empty(); }, minutes(5));
  Outcome outcome{.fault = job.fault(), .text = job.Describe()};
  for (const auto& [step, code] : job.saves()) outcome.was_full |= code != Code::kOk;
  if (outcome.fault.empty() && !job.is_lost() && job.Count(End::kTrained) == 0)
    outcome.fault = "nobody has trained to the end";
  if (outcome.fault.empty() && !job.is_lost()) outcome.fault = FaultOnDisk(disk, job);
  for (const std::string& line : world.trace().lines()) std::printf("%s\n", line.c_str());
  return outcome;
}

TEST(SimulatedDisk, SavesAreWholeAndNewestWhateverHappens) {
  const auto [first, last, is_replay] = SeedsToRun(30);
  int full = 0;
  for (uint64_t seed = first; seed < last; ++seed) {
    const Outcome outcome = RunSeed(seed, is_replay);
    ASSERT_EQ(outcome.fault, "") << "seed " << seed << "\n" << outcome.text;
    if (is_replay) std::printf("%s", outcome.text.c_str());
    full += outcome.was_full ? 1 : 0;
  }
  EXPECT_TRUE(full > 0 || is_replay) << "no disk was full when it mattered";
}

}  // namespace
}  // namespace lockstep::sim
