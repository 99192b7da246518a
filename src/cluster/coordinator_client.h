#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "cluster/membership_requests.h"
#include "net/rpc.h"

namespace lockstep::cluster {

/// A task's side of what it asks: finds the leading coordinator, asks again after a lost answer or
/// a change of leader, and has each command carried out once.
/// Threads: everything on the executor of `rpc`.
class CoordinatorClient {
 public:
  using Done = std::function<void(Result<std::string>)>;
  /// The leader's address as far as it is known here; empty: unknown.
  using Find = std::function<std::string()>;

  /// How long one call may take, as the process comes to its work.
  using Limit = std::function<base::Duration()>;

  CoordinatorClient(net::Rpc& rpc, Incarnation self, Limit limit, Find find);

  /// Commands are carried out in the order of submission, one after another.
  void Submit(Command command, base::Duration timeout, Done done);
  void Ask(Query query, Done done);
  void Report(const cluster::Report& report, base::Duration timeout);
  /// The leader may be another one now.
  void Poke();
  /// Nothing more is sent; what was asked ends with `status`.
  void Close(const Status& status);

 private:
  struct Request {
    const char* method = nullptr;
    std::string body;
    Query query;  // of a question, which is asked in pieces
    base::Time begun{};
    base::Duration timeout{};
    Done done;
    std::string hint;  // where a former leader said the leader is
    int hops = 0;
    bool in_flight = false;
    base::Timer retry;
  };
  using Place = std::list<Request>::iterator;

  void Begin(const char* method, std::string body, Query query, base::Duration timeout, Done done);
  void Send(Place request);
  void Retry(Place request, base::Duration pause);
  void Take(Place request, const std::string& address, const Result<std::string>& result);
  void End(Place request, Result<std::string> result);
  void SubmitNext();

  net::Rpc& rpc_;
  const Incarnation self_;
  const Limit limit_;
  const Find find_;
  std::list<Request> requests_;
  struct Waiting {
    Command command;
    base::Time begun{};
    base::Duration timeout{};
    Done done;
  };
  std::deque<Waiting> submissions_;
  bool submitting_ = false;
  uint64_t sequence_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace lockstep::cluster
