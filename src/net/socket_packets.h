#pragma once

#include <cstddef>
#include <string>

#include "lockstep/base/status.h"
#include "net/file_descriptor.h"

/// Sockets between processes of one host, in the abstract name space: nothing of them stays behind.
/// They carry packets, each with a file at most. Nothing here blocks; failures are errno's values.

namespace lockstep::net {

/// Listens under `name`.
Result<FileDescriptor> ListenForPackets(const std::string& name);
/// The next connection from a process of the same user; not ok when there is none. Others are
/// closed.
FileDescriptor AcceptPackets(int listener);
/// 0 and a connected socket, or why not.
int ConnectPackets(const std::string& name, FileDescriptor* socket);

/// `file`: goes along, or -1.
int SendPacket(int socket, const void* data, size_t size, int file);
/// Takes a packet of at most `room` bytes; a longer one is cut. A closed socket gives size 0.
int ReceivePacket(int socket, void* data, size_t room, size_t* size, FileDescriptor* file);

}  // namespace lockstep::net
