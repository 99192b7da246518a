#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/event_loop.h"
#include "base/randomness.h"
#include "net/rpc.h"
#include "remote/transport_rpc.h"

namespace lockstep::net {
class Port;
}

namespace lockstep::remote {

inline constexpr char kAttach[] = "remote.attach";

/// Two processes of a host, and the memory that they share: a transport of two ranks, of which the
/// server is 0.
class SharedRoad {
 public:
  SharedRoad();
  ~SharedRoad();
  /// Opens this end. Errors: those of net::Port::Open.
  Status Open(base::EventLoop& loop, uint64_t job);
  const std::string& address() const;
  /// Joins with the other end's address.
  Status Join(int rank, const std::string& peer, const std::string& name);
  TransportRpc& rpc() { return *rpc_; }

 private:
  std::unique_ptr<net::Port> port_;
  std::unique_ptr<net::Transport> transport_;
  std::unique_ptr<TransportRpc> rpc_;
};

/// A client's calls: through shared memory to servers of this host that take part, else by another
/// `Rpc`, which outlives it.
class Roads final : public net::Rpc {
 public:
  /// With `attaches`, the first call of a server of this host with tensors asks for a road, too.
  Roads(net::Rpc& rpc, base::EventLoop& loop, base::Randomness& randomness, bool attaches = false);
  ~Roads() override;

  base::Executor& executor() override { return rpc_.executor(); }
  const std::string& address() const override { return rpc_.address(); }
  void Call(const std::string& address, const std::string& method, std::string request,
            base::Duration timeout, Answer done) override;
  void Serve(const std::string& method, Handler handler) override {
    rpc_.Serve(method, std::move(handler));
  }
  void CallParcel(const std::string& address, const std::string& method, net::Parcel request,
                  base::Duration timeout, ParcelAnswer done) override;
  void ServeParcels(const std::string& method, ParcelHandler handler) override {
    rpc_.ServeParcels(method, std::move(handler));
  }
  /// Asks the server at `address`, which is of this host, for a shared road; `done` either way.
  void Attach(const std::string& address, std::function<void()> done);

 private:
  net::Rpc& WayTo(const std::string& address) const;
  void AttachOnUse(const std::string& address);

  net::Rpc& rpc_;
  base::EventLoop& loop_;
  base::Randomness& randomness_;
  const bool attaches_;
  std::map<std::string, base::Time> asked_;  // since when, where calls ask for roads
  std::map<std::string, std::unique_ptr<SharedRoad>> roads_;
  std::map<uint64_t, std::unique_ptr<SharedRoad>> joining_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

/// A server's side: opens a road for each client that asks.
class RoadServer {
 public:
  /// `serve` lets the methods be served on a road, and is called once for each.
  RoadServer(net::Rpc& rpc, base::EventLoop& loop, std::function<void(net::Rpc&)> serve);
  ~RoadServer();

 private:
  void Attach(const std::string& request, const net::Rpc::Answer& answer);

  net::Rpc& rpc_;
  base::EventLoop& loop_;
  const std::function<void(net::Rpc&)> serve_;
  std::map<uint64_t, std::unique_ptr<SharedRoad>> roads_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace lockstep::remote
