#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/randomness.h"
#include "net/datagrams.h"
#include "sim/scheduler.h"
#include "sim/trace.h"

namespace lockstep::sim {

/// What the wire does to each datagram, drawn anew for each.
struct NetworkFaults {
  double loss = 0;
  double repeat = 0;
  base::Duration shortest_delay = std::chrono::microseconds(20);
  base::Duration longest_delay = std::chrono::microseconds(200);
  /// The odd datagram that takes up to `stray_delay`, and so comes after later ones.
  double stray = 0;
  base::Duration stray_delay = std::chrono::milliseconds(20);
  /// How long a byte keeps its sender's and its receiver's end of the wire; datagrams wait for each
  /// other there.
  double nanoseconds_a_byte = 0;
};

/// A simulated wire between all ranks: delay, loss, repeats, reordering, cuts.
class Network {
 public:
  /// Who a datagram is for: the transport of a rank, its calls, or its port. Faults meet all alike.
  /// Calls come on the last lane of a rank, all else on the first.
  enum class Plane { kTransport, kCalls, kPort };

  Network(int num_ranks, const NetworkFaults& faults, Scheduler& scheduler,
          base::Randomness& randomness, Trace& trace);
  ~Network();

  net::Datagrams& port(int rank, Plane plane = Plane::kTransport);

  void set_faults(const NetworkFaults& faults) { faults_ = faults; }
  /// Nothing goes from one rank to the other until `Heal`.
  void CutOneWay(int from, int to);
  /// Nothing goes between ranks of `side` and the others until `Heal`.
  void Partition(const std::set<int>& side);
  void Heal();
  /// Loses the next `datagrams` from one rank to the other, whatever they are.
  void LoseNext(int from, int to, int datagrams);
  bool is_cut(int from, int to) const { return cuts_.contains({from, to}); }

  uint64_t sent() const { return sent_; }
  uint64_t lost() const { return lost_; }
  uint64_t repeated() const { return repeated_; }

 private:
  class Port;
  int LaneOf(Plane plane) const { return plane == Plane::kCalls ? scheduler_.lanes() - 1 : 0; }
  void Carry(Plane plane, int from, int to, const net::Payload& datagram);
  bool IsLost(int from, int to);
  // Until the last byte is there, but for the delay; takes both ends of the wire.
  base::Duration TimeOnWire(int from, int to, size_t bytes);

  NetworkFaults faults_;
  Scheduler& scheduler_;
  base::Randomness& randomness_;
  Trace& trace_;
  const int num_ranks_;
  std::vector<std::unique_ptr<Port>> ports_;  // by plane, then by rank
  std::set<std::pair<int, int>> cuts_;
  std::map<std::pair<int, int>, int> lose_next_;
  std::vector<base::Time> sends_until_, receives_until_;  // by rank
  uint64_t sent_ = 0;
  uint64_t lost_ = 0;
  uint64_t repeated_ = 0;
};

}  // namespace lockstep::sim
