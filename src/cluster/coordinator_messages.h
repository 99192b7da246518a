#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/coordinator_state.h"

namespace lockstep::cluster {

/// What replicas send each other. docs/membership.md lists the fields.

enum class VoteKind : uint8_t {
  kProbe = 0,  // would you vote for me? changes nothing
  kVote = 1,
  kFound = 2,  // the majority has ended for good; all who are left must agree
};

struct VoteRequest {
  Incarnation to = 0;
  VoteKind kind = VoteKind::kProbe;
  uint64_t term = 0;
  Incarnation candidate = 0;
  Stamp stamp;                   // of its newest state
  Incarnation ended_leader = 0;  // a leader that is dead for certain
};

struct VoteReply {
  bool granted = false;
  uint64_t term = 0;
  std::shared_ptr<const State> newer;  // kFound: a newer state than the candidate's
};

enum class AppendForm : uint8_t { kNothing = 0, kCommands = 1, kState = 2 };

struct AppendRequest {
  Incarnation to = 0;
  uint64_t term = 0;
  Peer leader;
  Stamp stamp;      // of the leader's newest state
  Stamp committed;  // of the newest that is committed
  bool hand_over = false;
  AppendForm form = AppendForm::kNothing;
  Stamp base;                          // kCommands: the state that they lead on from
  std::vector<Command> commands;       // kCommands
  std::shared_ptr<const State> state;  // kState
};

struct AppendReply {
  uint64_t term = 0;
  Stamp accepted;
  std::string report;
};

std::string Encode(const VoteRequest& request);
std::string Encode(const VoteReply& reply);
std::string Encode(const AppendRequest& request);
std::string Encode(const AppendReply& reply);
/// InvalidArgument for what is no such message.
Result<VoteRequest> DecodeVoteRequest(const std::string& text);
Result<VoteReply> DecodeVoteReply(const std::string& text);
Result<AppendRequest> DecodeAppendRequest(const std::string& text);
Result<AppendReply> DecodeAppendReply(const std::string& text);

}  // namespace lockstep::cluster
