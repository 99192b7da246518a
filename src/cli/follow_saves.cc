#include "cli/follow_saves.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/environment.h"
#include "base/event_loop.h"
#include "base/file.h"
#include "base/log.h"
#include "checkpoint/save_directory.h"
#include "cli/tasks.h"
#include "cluster/address.h"
#include "cluster/resolver.h"
#include "lockstep/checkpoint/save.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/ops/array.h"
#include "net/ports.h"

namespace lockstep::cli {

namespace {

using namespace std::chrono_literals;

constexpr base::Duration kPause = 50ms;
// Whether the job is alive is asked so often, and it is over when nobody has answered for so long.
constexpr base::Duration kAsk = 1s, kSilence = 10s, kAnswer = 500ms;

// Whether those who train can still be reached, as far as their addresses are known.
class JobWatch {
 public:
  explicit JobWatch(const cluster::Description& job) {
    for (int rank = 0; rank < job.num_ranks(); ++rank) {
      cluster::Address address;
      const std::string text = job.AddressOf(job.TaskOfRank(rank));
      if (text.empty() || cluster::ReadAddress(text, address) || address.port == 0) {
        tasks_.clear();  // who cannot be asked may live
        return;
      }
      tasks_.push_back(address);
    }
  }

  bool IsOver(base::Time now) {
    if (tasks_.empty() || (asked_ && now - *asked_ < kAsk)) return is_over_;
    asked_ = now;
    const bool alive = std::any_of(tasks_.begin(), tasks_.end(), [](const cluster::Address& task) {
      return net::Answers(task.host, task.port, kAnswer);
    });
    if (alive) answered_ = now;
    // Before anybody has answered, all may still be on their way.
    is_over_ = answered_ && now - *answered_ > kSilence;
    return is_over_;
  }

 private:
  std::vector<cluster::Address> tasks_;
  std::optional<base::Time> asked_, answered_;
  bool is_over_ = false;
};

// One evaluator: what it has seen, and what it makes of the next save.
class Evaluator {
 public:
  explicit Evaluator(const TrainOptions& options)
      : options_(options),
        strategy_({.devices = options.devices,
                   .replicas = options.replicas,
                   .threads_per_device = options.threads}),
        scope_(strategy_.scope()),
        task_(MakeTask(options)),
        saves_(base::LocalFiles(), options.checkpoint) {}

  bool training_is_over() const { return training_is_over_; }

  /// Evaluates the newest save, unless that was done.
  void Look() {
    const auto newest = saves_.NewestPath();
    if (!newest.ok() || *newest == seen_) return;
    const auto state = LoadState(*newest);
    if (!state.ok()) return Warn(*newest, state.status());
    MakeWeights();
    task_.model->LoadWeightsFrom(*state);
    seen_ = *newest;
    const auto about = nlohmann::json::parse(state->metadata, nullptr, false);
    Tell(about.is_object() ? about : nlohmann::json::object());
  }

 private:
  // A model has weights once it was called.
  void MakeWeights() {
    if (task_.model->variables().empty()) Test(1);
  }

  Logs Test(int64_t examples) {
    const auto first = [examples](const Tensor& all) {
      return examples == 0 ? all : SplitV(all, {examples, all.shape()[0] - examples}, 0)[0];
    };
    return task_.model->Evaluate(first(task_.data.test_x), first(task_.data.test_y),
                                 TestBatchOf(options_));
  }

  void Tell(const nlohmann::json& about) {
    const Logs test = Test(0);
    const auto step = about.value("steps", int64_t{0});
    const int epoch = about.value("epoch", 0);
    training_is_over_ = epoch >= EpochsOf(options_, task_.data.x.shape()[0]) ||
                        (options_.steps > 0 && step >= options_.steps);
    if (options_.json) {
      const nlohmann::ordered_json report = {{"evaluated", seen_},
                                             {"steps", step},
                                             {"epoch", epoch},
                                             {"test_loss", test.at("loss")},
                                             {"test_accuracy", test.at("accuracy")},
                                             {"weights_digest", task_.model->WeightsDigest()},
                                             {"training_is_over", training_is_over_}};
      std::printf("%s\n", report.dump().c_str());
    } else {
      std::printf("step %lld: test loss %.4f, test accuracy %.4f\n", static_cast<long long>(step),
                  test.at("loss"), test.at("accuracy"));
    }
    std::fflush(stdout);
  }

  // Once for each save: it may become whole.
  void Warn(const std::string& path, const Status& why) {
    if (std::exchange(warned_, path) != path)
      base::Log(base::Severity::kWarning, why.message() + "; trying it again");
  }

  const TrainOptions& options_;
  MirroredStrategy strategy_;
  Strategy::Scope scope_;
  Task task_;
  checkpoint::SaveDirectory saves_;
  std::string seen_, warned_;
  bool training_is_over_ = false;
};

}  // namespace

std::optional<cluster::Description> EvaluatorsJob() {
  // What is wrong with a description is said by a strategy that needs it.
  const auto survey = cluster::SurveyCluster(base::ProcessEnvironment());
  if (survey.found.empty()) return {};
  const auto& job = survey.found.front().resolution.description;
  return job && job->task.job == "evaluator" ? job : std::nullopt;
}

int FollowSaves(const TrainOptions& options, const cluster::Description& job,
                const std::function<bool()>& asked_to_end) {
  if (options.checkpoint.empty()) {
    throw Error(Code::kInvalidArgument,
                "[train] an evaluator follows the saves of a directory; got none (" +
                    job.task.ToString() + "); give all tasks the same --checkpoint DIRECTORY");
  }
  Evaluator evaluator(options);
  JobWatch watch(job);
  base::EventLoop loop;
  loop.set_patience({.spins = 0, .yielding = base::Duration(0)});
  while (!evaluator.training_is_over()) {
    // In this order: what was saved before the end is seen.
    const bool ends = asked_to_end() || watch.IsOver(loop.Now());
    evaluator.Look();
    if (ends) break;
    loop.RunUntil(asked_to_end, kPause);
  }
  return kDone;
}

}  // namespace lockstep::cli
