#pragma once

#include <functional>
#include <optional>

#include "base/clock.h"
#include "base/metrics.h"
#include "distribute/workers/communicator.h"

namespace lockstep::nn {

/// What a training tells whoever watches it: steps, examples, loss, throughput, how long steps
/// take.
class StepMetrics {
 public:
  /// `ranks` may be null; both outlive it.
  StepMetrics(base::Metrics& metrics, distribute::Communicator* ranks);

  /// A step of `examples` is done. `loss` is only called where somebody reads it, now and then;
  /// nothing: it is not known here.
  void Step(int64_t steps, int64_t examples, base::Duration took,
            const std::function<std::optional<double>()>& loss);
  void Epoch(int epoch) { epoch_.Set(epoch); }

 private:
  base::Metrics& metrics_;
  distribute::Communicator* const ranks_;
  base::MonotonicClock clock_;
  base::Metric &steps_, &examples_, &loss_, &epoch_, &throughput_, &races_;
  base::HistogramMetric& seconds_;
  base::Time told_{};
  double examples_told_ = 0;
};

}  // namespace lockstep::nn
