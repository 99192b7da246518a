#pragma once

#include <map>
#include <vector>

#include "check/order.h"

namespace lockstep::check {

/// Which of some nodes surely come after which, within an iteration: by the graph, and by edges
/// that are added to it.
class AddedOrder {
 public:
  AddedOrder(const FlatGraph& flat, const Order& order, const std::vector<int>& nodes);

  /// Both are among the nodes, as in `Add`.
  bool Before(int first, int second) const;
  void Add(int from, int to);

 private:
  std::map<int, size_t> numbers_;
  std::vector<std::vector<char>> before_;  // by two numbers
};

}  // namespace lockstep::check
