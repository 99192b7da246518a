#pragma once

#include <functional>
#include <string>

#include "base/executor.h"
#include "lockstep/base/status.h"
#include "net/parcel.h"

namespace lockstep::net {

/// Calls of named methods between tasks, as event handlers; nothing here waits. The control plane
/// stands on it. gRPC is one implementation (`net/grpc_rpc.h`), the simulator has another.
/// Promise: `done` is called once for each call, as new work, unless the caller's `Rpc` goes first.
/// A call may be carried out without an answer ever coming, and more than once: methods must bear
/// it. Threads: everything on the executor, handlers too; an `Answer` may be called from any work.
class Rpc {
 public:
  using Answer = std::function<void(Result<std::string>)>;
  using Handler = std::function<void(std::string request, Answer answer)>;

  virtual ~Rpc() = default;
  virtual base::Executor& executor() = 0;
  /// Where others reach this task: "10.0.0.7:41211", "unix:/run/job/0.socket", "rank:3".
  virtual const std::string& address() const = 0;
  /// Errors given to `done`: DeadlineExceeded after `timeout`, Unavailable (nobody reached, or the
  /// peer ended), Unauthenticated (token), Unimplemented (no such method), ResourceExhausted (too
  /// long), and what the handler answered.
  virtual void Call(const std::string& address, const std::string& method, std::string request,
                    base::Duration timeout, Answer done) = 0;
  /// Replaces the handler of a method; null: there is none. A handler may answer later; one that
  /// drops its `Answer` has answered Cancelled.
  virtual void Serve(const std::string& method, Handler handler) = 0;

  /// The same for methods with bulk beside the text of requests and answers. It is copied no
  /// oftener than the way there needs, and what arrives may lie in memory that the sender has lent:
  /// it is to be given back in time. A method is served in one of both forms, and called in it.
  using ParcelAnswer = std::function<void(Result<Parcel>)>;
  using ParcelHandler = std::function<void(Parcel request, ParcelAnswer answer)>;
  virtual void CallParcel(const std::string& address, const std::string& method, Parcel request,
                          base::Duration timeout, ParcelAnswer done);
  virtual void ServeParcels(const std::string& method, ParcelHandler handler);
};

}  // namespace lockstep::net
