#include "sim/scheduler.h"

#include <algorithm>
#include <utility>

namespace lockstep::sim {

class Scheduler::Rank final : public base::Executor {
 public:
  Rank(const Scheduler& world, base::Duration skew) : world_(world), skew_(skew) {}
  ~Rank() override { Clear(); }

  base::Time Now() const override { return world_.now_ + skew_; }
  void Post(base::Work work) override { PostAt(Now(), std::move(work)); }
  base::TimerId PostAt(base::Time when, base::Work work) override {
    const base::TimerId id{std::max(when, Now()), sequence_++};
    if (alive) queue_.emplace(id, std::move(work));
    return id;
  }
  bool Cancel(base::TimerId timer) override { return !queue_.extract(timer).empty(); }

  bool idle() const { return queue_.empty(); }
  base::Time next() const { return queue_.begin()->first.when - skew_; }
  base::Time FromWorld(base::Time when) const { return when + skew_; }
  base::Work Take() { return std::move(queue_.extract(queue_.begin()).mapped()); }
  void Clear() {
    // Work may own what cancels other work on its way out.
    while (!queue_.empty()) queue_.extract(queue_.begin());
  }

  bool alive = true;
  base::Time busy_until{};

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
    ranks_.push_back(std::make_unique<Rank>(*this, skew));
  }
  ranks_.push_back(std::make_unique<Rank>(*this, base::Duration(0)));
}

Scheduler::~Scheduler() {
  for (const auto& rank : ranks_) rank->Clear();
}

base::Executor& Scheduler::executor(int rank) { return *ranks_[rank]; }

void Scheduler::PostAt(int rank, base::Time when, base::Work work) {
  ranks_[rank]->PostAt(ranks_[rank]->FromWorld(when), std::move(work));
}

void Scheduler::PostFault(base::Time when, base::Work work) {
  ranks_.back()->PostAt(when, std::move(work));
}

base::Time Scheduler::NextTime(const Rank& rank) const {
  return std::max(rank.next(), rank.busy_until);
}

bool Scheduler::RunOne() {
  int chosen = -1;
  uint64_t ties = 0;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    if (ranks_[rank]->idle()) continue;
    const base::Time when = NextTime(*ranks_[rank]);
    if (chosen < 0 || when < NextTime(*ranks_[chosen])) {
      chosen = rank;
      ties = 1;
    } else if (when == NextTime(*ranks_[chosen]) && randomness_.Below(++ties) == 0) {
      chosen = rank;
    }
  }
  if (chosen < 0) return false;
  Rank& rank = *ranks_[chosen];
  now_ = std::max(now_, NextTime(rank));
  if (&rank != ranks_.back().get())
    rank.busy_until = now_ + base::Duration(randomness_.Between(0, options_.longest_work.count()));
  trace_.Note(now_, "work", chosen);
  const base::Work work = rank.Take();
  work();
  return true;
}

bool Scheduler::RunUntil(const std::function<bool()>& done, base::Duration limit) {
  const base::Time until = now_ + limit;
  while (!done()) {
    if (now_ >= until || !RunOne()) return done();
  }
  return true;
}

void Scheduler::Pause(int rank, base::Time until) {
  trace_.Note(now_, "pause", rank);
  ranks_[rank]->busy_until = std::max(ranks_[rank]->busy_until, until);
}

void Scheduler::Kill(int rank) {
  trace_.Note(now_, "kill", rank);
  ranks_[rank]->alive = false;
  ranks_[rank]->Clear();
}

void Scheduler::Revive(int rank) {
  trace_.Note(now_, "revive", rank);
  ranks_[rank]->alive = true;
}

bool Scheduler::alive(int rank) const { return ranks_[rank]->alive; }

}  // namespace lockstep::sim
