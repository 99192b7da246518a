#include "sim/scheduler.h"

#include <algorithm>
#include <utility>

namespace lockstep::sim {

class Scheduler::Lane final : public base::Executor {
 public:
  Lane(const Scheduler& world, base::Duration skew) : world_(world), skew_(skew) {}
  ~Lane() override { Clear(); }

  base::Time Now() const override { return world_.now_ + skew_; }
  void Post(base::Work work) override { PostAt(Now(), std::move(work)); }
  base::TimerId PostAt(base::Time when, base::Work work) override {
    const base::TimerId id{std::max(when, Now()), sequence_++};
    if (alive) queue_.emplace(id, std::move(work));
    return id;
  }
  bool Cancel(base::TimerId timer) override { return !queue_.extract(timer).empty(); }

  bool idle() const { return queue_.empty() && first == nullptr; }
  base::Time next() const {
    return first != nullptr ? base::Time::min() : queue_.begin()->first.when - skew_;
  }
  base::Time FromWorld(base::Time when) const { return when + skew_; }
  base::Work Take() {
    if (first != nullptr) return std::exchange(first, nullptr);
    return std::move(queue_.extract(queue_.begin()).mapped());
  }
  void Clear() {
    first = nullptr;
    // Work may own what cancels other work on its way out.
    while (!queue_.empty()) queue_.extract(queue_.begin());
  }

  bool alive = true;
  base::Time busy_until{};
  base::Work first;  // before the queue
  base::Work look;   // after each piece of work

 private:
  const Scheduler& world_;
  const base::Duration skew_;
  uint64_t sequence_ = 0;
  std::map<base::TimerId, base::Work> queue_;
};

Scheduler::Scheduler(int num_ranks, const SchedulerOptions& options, base::Randomness& randomness,
                     Trace& trace)
    : options_(options), randomness_(randomness), trace_(trace) {
  for (int rank = 0; rank < num_ranks; ++rank) {
    const base::Duration skew(randomness_.Between(0, options_.clock_skew.count()));
    for (int lane = 0; lane < options_.lanes; ++lane)
      lanes_.push_back(std::make_unique<Lane>(*this, skew));
  }
  lanes_.push_back(std::make_unique<Lane>(*this, base::Duration(0)));
}

Scheduler::~Scheduler() {
  for (const auto& lane : lanes_) lane->Clear();
}

base::Executor& Scheduler::executor(int rank, int number) { return lane(rank, number); }

void Scheduler::PostAt(int rank, base::Time when, base::Work work, int number) {
  Lane& on = lane(rank, number);
  on.PostAt(on.FromWorld(when), std::move(work));
}

void Scheduler::PostFault(base::Time when, base::Work work) {
  lanes_.back()->PostAt(when, std::move(work));
}

base::Time Scheduler::NextTime(const Lane& lane) const {
  return std::max(lane.next(), lane.busy_until);
}

bool Scheduler::RunOne() {
  int chosen = -1;
  uint64_t ties = 0;
  for (int number = 0; number < static_cast<int>(lanes_.size()); ++number) {
    if (lanes_[number]->idle()) continue;
    const base::Time when = NextTime(*lanes_[number]);
    if (chosen < 0 || when < NextTime(*lanes_[chosen])) {
      chosen = number;
      ties = 1;
    } else if (when == NextTime(*lanes_[chosen]) && randomness_.Below(++ties) == 0) {
      chosen = number;
    }
  }
  if (chosen < 0) return false;
  Lane& lane = *lanes_[chosen];
  now_ = std::max(now_, NextTime(lane));
  if (&lane != lanes_.back().get())
    lane.busy_until = now_ + base::Duration(randomness_.Between(0, options_.longest_work.count()));
  trace_.Note(now_, "work", chosen);
  const base::Work work = lane.Take();
  work();
  if (const base::Work look = lane.look) look();
  return true;
}

bool Scheduler::RunUntil(const std::function<bool()>& done, base::Duration limit) {
  const base::Time until = now_ + limit;
  while (!done()) {
    if (now_ >= until || !RunOne()) return done();
  }
  return true;
}

void Scheduler::Busy(int rank, base::Duration time, base::Work work) {
  Lane& first = lane(rank, 0);
  first.busy_until = std::max(first.busy_until, now_ + time);
  first.first = std::move(work);
}

void Scheduler::AfterWork(int rank, base::Work look) { lane(rank, 0).look = std::move(look); }

void Scheduler::Pause(int rank, base::Time until) {
  trace_.Note(now_, "pause", rank);
  for (int number = 0; number < options_.lanes; ++number) {
    Lane& paused = lane(rank, number);
    paused.busy_until = std::max(paused.busy_until, until);
  }
}

void Scheduler::Kill(int rank) {
  trace_.Note(now_, "kill", rank);
  for (int number = 0; number < options_.lanes; ++number) {
    lane(rank, number).alive = false;
    lane(rank, number).Clear();
  }
}

void Scheduler::Revive(int rank) {
  trace_.Note(now_, "revive", rank);
  for (int number = 0; number < options_.lanes; ++number) {
    lane(rank, number).alive = true;
    lane(rank, number).busy_until = now_;
  }
}

bool Scheduler::alive(int rank) const { return lane(rank, 0).alive; }

}  // namespace lockstep::sim
