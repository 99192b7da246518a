#include "collectives/tree.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace lockstep::collectives {
namespace {

// The smallest aligned power of two that holds `size` leaves.
uint64_t Span(Leaf size) { return std::bit_ceil(static_cast<uint64_t>(size)); }

// The range of `span` leaves around `begin`, cut off at the last leaf.
Node Aligned(Leaf begin, uint64_t span, Leaf num_leaves) {
  const uint64_t start = begin / span * span;
  const uint64_t end = std::min<uint64_t>(start + span, num_leaves);
  return {static_cast<Leaf>(start), static_cast<Leaf>(end)};
}

void AppendCover(Node node, Node block, std::vector<Node>* cover) {
  if (block.end <= node.begin || node.end <= block.begin) return;
  if (block.Contains(node)) {
    cover->push_back(node);
    return;
  }
  AppendCover(LeftChild(node), block, cover);
  AppendCover(RightChild(node), block, cover);
}

}  // namespace

std::string ToString(Node node) {
  return "[" + std::to_string(node.begin) + "," + std::to_string(node.end) + ")";
}

Leaf LeftLength(Leaf length) {
  LOCKSTEP_CHECK_GE(length, Leaf{2});
  return std::bit_floor(length - 1);
}

Node LeftChild(Node node) { return {node.begin, node.begin + LeftLength(node.size())}; }

Node RightChild(Node node) { return {node.begin + LeftLength(node.size()), node.end}; }

bool IsNode(Node node, Leaf num_leaves) {
  if (node.begin >= node.end || node.end > num_leaves) return false;
  return node == Aligned(node.begin, Span(node.size()), num_leaves);
}

Node Parent(Node node, Leaf num_leaves) {
  LOCKSTEP_CHECK(node != Root(num_leaves));
  // A node at the right end may be its own range at several sizes: the next larger range counts.
  for (uint64_t span = 2 * Span(node.size());; span *= 2) {
    const Node parent = Aligned(node.begin, span, num_leaves);
    if (parent != node) return parent;
  }
}

Node Sibling(Node node, Leaf num_leaves) {
  const Node parent = Parent(node, num_leaves);
  return node.begin == parent.begin ? Node{node.end, parent.end} : Node{parent.begin, node.begin};
}

std::vector<Node> Cover(Node block, Leaf num_leaves) {
  LOCKSTEP_CHECK_LE(block.begin, block.end);
  LOCKSTEP_CHECK_LE(block.end, num_leaves);
  std::vector<Node> cover;
  if (!block.empty()) AppendCover(Root(num_leaves), block, &cover);
  return cover;
}

}  // namespace lockstep::collectives
