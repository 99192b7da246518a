#include "sim/simulated_port.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "net/little_endian.h"

namespace lockstep::sim {
namespace {

// What a datagram of a port begins with; the membership's number follows.
constexpr uint8_t kData = 0;    // a datagram of the transport
constexpr uint8_t kLeave = 1;   // the sender is not in the membership any more
constexpr uint8_t kNotYet = 2;  // the sender is not in it yet, but runs
// "Later" of the reliable transport: the peer runs, and was not ready to take anything.
constexpr uint8_t kLater = 4;

int RankAt(const std::string& address) {
  return address.starts_with("rank:") ? std::atoi(address.c_str() + 5) : -1;
}

}  // namespace

// The wire as the ranks of one membership see it.
class SimulatedPort::Wire final : public net::Datagrams {
 public:
  Wire(SimulatedPort& port, const net::Membership& membership, std::vector<int> tasks)
      : port_(port), membership_(membership), tasks_(std::move(tasks)) {}
  int rank() const override { return membership_.rank; }
  int num_ranks() const override { return static_cast<int>(tasks_.size()); }
  base::Executor& executor() override { return port_.datagrams_.executor(); }
  void Send(int to, net::Payload datagram) override {
    port_.Say(tasks_[to], kData, membership_.id, datagram);
  }
  void OnReceive(std::function<void(int, const net::Payload&)> receive) override {
    receive_ = std::move(receive);
  }
  void Arrive(int from, const net::Payload& datagram) {
    if (receive_ != nullptr) receive_(from, datagram);
  }
  uint64_t id() const { return membership_.id; }
  int task(int rank) const { return tasks_[rank]; }
  int RankOfTask(int task) const {
    const auto place = std::find(tasks_.begin(), tasks_.end(), task);
    return place == tasks_.end() ? -1 : static_cast<int>(place - tasks_.begin());
  }

 private:
  SimulatedPort& port_;
  const net::Membership membership_;
  const std::vector<int> tasks_;  // by rank
  std::function<void(int, const net::Payload&)> receive_;
};

class SimulatedPort::Joined final : public net::Transport {
 public:
  Joined(SimulatedPort& port, const net::Membership& membership, std::vector<int> tasks)
      : port_(port),
        wire_(port, membership, std::move(tasks)),
        reliable_(net::MakeReliable(wire_, port.options_)) {
    port_.joined_ = this;
    port_.newest_ = std::max(port_.newest_, membership.id);
  }
  ~Joined() override {
    port_.joined_ = nullptr;
    port_.left_.insert(wire_.id());
    for (int peer = 0; peer < num_ranks(); ++peer)
      if (peer != rank()) port_.Say(wire_.task(peer), kLeave, wire_.id(), {});
  }

  int rank() const override { return wire_.rank(); }
  int num_ranks() const override { return wire_.num_ranks(); }
  base::Executor& executor() override { return wire_.executor(); }
  void Send(int to, net::Message message) override { reliable_->Send(to, std::move(message)); }
  void Listen(net::Channel channel, Receive receive) override {
    reliable_->Listen(channel, std::move(receive));
  }
  net::Epoch epoch() const override { return reliable_->epoch(); }
  void EnterEpoch(net::Epoch epoch) override { reliable_->EnterEpoch(epoch); }
  void AbortEpoch(Status reason) override { reliable_->AbortEpoch(std::move(reason)); }
  const net::Abort* aborted() const override { return reliable_->aborted(); }
  void WatchAborts(Watch watch) override { reliable_->WatchAborts(std::move(watch)); }
  std::vector<net::Loss> losses() const override {
    std::vector<net::Loss> all = losses_;
    for (const net::Loss& silent : reliable_->losses()) all.push_back(silent);
    return all;
  }

  Wire& wire() { return wire_; }
  void Lose(int task, const char* how, bool ended) {
    const int peer = wire_.RankOfTask(task);
    const auto is_known = [peer](const net::Loss& loss) { return loss.rank == peer; };
    if (peer < 0 || std::any_of(losses_.begin(), losses_.end(), is_known)) return;
    const Status why(Code::kUnavailable,
                     "[net] rank " + std::to_string(peer) + " must stay; got " + how);
    losses_.push_back({peer, why, ended, !ended});
    AbortEpoch(why);
  }

 private:
  SimulatedPort& port_;
  Wire wire_;
  std::unique_ptr<net::Transport> reliable_;
  std::vector<net::Loss> losses_;
};

SimulatedPort::SimulatedPort(World& world, int rank, const net::ReliableOptions& options)
    : world_(world),
      datagrams_(world.network().port(rank, Network::Plane::kPort)),
      options_(options),
      address_("rank:" + std::to_string(rank)) {
  datagrams_.OnReceive([this](int from, const net::Payload& datagram) { Arrive(from, datagram); });
  world_.OnEnd(rank, [this](int other) {
    if (joined_ != nullptr) joined_->Lose(other, "the end of its process", /*ended=*/true);
  });
}

SimulatedPort::~SimulatedPort() {
  datagrams_.OnReceive(nullptr);
  world_.OnEnd(datagrams_.rank(), nullptr);
}

Result<std::unique_ptr<net::Transport>> SimulatedPort::Join(const net::Membership& membership) {
  std::vector<int> tasks;
  for (const std::string& address : membership.addresses) tasks.push_back(RankAt(address));
  const auto place = static_cast<size_t>(membership.rank);
  if (place >= tasks.size() || tasks[place] != datagrams_.rank())
    return Status(Code::kInvalidArgument,
                  "[net] a membership must have this task's address at its rank; got rank " +
                      std::to_string(membership.rank) + " for " + address_);
  return std::unique_ptr<net::Transport>(
      std::make_unique<Joined>(*this, membership, std::move(tasks)));
}

void SimulatedPort::Say(int to, uint8_t what, uint64_t membership, const net::Payload& rest) {
  auto datagram = std::make_shared<net::Bytes>();
  datagram->reserve(9 + rest.size());
  net::FieldWriter(datagram.get()).Put(what).Put(membership).PutBytes(rest.data(), rest.size());
  datagrams_.Send(to, std::move(datagram));
}

void SimulatedPort::Arrive(int from, const net::Payload& datagram) {
  net::FieldReader reader(datagram.bytes());
  const auto what = reader.Take<uint8_t>();
  const auto membership = reader.Take<uint64_t>();
  const bool is_present = joined_ != nullptr && joined_->wire().id() == membership;
  if (what == kData && !is_present) {
    const bool is_over = left_.contains(membership) || membership < newest_;
    return Say(from, is_over ? kLeave : kNotYet, membership, {});
  }
  if (!is_present) return;
  const int peer = joined_->wire().RankOfTask(from);
  if (peer < 0) return;
  if (what == kLeave) return joined_->Lose(from, "its leave", /*ended=*/false);
  if (what == kData)
    return joined_->wire().Arrive(peer, net::Payload(datagram.owner(), reader.rest()));
  auto later = std::make_shared<net::Bytes>();
  net::FieldWriter(later.get()).Put(kLater).Put(uint64_t{0}).Put(uint64_t{0});
  joined_->wire().Arrive(peer, net::Payload(std::move(later)));
}

}  // namespace lockstep::sim
