#pragma once

#include <atomic>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/tcp_port.h"

namespace lockstep::net {

/// What links a `TcpLink` on the endpoint's executor with its connection on the port's thread.
struct TcpBridge {
  TcpBridge(base::Executor& on, LinkEvents* to, int of) : executor(on), events(to), peer(of) {}
  base::Executor& executor;
  LinkEvents* events;  // of the executor only; null once the link has gone
  const int peer;
  std::atomic<size_t> untaken_bytes{0};
};

/// The part of a `TcpPort` that lives on its thread: listener, callers, calls, connections.
class TcpSide {
 public:
  TcpSide(base::EventLoop& loop, const TcpOptions& options, uint64_t job, std::unique_ptr<Tls> tls,
          FileDescriptor listener);
  ~TcpSide();

  void Listen();
  void Join(const Place& place, std::vector<std::string> addresses, base::Duration connect_limit);
  /// Ends the membership: what is under way is still written, as long as a peer takes it. All peers
  /// hear of it, those that are not connected yet, too.
  void Leave();
  /// Ends everything; `on_closed` runs as soon as peers have taken what was under way.
  void Close(base::Work on_closed);
  void Bind(std::shared_ptr<TcpBridge> bridge);

  void Send(int peer, Message message);
  void TellAbort(int peer, Epoch epoch, const Abort& abort);
  void AbandonBefore(int peer, Epoch oldest);
  void Revive(int peer);
  void Resume(int peer);

 private:
  // A connection that someone opened to us, until it is a peer's.
  struct Caller {
    std::unique_ptr<TcpConnection> connection;
    uint64_t membership = 0;
    int rank = -1;  // once it has said hello
    base::Timer deadline;
  };
  using Callers = std::list<Caller>;
  struct Peer {
    std::string address;
    std::shared_ptr<TcpBridge> bridge;
    std::unique_ptr<TcpConnection> connection;  // up
    std::unique_ptr<TcpConnection> call;        // on its way
    FileDescriptor socket;                      // of a call that is not connected yet
    std::deque<Frame> waiting;                  // until there is a connection
    std::string fault = "no call from it";
    bool is_lost = false;
    bool has_left = false;
    bool is_paused = false;
    std::optional<base::Time> refused_since;  // nobody listens at its address
    base::Timer retry, deadline;
  };

  // Of past memberships, until the peer closes.
  struct Closing {
    FileDescriptor socket;      // not connected yet
    std::vector<Frame> frames;  // for it
    std::unique_ptr<TcpConnection> connection;
    base::Timer deadline;
  };
  using Closings = std::list<Closing>;
  // Who was heard and went before this rank entered its membership.
  struct Gone {
    uint64_t membership = 0;
    int rank = 0;
  };

  std::unique_ptr<Stream> MakeStream(FileDescriptor socket, bool is_server) const;
  void Accept();
  void HearCaller(Callers::iterator caller, const Frame& frame);
  void Consider(Callers::iterator caller);
  void Refuse(Callers::iterator caller, uint32_t why);
  void DropCaller(Callers::iterator caller);
  void HangUp(Callers::iterator caller);
  bool IsOver(uint64_t membership) const;
  bool Forget(uint64_t membership, int rank);
  void Call(int rank);
  void Connected(int rank);
  void HearAnswer(int rank, const Frame& frame);
  void EndCall(int rank, const std::string& fault, bool again);
  void FailCall(int rank, int error);
  void Adopt(int rank, std::unique_ptr<TcpConnection> connection);
  void Hear(int rank, Frame frame);
  void HearData(int rank, Frame frame);
  void HearAbort(int rank, const Frame& frame);
  Closings::iterator AddClosing(base::Duration limit);
  void SayLeave(Closings::iterator closing);
  void SayLeaveUnconnected(Peer& peer);
  void GreetAndLeave(Closings::iterator closing);
  void DropClosing(Closings::iterator closing);
  void HearLeave(int rank);
  void Lose(int rank, Status why);
  void AwaitConnection(int rank);
  void SendOrKeep(int rank, Frame frame);
  Frame Hello() const;
  Status Fault(int rank, Code code, const std::string& rule, const std::string& got,
               const std::string& cure) const;
  Peer* Find(int rank);

  base::EventLoop& loop_;
  const TcpOptions options_;
  const uint64_t job_;
  const std::unique_ptr<Tls> tls_;
  const FileDescriptor listener_;
  base::Timer listen_again_;
  Callers callers_;

  bool joined_ = false;
  Place place_;
  base::Duration connect_limit_{};
  std::optional<uint64_t> left_;  // the newest membership that is over
  std::deque<Gone> gone_;
  Closings closing_;
  base::Work on_closed_;
  base::Timer closed_;
  std::vector<std::unique_ptr<Peer>> peers_;  // by rank; null where TCP is not the road
};

}  // namespace lockstep::net
