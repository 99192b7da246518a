#pragma once

#include <functional>
#include <string>

#include "lockstep/nn/model.h"

namespace lockstep::callbacks {

struct MetricsOptions {
  /// Who listens at one port more than the worker before it, as several are on one host; 0: each at
  /// a free port.
  int port = 0;
  /// The interface to listen at. Others than loopback's let everybody who reaches it read.
  std::string address = "127.0.0.1";
  /// Called with "127.0.0.1:9100" once it listens.
  std::function<void(const std::string& address)> on_open = {};
};
/// Offers the figures of `Fit` to Prometheus at http://ADDRESS:PORT/metrics, from its beginning
/// until the callback goes, which takes up to two seconds: steps, examples, loss, throughput, how
/// long steps take, seconds waited by peer, bytes on the wire by peer and transport, memory, epoch
/// of the membership, recoveries, race reports. docs/monitoring.md has the list. Errors:
/// InvalidArgument, Unavailable (the port is taken), when training begins.
CallbackPtr Metrics(MetricsOptions options = {});

}  // namespace lockstep::callbacks
