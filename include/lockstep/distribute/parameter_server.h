#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "lockstep/distribute/parameter_server_mode.h"
#include "lockstep/distribute/partitioners.h"
#include "lockstep/distribute/strategy.h"

namespace lockstep {

struct ParameterServerOptions {
  ParameterServerMode mode = ParameterServerMode::Synchronous();
  /// Asynchronous and bounded: the rate of an update is divided by 1 + its staleness.
  bool scale_by_staleness = false;
  /// Into how many shards a weight of a layer is cut, and a `ShardedVariable` of the scope; none:
  /// it stays one. Which servers update which rows does not follow from it: variables, and so
  /// shards, of 4096 elements and more are cut evenly, a part for each server.
  Partitioner partitioner = {};
  /// Devices of each task; 0: LOCKSTEP_DEVICES, else its share of the cores of its host.
  int devices = 0;
  /// R; see `Strategy::num_replicas_in_sync`. 0: one a worker when synchronous, else 1.
  int replicas = 0;
  /// 0: 1.
  int threads_per_device = 0;
};

/// Workers that compute, and servers (the job "ps") that update variables and keep their slots,
/// each some rows of them. All tasks run the same program and call `Fit`, `Evaluate`, `Predict`,
/// `Train` alike; servers have no examples. Synchronous training has the bits of one process for
/// any number of workers and servers, through deaths and restarts of both. Where all servers are
/// gone, the workers update the rows themselves; where all workers are gone, the servers compute
/// until one comes. Source: tf.distribute.experimental.ParameterServerStrategy.
class ParameterServerStrategy : public Strategy {
 public:
  /// The tasks that the environment describes (TF_CONFIG, `lockstep launch`, Slurm, MPI, ...), once
  /// all of them are there. Errors: InvalidArgument with all mistakes of the description and the
  /// corrected form, or for an evaluator; DeadlineExceeded with who is missing; what transports and
  /// membership say.
  explicit ParameterServerStrategy(const ParameterServerOptions& options = {});
  /// For transports that are connected already, and whose roles are known.
  ParameterServerStrategy(std::shared_ptr<distribute::Communicator> tasks,
                          const ParameterServerOptions& options = {});

  const ParameterServerMode& mode() const { return options_.mode; }
  const ParameterServerOptions& options() const { return options_; }
  /// Servers of the present epoch.
  int num_servers() const;
  bool is_server() const;
  /// Asynchronous and bounded: how many updates came so many versions after the one that their
  /// worker had read, in all that was trained under this strategy.
  const std::map<int64_t, int64_t>& staleness() const { return staleness_; }
  /// For `Fit`.
  void NoteStaleness(const std::map<int64_t, int64_t>& counts);

 private:
  const ParameterServerOptions options_;
  std::map<int64_t, int64_t> staleness_;
};

}  // namespace lockstep
