// Servers, and the chief that gives functions to workers.

#include "lockstep/distribute/coordinator.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "lockstep/remote/server.h"
#include "python/bind.h"
#include "python/callback.h"
#include "python/jobs.h"
#include "python/partitioner.h"
#include "python/server_mode.h"
#include "runtime/graph_builder.h"

namespace lockstep::python {

namespace {

// Its thread may need the interpreter while it ends.
class Chief {
 public:
  Chief(const Jobs& jobs, double patience, double connecting, bool immediate, size_t bound,
        const std::string& mode, int staleness, nb::object partitioner) {
    const auto of = [](double seconds) {
      return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
    };
    CoordinatorOptions options;
    options.effects = immediate ? Effects::kImmediate : Effects::kExactlyOnce;
    options.queue_bound = bound;
    options.mode = ModeOf(mode, staleness);
    options.partitioner = PartitionerOf(std::move(partitioner));
    options.patience = of(patience);
    options.connecting = of(connecting);
    const ClusterSpec spec = SpecOf(jobs);
    Unlocked([&] { coordinator_ = std::make_unique<ClusterCoordinator>(spec, options); });
  }
  ~Chief() { Close(); }
  void Close() {
    const nb::gil_scoped_release unlocked;
    coordinator_.reset();
  }
  const ClusterCoordinator& get() const {
    if (coordinator_ != nullptr) return *coordinator_;
    throw Error(Code::kFailedPrecondition, "[coordinator] it has ended");
  }

  // `file` and `line`: of the call.
  RemoteValue Schedule(const Function& function, const std::vector<Tensor>& tensors,
                       const std::string& file, int line) const {
    const std::vector<ClusterCoordinator::Argument> arguments(tensors.begin(), tensors.end());
    return Unlocked(
        [&] { return get().Schedule(function, arguments, Place::Current(file.c_str(), line)); });
  }
  PerWorkerIterator Iterator(nb::object make) const {
    const Held held(std::move(make));
    const auto make_dataset = [held](const InputContext&) {
      const nb::gil_scoped_acquire lock;
      return nb::cast<Dataset>(held.get()());
    };
    return Unlocked([&] { return get().CreatePerWorkerDataset(make_dataset).Iterator(); });
  }

 private:
  std::unique_ptr<ClusterCoordinator> coordinator_;
};

// A Python context.
class ChiefScope {
 public:
  explicit ChiefScope(const Chief& chief) : chief_(chief) {}
  void Enter() { scope_ = std::make_unique<ClusterCoordinator::Scope>(chief_.get()); }
  void Exit() { scope_.reset(); }

 private:
  const Chief& chief_;
  std::unique_ptr<ClusterCoordinator::Scope> scope_;
};

void BindShards(nb::module_& m) {
  nb::class_<ShardedVariable>(m, "ShardedVariable")
      .def_static("make",
                  [](const Tensor& initial, std::string name, bool trainable, int64_t count) {
                    const VariableOptions options{.name = std::move(name), .trainable = trainable};
                    return Unlocked([&] {
                      return ShardedVariable(initial, options, partitioners::FixedShards(count));
                    });
                  })
      .def_static("whole",
                  [](const Variable& variable) -> std::optional<ShardedVariable> {
                    const ShardedVariable* shards = ShardedVariable::Of(variable);
                    return shards == nullptr ? std::nullopt : std::optional(*shards);
                  })
      .def_static("of", [](std::vector<Variable> shards,
                           std::string name) { return ShardedVariable(std::move(shards), name); })
      .def_prop_ro("shards", [](const ShardedVariable& v) { return v.shards(); })
      .def_prop_ro("name", &ShardedVariable::name)
      .def_prop_ro("shape", &ShardedVariable::shape)
      .def("value", &ShardedVariable::value, nb::call_guard<nb::gil_scoped_release>())
      .def("assign", &ShardedVariable::Assign, nb::call_guard<nb::gil_scoped_release>())
      .def("assign_add", &ShardedVariable::AssignAdd, nb::call_guard<nb::gil_scoped_release>())
      .def("assign_sub", &ShardedVariable::AssignSub, nb::call_guard<nb::gil_scoped_release>())
      .def("lookup", &ShardedVariable::Lookup, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "scatter",
          [](const ShardedVariable& v, int kind, const Tensor& ids, const Tensor& updates) {
            v.Scatter(static_cast<ScatterKind>(kind), ids, updates);
          },
          nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace

void BindCoordinator(nb::module_& m) {
  BindShards(m);
  nb::class_<Server>(m, "Server")
      .def("__init__",
           [](Server* self, const Jobs& jobs, const std::string& job, int task) {
             const ClusterSpec spec = SpecOf(jobs);
             Unlocked([&] { new (self) Server(spec, job, task); });
           })
      .def_static("local", [] { return Server::Local(); })
      .def_prop_ro("target", &Server::target)
      .def("join", &Server::Join, nb::call_guard<nb::gil_scoped_release>())
      .def("stop", &Server::Stop, nb::call_guard<nb::gil_scoped_release>());
  nb::class_<RemoteValue>(m, "RemoteValue")
      .def_prop_ro("state", [](const RemoteValue& v) { return static_cast<int>(v.state()); })
      .def("fetch", &RemoteValue::Fetch, nb::call_guard<nb::gil_scoped_release>());
  nb::class_<PerWorkerIterator>(m, "PerWorkerIterator").def("next", &PerWorkerIterator::Next);
  nb::class_<Chief>(m, "Chief")
      .def(nb::init<const Jobs&, double, double, bool, size_t, const std::string&, int,
                    nb::object>(),
           nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
           nb::arg().none())
      .def("schedule", &Chief::Schedule)
      .def("iterator", &Chief::Iterator)
      .def(
          "join", [](const Chief& chief) { chief.get().Join(); },
          nb::call_guard<nb::gil_scoped_release>())
      .def(
          "done", [](const Chief& chief) { return chief.get().Done(); },
          nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("workers", [](const Chief& chief) { return chief.get().num_workers(); })
      .def("close", &Chief::Close);
  nb::class_<ChiefScope>(m, "ChiefScope")
      .def(nb::init<const Chief&>(), nb::keep_alive<1, 2>())
      .def("enter", &ChiefScope::Enter)
      .def("exit", &ChiefScope::Exit);
  m.def("server_device", [](const Variable& variable) {
    const runtime::GraphVariable* placed = runtime::AsGraphVariable(variable.state().first());
    return placed == nullptr ? std::string() : placed->device;
  });
}

}  // namespace lockstep::python
