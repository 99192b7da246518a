#include "cluster/membership_plan.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/probe.h"

namespace lockstep::cluster {
namespace {

constexpr size_t kVoters = 3;

// Joiners come in this order whatever the order of their arrival.
bool ComesBefore(const Peer& a, const Peer& b) {
  return std::tie(a.job, a.index, a.incarnation) < std::tie(b.job, b.index, b.incarnation);
}

std::vector<Peer> LiveJoiners(const Situation& situation) {
  std::vector<Peer> joiners;
  for (const Peer& peer : situation.state->waiting)
    if (!situation.dead.contains(peer.incarnation)) joiners.push_back(peer);
  std::sort(joiners.begin(), joiners.end(), ComesBefore);
  return joiners;
}

void Add(const std::vector<Peer>& joiners, size_t most, Membership* next, std::string* reason) {
  size_t added = 0;
  for (const Peer& joiner : joiners) {
    if (next->peers.size() >= most) break;
    next->peers.push_back(joiner);
    next->peers.back().joined = next->epoch;
    *reason += (reason->empty() ? "" : "; ") + joiner.ToString() + " joined";
    ++added;
  }
  if (added > 4) *reason = std::to_string(added) + " tasks joined";
}

Command Enter(Membership next) {
  Command command;
  command.kind = CommandKind::kEpoch;
  command.membership = std::move(next);
  return command;
}

void PlanFirstEpoch(const Situation& situation, std::vector<Command>* commands) {
  const std::vector<Peer> joiners = LiveJoiners(situation);
  const int here = static_cast<int>(joiners.size());
  const bool enough =
      situation.start_waited && here >= situation.min_members && 2 * here > situation.expected;
  if (here < situation.expected && !enough) return;
  Membership first;
  first.epoch = 1;
  std::string joined;
  Add(joiners, static_cast<size_t>(situation.max_members), &first, &joined);
  first.reason = "the job begins with " + std::to_string(first.peers.size()) + " of " +
                 std::to_string(situation.expected) + " tasks";
  commands->push_back(Enter(std::move(first)));
}

bool AllReady(const State& state, const std::vector<Peer>& members) {
  return std::all_of(members.begin(), members.end(),
                     [&](const Peer& peer) { return state.ready.contains(peer.incarnation); });
}

void PlanNextEpoch(const Situation& situation, std::vector<Command>* commands) {
  const State& state = *situation.state;
  Membership next;
  next.epoch = state.membership.epoch + 1;
  std::vector<Peer> leavers;
  std::string reason = situation.broken;
  for (const Peer& peer : state.membership.peers) {
    const auto dead = situation.dead.find(peer.incarnation);
    if (dead != situation.dead.end()) {
      reason += (reason.empty() ? "" : "; ") + peer.ToString() + " " + dead->second;
    } else if (state.leaving.contains(peer.incarnation)) {
      leavers.push_back(peer);
    } else {
      next.peers.push_back(peer);
    }
  }
  const bool all_ready = AllReady(state, next.peers);
  const bool must_change = !reason.empty();
  const bool lets_go = !leavers.empty() && (must_change || all_ready || situation.leavers_waited);
  for (const Peer& leaver : leavers) {
    // Who may not go yet keeps its rank; only a change without leavers gets here with some left.
    if (lets_go) reason += (reason.empty() ? "" : "; ") + leaver.ToString() + " left";
  }
  const auto most = static_cast<size_t>(situation.max_members);
  if (all_ready) Add(LiveJoiners(situation), most, &next, &reason);
  // Nobody came after all; but all wait for an epoch.
  if (reason.empty() && all_ready && leavers.empty() && state.membership.halt.empty())
    reason = "all were ready, and nobody came or left";
  if (reason.empty()) return;
  if (!lets_go && !leavers.empty()) return;
  for (const auto& [who, step] : state.ready)
    if (all_ready) next.step = std::max(next.step, step);
  if (static_cast<int>(next.peers.size()) < situation.min_members) {
    LOCKSTEP_PROBE("too few members are left to go on");
    next.halt = "[membership] at least " + std::to_string(situation.min_members) +
                " tasks must take part; got " + std::to_string(next.peers.size()) + " (" + reason +
                "); start more tasks, or lower --min-workers";
  }
  next.reason = reason;
  commands->push_back(Enter(std::move(next)));
}

bool Contains(const std::vector<Peer>& peers, const Peer& peer) {
  return FindPeer(peers, peer.incarnation) != nullptr;
}

void PlanVoters(const Situation& situation, const std::vector<Peer>& members,
                std::vector<Command>* commands) {
  const std::vector<Peer>& voters = situation.state->voters;
  const std::vector<Peer> wanted = WantedVoters(members, voters, situation.leader);
  if (wanted.empty()) return;
  Command command;
  command.kind = CommandKind::kVoters;
  command.peers = voters;
  const bool is_alone = voters.size() == 1 && voters[0].incarnation == situation.leader;
  // The dead go first; the leader itself never: it hands over instead.
  const auto drop = [&](bool only_dead) {
    for (auto voter = command.peers.begin(); voter != command.peers.end(); ++voter) {
      const bool is_dead = situation.dead.contains(voter->incarnation);
      if (voter->incarnation == situation.leader || Contains(wanted, *voter)) continue;
      if (only_dead && !is_dead) continue;
      command.peers.erase(voter);
      return true;
    }
    return false;
  };
  bool changed = drop(/*only_dead=*/true);
  for (const Peer& peer : wanted) {
    if (changed && !is_alone) break;
    if (Contains(command.peers, peer)) continue;
    command.peers.push_back(peer);
    changed = true;
  }
  changed = changed || drop(/*only_dead=*/false);
  if (changed) commands->push_back(std::move(command));
}

}  // namespace

std::vector<Peer> WantedVoters(const std::vector<Peer>& members, const std::vector<Peer>& voters,
                               Incarnation leader) {
  const size_t count = members.size() >= kVoters ? kVoters : 1;
  std::vector<Peer> wanted;
  std::set<std::string> hosts;
  const auto take = [&](const Peer& peer) {
    if (wanted.size() >= count || Contains(wanted, peer)) return;
    wanted.push_back(peer);
    hosts.insert(peer.host);
  };
  if (const Peer* peer = FindPeer(members, leader)) take(*peer);
  for (const Peer& voter : voters)
    if (Contains(members, voter)) take(voter);
  for (const Peer& peer : members)
    if (!hosts.contains(peer.host)) take(peer);
  for (const Peer& peer : members) take(peer);
  return wanted;
}

std::vector<Command> PlanMembership(const Situation& situation, bool may_change_voters) {
  const State& state = *situation.state;
  std::vector<Command> commands;
  for (const Peer& peer : state.waiting) {
    if (!situation.dead.contains(peer.incarnation)) continue;
    Command forget;
    forget.kind = CommandKind::kForget;
    forget.by = peer.incarnation;
    commands.push_back(std::move(forget));
  }
  if (state.membership.epoch == 0) {
    PlanFirstEpoch(situation, &commands);
  } else {
    PlanNextEpoch(situation, &commands);
  }
  const bool enters = !commands.empty() && commands.back().kind == CommandKind::kEpoch;
  std::vector<Peer> members = enters ? commands.back().membership.peers : state.membership.peers;
  std::erase_if(members,
                [&](const Peer& peer) { return situation.dead.contains(peer.incarnation); });
  if (may_change_voters) PlanVoters(situation, members, &commands);
  return commands;
}

}  // namespace lockstep::cluster
