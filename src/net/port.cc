#include "net/port.h"

#include <algorithm>
#include <utility>

#include "net/address.h"
#include "net/heart.h"
#include "net/linked_endpoint.h"
#include "net/shared_memory_rendezvous.h"

namespace lockstep::net {
namespace {

class PortTransport final : public LinkedEndpoint {
 public:
  PortTransport(const Place& place, base::EventLoop& loop)
      : LinkedEndpoint(place.rank, place.num_ranks, loop), place_(place), loop_(loop) {}
  ~PortTransport() override {
    // Peers shall see a leave, and no lost connection.
    if (hub_ != nullptr) hub_->SayLeave();
    if (rendezvous_ != nullptr) rendezvous_->Leave();
    if (tcp_ != nullptr) tcp_->Leave();
    DropLinks();
  }

  // Reaches the peers with a name in `names` through shared memory.
  Status ShareMemory(const PortOptions& options, Heart& heart, SharedMemoryRendezvous& rendezvous,
                     std::vector<std::string> names) {
    auto hub = SharedMemoryHub::Create(place_, options.shared_memory, loop_, heart, *this);
    if (!hub.ok()) return hub.status();
    hub_ = std::move(*hub);
    for (int peer = 0; peer < num_ranks(); ++peer)
      if (!names[peer].empty()) SetLink(peer, hub_->MakeLink(peer));
    rendezvous_ = &rendezvous;
    rendezvous.Join(place_, hub_->control(), std::move(names), options.connect_limit,
                    [this](int peer, Result<SharedMemoryRendezvous::Met> met) {
                      Status status = met.status();
                      if (met.ok())
                        status =
                            hub_->Connect(peer, std::move(met->socket), std::move(met->control));
                      if (!status.ok()) hub_->Refuse(peer, std::move(status));
                    });
    return Status::Ok();
  }

  // Reaches the peers with an address in `addresses` over TCP.
  void Connect(TcpPort& tcp, const std::vector<std::string>& addresses, base::Duration limit,
               bool encrypts) {
    tcp_ = &tcp;
    tcp.Join(place_, addresses, limit);
    for (int peer = 0; peer < num_ranks(); ++peer)
      if (!addresses[peer].empty()) SetLink(peer, tcp.MakeLink(peer, loop_, *this));
    addresses_ = addresses;
    encrypts_ = encrypts;
  }

  Block Allocate(size_t bytes) override {
    if (hub_ != nullptr)
      if (auto block = hub_->Allocate(bytes); block.ok()) return std::move(*block);
    return Block::OnHeap(bytes);
  }
  bool SharesMemoryWith(int peer) const override {
    return hub_ != nullptr && (addresses_.empty() || addresses_[static_cast<size_t>(peer)].empty());
  }
  bool IsShared(std::span<const std::byte> bytes) const override {
    return hub_ != nullptr && hub_->Holds(bytes);
  }

 private:
  std::string RoadTo(int peer) const override {
    return SharesMemoryWith(peer) ? "shared_memory" : encrypts_ ? "tls" : "tcp";
  }

  const Place place_;
  base::EventLoop& loop_;
  std::unique_ptr<SharedMemoryHub> hub_;
  SharedMemoryRendezvous* rendezvous_ = nullptr;
  TcpPort* tcp_ = nullptr;
  std::vector<std::string> addresses_;  // by rank; empty: memory is shared
  bool encrypts_ = false;
};

Status NoRoad(int peer, const Address& there, const std::string& here) {
  return Status(Code::kInvalidArgument,
                "[net] this task and rank " + std::to_string(peer) +
                    " must have a road in common; got '" + there.ToString() + "' there and '" +
                    here +
                    "' here; share memory on one host (same network namespace, same user), or "
                    "give both an address for TCP");
}

}  // namespace

Port::Port(base::EventLoop& loop, const PortOptions& options)
    : loop_(loop), options_(options), host_(HostId()) {}

Port::~Port() = default;

Result<std::unique_ptr<Port>> Port::Open(base::EventLoop& loop, const PortOptions& options) {
  std::unique_ptr<Port> port(new Port(loop, options));
  Address address;
  if (options.use_shared_memory) {
    auto rendezvous = SharedMemoryRendezvous::Open(loop, options.job);
    if (!rendezvous.ok()) return rendezvous.status();
    port->rendezvous_ = std::move(*rendezvous);
    port->heart_ = std::make_unique<Heart>(options.beat_interval);
    address.host = port->host_;
    address.shared_memory = port->rendezvous_->name();
  }
  if (!options.tcp.listen.empty()) {
    std::unique_ptr<Tls> tls;
    if (!options.tcp.plain_text) {
      if (!options.credentials.has_value())
        return Status(Code::kInvalidArgument,
                      "[net] TCP must be encrypted; got no credentials for " + options.tcp.listen +
                          "; make them with `lockstep cert --out DIR` and set "
                          "LOCKSTEP_CREDENTIALS=DIR in every task, or say that the network is "
                          "trusted");
      auto made = Tls::Create(*options.credentials);
      if (!made.ok()) return made.status();
      tls = std::move(*made);
    }
    auto tcp = TcpPort::Open(options.tcp, options.job, std::move(tls));
    if (!tcp.ok()) return tcp.status();
    port->tcp_ = std::move(*tcp);
    address.tcp = port->tcp_->address();
  }
  port->address_ = address.ToString();
  if (port->address_.empty())
    return Status(Code::kInvalidArgument,
                  "[net] a port must offer a road; got neither shared memory nor an address for "
                  "TCP; give one of them");
  return port;
}

Result<std::unique_ptr<Transport>> Port::Join(const Membership& membership) {
  const int num_ranks = static_cast<int>(membership.addresses.size());
  const int rank = membership.rank;
  if (rank < 0 || rank >= num_ranks || membership.addresses[rank] != address_)
    return Status(Code::kInvalidArgument,
                  "[net] a membership must have this task's address at its rank; got rank " +
                      std::to_string(rank) + " of " + std::to_string(num_ranks) + " for '" +
                      address_ + "'");
  std::vector<std::string> names(num_ranks), addresses(num_ranks);
  bool shares = false, connects = false;
  for (int peer = 0; peer < num_ranks; ++peer) {
    if (peer == rank) continue;
    auto there = Address::Parse(membership.addresses[peer]);
    if (!there.ok()) return there.status();
    if (rendezvous_ != nullptr && !there->shared_memory.empty() && there->host == host_) {
      names[peer] = there->shared_memory;
      shares = true;
    } else if (tcp_ != nullptr && !there->tcp.empty()) {
      addresses[peer] = there->tcp;
      connects = true;
    } else {
      return NoRoad(peer, *there, address_);
    }
  }
  auto transport = std::make_unique<PortTransport>(Place{membership.id, rank, num_ranks}, loop_);
  if (connects)
    transport->Connect(*tcp_, addresses, options_.connect_limit, !options_.tcp.plain_text);
  if (shares) {
    Status status = transport->ShareMemory(options_, *heart_, *rendezvous_, std::move(names));
    if (!status.ok()) return status;
  }
  return std::unique_ptr<Transport>(std::move(transport));
}

}  // namespace lockstep::net
