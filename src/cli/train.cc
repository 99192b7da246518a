#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/environment.h"
#include "base/file.h"
#include "base/team.h"
#include "checkpoint/save_directory.h"
#include "cli/follow_saves.h"
#include "cli/idle_flags.h"
#include "cli/options.h"
#include "cli/saves_claim.h"
#include "cli/tasks.h"
#include "cluster/resolver.h"
#include "distribute/leaves.h"
#include "distribute/workers/journal.h"
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

// Ends training at the next step boundary after Ctrl-C. By SIGTERM one of several workers leaves,
// and the others go on.
class StopOnInterrupt : public Callback {
 public:
  void OnTrainBatchEnd(int64_t, const LogsSource&) override {
    const bool leaves = terminated.load(std::memory_order_relaxed);
    if (!leaves && !interrupted.load(std::memory_order_relaxed)) return;
    // All workers stop after the same step: when each has heard of it.
    if (distribute::Communicator* ranks = model->strategy().ranks()) {
      leaves ? ranks->AskToLeave() : ranks->Raise(distribute::kStopNote);
    } else {
      model->stop_training = true;
    }
  }
};

// The digest of the weights after every so many steps.
class Digests : public Callback {
 public:
  explicit Digests(int64_t every) : every_(every) {}
  void OnTrainBatchEnd(int64_t, const LogsSource&) override {
    const int64_t step = model->position().steps;
    if (step % every_ == 0) digests.emplace_back(step, model->WeightsDigest());
  }
  std::vector<std::pair<int64_t, std::string>> digests;

 private:
  int64_t every_;
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
void RequireSavedRate(const TrainOptions& options) {
  if (options.learning_rate == 0) return;
  const SavedState save =
      checkpoint::ReadSaveOrNewest(base::LocalFiles(), options.resume).OrThrow();
  for (const NamedTensor& tensor : save.tensors) {
    if (!tensor.name.ends_with("/learning_rate") || tensor.value.rank() != 0) continue;
    const auto saved = tensor.value.scalar<float>();
    const auto asked = static_cast<float>(options.learning_rate);
    if (saved == asked) return;
    char text[256];
    std::snprintf(text, sizeof(text),
                  "[resume] the save is of a training with learning_rate %g; got %g; leave out "
                  "--learning-rate to go on, or --resume to begin anew",
                  saved, asked);
    throw Error(Code::kFailedPrecondition, text);
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

double MedianAfterFirst(std::vector<float> values) {
  if (values.size() > 1) values.erase(values.begin());
  if (values.empty()) return 0;
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double MeanAfterFirst(const std::vector<float>& values) {
  const size_t first = values.size() > 1 ? 1 : 0;
  double sum = 0;
  for (size_t i = first; i < values.size(); ++i) sum += values[i];
  return values.empty() ? 0 : sum / static_cast<double>(values.size() - first);
}

double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024.0;
}

nlohmann::ordered_json Report(const TrainOptions& options, Task& task, const History& history,
                              const Logs& test) {
  Strategy& strategy = task.model->strategy();
  const auto last = [&](const char* name) {
    const auto place = history.history.find(name);
    return place == history.history.end() || place->second.empty() ? 0.0 : place->second.back();
  };
  const double median = MedianAfterFirst(history.step_microseconds);
  const int64_t batch = std::min<int64_t>(options.batch_size, task.data.x.shape()[0]);
  nlohmann::ordered_json report;
  report["model"] = options.model;
  report["strategy"] = options.strategy;
  report["workers"] = strategy.num_workers();
  if (const auto* servers = dynamic_cast<const ParameterServerStrategy*>(&strategy)) {
    report["servers"] = servers->num_servers();
    report["mode"] = servers->mode().ToString();
  }
  report["devices"] = strategy.num_devices();
  report["threads"] = strategy.team().lanes() / strategy.num_devices();
  report["replicas"] = strategy.num_replicas_in_sync();
  report["shards"] = distribute::MakeLeaves(batch, strategy.num_replicas_in_sync(), options.shards)
                         .shards_per_replica;
  report["isa"] = kernels::IsaName();
  report["steps"] = history.steps;
  report["loss"] = last("loss");
  report["accuracy"] = last("accuracy");
  report["test_loss"] = test.at("loss");
  report["test_accuracy"] = test.at("accuracy");
  report["seconds"] = history.seconds;
  report["us_per_step"] = median;
  report["mean_us_per_step"] = MeanAfterFirst(history.step_microseconds);
  report["steps_per_s"] = median > 0 ? 1e6 / median : 0.0;
  const auto* servers = dynamic_cast<const ParameterServerStrategy*>(&strategy);
  if (servers != nullptr && !servers->staleness().empty()) {
    int64_t updates = 0;
    nlohmann::ordered_json counts = nlohmann::ordered_json::object();
    for (const auto& [staleness, count] : servers->staleness()) {
      counts[std::to_string(staleness)] = count;
      updates += count;
    }
    report["updates"] = updates;
    report["staleness"] = std::move(counts);
  }
  report["examples_per_s"] = median > 0 ? batch * 1e6 / median : 0.0;
  report["peak_rss_mb"] = PeakMegabytes();
  report["weights_digest"] = task.model->WeightsDigest();
  report["state_digest"] = task.model->StateDigest();
  if (distribute::Communicator* ranks = strategy.ranks()) {
    report["recoveries"] = nlohmann::ordered_json::array();
    for (const distribute::Recovery& recovery : ranks->journal().recoveries()) {
      std::string lost;
      for (const std::string& name : recovery.lost) lost += (lost.empty() ? "" : ", ") + name;
      report["recoveries"].push_back({{"lost", lost},
                                      {"detected_ms", recovery.detected_ms},
                                      {"resumed_ms", recovery.resumed_ms}});
    }
  }
  report["plan"] = {{"kernels", history.plan.kernels},
                    {"phases", history.plan.phases},
                    {"chunked", history.plan.chunked}};
  return report;
}

}  // namespace

int Train(const TrainOptions& options) {
  if (!options.isa.empty()) kernels::SelectIsa(options.isa).OrThrow();
  SetRandomSeed(options.seed);
  SetGlobalPolicy(DTypePolicy::Named(options.dtype_policy));
  if (const auto job = EvaluatorsJob()) {
    std::signal(SIGINT, OnInterrupt);
    std::signal(SIGTERM, OnInterrupt);
    return FollowSaves(options, *job, [] { return terminated.load() || interrupted.load(); });
  }
  for (const std::string& line : IdleFlags(options)) Tell(line);
  SayToWorkers(options);
  const auto strategy = MakeStrategy(options);
  TellIfAloneAmongOthers(*strategy, options.strategy);
  const auto scope = strategy->scope();
  Task task = MakeTask(options);
  if (!options.resume.empty()) {
    RequireSavedRate(options);
    task.model->ResumeTraining(options.resume);
  }
  std::optional<SavesClaim> claim;
  if (!options.checkpoint.empty() &&
      (strategy->ranks() == nullptr || strategy->ranks()->rank() == 0)) {
    claim.emplace(options.checkpoint);
    TellIfSavesAreReplaced(options);
  }
  std::signal(SIGINT, OnInterrupt);
  std::signal(SIGTERM, OnInterrupt);
  if (strategy->ranks() != nullptr && strategy->ranks()->roster() != nullptr) {
    strategy->ranks()->roster()->LeaveWhen([] { return terminated.load() || interrupted.load(); });
  }
  FitOptions fit{.batch_size = options.batch_size,
                 .epochs = EpochsOf(options, task.data.x.shape()[0]),
                 .max_steps = options.steps,
                 .validation_split = options.validation_split,
                 .verbose = static_cast<Verbosity>(options.verbose),
                 .shards = options.shards,
                 .digest_check = options.digest_check,
                 .measure_steps = options.breakdown};
  const auto digests = std::make_shared<Digests>(std::max<int64_t>(1, options.digest_every));
  fit.callbacks.push_back(std::make_shared<StopOnInterrupt>());
  if (options.digest_every > 0) fit.callbacks.push_back(digests);
  if (!options.checkpoint.empty()) {
    fit.callbacks.push_back(callbacks::BackupAndRestore(
        options.checkpoint,
        {.save_freq = options.checkpoint_every, .delete_checkpoint = false, .restore = false}));
  }
  if (!options.log_directory.empty()) {
    fit.callbacks.push_back(
        callbacks::TensorBoard(options.log_directory, {.histogram_freq = 1,
                                                       .update_freq = 10,
                                                       .write_steps_per_second = true,
                                                       .write_weight_norms = true,
                                                       .write_metrics = true}));
  }
  if (options.metrics_port >= 0) {
    fit.callbacks.push_back(
        callbacks::Metrics({.port = options.metrics_port, .address = options.metrics_address}));
  }
  callbacks::ProfileReport profile;
  if (options.profile_first > 0) {
    fit.callbacks.push_back(callbacks::Profiler(
        {.first = options.profile_first,
         .last = options.profile_last,
         .directory = options.profile_directory,
         .on_report = [&profile](const callbacks::ProfileReport& found) { profile = found; }}));
  }
  History history;
  try {
    history = task.model->Fit(task.data.x, task.data.y, fit);
  } catch (const distribute::Left& left) {
    std::fprintf(stderr, "%s\n", left.what());
    return kDone;
  }
  const int64_t reached = task.model->position().steps;
  const bool asked_to_end = interrupted || terminated;
  if (!options.resume.empty() && history.step_microseconds.empty() && !asked_to_end) {
    Tell("nothing was left to train: the save is of step " + std::to_string(reached) +
         "; for more give greater --steps or --epochs");
  }
  if (options.profile_first > reached) {
    Tell("--profile " + std::to_string(options.profile_first) + ":" +
         std::to_string(options.profile_last) + " recorded nothing: training ended at step " +
         std::to_string(reached));
  }
  const Logs test = task.model->Evaluate(task.data.test_x, task.data.test_y, TestBatchOf(options));
  auto report = Report(options, task, history, test);
  if (options.digest_every > 0) report["digests"] = digests->digests;
  if (!profile.json.empty()) {
    report["profile"] = nlohmann::ordered_json::parse(profile.json);
    report["profile"]["trace"] = profile.path;
  }
  // Whoever is the first of those that are left says it.
  strategy->OnChief([&] {
    if (options.breakdown) std::printf("%s", history.breakdown.c_str());
    std::printf("%s", profile.text.c_str());
    if (options.json) {
      std::printf("%s\n", report.dump().c_str());
    } else {
      std::printf("test loss %.4f, test accuracy %.4f\nweights digest %s\n", test.at("loss"),
                  test.at("accuracy"), report["weights_digest"].get<std::string>().c_str());
    }
    std::fflush(stdout);
    return Status::Ok();
  });
  return kDone;
}

}  // namespace lockstep::cli
