#include "check/linearizability.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "lockstep/base/status.h"

namespace lockstep::check {

namespace {

class Search {
 public:
  explicit Search(const std::vector<HistoryOperation>& history) : history_(history) {
    for (size_t i = 0; i < history.size(); ++i) {
      if (history[i].returned != HistoryOperation::kNever) must_ |= uint64_t{1} << i;
    }
  }

  bool From(uint64_t done, const std::vector<float>& state) {
    if ((done & must_) == must_) return true;
    if (!seen_.emplace(done, state).second) return false;
    // Nothing can come next that was called after another one had returned.
    int64_t first_return = HistoryOperation::kNever;
    for (size_t i = 0; i < history_.size(); ++i) {
      if (!(done >> i & 1)) first_return = std::min(first_return, history_[i].returned);
    }
    for (size_t i = 0; i < history_.size(); ++i) {
      if ((done >> i & 1) || history_[i].invoked > first_return) continue;
      std::vector<float> next = state;
      if (history_[i].apply(&next) && From(done | uint64_t{1} << i, next)) return true;
    }
    return false;
  }

 private:
  const std::vector<HistoryOperation>& history_;
  uint64_t must_ = 0;
  std::set<std::pair<uint64_t, std::vector<float>>> seen_;
};

}  // namespace

bool IsLinearizable(const std::vector<HistoryOperation>& history, const std::vector<float>& state) {
  if (history.size() > 64) {
    throw Error(Code::kInvalidArgument,
                "[linearizability] a history has at most 64 operations; "
                "got " +
                    std::to_string(history.size()));
  }
  return Search(history).From(0, state);
}

}  // namespace lockstep::check
