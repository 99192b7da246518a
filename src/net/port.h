#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "net/certificates.h"
#include "net/shared_memory_hub.h"
#include "net/tcp_port.h"
#include "net/transport.h"

namespace lockstep::net {

class Heart;
class SharedMemoryRendezvous;

struct PortOptions {
  /// Equal for all tasks of a job; those of another are refused.
  uint64_t job = 0;
  /// Whether peers on this host are reached through shared memory.
  bool use_shared_memory = true;
  SharedMemoryOptions shared_memory;
  /// How often this process shows peers on its host that it runs.
  base::Duration beat_interval = std::chrono::milliseconds(10);
  /// How peers on other hosts are reached, or all where memory is not shared.
  TcpOptions tcp;
  /// What TLS needs; TCP without them takes `tcp.plain_text`.
  std::optional<Credentials> credentials;
  /// A peer that cannot be connected in this time makes the epoch Unavailable.
  base::Duration connect_limit = std::chrono::seconds(30);
};

/// Who takes part, as all of them know it.
struct Membership {
  /// Rises from one membership of a job to the next.
  uint64_t id = 0;
  int rank = 0;
  /// By rank, as each `Port::address` says.
  std::vector<std::string> addresses;
};

/// A task's place in the world, for its whole life: listens, beats, and makes the transport of each
/// membership, which reaches every peer by the best road that both ends have: shared memory on the
/// same host, else TLS over TCP.
/// Threads: on the loop's thread, or while no thread runs it.
class Port {
 public:
  /// Errors: InvalidArgument (no road at all, TCP with neither credentials nor plain text, an
  /// address that is none), Unavailable (no socket), with the cure.
  static Result<std::unique_ptr<Port>> Open(base::EventLoop& loop, const PortOptions& options);
  ~Port();

  /// What peers need to reach this task, to be published.
  const std::string& address() const { return address_; }

  /// The transport of a membership; one at a time, to go before the port. It connects by itself:
  /// what is sent before waits for the connection. Errors: InvalidArgument (an address that is
  /// none, this port's own not at `rank`, no common road to a peer), ResourceExhausted.
  Result<std::unique_ptr<Transport>> Join(const Membership& membership);

 private:
  Port(base::EventLoop& loop, const PortOptions& options);

  base::EventLoop& loop_;
  const PortOptions options_;
  std::string host_;
  std::string address_;
  std::unique_ptr<Heart> heart_;
  std::unique_ptr<SharedMemoryRendezvous> rendezvous_;
  std::unique_ptr<TcpPort> tcp_;
};

}  // namespace lockstep::net
