#include "net/socket_packets.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lockstep::net {
namespace {

constexpr int kPacketBacklog = 256;
constexpr int kType = SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC;

// An abstract name begins with a zero byte and has no file.
socklen_t AbstractAddress(const std::string& name, sockaddr_un* address) {
  *address = {};
  address->sun_family = AF_UNIX;
  const size_t size = std::min(name.size(), sizeof(address->sun_path) - 1);
  std::memcpy(address->sun_path + 1, name.data(), size);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
}

bool IsOurUser(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

}  // namespace

Result<FileDescriptor> ListenForPackets(const std::string& name) {
  FileDescriptor listener(socket(AF_UNIX, kType, 0));
  sockaddr_un address;
  const socklen_t size = AbstractAddress(name, &address);
  if (listener.ok() && bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) == 0 &&
      listen(listener.get(), kPacketBacklog) == 0)
    return listener;
  return Status(Code::kUnavailable, "[shared memory] a socket must be bound to the abstract name " +
                                        name + "; got " + std::strerror(errno) +
                                        "; allow unix sockets, or turn shared memory off");
}

FileDescriptor AcceptPackets(int listener) {
  while (true) {
    FileDescriptor socket(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.ok() && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (!socket.ok() || IsOurUser(socket.get())) return socket;
  }
}

int ConnectPackets(const std::string& name, FileDescriptor* socket) {
  FileDescriptor made(::socket(AF_UNIX, kType, 0));
  if (!made.ok()) return errno;
  sockaddr_un address;
  const socklen_t size = AbstractAddress(name, &address);
  if (connect(made.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) return errno;
  if (!IsOurUser(made.get())) return EPERM;
  *socket = std::move(made);
  return 0;
}

int SendPacket(int socket, const void* data, size_t size, int file) {
  iovec bytes{const_cast<void*>(data), size};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (file >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &file, sizeof(int));
  }
  while (sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
    if (errno != EINTR) return errno;
  return 0;
}

int ReceivePacket(int socket, void* data, size_t room, size_t* size, FileDescriptor* file) {
  iovec bytes{data, room};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  // Room for more files than one, so that those a stranger sends are seen and closed.
  alignas(cmsghdr) char control[CMSG_SPACE(16 * sizeof(int))] = {};
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  ssize_t received = 0;
  while ((received = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)) < 0)
    if (errno != EINTR) return errno;
  *size = static_cast<size_t>(received);
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      FileDescriptor taken(fd);
      if (!file->ok()) *file = std::move(taken);
    }
  }
  return 0;
}

}  // namespace lockstep::net
