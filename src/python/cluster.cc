#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "lockstep/cluster/cluster_resolver.h"
#include "python/bind.h"
#include "python/convert.h"
#include "python/jobs.h"

namespace lockstep::python {

namespace {

using Text = std::optional<std::string>;

nb::dict JobsOf(const ClusterSpec& spec) {
  nb::dict jobs;
  for (const auto& [job, tasks] : spec.as_dict()) {
    nb::dict own;
    for (const auto& [index, address] : tasks) own[nb::int_(index)] = nb::str(address.c_str());
    jobs[nb::str(job.c_str())] = own;
  }
  return jobs;
}

}  // namespace

void BindCluster(nb::module_& m) {
  nb::class_<ClusterResolver>(m, "ClusterResolver")
      .def("jobs", [](const ClusterResolver& r) { return JobsOf(r.cluster_spec()); })
      .def("master", &ClusterResolver::master, nb::arg().none(), nb::arg().none())
      .def_prop_ro("task_type", &ClusterResolver::task_type)
      .def_prop_ro("task_id", &ClusterResolver::task_id)
      .def_prop_ro("rpc_layer", &ClusterResolver::rpc_layer)
      .def_prop_ro("environment", &ClusterResolver::environment)
      .def("num_accelerators", &ClusterResolver::num_accelerators);
  m.def(
      "tf_config_resolver",
      [](Text type, std::optional<int> id, Text layer,
         Text environment) -> std::shared_ptr<ClusterResolver> {
        return std::make_shared<TFConfigClusterResolver>(
            TFConfigClusterResolverOptions{type, id, layer, environment});
      },
      nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none());
  m.def("simple_resolver",
        [](const Jobs& jobs, std::string master, std::string type, int id, std::string environment,
           std::map<std::string, int> accelerators,
           std::string layer) -> std::shared_ptr<ClusterResolver> {
          return std::make_shared<SimpleClusterResolver>(
              SpecOf(jobs),
              SimpleClusterResolverOptions{master, type, id, environment, accelerators, layer});
        });
  m.def("slurm_resolver",
        [](std::map<std::string, int> jobs, int port, std::string layer,
           std::map<std::string, int> tasks_by_host,
           int tasks_per_host) -> std::shared_ptr<ClusterResolver> {
          return std::make_shared<SlurmClusterResolver>(SlurmClusterResolverOptions{
              std::move(jobs), port, std::move(layer), std::move(tasks_by_host), tasks_per_host});
        });
  m.def("environment_resolver", []() -> std::shared_ptr<ClusterResolver> {
    return std::make_shared<EnvironmentClusterResolver>();
  });
  m.def("union_resolver",
        [](std::vector<std::shared_ptr<ClusterResolver>> resolvers)
            -> std::shared_ptr<ClusterResolver> {
          return std::make_shared<UnionResolver>(std::move(resolvers));
        });
  m.def("check_cluster", [](const Jobs& jobs, const std::string& job, int index) {
    return SpecOf(jobs).task_address(job, index);
  });
}

}  // namespace lockstep::python
