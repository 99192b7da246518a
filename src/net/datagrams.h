#pragma once

#include <functional>

#include "net/transport.h"

namespace lockstep::net {

/// A wire between ranks that may lose, repeat, delay and reorder what it carries, but not alter it.
class Datagrams {
 public:
  virtual ~Datagrams() = default;
  virtual int rank() const = 0;
  virtual int num_ranks() const = 0;
  virtual base::Executor& executor() = 0;
  virtual void Send(int to, Payload datagram) = 0;
  /// Replaces the handler; null drops what arrives.
  virtual void OnReceive(std::function<void(int from, const Payload& datagram)> receive) = 0;
};

}  // namespace lockstep::net
