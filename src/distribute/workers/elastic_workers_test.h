#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/randomness.h"
#include "base/team.h"
#include "distribute/workers/communicator.h"
#include "distribute/workers/journal.h"
#include "net/in_process.h"

namespace lockstep::distribute {

/// Thrown on a worker's thread in the middle of anything: its process has ended.
struct Killed {};

/// A job of workers that are threads, and that die, come and go: the rules of the membership, as
/// one who sees everything would carry them out.
class ElasticJob {
 public:
  /// Workers 0 to `members` - 1 begin the job; `joiners` more may come. Those of `servers` are
  /// parameter servers.
  ElasticJob(int members, int joiners, std::set<int> servers = {})
      : loops_(members + joiners), dies_at_(loops_.size(), 0), servers_(std::move(servers)) {
    for (int worker = 0; worker < members; ++worker) members_.push_back(worker);
    BeginEpoch();
  }

  int workers() const { return static_cast<int>(loops_.size()); }
  /// The worker dies at its so many-th piece of work; it begins to count with the first.
  void KillAt(int worker, int64_t piece) { dies_at_[worker] = piece; }
  /// How many pieces of work the worker has done.
  int64_t pieces(int worker) const { return rosters_.at(worker)->pieces; }

  /// The worker's way to the others, to be used on its thread.
  std::shared_ptr<Communicator> Connect(int worker) {
    auto roster = std::make_shared<Member>(*this, worker);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      rosters_[worker] = roster;
    }
    const bool begins = Contains(worker);
    const Roster::Epoch first = begins ? roster->Next(0) : Roster::Epoch();
    return std::make_shared<Communicator>(
        roster, first, Roles::Of(2, servers_.empty() ? 0 : 1),
        [member = roster.get()](const std::function<bool()>& done) { member->Wait(done); },
        servers_.contains(worker));
  }

  /// The worker's process ends: the others hear of it.
  void Kill(int worker) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase(waiting_, worker);
    if (std::erase(members_, worker) == 0) return;
    ++deaths_;
    lost_.push_back("worker " + std::to_string(worker));
    if (members_.empty()) std::swap(members_, waiting_);
    BeginEpoch();
  }
  /// A member waits until `count` joiners have come.
  void AwaitJoiners(int worker, size_t count) {
    loops_[worker].RunUntil(
        [&] {
          const std::lock_guard<std::mutex> lock(mutex_);
          return late_.size() >= count;
        },
        std::chrono::minutes(1));
  }
  /// How many have died.
  int deaths() const { return deaths_; }
  /// The worker was silent for too long: the others go on without it.
  void LeaveOut(int worker) {
    Kill(worker);
    const std::lock_guard<std::mutex> lock(mutex_);
    rosters_[worker]->left_out = true;
    loops_[worker].Post([] {});
  }

 private:
  class Member final : public Roster {
   public:
    Member(ElasticJob& job, int worker) : job_(job), worker_(worker) {}
    base::Executor& executor() override { return job_.loops_[worker_]; }
    Epoch Next(uint64_t after) override {
      if (!job_.Contains(worker_) && !left_out) job_.Wait(worker_);
      Wait([&] { return has_next(after); });
      if (left_out) {
        left_out = false;
        throw LeftOut("[test] left out");
      }
      const std::lock_guard<std::mutex> lock(job_.mutex_);
      const auto place = std::find(job_.members_.begin(), job_.members_.end(), worker_);
      const int rank = static_cast<int>(place - job_.members_.begin());
      network_ = job_.network_;
      Epoch epoch{.number = job_.epoch_, .transport = &network_->transport(rank)};
      epoch.lost.assign(job_.lost_.begin() + static_cast<std::ptrdiff_t>(lost_seen_),
                        job_.lost_.end());
      lost_seen_ = job_.lost_.size();
      epoch.entering = job_.late_.contains(worker_);
      std::vector<bool> is_server;
      for (int member : job_.members_) is_server.push_back(job_.servers_.contains(member));
      epoch.roles = Roles(std::move(is_server));
      epoch.transport->EnterEpoch(job_.epoch_);
      transport_ = epoch.transport;
      return epoch;
    }
    bool has_next(uint64_t after) override { return left_out || job_.EpochOf(worker_) > after; }
    bool change_waiting() const override { return job_.change_waiting(); }
    void ReadyForChange(uint64_t) override { job_.Ready(worker_, transport_->epoch(), false); }
    void Leave() override { job_.Ready(worker_, transport_->epoch(), true); }
    bool Finish() override {
      const uint64_t epoch = transport_->epoch();
      job_.Finished(worker_, epoch);
      Wait([&] { return job_.is_over() || job_.epoch() != epoch; });
      return job_.is_over();
    }

    void Wait(const std::function<bool()>& done) {
      const int64_t dies_at = job_.dies_at_[worker_];
      job_.loops_[worker_].RunUntil(
          [&] {
            if (dies_at > 0 && ++pieces == dies_at) throw Killed();
            if (dies_at == 0) ++pieces;
            return done();
          },
          std::chrono::minutes(2));
    }
    void EndEpochBefore(uint64_t epoch) {
      if (transport_ != nullptr && transport_->epoch() < epoch && transport_->aborted() == nullptr)
        transport_->AbortEpoch(Status(Code::kUnavailable, "[test] the next epoch begins"));
    }

    int64_t pieces = 0;
    bool left_out = false;

   private:
    ElasticJob& job_;
    const int worker_;
    size_t lost_seen_ = 0;
    std::shared_ptr<net::InProcessNetwork> network_;
    net::Transport* transport_ = nullptr;
  };

  bool Contains(int worker) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::find(members_.begin(), members_.end(), worker) != members_.end();
  }
  uint64_t EpochOf(int worker) { return Contains(worker) ? epoch() : 0; }
  uint64_t epoch() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return epoch_;
  }
  bool change_waiting() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !waiting_.empty();
  }
  bool is_over() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return is_over_;
  }
  void Finished(int worker, uint64_t epoch) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (epoch != epoch_) return;
    finished_.insert(worker);
    is_over_ = std::all_of(members_.begin(), members_.end(),
                           [&](int member) { return finished_.contains(member); });
    for (base::EventLoop& loop : loops_) loop.Post([] {});
  }
  void Wait(int worker) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(worker);
    late_.insert(worker);
    for (base::EventLoop& loop : loops_) loop.Post([] {});
  }
  void Ready(int worker, uint64_t epoch, bool leaves) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (epoch != epoch_ && !leaves) return;
    if (leaves) {
      std::erase(members_, worker);
    } else {
      ready_.insert(worker);
    }
    const bool all = std::all_of(members_.begin(), members_.end(),
                                 [&](int member) { return ready_.contains(member); });
    if (!all) return;
    members_.insert(members_.end(), waiting_.begin(), waiting_.end());
    waiting_.clear();
    BeginEpoch();
  }
  // Needs mutex_.
  void BeginEpoch() {
    ++epoch_;
    ready_.clear();
    finished_.clear();
    std::vector<base::Executor*> executors;
    for (int member : members_) executors.push_back(&loops_[member]);
    network_ = std::make_shared<net::InProcessNetwork>(executors);
    networks_.push_back(network_);
    for (const auto& [worker, roster] : rosters_)
      loops_[worker].Post(
          [member = std::weak_ptr(roster), epoch = epoch_] {  // who died may be gone
            if (const auto alive = member.lock()) alive->EndEpochBefore(epoch);
          });
  }

  std::vector<base::EventLoop> loops_;
  std::vector<int64_t> dies_at_;
  const std::set<int> servers_;
  std::mutex mutex_;
  std::vector<int> members_;  // by rank
  std::vector<int> waiting_;
  std::set<int> ready_;
  std::set<int> late_;  // came into a job that had begun
  std::vector<std::string> lost_;
  std::set<int> finished_;
  bool is_over_ = false;
  int deaths_ = 0;
  uint64_t epoch_ = 0;
  std::shared_ptr<net::InProcessNetwork> network_;
  std::vector<std::shared_ptr<net::InProcessNetwork>> networks_;
  std::map<int, std::shared_ptr<Member>> rosters_;
};

/// Calls `body(worker, ranks)` for each worker at once, each on a thread of its own; one that is
/// killed ends.
inline void RunElastic(ElasticJob& job,
                       const std::function<void(int worker, std::shared_ptr<Communicator>)>& body) {
  base::Team threads(job.workers());
  threads.Run([&](int worker) {
    try {
      body(worker, job.Connect(worker));
    } catch (const Killed&) {
      job.Kill(worker);
    } catch (const Left&) {
    }
  });
}

/// Of jobs of so many workers, `rounds` of each number, lets one worker die at a random piece of
/// its work. `run` lets a job run and gives what its workers ended with, which `check` looks at
/// with how many are to be left, and a text on who died. How many have died.
template <typename Run, typename Check>
int KillAnywhere(std::initializer_list<int> sizes, int rounds, uint64_t seed, const Run& run,
                 const Check& check) {
  base::SeededRandomness random(seed);
  int deaths = 0;
  for (int workers : sizes) {
    ElasticJob undisturbed(workers, 0);
    run(undisturbed);
    for (int round = 0; round < rounds; ++round) {
      const int victim = round % workers;
      const auto most = static_cast<uint64_t>(undisturbed.pieces(victim));
      const int64_t piece = 1 + static_cast<int64_t>(random.Below(most));
      ElasticJob job(workers, 0);
      job.KillAt(victim, piece);
      const auto all = run(job);
      deaths += job.deaths();
      check(all, workers - job.deaths(),
            "worker " + std::to_string(victim) + " of " + std::to_string(workers) +
                " dies at piece " + std::to_string(piece));
    }
  }
  return deaths;
}

}  // namespace lockstep::distribute
