#include "collectives/combiner.h"

#include <utility>

#include "base/check.h"
#include "base/probe.h"

namespace lockstep::collectives {

Partial Partial::Borrow(const std::byte* data, std::shared_ptr<const void> keeper) {
  static constexpr std::byte kNoElements{};
  Partial partial;
  partial.data_ = data != nullptr ? data : &kNoElements;
  partial.keeper_ = std::move(keeper);
  return partial;
}

Partial AddPartials(DType dtype, size_t count, Partial left, Partial right) {
  if (!left.present()) return right;
  if (!right.present()) return left;
  Partial sum;
  if (left.own_ != nullptr) {
    sum.own_ = std::move(left.own_);
  } else if (right.own_ != nullptr) {
    sum.own_ = std::move(right.own_);
  } else {
    sum.own_ = std::make_unique_for_overwrite<std::byte[]>(count * DTypeSize(dtype) + 1);
  }
  AddElements(dtype, left.data_, right.data_, sum.own_.get(), count);
  sum.data_ = sum.own_.get();
  return sum;
}

Combiner::Combiner(Leaf num_leaves, DType dtype, size_t count, const std::vector<Node>& wanted,
                   OnKnown on_known, bool wants_root)
    : num_leaves_(num_leaves),
      dtype_(dtype),
      count_(count),
      on_known_(std::move(on_known)),
      wanted_(wanted.begin(), wanted.end()) {
  if (wants_root) wanted_.insert(Root(num_leaves));
  for (Node node : wanted_) LOCKSTEP_CHECK(IsNode(node, num_leaves));
}

bool Combiner::IsRepeat(Node node) const {
  // The first ancestor that is known or asked for decides whether the leaves are still needed.
  for (;; node = Parent(node, num_leaves_)) {
    if (known_.contains(node)) return true;
    if (wanted_.contains(node)) return false;
    if (node == Root(num_leaves_)) return true;
  }
}

bool Combiner::HasLeavesOf(Node node) const {
  for (;; node = Parent(node, num_leaves_)) {
    if (known_.contains(node)) return true;
    if (node == Root(num_leaves_)) return false;
  }
}

bool Combiner::Add(Node node, Partial partial) {
  LOCKSTEP_CHECK(IsNode(node, num_leaves_));
  if (IsRepeat(node)) return false;
  while (true) {
    known_.insert(node);
    wanted_.erase(node);
    on_known_(node, partial);
    if (node == Root(num_leaves_)) {
      uncombined_.emplace(node, std::move(partial));
      return true;
    }
    const Node parent = Parent(node, num_leaves_);
    if (known_.contains(parent)) {
      LOCKSTEP_PROBE("a wanted node is known after its parent");
      return true;
    }
    const auto sibling = uncombined_.find(Sibling(node, num_leaves_));
    if (sibling == uncombined_.end()) {
      uncombined_.emplace(node, std::move(partial));
      return true;
    }
    Partial other = std::move(sibling->second);
    uncombined_.erase(sibling);
    const bool is_left = node.begin == parent.begin;
    partial = is_left ? AddPartials(dtype_, count_, std::move(partial), std::move(other))
                      : AddPartials(dtype_, count_, std::move(other), std::move(partial));
    node = parent;
  }
}

}  // namespace lockstep::collectives
