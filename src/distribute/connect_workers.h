#pragma once

#include <memory>

#include "cluster/description.h"
#include "distribute/communicator.h"

namespace lockstep::distribute {

struct ConnectOptions {
  /// Of the whole job; 0: follows from the cluster.
  int replicas = 0;
  int devices = 0;
  /// How long to wait for all tasks.
  base::Duration limit = std::chrono::minutes(10);
};

/// Joins the job of which this process is a task, as its description says, and connects to all
/// other workers: shared memory on one host, else TLS over TCP. Blocks until all are there. The
/// task listens at its own address of the description for the control plane, and at a free port of
/// the same interface for data; addresses that nobody said are loopback's. Environment:
/// LOCKSTEP_TOKEN, and LOCKSTEP_CREDENTIALS, a directory that `lockstep cert` made, which hosts
/// that are not this one need. Errors: thrown, those of the transports and of the membership;
/// DeadlineExceeded with who is missing.
std::shared_ptr<Communicator> ConnectWorkers(const cluster::Description& description,
                                             const cluster::Environment& environment,
                                             const ConnectOptions& options);

}  // namespace lockstep::distribute
