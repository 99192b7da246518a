#pragma once

#include <cstddef>
#include <vector>

#include "collectives/element_sum.h"
#include "collectives/tree.h"
#include "lockstep/tensor/dtype.h"

namespace lockstep::collectives {

/// The sum of a node's parts in one pass over the elements: sums on the way to the root stay in
/// the cache. The same bits as `AddPartials` node by node.
class TreeSum {
 public:
  /// `parts`: nodes below `whole`, or itself, in ascending order, that make it up.
  TreeSum(const std::vector<Node>& parts, Node whole);

  /// Adds up `count` elements of each part into `sum`, which may be one of them; a null part is
  /// absent. False, with nothing written, if all are. `of_other_core` is of two parts, else unused.
  bool Add(DType dtype, const std::byte* const* parts, size_t count, std::byte* sum,
           OfOtherCore of_other_core = {}) const;

 private:
  void Plan(const std::vector<Node>& parts, Node node, size_t* next, int depth);
  const std::byte* AddTile(DType dtype, const std::byte* const* parts, size_t offset, size_t count,
                           std::byte* temporaries, std::byte* sum) const;

  // In postfix order: the number of a part, or kPair for left + right of the two sums before.
  static constexpr int kPair = -1;
  std::vector<int> steps_;
  size_t num_parts_;
  int most_depth_ = 0;
};

}  // namespace lockstep::collectives
