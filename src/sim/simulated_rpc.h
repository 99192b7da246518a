#pragma once

#include <functional>
#include <map>
#include <string>

#include "net/datagrams.h"
#include "net/rpc.h"

namespace lockstep::sim {

/// Calls over a simulated wire. What the wire loses is lost, what it repeats is handled twice.
class SimulatedRpc final : public net::Rpc {
 public:
  /// `refuses` says whether a rank is dead in a way that its callers notice. Calls are numbered
  /// from a random `first_call` on, so that no answer to a dead process meets its successor.
  SimulatedRpc(net::Datagrams& datagrams, uint64_t first_call, std::function<bool(int)> refuses);
  ~SimulatedRpc() override;

  base::Executor& executor() override { return datagrams_.executor(); }
  const std::string& address() const override { return address_; }
  void Call(const std::string& address, const std::string& method, std::string request,
            base::Duration timeout, Answer done) override;
  void Serve(const std::string& method, Handler handler) override;

  /// Fails the calls to a rank that has died, if that is noticed.
  void PeerEnded(int rank);

 private:
  struct Pending {
    int to = 0;
    Answer done;
    base::Timer timeout;
  };
  void Arrive(int from, const net::Payload& datagram);
  void HandleRequest(int from, uint64_t call, const std::string& method, std::string request);
  void End(uint64_t call, Result<std::string> result);

  net::Datagrams& datagrams_;
  const std::string address_;
  const std::function<bool(int)> refuses_;
  uint64_t next_call_;
  std::map<uint64_t, Pending> pending_;
  std::map<std::string, Handler> handlers_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // answers that come later look at it
};

}  // namespace lockstep::sim
