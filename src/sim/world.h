#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/randomness.h"
#include "net/reliable.h"
#include "net/rpc.h"
#include "sim/network.h"
#include "sim/scheduler.h"
#include "sim/trace.h"

namespace lockstep::sim {

class SimulatedRpc;

struct WorldOptions {
  int num_ranks = 2;
  SchedulerOptions scheduler;
  NetworkFaults network;
  net::ReliableOptions reliable;
  /// Whether calls to a dead rank fail as they do on a machine that lives; else there is silence,
  /// as after the machine's own death.
  bool deaths_are_noticed = true;
  bool keep_trace = false;
};

/// A whole cluster in this process on one seed: virtual time, clocks that stand apart, a wire with
/// faults, ranks that pause and die. What runs above the interfaces is the code of production;
/// equal seeds and equal programs give equal traces. Lifetime: what uses a rank's transport or
/// executor goes before the world does.
class World {
 public:
  explicit World(uint64_t seed, const WorldOptions& options = {});
  ~World();

  uint64_t seed() const { return seed_; }
  int num_ranks() const { return static_cast<int>(transports_.size()); }
  base::Executor& executor(int rank, int lane = 0) { return scheduler_.executor(rank, lane); }
  /// Reliable messages over the simulated wire.
  net::Transport& transport(int rank) { return *transports_[rank]; }
  /// Calls over the same wire, to "rank:N": lost, repeated and delayed like everything on it.
  net::Rpc& rpc(int rank);
  Network& network() { return network_; }
  Scheduler& scheduler() { return scheduler_; }
  /// Draws that belong to the world: for faults and for what tests choose.
  base::Randomness& randomness() { return randomness_; }
  const Trace& trace() const { return trace_; }

  /// Runs until `done`, nothing is left to do or `limit` of virtual time has passed.
  bool RunUntil(const std::function<bool()>& done, base::Duration limit) {
    return scheduler_.RunUntil(done, limit);
  }
  /// Does `fault` so much later, whatever the ranks are up to.
  void After(base::Duration delay, base::Work fault) {
    scheduler_.PostFault(scheduler_.Now() + delay, std::move(fault));
  }

  /// The rank stops for good; what it has sent stays on the wire.
  void Kill(int rank);
  bool alive(int rank) const { return scheduler_.alive(rank); }
  /// A new process takes the place of a dead rank, with a new transport in epoch 0. What used the
  /// old transport must have gone.
  void Restart(int rank);
  /// Whether `rank` would see that the other one has ended, as its machine answers.
  bool NoticesEndOf(int other, int rank) const;
  /// Called on `rank` when it sees that another one has ended; null: nothing.
  void OnEnd(int rank, std::function<void(int other)> see) { on_end_[rank] = std::move(see); }
  void Pause(int rank, base::Duration time) { scheduler_.Pause(rank, scheduler_.Now() + time); }

 private:
  std::unique_ptr<SimulatedRpc> MakeRpc(int rank);

  const uint64_t seed_;
  const WorldOptions options_;
  base::SeededRandomness randomness_;
  Trace trace_;
  Scheduler scheduler_;
  Network network_;
  std::vector<std::unique_ptr<net::Transport>> transports_;
  std::vector<std::unique_ptr<SimulatedRpc>> rpcs_;
  std::map<int, std::function<void(int)>> on_end_;
};

/// "src/net/reliable.cc:131 a peer was silent for too long" for each probe under one of `folders`
/// that nothing in this process has reached.
std::vector<std::string> UnreachedProbes(const std::vector<std::string>& folders);

}  // namespace lockstep::sim
