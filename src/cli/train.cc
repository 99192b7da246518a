#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/team.h"
#include "cli/options.h"
#include "cli/tasks.h"
#include "distribute/communicator.h"
#include "distribute/leaves.h"
#include "kernels/isa.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/callbacks.h"

namespace lockstep::cli {

namespace {

std::atomic<bool> interrupted{false};

void OnInterrupt(int) {
  interrupted.store(true);
  std::signal(SIGINT, SIG_DFL);  // a second one ends the process at once
  std::signal(SIGTERM, SIG_DFL);
}

// Ends training at the next step boundary after Ctrl-C.
class StopOnInterrupt : public Callback {
 public:
  void OnTrainBatchEnd(int64_t, const LogsSource&) override {
    if (!interrupted.load(std::memory_order_relaxed)) return;
    // All workers stop after the same step: when each has heard of it.
    if (distribute::Communicator* ranks = model->strategy().ranks()) {
      ranks->Raise(1);
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

std::unique_ptr<Strategy> MakeStrategy(const TrainOptions& options) {
  if (options.strategy == "mirrored") {
    return std::make_unique<MirroredStrategy>(
        MirroredOptions{.devices = options.devices,
                        .replicas = options.replicas,
                        .threads_per_device = options.threads});
  }
  if (options.strategy == "multi_worker") {
    return std::make_unique<MultiWorkerMirroredStrategy>(
        MultiWorkerOptions{.devices = options.devices,
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
  report["examples_per_s"] = median > 0 ? batch * 1e6 / median : 0.0;
  report["peak_rss_mb"] = PeakMegabytes();
  report["weights_digest"] = task.model->WeightsDigest();
  report["state_digest"] = task.model->StateDigest();
  report["plan"] = {{"kernels", history.plan.kernels},
                    {"phases", history.plan.phases},
                    {"chunked", history.plan.chunked}};
  return report;
}

int Epochs(const TrainOptions& options, int64_t examples) {
  constexpr int kDefault = 5;
  if (options.epochs >= 0) return options.epochs;
  if (options.steps == 0) return kDefault;
  const int64_t steps = (examples + options.batch_size - 1) / options.batch_size;
  return static_cast<int>((options.steps + steps - 1) / std::max<int64_t>(1, steps));
}

}  // namespace

int Train(const TrainOptions& options) {
  if (!options.isa.empty()) kernels::SelectIsa(options.isa).OrThrow();
  SetRandomSeed(options.seed);
  const auto strategy = MakeStrategy(options);
  const auto scope = strategy->scope();
  Task task = MakeTask(options);
  if (!options.resume.empty()) task.model->ResumeTraining(options.resume);
  std::signal(SIGINT, OnInterrupt);
  std::signal(SIGTERM, OnInterrupt);
  FitOptions fit{.batch_size = options.batch_size,
                 .epochs = Epochs(options, task.data.x.shape()[0]),
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
  const History history = task.model->Fit(task.data.x, task.data.y, fit);
  const bool chief = strategy->worker() == 0;
  if (options.breakdown && chief) std::printf("%s", history.breakdown.c_str());
  // Images are cheap: larger batches than training has; a text takes the memory of its tokens.
  const int64_t test_batch =
      options.model == "gpt" ? options.batch_size : std::max<int64_t>(256, options.batch_size);
  const Logs test = task.model->Evaluate(task.data.test_x, task.data.test_y, test_batch);
  auto report = Report(options, task, history, test);
  if (options.digest_every > 0) report["digests"] = digests->digests;
  if (!chief) return kDone;
  if (options.json) {
    std::printf("%s\n", report.dump().c_str());
  } else {
    std::printf("test loss %.4f, test accuracy %.4f\nweights digest %s\n", test.at("loss"),
                test.at("accuracy"), report["weights_digest"].get<std::string>().c_str());
  }
  return kDone;
}

}  // namespace lockstep::cli
