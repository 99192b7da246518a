#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/certificates.h"
#include "net/rpc.h"

namespace lockstep::net {

struct GrpcOptions {
  /// The one place to listen at: "127.0.0.1:0", "10.0.0.7:7000", "[fd00::1]:0", "unix:/path". Port
  /// 0 takes a free one. An address that stands for all interfaces is refused.
  std::string listen;
  /// With these, every connection is mutual TLS. Without, only loopback and unix sockets are used,
  /// unless `trusted_network` says that the network is private; a line in the log repeats it.
  std::optional<Credentials> credentials;
  bool trusted_network = false;
  /// Calls without it are refused before their request is read. Empty: on loopback and unix sockets
  /// this user's token (`UserToken`), so that other users of the machine are refused.
  std::string token;
  /// Calls of every user of this machine are answered; only for loopback and unix sockets. A line
  /// in the log repeats it.
  bool insecure = false;
  /// A request or answer that is longer is refused: ResourceExhausted.
  size_t longest_message = size_t{16} << 20;
};

/// Whether nobody outside this machine can come in there.
bool IsLocalAddress(const std::string& address);

/// ResourceExhausted where this process can open fewer files than gRPC needs, which ends the
/// process then, or has too little address space for gRPC's threads, without which calls never
/// return. With a limit of address space, all threads share one heap from then on, because each
/// heap of its own reserves 64 MiB.
Status HasRoomForRpc();

/// An `Rpc` by gRPC. Its threads are gRPC's; everything else runs on `executor`, which outlives it.
/// Errors: InvalidArgument (all interfaces, no address), FailedPrecondition (plain beyond this
/// machine), Unavailable (the address is in use or not of this machine); those of `UserToken`.
Result<std::unique_ptr<Rpc>> MakeGrpcRpc(base::Executor& executor, const GrpcOptions& options);

}  // namespace lockstep::net
