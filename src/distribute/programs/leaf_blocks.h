#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "collectives/plan.h"
#include "distribute/workers/roles.h"

namespace lockstep::distribute {

class Communicator;

/// Blocks of `leaves` for those that compute, none for the others: as even as whole groups of
/// `grain` leaves allow.
collectives::Division DivideLeaves(collectives::Leaf leaves, const Roles& roles,
                                   collectives::Leaf grain = 1);

/// How much the busiest rank sends or gets while a step's sums are exchanged by slices and their
/// results gathered, in units of what is added up: docs/collectives.md, `slices`.
double TrafficOf(const collectives::Division& division);

/// What a run takes on average, without what it waits for others' work.
struct RunCosts {
  double leaf = 0;  // of one leaf, in any unit
  double wire = 0;  // exchanges in the present division, in the same unit
};

/// Of `present` and the divisions by grains, in which no worker is without leaves, the one whose
/// step is done first: the largest block's leaves, and the wire's time in proportion to the
/// traffic. `present` where no other gains 5 %.
collectives::Division ChooseBlocks(const collectives::Division& present, const Roles& roles,
                                   const RunCosts& costs);

/// How a program's ranks find out whether even blocks are the best ones: where blocks of other
/// sizes are fewer nodes of the tree, and some of the ranks are on other hosts, they measure some
/// runs, tell each other once, and choose. Their bits are the same with any. For one epoch; all
/// ranks call it alike.
class BlockTrial {
 public:
  /// Runs that are not counted, and those that are.
  static constexpr int kFirst = 2, kRuns = 8;

  /// `roles`: of the ranks, as the division has them.
  BlockTrial(const collectives::Division& present, const Roles& roles);
  /// After each run.
  void AfterRun(base::Duration worked, base::Duration waited);
  /// Before each run: once, when enough is measured, tells the others, and gives another division
  /// if there is a better one. Errors: of collectives, thrown.
  std::optional<collectives::Division> Decide(Communicator& ranks);

 private:
  const collectives::Division present_;
  const Roles roles_;
  const bool is_open_;  // whether there is anything to choose
  bool is_over_ = false;
  int runs_ = 0;
  base::Duration worked_{}, waited_{};
};

}  // namespace lockstep::distribute
