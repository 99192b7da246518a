#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

namespace base {
class Team;
}

/// Who computes: how many replicas a program has, which is part of its meaning, and how many
/// devices and threads carry them out, which changes nothing but the time. Source:
/// tf.distribute.Strategy.
class Strategy {
 public:
  virtual ~Strategy();
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  /// R: over how many replicas a global batch is divided. Never depends on the machine.
  int num_replicas_in_sync() const { return replicas_; }
  /// Over how many devices the work is spread.
  int num_devices() const { return devices_; }
  const std::string& name() const { return name_; }

  /// While it lives, models and variables made by this thread belong to the strategy, and ops run
  /// on its devices. RuntimeError-like FailedPrecondition when another strategy's scope is open.
  class Scope {
   public:
    explicit Scope(Strategy& strategy);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    struct State;
    std::unique_ptr<State> state_;
  };
  [[nodiscard]] Scope scope() { return Scope(*this); }

  /// The lanes of all devices.
  base::Team& team() { return *team_; }

 protected:
  Strategy(std::string name, int replicas, int devices, int threads_per_device);

 private:
  std::string name_;
  int replicas_;
  int devices_;
  std::unique_ptr<base::Team> team_;
};

struct MirroredOptions {
  /// Devices of this process; 0: the number of cores.
  int devices = 0;
  /// R; see `Strategy::num_replicas_in_sync`.
  int replicas = 1;
  int threads_per_device = 1;
};

/// Replicas of one process that stay equal: every weight has one value, gradients are summed over
/// replicas by the canonical tree. Source: tf.distribute.MirroredStrategy; without accelerators it
/// has one replica by default there too.
class MirroredStrategy : public Strategy {
 public:
  explicit MirroredStrategy(const MirroredOptions& options = {});
};

/// One replica on one device. Source: tf.distribute.OneDeviceStrategy.
class OneDeviceStrategy : public Strategy {
 public:
  explicit OneDeviceStrategy(int threads = 1);
};

/// The strategy whose scope is open on this thread, else the default one (one replica, this
/// thread).
Strategy& GetStrategy();
/// Whether a scope is open on this thread.
bool HasStrategy();

}  // namespace lockstep
