#include "net/tcp_port.h"

#include <utility>

#include "net/tcp_side.h"

namespace lockstep::net {

// The endpoint's end of a connection: everything goes to the port's thread.
class TcpLink final : public Link {
 public:
  TcpLink(base::EventLoop& loop, std::shared_ptr<TcpSide> side, std::shared_ptr<TcpBridge> bridge)
      : loop_(loop), side_(std::move(side)), bridge_(std::move(bridge)) {
    loop_.Post([side = side_, bridge = bridge_] { side->Bind(bridge); });
  }
  ~TcpLink() override { bridge_->events = nullptr; }

  void Send(const Message& message) override {
    loop_.Post([side = side_, peer = bridge_->peer, message] { side->Send(peer, message); });
  }
  void TellAbort(Epoch epoch, const Abort& abort) override {
    loop_.Post([side = side_, peer = bridge_->peer, epoch, abort] {
      side->TellAbort(peer, epoch, abort);
    });
  }
  void AbandonBefore(Epoch oldest) override {
    loop_.Post([side = side_, peer = bridge_->peer, oldest] { side->AbandonBefore(peer, oldest); });
  }
  void Revive() override {
    loop_.Post([side = side_, peer = bridge_->peer] { side->Revive(peer); });
  }

 private:
  base::EventLoop& loop_;
  const std::shared_ptr<TcpSide> side_;
  const std::shared_ptr<TcpBridge> bridge_;
};

Result<std::unique_ptr<TcpPort>> TcpPort::Open(const TcpOptions& options, uint64_t job,
                                               std::unique_ptr<Tls> tls) {
  auto listener = ListenTcp(options.listen);
  if (!listener.ok()) return listener.status();
  std::unique_ptr<TcpPort> port(new TcpPort);
  port->address_ = options.advertise.empty() ? listener->address : options.advertise;
  base::EventLoop& loop = port->thread_.loop();
  port->side_ =
      std::make_shared<TcpSide>(loop, options, job, std::move(tls), std::move(listener->socket));
  loop.Post([side = port->side_, &loop] {
    // Whoever computes needs the core more than a thread that waits for packets.
    loop.set_patience({.spins = 0, .yielding = base::Duration{0}});
    side->Listen();
  });
  return port;
}

TcpPort::~TcpPort() {
  thread_.executor().Post([this] {
    side_->Close([this] {
      side_.reset();
      thread_.loop().Stop();
    });
  });
  thread_.Join();
}

void TcpPort::Join(const Place& place, std::vector<std::string> addresses,
                   base::Duration connect_limit) {
  thread_.executor().Post([side = side_, place, addresses = std::move(addresses), connect_limit] {
    side->Join(place, addresses, connect_limit);
  });
}

void TcpPort::Leave() {
  thread_.executor().Post([side = side_] { side->Leave(); });
}

std::unique_ptr<Link> TcpPort::MakeLink(int peer, base::Executor& executor, LinkEvents& events) {
  return std::make_unique<TcpLink>(thread_.loop(), side_,
                                   std::make_shared<TcpBridge>(executor, &events, peer));
}

}  // namespace lockstep::net
