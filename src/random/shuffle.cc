#include "random/shuffle.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace lockstep::random {

std::vector<int64_t> ShufflePermutation(const Stream& stream, uint64_t size) {
  std::vector<int64_t> rows(size);
  std::iota(rows.begin(), rows.end(), int64_t{0});
  WordReader words(stream);
  for (uint64_t i = 0; i + 1 < size; ++i) {
    std::swap(rows[i], rows[i + words.Next() % (size - i)]);
  }
  return rows;
}

ShuffleWindow::ShuffleWindow(const SeedPair& pair, uint64_t capacity, uint64_t words_used)
    : words_(pair.stream(), words_used), capacity_(capacity) {
  LOCKSTEP_CHECK_GE(capacity, uint64_t{1});
}

ShuffleWindow::Choice ShuffleWindow::Pop() {
  LOCKSTEP_CHECK(!empty());
  const uint64_t offset = words_.Next() % size();
  const Choice choice{(start_ + offset) % capacity_, start_ % capacity_};
  ++start_;
  return choice;
}

std::vector<int64_t> ShuffleOrder(const SeedPair& pair, uint64_t size, uint64_t capacity) {
  ShuffleWindow window(pair, capacity);
  std::vector<int64_t> slots(std::min(size, capacity));
  std::vector<int64_t> order;
  order.reserve(size);
  for (uint64_t next = 0; order.size() < size;) {
    while (next < size && !window.full()) slots[window.Push()] = static_cast<int64_t>(next++);
    const auto [emit, refill] = window.Pop();
    order.push_back(slots[emit]);
    std::swap(slots[emit], slots[refill]);
  }
  return order;
}

SeedPair ReshuffleSeeds::At(uint64_t iteration) const {
  if (!reshuffle_) return pair_;
  WordReader words(pair_.stream(), 2 * iteration);
  const int64_t seed = words.Next();
  return {seed, words.Next()};
}

}  // namespace lockstep::random
