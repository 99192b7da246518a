#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/process.h"
#include "lockstep/base/status.h"

/// Ports that are chosen by whoever starts a task, before the task is there.

namespace lockstep::net {

/// A TCP port on an interface of this machine that the system gives to nobody else while this
/// lives. It is bound and does not listen, so that connecting to it is refused until its task is
/// there.
class ReservedPort {
 public:
  /// `host`: a name or number of an interface of this machine; port 0: any free one.
  /// Errors: NotFound (no such host), InvalidArgument (not this machine's), AlreadyExists (taken),
  /// PermissionDenied.
  static Result<ReservedPort> Reserve(const std::string& host, int port = 0);

  int port() const { return port_; }
  /// A socket bound to the port for a task to listen at; another one for each start, as what a task
  /// has left behind must not answer for the next.
  Result<base::OwnedFile> MakeSocket() const;
  /// Whether somebody listens at it.
  bool IsListening() const;

 private:
  std::vector<uint8_t> address_;  // a sockaddr with the port
  int port_ = 0;
  base::OwnedFile reservation_;
};

/// The addresses that a host's name stands for, as numbers. NotFound if there are none.
Result<std::vector<std::string>> ResolveHost(const std::string& host);

/// The number at which this machine can listen so that peers reach it under the name `host`: what
/// the name stands for, and of several the one of an interface that leads out. A number stays
/// itself. Errors: NotFound (the name stands for nothing), InvalidArgument (for other machines).
Result<std::string> OwnNumberOf(const std::string& host);

/// The number of this machine from which packets to `host` leave; nothing is sent. Errors: NotFound
/// (no such host), Unavailable (no way there).
Result<std::string> OwnNumberTowards(const std::string& host);

/// Whether somebody listens at the port of a host, as a connection shows that is made within
/// `limit` and closed at once.
bool Answers(const std::string& host, int port, base::Duration limit);

/// A network interface and one of its addresses.
struct Interface {
  std::string name, address;
  bool up = false, loopback = false;
};
std::vector<Interface> Interfaces();

/// The processes of this user that listen at a TCP port, as "name (pid)"; empty: none that can be
/// seen.
std::vector<std::string> ListenersAt(int port);

}  // namespace lockstep::net
