#include "cli/train_report.h"

#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/team.h"
#include "distribute/leaves.h"
#include "distribute/workers/journal.h"
#include "kernels/isa.h"
#include "lockstep/distribute/parameter_server.h"
#include "lockstep/distribute/strategy.h"

namespace lockstep::cli {

namespace {

using nlohmann::ordered_json;

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

// How many updates came from how many steps ago.
void AddStaleness(const ParameterServerStrategy& servers, ordered_json& report) {
  int64_t updates = 0;
  ordered_json counts = ordered_json::object();
  for (const auto& [staleness, count] : servers.staleness()) {
    counts[std::to_string(staleness)] = count;
    updates += count;
  }
  report["updates"] = updates;
  report["staleness"] = std::move(counts);
}

ordered_json RecoveriesOf(distribute::Communicator& ranks) {
  ordered_json recoveries = ordered_json::array();
  for (const distribute::Recovery& recovery : ranks.journal().recoveries()) {
    std::string lost;
    for (const std::string& name : recovery.lost) lost += (lost.empty() ? "" : ", ") + name;
    recoveries.push_back({{"lost", lost},
                          {"detected_ms", recovery.detected_ms},
                          {"resumed_ms", recovery.resumed_ms}});
  }
  return recoveries;
}

}  // namespace

ordered_json TrainReport(const TrainOptions& options, Task& task, const History& history,
                         const Logs& test) {
  Strategy& strategy = task.model->strategy();
  const auto last = [&](const char* name) {
    const auto place = history.history.find(name);
    return place == history.history.end() || place->second.empty() ? 0.0 : place->second.back();
  };
  const double median = MedianAfterFirst(history.step_microseconds);
  const int64_t batch = std::min<int64_t>(options.batch_size, task.data.x.shape()[0]);
  ordered_json report;
  report["model"] = options.model;
  report["strategy"] = options.strategy;
  report["workers"] = strategy.num_workers();
  const auto* servers = dynamic_cast<const ParameterServerStrategy*>(&strategy);
  if (servers != nullptr) {
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
  if (servers != nullptr && !servers->staleness().empty()) AddStaleness(*servers, report);
  report["examples_per_s"] = median > 0 ? batch * 1e6 / median : 0.0;
  report["peak_rss_mb"] = PeakMegabytes();
  report["weights_digest"] = task.model->WeightsDigest();
  report["state_digest"] = task.model->StateDigest();
  if (distribute::Communicator* ranks = strategy.ranks())
    report["recoveries"] = RecoveriesOf(*ranks);
  report["plan"] = {{"kernels", history.plan.kernels},
                    {"phases", history.plan.phases},
                    {"chunked", history.plan.chunked}};
  return report;
}

}  // namespace lockstep::cli
