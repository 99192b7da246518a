#include "nn/step_metrics.h"

#include "check/race_count.h"

namespace lockstep::nn {

namespace {

constexpr auto kPeriod = std::chrono::milliseconds(200);

// Factors of two from 64 µs to 67 s.
std::vector<double> StepSeconds() {
  std::vector<double> bounds;
  for (double bound = 64e-6; bound < 70; bound *= 2) bounds.push_back(bound);
  return bounds;
}

}  // namespace

StepMetrics::StepMetrics(base::Metrics& metrics, distribute::Communicator* ranks)
    : metrics_(metrics),
      ranks_(ranks),
      steps_(metrics.Counter("lockstep_steps_total", "Steps of training that are done.")),
      examples_(metrics.Counter("lockstep_examples_total",
                                "Examples of the whole job that were trained on.")),
      loss_(metrics.Gauge("lockstep_loss", "Mean loss of the epoch so far.")),
      epoch_(metrics.Gauge("lockstep_training_epoch", "Pass over the data, from zero.")),
      throughput_(metrics.Gauge("lockstep_examples_per_second",
                                "Examples of the whole job in a second, over the last moments.")),
      races_(metrics.Counter("lockstep_race_reports_total",
                             "Races between threads that this process has told.")),
      seconds_(metrics.Histogram("lockstep_step_seconds", "How long steps take.", StepSeconds())),
      told_(clock_.Now()),
      examples_told_(examples_.value()) {}

void StepMetrics::Step(int64_t steps, int64_t examples, base::Duration took,
                       const std::function<std::optional<double>()>& loss) {
  steps_.Set(static_cast<double>(steps));
  examples_.Add(static_cast<double>(examples));
  seconds_.Observe(std::chrono::duration<double>(took).count());
  const base::Time now = clock_.Now();
  if (now - told_ < kPeriod) return;
  const double all = examples_.value();
  throughput_.Set((all - examples_told_) / std::chrono::duration<double>(now - told_).count());
  told_ = now;
  examples_told_ = all;
  races_.Set(static_cast<double>(check::NumRaceReports()));
  if (ranks_ != nullptr && ranks_->num_ranks() > 1)
    ranks_->watch().NoteTraffic(ranks_->transport());
  if (!metrics_.watched()) return;
  if (const auto known = loss()) loss_.Set(*known);
}

}  // namespace lockstep::nn
