#include "check/added_order.h"

#include <algorithm>

namespace lockstep::check {

AddedOrder::AddedOrder(const FlatGraph& flat, const Order& order, const std::vector<int>& nodes) {
  std::vector<int> each;
  for (int node : nodes) {
    if (numbers_.try_emplace(node, each.size()).second) each.push_back(node);
  }
  before_.assign(each.size(), std::vector<char>(each.size()));
  const std::vector<char> blocked(flat.loops.size(), true);
  for (size_t begin = 0; begin < each.size(); begin += 64) {
    const size_t count = std::min<size_t>(64, each.size() - begin);
    const auto after = order.After({each.data() + begin, count}, blocked, -1, 0);
    for (size_t bit = 0; bit < count; ++bit) {
      for (size_t k = 0; k < each.size(); ++k) {
        before_[begin + bit][k] = k != begin + bit && (after[each[k]] >> bit & 1) != 0;
      }
    }
  }
}

bool AddedOrder::Before(int first, int second) const {
  return before_[numbers_.at(first)][numbers_.at(second)] != 0;
}

void AddedOrder::Add(int from, int to) {
  const size_t a = numbers_.at(from), b = numbers_.at(to);
  for (size_t i = 0; i < before_.size(); ++i) {
    if (i != a && !before_[i][a]) continue;
    for (size_t k = 0; k < before_.size(); ++k) {
      if (k == b || before_[b][k]) before_[i][k] = true;
    }
  }
}

}  // namespace lockstep::check
