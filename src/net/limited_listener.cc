#include "net/limited_listener.h"

#include <sys/resource.h>

#include <cerrno>

#include "base/log.h"
#include "net/ports.h"

namespace lockstep::net {

namespace {

using namespace std::chrono_literals;

// While the system has no room for a connection.
constexpr base::Duration kPause = 100ms;

bool HasFilesToSpare(int newest) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  // A new file has the lowest number that is free.
  return static_cast<rlim_t>(newest) < limit.rlim_cur / 4 * 3;
}

std::string WithPort(const std::string& address, const std::string& port) {
  return address.substr(0, address.rfind(':') + 1) + port;
}

}  // namespace

Result<std::unique_ptr<LimitedListener>> LimitedListener::Open(const std::string& address) {
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  LOCKSTEP_ASSIGN_OR_RETURN(const auto numbers, ResolveHost(host));
  std::unique_ptr<LimitedListener> made(new LimitedListener);
  std::string port = address.substr(colon + 1);
  Status fault = Status::Ok();
  for (const std::string& number : numbers) {
    const bool is_6 = number.find(':') != std::string::npos;
    auto listener = ListenTcp((is_6 ? "[" + number + "]:" : number + ":") + port);
    if (!listener.ok()) {
      fault = listener.status();
      continue;
    }
    port = listener->address.substr(listener->address.rfind(':') + 1);
    made->listeners_.push_back(std::move(*listener));
  }
  if (made->listeners_.empty()) return fault;
  made->address_ = WithPort(address, port);
  return made;
}

LimitedListener::~LimitedListener() {
  thread_.executor().Post([this] {
    pause_.Stop();
    Unwatch();
    thread_.loop().Stop();
  });
  thread_.Join();
}

void LimitedListener::Begin(OnConnection on_connection) {
  thread_.executor().Post([this, on_connection = std::move(on_connection)] {
    thread_.loop().set_patience({.spins = 0, .yielding = base::Duration{0}});
    on_connection_ = on_connection;
    Watch();
  });
}

void LimitedListener::Watch() {
  watching_ = true;
  for (const TcpListener& listener : listeners_) {
    const int socket = listener.socket.get();
    thread_.loop().WatchFile(socket, true, false,
                             [this, socket](base::FileEvents) { Accept(socket); });
  }
}

void LimitedListener::Unwatch() {
  if (watching_)
    for (const TcpListener& listener : listeners_)
      thread_.loop().UnwatchFile(listener.socket.get());
  watching_ = false;
}

void LimitedListener::Accept(int listener) {
  FileDescriptor connection;
  const int error = AcceptTcp(listener, &connection);
  if (error == EAGAIN || error == EINTR || error == ECONNABORTED) return;
  if (error != 0) {
    Unwatch();
    return pause_.StartAfter(thread_.executor(), kPause, [this] { Watch(); });
  }
  if (HasFilesToSpare(connection.get())) return on_connection_(std::move(connection));
  ++refused_;
  const base::Time now = thread_.executor().Now();
  if (said_ != base::Time() && now - said_ < 1s) return;
  said_ = now;
  base::Log(base::Severity::kWarning, "[net] " + address_ + " sent callers away, as this process " +
                                          "has too many files open (" + std::to_string(refused_) +
                                          " so far)");
}

}  // namespace lockstep::net
