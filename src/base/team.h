#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "base/own_core.h"

namespace lockstep::base {

/// A fixed number of lanes that work on one job together: the caller is lane 0, the others are
/// threads that live as long as the team. Lanes that wait spin briefly, then yield, then block; one
/// that waits on another lane's core goes to a core where none runs.
/// Threads: one `Run` at a time; concurrent callers are served one after the other. A caller that
/// can do with fewer lanes instead of waiting takes the team by a `LaneLease` (shared_team.h).
class Team {
 public:
  enum class Start { kNow, kAtFirstLease };
  /// Errors: ResourceExhausted where the system starts no more threads.
  explicit Team(int lanes, Start start = Start::kNow);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int lanes() const { return lanes_; }
  /// Whether it is a default team (shared_team.h): its runs may take fewer lanes where that is
  /// faster.
  bool is_default() const { return is_default_; }
  /// Whether its threads are there and do not sleep, so that they begin a job at once.
  bool is_awake() const { return is_started_ && sleepers_.load(std::memory_order_relaxed) == 0; }

  /// Calls `job(lane)` once on every lane and returns when all have returned. The job must not
  /// throw.
  template <typename Job>
  void Run(const Job& job) {
    RunErased([](const void* context, int lane) { (*static_cast<const Job*>(context))(lane); },
              &job);
  }
  /// To be called by every lane of a running job: returns when all lanes have called it.
  void Barrier(int lane);
  /// Lets a lane of a running job wait until `done`, which another lane brings about soon.
  template <typename Done>
  void Await(int lane, const Done& done) {
    if (done()) return;
    Publish(lane, CurrentCore());
    for (int waited = 0; !done(); ++waited) Pause(lane, waited);
  }

 private:
  friend class LaneLease;
  friend class SharedTeams;
  // How a lane waits, in its own cache line.
  struct alignas(64) Lane {
    std::atomic<int> core{kNoCore};  // where it runs
    OwnCore own_core;
  };
  using Function = void (*)(const void* context, int lane);
  void Publish(int lane, int core);
  void Pause(int lane, int waited);
  void RunErased(Function function, const void* context);
  void Serve(int lane, uint32_t seen);
  void StartThreads();
  void Stop();
  // In the child process of a fork, which has none of the threads.
  void ForgetThreads();

  const int lanes_;
  const int spins_;  // before a lane yields
  std::vector<Lane> waits_;
  std::vector<std::thread> threads_;
  bool is_default_ = false;
  std::atomic<bool> is_started_{false};
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  Function function_ = nullptr;
  const void* context_ = nullptr;
  std::atomic_flag is_leased_ = ATOMIC_FLAG_INIT;
  alignas(64) std::atomic<uint32_t> job_{0};  // counts the jobs; a change starts the lanes
  alignas(64) std::atomic<int> sleepers_{0};
  alignas(64) std::atomic<int> running_{0};       // lanes that have not finished the job
  alignas(64) std::atomic<uint32_t> arrived_{0};  // barrier: lanes that have arrived, ever
  std::atomic<bool> stop_{false};
};

}  // namespace lockstep::base
