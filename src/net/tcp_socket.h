#pragma once

#include <string>

#include "lockstep/base/status.h"
#include "net/file_descriptor.h"

/// TCP sockets that never block. Addresses are numbers: "10.0.0.1:4711", "[::1]:4711".

namespace lockstep::net {

struct TcpListener {
  FileDescriptor socket;
  std::string address;  // with the port that was bound
};

/// Listens on this address alone; port 0: any that is free. Errors: InvalidArgument (no address),
/// Unavailable (it cannot be bound), with the cure.
Result<TcpListener> ListenTcp(const std::string& address);
/// 0, or an errno: EAGAIN when nobody calls, EMFILE and its like when there is no room.
int AcceptTcp(int listener, FileDescriptor* socket);
/// Begins to connect: 0, or an errno. Once the socket is writable, `ConnectError` says how it went.
int ConnectTcp(const std::string& address, FileDescriptor* socket);
int ConnectError(int socket);
/// Ends the connection when the other side's system acknowledges nothing for so long.
void LimitUnacknowledged(int socket, int milliseconds);

}  // namespace lockstep::net
