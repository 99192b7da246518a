#include "cluster/coordinator_replica.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "base/probe.h"

namespace lockstep::cluster {
namespace {

constexpr char kVoteMethod[] = "coordinator.Vote";
constexpr char kAppendMethod[] = "coordinator.Append";
// An answer takes several turns of processes that each come to work so late.
constexpr int kTurns = 8;
constexpr base::Duration kLongestElection = std::chrono::seconds(10);
// Of so many timers the lateness is a mean, so that one pause says little.
constexpr int kTimers = 8;
// A follower that does not answer gets no more than so many beats at once.
constexpr int kMostInFlight = 4;
// How long a task that is no member any more is told so.
constexpr base::Duration kFarewell = std::chrono::seconds(2);
// While the leader is known to be gone, elections follow each other so quickly.
constexpr base::Duration kHaste = std::chrono::milliseconds(10);
// Epochs and terms of a group that was founded anew begin at the next multiple: those that only the
// dead have seen stay below, and so do leaders that others still follow.
constexpr uint64_t kEpochsOfAGroup = uint64_t{1} << 20;

uint64_t NextGroups(uint64_t number) { return (number / kEpochsOfAGroup + 1) * kEpochsOfAGroup; }

}  // namespace

Timing Timing::At(base::Duration lateness) const {
  Timing timing = *this;
  timing.election = std::max(election, std::min(kTurns * lateness, kLongestElection));
  if (timing.election == election) return timing;
  LOCKSTEP_PROBE("a process that gets little of its machine is patient");
  timing.call = std::max(call, timing.election);
  timing.silence = std::max(silence, 2 * timing.election);
  timing.steady_silence = std::max(steady_silence, 2 * timing.election);
  return timing;
}

Replica::Replica(net::Rpc& rpc, Peer self, const Timing& timing, base::Randomness& randomness,
                 Owner& owner)
    : rpc_(rpc),
      self_(std::move(self)),
      given_timing_(timing),
      timing_(timing),
      randomness_(randomness),
      owner_(owner),
      leader_heard_(rpc.executor().Now()) {
  rpc_.Serve(kVoteMethod, [this](const std::string& request, const net::Rpc::Answer& answer) {
    HandleVote(request, answer);
  });
  rpc_.Serve(kAppendMethod, [this](const std::string& request, const net::Rpc::Answer& answer) {
    HandleAppend(request, answer);
  });
  ArmElection();
}

void Replica::NoteLateness(base::Duration late) {
  lateness_ += (std::max(late, base::Duration(0)) - lateness_) / kTimers;
  timing_ = given_timing_.At(lateness_);
}

Replica::~Replica() {
  rpc_.Serve(kVoteMethod, nullptr);
  rpc_.Serve(kAppendMethod, nullptr);
}

template <typename F>
void Replica::Call(const Peer& peer, const char* method, std::string request, F then) {
  rpc_.Call(peer.control, method, std::move(request), timing_.call,
            [alive = std::weak_ptr<int>(alive_),
             then = std::move(then)](const Result<std::string>& result) {
              if (!alive.expired()) then(result);
            });
}

void Replica::Found(State first) {
  LOCKSTEP_CHECK(accepted_->voters.empty());
  first.voters = {self_};
  first.group = self_.incarnation;
  term_ = 1;
  first.stamp = {term_, 0};
  accepted_ = std::make_shared<State>(std::move(first));
  BecomeLeader();
}

// ---- elections ----

bool Replica::HearsLeader() const {
  if (leads_) return true;
  return leader_ && !doubted_ && rpc_.executor().Now() - leader_heard_ < timing_.election;
}

void Replica::ArmElection() {
  const bool is_hasty = rpc_.executor().Now() < hasty_until_;
  const base::Duration shortest = is_hasty ? kHaste : timing_.election;
  const base::Duration pause(randomness_.Between(shortest.count(), 2 * shortest.count()));
  election_timer_.StartAfter(rpc_.executor(), pause, [this] { ElectionDue(); });
}

void Replica::ElectionDue() {
  ArmElection();
  if (leads_ || !IsVoter() || HearsLeader() || IsFounding()) return;
  StartElection(VoteKind::kProbe);
}

void Replica::LeaderEnded(Incarnation leader, bool certain) {
  if (leads_ || !leader_ || leader_->incarnation != leader) return;
  if (certain) ended_leader_ = leader;
  if (doubted_) return;
  LOCKSTEP_PROBE("a leader was reported dead");
  doubted_ = true;
  hasty_until_ = rpc_.executor().Now() + timing_.election;
  owner_.RoleChanged();
  // One of the others after the other, so that they do not split the vote.
  int place = 0;
  for (const Peer& voter : accepted_->voters) {
    if (voter.incarnation == self_.incarnation) break;
    place += voter.incarnation == leader ? 0 : 1;
  }
  election_timer_.StartAfter(rpc_.executor(), place * kHaste, [this] { ElectionDue(); });
}

void Replica::StartElection(VoteKind kind) {
  if (kind == VoteKind::kVote) {
    ++term_;
    voted_for_ = self_.incarnation;
    leader_.reset();
  }
  election_ = Election{kind, ++elections_, rpc_.executor().Now(), {self_.incarnation}, {}, {}};
  AskForVotes(accepted_->voters);
  CountVotes();
}

void Replica::AskForVotes(const std::vector<Peer>& peers) {
  VoteRequest request;
  request.kind = election_->kind;
  request.term = election_->kind == VoteKind::kProbe ? term_ + 1 : term_;
  request.candidate = self_.incarnation;
  request.stamp = accepted_->stamp;
  request.ended_leader = ended_leader_;
  for (const Peer& peer : peers) {
    if (peer.incarnation == self_.incarnation) continue;
    request.to = peer.incarnation;
    Call(peer, kVoteMethod, Encode(request),
         [this, peer, number = elections_](const Result<std::string>& result) {
           if (!result.ok()) return owner_.Failed(peer, result.status());
           const auto reply = DecodeVoteReply(*result);
           if (reply.ok()) TakeVote(peer, number, *reply);
         });
  }
}

void Replica::TakeVote(const Peer& peer, uint64_t number, const VoteReply& reply) {
  if (reply.term > term_) return BecomeFollower(reply.term, std::nullopt);
  if (!election_ || election_->number != number) return;
  if (reply.newer != nullptr && reply.newer->stamp > accepted_->stamp) {
    LOCKSTEP_PROBE("a founder learns a newer state from another survivor");
    accepted_ = reply.newer;
    election_.reset();
    return;
  }
  if (!reply.granted) return;
  election_->granted.insert(peer.incarnation);
  CountVotes();
}

void Replica::CountVotes() {
  if (election_->kind == VoteKind::kFound) {
    if (election_->granted.size() == election_->survivors.size()) EndFounding();
    return;
  }
  if (election_->granted.size() < Majority()) return;
  if (election_->kind == VoteKind::kProbe) return StartElection(VoteKind::kVote);
  BecomeLeader();
}

void Replica::HandleVote(const std::string& text, const net::Rpc::Answer& answer) {
  const auto request = DecodeVoteRequest(text);
  if (!request.ok()) return answer(request.status());
  if (request->to != self_.incarnation)
    return answer(Status(Code::kNotFound, "[coordinator] another life of the task"));
  VoteReply reply;
  reply.granted = Grants(*request);
  reply.term = term_;
  if (request->kind == VoteKind::kFound && accepted_->stamp > request->stamp)
    reply.newer = accepted_;
  answer(Encode(reply));
}

bool Replica::Grants(const VoteRequest& request) {
  if (leader_ && request.ended_leader == leader_->incarnation)
    LeaderEnded(request.ended_leader, /*certain=*/true);
  const bool is_newer_term = request.term > term_;
  const bool knows_enough = request.stamp >= accepted_->stamp;
  if (request.kind != VoteKind::kVote) {
    if (!is_newer_term || !knows_enough || HearsLeader()) return false;
    if (request.kind == VoteKind::kProbe) return true;
  }
  if (is_newer_term) BecomeFollower(request.term, std::nullopt);
  if (request.term < term_ || !knows_enough) return false;
  if (voted_for_ != 0 && voted_for_ != request.candidate) return false;
  voted_for_ = request.candidate;
  ArmElection();
  return true;
}

void Replica::BecomeFollower(uint64_t term, const std::optional<Peer>& leader) {
  LOCKSTEP_CHECK_LE(term_, term);
  const bool changes = leads_ || leader_.has_value() != leader.has_value() ||
                       (leader && leader_->incarnation != leader->incarnation) || doubted_;
  if (term > term_) voted_for_ = 0;
  term_ = term;
  leader_ = leader;
  leads_ = false;
  in_round_ = false;
  doubted_ = false;
  election_.reset();
  followers_.clear();
  beat_timer_.Stop();
  ArmElection();
  if (changes) owner_.RoleChanged();
}

void Replica::BecomeLeader() {
  election_.reset();
  leads_ = true;
  leader_ = self_;
  doubted_ = false;
  in_round_ = false;
  settled_ = false;
  base_ = {};
  commands_.clear();
  followers_.clear();
  SyncFollowers();
  Beat();
  owner_.RoleChanged();
  if (may_propose()) Propose({});
}

void Replica::HandOver(Incarnation to) {
  const auto follower = followers_.find(to);
  if (leads_ && follower != followers_.end()) SendTo(follower->second, /*hand_over=*/true);
}

bool Replica::HasEverything(Incarnation peer) const {
  const auto follower = followers_.find(peer);
  return follower != followers_.end() && follower->second.accepted == accepted_->stamp;
}

// ---- going on without a majority ----

bool Replica::IsFounding() const {
  return election_ && election_->kind == VoteKind::kFound &&
         rpc_.executor().Now() - election_->since < timing_.election;
}

void Replica::FoundAnew(const std::vector<Peer>& survivors, const std::string& reason) {
  if (leads_ || IsFounding()) return;
  LOCKSTEP_PROBE("a survivor founds the group anew");
  term_ = NextGroups(term_);
  voted_for_ = self_.incarnation;
  leader_.reset();
  election_ = Election{VoteKind::kFound,    ++elections_, rpc_.executor().Now(),
                       {self_.incarnation}, survivors,    reason};
  AskForVotes(survivors);
  CountVotes();
}

void Replica::EndFounding() {
  auto state = std::make_shared<State>(*accepted_);
  Command enter;
  enter.kind = CommandKind::kEpoch;
  enter.membership.epoch = NextGroups(state->membership.epoch);
  enter.membership.peers = election_->survivors;
  enter.membership.reason = election_->reason;
  state->Apply(enter);
  state->voters = {self_};
  state->stamp = {term_, accepted_->stamp.version + 1};
  accepted_ = std::move(state);
  BecomeLeader();
}

// ---- following ----

void Replica::HandleAppend(const std::string& text, const net::Rpc::Answer& answer) {
  const auto request = DecodeAppendRequest(text);
  if (!request.ok()) return answer(request.status());
  if (request->to != self_.incarnation)
    return answer(Status(Code::kNotFound, "[coordinator] another life of the task"));
  const bool is_dead = request->leader.incarnation == ended_leader_;
  if (request->term >= term_ && !is_dead) Accept(*request);
  answer(Encode(AppendReply{term_, accepted_->stamp, owner_.Report()}));
  if (request->hand_over && request->term == term_ && !leads_ && IsVoter())
    StartElection(VoteKind::kVote);
}

void Replica::Accept(const AppendRequest& request) {
  if (request.term > term_ || !leader_) BecomeFollower(request.term, request.leader);
  // Of another group, that this task waited for before.
  if (leader_->incarnation != request.leader.incarnation) return;
  leader_heard_ = rpc_.executor().Now();
  hasty_until_ = {};
  if (doubted_) {
    LOCKSTEP_PROBE("a leader that was out of reach is heard again");
    doubted_ = false;
    owner_.RoleChanged();
  }
  ArmElection();
  CommitIfAccepted(request.committed);
  if (request.form == AppendForm::kCommands && request.base == accepted_->stamp) {
    auto state = std::make_shared<State>(*accepted_);
    for (const Command& command : request.commands) state->Apply(command);
    state->stamp = request.stamp;
    accepted_ = std::move(state);
  } else if (request.form == AppendForm::kState && request.state->stamp > accepted_->stamp) {
    accepted_ = request.state;
  }
  CommitIfAccepted(request.committed);
}

void Replica::CommitIfAccepted(const Stamp& stamp) {
  if (stamp != accepted_->stamp || committed_ == accepted_) return;
  committed_ = accepted_;
  owner_.Committed();
}

// ---- leading ----

void Replica::Propose(const std::vector<Command>& commands) {
  LOCKSTEP_CHECK(may_propose());
  auto state = std::make_shared<State>(*accepted_);
  for (const Command& command : commands) state->Apply(command);
  state->stamp = {term_, accepted_->stamp.version + 1};
  base_ = accepted_->stamp;
  commands_ = commands;
  accepted_ = std::move(state);
  in_round_ = true;
  SyncFollowers();
  SendAppends();
  // A single voter has decided already; what it decided is news for later work all the same.
  rpc_.executor().Post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) CheckCommit();
  });
}

void Replica::CheckCommit() {
  if (!leads_ || !in_round_) return;
  size_t accepted_by = 0;
  for (const Peer& voter : accepted_->voters)
    accepted_by += voter.incarnation == self_.incarnation || HasEverything(voter.incarnation);
  if (accepted_by < Majority()) return;
  in_round_ = false;
  settled_ = true;
  committed_ = accepted_;
  SendAppends();
  const bool still_votes = IsVoter();
  owner_.Committed();
  if (leads_ && !still_votes) BecomeFollower(term_, std::nullopt);
}

void Replica::Beat() {
  beat_timer_.StartAfter(rpc_.executor(), timing_.beat, [this] { Beat(); });
  const base::Time now = rpc_.executor().Now();
  size_t heard = 0;
  for (const Peer& voter : accepted_->voters) {
    const auto follower = followers_.find(voter.incarnation);
    heard += voter.incarnation == self_.incarnation ||
             (follower != followers_.end() && now - follower->second.heard < timing_.election);
  }
  if (heard < Majority()) {
    LOCKSTEP_PROBE("a leader without a majority gives up");
    return BecomeFollower(term_, std::nullopt);
  }
  SyncFollowers();
  SendAppends();
}

void Replica::SyncFollowers() {
  const base::Time now = rpc_.executor().Now();
  std::map<Incarnation, const Peer*> wanted;
  for (const auto* peers :
       {&accepted_->voters, &accepted_->membership.peers, &accepted_->waiting}) {
    for (const Peer& peer : *peers) wanted.emplace(peer.incarnation, &peer);
  }
  wanted.erase(self_.incarnation);
  for (const auto& [incarnation, peer] : wanted) {
    auto [place, is_new] = followers_.try_emplace(incarnation);
    if (is_new) place->second.heard = now;
    place->second.peer = *peer;
    place->second.leaving.reset();
  }
  for (auto entry = followers_.begin(); entry != followers_.end();) {
    Follower& follower = entry->second;
    const bool is_wanted = wanted.contains(entry->first);
    if (!is_wanted && !follower.leaving) follower.leaving = now;
    const bool knows = follower.told == accepted_->stamp;
    const bool is_over = !is_wanted && (knows || now - *follower.leaving > kFarewell);
    entry = is_over ? followers_.erase(entry) : std::next(entry);
  }
}

void Replica::SendAppends() {
  for (auto& [incarnation, follower] : followers_) SendTo(follower);
}

void Replica::SendTo(Follower& follower, bool hand_over) {
  if (follower.in_flight >= kMostInFlight) return;
  AppendRequest request;
  request.to = follower.peer.incarnation;
  request.term = term_;
  request.leader = self_;
  request.stamp = accepted_->stamp;
  request.committed = committed_->stamp;
  request.hand_over = hand_over;
  if (follower.accepted != accepted_->stamp) {
    if (follower.accepted == base_ && base_ != Stamp()) {
      request.form = AppendForm::kCommands;
      request.base = base_;
      request.commands = commands_;
    } else {
      request.form = AppendForm::kState;
      request.state = accepted_;
    }
  }
  ++follower.in_flight;
  const base::Time sent = rpc_.executor().Now();
  Call(follower.peer, kAppendMethod, Encode(request),
       [this, to = request.to, sent, told = request.committed,
        term = term_](const Result<std::string>& result) {
         if (term == term_) TakeAppendReply(to, sent, told, result);
       });
}

void Replica::TakeAppendReply(Incarnation from, base::Time sent, const Stamp& told,
                              const Result<std::string>& result) {
  const auto found = followers_.find(from);
  if (!leads_ || found == followers_.end()) return;
  Follower& follower = found->second;
  --follower.in_flight;
  const auto reply =
      result.ok() ? DecodeAppendReply(*result) : Result<AppendReply>(result.status());
  if (!reply.ok()) {
    const Peer peer = follower.peer;
    return owner_.Failed(peer, reply.status());
  }
  if (reply->term > term_) return BecomeFollower(reply->term, std::nullopt);
  follower.heard = std::max(follower.heard, sent);
  follower.accepted = std::max(follower.accepted, reply->accepted);
  if (follower.accepted >= told) follower.told = std::max(follower.told, told);
  const bool lags = follower.in_flight == 0 &&
                    (follower.accepted != accepted_->stamp || follower.told < committed_->stamp);
  if (lags) SendTo(follower);
  const Peer peer = follower.peer;
  CheckCommit();
  owner_.Answered(peer, reply->report);
}

}  // namespace lockstep::cluster
