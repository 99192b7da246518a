#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "check/counters.h"
#include "check/flat_graph.h"
#include "check/op_accesses.h"
#include "check/touched_places.h"
#include "check/values.h"

namespace lockstep::check {

/// One op's access of one object.
struct Access {
  int node = -1;
  int object = -1;
  OpAccess what;
  int through = -1;        // the read (a node) whose value is still the variable's buffer
  bool may = false;        // the handle may be that of another object, too
  Lock lock = Lock::kOwn;  // while it changes the variable
  bool integer = false;
  Edge value;                  // what is assigned; `from` -1: not one value
  Places places;               // those touched, where they are constants
  std::optional<Counter> row;  // the only one that is touched, where a loop counts it
  // Under which it takes place, where those of the node are fewer: a Merge takes one of its inputs.
  std::vector<Literal> conditions;
  int behind = -1;  // where that input is made, which surely comes before
  // Of who takes an element: the dataset that may have made it ahead, and the node, if any, before
  // which it does not begin.
  int ahead = -1, since = -1;
  bool writes() const { return what.kind != AccessKind::kRead; }
  bool reads() const { return what.kind != AccessKind::kWrite; }
};

/// Whether two changes at the same time may lose one of them.
bool MayLose(const Access& a, const Access& b);

/// All accesses of a graph, in the order of its nodes. Reads that ask first whether a variable has
/// a value are made for initializers; they count only where the graph does not initialize and an op
/// takes what they give.
/// `born`: the variables that have had their first values before.
std::vector<Access> AccessesOf(const FlatGraph& flat, const Values& values,
                               const Conditions& conditions, bool initializes,
                               const std::set<std::string>& born);

/// What two accesses of one object are to each other when nothing orders them.
enum class Conflict : uint8_t { kNone, kRace, kRounding, kUnlocked };
/// `loop` >= 0: in different iterations of it, `a` in the earlier one; `replicas`: in different
/// replicas.
Conflict ConflictOf(const Access& a, const Access& b, const FlatGraph& flat, int loop,
                    bool replicas);

}  // namespace lockstep::check
