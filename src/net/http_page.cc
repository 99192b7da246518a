#include "net/http_page.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace lockstep::net {

namespace {

constexpr size_t kLongestRequest = 8192;
// While the process can open no more files.
constexpr base::Duration kNoFilesPause = std::chrono::milliseconds(100);

std::string HttpAnswer(const std::string& status, const std::string& type,
                       const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" +
         body;
}

std::string HttpFault(const std::string& status) {
  return HttpAnswer(status, "text/plain; charset=utf-8", status + "\n");
}

}  // namespace

Result<std::unique_ptr<HttpPage>> HttpPage::Open(const HttpPageOptions& options, Make make) {
  LOCKSTEP_ASSIGN_OR_RETURN(auto listener, ListenTcp(options.address));
  std::unique_ptr<HttpPage> page(new HttpPage(options, std::move(make), std::move(listener)));
  page->thread_.executor().Post([page = page.get()] {
    page->thread_.loop().set_patience({.spins = 0, .yielding = base::Duration{0}});
    page->Watch();
  });
  return page;
}

HttpPage::HttpPage(const HttpPageOptions& options, Make make, TcpListener listener)
    : options_(options), make_(std::move(make)), listener_(std::move(listener)) {}

HttpPage::~HttpPage() {
  thread_.executor().Post([this] {
    pause_.Stop();
    thread_.loop().UnwatchFile(listener_.socket.get());
    while (!connections_.empty()) Close(connections_.begin()->first);
    thread_.loop().Stop();
  });
  thread_.Join();
}

void HttpPage::Watch() {
  thread_.loop().WatchFile(listener_.socket.get(), true, false,
                           [this](base::FileEvents) { Accept(); });
}

void HttpPage::Accept() {
  FileDescriptor socket;
  const int error = AcceptTcp(listener_.socket.get(), &socket);
  if (error == EAGAIN || error == EINTR || error == ECONNABORTED) return;
  if (error != 0) {
    EvictOldest();
    thread_.loop().UnwatchFile(listener_.socket.get());
    return pause_.StartAfter(thread_.executor(), kNoFilesPause, [this] { Watch(); });
  }
  if (connections_.size() >= options_.most_connections) EvictOldest();
  const uint64_t number = next_++;
  Connection& connection = connections_[number];
  connection.socket = std::move(socket);
  connection.limit.StartAfter(thread_.executor(), options_.limit,
                              [this, number] { Close(number); });
  thread_.loop().WatchFile(connection.socket.get(), true, false,
                           [this, number](base::FileEvents) { OnReady(number); });
}

void HttpPage::EvictOldest() {
  if (connections_.empty()) return;
  const auto idle =
      std::find_if(connections_.begin(), connections_.end(),
                   [](const auto& connection) { return connection.second.answer.empty(); });
  Close(idle != connections_.end() ? idle->first : connections_.begin()->first);
}

void HttpPage::OnReady(uint64_t number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  if (!Read(connection) || !Write(connection)) return Close(number);
  // The rest of a long answer is sent when there is room.
  const bool writes = connection.sent < connection.answer.size();
  if (std::exchange(connection.awaits_room, writes) == writes) return;
  const int socket = connection.socket.get();
  thread_.loop().UnwatchFile(socket);
  thread_.loop().WatchFile(socket, true, writes,
                           [this, number](base::FileEvents) { OnReady(number); });
}

bool HttpPage::Read(Connection& connection) {
  char bytes[4096];
  while (true) {
    const ssize_t size = recv(connection.socket.get(), bytes, sizeof(bytes), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    if (size == 0) return !connection.answer.empty() && connection.sent < connection.answer.size();
    if (!connection.answer.empty()) return true;  // what follows the request does not count
    connection.request.append(bytes, static_cast<size_t>(size));
    if (connection.request.find("\r\n\r\n") != std::string::npos) {
      connection.answer = AnswerTo(connection.request);
      return true;
    }
    if (connection.request.size() > kLongestRequest)
      connection.answer = HttpFault("431 Request Header Fields Too Large");
  }
}

bool HttpPage::Write(Connection& connection) {
  while (connection.sent < connection.answer.size()) {
    const ssize_t size =
        send(connection.socket.get(), connection.answer.data() + connection.sent,
             connection.answer.size() - connection.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    connection.sent += static_cast<size_t>(size);
    // The other side closes first, so that nothing that it has not read is thrown away.
    if (connection.sent == connection.answer.size()) shutdown(connection.socket.get(), SHUT_WR);
  }
  return true;
}

void HttpPage::Close(uint64_t number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  thread_.loop().UnwatchFile(found->second.socket.get());
  connections_.erase(found);
}

std::string HttpPage::AnswerTo(const std::string& request) const {
  const std::string line = request.substr(0, request.find("\r\n"));
  const size_t space = line.find(' ');
  const size_t end = line.rfind(" HTTP/1.");
  if (space == std::string::npos || end == std::string::npos || end <= space)
    return HttpFault("400 Bad Request");
  if (line.substr(0, space) != "GET") return HttpFault("405 Method Not Allowed");
  const std::string target = line.substr(space + 1, end - space - 1);
  if (target.substr(0, target.find('?')) != options_.path) return HttpFault("404 Not Found");
  return HttpAnswer("200 OK", options_.content_type, make_());
}

}  // namespace lockstep::net
