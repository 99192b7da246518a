#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/barrier.h"
#include "cluster/key_value_store.h"
#include "cluster/membership.h"

namespace lockstep::cluster {

/// What the coordinators agree on, and the commands that change it. Everything follows from the
/// commands alone: no clocks, no addresses of memory, no order of arrival.

enum class CommandKind : uint8_t {
  // What tasks ask for, each exactly once: `by` and `sequence` name the asking.
  kSet = 1,
  kCompareAndSet = 2,
  kDelete = 3,
  kArrive = 4,  // at barrier `key`
  kReady = 5,   // for joiners and leavers, before step `step`
  kLeave = 6,
  // What the leading coordinator decides.
  kJoin = 16,    // peers[0] waits to be let in
  kForget = 17,  // `by` does not wait any more
  kEpoch = 18,
  kVoters = 19,
};

struct Command {
  CommandKind kind = CommandKind::kSet;
  Incarnation by = 0;
  uint64_t sequence = 0;  // from 1 on, rising; 0: the coordinator's own
  uint64_t epoch = 0;     // the one that it is meant for, where it is meant for one
  Scope scope = Scope::kJob;
  std::string key;
  std::string value;
  std::optional<std::string> expected;
  uint64_t step = 0;
  Membership membership;
  std::vector<Peer> peers;
};

/// What became of a task's command: a code and a text, which is the answer if the code is kOk.
struct Outcome {
  Code code = Code::kOk;
  std::string text;
  bool operator==(const Outcome&) const = default;
};

/// Orders the states that coordinators propose: a leader has a term of its own.
struct Stamp {
  uint64_t term = 0;
  uint64_t version = 0;
  auto operator<=>(const Stamp&) const = default;
};

struct State {
  Stamp stamp;
  /// Names the founding that it goes back to: tasks of two foundings never mix.
  Incarnation group = 0;
  std::vector<Peer> voters;  // the coordinators; a majority of them decides
  Membership membership;
  std::vector<Peer> waiting;              // joiners
  std::set<Incarnation> leaving;          // members that want to go
  std::map<Incarnation, uint64_t> ready;  // member -> the step before which others may come and go
  struct Session {
    uint64_t sequence = 0;
    Outcome outcome;
    bool operator==(const Session&) const = default;
  };
  std::map<Incarnation, Session> sessions;
  KeyValueStore job_values;
  KeyValueStore epoch_values;
  Barriers barriers;

  void Apply(const Command& command);
  /// A member or one that waits.
  bool Knows(Incarnation incarnation) const;
  const KeyValueStore& values(Scope scope) const {
    return scope == Scope::kJob ? job_values : epoch_values;
  }
  bool operator==(const State&) const = default;

 private:
  Outcome Run(const Command& command);
  void Join(const Peer& peer);
  void Enter(const Membership& next);
};

void Write(const Command& command, FieldWriter* writer);
Command ReadCommand(FieldReader* reader);
void Write(const std::vector<Command>& commands, FieldWriter* writer);
std::vector<Command> ReadCommands(FieldReader* reader);
void Write(const State& state, FieldWriter* writer);
State ReadState(FieldReader* reader);
void Write(const Stamp& stamp, FieldWriter* writer);
Stamp ReadStamp(FieldReader* reader);

}  // namespace lockstep::cluster
