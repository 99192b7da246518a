#include "distribute/workers/speculation.h"

#include <algorithm>
#include <string>

#include "base/log.h"
#include "base/printf.h"
#include "cluster/fields.h"
#include "distribute/workers/communicator.h"

namespace lockstep::distribute {

namespace {

std::string Encode(const WorkReport& report) {
  cluster::FieldWriter writer;
  writer.Put(static_cast<int64_t>(report.input.count()))
      .Put(static_cast<int64_t>(report.step.count()))
      .Put(static_cast<int64_t>(report.callback.count()))
      .Put(report.examples);
  return writer.Take();
}

WorkReport Decode(const std::string& text) {
  cluster::FieldReader reader(text);
  WorkReport report;
  report.input = base::Duration(reader.Take<int64_t>());
  report.step = base::Duration(reader.Take<int64_t>());
  report.callback = base::Duration(reader.Take<int64_t>());
  report.examples = reader.Take<int64_t>();
  return report;
}

void Tell(const Stragglers::Finding& finding, int worker) {
  if (finding.at.empty()) {
    return base::Log(base::Severity::kInfo,
                     base::Printf("[speculate] worker %d keeps up with the others again", worker));
  }
  base::Log(
      base::Severity::kWarning,
      base::Printf("[speculate] all workers must be about as fast; got worker %d %.1f times slower "
                   "than usual at its %s (%.2f ms a run, usual are %.2f); %s",
                   worker, finding.times, finding.at.c_str(), finding.own_ms, finding.usual_ms,
                   finding.at == "step" ? "the others take over leaves of its"
                                        : "nobody can do that for it"));
}

}  // namespace

void Speculation::BeginEpoch(int ranks) {
  stragglers_ = Stragglers(ranks);
  own_ = {};
  runs_ = 0;
}

void Speculation::BeforeRun(Communicator& ranks) {
  if (ranks.num_ranks() == 1 || runs_ < interval_) return;
  std::vector<WorkReport> reports;
  for (const std::string& text : ranks.AllGather(Encode(own_))) reports.push_back(Decode(text));
  const int64_t runs = std::exchange(runs_, 0);
  own_ = {};
  const bool changed = stragglers_.Take(reports, runs);
  if (ranks.rank() == ranks.roles().chief())
    for (const Stragglers::Finding& finding : stragglers_.findings())
      Tell(finding, ranks.roles().WorkerOf(finding.rank));
  if (!changed) return;
  ++changes_;
  ranks.DivideAnew();
}

void Speculation::AfterRun(int64_t examples, base::Duration busy) {
  ++runs_;
  own_.examples += examples;
  if (!measure_) {
    own_.step += busy;
    return;
  }
  const WorkReport report = measure_(examples);
  own_.input += report.input;
  own_.step += report.step;
  own_.callback += report.callback;
}

// Steps are measured without their waits, elsewhere.
void Speculation::Enter(collectives::Phase phase, base::Time now) {
  if (!measure_ && phase_ == collectives::Phase::kInput) own_.input += now - since_;
  if (!measure_ && phase_ == collectives::Phase::kCallback) own_.callback += now - since_;
  phase_ = phase;
  since_ = now;
}

collectives::Division Speculation::Divide(const collectives::Division& even) const {
  const std::vector<double>& slowness = stragglers_.slowness();
  const bool is_even =
      std::all_of(slowness.begin(), slowness.end(), [](double s) { return s == 1; });
  if (is_even || static_cast<int>(slowness.size()) != even.num_ranks()) return even;
  std::vector<bool> may;
  for (int rank = 0; rank < even.num_ranks(); ++rank) {
    const collectives::Node block = even.block(rank);
    may.push_back(block.end > block.begin);
  }
  const auto counts = DivideBySlowness(even.num_leaves(), slowness, may);
  std::vector<collectives::Leaf> borders{0};
  for (const uint32_t count : counts) borders.push_back(borders.back() + count);
  return collectives::Division::FromBorders(std::move(borders)).OrThrow();
}

}  // namespace lockstep::distribute
