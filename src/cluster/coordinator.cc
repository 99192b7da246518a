#include "cluster/coordinator.h"

#include <algorithm>

#include "base/log.h"
#include "base/probe.h"

namespace lockstep::cluster {
namespace {

// So many epochs in a row in which the same two could not reach each other: one of them goes.
constexpr int kMostQuarrels = 3;

constexpr base::Duration kFoundPause = std::chrono::milliseconds(40);
constexpr base::Duration kProbePause = std::chrono::milliseconds(500);

std::string InMilliseconds(base::Duration duration) {
  return std::to_string(duration.count() / 1'000'000) + " ms";
}

std::string EncodeStatus(const Status& status) {
  return Encode(cluster::Answered{true, status.code(), status.message()});
}

std::pair<Incarnation, Incarnation> PairOf(const Report& report) {
  return std::minmax(report.by, report.about);
}

Status NotAMember(Incarnation who, const Membership& membership) {
  return Status(Code::kNotFound,
                "[membership] only members and joiners may ask; got a task that is "
                "neither (" +
                    ToString(membership) + ", incarnation " + std::to_string(who) +
                    "); it must join again");
}

}  // namespace

Coordinator::Coordinator(net::Rpc& rpc, Peer self, CoordinatorOptions options,
                         base::Randomness& randomness, Listener& listener)
    : rpc_(rpc),
      options_(std::move(options)),
      listener_(listener),
      board_(options_.expected, rpc.executor().Now()),
      replica_(rpc, std::move(self), options_.timing, randomness, *this) {
  Serve();
}

Coordinator::~Coordinator() {
  for (const char* method :
       {kJoinMethod, kSubmitMethod, kQueryMethod, kReportMethod, kWhereMethod, kWatchMethod})
    rpc_.Serve(method, nullptr);
}

void Coordinator::Found() {
  founded_ = rpc_.executor().Now();
  State first;
  first.waiting.push_back(replica_.self());
  replica_.Found(std::move(first));
}

// ---- what the replica says ----

void Coordinator::RoleChanged() {
  if (replica_.leads()) {
    health_.Begin(Everybody(), rpc_.executor().Now());
    Tick();
  } else {
    tick_.Stop();
    const Status status(Code::kUnavailable, "[coordinator] leads no more");
    for (auto* asked : {&asked_, &in_round_})
      for (const Asked& each : std::exchange(*asked, {})) each.answer(status);
    for (auto* queries : {&asking_, &confirming_, &open_})
      for (const OpenQuery& each : std::exchange(*queries, {})) each.answer(status);
    for (const auto& watcher : std::exchange(watchers_, {})) watcher(std::string());
  }
  suspicions_.clear();
  listener_.LeaderChanged();
}

void Coordinator::Committed() {
  const auto state = replica_.committed();
  std::vector<Peer> here = state->membership.peers;
  here.insert(here.end(), state->waiting.begin(), state->waiting.end());
  board_.SetHere(here);
  ForgetSuspicions(state->membership.epoch);
  if (replica_.leads()) {
    AnswerAsked();
    open_.insert(open_.end(), confirming_.begin(), confirming_.end());
    confirming_.clear();
    AnswerQueries();
  }
  listener_.Committed(state);
  HandOverIfLeaving();
  Reconcile();
}

std::string Coordinator::Report() {
  FieldWriter writer;
  Write(listener_.MyProgress(), &writer);
  return writer.Take();
}

void Coordinator::Answered(const Peer& peer, const std::string& report) {
  if (!replica_.leads()) return;
  FieldReader reader(report);
  const Progress progress = ReadProgress(&reader);
  if (reader.done()) health_.Answered(peer, progress, rpc_.executor().Now());
  Reconcile();
}

void Coordinator::Failed(const Peer& peer, const Status& status) {
  if (status.code() == Code::kNotFound) {
    LOCKSTEP_PROBE("another life of a task answers in its place");
    return TaskEnded(peer.incarnation, "was started again");
  }
  if (status.code() != Code::kUnavailable) return;
  health_.Refused(peer, rpc_.executor().Now());
  AskArbiter({peer});
}

void Coordinator::AskArbiter(const std::vector<Peer>& peers) {
  if (options_.arbiter == nullptr) return;
  options_.arbiter->Ask(
      peers, [this, alive = std::weak_ptr<int>(alive_)](const Arbiter::Verdict& verdict) {
        if (alive.expired()) return;
        for (const Incarnation who : verdict.ended) TaskEnded(who, "ended");
      });
}

void Coordinator::TaskEnded(Incarnation who, const std::string& reason) {
  if (who == replica_.self().incarnation || !ended_.emplace(who, reason).second) return;
  replica_.LeaderEnded(who, /*certain=*/true);
  Reconcile();
}

// ---- what tasks ask ----

void Coordinator::Serve() {
  const auto serve = [this](const char* method, auto handle) {
    rpc_.Serve(method, [this, handle](const std::string& request, const net::Rpc::Answer& answer) {
      (this->*handle)(request, answer);
    });
  };
  serve(kJoinMethod, &Coordinator::HandleJoin);
  serve(kSubmitMethod, &Coordinator::HandleSubmit);
  serve(kQueryMethod, &Coordinator::HandleQuery);
  serve(kReportMethod, &Coordinator::HandleReport);
  serve(kWhereMethod, &Coordinator::HandleWhere);
  rpc_.Serve(kWatchMethod,
             [this](const std::string&, const net::Rpc::Answer& answer) { HandleWatch(answer); });
}

bool Coordinator::Redirect(const net::Rpc::Answer& answer) const {
  if (replica_.leads()) return false;
  const Peer* leader = replica_.leader();
  answer(Encode(cluster::Answered{false, Code::kOk, leader == nullptr ? "" : leader->control}));
  return true;
}

void Coordinator::HandleJoin(const std::string& text, const net::Rpc::Answer& answer) {
  const auto request = DecodeJoinRequest(text);
  if (!request.ok()) return answer(request.status());
  if (Redirect(answer)) return;
  const Peer& peer = request->peer;
  const Incarnation group = replica_.accepted()->group;
  if (request->group != 0 && request->group != group) {
    LOCKSTEP_PROBE("a task comes from a job that was begun before and given up");
    return answer(EncodeStatus(Status(Code::kAborted, "[membership] the job was begun anew")));
  }
  const Status alike = CompareHellos(options_.hello, request->hello, peer.ToString());
  if (!alike.ok()) {
    if (refused_.size() < 100 && refused_.insert(alike.message()).second)
      base::Log(base::Severity::kWarning, alike.message());
    board_.Note(peer.job, peer.index, "refused: " + alike.message());
    return answer(alike);
  }
  // Who answers at an address now, has taken it over from who did before.
  for (const Peer& other : Everybody()) {
    if (other.control == peer.control && other.incarnation != peer.incarnation)
      TaskEnded(other.incarnation, "was started again");
  }
  for (const Peer& other : replica_.accepted()->membership.peers) {
    const bool is_same = other.job == peer.job && other.index == peer.index;
    if (!is_same || other.incarnation == peer.incarnation || ended_.contains(other.incarnation))
      continue;
    // Its former life, whose death is not seen yet, or a mistake in the description.
    AskArbiter({other});
    return answer(Encode(cluster::Answered{
        true, Code::kOk, other.ToString() + " is a member; it must end before another may join"}));
  }
  if (!replica_.accepted()->Knows(peer.incarnation) && !ended_.contains(peer.incarnation)) {
    Asked asked;
    asked.command.kind = CommandKind::kJoin;
    asked.command.by = peer.incarnation;
    asked.command.peers = {peer};
    asked.answer = [](const Result<std::string>&) {};
    const bool is_new = std::none_of(asked_.begin(), asked_.end(), [&](const Asked& other) {
      return other.command.kind == CommandKind::kJoin && other.command.by == peer.incarnation;
    });
    if (is_new) asked_.push_back(std::move(asked));
  }
  answer(Encode(cluster::Answered{true, Code::kOk, board()}));
  Reconcile();
}

void Coordinator::HandleSubmit(const std::string& text, const net::Rpc::Answer& answer) {
  const auto command = DecodeSubmit(text);
  if (!command.ok()) return answer(command.status());
  if (Redirect(answer)) return;
  asked_.push_back({*command, answer, rpc_.executor().Now()});
  Reconcile();
}

void Coordinator::AnswerAsked() {
  const State& state = *replica_.committed();
  for (const Asked& asked : std::exchange(in_round_, {})) {
    const auto session = state.sessions.find(asked.command.by);
    if (asked.command.sequence == 0) continue;
    if (session == state.sessions.end()) {
      asked.answer(EncodeStatus(NotAMember(asked.command.by, state.membership)));
    } else if (session->second.sequence != asked.command.sequence) {
      LOCKSTEP_PROBE("a command comes again after its successor");
      asked.answer(Status(Code::kUnavailable, "[membership] a later command is done already"));
    } else {
      const Outcome& outcome = session->second.outcome;
      asked.answer(Encode(cluster::Answered{true, outcome.code, outcome.text}));
    }
  }
}

void Coordinator::HandleQuery(const std::string& text, const net::Rpc::Answer& answer) {
  const auto query = DecodeQuery(text);
  if (!query.ok()) return answer(query.status());
  if (Redirect(answer)) return;
  asking_.push_back({*query, answer, rpc_.executor().Now()});
  Reconcile();
}

void Coordinator::AnswerQueries() {
  const base::Time now = rpc_.executor().Now();
  std::vector<OpenQuery> still_open;
  for (OpenQuery& open : open_) {
    if (const auto result = TryQuery(open.query)) {
      open.answer(result->ok() ? Encode(cluster::Answered{true, Code::kOk, **result})
                               : EncodeStatus(result->status()));
    } else if (now - open.since >= open.query.timeout) {
      open.answer(EncodeStatus(Expired(open)));
    } else {
      still_open.push_back(std::move(open));
    }
  }
  open_ = std::move(still_open);
}

std::optional<Result<std::string>> Coordinator::TryQuery(const Query& query) const {
  const State& state = *replica_.committed();
  const bool of_epoch = query.kind == QueryKind::kBarrier ||
                        (query.kind != QueryKind::kHealth && query.scope == Scope::kEpoch);
  const bool was_met = query.kind == QueryKind::kBarrier &&
                       state.barriers.IsOver(query.key, query.epoch, query.meeting);
  if (was_met) return std::string();
  if (of_epoch && query.epoch != state.membership.epoch) {
    return Status(Code::kAborted, "[membership] epoch " + std::to_string(query.epoch) +
                                      " must last; got " + ToString(state.membership));
  }
  FieldWriter writer;
  switch (query.kind) {
    case QueryKind::kGet:
    case QueryKind::kWait: {
      const std::string* value = state.values(query.scope).Get(query.key);
      if (value == nullptr && query.kind == QueryKind::kWait) return std::nullopt;
      writer.Put(static_cast<uint8_t>(value != nullptr));
      return writer.PutText(value == nullptr ? "" : *value).Take();
    }
    case QueryKind::kBarrier:
      return std::nullopt;
    case QueryKind::kHealth: {
      const auto read = health_.Read(state.membership.peers, rpc_.executor().Now(), options_.stuck);
      writer.Put(static_cast<uint32_t>(read.size()));
      for (const TaskHealth& each : read) Write(each, &writer);
      return writer.Take();
    }
  }
  return Status(Code::kUnimplemented, "[membership] no such question");
}

Status Coordinator::Expired(const OpenQuery& open) const {
  const std::string waited = InMilliseconds(open.query.timeout + open.query.waited);
  if (open.query.kind != QueryKind::kBarrier)
    return Status(Code::kDeadlineExceeded, "[key_value] a value must be set within " + waited +
                                               "; got none (key " + open.query.key + ")");
  const State& state = *replica_.committed();
  const auto missing = state.barriers.Missing(open.query.key, state.membership.peers);
  const size_t all = state.membership.peers.size();
  std::string text = "[barrier] all members must arrive within " + waited + "; got " +
                     std::to_string(all - missing.size()) + " of " + std::to_string(all) +
                     ", missing ";
  bool is_first = true;
  for (const TaskHealth& health : health_.Read(missing, rpc_.executor().Now(), options_.stuck)) {
    text += (is_first ? "" : "; ") + health.ToString();
    is_first = false;
  }
  return Status(Code::kDeadlineExceeded, text + " (barrier " + open.query.key + ", epoch " +
                                             std::to_string(state.membership.epoch) + ")");
}

void Coordinator::HandleWhere(const std::string& text, const net::Rpc::Answer& answer) {
  const auto request = DecodeWhereRequest(text);
  if (!request.ok()) return answer(request.status());
  const Peer* leader = replica_.leader();
  const bool is_leader = replica_.leads() && replica_.settled();
  const State& state = is_leader ? *replica_.accepted() : *replica_.committed();
  answer(
      Encode(WhereReply{replica_.committed()->membership.epoch, is_leader,
                        state.Knows(request->by) || FindPeer(state.voters, request->by) != nullptr,
                        leader == nullptr ? "" : leader->control}));
}

void Coordinator::HandleWatch(const net::Rpc::Answer& answer) {
  if (!replica_.leads()) return answer(std::string());
  watchers_.push_back(answer);
}

void Coordinator::HandleReport(const std::string& text, const net::Rpc::Answer& answer) {
  const auto report = DecodeReport(text);
  if (!report.ok()) return answer(report.status());
  if (report->certain && report->about != 0) TaskEnded(report->about, report->reason);
  if (Redirect(answer)) return;
  answer(Encode(cluster::Answered{true, Code::kOk, ""}));
  if (!report->certain) NoteSuspicion(*report);
  Reconcile();
}

void Coordinator::NoteSuspicion(const cluster::Report& report) {
  if (report.epoch != replica_.accepted()->membership.epoch) return;
  for (const Suspicion& other : suspicions_)
    if (other.report.by == report.by && other.report.about == report.about) return;
  suspicions_.push_back({report, rpc_.executor().Now()});
  if (report.about == 0) return;
  ++quarrels_[PairOf(report)];
  if (const Peer* peer = FindPeer(replica_.accepted()->membership.peers, report.about))
    AskArbiter({*peer});
}

void Coordinator::ForgetSuspicions(uint64_t epoch) {
  if (epoch == suspected_epoch_) return;
  suspected_epoch_ = epoch;
  // Only those who complain in every epoch come to the end of our patience.
  std::erase_if(quarrels_, [&](const auto& quarrel) {
    return std::none_of(suspicions_.begin(), suspicions_.end(), [&](const Suspicion& each) {
      return PairOf(each.report) == quarrel.first;
    });
  });
  std::erase_if(suspicions_, [&](const Suspicion& each) { return each.report.epoch < epoch; });
}

void Coordinator::OutOfReach(const Peer& peer) {
  Failed(peer, Status(Code::kUnavailable, "out of reach"));
  replica_.LeaderEnded(peer.incarnation, /*certain=*/false);
}

// ---- decisions ----

void Coordinator::Tick() {
  const base::Duration pause = options_.timing.beat / 4;
  const base::Time now = rpc_.executor().Now();
  if (ticked_) replica_.NoteLateness(now - *ticked_ - pause);
  ticked_ = now;
  tick_.StartAfter(rpc_.executor(), pause, [this] { Tick(); });
  health_.Looks(replica_.self().incarnation, now, replica_.timing().silence);
  health_.Watch(Everybody(), now);
  health_.Answered(replica_.self(), listener_.MyProgress(), now);
  AnswerQueries();
  if (replica_.committed()->membership.epoch == 0) Probe();
  HandOverIfLeaving();
  Reconcile();
}

void Coordinator::Reconcile() {
  if (!replica_.may_propose()) return;
  std::vector<Command> commands = PlanMembership(Look(), replica_.settled());
  for (const Asked& asked : asked_) commands.push_back(asked.command);
  if (commands.empty() && asking_.empty() && replica_.settled()) return;
  in_round_ = std::exchange(asked_, {});
  confirming_ = std::exchange(asking_, {});
  replica_.Propose(commands);
}

std::vector<Peer> Coordinator::Everybody() const {
  const State& state = *replica_.accepted();
  std::vector<Peer> all = state.membership.peers;
  for (const auto* more : {&state.waiting, &state.voters}) {
    for (const Peer& peer : *more)
      if (FindPeer(all, peer.incarnation) == nullptr) all.push_back(peer);
  }
  return all;
}

Situation Coordinator::Look() {
  const base::Time now = rpc_.executor().Now();
  health_.Looks(replica_.self().incarnation, now, replica_.timing().silence);
  const State& state = *replica_.accepted();
  Situation situation;
  situation.state = &state;
  situation.leader = replica_.self().incarnation;
  situation.expected = static_cast<int>(std::max<size_t>(1, options_.expected.size()));
  situation.start_waited = now - founded_ >= options_.start_wait;
  situation.min_members = options_.min_members;
  situation.max_members = options_.max_members;
  FindDead(now, situation);
  HearSuspicions(now, situation);
  std::erase_if(leaving_since_,
                [&](const auto& entry) { return !state.leaving.contains(entry.first); });
  for (const Incarnation who : state.leaving) {
    const base::Time since = leaving_since_.try_emplace(who, now).first->second;
    if (now - since >= options_.leave_wait) situation.leavers_waited = true;
  }
  return situation;
}

void Coordinator::FindDead(base::Time now, Situation& situation) {
  const std::vector<Peer> everybody = Everybody();
  // Who falls silent in one cut is left out in one epoch, though their last words came apart.
  const auto patience_with = [&](const Peer& peer) {
    return health_.Patience(peer.incarnation, situation.leader, replica_.timing().steady_silence,
                            replica_.timing().silence);
  };
  bool is_cut = false;
  for (const Peer& peer : everybody)
    is_cut |= peer.incarnation != situation.leader &&
              health_.Silence(peer.incarnation, now) > patience_with(peer);
  for (const Peer& peer : everybody) {
    if (peer.incarnation == situation.leader) continue;
    const auto ended = ended_.find(peer.incarnation);
    const base::Duration silence = health_.Silence(peer.incarnation, now);
    const auto refusal = health_.Refusal(peer.incarnation, now);
    if (ended != ended_.end()) {
      situation.dead[peer.incarnation] = ended->second;
    } else if (refusal && *refusal > replica_.timing().refusal) {
      situation.dead[peer.incarnation] = "refused connections for " + InMilliseconds(*refusal);
    } else if (silence > (is_cut ? patience_with(peer) * 3 / 4 : patience_with(peer))) {
      situation.dead[peer.incarnation] = "was silent for " + InMilliseconds(silence);
    }
  }
}

void Coordinator::HearSuspicions(base::Time now, Situation& situation) {
  const State& state = *situation.state;
  for (const Suspicion& each : suspicions_) {
    const Incarnation about = each.report.about;
    const bool waits =
        now - each.since < options_.timing.settle ||
        (about != situation.leader && about != 0 && now - health_.Silence(about, now) < each.since);
    if (waits || situation.dead.contains(about)) continue;
    situation.broken = each.report.reason;
    const auto quarrel = quarrels_.find(PairOf(each.report));
    if (about == 0 || quarrel == quarrels_.end() || quarrel->second < kMostQuarrels) continue;
    LOCKSTEP_PROBE("two members cannot reach each other for several epochs");
    const bool first_is_lower =
        state.membership.RankOf(each.report.by) < state.membership.RankOf(about);
    Incarnation goes = first_is_lower ? about : each.report.by;
    if (goes == situation.leader) goes = first_is_lower ? each.report.by : about;
    situation.dead[goes] = "could not be reached by another member";
  }
}

void Coordinator::HandOverIfLeaving() {
  if (!replica_.leads() || !replica_.may_propose()) return;
  const State& state = *replica_.committed();
  const Incarnation self = replica_.self().incarnation;
  if (state.membership.epoch == 0 || state.membership.RankOf(self) >= 0) return;
  Replica& replica = replica_;
  for (const Peer& voter : state.voters) {
    if (voter.incarnation == self || state.membership.RankOf(voter.incarnation) < 0) continue;
    if (!replica.HasEverything(voter.incarnation)) continue;
    LOCKSTEP_PROBE("a leader that leaves hands over");
    return replica.HandOver(voter.incarnation);
  }
}

void Coordinator::TryToFoundAnew(base::Duration alone) {
  if (options_.arbiter == nullptr || replica_.leads()) return;
  std::vector<Peer> asked = Everybody();
  for (const Peer& peer : replica_.committed()->membership.peers)
    if (FindPeer(asked, peer.incarnation) == nullptr) asked.push_back(peer);
  options_.arbiter->Ask(
      asked, [this, alone, alive = std::weak_ptr<int>(alive_)](const Arbiter::Verdict& verdict) {
        // Who has done all that was to be done is not missed.
        if (alive.expired() || replica_.leads() || verdict.has_finished) return;
        for (const Incarnation who : verdict.ended) TaskEnded(who, "ended");
        FoundAnew(alone, verdict.newest_epoch);
      });
}

void Coordinator::FoundAnew(base::Duration alone, uint64_t newest_epoch) {
  const State& state = *replica_.accepted();
  const Incarnation self = replica_.self().incarnation;
  const auto ended = [&](const Peer& peer) { return ended_.contains(peer.incarnation); };
  const auto voters_left = static_cast<size_t>(std::count_if(
      state.voters.begin(), state.voters.end(), [&](const Peer& peer) { return !ended(peer); }));
  if (voters_left >= state.voters.size() / 2 + 1) return;
  const Membership* past = &state.membership;
  if (past->RankOf(self) < 0 && std::all_of(past->peers.begin(), past->peers.end(), ended)) {
    // Those who were about to go on without this task died before any of them did.
    LOCKSTEP_PROBE("the next epoch died with all its members before it began");
    past = &replica_.committed()->membership;
    if (newest_epoch != past->epoch) return;
  }
  Membership newcomers{.epoch = past->epoch, .peers = state.waiting};
  const bool none_left = std::all_of(past->peers.begin(), past->peers.end(), ended);
  if (past->RankOf(self) < 0 && newcomers.RankOf(self) >= 0 && none_left) {
    LOCKSTEP_PROBE("all members have died while only newcomers waited to be let in");
    past = &newcomers;
  }
  if (past->RankOf(self) < 0 || newest_epoch > past->epoch) return;
  Membership survivors;
  std::string reason;
  for (const Peer& peer : past->peers) {
    if (ended(peer)) {
      reason += (reason.empty() ? "" : "; ") + peer.ToString() + " ended";
    } else {
      survivors.peers.push_back(peer);
    }
  }
  if (alone < survivors.RankOf(self) * kFoundPause) return;
  replica_.FoundAnew(survivors.peers, reason);
}

void Coordinator::Probe() {
  const base::Time now = rpc_.executor().Now();
  if (now < next_probe_) return;
  next_probe_ = now + kProbePause;
  for (const ExpectedTask& task : board_.Missing()) {
    if (task.control.empty() || task.control == rpc_.address()) continue;
    rpc_.Call(task.control, kWhereMethod, Encode(WhereRequest{replica_.self().incarnation}),
              replica_.timing().call,
              [this, task, alive = std::weak_ptr<int>(alive_)](const Result<std::string>& result) {
                if (alive.expired()) return;
                const Code code = result.status().code();
                const auto reply =
                    result.ok() ? DecodeWhereReply(*result) : Result<WhereReply>(result.status());
                if (reply.ok() && reply->epoch > 0) return listener_.JobIsElsewhere(task.control);
                // It has come, was refused, and does not ask any more.
                if (code == Code::kUnimplemented) return;
                board_.Note(
                    task.job, task.index,
                    code == Code::kOk ? "is up, has not joined" : DescribeSilence(result.status()));
              });
  }
}

}  // namespace lockstep::cluster
