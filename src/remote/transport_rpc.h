#pragma once

#include <map>
#include <memory>
#include <string>

#include "net/rpc.h"
#include "net/transport.h"

namespace lockstep::remote {

/// Calls between the two ranks of a transport, in its current epoch. When the epoch ends, calls
/// that wait are Unavailable.
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
  bool broken() const { return transport_.aborted() != nullptr; }
  /// Called when the epoch has ended.
  void OnEnd(std::function<void()> ended) { ended_ = std::move(ended); }

 private:
  struct Pending {
    Answer done;
    base::Timer timeout;
  };
  void Send(uint8_t kind, uint64_t call, std::string_view head, std::string_view body);
  void Take(const net::Message& message);
  void End(uint64_t call, Result<std::string> result);
  void EndAll(const Status& status);

  net::Transport& transport_;
  const std::string address_;
  uint64_t next_call_ = 0;
  std::map<uint64_t, Pending> pending_;
  std::map<std::string, Handler> handlers_;
  std::function<void()> ended_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace lockstep::remote
