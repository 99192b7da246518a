#include "runtime/waiting.h"

#include <atomic>

namespace lockstep::runtime {

namespace {
std::atomic<void (*)()> look_while_waiting{nullptr};
}  // namespace

void SetLookWhileWaiting(void (*look)()) { look_while_waiting.store(look); }

void LookWhileWaiting() {
  if (const auto look = look_while_waiting.load()) look();
}

void Awaited::Happen() {
  const std::lock_guard lock(mutex_);
  happened_ = true;
  changed_.notify_all();
}

void Awaited::Wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return happened_; });
}

void WaitingRoom::Enter() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return most_ == 0 || inside_ < most_; });
  ++inside_;
}

void WaitingRoom::Leave() {
  const std::lock_guard lock(mutex_);
  --inside_;
  changed_.notify_one();
}

void Arrivals::Put(uint64_t number) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(number);
  changed_.notify_one();
}

uint64_t Arrivals::Take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !waiting_.empty(); });
  const uint64_t number = waiting_.front();
  waiting_.pop_front();
  return number;
}

}  // namespace lockstep::runtime
