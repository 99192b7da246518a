#include "remote/ended_runs.h"

namespace lockstep::remote {

void EndedRuns::Add(uint64_t run, bool committed, base::Time now) {
  if (!ended_.emplace(run, committed).second) return;
  order_.emplace_back(now, run);
  while (order_.front().first + kept_ < now) {
    ended_.erase(order_.front().second);
    order_.pop_front();
  }
}

void EndedRuns::AddAlone(uint64_t run) {
  constexpr size_t kMost = 4096;
  if (!alone_.insert(run).second) return;
  alone_order_.push_back(run);
  if (alone_order_.size() <= kMost) return;
  alone_.erase(alone_order_.front());
  alone_order_.pop_front();
}

std::optional<bool> EndedRuns::committed(uint64_t run) const {
  const auto place = ended_.find(run);
  return place == ended_.end() ? std::nullopt : std::optional<bool>(place->second);
}

}  // namespace lockstep::remote
