#include "net/ports.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

namespace lockstep::net {

namespace {

struct AddressList {
  addrinfo* first = nullptr;
  int error = 0;
  explicit AddressList(const std::string& host, int flags = 0) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    error = getaddrinfo(host.c_str(), nullptr, &hints, &first);
  }
  ~AddressList() {
    if (first != nullptr) freeaddrinfo(first);
  }
};

std::string Numeric(const sockaddr* address, socklen_t length) {
  char text[NI_MAXHOST] = "";
  getnameinfo(address, length, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  return text;
}

socklen_t LengthOf(const sockaddr* address) {
  return address->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

uint16_t& PortOf(sockaddr* address) {
  return address->sa_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(address)->sin6_port
                                        : reinterpret_cast<sockaddr_in*>(address)->sin_port;
}

Result<base::OwnedFile> Bind(const std::vector<uint8_t>& bytes) {
  const auto* address = reinterpret_cast<const sockaddr*>(bytes.data());
  base::OwnedFile file(socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (file) setsockopt(file.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!file || bind(file.fd(), address, static_cast<socklen_t>(bytes.size())) != 0) {
    const int error = errno;
    Code code = Code::kUnavailable;
    if (error == EADDRINUSE) code = Code::kAlreadyExists;
    if (error == EADDRNOTAVAIL) code = Code::kInvalidArgument;
    if (error == EACCES) code = Code::kPermissionDenied;
    std::vector<uint8_t> copy = bytes;
    const int port = ntohs(PortOf(reinterpret_cast<sockaddr*>(copy.data())));
    return Status(code, "[port] binding must succeed; got " + std::string(std::strerror(error)) +
                            " (" + Numeric(address, static_cast<socklen_t>(bytes.size())) +
                            " port " + std::to_string(port) + ")");
  }
  return file;
}

// The inodes of sockets that listen at a port, of both IP versions.
std::vector<std::string> ListeningInodes(int port) {
  std::vector<std::string> inodes;
  for (const char* path : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      std::istringstream words(line);
      std::string slot, local, remote, state, skip, inode;
      words >> slot >> local >> remote >> state >> skip >> skip >> skip >> skip >> skip >> inode;
      const size_t colon = local.rfind(':');
      if (state != "0A" || colon == std::string::npos) continue;
      if (std::strtol(local.c_str() + colon + 1, nullptr, 16) == port) inodes.push_back(inode);
    }
  }
  return inodes;
}

std::vector<std::string> NamesIn(const std::string& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(directory.c_str()), closedir);
  while (const dirent* entry = open ? readdir(open.get()) : nullptr) names.push_back(entry->d_name);
  return names;
}

}  // namespace

Result<ReservedPort> ReservedPort::Reserve(const std::string& host, int port) {
  const AddressList list(host);
  if (list.error != 0 || list.first == nullptr) {
    return Status(Code::kNotFound, "[port] the host must have an address; got " +
                                       std::string(gai_strerror(list.error)) + " (" + host + ")");
  }
  ReservedPort reserved;
  const auto* bytes = reinterpret_cast<const uint8_t*>(list.first->ai_addr);
  reserved.address_.assign(bytes, bytes + list.first->ai_addrlen);
  auto* address = reinterpret_cast<sockaddr*>(reserved.address_.data());
  PortOf(address) = htons(static_cast<uint16_t>(port));
  LOCKSTEP_ASSIGN_OR_RETURN(reserved.reservation_, Bind(reserved.address_));
  socklen_t length = static_cast<socklen_t>(reserved.address_.size());
  getsockname(reserved.reservation_.fd(), address, &length);
  reserved.port_ = ntohs(PortOf(address));
  return reserved;
}

Result<base::OwnedFile> ReservedPort::MakeSocket() const { return Bind(address_); }

bool ReservedPort::IsListening() const { return !ListeningInodes(port_).empty(); }

Result<std::vector<std::string>> ResolveHost(const std::string& host) {
  // Asking a name service for "999.1.1.1" would take long.
  const bool digits = host.find_first_not_of("0123456789.") == std::string::npos;
  const AddressList list(host, digits ? AI_NUMERICHOST : 0);
  std::vector<std::string> addresses;
  for (const addrinfo* entry = list.first; entry != nullptr; entry = entry->ai_next) {
    addresses.push_back(Numeric(entry->ai_addr, entry->ai_addrlen));
  }
  if (!addresses.empty()) return addresses;
  return Status(Code::kNotFound, "[host] the name must have an address; got " +
                                     std::string(gai_strerror(list.error)) + " (" + host + ")");
}

Result<std::string> OwnNumberOf(const std::string& host) {
  const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const std::string name = in_brackets ? host.substr(1, host.size() - 2) : host;
  LOCKSTEP_ASSIGN_OR_RETURN(const auto addresses, ResolveHost(name));
  std::string own, all;
  for (const std::string& address : addresses) {
    all += (all.empty() ? "" : ", ") + address;
    const bool loopback = address.starts_with("127.") || address == "::1";
    if ((loopback && !own.empty()) || !ReservedPort::Reserve(address).ok()) continue;
    own = address;
    if (!loopback) break;
  }
  if (own.empty()) {
    return Status(Code::kInvalidArgument,
                  "[host] the name must stand for this machine; got " + all + " (" + host +
                      "); correct the name service or /etc/hosts, or write a number");
  }
  return own.find(':') == std::string::npos ? own : "[" + own + "]";
}

Result<std::string> OwnNumberTowards(const std::string& host) {
  const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const std::string name = in_brackets ? host.substr(1, host.size() - 2) : host;
  const AddressList list(name);
  if (list.first == nullptr) return ResolveHost(name).status();
  for (const addrinfo* entry = list.first; entry != nullptr; entry = entry->ai_next) {
    // A datagram socket that is connected has looked up the way, and no more.
    std::vector<uint8_t> bytes(entry->ai_addrlen);
    std::memcpy(bytes.data(), entry->ai_addr, entry->ai_addrlen);
    auto* address = reinterpret_cast<sockaddr*>(bytes.data());
    PortOf(address) = htons(9);
    const base::OwnedFile file(socket(entry->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    socklen_t length = entry->ai_addrlen;
    if (!file || connect(file.fd(), address, length) != 0) continue;
    if (getsockname(file.fd(), address, &length) != 0) continue;
    const std::string own = Numeric(address, length);
    return own.find(':') == std::string::npos ? own : "[" + own + "]";
  }
  return Status(Code::kUnavailable, "[host] there must be a way to it; got " +
                                        std::string(std::strerror(errno)) + " (" + host + ")");
}

bool Answers(const std::string& host, int port, base::Duration limit) {
  const AddressList found(host);
  for (const addrinfo* entry = found.first; entry != nullptr; entry = entry->ai_next) {
    std::vector<uint8_t> bytes(entry->ai_addrlen);
    std::memcpy(bytes.data(), entry->ai_addr, bytes.size());
    auto* address = reinterpret_cast<sockaddr*>(bytes.data());
    PortOf(address) = htons(static_cast<uint16_t>(port));
    const base::OwnedFile file(
        socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!file) continue;
    if (connect(file.fd(), address, LengthOf(address)) == 0) return true;
    if (errno != EINPROGRESS) continue;
    pollfd waits{file.fd(), POLLOUT, 0};
    if (poll(&waits, 1, static_cast<int>(base::Milliseconds(limit))) != 1) continue;
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(file.fd(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0) return true;
  }
  return false;
}

std::vector<Interface> Interfaces() {
  std::vector<Interface> interfaces;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return interfaces;
  for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr) continue;
    const int family = entry->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    interfaces.push_back({entry->ifa_name, Numeric(entry->ifa_addr, LengthOf(entry->ifa_addr)),
                          (entry->ifa_flags & IFF_UP) != 0,
                          (entry->ifa_flags & IFF_LOOPBACK) != 0});
  }
  freeifaddrs(first);
  return interfaces;
}

std::vector<std::string> ListenersAt(int port) {
  const auto inodes = ListeningInodes(port);
  std::vector<std::string> found;
  if (inodes.empty()) return found;
  for (const std::string& process : NamesIn("/proc")) {
    if (process.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string directory = "/proc/" + process;
    for (const std::string& fd : NamesIn(directory + "/fd")) {
      char target[64];
      const ssize_t length = readlink((directory + "/fd/" + fd).c_str(), target, sizeof target);
      const std::string link(target, static_cast<size_t>(std::max<ssize_t>(length, 0)));
      const bool ours = std::any_of(inodes.begin(), inodes.end(), [&](const std::string& inode) {
        return link == "socket:[" + inode + "]";
      });
      if (!ours) continue;
      std::ifstream file(directory + "/comm");
      std::string name;
      std::getline(file, name);
      found.push_back(name + " (" + process + ")");
      break;
    }
  }
  return found;
}

}  // namespace lockstep::net
