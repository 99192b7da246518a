#include "collectives/group.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/printf.h"
#include "base/probe.h"
#include "base/trace.h"
#include "collectives/flight_recorder.h"
#include "collectives/sum_operation.h"
#include "net/text_payload.h"

namespace lockstep::collectives {
namespace {

// Who shares memory with all others is on their host, and so are they: all ranks see the same.
const NetworkCost& CostOf(const net::Transport& transport) {
  for (int peer = 0; peer < transport.num_ranks(); ++peer)
    if (peer != transport.rank() && !transport.SharesMemoryWith(peer)) return kBetweenHostsCost;
  return kOneHostCost;
}

// Whether the epoch has no more ranks only as some went home.
bool OnlyLeft(const net::Transport& transport) {
  const std::vector<net::Loss> losses = transport.losses();
  return !losses.empty() &&
         std::all_of(losses.begin(), losses.end(), [](const net::Loss& loss) { return loss.left; });
}

}  // namespace

void Operation::Finish(Group& group, Result<Reduced> result) {
  if (finished()) return;
  if (group.options_.recorder != nullptr) group.options_.recorder->End(record_, result.ok());
  if (auto* trace = base::TraceRecorder::Current(); trace != nullptr && begun_ != base::Time{})
    trace->Collective(call_.label.empty() ? name() : name() + (" of " + call_.label), begun_,
                      trace->Now());
  if (result.ok()) result->last_from = taking_from_;
  group.executor().Post([done = std::move(done_), result = std::move(result)] { done(result); });
  done_ = nullptr;
}

PartialHeader Operation::Header() const {
  PartialHeader header;
  header.op = id_;
  header.kind = call_.kind;
  header.dtype = call_.dtype;
  header.present = true;
  header.plan = call_.plan;
  header.count = call_.count;
  return header;
}

void Operation::Send(Group& group, int to, const PartialHeader& header, net::Payload body) const {
  net::Payload payload = group.texts_.IsNewTo(to, text_) ? Encode(header, TextOf(call_), text_)
                                                         : Encode(header, text_);
  group.Send(to, std::move(payload), std::move(body));
}

Group::Group(net::Transport& transport, const GroupOptions& options)
    : transport_(transport),
      options_(options),
      epoch_(transport.epoch()),
      texts_(transport.num_ranks()),
      network_cost_(CostOf(transport)),
      prepared_sums_(std::make_unique<PreparedSums>(network_cost_)) {
  transport_.WatchAborts([this](net::Epoch epoch, const net::Abort& abort) {
    if (epoch != epoch_) return;
    const bool is_leave = running_.empty() && OnlyLeft(transport_);
    EndOperations(abort);
    TellAbort(is_leave);
  });
  if (options_.recorder != nullptr) options_.recorder->Sit(epoch_, rank(), num_ranks());
  transport_.Listen(net::Channel::kCollectives, [this](int from, const net::Message& message) {
    return Arrive(from, message);
  });
}

Group::~Group() {
  transport_.Listen(net::Channel::kCollectives, nullptr);
  transport_.WatchAborts(nullptr);
  for (auto& operation : running_) {
    const OpId id = operation->id();
    operation->Finish(*this, Status(Code::kCancelled, std::string("[") + operation->name() +
                                                          "] the group must outlive the sum; got "
                                                          "its end first " +
                                                          Place(id)));
  }
}

std::string Group::Place(OpId id, const std::string& more) const {
  const std::string text = base::Printf("(rank %d of %d, epoch %llu, step %llu, bucket %u", rank(),
                                        num_ranks(), static_cast<unsigned long long>(epoch_),
                                        static_cast<unsigned long long>(id.step), id.bucket);
  return text + (more.empty() ? "" : "; " + more) + ")";
}

void Group::RetireBefore(uint64_t step) {
  oldest_step_ = std::max(oldest_step_, step);
  finished_.EraseBefore(oldest_step_);
  while (!early_.empty() && early_.begin()->first.step < oldest_step_) {
    for (const Early& early : early_.begin()->second) early_bytes_ -= early.message.size();
    early_.erase(early_.begin());
  }
}

void Group::Run(std::unique_ptr<Operation> operation) {
  const OpId id = operation->id();
  if (Status fault = NameFault(*operation); !fault.ok()) {
    operation->Finish(*this, std::move(fault));
    return;
  }
  const bool is_past = transport_.epoch() != epoch_;
  if (is_past || transport_.aborted() != nullptr) {
    const net::Abort past{rank(), Status(Code::kAborted, "a later epoch began")};
    operation->Finish(*this, AbortedStatus(*operation, is_past ? past : *transport_.aborted()));
    return;
  }
  Operation& running = *operation;
  running_.push_back(std::move(operation));
  running.begun_ = executor().Now();
  running.expires_ = running.begun_ + running.timeout();
  WatchDeadline(running.expires_);
  if (options_.recorder != nullptr)
    running.record_ = options_.recorder->Begin(epoch_, id, running.call_, running.begun_);
  if (options_.on_stall) {
    running.stalls_ = running.begun_ + options_.stall_after;
    WatchStall(running.stalls_);
  }
  if (num_ranks() > 1) running.text_ = texts_.NumberOf(running.call_);
  running.Begin(*this);
  std::vector<Early> early;
  if (const auto found = early_.find(id); found != early_.end()) {
    LOCKSTEP_PROBE("a partial came before its collective began here");
    early = std::move(found->second);
    early_.erase(found);
  }
  for (const Early& each : early) {
    early_bytes_ -= each.message.size();
    if (running.finished()) continue;
    auto partial = Decode(each.message);
    texts_.Complete(each.from, &*partial);  // as it was when it came
    TakeInto(running, each.from, *partial);
  }
  DropFinished(id);
}

Status Group::NameFault(const Operation& operation) const {
  const OpId id = operation.id();
  const bool is_new =
      id.step >= oldest_step_ && !finished_.Contains(id) && FindRunning(id) == nullptr;
  if (is_new) return Status::Ok();
  return Status(Code::kInvalidArgument, std::string("[") + operation.name() +
                                            "] step and bucket must name one collective of an "
                                            "epoch; got a name that was used before " +
                                            Place(id));
}

// Who aborts may never run the executor again, and so is told at once.
void Group::Abort(Status reason) {
  transport_.AbortEpoch(std::move(reason));
  if (transport_.epoch() == epoch_) TellAbort(/*is_leave=*/false);
}

void Group::TellAbort(bool is_leave) {
  if (std::exchange(told_abort_, true)) return;
  if (options_.recorder != nullptr) options_.recorder->Abort(epoch_, executor().Now());
  if (options_.on_abort && !is_leave) options_.on_abort();
}

void Group::FailAndAbort(Operation& operation, Status reason) {
  operation.Finish(*this, reason);
  Abort(std::move(reason));
}

namespace {

// The same where a message is sent and where it is received.
void Trace(base::TraceEvent::Kind kind, int peer, const net::Payload& payload,
           const net::Payload& body) {
  auto* trace = base::TraceRecorder::Current();
  if (trace == nullptr) return;
  trace->Message(kind, peer, payload.size() + body.size(), base::Hash64(net::TextOf(payload)));
}

}  // namespace

void Group::Send(int to, net::Payload payload, net::Payload body) {
  Trace(base::TraceEvent::Kind::kSend, to, payload, body);
  transport_.Send(to, {epoch_, net::Channel::kCollectives, std::move(payload), std::move(body)});
}

net::Receipt Group::Arrive(int from, const net::Message& message) {
  Trace(base::TraceEvent::Kind::kReceive, from, message.payload, message.body);
  auto partial = Decode(message);
  if (!partial) {
    LOCKSTEP_PROBE("a message to collectives is no partial");
    return net::Receipt::kTaken;
  }
  if (!texts_.Complete(from, &*partial)) {
    LOCKSTEP_PROBE("a partial came before the texts of its call");
    return net::Receipt::kLater;
  }
  const OpId id = partial->header.op;
  if (id.step < oldest_step_ || finished_.Contains(id)) {
    LOCKSTEP_PROBE("a partial comes after its collective finished here");
    CompareWithPast(from, *partial);
    return net::Receipt::kTaken;
  }
  Operation* const running = FindRunning(id);
  if (running == nullptr) {
    if (early_bytes_ + message.size() > options_.held_bytes) {
      LOCKSTEP_PROBE("no room for an early partial");
      return net::Receipt::kLater;
    }
    early_bytes_ += message.size();
    early_[id].push_back({from, message});
    return net::Receipt::kTaken;
  }
  running->taking_from_ = from;
  TakeInto(*running, from, *partial);
  DropFinished(id);
  return net::Receipt::kTaken;
}

void Group::TakeInto(Operation& operation, int from, const PartialMessage& message) {
  if (Status fault = Compare(operation.id(), operation.call(), from, message); !fault.ok()) {
    FailAndAbort(operation, std::move(fault));
    return;
  }
  operation.Take(*this, from, message);
}

void Group::CompareWithPast(int from, const PartialMessage& message) {
  for (const Past& past : past_) {
    if (past.id != message.header.op || past.call.where.line() == 0) continue;
    if (Status fault = Compare(past.id, past.call, from, message); !fault.ok()) {
      LOCKSTEP_PROBE("another call comes after this one is over");
      Abort(std::move(fault));
    }
    return;
  }
}

Status Group::Compare(OpId id, const Call& call, int from, const PartialMessage& message) const {
  const PartialHeader& header = message.header;
  const CallText own = TextOf(call);
  const bool has_count = call.dtype != DType::kInvalid;
  const std::string_view other_label = message.call.label, other_shape = message.call.shape;
  const char* difference = nullptr;
  if (header.kind != call.kind) {
    difference = "op";
  } else if (call.kind != OpKind::kAllToAll && other_label != own.label.substr(0, kMostCallText)) {
    difference = "name";
  } else if (header.dtype != call.dtype) {
    difference = "dtype";
  } else if (other_shape != own.shape.substr(0, kMostCallText)) {
    difference = "shape";
  } else if (has_count && header.count != call.count) {
    difference = "number of elements";
  } else if (header.plan != call.plan) {
    difference = "division, algorithm, root or sizes";
  }
  if (difference == nullptr) return Status::Ok();
  return Status(Code::kInvalidArgument,
                std::string("[") + OpKindName(call.kind) +
                    "] all ranks must make the same calls in the same order; got another " +
                    difference + ": " + Describe(call) + " here, " +
                    Describe(header.kind, header.dtype, header.count, message.call) + " on rank " +
                    std::to_string(from) + " " + Place(id) +
                    "; run one program with the same options on all ranks");
}

void Group::DropFinished(OpId id) {
  for (auto& running : running_) {
    if (running->id() != id) continue;
    if (!running->finished()) return;
    past_[next_past_] = {id, std::move(running->call_)};
    next_past_ = (next_past_ + 1) % past_.size();
    std::swap(running, running_.back());
    running_.pop_back();
    finished_.Insert(id);
    return;
  }
}

Operation* Group::FindRunning(OpId id) const {
  for (const auto& running : running_)
    if (running->id() == id) return running.get();
  return nullptr;
}

Status Group::AbortedStatus(const Operation& operation, const net::Abort& abort) const {
  // That a peer is lost is known here at first hand; all else is somebody's decision to stop.
  const bool is_lost = abort.by == rank() && abort.reason.code() == Code::kUnavailable;
  return Status(is_lost ? Code::kUnavailable : Code::kAborted,
                std::string("[") + operation.name() +
                    "] the epoch must outlast the sum; got an abort by rank " +
                    std::to_string(abort.by) + ": " + abort.reason.message() + " " +
                    Place(operation.id(), "waiting here: " + operation.Missing(*this)) +
                    "; enter the next epoch and repeat the step");
}

void Group::EndOperations(const net::Abort& abort) {
  for (auto& operation : running_) {
    operation->Finish(*this, AbortedStatus(*operation, abort));
    finished_.Insert(operation->id());
  }
  running_.clear();
  early_.clear();
  early_bytes_ = 0;
}

void Group::WatchDeadline(base::Time expires) {
  if (expires >= deadline_at_) return;
  deadline_at_ = expires;
  deadline_.StartAt(executor(), expires, [this] { ExpireLate(); });
}

void Group::WatchStall(base::Time stalls) {
  if (stalls >= stall_at_) return;
  stall_at_ = stalls;
  stall_.StartAt(executor(), stalls, [this] { TellStalls(); });
}

void Group::TellStalls() {
  stall_at_ = base::Time::max();
  const base::Time now = executor().Now();
  std::vector<OpId> stalled;
  base::Time next = base::Time::max();
  for (const auto& running : running_) {
    if (running->stalls_ <= now) {
      stalled.push_back(running->id());
      running->stalls_ = now + (now - running->begun_);
    }
    next = std::min(next, running->stalls_);
  }
  if (next != base::Time::max()) WatchStall(next);
  if (!stalled.empty()) options_.on_stall(*std::min_element(stalled.begin(), stalled.end()));
}

void Group::ExpireLate() {
  deadline_at_ = base::Time::max();
  const base::Time now = executor().Now();
  std::vector<OpId> late;
  base::Time next = base::Time::max();
  for (const auto& running : running_) {
    if (running->expires_ <= now) late.push_back(running->id());
    if (running->expires_ > now) next = std::min(next, running->expires_);
  }
  if (next != base::Time::max()) WatchDeadline(next);
  // The first one ends the epoch, and the others with it as soon as its watch is called.
  std::sort(late.begin(), late.end());
  for (const OpId id : late) {
    Expire(*FindRunning(id));
    DropFinished(id);
  }
}

void Group::Expire(Operation& operation) {
  const OpId id = operation.id();
  LOCKSTEP_PROBE("a collective's deadline passed");
  const std::string limit = base::Printf("%.1f ms", base::Milliseconds(operation.timeout()));
  FailAndAbort(operation,
               Status(Code::kDeadlineExceeded,
                      std::string("[") + operation.name() + "] every partial must arrive within " +
                          limit + "; got " + operation.Missing(*this) + " " + Place(id) +
                          "; see whether that rank runs, or raise the timeout"));
}

void FinishedOperations::Insert(OpId id) {
  auto place = steps_.end();
  while (place != steps_.begin() && std::prev(place)->step >= id.step) --place;
  if (place == steps_.end() || place->step != id.step)
    place = steps_.insert(place, {id.step, 0, {}});
  if (id.bucket < 64) {
    place->low_buckets |= uint64_t{1} << id.bucket;
  } else {
    place->high_buckets.insert(id.bucket);
  }
}

bool FinishedOperations::Contains(OpId id) const {
  if (steps_.empty() || steps_.back().step < id.step) return false;
  const auto place = std::lower_bound(steps_.begin(), steps_.end(), id.step,
                                      [](const Step& step, uint64_t to) { return step.step < to; });
  if (place == steps_.end() || place->step != id.step) return false;
  return id.bucket < 64 ? (place->low_buckets >> id.bucket & 1) != 0
                        : place->high_buckets.contains(id.bucket);
}

void FinishedOperations::EraseBefore(uint64_t step) {
  while (!steps_.empty() && steps_.front().step < step) steps_.pop_front();
}

}  // namespace lockstep::collectives
