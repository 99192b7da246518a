#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace lockstep::check {

/// One operation of a client on an object that several share, as the client saw it.
struct HistoryOperation {
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  int64_t invoked = 0;
  /// kNever: it has not returned. Then it may have taken place at any time since, or not at all.
  int64_t returned = kNever;
  /// Carries the operation out on the object's state, and says whether the result fits. For one
  /// that has not returned every result does.
  std::function<bool(std::vector<float>* state)> apply;
};

/// Whether the operations can have taken place one after another, each at a moment between its call
/// and its return, beginning with `state`: the search of Wing and Gong (1993), which remembers
/// where it has been as Lowe (2017) says. At most 64 operations; InvalidArgument for more.
bool IsLinearizable(const std::vector<HistoryOperation>& history, const std::vector<float>& state);

}  // namespace lockstep::check
