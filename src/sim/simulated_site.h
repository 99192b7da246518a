#pragma once

#include <memory>
#include <string>

#include "base/randomness.h"
#include "distribute/workers/site.h"
#include "sim/program.h"
#include "sim/simulated_port.h"

namespace lockstep::sim {

/// A rank of a simulated world as the site of a task: its program waits on the first lane, calls
/// and membership live on the second.
class SimulatedSite final : public distribute::Site {
 public:
  /// `program` outlives it. The world has two lanes a rank.
  SimulatedSite(Program& program, const net::ReliableOptions& options = {})
      : program_(program),
        randomness_(program.world().randomness().Next()),
        port_(std::make_unique<SimulatedPort>(program.world(), program.rank(), options)),
        address_(port_->address()) {}

  base::Executor& data() override { return program_.world().executor(program_.rank(), 0); }
  bool Wait(const std::function<bool()>& done, base::Duration limit) override {
    return program_.Wait(done, limit);
  }
  const std::string& data_address() const override { return address_; }
  Result<std::unique_ptr<net::Transport>> Join(const net::Membership& membership) override {
    return port_->Join(membership);
  }
  void CloseData() override {
    program_.BeginToEnd();
    port_.reset();
  }
  base::Executor& control() override { return program_.world().executor(program_.rank(), 1); }
  net::Rpc& rpc() override { return program_.world().rpc(program_.rank()); }
  base::Randomness& randomness() override { return randomness_; }
  void CloseControl() override {}
  // A rank that was killed has no work of control any more.
  void WaitForControl(const std::function<bool()>& done) override {
    program_.Wait(done, std::chrono::seconds(5));
  }

 private:
  Program& program_;
  base::SeededRandomness randomness_;
  std::unique_ptr<SimulatedPort> port_;
  const std::string address_;
};

}  // namespace lockstep::sim
