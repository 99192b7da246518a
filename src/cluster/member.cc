#include "cluster/member.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/probe.h"

namespace lockstep::cluster {
namespace {

constexpr base::Duration kTick = std::chrono::milliseconds(20);
constexpr base::Duration kJoinPause = std::chrono::milliseconds(100);
constexpr base::Duration kSeekPause = std::chrono::milliseconds(50);
constexpr base::Duration kRequestTimeout = std::chrono::seconds(30);
constexpr base::Duration kLongestGoodbye = std::chrono::seconds(3);
// How long a task that was started again waits to hear whether the job has begun.
constexpr base::Duration kLook = std::chrono::seconds(2);
constexpr base::Duration kWatch = std::chrono::seconds(10);
// How often a report is told until a new epoch begins, and after how long the log hears of it.
constexpr base::Duration kTellAgain = std::chrono::seconds(1);
constexpr base::Duration kTellWait = std::chrono::seconds(10);

Status NotJoined(const char* where) {
  return Status(Code::kFailedPrecondition,
                std::string("[") + where +
                    "] the task must have joined the job; got a call before that; call Join first");
}

}  // namespace

Member::Member(net::Rpc& rpc, base::Randomness& randomness, MemberOptions options)
    : rpc_(rpc), randomness_(randomness), options_(std::move(options)), self_(options_.self) {
  self_.control = rpc_.address();
}

Member::~Member() {
  if (client_ != nullptr)
    client_->Close(Status(Code::kCancelled, "[membership] the task has ended"));
}

template <typename F>
auto Member::WhileAlive(F work) {
  return [alive = std::weak_ptr<int>(alive_), work = std::move(work)](auto&&... arguments) {
    if (!alive.expired()) work(std::forward<decltype(arguments)>(arguments)...);
  };
}

// ---- lives ----

void Member::Join(std::function<void(const Result<Membership>&)> first) {
  first_ = std::move(first);
  joining_ = true;
  BeginLife();
  if (options_.founds) LookBeforeFounding();
}

void Member::BeginLife() {
  self_.incarnation = randomness_.Next() | 1;
  self_.joined = 0;
  known_ = false;
  next_join_ = rpc_.executor().Now() + (options_.founds && !has_lived_ ? kJoinPause : kTick);
  led_until_ = rpc_.executor().Now();
  told_trouble_ = false;
  has_lived_ = true;
  client_ = std::make_unique<CoordinatorClient>(
      rpc_, self_.incarnation, [this] { return CallLimit(); }, [this] { return LeaderAddress(); });
  coordinator_ = std::make_unique<Coordinator>(rpc_, self_, options_.coordinator, randomness_,
                                               static_cast<Coordinator::Listener&>(*this));
  Tick();
}

// As new work: what ends may be among the callers.
void Member::EndLife(const Status& why) {
  joining_ = false;
  rpc_.executor().Post(WhileAlive([this, why] {
    tick_.Stop();
    tell_again_.Stop();
    goodbye_.Stop();
    alive_ = std::make_shared<int>(0);
    const std::unique_ptr<CoordinatorClient> client = std::move(client_);
    coordinator_.reset();
    const bool is_refused =
        why.code() == Code::kFailedPrecondition || why.code() == Code::kUnauthenticated;
    if (options_.rejoins && !left_ && !is_refused) {
      joining_ = true;
      BeginLife();
    }
    client->Close(why);
    if (left_) return std::exchange(left_, nullptr)(Status::Ok());
    if (is_refused && first_) return std::exchange(first_, nullptr)(why);
    if (on_trouble_) on_trouble_(why);
  }));
}

void Member::AskWhetherBegun(const std::function<void(bool)>& tell) { AskContacts(kLook, tell); }

void Member::AskContacts(base::Duration limit, const std::function<void(bool)>& tell) {
  const auto left = std::make_shared<size_t>(1);
  const auto begun = std::make_shared<bool>(false);
  // The first one that knows an epoch is enough.
  const auto answered = [left, begun, tell](bool knows) {
    const bool is_last = --*left == 0;
    if (*begun || (!knows && !is_last)) return;
    *begun = knows;
    tell(knows);
  };
  for (const std::string& address : options_.contacts) {
    if (address == rpc_.address()) continue;
    ++*left;
    rpc_.Call(address, kWhereMethod, Encode(WhereRequest{self_.incarnation}), limit,
              WhileAlive([answered](const Result<std::string>& result) {
                const auto reply =
                    result.ok() ? DecodeWhereReply(*result) : Result<WhereReply>(result.status());
                answered(reply.ok() && reply->epoch > 0);
              }));
  }
  answered(false);
}

void Member::LookBeforeFounding() {
  AskContacts(CallLimit(), [this](bool begun) {
    if (begun) {
      LOCKSTEP_PROBE("a founder finds that the job lives already");
      return;
    }
    // It may have been let in meanwhile.
    if (coordinator_->replica().accepted()->voters.empty()) coordinator_->Found();
  });
}

bool Member::is_led() const {
  if (coordinator_ == nullptr || coordinator_->replica().leader() == nullptr) return false;
  return rpc_.executor().Now() - coordinator_->replica().leader_heard() <
         coordinator_->replica().timing().election;
}

bool Member::OthersHaveEnded() const {
  if (coordinator_ == nullptr || is_led()) return false;
  const auto state = coordinator_->replica().accepted();
  bool any_refuses = false;
  for (const auto* peers : {&membership_.peers, &state->membership.peers, &state->voters}) {
    for (const Peer& peer : *peers) {
      if (peer.incarnation == self_.incarnation || peer.control == rpc_.address()) continue;
      const auto answer = answers_.find(peer.control);
      if (answer == answers_.end() || answer->second == Answer::kSilence) return false;
      any_refuses |= answer->second == Answer::kRefusal;
    }
  }
  return any_refuses;
}

base::Duration Member::CallLimit() const {
  return coordinator_ == nullptr ? options_.coordinator.timing.call
                                 : coordinator_->replica().timing().call;
}

bool Member::Leads() const { return coordinator_ != nullptr && coordinator_->replica().leads(); }

std::string Member::LeaderAddress() const {
  if (coordinator_ == nullptr) return {};
  const Peer* leader = coordinator_->replica().leader();
  return leader == nullptr ? std::string() : leader->control;
}

std::vector<std::string> Member::Addresses() const {
  std::vector<std::string> addresses;
  const auto add = [&](const std::string& address) {
    if (address.empty() || address == rpc_.address()) return;
    if (std::find(addresses.begin(), addresses.end(), address) == addresses.end())
      addresses.push_back(address);
  };
  add(hint_);
  for (const std::string& address : options_.contacts) add(address);
  for (const ExpectedTask& task : options_.coordinator.expected) add(task.control);
  const auto state = coordinator_->replica().accepted();
  for (const Peer& peer : state->membership.peers) add(peer.control);
  for (const Peer& peer : membership_.peers) add(peer.control);
  return addresses;
}

// ---- looking for the job ----

void Member::Tick() {
  tick_.StartAfter(rpc_.executor(), kTick, [this] { Tick(); });
  const base::Time now = rpc_.executor().Now();
  if (is_led()) {
    led_until_ = now;
    told_trouble_ = false;
    answers_.clear();
  }
  if (!known_ && !Leads() && now >= next_join_) return TryToJoin();
  if (known_ && led_until_ != now && now >= next_seek_) Seek();
}

void Member::TryToJoin() {
  const base::Time now = rpc_.executor().Now();
  const std::vector<std::string> addresses = Addresses();
  if (addresses.empty()) return;
  next_join_ = now + kJoinPause;
  // The place that was named first, else everybody in turn.
  const std::string address =
      hint_.empty() ? addresses[next_address_++ % addresses.size()] : std::exchange(hint_, "");
  rpc_.Call(address, kJoinMethod,
            Encode(JoinRequest{options_.coordinator.hello, self_,
                               coordinator_->replica().accepted()->group}),
            CallLimit(), WhileAlive([this, address](const Result<std::string>& result) {
              TakeJoinReply(address, result);
            }));
}

void Member::TakeJoinReply(const std::string& address, const Result<std::string>& result) {
  if (known_) return;
  const Code code = result.status().code();
  if (code == Code::kFailedPrecondition || code == Code::kUnauthenticated) {
    fault_ = result.status().message();
    return EndLife(result.status());
  }
  const auto answered =
      result.ok() ? DecodeAnswered(*result) : Result<cluster::Answered>(result.status());
  if (!answered.ok()) {
    fault_ = "waiting for " + address + ", " + DescribeSilence(answered.status());
    return;
  }
  if (answered->is_leader && answered->code == Code::kAborted) {
    hint_ = address;
    return EndLife(Status(Code::kAborted, answered->text));
  }
  if (answered->is_leader) {
    fault_ = answered->text;
    hint_ = address;
    return;
  }
  fault_ = "waiting for the coordinator; " + address + " does not know it either";
  if (answered->text.empty() || answered->text == address) return;
  hint_ = answered->text;
  next_join_ = rpc_.executor().Now();
}

void Member::Seek() {
  const base::Time now = rpc_.executor().Now();
  const base::Duration alone = now - led_until_;
  next_seek_ = now + kSeekPause;
  const std::vector<std::string> addresses = Addresses();
  if (!addresses.empty()) {
    const std::string address = addresses[next_address_++ % addresses.size()];
    rpc_.Call(address, kWhereMethod, Encode(WhereRequest{self_.incarnation}), CallLimit(),
              WhileAlive([this, address](const Result<std::string>& result) {
                TakeWhereReply(address, result);
              }));
  }
  coordinator_->TryToFoundAnew(alone);
  if (alone < options_.trouble_after || told_trouble_) return;
  told_trouble_ = true;
  if (on_trouble_ == nullptr) return;
  on_trouble_(Status(Code::kUnavailable,
                     "[membership] a majority of the coordinators must be in reach; got no leader "
                     "for " +
                         std::to_string(base::Milliseconds(alone)) + " ms (coordinators: " +
                         ListOf(coordinator_->replica().accepted()->voters) +
                         "); the state of the last commit is kept"));
}

void Member::TakeWhereReply(const std::string& address, const Result<std::string>& result) {
  const auto reply = result.ok() ? DecodeWhereReply(*result) : Result<WhereReply>(result.status());
  answers_[address] = IsRefusal(reply.status())         ? Answer::kRefusal
                      : reply.ok() && !reply->is_leader ? Answer::kHasNoLeader
                                                        : Answer::kSilence;
  if (!reply.ok() || Leads()) return;
  if (!reply->is_leader) {
    if (reply->leader.empty() || reply->leader == rpc_.address()) return;
    hint_ = reply->leader;
    next_address_ = 0;  // it is asked next
    return;
  }
  if (reply->knows_you) return;
  const uint64_t epoch = coordinator_->replica().committed()->membership.epoch;
  const bool is_member = rank() >= 0;
  if (is_member && reply->epoch <= epoch) return;
  LOCKSTEP_PROBE("a task learns that the job goes on without it");
  hint_ = reply->leader;
  EndLife(Status(Code::kAborted, "[membership] the job went on without this task; got epoch " +
                                     std::to_string(reply->epoch) + " after " +
                                     std::to_string(epoch) + "; it joins again"));
}

// ---- what the coordinator says ----

void Member::LeaderChanged() {
  if (coordinator_ == nullptr) return;  // it is being made
  client_->Poke();
  const Peer* leader = coordinator_->replica().leader();
  if (leader == nullptr) {
    rpc_.executor().Post(WhileAlive([this] {
      if (known_ && coordinator_->replica().leader() == nullptr) Seek();
    }));
  } else if (leader->incarnation != self_.incarnation) {
    Watch(*leader);
  }
}

void Member::JobIsElsewhere(const std::string& address) {
  if (!joining_ || rank() >= 0) return;
  LOCKSTEP_PROBE("a founder gives way to the job that lives already");
  hint_ = address;
  EndLife(Status(Code::kAborted, "[membership] the job lives already; it is joined instead"));
}

void Member::Watch(const Peer& leader) {
  rpc_.Call(leader.control, kWatchMethod, "", kWatch,
            WhileAlive([this, leader](const Result<std::string>& result) {
              const Peer* present = coordinator_->replica().leader();
              if (present == nullptr || present->incarnation != leader.incarnation) return;
              if (result.status().code() == Code::kUnavailable) {
                coordinator_->OutOfReach(leader);
              } else if (result.status().code() == Code::kDeadlineExceeded) {
                Watch(leader);
              }
            }));
}

void Member::Committed(const std::shared_ptr<const State>& state) {
  if (state->Knows(self_.incarnation)) known_ = true;
  MeetVoters(state->voters);
  EnterIfMember(*state);
  const Change change{membership_.epoch, state->waiting.size(), state->leaving.size()};
  const bool is_news = change != told_change_ && (change.joiners > 0 || change.leavers > 0);
  told_change_ = change;
  if (rank() >= 0 && is_news) {
    rpc_.executor().Post(WhileAlive([this, change] {
      if (on_change_)
        on_change_(static_cast<int>(change.joiners), static_cast<int>(change.leavers));
    }));
  }
  CheckLeft(*state);
}

// An election must not wait for connections, least of all for TLS's handshakes.
void Member::MeetVoters(const std::vector<Peer>& voters) {
  std::set<Incarnation> present;
  for (const Peer& voter : voters) {
    present.insert(voter.incarnation);
    if (voter.incarnation == self_.incarnation || met_.contains(voter.incarnation)) continue;
    rpc_.Call(voter.control, kWhereMethod, Encode(WhereRequest{self_.incarnation}), CallLimit(),
              [](const Result<std::string>&) {});
  }
  met_ = std::move(present);
}

void Member::EnterIfMember(const State& state) {
  const Membership& next = state.membership;
  const int next_rank = next.RankOf(self_.incarnation);
  if (next_rank < 0 || next.epoch <= membership_.epoch) return;
  membership_ = next;
  if (options_.coordinator.arbiter != nullptr) options_.coordinator.arbiter->NoteEpoch(next.epoch);
  // As new work: callbacks may leave, report and ask.
  rpc_.executor().Post(WhileAlive([this, entered = next, next_rank] {
    if (first_) std::exchange(first_, nullptr)(entered);
    if (on_epoch_) on_epoch_(entered, next_rank);
  }));
}

void Member::CheckLeft(const State& state) {
  if (!joining_ || rank() < 0 || state.membership.epoch <= membership_.epoch) return;
  if (state.membership.RankOf(self_.incarnation) >= 0) return;
  const bool still_needed =
      FindPeer(state.voters, self_.incarnation) != nullptr && !state.membership.peers.empty();
  if (left_ && still_needed) return;
  if (left_ && Leads()) {
    // The others must still hear of it.
    goodbye_.StartAfter(rpc_.executor(), 2 * options_.coordinator.timing.beat,
                        [this] { EndLife(Status::Ok()); });
    return;
  }
  EndLife(Status(Code::kAborted, "[membership] the job goes on without this task (" +
                                     state.membership.reason + "); it joins again"));
}

Progress Member::MyProgress() {
  const std::lock_guard<std::mutex> lock(progress_mutex_);
  return progress_;
}

void Member::SetProgress(const Progress& progress) {
  const std::lock_guard<std::mutex> lock(progress_mutex_);
  progress_ = progress;
}

// ---- what the task asks ----

void Member::ReportDead(int rank, const std::string& reason, bool certain) {
  if (client_ == nullptr || rank < 0 || rank >= static_cast<int>(membership_.peers.size())) return;
  const Incarnation about = membership_.peers[static_cast<size_t>(rank)].incarnation;
  if (certain) coordinator_->TaskEnded(about, reason);
  Tell({self_.incarnation, membership_.epoch, about, certain, reason});
}

void Member::ReportBroken(const std::string& reason) {
  if (client_ != nullptr) Tell({self_.incarnation, membership_.epoch, 0, false, reason});
}

void Member::Tell(const Report& report) {
  client_->Report(report, kRequestTimeout);
  std::erase_if(reports_, [&](const Report& other) {
    return other.epoch != report.epoch || other.about == report.about;
  });
  reports_.push_back(report);
  reporting_ = base::Duration(0);
  tell_again_.StartAfter(rpc_.executor(), kTellAgain, [this] { TellAgain(); });
}

// What a leader was told is in its memory alone: who leads after it does not know of it.
void Member::TellAgain() {
  if (client_ == nullptr || reports_.empty() || reports_[0].epoch != membership_.epoch) return;
  LOCKSTEP_PROBE("a report is told again, as no new epoch has begun");
  for (const Report& report : reports_) client_->Report(report, kRequestTimeout);
  reporting_ += kTellAgain;
  if (reporting_ % kTellWait < kTellAgain) {
    base::Log(base::Severity::kWarning, "[membership] a new epoch must begin; got none for " +
                                            std::to_string(reporting_ / std::chrono::seconds(1)) +
                                            " s after it was told \"" + reports_[0].reason +
                                            "\"; " + Board());
  }
  tell_again_.StartAfter(rpc_.executor(), kTellAgain, [this] { TellAgain(); });
}

void Member::SubmitPlain(Command command, Done done) {
  if (client_ == nullptr) return done(NotJoined("membership"));
  command.epoch = membership_.epoch;
  client_->Submit(std::move(command), kRequestTimeout,
                  [done = std::move(done)](const Result<std::string>& result) {
                    if (done) done(result.status());
                  });
}

void Member::ReadyForJoiners(uint64_t step) {
  Command command;
  command.kind = CommandKind::kReady;
  command.step = step;
  SubmitPlain(std::move(command), [](const Status&) {});
}

void Member::Leave(Done done) {
  if (client_ == nullptr) return done(Status::Ok());
  left_ = std::move(done);
  // With everybody gone at once, nobody may be left to say that this task has gone, too.
  goodbye_.StartAfter(rpc_.executor(), options_.coordinator.leave_wait + kLongestGoodbye,
                      [this] { EndLife(Status::Ok()); });
  Command command;
  command.kind = CommandKind::kLeave;
  SubmitPlain(std::move(command), WhileAlive([this](const Status& status) {
                // Who was never let in has nothing to wait for.
                if (rank() < 0 || !status.ok()) EndLife(status);
              }));
}

void Member::Barrier(const std::string& name, base::Duration timeout, Done done) {
  if (client_ == nullptr) return done(NotJoined("barrier"));
  Command arrive;
  arrive.kind = CommandKind::kArrive;
  arrive.key = name;
  arrive.epoch = membership_.epoch;
  Query wait;
  wait.kind = QueryKind::kBarrier;
  wait.epoch = membership_.epoch;
  wait.key = name;
  wait.timeout = timeout;
  client_->Submit(
      std::move(arrive), timeout,
      WhileAlive([this, wait, done](const Result<std::string>& meeting) {
        if (!meeting.ok()) return done(meeting.status());
        Query query = wait;
        query.meeting = std::strtoull(meeting->c_str(), nullptr, 10);
        client_->Ask(query, [done](const Result<std::string>& result) { done(result.status()); });
      }));
}

bool Member::HasHeardOf(const std::string& name) const {
  return coordinator_ != nullptr && coordinator_->replica().accepted()->barriers.HasMet(name);
}

void Member::AskHowItEnded(std::function<void(bool, bool)> tell) {
  Arbiter* const arbiter = options_.coordinator.arbiter;
  if (arbiter == nullptr) return;
  // A new life has heard of nobody yet, if the job had gone before it knocked.
  std::vector<Peer> others = membership_.peers;
  if (coordinator_ != nullptr) {
    for (const Peer& peer : coordinator_->replica().accepted()->membership.peers)
      if (FindPeer(others, peer.incarnation) == nullptr) others.push_back(peer);
  }
  std::erase_if(others, [this](const Peer& peer) { return peer.process == self_.process; });
  arbiter->Ask(others,
               WhileAlive([others, tell = std::move(tell)](const Arbiter::Verdict& verdict) {
                 const bool all = !others.empty() && verdict.ended.size() == others.size();
                 tell(all, verdict.has_finished);
               }));
}

void Member::Set(const std::string& key, const std::string& value, Scope scope, Done done) {
  Command command;
  command.kind = CommandKind::kSet;
  command.key = key;
  command.value = value;
  command.scope = scope;
  SubmitPlain(std::move(command), std::move(done));
}

void Member::Delete(const std::string& key, Scope scope, Done done) {
  Command command;
  command.kind = CommandKind::kDelete;
  command.key = key;
  command.scope = scope;
  SubmitPlain(std::move(command), std::move(done));
}

void Member::CompareAndSet(const std::string& key, std::optional<std::string> expected,
                           const std::string& value, Scope scope,
                           std::function<void(const Result<bool>&)> done) {
  if (client_ == nullptr) return done(NotJoined("key_value"));
  Command command;
  command.kind = CommandKind::kCompareAndSet;
  command.key = key;
  command.value = value;
  command.expected = std::move(expected);
  command.scope = scope;
  command.epoch = membership_.epoch;
  client_->Submit(std::move(command), kRequestTimeout,
                  [done = std::move(done)](const Result<std::string>& result) {
                    done(result.ok() ? Result<bool>(*result == "1") : result.status());
                  });
}

void Member::Get(const std::string& key, Scope scope,
                 std::function<void(const Result<std::optional<std::string>>&)> done) {
  if (client_ == nullptr) return done(NotJoined("key_value"));
  const Query query{
      .epoch = membership_.epoch, .scope = scope, .key = key, .timeout = kRequestTimeout};
  client_->Ask(query, [done = std::move(done)](const Result<std::string>& result) {
    if (!result.ok()) return done(result.status());
    FieldReader reader(*result);
    const bool has_value = reader.Take<uint8_t>() != 0;
    std::string value = reader.TakeText();
    done(has_value ? std::optional<std::string>(std::move(value)) : std::nullopt);
  });
}

void Member::Wait(const std::string& key, Scope scope, base::Duration timeout,
                  std::function<void(const Result<std::string>&)> done) {
  if (client_ == nullptr) return done(NotJoined("key_value"));
  const Query query{.kind = QueryKind::kWait,
                    .epoch = membership_.epoch,
                    .scope = scope,
                    .key = key,
                    .timeout = timeout};
  client_->Ask(query, [done = std::move(done)](const Result<std::string>& result) {
    if (!result.ok()) return done(result.status());
    FieldReader reader(*result);
    reader.Take<uint8_t>();
    done(reader.TakeText());
  });
}

void Member::Health(std::function<void(const Result<std::vector<TaskHealth>>&)> done) {
  if (client_ == nullptr) return done(NotJoined("health"));
  Query query;
  query.kind = QueryKind::kHealth;
  query.timeout = kRequestTimeout;
  client_->Ask(query, [done = std::move(done)](const Result<std::string>& result) {
    if (!result.ok()) return done(result.status());
    FieldReader reader(*result);
    std::vector<TaskHealth> read;
    for (uint32_t left = reader.TakeCount(); left > 0 && reader.ok(); --left)
      read.push_back(ReadTaskHealth(&reader));
    done(std::move(read));
  });
}

std::string Member::Board() const {
  if (coordinator_ == nullptr) return fault_;
  if (Leads()) return coordinator_->board();
  return known_ ? ToString(coordinator_->replica().committed()->membership) : fault_;
}

}  // namespace lockstep::cluster
