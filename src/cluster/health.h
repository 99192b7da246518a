#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cluster/membership.h"

namespace lockstep::cluster {

/// How far a task is: what it finished last, and what it does.
struct Progress {
  uint64_t step = 0;
  uint64_t op = 0;       // rises with every finished op, collective or piece of input
  std::string activity;  // "all-reduce of dense/kernel", "input"

  bool operator==(const Progress&) const = default;
};

enum class Condition : uint8_t {
  kWell = 0,
  kSlow = 1,    // answers and moves on, behind the others
  kStuck = 2,   // answers, but has finished nothing for long while others have
  kSilent = 3,  // does not answer: stopped, cut off or dead
};
const char* ConditionName(Condition condition);

/// What the leading coordinator knows of a task.
struct TaskHealth {
  Peer peer;
  Condition condition = Condition::kWell;
  Progress progress;
  base::Duration silent{};  // since it answered last
  base::Duration still{};   // since it finished something

  /// "worker 2 at ...: stuck for 8.0 s at step 41, op 4711 (input)"
  std::string ToString() const;
};

/// Liveness and progress, the two signals, of all tasks as the leader hears of them.
class HealthTable {
 public:
  /// Forgets everything; all of these are taken to be well now.
  void Begin(const std::vector<Peer>& peers, base::Time now);
  void Answered(const Peer& peer, const Progress& progress, base::Time now);
  void Refused(const Peer& peer, base::Time now);
  /// To be said by `self` whenever it looks. If it has not for a quarter of `patience`, as it was
  /// stopped or had no processor, that time is nobody's silence; but not twice without having
  /// looked regularly for `patience` in between, as one that is always late could judge nobody.
  void Looks(Incarnation self, base::Time now, base::Duration patience);

  base::Duration Silence(Incarnation who, base::Time now) const;
  /// For how long it may be silent: ten times the longest gap of late between two answers of it, or
  /// of `self`, which shows how late this task itself looks; `least` to `most`, and `most` for who
  /// has answered seldom yet.
  base::Duration Patience(Incarnation who, Incarnation self, base::Duration least,
                          base::Duration most) const;
  /// How long it has refused connections, if it does.
  std::optional<base::Duration> Refusal(Incarnation who, base::Time now) const;
  /// Begins to watch those who are new, forgets those who are no peers any more.
  void Watch(const std::vector<Peer>& peers, base::Time now);
  /// `stuck`: how long without progress, while another made some, counts as stuck; a fifth of it,
  /// as slow.
  std::vector<TaskHealth> Read(const std::vector<Peer>& peers, base::Time now,
                               base::Duration stuck) const;

 private:
  struct Pulse {
    base::Time heard{};
    base::Time moved{};
    std::optional<base::Time> refused;
    Progress progress;
    int64_t answers = 0;
    base::Duration longest_gap{};  // of late: half of it is forgotten after 140 answers
  };
  std::map<Incarnation, Pulse> pulses_;
  std::optional<base::Time> absent_;  // until when it has not looked
};

void Write(const Progress& progress, FieldWriter* writer);
Progress ReadProgress(FieldReader* reader);
void Write(const TaskHealth& health, FieldWriter* writer);
TaskHealth ReadTaskHealth(FieldReader* reader);

}  // namespace lockstep::cluster
