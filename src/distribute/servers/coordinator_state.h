#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/tracer.h"
#include "lockstep/distribute/coordinator.h"
#include "remote/chief.h"
#include "runtime/variable_state.h"
#include "runtime/waiting.h"

namespace lockstep::distribute {

class CoordinatorState;

/// What functions have done so far has happened before what the calling thread does now.
void LearnOfFunctions(runtime::Actor& functions);

/// What a `RemoteValue` refers to.
class RemoteState {
 public:
  explicit RemoteState(std::shared_ptr<runtime::Actor> functions)
      : functions(std::move(functions)) {}
  void Set(remote::Dispatcher::Results results);
  const std::shared_ptr<runtime::Actor> functions;
  runtime::Awaited ready;
  std::mutex mutex;
  std::optional<remote::Dispatcher::Results> results;  // guarded by mutex until `ready`
};

/// What `PerWorkerValues` refer to.
struct PerWorkerFunction {
  int resource = 0;  // of the dispatcher
  std::vector<ops::TensorType> types;
};
using PerWorkerPtr = std::shared_ptr<PerWorkerFunction>;

/// What a `PerWorkerIterator` refers to: for each worker a place in a dataset, from the beginning
/// in each of its lives.
class PerWorkerState {
 public:
  explicit PerWorkerState(std::function<Dataset(const InputContext&)> make);
  /// The types of the first element.
  const std::vector<ops::TensorType>& types() const { return types_; }
  /// The next element. OutOfRange at the end.
  Element Next(int worker, int life);

 private:
  struct Position {
    explicit Position(Dataset dataset) : dataset(std::move(dataset)), next(this->dataset.begin()) {}
    Dataset dataset;
    DatasetIterator next;
    int life = 0;
  };
  const std::function<Dataset(const InputContext&)> make_;
  std::vector<ops::TensorType> types_;
  std::mutex mutex_;
  std::map<int, std::unique_ptr<Position>> positions_;  // by worker
};

/// A function as it was traced for arguments, and for elements of iterators, of some types.
struct WorkerTrace {
  std::shared_ptr<const remote::DispatchedFunction> function;
  struct Draw {
    std::shared_ptr<PerWorkerState> iterator;
    std::vector<ops::TensorType> types;
  };
  std::vector<Draw> draws;  // in the order in which the function takes them
};

/// How a function is called: what its trace depends on.
struct WorkerSignature {
  Function function;
  std::vector<ops::TensorType> types;   // of the tensors among the arguments
  std::vector<PerWorkerPtr> resources;  // the others
  std::vector<int> order;  // of all: a place in `types`, or -1 - a place in `resources`
};

/// The traces of a coordinator's functions.
class WorkerTraces {
 public:
  std::shared_ptr<WorkerTrace> For(CoordinatorState& state, const WorkerSignature& signature);
  /// Takes the elements that a call of `trace` needs. Where they have other types than those it was
  /// traced for, another trace takes its place.
  remote::Dispatcher::Drawn Draw(CoordinatorState& state, const WorkerTrace& trace,
                                 const WorkerSignature& signature, int worker, int life);
  PerWorkerPtr Resource(CoordinatorState& state, const Function& function);

 private:
  using Traces = std::vector<std::shared_ptr<WorkerTrace>>;
  static std::string KeyOf(const WorkerSignature& signature);
  std::shared_ptr<WorkerTrace> Trace(CoordinatorState& state, const WorkerSignature& signature,
                                     const std::vector<std::vector<ops::TensorType>>& drawn);

  std::recursive_mutex mutex_;  // held while a function is traced
  std::map<std::string, Traces> traces_;
  std::vector<Function> kept_;  // whose identities are in keys
};

/// What a `ClusterCoordinator` refers to; makes the variables of its scopes.
class CoordinatorState : public runtime::VariableCreator,
                         public std::enable_shared_from_this<CoordinatorState> {
 public:
  ~CoordinatorState() override;
  std::shared_ptr<runtime::VariableState> Create(const std::function<Tensor()>& initial,
                                                 VariableOptions options) override;
  std::shared_ptr<RemoteState> Schedule(const Function& function,
                                        const std::vector<ClusterCoordinator::Argument>& arguments,
                                        Place place);
  /// A traced graph as workers carry it out: beside its variables, held as the effects want it.
  std::shared_ptr<remote::DispatchedFunction> Dispatched(graph::Graph graph,
                                                         std::string name) const;
  /// Queues `call`, when there is room; `site` is where it is scheduled, for reports of races.
  void Send(remote::Dispatcher::Call call, const ops::SourceSite& site = ops::CurrentSite());
  /// The first error since the last one that was thrown; of another function, perhaps.
  void ThrowError();
  void Join();
  bool Done();
  int AddResource(const std::shared_ptr<const remote::DispatchedFunction>& function);

  CoordinatorOptions options;
  std::shared_ptr<remote::Chief> chief;
  WorkerTraces traces;
  runtime::WaitingRoom room;  // of the queue
  /// Who acts for whom has scheduled functions.
  const std::shared_ptr<runtime::Actor> functions = remote::MakeActorOfFunctions();

 private:
  std::string DeviceOfNext(DType dtype, const Shape& shape);

  std::mutex mutex;
  size_t next_server = 0;      // guarded by mutex
  std::vector<int64_t> bytes;  // guarded by mutex; by server
  std::atomic<bool> failed{false};
};

/// The coordinator in whose scope the calling thread is.
class CurrentCoordinator {
 public:
  explicit CurrentCoordinator(CoordinatorState* state);
  ~CurrentCoordinator();
  static CoordinatorState* Get();

 private:
  CoordinatorState* outer_;
};

}  // namespace lockstep::distribute
