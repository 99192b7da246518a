#include "base/metrics.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/trace.h"
#include "base/wire.h"

namespace lockstep::base {

uint64_t MetricSample::count() const {
  return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
}

void Metric::Add(double value) {
  double before = value_.load(std::memory_order_relaxed);
  while (!value_.compare_exchange_weak(before, before + value, std::memory_order_relaxed)) {
  }
}

HistogramMetric::HistogramMetric(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(new std::atomic<uint64_t>[bounds_.size() + 1]()) {
  LOCKSTEP_CHECK(std::is_sorted(bounds_.begin(), bounds_.end()));
}

void HistogramMetric::Observe(double value) { Observe(value, 1); }

void HistogramMetric::Observe(double value, uint64_t times) {
  const auto place = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  counts_[static_cast<size_t>(place)].fetch_add(times, std::memory_order_relaxed);
  sum_.Add(value * static_cast<double>(times));
}

Metrics::Entry& Metrics::Find(MetricSample form) {
  std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.form.name != form.name) continue;
    LOCKSTEP_CHECK(entry.form.kind == form.kind);
    if (entry.form.labels == form.labels) return entry;
  }
  Entry& entry = entries_.emplace_back();
  if (form.kind == MetricSample::Kind::kHistogram) {
    entry.histogram = std::make_unique<HistogramMetric>(form.bounds);
  } else {
    entry.metric = std::make_unique<Metric>();
  }
  entry.form = std::move(form);
  return entry;
}

Metric& Metrics::Counter(const std::string& name, const std::string& help, MetricLabels labels) {
  return *Find({.name = name,
                .help = help,
                .kind = MetricSample::Kind::kCounter,
                .labels = std::move(labels)})
              .metric;
}

Metric& Metrics::Gauge(const std::string& name, const std::string& help, MetricLabels labels) {
  return *Find({.name = name,
                .help = help,
                .kind = MetricSample::Kind::kGauge,
                .labels = std::move(labels)})
              .metric;
}

HistogramMetric& Metrics::Histogram(const std::string& name, const std::string& help,
                                    std::vector<double> bounds, MetricLabels labels) {
  return *Find({.name = name,
                .help = help,
                .kind = MetricSample::Kind::kHistogram,
                .labels = std::move(labels),
                .bounds = std::move(bounds)})
              .histogram;
}

std::vector<MetricSample> Metrics::Read() const {
  reads_.fetch_add(1, std::memory_order_relaxed);
  std::vector<MetricSample> samples;
  {
    std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_) {
      MetricSample& sample = samples.emplace_back(entry.form);
      if (entry.metric != nullptr) {
        sample.value = entry.metric->value();
        continue;
      }
      for (size_t i = 0; i <= sample.bounds.size(); ++i)
        sample.counts.push_back(entry.histogram->counts_[i].load(std::memory_order_relaxed));
      sample.value = entry.histogram->sum_.value();
    }
  }
  samples.push_back({.name = "lockstep_resident_memory_bytes",
                     .help = "Bytes that the process has in memory.",
                     .kind = MetricSample::Kind::kGauge,
                     .value = static_cast<double>(ResidentBytes())});
  std::stable_sort(samples.begin(), samples.end(),
                   [](const MetricSample& a, const MetricSample& b) { return a.name < b.name; });
  return samples;
}

namespace {

thread_local std::shared_ptr<Metrics> current_metrics;

}  // namespace

MetricsScope::MetricsScope(std::shared_ptr<Metrics> metrics)
    : before_(std::exchange(current_metrics, std::move(metrics))) {}

MetricsScope::~MetricsScope() { current_metrics = std::move(before_); }

std::shared_ptr<Metrics> MetricsScope::Current() { return current_metrics; }

// Field 1: a sample {1 name, 2 help, 3 kind, 4 label {1 name, 2 value}, 5 value, 6 bound, 7 count}.
std::string Encode(const std::vector<MetricSample>& samples) {
  WireWriter writer;
  for (const MetricSample& sample : samples) {
    WireWriter own;
    own.Bytes(1, sample.name).Bytes(2, sample.help);
    own.Varint(3, static_cast<uint64_t>(sample.kind));
    for (const auto& [name, value] : sample.labels)
      own.Message(4, WireWriter().Bytes(1, name).Bytes(2, value));
    own.Double(5, sample.value);
    for (const double bound : sample.bounds) own.Double(6, bound);
    for (const uint64_t count : sample.counts) own.Varint(7, count);
    writer.Message(1, own);
  }
  return std::move(writer).bytes();
}

namespace {

std::pair<std::string, std::string> DecodeLabel(std::string_view bytes) {
  std::pair<std::string, std::string> label;
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(1, WireType::kBytes)) label.first = reader.bytes();
    if (reader.Is(2, WireType::kBytes)) label.second = reader.bytes();
  }
  return label;
}

bool DecodeSample(std::string_view bytes, MetricSample* sample) {
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(1, WireType::kBytes)) sample->name = reader.bytes();
    if (reader.Is(2, WireType::kBytes)) sample->help = reader.bytes();
    if (reader.Is(3, WireType::kVarint))
      sample->kind = static_cast<MetricSample::Kind>(std::min<uint64_t>(reader.number(), 2));
    if (reader.Is(4, WireType::kBytes)) sample->labels.push_back(DecodeLabel(reader.bytes()));
    if (reader.Is(5, WireType::kFixed64)) sample->value = reader.float64();
    if (reader.Is(6, WireType::kFixed64)) sample->bounds.push_back(reader.float64());
    if (reader.Is(7, WireType::kVarint)) sample->counts.push_back(reader.number());
  }
  const bool is_histogram = sample->kind == MetricSample::Kind::kHistogram;
  return !reader.broken() && (!is_histogram || sample->counts.size() == sample->bounds.size() + 1);
}

}  // namespace

Result<std::vector<MetricSample>> DecodeMetrics(std::string_view bytes) {
  std::vector<MetricSample> samples;
  WireReader reader(bytes);
  while (reader.Next()) {
    if (!reader.Is(1, WireType::kBytes)) continue;
    if (!DecodeSample(reader.bytes(), &samples.emplace_back()))
      return Status(Code::kDataLoss, "[metrics] a figure must be whole; got less");
  }
  if (reader.broken()) return Status(Code::kDataLoss, "[metrics] figures must be whole; got less");
  return samples;
}

}  // namespace lockstep::base
