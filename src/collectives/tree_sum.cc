#include "collectives/tree_sum.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/check.h"

namespace lockstep::collectives {
namespace {

constexpr size_t kTileBytes = 8 << 10;
// Deeper than any tree over 32-bit leaf numbers.
constexpr int kMostDepth = 40;

}  // namespace

TreeSum::TreeSum(const std::vector<Node>& parts, Node whole) : num_parts_(parts.size()) {
  size_t next = 0;
  Plan(parts, whole, &next, 1);
  LOCKSTEP_CHECK_EQ(next, parts.size());
  LOCKSTEP_CHECK_LT(most_depth_, kMostDepth);
}

void TreeSum::Plan(const std::vector<Node>& parts, Node node, size_t* next, int depth) {
  most_depth_ = std::max(most_depth_, depth);
  LOCKSTEP_CHECK_LT(*next, parts.size());
  if (parts[*next] == node) {
    steps_.push_back(static_cast<int>((*next)++));
    return;
  }
  Plan(parts, LeftChild(node), next, depth);
  Plan(parts, RightChild(node), next, depth + 1);
  steps_.push_back(kPair);
}

const std::byte* TreeSum::AddTile(DType dtype, const std::byte* const* parts, size_t offset,
                                  size_t count, std::byte* temporaries, std::byte* sum) const {
  const std::byte* stack[kMostDepth];
  int depth = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i] != kPair) {
      const std::byte* part = parts[steps_[i]];
      stack[depth++] = part == nullptr ? nullptr : part + offset;
      continue;
    }
    const std::byte* right = stack[--depth];
    const std::byte*& left = stack[depth - 1];
    std::byte* own = temporaries + static_cast<size_t>(depth - 1) * kTileBytes;
    if (left != nullptr && right != nullptr) {
      std::byte* to = i + 1 == steps_.size() ? sum + offset : own;
      AddElements(dtype, left, right, to, count);
      left = to;
    } else if (right != nullptr) {
      // A sum that lies at the right one's place must leave it before the next sum goes there.
      const bool is_temporary =
          right >= temporaries && right < temporaries + kMostDepth * kTileBytes;
      if (is_temporary) std::memcpy(own, right, count * DTypeSize(dtype));
      left = is_temporary ? own : right;
    }
  }
  return stack[0];
}

bool TreeSum::Add(DType dtype, const std::byte* const* parts, size_t count, std::byte* sum,
                  OfOtherCore of_other_core) const {
  const auto is_present = [](const std::byte* part) { return part != nullptr; };
  const auto present = std::count_if(parts, parts + num_parts_, is_present);
  if (present == 0) return false;
  const size_t bytes = count * DTypeSize(dtype);
  if (present == 1) {
    const std::byte* only = *std::find_if(parts, parts + num_parts_, is_present);
    if (only != sum && bytes > 0) std::memcpy(sum, only, bytes);
    return true;
  }
  if (num_parts_ == 2) {
    AddElements(dtype, parts[0], parts[1], sum, count, of_other_core);
    return true;
  }
  const auto temporaries =
      std::make_unique_for_overwrite<std::byte[]>(static_cast<size_t>(kMostDepth) * kTileBytes);
  const size_t tile = kTileBytes / DTypeSize(dtype);
  for (size_t begin = 0; begin < count; begin += tile) {
    const size_t size = std::min(tile, count - begin);
    const size_t offset = begin * DTypeSize(dtype);
    const std::byte* root = AddTile(dtype, parts, offset, size, temporaries.get(), sum);
    if (root != sum + offset) std::memcpy(sum + offset, root, size * DTypeSize(dtype));
  }
  return true;
}

}  // namespace lockstep::collectives
