#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/event_loop.h"
#include "net/tcp_socket.h"

namespace lockstep::net {

struct HttpPageOptions {
  std::string address = "127.0.0.1:0";  // in numbers; port 0: a free one
  std::string path = "/";
  std::string content_type = "text/plain; charset=utf-8";
  /// A connection is closed this long after it was accepted, whatever it has sent until then.
  base::Duration limit = std::chrono::seconds(5);
  /// One more connection closes the oldest one whose request is not complete.
  size_t most_connections = 256;
};

/// Answers GET requests for one path over HTTP/1.1, one request a connection. No connection can
/// keep others from being answered: sockets never block, and half-sent requests are closed after a
/// time limit, or before it if there are too many. Threads: one of its own, on which `make` is
/// called for each answer.
class HttpPage {
 public:
  using Make = std::function<std::string()>;

  /// Errors: those of `ListenTcp`.
  static Result<std::unique_ptr<HttpPage>> Open(const HttpPageOptions& options, Make make);
  ~HttpPage();
  HttpPage(const HttpPage&) = delete;
  HttpPage& operator=(const HttpPage&) = delete;

  /// What was asked for, with the port.
  const std::string& address() const { return listener_.address; }

 private:
  struct Connection {
    FileDescriptor socket;
    std::string request;
    std::string answer;  // empty: the request is not complete
    size_t sent = 0;
    bool awaits_room = false;  // to send the rest
    base::Timer limit;
  };
  HttpPage(const HttpPageOptions& options, Make make, TcpListener listener);
  void Watch();
  void Accept();
  void EvictOldest();
  void OnReady(uint64_t number);
  // Whether the connection goes on.
  bool Read(Connection& connection);
  bool Write(Connection& connection);
  void Close(uint64_t number);
  std::string AnswerTo(const std::string& request) const;

  const HttpPageOptions options_;
  const Make make_;
  const TcpListener listener_;
  uint64_t next_ = 0;
  std::map<uint64_t, Connection> connections_;  // in the order in which they came
  base::Timer pause_;
  base::EventThread thread_;
};

}  // namespace lockstep::net
