#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <set>

#include "base/environment.h"
#include "base/shared_team.h"
#include "cluster/resolver.h"
#include "distribute/workers/connect_workers.h"
#include "distribute/workers/journal.h"
#include "distribute/workers/owners_values.h"
#include "lockstep/distribute/parameter_server.h"
#include "lockstep/distribute/step_boundary.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/runtime/function.h"
#include "python/bind.h"
#include "python/callback.h"
#include "python/partitioner.h"
#include "python/server_mode.h"
#include "python/site.h"
#include "runtime/access_log.h"

namespace lockstep::python {

namespace {

// A tuple is a value for each replica, everything else one for all.
PerReplica PerReplicaOf(nb::handle object) {
  if (!nb::isinstance<nb::tuple>(object)) return PerReplica(Arg{object}.Strong());
  return PerReplica(TensorsOf(object));
}

std::vector<PerReplica> AllPerReplica(nb::handle list) {
  std::vector<PerReplica> values;
  for (nb::handle one : list) values.push_back(PerReplicaOf(one));
  return values;
}

// The tasks of a cluster that the program describes itself, as TF_CONFIG would.
std::shared_ptr<distribute::Communicator> Connect(const std::string& described,
                                                  const distribute::ConnectOptions& options) {
  return distribute::ConnectWorkers(cluster::ResolveCluster({{"TF_CONFIG", described}}).OrThrow(),
                                    base::ProcessEnvironment(), options);
}

nb::object FromPerReplica(const PerReplica& value) {
  if (value.is_same()) return nb::cast(value.values()[0]);
  nb::list list;
  for (const Tensor& one : value.values()) list.append(one.defined() ? nb::cast(one) : nb::none());
  return nb::tuple(list);
}

nb::list ListOf(const std::vector<PerReplica>& values) {
  nb::list list;
  for (const PerReplica& value : values) list.append(FromPerReplica(value));
  return list;
}

// Keeps a strategy for as long as a program that was traced for it.
std::shared_ptr<const void> OwnerOf(PyObject* strategy) {
  const nb::gil_scoped_acquire lock;
  return std::make_shared<const Held>(nb::borrow(strategy));
}

nb::list RunReplicas(Strategy& strategy, nb::object function, nb::handle arguments) {
  PyObject* const object = nb::find(strategy).ptr();
  strategy.set_owner([object] { return OwnerOf(object); });
  const auto replica = TensorFunction(std::move(function));
  const std::vector<PerReplica> values = AllPerReplica(arguments);
  return ListOf(Unlocked([&] { return strategy.RunAll(replica, values); }));
}

ReplicaContext& Context() {
  ReplicaContext* context = GetReplicaContext();
  if (context == nullptr) {
    throw Error(Code::kFailedPrecondition,
                "[replica context] a replica must be running; got cross-replica context");
  }
  return *context;
}

std::vector<Tensor> Merge(nb::object function, const std::vector<Tensor>& arguments) {
  const Held held(std::move(function));
  const MergeFunction merge = [held](Strategy&, const std::vector<PerReplica>& values) {
    const nb::gil_scoped_acquire lock;
    return AllPerReplica(held.get()(ListOf(values)));
  };
  // Where races are looked for, what is merged tells its own lines.
  const ops::KnownSite site(runtime::FollowsAccesses() ? ops::SourceSite() : PythonLine());
  return Unlocked([&] { return Context().MergeCall(merge, arguments); });
}

// A Python context.
class StrategyScope {
 public:
  explicit StrategyScope(Strategy& strategy) : strategy_(strategy) {}
  void Enter() { scope_ = std::make_unique<Strategy::Scope>(strategy_); }
  void Exit() { scope_.reset(); }

 private:
  Strategy& strategy_;
  std::unique_ptr<Strategy::Scope> scope_;
};

std::vector<Tensor> VariablesOf(const std::vector<const Function*>& functions) {
  std::vector<Tensor> all;
  std::set<const void*> known;
  for (const Function* function : functions) {
    for (Tensor& handle : function->Variables())
      if (known.insert(handle.object().get()).second) all.push_back(std::move(handle));
  }
  return all;
}

// What a worker that comes is told is a text of JSON, besides the variables of the functions.
void BindStepBoundary(nb::module_& m) {
  nb::class_<StepBoundary>(m, "StepBoundary")
      .def(nb::init<Strategy&, std::string>(), nb::keep_alive<1, 2>())
      .def("__init__",  // of the strategy in scope
           [](StepBoundary* self, std::string kind) {
             new (self) StepBoundary(GetStrategy(), std::move(kind));
           })
      .def_prop_ro("entering", &StepBoundary::entering)
      .def("enter",
           [](StepBoundary& boundary,
              const std::vector<const Function*>& functions) -> std::optional<std::string> {
             const auto state = Unlocked([&] { return boundary.Enter(VariablesOf(functions)); });
             if (!state) return std::nullopt;
             return state->metadata;
           })
      .def("pass_step",
           [](StepBoundary& boundary, int64_t steps, const std::vector<const Function*>& functions,
              nb::object position) {
             const Held held(std::move(position));
             return Unlocked([&] {
               return boundary.Pass(steps, [&] {
                 StepBoundary::Passed passed{.variables = VariablesOf(functions)};
                 const nb::gil_scoped_acquire lock;
                 passed.position.metadata = nb::cast<std::string>(held.get()());
                 return passed;
               });
             });
           })
      .def("fail", [](StepBoundary& boundary,
                      const std::string& why) { Unlocked([&] { boundary.Fail(why); }); })
      .def("save",
           [](const StepBoundary& boundary, const std::string& directory, int64_t steps,
              const std::vector<const Function*>& functions, const std::string& position) {
             StepBoundary::Passed passed{.variables = VariablesOf(functions)};
             passed.position.metadata = position;
             Unlocked([&] { boundary.Save(directory, steps, std::move(passed)); });
           })
      .def("resume", [](const StepBoundary& boundary, const std::string& path,
                        const std::vector<const Function*>& functions) {
        return Unlocked([&] { return boundary.Resume(path, VariablesOf(functions)).metadata; });
      });
}

// What a worker does by itself where the others have left it out.
class Looking {
 public:
  explicit Looking(Strategy& strategy)
      : activity_(strategy.ranks(), distribute::Activity::kLooking) {}
  void Fail(const std::string& why) { activity_.Fail(why); }

 private:
  distribute::ActivityScope activity_;
};

void BindLooking(nb::module_& m) {
  nb::class_<Looking>(m, "Looking")
      .def(nb::init<Strategy&>(), nb::keep_alive<1, 2>())
      .def("__init__",  // of the strategy in scope
           [](Looking* self) { new (self) Looking(GetStrategy()); })
      .def("fail",
           [](Looking& looking, const std::string& why) { Unlocked([&] { looking.Fail(why); }); });
}

void BindStrategies(nb::module_& m) {
  nb::class_<Strategy>(m, "Strategy")
      .def_prop_ro("replicas", &Strategy::num_replicas_in_sync)
      .def_prop_ro("devices", &Strategy::num_devices)
      .def_prop_ro("workers", &Strategy::num_workers)
      .def_prop_ro("worker", &Strategy::worker)
      .def_prop_ro("local_replicas", &Strategy::LocalReplicas)
      .def_prop_ro("input_pipelines",
                   [](const Strategy& s) {
                     std::vector<std::pair<int, int>> pipelines;
                     for (const InputContext& one : s.InputPipelines())
                       pipelines.emplace_back(one.num_input_pipelines, one.input_pipeline_id);
                     return pipelines;
                   })
      .def_prop_ro("id", &Strategy::id)
      .def_prop_ro("name", &Strategy::name)
      .def("end",
           [](Strategy& s) {
             Unlocked([&] {
               if (s.ranks() != nullptr) s.ranks()->journal().End();
             });
           })
      .def("give_up",
           [](Strategy& s) {
             if (s.ranks() != nullptr) s.ranks()->journal().GiveUp();
           })
      .def("on_one",
           [](Strategy& s, const std::string& path, nb::object work) {
             const Held held(std::move(work));
             Unlocked([&] {
               s.OnOne(path, [&] {
                 const nb::gil_scoped_acquire lock;
                 held.get()();
                 return Status::Ok();
               });
             });
           })
      .def("holds",
           [](Strategy& s) {
             return Unlocked([&] {
               const bool alone = s.ranks() == nullptr || s.ranks()->roster() == nullptr;
               return alone || s.ranks()->roster()->Holds();
             });
           })
      .def("run", &RunReplicas)
      .def(
          "reduce",
          [](Strategy& s, int op, nb::object value, std::optional<int> axis) {
            const PerReplica values = PerReplicaOf(value);
            return Unlocked([&] { return s.Reduce(ReduceOp(op), values, axis); });
          },
          nb::arg(), nb::arg(), nb::arg().none())
      .def("gather",
           [](Strategy& s, nb::object value, int axis) {
             const PerReplica values = PerReplicaOf(value);
             return Unlocked([&] { return s.Gather(values, axis); });
           })
      .def("take_owners_values",
           [](Strategy& s, const std::string& where, std::vector<std::vector<Tensor>> by_replica) {
             Unlocked([&] { distribute::TakeOwnersValues(s, where, &by_replica); });
             return by_replica;
           })
      .def("split", [](Strategy& s, const std::vector<Tensor>& batch) {
        return ListOf(Unlocked([&] { return s.Split(batch); }));
      });
  nb::class_<MirroredStrategy, Strategy>(m, "MirroredStrategy")
      .def("__init__", [](MirroredStrategy* self, int devices, int replicas, int threads,
                          std::vector<std::string> names) {
        new (self) MirroredStrategy({devices, replicas, threads, std::move(names)});
      });
  nb::class_<CentralStorageStrategy, Strategy>(m, "CentralStorageStrategy")
      .def("__init__", [](CentralStorageStrategy* self, std::vector<std::string> names,
                          std::string parameter_device) {
        new (self) CentralStorageStrategy(
            {.compute_devices = std::move(names), .parameter_device = std::move(parameter_device)});
      });
  nb::class_<OneDeviceStrategy, Strategy>(m, "OneDeviceStrategy").def(nb::init<int>());
  nb::class_<MultiWorkerMirroredStrategy, Strategy>(m, "MultiWorkerMirroredStrategy")
      .def("__init__", [](MultiWorkerMirroredStrategy* self, int devices, int replicas, int threads,
                          const std::string& described) {
        const MultiWorkerOptions options{devices, replicas, threads};
        Unlocked([&] {
          if (described.empty()) {
            new (self) MultiWorkerMirroredStrategy(options);
          } else {
            new (self) MultiWorkerMirroredStrategy(
                Connect(described, {.replicas = replicas, .devices = devices}), options);
          }
        });
      });
  nb::class_<ParameterServerStrategy, Strategy>(m, "ParameterServerStrategy")
      .def(
          "__init__",
          [](ParameterServerStrategy* self, const std::string& mode, int staleness, bool scale,
             int devices, int replicas, int threads, nb::object partitioner,
             const std::string& described) {
            const ParameterServerOptions options{.mode = ModeOf(mode, staleness),
                                                 .scale_by_staleness = scale,
                                                 .partitioner = PartitionerOf(partitioner),
                                                 .devices = devices,
                                                 .replicas = replicas,
                                                 .threads_per_device = threads};
            Unlocked([&] {
              if (described.empty()) {
                new (self) ParameterServerStrategy(options);
              } else {
                new (self) ParameterServerStrategy(
                    Connect(described, {.replicas = replicas, .devices = devices, .servers = true}),
                    options);
              }
            });
          },
          nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
          nb::arg())
      .def_prop_ro("servers", &ParameterServerStrategy::num_servers)
      .def_prop_ro("is_server", &ParameterServerStrategy::is_server)
      .def_prop_ro("mode", [](const ParameterServerStrategy& s) { return s.mode().ToString(); });
  nb::class_<StrategyScope>(m, "StrategyScope")
      .def(nb::init<Strategy&>(), nb::keep_alive<1, 2>())
      .def("enter", &StrategyScope::Enter)
      .def("exit", &StrategyScope::Exit);
}

}  // namespace

void BindDistribute(nb::module_& m) {
  m.def("set_lane_limit", &base::SetLaneLimit);
  m.def("default_lanes", &base::DefaultLanes);
  BindStrategies(m);
  BindStepBoundary(m);
  BindLooking(m);
  m.def("has_strategy", &HasStrategy);
  m.def("strategy_id", [] { return GetStrategy().id(); });
  m.def("in_replica", [] { return GetReplicaContext() != nullptr; });
  m.def("in_cross_replica", &InCrossReplicaContext);
  m.def("replica_id", [] { return Context().replica_id_in_sync_group(); });
  m.def("replicas_in_sync", [] { return Context().num_replicas_in_sync(); });
  m.def("all_reduce", [](int op, const std::vector<Tensor>& values) {
    const ops::KnownSite site(PythonLine());
    return Unlocked([&] { return Context().AllReduce(ReduceOp(op), values); });
  });
  m.def("all_gather", [](const Tensor& value, int axis) {
    const ops::KnownSite site(PythonLine());
    return Unlocked([&] { return Context().AllGather(value, axis); });
  });
  m.def("merge_call", &Merge);
}

}  // namespace lockstep::python
