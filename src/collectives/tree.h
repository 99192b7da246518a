#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The canonical tree, the one order in which Lockstep adds anything: over leaf numbers, the range
/// [a, b) splits at the largest power of two below its length, and its sum is left + right. Only
/// the number of leaves decides the tree; who holds which leaf, and when what arrives, change
/// nothing.

namespace lockstep::collectives {

using Leaf = uint32_t;

/// A range [begin, end) of leaves: a block of a rank, or a node of the tree.
struct Node {
  Leaf begin = 0;
  Leaf end = 0;

  Leaf size() const { return end - begin; }
  bool empty() const { return begin == end; }
  bool Contains(Node other) const { return begin <= other.begin && other.end <= end; }
  auto operator<=>(const Node&) const = default;
};

/// "[4,6)"
std::string ToString(Node node);

/// The largest power of two below `length`, which is at least 2.
Leaf LeftLength(Leaf length);
/// The children of a node with at least two leaves.
Node LeftChild(Node node);
Node RightChild(Node node);

/// The root of the tree over `num_leaves`, at least one.
inline Node Root(Leaf num_leaves) { return {0, num_leaves}; }
/// Whether `node` is one of the 2n - 1 nodes of the tree over `num_leaves`.
bool IsNode(Node node, Leaf num_leaves);
/// The node that `node`, not the root, is a child of.
Node Parent(Node node, Leaf num_leaves);
/// The other child of the parent of `node`, which is not the root.
Node Sibling(Node node, Leaf num_leaves);

/// Cuts `block` into the fewest nodes of the tree over `num_leaves`, in ascending order; none for
/// an empty block. At most 2 log2(n) of them; one where the block is aligned.
std::vector<Node> Cover(Node block, Leaf num_leaves);

}  // namespace lockstep::collectives
