#pragma once

#include <memory>
#include <string>

#include "base/metrics.h"
#include "net/http_page.h"

namespace lockstep::monitor {

struct MetricsEndpointOptions {
  /// The number of the one interface to listen at, one of IPv6 in brackets; everybody who reaches
  /// it may read.
  std::string address = "127.0.0.1";
  int port = 0;  // 0: a free one
  /// Added to every figure.
  base::MetricLabels labels;
};

/// Answers GET /metrics with a task's figures in Prometheus's text format, until it is destroyed;
/// also while hundreds of connections are held open without a request (`net::HttpPage`).
/// Threads: one of its own.
class MetricsEndpoint {
 public:
  /// Errors: InvalidArgument (a port or address that is none), Unavailable (taken, or not this
  /// machine's).
  static Result<std::unique_ptr<MetricsEndpoint>> Open(std::shared_ptr<base::Metrics> metrics,
                                                       const MetricsEndpointOptions& options);
  ~MetricsEndpoint();
  MetricsEndpoint(const MetricsEndpoint&) = delete;
  MetricsEndpoint& operator=(const MetricsEndpoint&) = delete;

  /// "127.0.0.1:9100"
  const std::string& address() const { return address_; }

 private:
  MetricsEndpoint(std::unique_ptr<net::HttpPage> page, std::string address);
  std::unique_ptr<net::HttpPage> page_;
  std::string address_;
};

}  // namespace lockstep::monitor
