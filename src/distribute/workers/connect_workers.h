#pragma once

#include <memory>

#include "cluster/description.h"
#include "distribute/workers/communicator.h"
#include "distribute/workers/flight_reporter.h"
#include "distribute/workers/membership_roster.h"

namespace lockstep::distribute {

struct ConnectOptions {
  /// Of the whole job; 0: follows from the cluster.
  int replicas = 0;
  int devices = 0;
  /// Whether servers (the job "ps") take part, with ranks after the workers'.
  bool servers = false;
  /// How long to wait for all tasks.
  base::Duration limit = std::chrono::minutes(10);
};

/// Joins the job of which this process is a task, as its description says, and connects to all
/// other workers: shared memory on one host, else TLS over TCP. Blocks until all are there. The
/// task listens at its own address of the description for the control plane, and at a free port of
/// the same interface for data; if nobody said its address, at loopback's, or where the way to the
/// tasks on other hosts begins. Environment:
/// LOCKSTEP_TOKEN, and LOCKSTEP_CREDENTIALS, a directory that `lockstep cert` made, which hosts
/// that are not this one need; the token in it counts where LOCKSTEP_TOKEN is absent. Errors:
/// thrown, those of the transports and of the membership;
/// DeadlineExceeded with who is missing. Where this process is connected to that job already, by
/// somebody who still holds it, it gives the same again.
std::shared_ptr<Communicator> ConnectWorkers(const cluster::Description& description,
                                             const cluster::Environment& environment,
                                             const ConnectOptions& options);

/// What `ConnectOver` needs to know of a task's job.
struct Joining {
  Roles expected;
  /// The job may have begun without this task, which joins when it can train, so that nobody waits
  /// for it.
  bool comes_again = false;
  bool is_server = false;
  bool speculates = false;  // LOCKSTEP_SPECULATE
  FlightOptions flight;
};
/// The upper half of it, for any site.
std::shared_ptr<Communicator> ConnectOver(const std::shared_ptr<MembershipRoster>& roster,
                                          const Joining& joining);

}  // namespace lockstep::distribute
