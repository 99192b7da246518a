#include "lockstep/distribute/parameter_server.h"

#include "base/environment.h"
#include "base/log.h"
#include "cluster/resolver.h"
#include "distribute/workers/communicator.h"
#include "distribute/workers/connect_workers.h"

namespace lockstep {

namespace {

using Kind = ParameterServerMode::Kind;

std::shared_ptr<distribute::Communicator> ConnectAll(const ParameterServerOptions& options) {
  const auto environment = base::ProcessEnvironment();
  return distribute::ConnectWorkers(
      cluster::ResolveCluster(environment).OrThrow(), environment,
      {.replicas = options.replicas, .devices = options.devices, .servers = true});
}

int ReplicasOf(const ParameterServerOptions& options, const distribute::Roles& roles) {
  if (options.replicas != 0) return options.replicas;
  if (options.mode.kind() != Kind::kSynchronous) return 1;
  return static_cast<int>(roles.leaf_ranks().size());
}

std::string Count(size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

ParameterServerStrategy::ParameterServerStrategy(const ParameterServerOptions& options)
    : ParameterServerStrategy(ConnectAll(options), options) {}

ParameterServerStrategy::ParameterServerStrategy(std::shared_ptr<distribute::Communicator> tasks,
                                                 const ParameterServerOptions& options)
    : Strategy("parameter_server", ReplicasOf(options, tasks->roles()),
               options.devices != 0 ? options.devices : tasks->default_devices(),
               std::max(1, options.threads_per_device)),
      options_(options) {
  const distribute::Roles& roles = tasks->roles();
  base::Log(base::Severity::kInfo,
            "parameter_server: " + options.mode.ToString() + ", a " +
                (tasks->is_server() ? "server" : "worker") + " of " +
                Count(roles.workers().size(), "worker") + " and " +
                Count(roles.servers().size(), "server") + ", " +
                Count(static_cast<size_t>(num_replicas_in_sync()), "replica") + " (" +
                (options.replicas != 0                       ? "it was given"
                 : options.mode.kind() == Kind::kSynchronous ? "one a worker"
                                                             : "each step is a worker's own") +
                ") on " + Count(static_cast<size_t>(num_devices()), "device") + " a task");
  pipelines_ =
      options.mode.kind() == Kind::kSynchronous ? Pipelines::kEachReplica : Pipelines::kThisWorker;
  ranks_ = std::move(tasks);
}

void ParameterServerStrategy::NoteStaleness(const std::map<int64_t, int64_t>& counts) {
  for (const auto& [value, count] : counts) staleness_[value] += count;
}

int ParameterServerStrategy::num_servers() const {
  return static_cast<int>(ranks_->roles().servers().size());
}

bool ParameterServerStrategy::is_server() const { return ranks_->is_server(); }

}  // namespace lockstep
