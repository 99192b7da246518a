#include <algorithm>

#include "cluster/address.h"
#include "cluster/resolvers.h"
#include "cluster/variables.h"

namespace lockstep::cluster {

namespace {

constexpr int kMasterPort = 29500;

// The names under which the five things stand: torchrun's for a process, or Kubeflow's for a node.
struct TorchrunNames {
  const char *size, *rank, *address, *port;
};
constexpr TorchrunNames kProcess = {"WORLD_SIZE", "RANK", "MASTER_ADDR", "MASTER_PORT"};
constexpr TorchrunNames kNode = {"PET_NNODES", "PET_NODE_RANK", "PET_MASTER_ADDR",
                                 "PET_MASTER_PORT"};

// The host, without what else was typed; empty and a mistake if there is none.
std::string ReadHost(Variables& variables, const char* name) {
  const auto text = variables.Text(name);
  if (!text) {
    variables.Wrong(name, "it must name the host of rank 0", "nothing", "set it");
    return "";
  }
  if (*text == "0.0.0.0" || *text == "::") {
    variables.Wrong(name, "it must be an address that the others can reach", "'" + *text + "'",
                    "write the host's name");
    return "";
  }
  Address address;
  std::string with_port = text->find(':') != std::string::npos && !text->starts_with('[') &&
                                  std::count(text->begin(), text->end(), ':') > 1
                              ? "[" + *text + "]:1"
                              : *text + ":1";
  if (!ReadAddress(with_port, address)) {
    variables.Note("host of rank 0", *text, name);
    return address.host;
  }
  const auto fault = ReadAddress(*text, address);
  const bool more = !fault || text->find('/') != std::string::npos;
  const bool form = fault && fault->cure.find(":port") != std::string::npos;
  const bool other = !more && fault->rule.find("host:port") == std::string::npos;
  variables.Wrong(name, other ? fault->rule : "it must be a host alone", "'" + *text + "'",
                  more   ? "leave out protocol and port"
                  : form ? "write the name of rank 0's host"
                         : fault->cure);
  if (!fault) return address.host;
  return fault->meant ? fault->meant->host : std::string();
}

// `all_here`: where nobody says how many tasks are on this host, all are.
void CheckLocal(Variables& variables, Description& description, bool all_here) {
  const int size = description.num_ranks(), rank = description.task.index;
  if (all_here && !variables.Has("LOCAL_WORLD_SIZE")) {
    description.local_size = size;
    description.local_index = rank;
    return;
  }
  const int local_size =
      variables.NumberOr("LOCAL_WORLD_SIZE", "number of tasks on this host", 1, kMostTasks, 1);
  const int local_rank = variables.NumberOr("LOCAL_RANK", "index on this host", 0, kMostTasks, 0);
  if (variables.Has("LOCAL_WORLD_SIZE") && local_size > size) {
    variables.Wrong("LOCAL_WORLD_SIZE", "it must be at most WORLD_SIZE",
                    std::to_string(local_size) + " of " + std::to_string(size),
                    "set WORLD_SIZE to the tasks of all hosts together");
  } else if (variables.Has("LOCAL_WORLD_SIZE") && local_rank >= local_size) {
    variables.Wrong("LOCAL_RANK", "it must be below LOCAL_WORLD_SIZE",
                    std::to_string(local_rank) + " of " + std::to_string(local_size),
                    "count from 0 to " + std::to_string(local_size - 1));
  } else if (local_rank > rank && variables.Has("RANK")) {
    variables.Wrong("LOCAL_RANK", "it must be at most RANK",
                    std::to_string(local_rank) + " with RANK " + std::to_string(rank),
                    "RANK counts over all hosts, LOCAL_RANK on this one");
  }
  description.local_size = std::min(local_size, size);
  description.local_index = std::min(local_rank, description.local_size - 1);
}

class TorchrunResolver final : public Resolver {
 public:
  const char* name() const override { return "torchrun"; }
  std::vector<std::string> variables() const override {
    return {"RANK",           "WORLD_SIZE", "LOCAL_RANK",     "LOCAL_WORLD_SIZE",
            "GROUP_RANK",     "ROLE_RANK",  "MASTER_ADDR",    "MASTER_PORT",
            "TORCHELASTIC_*", "PET_*",      "ROLE_WORLD_SIZE"};
  }
  bool Finds(const Environment& environment) const override {
    for (const char* name : {"WORLD_SIZE", "MASTER_ADDR", "TORCHELASTIC_RUN_ID", "PET_NNODES"}) {
      if (Lookup(environment, name)) return true;
    }
    return false;
  }
  std::optional<Mistake> Hint(const Environment& environment) const override {
    const auto rank = Lookup(environment, kProcess.rank);
    if (!rank) return {};
    return Mistake{kProcess.rank, "", "for one training of all tasks their number is needed",
                   "no WORLD_SIZE: one process alone",
                   "set WORLD_SIZE, MASTER_ADDR and MASTER_PORT, too, or start it by torchrun"};
  }

  Resolution Resolve(const Environment& environment) const override {
    Resolution resolution;
    Variables variables(environment, resolution);
    const bool by_node = variables.Has("PET_NNODES") && !variables.Has("WORLD_SIZE");
    const TorchrunNames& names = by_node ? kNode : kProcess;
    const int here = by_node ? 1 : variables.Meant("LOCAL_WORLD_SIZE", 1, kMostTasks).value_or(1);
    const int size = variables.Size(names.size, "number of tasks", names.rank, here);
    int rank = variables.Number(names.rank, "rank", 0, kMostTasks, 0);
    if (rank >= size) {
      variables.Wrong(names.rank, std::string("it must be below ") + names.size,
                      std::to_string(rank) + " of " + std::to_string(size),
                      "count from 0 to " + std::to_string(size - 1));
      rank = size - 1;
    }
    Description description = DescribeWorkers(size, rank);
    const std::string host = ReadHost(variables, names.address);
    const int port = variables.Number(names.port, "port of rank 0", 1, 65535, kMasterPort);
    if (!by_node) CheckLocal(variables, description, IsLoopback(host));
    if (by_node && variables.Meant("PET_NPROC_PER_NODE", 2, kMostTasks)) {
      variables.Doubt("PET_NPROC_PER_NODE",
                      "a program that no torchrun starts is its node's one task",
                      "'" + *variables.Text("PET_NPROC_PER_NODE") + "'", "start it by torchrun");
    }
    if (!description.IsOneHost() && IsLoopback(host)) {
      variables.Wrong(names.address, "tasks on other hosts must reach it",
                      "'" + host + "' with " + std::to_string(description.local_size) + " of " +
                          std::to_string(size) + " tasks on this host",
                      "write the name of rank 0's host" +
                          (by_node ? std::string()
                                   : ", or LOCAL_WORLD_SIZE=" + std::to_string(size) +
                                         " where all tasks are on this host"));
    }
    Meet(variables, description, host, port);
    const std::string shown =
        host.empty() || (IsLoopback(host) && !description.IsOneHost()) ? "HOST-OF-RANK-0" : host;
    for (const auto& [name, value] : {std::pair<std::string, std::string>{names.address, shown},
                                      {names.port, std::to_string(port)},
                                      {names.size, std::to_string(size)},
                                      {names.rank, std::to_string(rank)}}) {
      variables.Correct(name, value);
    }
    if (!by_node && variables.Has("LOCAL_WORLD_SIZE")) {
      variables.Correct("LOCAL_WORLD_SIZE", std::to_string(description.local_size));
    }
    if (!by_node && variables.Has("LOCAL_RANK")) {
      variables.Correct("LOCAL_RANK", std::to_string(std::min(description.local_index, rank)));
    }
    variables.Finish(description);
    return resolution;
  }

 private:
  // torchrun's agent keeps a store of its own on the port; then ours is the one above it.
  static void Meet(Variables& variables, Description& description, const std::string& host,
                   int port) {
    const bool taken = variables.Has("TORCHELASTIC_RUN_ID") &&
                       variables.Text("TORCHELASTIC_USE_AGENT_STORE").value_or("True") == "True";
    const int ours = !taken ? port : port < 65535 ? port + 1 : port - 1;
    // On one host nobody else needs to be let in.
    const std::string where = description.IsOneHost() ? "127.0.0.1" : host;
    if (!host.empty()) description.MeetAt(Address{where, ours}.ToString());
    if (const auto run = variables.Text("TORCHELASTIC_RUN_ID")) {
      description.job_id = "torchrun-" + std::to_string(port) + "-" + *run + "-" +
                           variables.Text("TORCHELASTIC_RESTART_COUNT").value_or("0");
    }
  }
};

}  // namespace

std::unique_ptr<Resolver> MakeTorchrunResolver() { return std::make_unique<TorchrunResolver>(); }

}  // namespace lockstep::cluster
