#pragma once

#include <memory>

#include "cluster/resolver.h"

namespace lockstep::cluster {

/// LOCKSTEP_CLUSTER, in TF_CONFIG's form, as `lockstep launch` sets it.
std::unique_ptr<Resolver> MakeLaunchResolver();
/// TF_CONFIG. Source: semantics of TFConfigClusterResolver; sparse and dictionary forms, too.
std::unique_ptr<Resolver> MakeTfConfigResolver();
/// RANK, WORLD_SIZE, MASTER_ADDR, ... of torchrun and PyTorchJob; PET_* of Kubeflow's trainer.
std::unique_ptr<Resolver> MakeTorchrunResolver();
/// OMPI_COMM_WORLD_* of Open MPI; PMIX_* and PMI_* of its relatives.
std::unique_ptr<Resolver> MakeOpenMpiResolver();
/// SLURM_* inside a step. Source: SlurmClusterResolver, and JAX's choice of a port by the job.
std::unique_ptr<Resolver> MakeSlurmResolver();
/// JOB_COMPLETION_INDEX of indexed Jobs, JOBSET_* of JobSets.
std::unique_ptr<Resolver> MakeKubernetesResolver();

}  // namespace lockstep::cluster
