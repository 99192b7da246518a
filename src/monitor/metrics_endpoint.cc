#include "monitor/metrics_endpoint.h"

#include <arpa/inet.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <limits>
#include <utility>
#include <vector>

#include "net/http_page.h"

namespace lockstep::monitor {

namespace {

using base::MetricSample;

prometheus::MetricType TypeOf(MetricSample::Kind kind) {
  switch (kind) {
    case MetricSample::Kind::kCounter:
      return prometheus::MetricType::Counter;
    case MetricSample::Kind::kGauge:
      return prometheus::MetricType::Gauge;
    case MetricSample::Kind::kHistogram:
      return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

void SetHistogram(const MetricSample& sample, prometheus::ClientMetric::Histogram& histogram) {
  histogram.sample_count = sample.count();
  histogram.sample_sum = sample.value;
  uint64_t below = 0;
  for (size_t i = 0; i < sample.counts.size(); ++i) {
    below += sample.counts[i];
    const double bound =
        i < sample.bounds.size() ? sample.bounds[i] : std::numeric_limits<double>::infinity();
    histogram.bucket.push_back({below, bound});
  }
}

// A task's figures as the library wants them.
std::vector<prometheus::MetricFamily> FamiliesOf(base::Metrics& metrics,
                                                 const base::MetricLabels& labels) {
  std::vector<prometheus::MetricFamily> families;
  for (const MetricSample& sample : metrics.Read()) {
    if (families.empty() || families.back().name != sample.name) {
      prometheus::MetricFamily& family = families.emplace_back();
      family.name = sample.name;
      family.help = sample.help;
      family.type = TypeOf(sample.kind);
    }
    prometheus::ClientMetric& metric = families.back().metric.emplace_back();
    for (const auto* each : {&labels, &sample.labels})
      for (const auto& [name, value] : *each) metric.label.push_back({name, value});
    if (sample.kind == MetricSample::Kind::kHistogram) {
      SetHistogram(sample, metric.histogram);
    } else {
      metric.counter.value = metric.gauge.value = sample.value;
    }
  }
  return families;
}

// "::1" of "[::1]".
std::string WithoutBrackets(const std::string& address) {
  const bool in_brackets = address.size() > 2 && address.front() == '[' && address.back() == ']';
  return in_brackets ? address.substr(1, address.size() - 2) : address;
}

bool IsNumber(const std::string& address) {
  unsigned char bytes[sizeof(in6_addr)];
  const std::string bare = WithoutBrackets(address);
  const int family = bare == address ? AF_INET : AF_INET6;
  return ::inet_pton(family, bare.c_str(), bytes) == 1;
}

}  // namespace

MetricsEndpoint::MetricsEndpoint(std::unique_ptr<net::HttpPage> page, std::string address)
    : page_(std::move(page)), address_(std::move(address)) {}

MetricsEndpoint::~MetricsEndpoint() = default;

Result<std::unique_ptr<MetricsEndpoint>> MetricsEndpoint::Open(
    std::shared_ptr<base::Metrics> metrics, const MetricsEndpointOptions& options) {
  if (options.port < 0 || options.port > 65535) {
    return Status(Code::kInvalidArgument,
                  "[metrics] a port must be from 0 to 65535; got " + std::to_string(options.port) +
                      " (--metrics-port and the task's rank together); begin at a smaller one");
  }
  if (!IsNumber(options.address)) {
    return Status(Code::kInvalidArgument,
                  "[metrics] an address must be a number, as 127.0.0.1 or [::1]; got '" +
                      options.address + "'");
  }
  const std::string wanted = options.address + ":" + std::to_string(options.port);
  auto page = net::HttpPage::Open(
      {.address = wanted,
       .path = "/metrics",
       .content_type = "text/plain; version=0.0.4; charset=utf-8"},
      [metrics = std::move(metrics), labels = options.labels] {
        return prometheus::TextSerializer().Serialize(FamiliesOf(*metrics, labels));
      });
  if (!page.ok()) {
    return Status(Code::kUnavailable,
                  "[metrics] the address must be free, and this machine's; got " + wanted + ": " +
                      page.status().message() +
                      "; name another by --metrics-port or --metrics-address");
  }
  const std::string& address = (*page)->address();
  const std::string full = options.address + address.substr(address.rfind(':'));
  return std::unique_ptr<MetricsEndpoint>(new MetricsEndpoint(std::move(*page), full));
}

}  // namespace lockstep::monitor
