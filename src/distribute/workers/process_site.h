#pragma once

#include <memory>
#include <string>

#include "base/event_loop.h"
#include "distribute/workers/site.h"
#include "net/grpc_rpc.h"

namespace lockstep::distribute {

/// This process: the thread that trains runs the data's loop, another one has the control plane;
/// transports by `net::Port`, calls by gRPC.
class ProcessSite final : public Site {
 public:
  /// Errors: thrown, those of port and calls.
  ProcessSite(const net::PortOptions& data, const net::GrpcOptions& control);

  base::Executor& data() override { return loop_; }
  bool Wait(const std::function<bool()>& done, base::Duration limit) override {
    return loop_.RunUntil(done, limit);
  }
  const std::string& data_address() const override { return port_->address(); }
  Result<std::unique_ptr<net::Transport>> Join(const net::Membership& membership) override {
    return port_->Join(membership);
  }
  void CloseData() override { port_.reset(); }
  base::Executor& control() override { return control_->executor(); }
  net::Rpc& rpc() override { return *rpc_; }
  base::Randomness& randomness() override { return randomness_; }
  void CloseControl() override { rpc_.reset(); }
  void WaitForControl(const std::function<bool()>& done) override {
    while (!loop_.RunUntil(done, std::chrono::hours(1))) {
    }
  }

 private:
  base::EventLoop loop_;
  std::unique_ptr<net::Port> port_;
  base::SystemRandomness randomness_;
  std::unique_ptr<base::EventThread> control_;
  std::unique_ptr<net::Rpc> rpc_;
};

}  // namespace lockstep::distribute
