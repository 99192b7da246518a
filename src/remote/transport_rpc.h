#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "net/rpc.h"
#include "net/transport.h"

namespace lockstep::remote {

/// Calls between the two ranks of a transport, in its current epoch. When the epoch ends, calls
/// that wait are Unavailable. Bodies are read where the sender has laid them, until so much of its
/// memory is lent (`kMostLentBytes`, `kMostLentBodies`) that what follows is copied.
class TransportRpc final : public net::Rpc {
 public:
  /// `transport` outlives it.
  TransportRpc(net::Transport& transport, std::string address);
  ~TransportRpc() override;

  base::Executor& executor() override { return transport_.executor(); }
  const std::string& address() const override { return address_; }
  /// Whatever the address, to the other rank.
  void Call(const std::string& address, const std::string& method, std::string request,
            base::Duration timeout, Answer done) override;
  void Serve(const std::string& method, Handler handler) override;
  void CallParcel(const std::string& address, const std::string& method, net::Parcel request,
                  base::Duration timeout, ParcelAnswer done) override;
  void ServeParcels(const std::string& method, ParcelHandler handler) override;
  bool broken() const { return transport_.aborted() != nullptr; }
  /// Called when the epoch has ended.
  void OnEnd(std::function<void()> ended) { ended_ = std::move(ended); }

  /// Who keeps results may keep no more than this of the other side's memory.
  static constexpr size_t kMostLentBytes = size_t{1} << 30;
  static constexpr size_t kMostLentBodies = 1024;
  size_t lent_bodies() const { return lent_->bodies.load(std::memory_order_relaxed); }

 private:
  struct Pending {
    ParcelAnswer done;
    base::Timer timeout;
  };
  struct Lent {
    std::atomic<size_t> bytes{0};
    std::atomic<size_t> bodies{0};
  };
  void Send(uint8_t kind, uint64_t call, std::string_view name, const net::Parcel& parcel);
  void Take(const net::Message& message);
  void Handle(uint64_t call, const std::string& method, net::Parcel request);
  net::Payload Borrow(const net::Payload& body);
  void End(uint64_t call, Result<net::Parcel> result);
  void EndAll(const Status& status);

  net::Transport& transport_;
  const std::string address_;
  uint64_t next_call_ = 0;
  std::map<uint64_t, Pending> pending_;
  std::map<std::string, ParcelHandler> handlers_;
  const std::shared_ptr<Lent> lent_ = std::make_shared<Lent>();
  std::function<void()> ended_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace lockstep::remote
