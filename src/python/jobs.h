#pragma once

#include <map>
#include <string>
#include <utility>

#include "lockstep/cluster/cluster_resolver.h"

namespace lockstep::python {

/// A cluster as Python gives it: for each job, its tasks' addresses by index.
using Jobs = std::map<std::string, std::map<int, std::string>>;

inline ClusterSpec SpecOf(const Jobs& jobs) {
  ClusterSpec::Jobs made;
  for (const auto& [job, tasks] : jobs) made[job] = tasks;
  return ClusterSpec(std::move(made));
}

}  // namespace lockstep::python
