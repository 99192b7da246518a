#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "collectives/element_sum.h"
#include "collectives/tree.h"

namespace lockstep::collectives {

/// The sum of a node's leaves, or the fact that none of them contributes.
class Partial {
 public:
  /// No leaf of the node contributes: skipped by every sum, never added as zero.
  static Partial Absent() { return Partial(); }
  /// Elements that someone else keeps, at least as long as `keeper` is held or, without one, the
  /// sum lasts.
  static Partial Borrow(const std::byte* data, std::shared_ptr<const void> keeper = nullptr);

  bool present() const { return data_ != nullptr; }
  /// Null when absent, non-null otherwise, also for no elements.
  const std::byte* data() const { return data_; }

 private:
  friend Partial AddPartials(DType dtype, size_t count, Partial left, Partial right);
  const std::byte* data_ = nullptr;
  std::shared_ptr<const void> keeper_;
  std::unique_ptr<std::byte[]> own_;
};

/// left + right over `count` elements, in a buffer of either that is owned, else in a new one.
Partial AddPartials(DType dtype, size_t count, Partial left, Partial right);

/// Combines partials that arrive in any order into the root of the canonical tree.
/// Order: fixed by the tree; every node is left + right whichever came first.
/// Repeats: a partial whose leaves are already in a node that was asked for is dropped.
class Combiner {
 public:
  /// Called once for each node that becomes known, before it goes into its parent.
  using OnKnown = std::function<void(Node, const Partial&)>;

  /// `wanted`: nodes besides the root that `on_known` must report even if the root comes sooner.
  /// Without `wants_root` it is done when it knows these.
  Combiner(Leaf num_leaves, DType dtype, size_t count, const std::vector<Node>& wanted,
           OnKnown on_known, bool wants_root = true);

  /// Takes a node of the tree; false if it was a repeat and was dropped.
  bool Add(Node node, Partial partial);

  bool Knows(Node node) const { return known_.contains(node); }
  /// The root's sum, once it is known.
  const Partial& root() const { return uncombined_.at(Root(num_leaves_)); }
  /// Whether every wanted node is known.
  bool done() const { return wanted_.empty(); }
  /// Whether `node`, or a node that contains it, is known.
  bool HasLeavesOf(Node node) const;

 private:
  bool IsRepeat(Node node) const;

  Leaf num_leaves_;
  DType dtype_;
  size_t count_;
  OnKnown on_known_;
  std::set<Node> wanted_;               // not yet known
  std::set<Node> known_;                // ever known
  std::map<Node, Partial> uncombined_;  // known, waiting for the sibling
};

}  // namespace lockstep::collectives
