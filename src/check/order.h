#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/flat_graph.h"
#include "check/values.h"

namespace lockstep::check {

/// Which nodes come after which, by data and control edges.
class Order {
 public:
  Order(const FlatGraph& flat, const Conditions& conditions)
      : flat_(flat), conditions_(conditions) {}

  /// Bit b of the result at [later * nodes + n]: node n, `later` iterations of `counted` later, is
  /// sources[b] or surely comes after it. `blocked` are loops whose iteration must stay the same;
  /// -1 for `counted`: no loop is counted. At most 64 sources.
  std::vector<uint64_t> After(std::span<const int> sources, const std::vector<char>& blocked,
                              int counted, int most) const;

 private:
  // `loop`: the sources are in an earlier iteration of it.
  uint64_t AtMerge(int node, std::span<const int> sources, const uint64_t* reached, int loop) const;

  const FlatGraph& flat_;
  const Conditions& conditions_;
};

}  // namespace lockstep::check
