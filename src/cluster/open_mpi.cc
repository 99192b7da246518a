#include <algorithm>
#include <utility>

#include "cluster/address.h"
#include "cluster/resolvers.h"
#include "cluster/variables.h"

namespace lockstep::cluster {

namespace {

struct MpiNames {
  const char *size, *rank, *local_size, *local_rank;
};
constexpr MpiNames kOpenMpi = {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
                               "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"};
// MPICH, Intel MPI, Cray.
constexpr MpiNames kPmi = {"PMI_SIZE", "PMI_RANK", "PMI_LOCAL_SIZE", "PMI_LOCAL_RANK"};

class OpenMpiResolver final : public Resolver {
 public:
  const char* name() const override { return "Open MPI"; }
  std::vector<std::string> variables() const override {
    return {"OMPI_COMM_WORLD_*", "OMPI_UNIVERSE_SIZE", "OMPI_MCA_orte_hnp_uri",
            "PMIX_RANK",         "PMIX_NAMESPACE",     "PMI_RANK",
            "PMI_SIZE",          "PMI_LOCAL_RANK",     "PMI_LOCAL_SIZE",
            "MPI_LOCALRANKID",   "MPI_LOCALNRANKS"};
  }
  bool Finds(const Environment& environment) const override {
    for (const char* name : {kOpenMpi.size, kOpenMpi.rank, kPmi.size}) {
      if (Lookup(environment, name)) return true;
    }
    return false;
  }
  std::optional<Mistake> Hint(const Environment& environment) const override {
    for (const auto& [rank, size] :
         {std::pair{kPmi.rank, kPmi.size}, std::pair{"PMIX_RANK", kOpenMpi.size}}) {
      if (!Lookup(environment, rank)) continue;
      return Mistake{rank, "", "for one training of all tasks their number is needed",
                     std::string("no ") + size + ": one process alone",
                     "mpirun -n NUMBER-OF-TASKS PROGRAM ARGUMENTS"};
    }
    return {};
  }

  Resolution Resolve(const Environment& environment) const override {
    Resolution resolution;
    Variables variables(environment, resolution);
    const bool open_mpi = variables.Has(kOpenMpi.size) || variables.Has(kOpenMpi.rank);
    const MpiNames& names = open_mpi ? kOpenMpi : kPmi;
    const int here = variables.Meant(names.local_size, 1, kMostTasks).value_or(1);
    const int size = variables.Size(names.size, "number of tasks", names.rank, here);
    int rank = variables.Number(names.rank, "rank", 0, kMostTasks, 0);
    if (rank >= size) {
      variables.Wrong(names.rank, std::string("it must be below ") + names.size,
                      std::to_string(rank) + " of " + std::to_string(size),
                      "start all tasks by one mpirun");
      rank = size - 1;
    }
    Description description = DescribeWorkers(size, rank);
    ReadLocal(variables, names, description);
    if (open_mpi) {
      const int pmix = variables.NumberOr("PMIX_RANK", "rank by PMIx", 0, kMostTasks, rank);
      if (pmix != rank) {
        variables.Wrong("PMIX_RANK", std::string("it must agree with ") + names.rank,
                        std::to_string(pmix) + " and " + std::to_string(rank),
                        "start all tasks by one mpirun, and export none of its variables");
      }
    }
    Meet(variables, description);
    if (variables.Text("HOSTNAME") && description.IsOneHost()) {
      variables.Note("host", *variables.Text("HOSTNAME"), "HOSTNAME");
    }
    resolution.corrected = "mpirun -n " + std::to_string(size) + " PROGRAM ARGUMENTS";
    if (resolution.mistakes.empty()) resolution.corrected.clear();
    variables.Finish(description);
    return resolution;
  }

 private:
  static void ReadLocal(Variables& variables, const MpiNames& names, Description& description) {
    const int size = description.num_ranks();
    int local_size =
        variables.NumberOr(names.local_size, "number of tasks on this host", 1, kMostTasks, 1);
    int local_rank = variables.NumberOr(names.local_rank, "index on this host", 0, kMostTasks, 0);
    if (!variables.Has(names.local_size)) {
      local_size =
          variables.NumberOr("MPI_LOCALNRANKS", "number of tasks on this host", 1, kMostTasks, 1);
      local_rank = variables.NumberOr("MPI_LOCALRANKID", "index on this host", 0, kMostTasks, 0);
    }
    if (local_size > size) {
      variables.Wrong(names.local_size, std::string("it must be at most ") + names.size,
                      std::to_string(local_size) + " of " + std::to_string(size),
                      "start all tasks by one mpirun");
    } else if (local_rank >= local_size) {
      variables.Wrong(names.local_rank, std::string("it must be below ") + names.local_size,
                      std::to_string(local_rank) + " of " + std::to_string(local_size),
                      "start all tasks by one mpirun");
    } else if (local_rank > description.task.index && variables.Has(names.rank)) {
      variables.Wrong(
          names.local_rank, std::string("it must be at most ") + names.rank,
          std::to_string(local_rank) + " with rank " + std::to_string(description.task.index),
          "start all tasks by one mpirun, and export none of its variables");
    }
    description.local_size = std::min(local_size, size);
    description.local_index = std::min(local_rank, description.local_size - 1);
  }

  // The host of mpirun is rank 0's by default, and the port follows from the job (JAX's choice,
  // too): outside of what the system gives out by itself.
  static void Meet(Variables& variables, Description& description) {
    // "1531576320.0;tcp://10.96.0.1,10.148.0.1:34911"
    const std::string uri = variables.Text("OMPI_MCA_orte_hnp_uri").value_or("");
    const size_t begin = uri.find("tcp://"), end = uri.find_first_of(",:;", begin + 6);
    const size_t port = uri.find(':', begin + 6);
    auto job = variables.Text("PMIX_NAMESPACE");
    if (!job) job = variables.Text("OMPI_MCA_ess_base_jobid");
    if (job) description.job_id = "mpi-" + *job;
    if (begin == std::string::npos || end == std::string::npos || port == std::string::npos) return;
    if (job) description.job_id += "-" + uri.substr(port + 1, uri.find(';', port) - port - 1);
    uint64_t number = 0;
    for (size_t i = 0; i < uri.size() && uri[i] >= '0' && uri[i] <= '9'; ++i) {
      number = (number * 10 + static_cast<uint64_t>(uri[i] - '0')) & 0xFFFFFFFF;
    }
    const std::string host =
        description.IsOneHost() ? "127.0.0.1" : uri.substr(begin + 6, end - begin - 6);
    const Address address{host, static_cast<int>(number / 4096 % 4096) + 61440};
    Address same;
    if (ReadAddress(address.ToString(), same)) return;
    description.MeetAt(address.ToString());
    variables.Note("coordinator", description.coordinator, "OMPI_MCA_orte_hnp_uri");
  }
};

}  // namespace

std::unique_ptr<Resolver> MakeOpenMpiResolver() { return std::make_unique<OpenMpiResolver>(); }

}  // namespace lockstep::cluster
