#pragma once

#include <map>
#include <vector>

#include "check/accesses.h"
#include "check/flat_graph.h"
#include "check/locks.h"
#include "check/order.h"
#include "check/values.h"
#include "lockstep/base/status.h"

namespace lockstep::check {

/// Two iterations of a loop that nothing orders.
struct UnorderedIterations {
  int loop = -1;
  bool a_first = false, b_first = false;  // whose iteration may be the earlier one
};

/// Two accesses of one object, `a` before `b` in the list, and what orders them.
struct Pair {
  int a = -1, b = -1;
  bool before = false, after = false;  // a surely comes before b, or after it, in one iteration
  bool apart = false;                  // at most one of the two runs
  bool locked = false;                 // a mutex keeps all that goes with them apart
  std::vector<UnorderedIterations> loops;
  bool sampled = false;  // of a variable of whose pairs only some are kept
  int64_t more = 0;      // how many pairs like this one, the last that is kept, are not

  bool unordered() const { return a != b && !before && !after && !apart && !locked; }
};

/// Forgets the accesses of each variable with many of them that are all ordered, and would make
/// pairs by the million. For one replica only: those of several are not ordered by edges.
void DropOrdered(const FlatGraph& flat, const Order& order, std::vector<Access>* accesses);

/// All pairs of which one writes, with what orders them. Where there are more than two million, of
/// each variable with very many only some of each kind that are in conflict. ResourceExhausted when
/// there is too much to follow.
Result<std::vector<Pair>> PairsOf(const FlatGraph& flat, const Values& values,
                                  const Conditions& conditions, const Order& order,
                                  const std::vector<Access>& accesses, const Locks& locks,
                                  bool replicas);

}  // namespace lockstep::check
