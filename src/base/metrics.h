#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/base/status.h"

/// Figures of a task that others may read at any time: what a metrics endpoint and `lockstep top`
/// show. Updates are a few relaxed atomic operations.

namespace lockstep::base {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

/// What a figure was when it was read.
struct MetricSample {
  enum class Kind : uint8_t { kCounter = 0, kGauge = 1, kHistogram = 2 };
  std::string name;  // as Prometheus has them: "lockstep_steps_total"
  std::string help;
  Kind kind = Kind::kGauge;
  MetricLabels labels;
  double value = 0;              // of a histogram: the sum of what was observed
  std::vector<double> bounds;    // of a histogram: upper ends of its buckets, ascending
  std::vector<uint64_t> counts;  // one more than bounds: the last is for what is above them

  uint64_t count() const;  // of a histogram
  bool operator==(const MetricSample&) const = default;
};
/// As bytes for another task. Errors of `DecodeMetrics`: DataLoss.
std::string Encode(const std::vector<MetricSample>& samples);
Result<std::vector<MetricSample>> DecodeMetrics(std::string_view bytes);

/// A sum that only grows, or a value that is set. Threads: any.
class Metric {
 public:
  void Add(double value);
  /// A sum that somebody else keeps.
  void Set(double value) { value_.store(value, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

/// How often values were in which bucket. Threads: any.
class HistogramMetric {
 public:
  explicit HistogramMetric(std::vector<double> bounds);
  void Observe(double value);
  /// The same often at once.
  void Observe(double value, uint64_t times);

 private:
  friend class Metrics;
  const std::vector<double> bounds_;
  const std::unique_ptr<std::atomic<uint64_t>[]> counts_;
  Metric sum_;
};

/// All figures of a task. What it gives out stays valid as long as it lives.
/// Threads: any. A name has one kind and help; asked for again with equal labels, it is the same.
class Metrics {
 public:
  Metric& Counter(const std::string& name, const std::string& help, MetricLabels labels = {});
  Metric& Gauge(const std::string& name, const std::string& help, MetricLabels labels = {});
  HistogramMetric& Histogram(const std::string& name, const std::string& help,
                             std::vector<double> bounds, MetricLabels labels = {});

  /// Those of one name stand together.
  std::vector<MetricSample> Read() const;
  /// Whether anybody has read them in the last moments: what is dear to know need not be set else.
  bool watched() const { return reads_.load(std::memory_order_relaxed) > 0; }

 private:
  struct Entry {
    MetricSample form;
    std::unique_ptr<Metric> metric;
    std::unique_ptr<HistogramMetric> histogram;
  };
  Entry& Find(MetricSample form);

  mutable std::mutex mutex_;
  std::deque<Entry> entries_;  // guarded by mutex_
  mutable std::atomic<uint64_t> reads_{0};
};

/// Makes figures those of this thread while it lives, so that what runs inside finds them.
class MetricsScope {
 public:
  explicit MetricsScope(std::shared_ptr<Metrics> metrics);
  ~MetricsScope();
  MetricsScope(const MetricsScope&) = delete;
  MetricsScope& operator=(const MetricsScope&) = delete;
  /// Null: there are none.
  static std::shared_ptr<Metrics> Current();

 private:
  std::shared_ptr<Metrics> before_;
};

}  // namespace lockstep::base
