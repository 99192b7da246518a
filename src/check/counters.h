#pragma once

#include <cstdint>
#include <optional>

#include "check/flat_graph.h"
#include "check/values.h"

namespace lockstep::check {

/// A number that is another one in each iteration of a loop: the loop's variable, which grows by
/// `step`, and `offset`.
struct Counter {
  int variable = -1;  // the node that begins the loop's iteration
  int loop = -1;
  int64_t offset = 0;
  int64_t step = 0;
};

/// What an edge brings, if it is one such number.
std::optional<Counter> CounterAt(const FlatGraph& flat, const Conditions& conditions, Edge edge);

/// Whether two are different in one iteration of all loops (`loop` -1), or in two iterations of
/// one, `a` in the earlier.
bool Differ(const Counter& a, const Counter& b, const FlatGraph& flat, int loop);

}  // namespace lockstep::check
