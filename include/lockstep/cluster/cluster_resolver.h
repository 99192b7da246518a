#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/cluster/cluster_spec.h"

namespace lockstep {

/// Who tells a program of its cluster, with TensorFlow's names and answers.
/// Source: tf.distribute.cluster_resolver.
class ClusterResolver {
 public:
  virtual ~ClusterResolver() = default;

  virtual ClusterSpec cluster_spec() const = 0;
  /// "" for no cluster or one of a single task, else "rpc_layer://address" of a task; without
  /// arguments of this one.
  std::string master(const std::optional<std::string>& task_type = {},
                     const std::optional<int>& task_id = {}) const;
  const std::string& task_type() const { return task_type_; }
  int task_id() const { return task_id_; }
  const std::string& rpc_layer() const { return rpc_layer_; }
  const std::string& environment() const { return environment_; }
  /// By kind, of each task; there are none yet: {}, unless somebody says otherwise.
  virtual std::map<std::string, int> num_accelerators() const { return {}; }

 protected:
  virtual std::string MasterOverride() const { return ""; }
  std::string task_type_, rpc_layer_, environment_;
  int task_id_ = 0;
};

struct SimpleClusterResolverOptions {
  std::string master = {};
  std::string task_type = {};
  int task_id = 0;
  std::string environment = {};
  std::map<std::string, int> num_accelerators = {};
  std::string rpc_layer = {};
};

/// A cluster that the program itself knows.
class SimpleClusterResolver : public ClusterResolver {
 public:
  explicit SimpleClusterResolver(ClusterSpec cluster_spec,
                                 SimpleClusterResolverOptions options = {});
  ClusterSpec cluster_spec() const override { return cluster_spec_; }
  std::map<std::string, int> num_accelerators() const override { return num_accelerators_; }

 protected:
  std::string MasterOverride() const override { return master_; }

 private:
  ClusterSpec cluster_spec_;
  std::string master_;
  std::map<std::string, int> num_accelerators_;
};

/// What to believe instead of the variable.
struct TFConfigClusterResolverOptions {
  std::optional<std::string> task_type = {};
  std::optional<int> task_id = {};
  std::optional<std::string> rpc_layer = {};
  std::optional<std::string> environment = {};
};

/// TF_CONFIG, as this process has it now. Errors: InvalidArgument with every mistake, its place and
/// the corrected form; also for a task that the cluster does not have.
class TFConfigClusterResolver : public ClusterResolver {
 public:
  explicit TFConfigClusterResolver(const TFConfigClusterResolverOptions& options = {});
  ClusterSpec cluster_spec() const override { return cluster_spec_; }

 private:
  ClusterSpec cluster_spec_;
};

/// Whoever describes this process's cluster: `lockstep launch`, TF_CONFIG, torchrun, MPI, Slurm or
/// Kubernetes, in the order of docs/cluster.md; a cluster of nobody if none does. Addresses that
/// tasks publish only later are empty. Errors: as TFConfigClusterResolver.
class EnvironmentClusterResolver : public ClusterResolver {
 public:
  EnvironmentClusterResolver();
  ClusterSpec cluster_spec() const override { return cluster_spec_; }
  /// "TF_CONFIG", "Slurm", ..., "none".
  const std::string& source() const { return source_; }

 private:
  ClusterSpec cluster_spec_;
  std::string source_;
};

struct SlurmClusterResolverOptions {
  /// How many tasks each job has; empty: all are workers.
  std::map<std::string, int> jobs = {};
  int port_base = 8888;
  std::string rpc_layer = "grpc";
  /// How many tasks each host has; empty: as SLURM_STEP_TASKS_PER_NODE describes.
  std::map<std::string, int> tasks_by_host = {};
  /// How many tasks every host of the step has; 0: as `tasks_by_host` describes.
  int tasks_per_host = 0;
};

/// A step of Slurm cut into jobs: hosts by name, a port for each slot of a host, jobs by name take
/// consecutive tasks. Errors: FailedPrecondition outside a step; InvalidArgument for tasks of jobs
/// that are not as many as those of the step.
class SlurmClusterResolver : public ClusterResolver {
 public:
  explicit SlurmClusterResolver(const SlurmClusterResolverOptions& options = {});
  ClusterSpec cluster_spec() const override { return cluster_spec_; }

 private:
  ClusterSpec cluster_spec_;
};

/// Several clusters as one: jobs are joined, lists appended in order. The task is the first one's.
/// Errors: InvalidArgument for no resolver, or two tasks of one job and index where one of the
/// jobs has holes.
class UnionResolver : public ClusterResolver {
 public:
  explicit UnionResolver(std::vector<std::shared_ptr<ClusterResolver>> resolvers);
  ClusterSpec cluster_spec() const override;

 private:
  std::vector<std::shared_ptr<ClusterResolver>> resolvers_;
};

}  // namespace lockstep
