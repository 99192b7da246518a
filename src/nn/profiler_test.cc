#include "lockstep/nn/profiler.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error_of_test.h"
#include "base/folder_test.h"
#include "base/metrics.h"
#include "base/trace.h"
#include "distribute/workers/worker_threads_test.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/callbacks.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/metrics_endpoint.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/nn/tensor_board.h"
#include "monitor/event_files.h"
#include "nn/few_examples_test.h"

namespace lockstep {
namespace {

using callbacks::ProfileReport;
using callbacks::ProfilerOptions;
using nlohmann::json;

// Trains for two epochs of four steps; the digest of the weights.
std::string Train(Strategy& strategy, std::vector<CallbackPtr> callbacks, int64_t steps = 0) {
  SetRandomSeed(7);
  const auto scope = strategy.scope();
  Sequential model({Dense(400, DenseOptions{.activation = relu}), Dense(4)});
  model.Compile({.optimizer = optimizers::Adam(),
                 .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true)});
  model.Fit(Features(), Labels(),
            {.batch_size = (Features().shape()[0] + 3) / 4,
             .epochs = 2,
             .max_steps = steps,
             .verbose = Verbosity::kSilent,
             .callbacks = std::move(callbacks),
             .shards = 4});
  return model.WeightsDigest();
}

TEST(Profiler, PutsAllWorkersOnOneTimeLine) {
  const base::TestFolder place;
  const std::string folder = place.Path("figures");
  MirroredStrategy alone({.devices = 1});
  const std::string expected = Train(alone, {});
  constexpr int kWorkers = 3;
  std::vector<ProfileReport> reports(kWorkers);
  std::vector<std::string> digests(kWorkers);
  distribute::RunWorkers(kWorkers, [&](std::shared_ptr<distribute::Communicator> ranks) {
    const int rank = ranks->rank();
    MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 1});
    digests[rank] = Train(
        strategy, {callbacks::Profiler({.first = 3,
                                        .last = 6,
                                        .directory = folder,
                                        .on_report = [&reports, rank](const ProfileReport& report) {
                                          reports[rank] = report;
                                        }})});
    EXPECT_EQ(base::TraceRecorder::Current(), nullptr);
  });
  for (int rank = 0; rank < kWorkers; ++rank) {
    EXPECT_EQ(digests[rank], expected);
    EXPECT_EQ(reports[rank].json, reports[0].json);
  }
  const json found = json::parse(reports[0].json);
  ASSERT_EQ(found["tasks"].size(), 3u);
  EXPECT_EQ(found["tasks"][2]["task"], "worker 2");
  ASSERT_EQ(found["steps"].size(), 4u);
  EXPECT_EQ(found["steps"][0]["step"], 3);
  EXPECT_EQ(found["steps"][3]["step"], 6);
  for (const json& step : found["steps"]) {
    for (const json& task : step["tasks"]) {
      EXPECT_GT(task["ms"], 0);
      EXPECT_GT(task["compute_ms"], 0);
      EXPECT_GE(task["other_ms"], -0.001);
    }
  }
  EXPECT_FALSE(found["waits"].empty());
  EXPECT_FALSE(found["ops"].empty());
  ASSERT_EQ(found["clocks"].size(), 1u);  // all are of this host
  EXPECT_NE(reports[0].text.find("who waited for whom"), std::string::npos);
  EXPECT_EQ(reports[1].path, folder + "/profile-3-6.json");
  std::ifstream file(reports[0].path);
  const json trace = json::parse(file);
  std::map<std::string, int> names, categories;
  std::set<int> processes;
  for (const json& event : trace["traceEvents"]) {
    ++names[event["name"]];
    if (event.contains("cat")) ++categories[event["cat"]];
    processes.insert(event["pid"].get<int>());
  }
  EXPECT_EQ(processes, (std::set<int>{0, 1, 2}));
  EXPECT_EQ(names["step 4"], 3);
  EXPECT_GE(names["input"], 12);  // and where an epoch ends
  EXPECT_GT(names["from worker 1"], 0);
  EXPECT_GT(categories["wait"], 0);
  EXPECT_GT(categories["collective"], 0);
  EXPECT_GT(names["memory"], 0);
}

TEST(Profiler, TellsWhatThereIsWhenTrainingEndsBefore) {
  int told = 0;
  ProfileReport report;
  const auto keep = [&](const ProfileReport& found) {
    report = found;
    ++told;
  };
  OneDeviceStrategy strategy;
  Train(strategy,
        {callbacks::Profiler({.first = 1, .last = 100, .directory = "", .on_report = keep})}, 3);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(report.path, "");
  EXPECT_EQ(json::parse(report.json)["steps"].size(), 3u);
  Train(strategy,
        {callbacks::Profiler({.first = 7, .last = 9, .directory = "", .on_report = keep})}, 3);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(base::TraceRecorder::Current(), nullptr);
}

TEST(Profiler, RefusesStepsThatAreNone) {
  ExpectError(Code::kInvalidArgument, "got 5 to 4",
              [] { callbacks::Profiler({.first = 5, .last = 4}); });
}

TEST(StepMetrics, CountWhatFitDoes) {
  std::vector<base::MetricSample> samples;
  std::string address;
  OneDeviceStrategy strategy;
  Train(strategy, {callbacks::Metrics({.on_open = [&](const std::string& at) { address = at; }}),
                   callbacks::LambdaCallback({.on_train_end = [&] {
                     samples = base::MetricsScope::Current()->Read();
                   }})});
  EXPECT_TRUE(address.starts_with("127.0.0.1:")) << address;
  std::map<std::string, double> values;
  for (const base::MetricSample& sample : samples) {
    values[sample.name] = sample.value;
    if (sample.name == "lockstep_step_seconds") {
      EXPECT_EQ(sample.count(), 8u);
    }
  }
  EXPECT_EQ(values["lockstep_steps_total"], 8);
  EXPECT_EQ(values["lockstep_examples_total"], 2.0 * static_cast<double>(Features().shape()[0]));
  EXPECT_EQ(values["lockstep_training_epoch"], 1);
  EXPECT_GT(values["lockstep_resident_memory_bytes"], 0);
  EXPECT_GT(values["lockstep_step_seconds"], 0);
}

TEST(TensorBoard, WritesNormsFiguresAndAProfile) {
  const base::TestFolder place;
  const std::string folder = place.Path("figures");
  OneDeviceStrategy strategy;
  Train(strategy, {callbacks::TensorBoard(folder, {.write_weight_norms = true,
                                                   .write_gradient_norms = true,
                                                   .write_metrics = true,
                                                   .profile_first = 2,
                                                   .profile_last = 3})});
  std::map<std::string, double> last;
  const auto files = monitor::ReadEventFiles(base::LocalFiles(), folder).OrThrow();
  for (const auto& file : files)
    for (const auto& value : file.values) last[file.run + ":" + value.tag] = value.number;
  EXPECT_EQ(last.at("worker-0:lockstep_steps_total"), 8);
  EXPECT_GT(last.at("worker-0:lockstep_step_seconds/mean"), 0);
  EXPECT_GT(last.at("train:dense/kernel/norm"), 0);
  EXPECT_GT(last.at("train:dense/kernel/gradient_norm"), 0);
  EXPECT_GE(last.at("train:epoch_gradient_norm"), last.at("train:dense/kernel/gradient_norm"));
  EXPECT_GT(last.at("train:epoch_learning_rate"), 0);
  EXPECT_TRUE(std::filesystem::exists(folder + "/profile/profile-2-3.json"));
  ExpectError(Code::kInvalidArgument, "got 4 to 2",
              [&] { callbacks::TensorBoard(folder, {.profile_first = 4, .profile_last = 2}); });
}

TEST(TensorBoard, GradientNormsChangeNoWeight) {
  const base::TestFolder place;
  const std::string folder = place.Path("figures");
  const auto norms = [&](Strategy& strategy) {
    std::filesystem::remove_all(folder);
    const std::string digest =
        Train(strategy,
              {callbacks::TensorBoard(folder, {.update_freq = 1, .write_gradient_norms = true})});
    std::map<std::string, std::vector<double>> found;
    const auto files = monitor::ReadEventFiles(base::LocalFiles(), folder).OrThrow();
    for (const auto& file : files)
      for (const auto& value : file.values) found[value.tag].push_back(value.number);
    EXPECT_EQ(found["batch_gradient_norm"].size(), 8u);
    EXPECT_EQ(found["epoch_gradient_norm"].back(), found["batch_gradient_norm"].back());
    EXPECT_GT(found["dense_1/bias/gradient_norm"].back(), 0);
    return std::make_pair(digest, found["batch_gradient_norm"]);
  };
  OneDeviceStrategy one;
  const std::string plain = Train(one, {});
  const auto alone = norms(one);
  EXPECT_EQ(alone.first, plain);
  MirroredStrategy mirrored({.devices = 2, .replicas = 1});
  EXPECT_EQ(norms(mirrored), alone);
  distribute::RunWorkers(2, [&](std::shared_ptr<distribute::Communicator> ranks) {
    const bool writes = ranks->rank() == 0;
    MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 1});
    if (writes) {
      EXPECT_EQ(norms(strategy), alone);
    } else {
      EXPECT_EQ(Train(strategy, {callbacks::TensorBoard(
                                    folder, {.update_freq = 1, .write_gradient_norms = true})}),
                plain);
    }
  });
}

TEST(StepMetrics, CountWaitsAndTrafficByPeer) {
  distribute::RunWorkers(2, [&](std::shared_ptr<distribute::Communicator> ranks) {
    const auto metrics = ranks->watch().shared_metrics();
    distribute::Communicator& own = *ranks;
    const int rank = ranks->rank();
    MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 1});
    Train(strategy, {});
    own.watch().NoteTraffic(own.transport());
    const std::string peer = "worker " + std::to_string(1 - rank);
    double waited = 0, sent = 0, received = 0;
    for (const base::MetricSample& sample : metrics->Read()) {
      if (sample.labels.empty() || sample.labels[0].second != peer) continue;
      if (sample.name == "lockstep_wait_seconds_total") waited = sample.value;
      if (sample.name == "lockstep_sent_bytes_total") sent = sample.value;
      if (sample.name == "lockstep_received_bytes_total") received = sample.value;
      if (sample.labels.size() > 1) {
        EXPECT_EQ(sample.labels[1].second, "in_process");
      }
    }
    EXPECT_GE(waited, 0);
    EXPECT_GT(sent, 0);
    EXPECT_GT(received, 0);
  });
}

}  // namespace
}  // namespace lockstep
