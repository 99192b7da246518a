#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "net/port.h"
#include "net/reliable.h"
#include "sim/world.h"

namespace lockstep::sim {

/// What net::Port is to a process: makes the transport of each membership, over the simulated wire.
/// A peer that has gone to a later membership, or home, is told apart from one whose process has
/// ended, and from one that is silent.
/// Threads: the rank's first lane.
class SimulatedPort {
 public:
  SimulatedPort(World& world, int rank, const net::ReliableOptions& options);
  ~SimulatedPort();

  const std::string& address() const { return address_; }
  /// As net::Port::Join; one transport at a time, to go before the port.
  Result<std::unique_ptr<net::Transport>> Join(const net::Membership& membership);

 private:
  class Wire;
  class Joined;
  void Arrive(int from, const net::Payload& datagram);
  void Say(int to, uint8_t what, uint64_t membership, const net::Payload& rest);

  World& world_;
  net::Datagrams& datagrams_;
  const net::ReliableOptions options_;
  const std::string address_;
  Joined* joined_ = nullptr;
  uint64_t newest_ = 0;      // of the memberships that were joined
  std::set<uint64_t> left_;  // memberships that this rank has gone from
};

}  // namespace lockstep::sim
