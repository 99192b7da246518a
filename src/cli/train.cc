#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/environment.h"
#include "base/file.h"
#include "base/printf.h"
#include "checkpoint/save_directory.h"
#include "cli/follow_saves.h"
#include "cli/idle_flags.h"
#include "cli/options.h"
#include "cli/saves_claim.h"
#include "cli/tasks.h"
#include "cli/train_report.h"
#include "cluster/resolver.h"
#include "distribute/workers/communicator.h"
#include "kernels/isa.h"
#include "lockstep/distribute/parameter_server.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/callbacks.h"
#include "lockstep/nn/metrics_endpoint.h"
#include "lockstep/nn/profiler.h"
#include "lockstep/nn/tensor_board.h"

namespace lockstep::cli {

namespace {

std::atomic<bool> interrupted{false};
std::atomic<bool> terminated{false};

void OnInterrupt(int signal) {
  (signal == SIGTERM ? terminated : interrupted).store(true);
  std::signal(SIGINT, SIG_DFL);  // a second one ends the process at once
  std::signal(SIGTERM, SIG_DFL);
}

void HeedSignals() {
  std::signal(SIGINT, OnInterrupt);
  std::signal(SIGTERM, OnInterrupt);
}

bool AskedToEnd() { return terminated.load() || interrupted.load(); }

// Ends training at the next step boundary after Ctrl-C. By SIGTERM one of several workers leaves,
// and the others go on.
class StopOnInterrupt : public Callback {
 public:
  void OnTrainBatchEnd(int64_t, const LogsSource&) override {
    const bool leaves = terminated.load(std::memory_order_relaxed);
    if (!leaves && !interrupted.load(std::memory_order_relaxed)) return;
    // All workers stop after the same step: when each has heard of it.
    if (distribute::Communicator* ranks = model->strategy().ranks()) {
      leaves ? ranks->AskToLeave() : ranks->notes().Raise(distribute::kStopNote);
    } else {
      model->stop_training = true;
    }
  }
  int64_t ReadsEvery() const override { return 0; }
};

// The digest of the weights after every so many steps.
class Digests : public Callback {
 public:
  Digests(int64_t every, std::vector<std::pair<int64_t, std::string>>& digests)
      : every_(every), digests_(digests) {}
  void OnTrainBatchEnd(int64_t, const LogsSource&) override {
    const int64_t step = model->position().steps;
    if (step % every_ == 0) digests_.emplace_back(step, model->WeightsDigest());
  }
  int64_t ReadsEvery() const override { return every_; }

 private:
  const int64_t every_;
  std::vector<std::pair<int64_t, std::string>>& digests_;
};

// What a launcher of ours would have said to the task.
void SayToWorkers(const TrainOptions& options) {
  const auto say = [](const char* name, int value) {
    if (value > 0) setenv(name, std::to_string(value).c_str(), /*overwrite=*/1);
  };
  say("LOCKSTEP_MIN_WORKERS", options.min_workers);
  say("LOCKSTEP_MAX_WORKERS", options.max_workers);
  say("LOCKSTEP_SPECULATE", options.speculate ? 1 : 0);
}

void Tell(const std::string& text) { std::fprintf(stderr, "lockstep train: %s\n", text.c_str()); }

// One of several tasks that would each train the whole model by itself.
void TellIfAloneAmongOthers(const Strategy& strategy, const std::string& name) {
  if (strategy.ranks() != nullptr) return;
  const auto survey = cluster::SurveyCluster(base::ProcessEnvironment());
  if (survey.found.empty() || !survey.found.front().resolution.description) return;
  const cluster::Description& found = *survey.found.front().resolution.description;
  if (found.num_ranks() < 2 || found.rank() < 0) return;
  Tell("this is " + found.task.ToString() + ", rank " + std::to_string(found.rank()) + " of " +
       std::to_string(found.num_ranks()) + " by " + found.resolver + ", but --strategy " + name +
       " trains alone; for one training of all give --strategy multi_worker or parameter_server");
}

// A directory keeps the saves of one training; those of another one would go without a word.
void TellIfSavesAreReplaced(const TrainOptions& options) {
  if (!options.resume.empty()) return;
  const auto newest =
      checkpoint::SaveDirectory(base::LocalFiles(), options.checkpoint).NewestPath();
  if (!newest.ok()) return;
  Tell(*newest +
       " is of an earlier training, and this one begins anew: its saves take the place of "
       "those; to go on there give --resume " +
       options.checkpoint + ", to keep them another --checkpoint");
}

// A resumed training goes on at its own rate: another one would be lost without a word.
void RequireSavedRate(const SavedState& save, double learning_rate) {
  for (const NamedTensor& tensor : save.tensors) {
    if (!tensor.name.ends_with("/learning_rate") || tensor.value.rank() != 0) continue;
    const auto saved = tensor.value.scalar<float>();
    const auto asked = static_cast<float>(learning_rate);
    if (saved == asked) return;
    throw Error(
        Code::kFailedPrecondition,
        base::Printf("[resume] the save is of a training with learning_rate %g; got %g; leave out "
                     "--learning-rate to go on, or --resume to begin anew",
                     saved, asked));
  }
}

std::unique_ptr<Strategy> MakeStrategy(const TrainOptions& options) {
  if (options.strategy == "mirrored") {
    return std::make_unique<MirroredStrategy>(
        MirroredOptions{.devices = options.devices,
                        .replicas = options.replicas,
                        .threads_per_device = options.threads});
  }
  if (options.strategy == "central_storage") {
    return std::make_unique<CentralStorageStrategy>(
        CentralStorageOptions{.devices = options.devices,
                              .replicas = options.replicas,
                              .threads_per_device = options.threads});
  }
  if (options.strategy == "multi_worker") {
    return std::make_unique<MultiWorkerMirroredStrategy>(
        MultiWorkerOptions{.devices = options.devices,
                           .replicas = options.replicas,
                           .threads_per_device = options.threads});
  }
  if (options.strategy == "parameter_server") {
    const auto mode = options.mode == "bounded"
                          ? ParameterServerMode::BoundedStaleness(options.staleness)
                      : options.mode == "asynchronous" ? ParameterServerMode::Asynchronous()
                                                       : ParameterServerMode::Synchronous();
    return std::make_unique<ParameterServerStrategy>(
        ParameterServerOptions{.mode = mode,
                               .scale_by_staleness = options.scale_by_staleness,
                               .devices = options.devices,
                               .replicas = options.replicas,
                               .threads_per_device = options.threads});
  }
  return std::make_unique<OneDeviceStrategy>(options.threads);
}

// What callbacks have found while the model was trained.
struct Findings {
  std::vector<std::pair<int64_t, std::string>> digests;  // of the weights, by step
  callbacks::ProfileReport profile;
};

std::vector<CallbackPtr> CallbacksOf(const TrainOptions& options, Findings& findings) {
  std::vector<CallbackPtr> all = {std::make_shared<StopOnInterrupt>()};
  if (options.digest_every > 0)
    all.push_back(std::make_shared<Digests>(options.digest_every, findings.digests));
  if (!options.checkpoint.empty()) {
    all.push_back(callbacks::BackupAndRestore(
        options.checkpoint,
        {.save_freq = options.checkpoint_every, .delete_checkpoint = false, .restore = false}));
  }
  if (!options.log_directory.empty()) {
    all.push_back(callbacks::TensorBoard(options.log_directory, {.histogram_freq = 1,
                                                                 .update_freq = 10,
                                                                 .write_steps_per_second = true,
                                                                 .write_weight_norms = true,
                                                                 .write_metrics = true}));
  }
  if (options.metrics_port >= 0) {
    all.push_back(
        callbacks::Metrics({.port = options.metrics_port, .address = options.metrics_address}));
  }
  if (options.profile_first > 0) {
    const auto keep = [&profile = findings.profile](const callbacks::ProfileReport& report) {
      profile = report;
    };
    all.push_back(callbacks::Profiler({.first = options.profile_first,
                                       .last = options.profile_last,
                                       .directory = options.profile_directory,
                                       .on_report = keep}));
  }
  return all;
}

FitOptions FitOptionsOf(const TrainOptions& options, int64_t examples, Findings& findings) {
  return {.batch_size = options.batch_size,
          .epochs = EpochsOf(options, examples),
          .max_steps = options.steps,
          .validation_split = options.validation_split,
          .verbose = static_cast<Verbosity>(options.verbose),
          .callbacks = CallbacksOf(options, findings),
          .shards = options.shards,
          .digest_check = options.digest_check,
          .measure_steps = options.breakdown};
}

void Resume(const TrainOptions& options, Model& model) {
  SavedState save = checkpoint::ReadSaveOrNewest(base::LocalFiles(), options.resume).OrThrow();
  if (options.learning_rate != 0) RequireSavedRate(save, options.learning_rate);
  model.ResumeTrainingFrom(std::move(save));
}

// The saves are written by one of the workers.
std::optional<SavesClaim> ClaimSaves(const TrainOptions& options, Strategy& strategy) {
  if (options.checkpoint.empty()) return {};
  if (strategy.ranks() != nullptr && strategy.ranks()->rank() != 0) return {};
  std::optional<SavesClaim> claim(options.checkpoint);
  TellIfSavesAreReplaced(options);
  return claim;
}

// Training ended at step `reached`, before something that was asked for.
void TellIfTooShort(const TrainOptions& options, const History& history, int64_t reached) {
  if (!options.resume.empty() && history.step_microseconds.empty() && !AskedToEnd()) {
    Tell("nothing was left to train: the save is of step " + std::to_string(reached) +
         "; for more give greater --steps or --epochs");
  }
  if (options.profile_first > reached) {
    Tell("--profile " + std::to_string(options.profile_first) + ":" +
         std::to_string(options.profile_last) + " recorded nothing: training ended at step " +
         std::to_string(reached));
  }
}

void PrintOutcome(const TrainOptions& options, const nlohmann::ordered_json& report,
                  const History& history, const callbacks::ProfileReport& profile) {
  if (options.breakdown) std::printf("%s", history.breakdown.c_str());
  std::printf("%s", profile.text.c_str());
  if (options.json) {
    std::printf("%s\n", report.dump().c_str());
  } else {
    std::printf("test loss %.4f, test accuracy %.4f\nweights digest %s\n",
                report["test_loss"].get<double>(), report["test_accuracy"].get<double>(),
                report["weights_digest"].get<std::string>().c_str());
  }
  std::fflush(stdout);
}

}  // namespace

int Train(const TrainOptions& options) {
  if (!options.isa.empty()) kernels::SelectIsa(options.isa).OrThrow();
  SetRandomSeed(options.seed);
  SetGlobalPolicy(DTypePolicy::Named(options.dtype_policy));
  if (const auto job = EvaluatorsJob()) {
    HeedSignals();
    return FollowSaves(options, *job, AskedToEnd);
  }
  for (const std::string& line : IdleFlags(options)) Tell(line);
  SayToWorkers(options);
  const auto strategy = MakeStrategy(options);
  TellIfAloneAmongOthers(*strategy, options.strategy);
  const auto scope = strategy->scope();
  Task task = MakeTask(options);
  if (!options.resume.empty()) Resume(options, *task.model);
  const auto claim = ClaimSaves(options, *strategy);
  HeedSignals();
  if (strategy->ranks() != nullptr && strategy->ranks()->roster() != nullptr)
    strategy->ranks()->roster()->LeaveWhen(AskedToEnd);
  Findings findings;
  History history;
  try {
    history = task.model->Fit(task.data.x, task.data.y,
                              FitOptionsOf(options, task.data.x.shape()[0], findings));
  } catch (const distribute::Left& left) {
    std::fprintf(stderr, "%s\n", left.what());
    return kDone;
  }
  TellIfTooShort(options, history, task.model->position().steps);
  const Logs test = task.model->Evaluate(task.data.test_x, task.data.test_y, TestBatchOf(options));
  auto report = TrainReport(options, task, history, test);
  if (options.digest_every > 0) report["digests"] = findings.digests;
  if (!findings.profile.json.empty()) {
    report["profile"] = nlohmann::ordered_json::parse(findings.profile.json);
    report["profile"]["trace"] = findings.profile.path;
  }
  // Whoever is the first of those that are left says it.
  strategy->OnChief([&] {
    PrintOutcome(options, report, history, findings.profile);
    return Status::Ok();
  });
  return kDone;
}

}  // namespace lockstep::cli
