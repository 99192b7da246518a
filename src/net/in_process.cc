#include "net/in_process.h"

#include <deque>
#include <utility>

#include "net/endpoint.h"

namespace lockstep::net {
namespace {}  // namespace

class InProcessNetwork::Port final : public Endpoint {
 public:
  Port(int rank, int num_ranks, base::Executor& executor) : Endpoint(rank, num_ranks, executor) {}

  void Connect(const std::vector<std::shared_ptr<Port>>& ports) {
    peers_.assign(ports.begin(), ports.end());
  }

 private:
  std::string RoadTo(int) const override { return "in_process"; }
  // Runs `work` on a peer's executor, if the peer still lives then.
  template <typename F>
  void PostTo(int to, F work) {
    const std::shared_ptr<Port> peer = peers_[to].lock();
    if (peer == nullptr) return;
    peer->executor().Post([weak = peers_[to], work = std::move(work)] {
      if (const auto port = weak.lock()) work(*port);
    });
  }

  void SendOut(int to, Message message) override {
    PostTo(to, [from = rank(), message = std::move(message)](Port& port) {
      port.Arrive(from, message);
    });
  }

  void TellAbort(Epoch epoch, const Abort& abort) override {
    for (int to = 0; to < num_ranks(); ++to)
      if (to != rank()) PostTo(to, [epoch, abort](Port& port) { port.EndEpoch(epoch, abort); });
  }

  void Abandon() override {
    std::erase_if(later_, [this](const auto& waiting) {
      return waiting.second.epoch < epoch() ||
             (waiting.second.epoch == epoch() && aborted() != nullptr);
    });
  }

  void RetryLater() override {
    retry_.StartAt(executor(), executor().Now(), [this] { Retry(); });
  }

  void Arrive(int from, const Message& message) {
    if (Deliver(from, message) == Receipt::kTaken) return;
    later_.emplace_back(from, message);
    // A future epoch or a missing handler calls RetryLater itself.
    retry_.StartAfter(executor(), kRetryInterval, [this] { Retry(); });
  }

  void Retry() {
    std::deque<std::pair<int, Message>> waiting;
    waiting.swap(later_);
    for (const auto& [from, message] : waiting)
      if (Deliver(from, message) == Receipt::kLater) later_.emplace_back(from, message);
    if (!later_.empty()) retry_.StartAfter(executor(), kRetryInterval, [this] { Retry(); });
  }

  std::vector<std::weak_ptr<Port>> peers_;
  std::deque<std::pair<int, Message>> later_;
  base::Timer retry_;
};

InProcessNetwork::InProcessNetwork(const std::vector<base::Executor*>& executors) {
  const int ranks = static_cast<int>(executors.size());
  for (int rank = 0; rank < ranks; ++rank)
    ports_.push_back(std::make_shared<Port>(rank, ranks, *executors[rank]));
  for (const auto& port : ports_) port->Connect(ports_);
}

InProcessNetwork::~InProcessNetwork() = default;

Transport& InProcessNetwork::transport(int rank) { return *ports_[rank]; }

}  // namespace lockstep::net
