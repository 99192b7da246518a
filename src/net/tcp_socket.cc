#include "net/tcp_socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace lockstep::net {
namespace {

constexpr int kBacklog = 512;

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

bool Parse(const std::string& address, SocketAddress* parsed) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) return false;
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (host.empty() || getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found) != 0)
    return false;
  std::memcpy(&parsed->storage, found->ai_addr, found->ai_addrlen);
  parsed->size = found->ai_addrlen;
  freeaddrinfo(found);
  return true;
}

std::string TextOf(SocketAddress& address) {
  char host[INET6_ADDRSTRLEN] = "";
  char port[8] = "";
  getnameinfo(address.get(), address.size, host, sizeof(host), port, sizeof(port),
              NI_NUMERICHOST | NI_NUMERICSERV);
  const bool is_6 = address.storage.ss_family == AF_INET6;
  return (is_6 ? "[" + std::string(host) + "]:" : std::string(host) + ":") + port;
}

void SetOption(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof(value));
}

}  // namespace

Result<TcpListener> ListenTcp(const std::string& address) {
  SocketAddress parsed;
  if (!Parse(address, &parsed))
    return Status(
        Code::kInvalidArgument,
        "[net] a port must listen on an address in numbers, as 10.0.0.1:0; got '" + address + "'");
  TcpListener listener;
  listener.socket = FileDescriptor(
      socket(parsed.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int fd = listener.socket.get();
  SetOption(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  if (parsed.storage.ss_family == AF_INET6) SetOption(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
  if (fd < 0 || bind(fd, parsed.get(), parsed.size) != 0 || listen(fd, kBacklog) != 0 ||
      getsockname(fd, parsed.get(), &parsed.size) != 0)
    return Status(Code::kUnavailable, "[net] a port must be bound to " + address + "; got " +
                                          std::strerror(errno) +
                                          "; name an address of this machine, and port 0 or one "
                                          "that is free");
  listener.address = TextOf(parsed);
  return listener;
}

int AcceptTcp(int listener, FileDescriptor* socket) {
  FileDescriptor accepted(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!accepted.ok()) return errno;
  SetOption(accepted.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  *socket = std::move(accepted);
  return 0;
}

int ConnectTcp(const std::string& address, FileDescriptor* socket) {
  SocketAddress parsed;
  if (!Parse(address, &parsed)) return EINVAL;
  FileDescriptor made(
      ::socket(parsed.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.ok()) return errno;
  SetOption(made.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  if (connect(made.get(), parsed.get(), parsed.size) != 0 && errno != EINPROGRESS) return errno;
  *socket = std::move(made);
  return 0;
}

void LimitUnacknowledged(int socket, int milliseconds) {
  SetOption(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, milliseconds);
}

int ConnectError(int socket) {
  int error = 0;
  socklen_t size = sizeof(error);
  if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

}  // namespace lockstep::net
