#include "sim/network.h"

#include <algorithm>
#include <utility>

namespace lockstep::sim {

class Network::Port final : public net::Datagrams {
 public:
  Port(Network& network, Plane plane, int rank) : network_(network), plane_(plane), rank_(rank) {}
  int rank() const override { return rank_; }
  int num_ranks() const override { return network_.num_ranks_; }
  base::Executor& executor() override {
    return network_.scheduler_.executor(rank_, network_.LaneOf(plane_));
  }
  void Send(int to, net::Payload datagram) override { network_.Carry(plane_, rank_, to, datagram); }
  void OnReceive(std::function<void(int, const net::Payload&)> receive) override {
    receive_ = std::move(receive);
  }
  void Arrive(int from, const net::Payload& datagram) {
    if (receive_ != nullptr) receive_(from, datagram);
  }

 private:
  Network& network_;
  const Plane plane_;
  const int rank_;
  std::function<void(int, const net::Payload&)> receive_;
};

Network::Network(int num_ranks, const NetworkFaults& faults, Scheduler& scheduler,
                 base::Randomness& randomness, Trace& trace)
    : faults_(faults),
      scheduler_(scheduler),
      randomness_(randomness),
      trace_(trace),
      num_ranks_(num_ranks),
      sends_until_(num_ranks),
      receives_until_(num_ranks) {
  for (const Plane plane : {Plane::kTransport, Plane::kCalls, Plane::kPort})
    for (int rank = 0; rank < num_ranks; ++rank)
      ports_.push_back(std::make_unique<Port>(*this, plane, rank));
}

Network::~Network() = default;

net::Datagrams& Network::port(int rank, Plane plane) {
  return *ports_[static_cast<int>(plane) * num_ranks_ + rank];
}

void Network::CutOneWay(int from, int to) {
  trace_.Note(scheduler_.Now(), "cut", from, to);
  cuts_.insert({from, to});
}

void Network::Partition(const std::set<int>& side) {
  for (int inside : side) {
    for (int outside = 0; outside < num_ranks_; ++outside) {
      if (side.contains(outside)) continue;
      CutOneWay(inside, outside);
      CutOneWay(outside, inside);
    }
  }
}

void Network::Heal() {
  trace_.Note(scheduler_.Now(), "heal", -1);
  cuts_.clear();
}

void Network::LoseNext(int from, int to, int datagrams) { lose_next_[{from, to}] += datagrams; }

bool Network::IsLost(int from, int to) {
  const bool by_chance = randomness_.Chance(faults_.loss);
  if (const auto next = lose_next_.find({from, to}); next != lose_next_.end()) {
    if (--next->second == 0) lose_next_.erase(next);
    return true;
  }
  return by_chance || cuts_.contains({from, to});
}

base::Duration Network::TimeOnWire(int from, int to, size_t bytes) {
  if (faults_.nanoseconds_a_byte <= 0) return {};
  const base::Duration time(
      static_cast<int64_t>(faults_.nanoseconds_a_byte * static_cast<double>(bytes)));
  const base::Time now = scheduler_.Now();
  sends_until_[from] = std::max(sends_until_[from], now) + time;
  receives_until_[to] = std::max(sends_until_[from], receives_until_[to] + time);
  return receives_until_[to] - now;
}

void Network::Carry(Plane plane, int from, int to, const net::Payload& datagram) {
  if (!scheduler_.alive(from)) return;  // what a dead one's destructors say
  ++sent_;
  const uint64_t content = HashBytes(datagram.bytes());
  if (IsLost(from, to)) {
    ++lost_;
    trace_.Note(scheduler_.Now(), "lose", from, to, content);
    return;
  }
  const int copies = randomness_.Chance(faults_.repeat) ? 2 : 1;
  repeated_ += static_cast<uint64_t>(copies - 1);
  for (int copy = 0; copy < copies; ++copy) {
    const bool is_stray = randomness_.Chance(faults_.stray);
    const base::Duration longest = is_stray ? faults_.stray_delay : faults_.longest_delay;
    const base::Duration delay(
        randomness_.Between(faults_.shortest_delay.count(), longest.count()) +
        TimeOnWire(from, to, datagram.size()).count());
    trace_.Note(scheduler_.Now(), "carry", from, to, content);
    scheduler_.PostAt(
        to, scheduler_.Now() + delay,
        [this, plane, from, to, datagram] {
          // A cut takes what is under way, too.
          if (cuts_.contains({from, to})) return;
          trace_.Note(scheduler_.Now(), "arrive", to, from);
          static_cast<Port&>(port(to, plane)).Arrive(from, datagram);
        },
        LaneOf(plane));
  }
}

}  // namespace lockstep::sim
