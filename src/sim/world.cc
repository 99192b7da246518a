#include "sim/world.h"

#include "base/check.h"
#include "base/probe.h"
#include "sim/simulated_rpc.h"

namespace lockstep::sim {

World::World(uint64_t seed, const WorldOptions& options)
    : seed_(seed),
      options_(options),
      randomness_(seed),
      trace_(options.keep_trace),
      scheduler_(options.num_ranks, options.scheduler, randomness_, trace_),
      network_(options.num_ranks, options.network, scheduler_, randomness_, trace_) {
  for (int rank = 0; rank < options.num_ranks; ++rank)
    transports_.push_back(net::MakeReliable(network_.port(rank), options.reliable));
  for (int rank = 0; rank < options.num_ranks; ++rank) rpcs_.push_back(MakeRpc(rank));
}

World::~World() = default;

std::unique_ptr<SimulatedRpc> World::MakeRpc(int rank) {
  return std::make_unique<SimulatedRpc>(network_.port(rank, Network::Plane::kCalls),
                                        randomness_.Next(),
                                        [this, rank](int to) { return NoticesEndOf(to, rank); });
}

net::Rpc& World::rpc(int rank) { return *rpcs_[rank]; }

bool World::NoticesEndOf(int other, int rank) const {
  return options_.deaths_are_noticed && !alive(other) && !network_.is_cut(rank, other) &&
         !network_.is_cut(other, rank);
}

void World::Kill(int rank) {
  scheduler_.Kill(rank);
  for (const auto& rpc : rpcs_) rpc->PeerEnded(rank);
  for (const auto& [other, see] : on_end_) {
    if (other == rank || see == nullptr || !alive(other) || !NoticesEndOf(rank, other)) continue;
    const base::Duration delay(randomness_.Between(50'000, 2'000'000));
    scheduler_.PostAt(other, scheduler_.Now() + delay, [this, rank, watcher = other] {
      if (const auto& told = on_end_[watcher]; told != nullptr) told(rank);
    });
  }
}

void World::Restart(int rank) {
  LOCKSTEP_CHECK(!alive(rank));
  transports_[rank].reset();
  rpcs_[rank].reset();
  scheduler_.Revive(rank);
  rpcs_[rank] = MakeRpc(rank);
  transports_[rank] = net::MakeReliable(network_.port(rank), options_.reliable);
}

std::vector<std::string> UnreachedProbes(const std::vector<std::string>& folders) {
  std::vector<std::string> unreached;
  for (const base::Probe* probe : base::AllProbes()) {
    const std::string file = probe->file();
    for (const std::string& folder : folders) {
      const size_t place = file.rfind("src/" + folder + "/");
      if (probe->hits() > 0 || place == std::string::npos) continue;
      unreached.push_back(file.substr(place) + ":" + std::to_string(probe->line()) + " " +
                          probe->name());
    }
  }
  return unreached;
}

}  // namespace lockstep::sim
