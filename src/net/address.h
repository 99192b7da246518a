#pragma once

#include <string>
#include <string_view>

#include "lockstep/base/status.h"

namespace lockstep::net {

/// Where a task can be reached, over each kind of road that it offers. As text, to be published:
/// `shm=HOST/NAME tcp=IP:PORT`, each part present or not.
struct Address {
  std::string host;           // equal for processes that can share memory
  std::string shared_memory;  // a rendezvous's name; empty: none
  std::string tcp;            // "10.0.0.1:4711" or "[::1]:4711"; empty: none

  std::string ToString() const;
  /// Errors: InvalidArgument, with the text.
  static Result<Address> Parse(std::string_view text);
};

/// Names what processes have in common that can share memory: the running system, the network's
/// name space (where their sockets have names), and the user.
std::string HostId();

}  // namespace lockstep::net
