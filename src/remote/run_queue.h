#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "remote/messages.h"
#include "runtime/variable_hold.h"

namespace lockstep::remote {

/// Which runs have a task's variables, and which wait for them. A run gets all its variables of the
/// task at once, older runs (by `RunOrder`) before younger ones. A run that takes part on several
/// tasks never waits for an older one that does so, too: it is told to try again ("wait-die"). As
/// such runs wait for younger ones alone, and the others hold nothing while they wait, no circle
/// can form; and as a run keeps its age, it has its way in the end. Threads: on one executor.
class RunQueue {
 public:
  enum class Turn { kNow, kLater, kAgain };

  /// What becomes of a run that waits.
  struct Calls {
    std::function<void()> begin;  // it has its variables
    std::function<void()> again;  // an older run has come before it: it has left
  };
  /// For kNow the run has its variables; for kLater one of `calls` is called; kAgain: try again.
  Turn Enter(RunOrder order, uint64_t number, bool alone,
             const std::vector<runtime::VariableUse>& uses, Calls calls);
  /// The attempt gives back what it has, or waits no longer. Lets others begin.
  void Leave(RunOrder order, uint64_t number);

 private:
  using Key = std::pair<RunOrder, uint64_t>;
  struct Entry {
    RunOrder order;
    uint64_t number;
    bool alone;
    std::vector<runtime::VariableUse> uses;
    Calls calls;
  };
  static bool Conflict(const Entry& a, const Entry& b);
  void BeginNext();
  /// Takes those out of `waiting_` that must not wait for `begun`, which has its variables now.
  void SendAway(const Entry& begun, std::vector<std::function<void()>>* calls);

  std::vector<std::unique_ptr<Entry>> running_;
  std::map<Key, std::unique_ptr<Entry>> waiting_;
};

}  // namespace lockstep::remote
