#include "monitor/metrics_endpoint.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/metric_family.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <limits>
#include <utility>
#include <vector>

#include "base/event_loop.h"

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
class Figures final : public prometheus::Collectable {
 public:
  Figures(std::shared_ptr<base::Metrics> metrics, base::MetricLabels labels)
      : metrics_(std::move(metrics)), labels_(std::move(labels)) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> families;
    for (const MetricSample& sample : metrics_->Read()) {
      if (families.empty() || families.back().name != sample.name) {
        prometheus::MetricFamily& family = families.emplace_back();
        family.name = sample.name;
        family.help = sample.help;
        family.type = TypeOf(sample.kind);
      }
      prometheus::ClientMetric& metric = families.back().metric.emplace_back();
      for (const auto* labels : {&labels_, &sample.labels})
        for (const auto& [name, value] : *labels) metric.label.push_back({name, value});
      if (sample.kind == MetricSample::Kind::kHistogram) {
        SetHistogram(sample, metric.histogram);
      } else {
        metric.counter.value = metric.gauge.value = sample.value;
      }
    }
    return families;
  }

 private:
  const std::shared_ptr<base::Metrics> metrics_;
  const base::MetricLabels labels_;
};

}  // namespace

struct MetricsEndpoint::Parts {
  std::shared_ptr<Figures> figures;
  std::unique_ptr<prometheus::Exposer> exposer;
  std::string host;
  int port = 0;
};

MetricsEndpoint::MetricsEndpoint(std::unique_ptr<Parts> parts, std::string address)
    : parts_(std::move(parts)), address_(std::move(address)) {}

namespace {

// Connects to "host:port" and goes away again.
void Knock(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return;
  const int file = ::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (file >= 0) {
    static_cast<void>(::connect(file, found->ai_addr, found->ai_addrlen));
    ::close(file);
  }
  ::freeaddrinfo(found);
}

// Knocks again and again while it lives.
class Knocking {
 public:
  Knocking(std::string host, int port) : host_(std::move(host)), port_(port) {
    thread_.executor().Post([this] { Next(); });
  }

 private:
  void Next() {
    Knock(host_, port_);
    thread_.executor().PostAfter(std::chrono::milliseconds(5), [this] { Next(); });
  }
  const std::string host_;
  const int port_;
  base::EventThread thread_;
};

// "::1" of "[::1]".
std::string WithoutBrackets(const std::string& address) {
  const bool in_brackets = address.size() > 2 && address.front() == '[' && address.back() == ']';
  return in_brackets ? address.substr(1, address.size() - 2) : address;
}

// The library takes each part of a number modulo 256, and no names.
bool IsNumber(const std::string& address) {
  unsigned char bytes[sizeof(in6_addr)];
  const std::string bare = WithoutBrackets(address);
  const int family = bare == address ? AF_INET : AF_INET6;
  return ::inet_pton(family, bare.c_str(), bytes) == 1;
}

}  // namespace

// The library's thread sleeps for two seconds at a time, but for somebody who comes.
MetricsEndpoint::~MetricsEndpoint() {
  const Knocking knocking(parts_->host, parts_->port);
  parts_->exposer.reset();
}

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
  auto parts = std::make_unique<Parts>();
  try {
    parts->exposer = std::make_unique<prometheus::Exposer>(wanted, 2);
  } catch (const std::exception&) {  // the library does not say why
    return Status(Code::kUnavailable,
                  "[metrics] the address must be free, and this machine's; got " + wanted +
                      "; name another by --metrics-port or --metrics-address");
  }
  parts->figures = std::make_shared<Figures>(std::move(metrics), options.labels);
  parts->exposer->RegisterCollectable(parts->figures);
  const std::vector<int> ports = parts->exposer->GetListeningPorts();
  const int port = ports.empty() ? options.port : ports.front();
  parts->host = WithoutBrackets(options.address);
  parts->port = port;
  return std::unique_ptr<MetricsEndpoint>(
      new MetricsEndpoint(std::move(parts), options.address + ":" + std::to_string(port)));
}

}  // namespace lockstep::monitor
