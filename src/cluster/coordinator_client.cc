#include "cluster/coordinator_client.h"

#include <algorithm>
#include <utility>

#include "base/probe.h"

namespace lockstep::cluster {
namespace {

constexpr base::Duration kPause = std::chrono::milliseconds(10);
// A question that waits is asked anew after this, in case it was lost.
constexpr base::Duration kPiece = std::chrono::seconds(2);
constexpr int kMostHops = 4;

bool MayComeRight(Code code) {
  return code == Code::kUnavailable || code == Code::kDeadlineExceeded ||
         code == Code::kCancelled || code == Code::kUnimplemented || code == Code::kNotFound;
}

}  // namespace

CoordinatorClient::CoordinatorClient(net::Rpc& rpc, Incarnation self, Limit limit, Find find)
    : rpc_(rpc), self_(self), limit_(std::move(limit)), find_(std::move(find)) {}

void CoordinatorClient::Submit(Command command, base::Duration timeout, Done done) {
  command.by = self_;
  submissions_.push_back({std::move(command), rpc_.executor().Now(), timeout, std::move(done)});
  SubmitNext();
}

void CoordinatorClient::SubmitNext() {
  if (submitting_ || submissions_.empty()) return;
  Waiting next = std::move(submissions_.front());
  submissions_.pop_front();
  submitting_ = true;
  next.command.sequence = ++sequence_;
  const base::Duration left = next.timeout - (rpc_.executor().Now() - next.begun);
  Begin(kSubmitMethod, EncodeSubmit(next.command), {}, left,
        [this, alive = std::weak_ptr<int>(alive_),
         done = std::move(next.done)](Result<std::string> result) {
          submitting_ = false;
          done(std::move(result));
          if (!alive.expired()) SubmitNext();
        });
}

void CoordinatorClient::Ask(Query query, Done done) {
  query.by = self_;
  const base::Duration timeout = query.timeout;
  Begin(kQueryMethod, {}, std::move(query), timeout, std::move(done));
}

void CoordinatorClient::Report(const cluster::Report& report, base::Duration timeout) {
  Begin(kReportMethod, Encode(report), {}, timeout, [](const Result<std::string>&) {});
}

void CoordinatorClient::Begin(const char* method, std::string body, Query query,
                              base::Duration timeout, Done done) {
  Request& request = requests_.emplace_back();
  request.method = method;
  request.body = std::move(body);
  request.query = std::move(query);
  request.begun = rpc_.executor().Now();
  request.timeout = timeout;
  request.done = std::move(done);
  Send(std::prev(requests_.end()));
}

void CoordinatorClient::Send(Place request) {
  const base::Duration waited = rpc_.executor().Now() - request->begun;
  if (waited > request->timeout + limit_()) {
    return End(request,
               Status(Code::kUnavailable, "[membership] a leading coordinator must answer within " +
                                              std::to_string(base::Milliseconds(request->timeout)) +
                                              " ms; got no answer (leader " +
                                              (find_().empty() ? "unknown" : find_()) + ")"));
  }
  const std::string address = request->hint.empty() ? find_() : request->hint;
  if (address.empty()) return Retry(request, kPause);
  base::Duration limit = limit_();
  if (request->method == kQueryMethod) {
    Query piece = request->query;
    piece.waited = std::min(waited, request->timeout);
    piece.timeout = std::min<base::Duration>(kPiece, request->timeout - piece.waited);
    request->body = Encode(piece);
    limit += piece.timeout;
  }
  request->in_flight = true;
  rpc_.Call(address, request->method, request->body, limit,
            [this, request, address,
             alive = std::weak_ptr<int>(alive_)](const Result<std::string>& result) {
              if (!alive.expired()) Take(request, address, result);
            });
}

void CoordinatorClient::Retry(Place request, base::Duration pause) {
  request->in_flight = false;
  request->retry.StartAfter(rpc_.executor(), pause, [this, request] { Send(request); });
}

void CoordinatorClient::Take(Place request, const std::string& address,
                             const Result<std::string>& result) {
  request->hint.clear();
  if (!result.ok()) {
    if (!MayComeRight(result.status().code())) return End(request, result.status());
    LOCKSTEP_PROBE("a question to the leader is asked again");
    return Retry(request, kPause);
  }
  const auto answered = DecodeAnswered(*result);
  if (!answered.ok()) return End(request, answered.status());
  if (!answered->is_leader) {
    if (answered->text.empty() || answered->text == address || ++request->hops > kMostHops) {
      request->hops = 0;
      return Retry(request, kPause);
    }
    request->hint = answered->text;
    return Retry(request, base::Duration(0));
  }
  const bool may_wait = rpc_.executor().Now() - request->begun < request->timeout;
  if (answered->code == Code::kDeadlineExceeded && may_wait)
    return Retry(request, base::Duration(0));
  if (answered->code == Code::kOk) return End(request, answered->text);
  End(request, Status(answered->code, answered->text));
}

void CoordinatorClient::End(Place request, Result<std::string> result) {
  std::list<Request> ended;
  ended.splice(ended.begin(), requests_, request);
  request->done(std::move(result));
}

void CoordinatorClient::Poke() {
  for (auto request = requests_.begin(); request != requests_.end(); ++request)
    if (!request->in_flight) Retry(request, base::Duration(0));
}

void CoordinatorClient::Close(const Status& status) {
  alive_ = std::make_shared<int>(0);  // whatever is under way
  std::deque<Waiting> waiting = std::move(submissions_);
  std::list<Request> requests = std::move(requests_);
  submitting_ = true;
  for (Request& request : requests) request.done(status);
  for (Waiting& each : waiting) each.done(status);
}

}  // namespace lockstep::cluster
