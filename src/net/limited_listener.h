#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "net/tcp_socket.h"

namespace lockstep::net {

/// Listens over TCP and hands on who calls, as long as this process has files to spare: beyond
/// three quarters of those that it may open, callers are sent away, so that strangers cannot keep
/// it from opening what it needs. Threads: one of its own.
class LimitedListener {
 public:
  /// Called on the listener's thread.
  using OnConnection = std::function<void(FileDescriptor connection)>;

  /// At every number of this machine that the host's name stands for, with one port: "n1:0",
  /// "10.0.0.7:7000", "[fd00::1]:0"; port 0 takes a free one. Errors: those of ResolveHost and
  /// ListenTcp.
  static Result<std::unique_ptr<LimitedListener>> Open(const std::string& address);
  /// Hands nobody on any more once it has returned.
  ~LimitedListener();

  /// What was asked for, with the port.
  const std::string& address() const { return address_; }
  void Begin(OnConnection on_connection);

 private:
  LimitedListener() = default;
  void Accept(int listener);
  void Watch();
  void Unwatch();

  std::string address_;
  std::vector<TcpListener> listeners_;
  OnConnection on_connection_;
  uint64_t refused_ = 0;
  base::Time said_{};
  bool watching_ = false;
  base::Timer pause_;
  base::EventThread thread_;
};

}  // namespace lockstep::net
