#include "remote/run_queue.h"

#include <algorithm>

namespace lockstep::remote {

// Uses are in the order of addresses.
bool RunQueue::Conflict(const Entry& a, const Entry& b) {
  auto left = a.uses.begin();
  auto right = b.uses.begin();
  while (left != a.uses.end() && right != b.uses.end()) {
    if (left->cell == right->cell) {
      if (left->writes || right->writes) return true;
      ++left;
    } else {
      left->cell.get() < right->cell.get() ? ++left : ++right;
    }
  }
  return false;
}

RunQueue::Turn RunQueue::Enter(RunOrder order, uint64_t number, bool alone,
                               const std::vector<runtime::VariableUse>& uses, Calls calls) {
  auto entry = std::make_unique<Entry>(Entry{order, number, alone, uses, std::move(calls)});
  bool waits = false, yields = false;
  for (const auto& other : running_) {
    if (!Conflict(*entry, *other)) continue;
    waits = true;
    yields |= !alone && !other->alone && other->order < order;
  }
  // Nobody who holds variables elsewhere queues behind others: whom they wait for is unknown.
  for (const auto& [key, other] : waiting_) {
    if (!(key.first < order) || !Conflict(*entry, *other)) continue;
    waits = true;
    yields |= !alone;
  }
  if (yields) return Turn::kAgain;
  if (waits) {
    waiting_[{order, number}] = std::move(entry);
    return Turn::kLater;
  }
  running_.push_back(std::move(entry));
  std::vector<std::function<void()>> away;
  SendAway(*running_.back(), &away);
  for (const auto& call : away) call();
  return Turn::kNow;
}

void RunQueue::SendAway(const Entry& begun, std::vector<std::function<void()>>* calls) {
  if (begun.alone) return;
  for (auto place = waiting_.begin(); place != waiting_.end();) {
    Entry& entry = *place->second;
    if (entry.alone || entry.order < begun.order || !Conflict(entry, begun)) {
      ++place;
      continue;
    }
    calls->push_back(entry.calls.again);
    place = waiting_.erase(place);
  }
}

void RunQueue::Leave(RunOrder order, uint64_t number) {
  waiting_.erase({order, number});
  std::erase_if(running_, [&](const auto& entry) { return entry->number == number; });
  BeginNext();
}

void RunQueue::BeginNext() {
  std::vector<std::function<void()>> calls;
  std::vector<Key> keys;
  for (const auto& [key, entry] : waiting_) keys.push_back(key);
  std::vector<const Entry*> before;  // older ones that go on waiting
  for (const Key& key : keys) {
    const auto place = waiting_.find(key);
    if (place == waiting_.end()) continue;  // sent away
    Entry& entry = *place->second;
    const auto conflicts = [&](const auto& other) { return Conflict(entry, *other); };
    const bool overtakes = entry.alone && std::any_of(before.begin(), before.end(), conflicts);
    if (overtakes || std::any_of(running_.begin(), running_.end(), conflicts)) {
      before.push_back(&entry);
      continue;
    }
    calls.push_back(entry.calls.begin);
    running_.push_back(std::move(place->second));
    waiting_.erase(place);
    SendAway(*running_.back(), &calls);
    std::erase_if(before, [&](const Entry* other) {
      return std::none_of(waiting_.begin(), waiting_.end(),
                          [&](const auto& one) { return one.second.get() == other; });
    });
  }
  for (const auto& call : calls) call();
}

}  // namespace lockstep::remote
