#include "lockstep/cluster/cluster_resolver.h"

#include <algorithm>
#include <numeric>

#include "base/environment.h"
#include "cluster/address.h"
#include "cluster/node_list.h"
#include "cluster/resolvers.h"

namespace lockstep {

namespace {

using cluster::Address;
using cluster::Description;

Description OrThrow(const cluster::Resolution& resolution) {
  if (!resolution.mistakes.empty()) {
    throw Error(Code::kInvalidArgument,
                cluster::DescribeMistakes(resolution.mistakes, resolution.corrected));
  }
  return *resolution.description;
}

}  // namespace

std::string ClusterResolver::master(const std::optional<std::string>& task_type,
                                    const std::optional<int>& task_id) const {
  if (const std::string given = MasterOverride(); !given.empty()) return given;
  const ClusterSpec spec = cluster_spec();
  int tasks = 0;
  for (const auto& [job, addresses] : spec.as_dict()) tasks += static_cast<int>(addresses.size());
  if (tasks <= 1) return "";
  const std::string& address =
      spec.task_address(task_type.value_or(task_type_), task_id.value_or(task_id_));
  return rpc_layer_.empty() ? address : rpc_layer_ + "://" + address;
}

SimpleClusterResolver::SimpleClusterResolver(ClusterSpec cluster_spec,
                                             SimpleClusterResolverOptions options)
    : cluster_spec_(std::move(cluster_spec)),
      master_(std::move(options.master)),
      num_accelerators_(std::move(options.num_accelerators)) {
  task_type_ = std::move(options.task_type);
  task_id_ = options.task_id;
  environment_ = std::move(options.environment);
  rpc_layer_ = std::move(options.rpc_layer);
}

TFConfigClusterResolver::TFConfigClusterResolver(const TFConfigClusterResolverOptions& options) {
  const auto resolver = cluster::MakeTfConfigResolver();
  const auto environment = base::ProcessEnvironment();
  Description description;
  if (resolver->Finds(environment)) description = OrThrow(resolver->Resolve(environment));
  cluster_spec_ = description.cluster;
  task_type_ = options.task_type.value_or(description.task.job);
  task_id_ = options.task_id.value_or(description.task.index);
  rpc_layer_ = options.rpc_layer.value_or(description.rpc_layer);
  environment_ = options.environment.value_or(description.environment);
  if ((options.task_type || options.task_id) && !cluster_spec_.empty()) {
    (void)cluster_spec_.task_address(task_type_, task_id_);
  }
}

EnvironmentClusterResolver::EnvironmentClusterResolver() {
  const auto resolved = cluster::ResolveCluster(base::ProcessEnvironment());
  const Description& description = resolved.OrThrow();
  cluster_spec_ = description.cluster;
  task_type_ = description.task.job;
  task_id_ = description.task.index;
  rpc_layer_ = description.rpc_layer;
  environment_ = description.environment;
  source_ = description.resolver;
}

namespace {

// How many tasks of the step each host has.
std::map<std::string, int> TasksByHost(const SlurmClusterResolverOptions& options,
                                       const std::map<std::string, std::string>& environment,
                                       int size) {
  if (!options.tasks_by_host.empty()) return options.tasks_by_host;
  const auto hosts = *cluster::ExpandNodeList(environment.at("SLURM_STEP_NODELIST"));
  std::vector<int> counts = {size};
  if (options.tasks_per_host > 0) {
    counts.assign(hosts.size(), options.tasks_per_host);
  } else if (const auto text = cluster::Lookup(environment, "SLURM_STEP_TASKS_PER_NODE")) {
    counts = *cluster::ExpandTasksPerNode(*text);
  }
  std::map<std::string, int> tasks;
  for (size_t host = 0; host < std::min(hosts.size(), counts.size()); ++host) {
    tasks[hosts[host]] = counts[host];
  }
  return tasks;
}

}  // namespace

SlurmClusterResolver::SlurmClusterResolver(const SlurmClusterResolverOptions& options) {
  const auto resolver = cluster::MakeSlurmResolver();
  const auto environment = base::ProcessEnvironment();
  if (!resolver->Finds(environment)) {
    throw Error(
        Code::kFailedPrecondition,
        "[slurm] the program must run in a step; got no SLURM_STEP_NUM_TASKS; start it by srun");
  }
  const int size = OrThrow(resolver->Resolve(environment)).num_ranks();
  const int rank = OrThrow(resolver->Resolve(environment)).rank();
  auto jobs = options.jobs;
  if (jobs.empty()) jobs["worker"] = size;
  const auto count = [](int sum, const auto& one) { return sum + one.second; };
  const auto hosts = TasksByHost(options, environment, size);
  const int asked = std::accumulate(jobs.begin(), jobs.end(), 0, count);
  const int placed = std::accumulate(hosts.begin(), hosts.end(), 0, count);
  if (asked != placed) {
    throw Error(Code::kInvalidArgument,
                "[slurm] the jobs must have as many tasks as the step; got " +
                    std::to_string(asked) + " and " + std::to_string(placed));
  }
  std::vector<std::string> addresses;
  for (const auto& [host, tasks] : hosts) {
    for (int slot = 0; slot < tasks; ++slot) {
      addresses.push_back(Address{host, options.port_base + slot}.ToString());
    }
  }
  size_t task = 0;
  for (const auto& [job, count] : jobs) {
    for (int i = 0; i < count && task < addresses.size(); ++i, ++task) {
      cluster_spec_.set_task_address(job, i, addresses[task]);
      if (static_cast<int>(task) != rank) continue;
      task_type_ = job;
      task_id_ = i;
    }
  }
  rpc_layer_ = options.rpc_layer;
}

UnionResolver::UnionResolver(std::vector<std::shared_ptr<ClusterResolver>> resolvers)
    : resolvers_(std::move(resolvers)) {
  if (resolvers_.empty()) {
    throw Error(Code::kInvalidArgument, "[union_resolver] there must be a resolver; got none");
  }
  task_type_ = resolvers_.front()->task_type();
  task_id_ = resolvers_.front()->task_id();
  rpc_layer_ = resolvers_.front()->rpc_layer();
  environment_ = resolvers_.front()->environment();
}

ClusterSpec UnionResolver::cluster_spec() const {
  ClusterSpec::Jobs jobs;
  std::map<std::string, bool> dense;
  for (const auto& resolver : resolvers_) {
    const ClusterSpec spec = resolver->cluster_spec();
    for (const auto& [job, tasks] : spec.as_dict()) {
      auto& joined = jobs[job];
      const bool append = spec.is_dense(job) && (!dense.contains(job) || dense[job]);
      const int first = append ? static_cast<int>(joined.size()) : 0;
      for (const auto& [index, address] : tasks) {
        if (!joined.emplace(first + index, address).second) {
          throw Error(Code::kInvalidArgument,
                      "[union_resolver] every task must be named once; got " + job + " " +
                          std::to_string(index) + " twice");
        }
      }
      dense[job] = append;
    }
  }
  return ClusterSpec(jobs);
}

}  // namespace lockstep
