#pragma once

#include <source_location>
#include <vector>

#include "collectives/all_reduce.h"

namespace lockstep::collectives {

struct ReduceScatterRequest {
  /// As for an all-reduce of the whole; `output` takes this rank's share. kExchange is refused.
  SumRequest sum;
  /// P + 1 rising element numbers from 0 to count: rank r gets [shares[r], shares[r + 1]).
  std::vector<size_t> shares;
};

/// Sums the leaves of all ranks; every rank gets its share of the sum.
/// Shapes: contributions [count], output [own share], which may lie at its place in a contribution;
/// dtypes, order, rounding, lifetime as AllReduceSum. Cost: kSlices one hop, c(r) count (P-1)/P
/// elements sent by rank r for equal shares; kRelay up to log2(n) hops, never more elements in
/// total. Errors: as AllReduceSum; InvalidArgument for shares that do not rise from 0 to count.
void ReduceScatterSum(Group& group, ReduceScatterRequest request, OnReduced done,
                      std::source_location where = std::source_location::current());

}  // namespace lockstep::collectives
