#include "cluster/membership_plan.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep::cluster {
namespace {

Peer Worker(int index, const std::string& host = "h") {
  Peer peer;
  peer.incarnation = static_cast<Incarnation>(100 + index);
  peer.job = "worker";
  peer.index = index;
  peer.control = "a:" + std::to_string(index);
  peer.host = host;
  return peer;
}

std::string Indices(const std::vector<Peer>& peers) {
  std::string text;
  for (const Peer& peer : peers) text += std::to_string(peer.index);
  return text;
}

// "epoch 4: 013; voters 01", as the commands say.
std::string Plan(const Situation& situation, bool may_change_voters = true) {
  std::string text;
  for (const Command& command : PlanMembership(situation, may_change_voters)) {
    if (!text.empty()) text += "; ";
    if (command.kind == CommandKind::kEpoch) {
      text += "epoch " + std::to_string(command.membership.epoch) + ": " +
              Indices(command.membership.peers) + (command.membership.halt.empty() ? "" : " halts");
    } else if (command.kind == CommandKind::kVoters) {
      text += "voters " + Indices(command.peers);
    } else {
      text += "forget " + std::to_string(command.by - 100);
    }
  }
  return text;
}

State Members(const std::vector<int>& members, const std::vector<int>& voters) {
  State state;
  state.membership.epoch = 3;
  for (const int index : members) state.membership.peers.push_back(Worker(index));
  for (const int index : voters) state.voters.push_back(Worker(index));
  return state;
}

TEST(PlanMembership, BeginsWithAllOrAfterTheWaitWithMost) {
  State state;
  state.voters = {Worker(0)};
  Situation situation;
  situation.state = &state;
  situation.leader = 100;
  situation.expected = 4;
  for (const int index : {2, 0, 3}) state.waiting.push_back(Worker(index));
  EXPECT_EQ(Plan(situation), "");
  situation.start_waited = true;
  EXPECT_EQ(Plan(situation), "epoch 1: 023; voters 023");
  EXPECT_EQ(Plan(situation, false), "epoch 1: 023");
  situation.min_members = 4;
  EXPECT_EQ(Plan(situation), "");
  state.waiting.push_back(Worker(1));
  situation.start_waited = false;
  EXPECT_EQ(Plan(situation), "epoch 1: 0123; voters 012");
  situation.max_members = 2;
  EXPECT_EQ(Plan(situation), "epoch 1: 01");
  // Half is not enough: the other half might begin, too.
  state.waiting.resize(2);
  situation.start_waited = true;
  situation.min_members = 1;
  EXPECT_EQ(Plan(situation), "");
  situation.dead[102] = "ended";
  EXPECT_EQ(Plan(situation), "forget 2");
}

TEST(PlanMembership, LeavesTheDeadOutAndReplacesVotersOneByOne) {
  State state = Members({0, 1, 2, 3}, {0, 1, 2});
  Situation situation;
  situation.state = &state;
  situation.leader = 100;
  EXPECT_EQ(Plan(situation), "");
  situation.dead[101] = "ended";
  EXPECT_EQ(Plan(situation), "epoch 4: 023; voters 02");
  EXPECT_EQ(PlanMembership(situation, true)[0].membership.reason, "worker 1 at a:1 ended");
  state = Members({0, 2, 3}, {0, 2});
  EXPECT_EQ(Plan(situation), "voters 023");
  // With two left one decides.
  state = Members({0, 1, 2}, {0, 1, 2});
  EXPECT_EQ(Plan(situation), "epoch 4: 02; voters 02");
  state = Members({0, 2}, {0, 2});
  EXPECT_EQ(Plan(situation), "voters 0");
  situation.dead.clear();
  situation.broken = "a sum failed";
  EXPECT_EQ(Plan(situation, false), "epoch 4: 02");
}

TEST(PlanMembership, LetsOthersComeAndGoWhenAllAreReady) {
  State state = Members({0, 1}, {0});
  Situation situation;
  situation.state = &state;
  situation.leader = 100;
  state.waiting = {Worker(3), Worker(2)};
  EXPECT_EQ(Plan(situation), "");
  state.ready[100] = 7;
  EXPECT_EQ(Plan(situation), "");
  state.ready[101] = 7;
  EXPECT_EQ(Plan(situation), "epoch 4: 0123; voters 012");
  EXPECT_EQ(PlanMembership(situation, true)[0].membership.step, 7u);
  EXPECT_EQ(PlanMembership(situation, true)[0].membership.peers[2].joined, 4u);
  situation.max_members = 3;
  EXPECT_EQ(Plan(situation), "epoch 4: 012; voters 012");
  state.waiting.clear();
  state.ready.erase(100);
  state.leaving = {101};
  EXPECT_EQ(Plan(situation), "");
  situation.leavers_waited = true;
  EXPECT_EQ(Plan(situation), "epoch 4: 0");
  // A death lets them go at once; joiners wait for the survivors' word.
  situation.leavers_waited = false;
  state = Members({0, 1, 2}, {0, 1, 2});
  state.leaving = {101};
  state.waiting = {Worker(4)};
  situation.dead[102] = "ended";
  EXPECT_EQ(Plan(situation), "epoch 4: 0; voters 01");
}

TEST(PlanMembership, HaltsBelowTheLeastAndGoesOnWithWhoWaits) {
  State state = Members({0, 1}, {0});
  Situation situation;
  situation.state = &state;
  situation.leader = 100;
  situation.min_members = 2;
  situation.dead[101] = "ended";
  EXPECT_EQ(Plan(situation), "epoch 4: 0 halts");
  EXPECT_EQ(PlanMembership(situation, true)[0].membership.halt,
            "[membership] at least 2 tasks must take part; got 1 (worker 1 at a:1 ended); start "
            "more tasks, or lower --min-workers");
  // Who is left first finishes what it is at.
  state.waiting = {Worker(2)};
  EXPECT_EQ(Plan(situation), "epoch 4: 0 halts");
  state = Members({0}, {0});
  state.membership.halt = "halted";
  state.ready[100] = 7;
  EXPECT_EQ(Plan(situation), "");
  state.waiting = {Worker(2)};
  EXPECT_EQ(Plan(situation), "epoch 4: 02");
  state.ready.clear();
  EXPECT_EQ(Plan(situation), "");
}

TEST(PlanMembership, AnEpochFollowsWhenAllAreReadyThoughNobodyCame) {
  State state = Members({0, 1}, {0});
  Situation situation;
  situation.state = &state;
  situation.leader = 100;
  state.ready = {{100, 7}, {101, 7}};
  EXPECT_EQ(Plan(situation), "epoch 4: 01");
}

TEST(PlanMembership, ALeaderThatLeftIsNotDropped) {
  State state = Members({1}, {0});
  Situation situation;
  situation.state = &state;
  situation.leader = 100;
  EXPECT_EQ(Plan(situation), "voters 01");
  state.voters.push_back(Worker(1));
  EXPECT_EQ(Plan(situation), "");
  situation.leader = 101;
  EXPECT_EQ(Plan(situation), "voters 1");
}

TEST(WantedVoters, PrefersHostsOfTheirOwn) {
  const std::vector<Peer> members{Worker(0, "a"), Worker(1, "a"), Worker(2, "b"), Worker(3, "c")};
  EXPECT_EQ(Indices(WantedVoters(members, {members[0]}, 100)), "023");
  EXPECT_EQ(Indices(WantedVoters(members, {members[0], members[1]}, 101)), "102");
  EXPECT_EQ(Indices(WantedVoters({members[2], members[3]}, {}, 103)), "3");
  EXPECT_EQ(Indices(WantedVoters({}, {members[0]}, 100)), "");
}

}  // namespace
}  // namespace lockstep::cluster
