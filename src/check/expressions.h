#pragma once

#include <vector>

#include "check/flat_graph.h"

namespace lockstep::check {

/// The place where a value was made, behind everything that hands it on. With `negated`, also
/// behind negations, which turn it over.
Edge OriginOf(const FlatGraph& flat, Edge edge, bool* negated = nullptr);

struct EqualNodes {
  /// By node: the first one that surely gives the same values: the same op, which has no state,
  /// with the same attributes, of the same values.
  std::vector<int> first;
  /// By node: whether its value is the buffer of a variable of version 1 that somebody writes. Such
  /// a value may change, and is nobody's equal.
  std::vector<char> changes;
};
EqualNodes FindEqualNodes(const FlatGraph& flat);

}  // namespace lockstep::check
