#include "runtime/session_callable.h"

#include <algorithm>
#include <set>

#include "graph/bodies.h"
#include "graph/partition.h"
#include "graph/passes.h"
#include "graph/rewrite.h"
#include "graph/segments.h"
#include "runtime/body_tracer.h"
#include "runtime/devices.h"
#include "runtime/graph_export.h"
#include "runtime/host_ops.h"
#include "runtime/schedule.h"
#include "runtime/scheduled_graph.h"
#include "tensor/buffer.h"

namespace lockstep::runtime {

namespace {

std::shared_ptr<VariableCell> CellAt(const graph::Graph& graph, graph::Endpoint e) {
  const Tensor* handle = graph::ResourceOf(graph, e);
  return handle == nullptr ? nullptr : std::dynamic_pointer_cast<VariableCell>(handle->object());
}

// In the order of the program, bodies where their nodes are.
void FindNeeds(const graph::Graph& graph, std::set<const VariableCell*>* known,
               std::vector<ValueNeed>* needs) {
  for (const graph::Node& node : graph.nodes()) {
    for (const graph::Graph* body : graph::BodiesOf(node.attributes))
      FindNeeds(*body, known, needs);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.spec->view) continue;
      const auto cell = CellAt(graph, node.inputs[i]);
      if (cell == nullptr || !known->insert(cell.get()).second) continue;
      const bool assigns =
          ops::HasBit(node.spec->effects.writes, i) && !ops::HasBit(node.spec->effects.reads, i);
      if (!assigns) needs->push_back({cell, node.name});
    }
  }
}

void FindAsked(const graph::Graph& graph, std::set<const VariableCell*>* asked) {
  for (const graph::Node& node : graph.nodes()) {
    for (const graph::Graph* body : graph::BodiesOf(node.attributes)) FindAsked(*body, asked);
    if (node.spec->name == "VarIsInitializedOp") {
      asked->insert(CellAt(graph, node.inputs[0]).get());
    }
  }
}

const graph::Node* FindBlocking(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes()) {
    if (node.spec->asynchronous || node.spec->meets) return &node;
    for (const graph::Graph* body : graph::BodiesOf(node.attributes))
      if (const graph::Node* inner = FindBlocking(*body)) return inner;
  }
  return nullptr;
}

bool Writes(const graph::Graph& graph) {
  ResourceSet writes;
  CollectWrites(graph, &writes);
  return !writes.empty();
}

}  // namespace

void RequireRunnable(const graph::Graph& graph, Consistency consistency) {
  if (consistency == Consistency::kRelaxed) return;
  if (const graph::Node* node = FindBlocking(graph)) {
    throw Error(Code::kFailedPrecondition,
                "[session] a run that keeps its variables must not wait for others; got '" +
                    node->name + "' of " + node->spec->name +
                    "; give RunOptions::consistency = Consistency::kRelaxed");
  }
  if (consistency != Consistency::kSnapshot) return;
  ResourceSet writes;
  CollectWrites(graph, &writes);
  if (writes.empty()) return;
  std::string name = "a variable";
  for (const graph::Node& node : graph.nodes()) {
    const Tensor* constant = graph.constant({node.id, 0});
    if (constant != nullptr && writes.contains(constant->object().get())) name = node.name;
  }
  throw Error(Code::kFailedPrecondition,
              "[session] a snapshot run writes nothing; got one that writes '" + name +
                  "'; run it with Consistency::kSerializable");
}

graph::Graph WithResources(const graph::Graph& graph,
                           const std::function<Tensor(const Tensor&)>& replace) {
  graph::Graph result = graph;
  for (int id = 0; id < result.num_nodes(); ++id) {
    graph::Node& node = result.node(id);
    if (const Tensor* constant = result.constant({id, 0})) {
      if (constant->dtype() != DType::kResource) continue;
      const Tensor other = replace(*constant);
      if (other.defined()) node.attributes.Set("value", other);
      continue;
    }
    const std::vector<ops::Attributes::Entry> entries = node.attributes.entries();
    for (const auto& [name, value] : entries) {
      const graph::Graph* body = graph::BodyIn(value);
      if (body == nullptr) continue;
      node.attributes.Set(name, std::shared_ptr<TensorObject>(
                                    std::make_shared<graph::Graph>(WithResources(*body, replace))));
    }
  }
  return result;
}

std::vector<ValueNeed> NeededValues(const graph::Graph& graph) {
  std::set<const VariableCell*> known;
  FindAsked(graph, &known);
  std::vector<ValueNeed> needs;
  FindNeeds(graph, &known, &needs);
  return needs;
}

SessionCallable::SessionCallable(const graph::Graph& bound, size_t num_fetches, SessionMode mode)
    : num_fetches_(num_fetches), graph_(graph::Prune(bound)) {
  RequireRunnable(graph_, mode.consistency);
  if (Schedule::Active() != nullptr) graph_ = InScheduledOrder(graph_, *Schedule::Active());
  needs_ = NeededValues(graph_);
  ExecutionOptions options;
  options.eager = mode.one_by_one;
  // A run that waits for another one must not keep variables meanwhile that this one needs.
  if (mode.consistency == Consistency::kRelaxed || (MayWait(graph_) && Writes(graph_))) {
    options.eager = true;
    relaxed_ = std::make_unique<Program>(graph_, options);
    return;
  }
  ReadSnapshots(graph_);
  compiled_ = std::make_unique<Compiled>(graph_, options);
}

// Reads of variables that nothing here writes become parameters.
void SessionCallable::ReadSnapshots(const graph::Graph& bound) {
  ResourceSet writes;
  CollectWrites(bound, &writes);
  graph::Rewriter rewriter(bound);
  std::map<VariableCell*, Access> accesses;
  std::map<VariableCell*, graph::Endpoint> parameters;
  const size_t num_feeds = bound.parameters().size();
  for (const graph::Node& node : bound.nodes()) {
    const auto cell = node.spec->name == "ReadVariableOp" ? CellAt(bound, node.inputs[0]) : nullptr;
    if (cell == nullptr || writes.contains(cell.get())) {
      rewriter.Keep(node);
      continue;
    }
    auto [place, fresh] = parameters.try_emplace(cell.get());
    if (fresh) {
      Access& access = accesses[cell.get()];
      access.cell = cell;
      access.parameter = static_cast<int>(num_feeds + num_snapshots_++);
      place->second = rewriter.result().AddParameter(node.outputs[0]);
    }
    rewriter.Map({node.id, 0}, place->second);
  }
  graph_ = graph::Prune(rewriter.Finish());
  for (const VariableUse& use : UsesOf(graph_)) {
    Access& access = accesses[use.cell.get()];
    access.cell = use.cell;
    access.held = true;
    access.writes = use.writes;
    held_.push_back(use);
  }
  for (auto& [cell, access] : accesses) accesses_.push_back(std::move(access));
}

// Takes all locks, in the order of their addresses, before any is given back; reads what is only
// read; keeps the locks of the rest for a `VariableHold`.
class SessionCallable::Locks {
 public:
  Locks(const SessionCallable& callable, const RunControl& control, std::vector<Tensor>* arguments,
        RunMetadata* metadata)
      : outer_(VariableHold::Current()) {
    taken_.reserve(callable.accesses_.size());
    if (IsScheduled()) Touch(callable.accesses_);
    for (const Access& access : callable.accesses_) Take(access, control);
    for (const Access& access : callable.accesses_) {
      if (access.parameter < 0) continue;
      VariableCell& cell = *access.cell;
      if (FollowsAccesses()) cell.log().Read(cell.version(), ops::CurrentSite());
      (*arguments)[access.parameter] =
          Tensor::FromBuffer(cell.buffer(), cell.dtype(), cell.shape());
      if (metadata != nullptr) metadata->versions_read.push_back({cell.name(), cell.version()});
    }
    Release(false);
  }
  ~Locks() { Release(true); }
  Locks(const Locks&) = delete;

 private:
  struct Taken {
    const Access* access;
    bool held;
  };
  static void Touch(const std::vector<Access>& accesses) {
    std::vector<ScheduledAccess> touched;
    for (const Access& access : accesses) {
      touched.push_back({access.cell->name(), access.writes, ops::CurrentSite()});
    }
    if (!touched.empty()) Schedule::Active()->Touch(std::move(touched));
  }
  void Take(const Access& access, const RunControl& control) {
    VariableCell& cell = *access.cell;
    if (outer_ != nullptr && outer_->Has(cell, access.writes)) return;
    base::SharedLock& lock = cell.lock();
    if (!(access.writes ? lock.TryLock() : lock.TryLockShared())) Wait(access, control);
    taken_.push_back({&access, access.held});
  }
  void Wait(const Access& access, const RunControl& control) {
    base::SharedLock& lock = access.cell->lock();
    if (control.cancellation == nullptr && control.deadline == RunControl::Clock::time_point{}) {
      access.writes ? lock.Lock() : lock.LockShared();
      return;
    }
    while (!(access.writes ? lock.TryLock() : lock.TryLockShared())) {
      if (const Status status = control.Check(); !status.ok()) {
        Release(true);
        throw Error(status.code(), status.message() + " (waiting for '" + access.cell->name() +
                                       "', which another run has)");
      }
      lock.Pause();
    }
  }
  void Release(bool all) {
    std::erase_if(taken_, [&](const Taken& taken) {
      if (!all && taken.held) return false;
      base::SharedLock& lock = taken.access->cell->lock();
      taken.access->writes ? lock.Unlock() : lock.UnlockShared();
      return true;
    });
  }

  const VariableHold* const outer_;
  std::vector<Taken> taken_;
};

Status NoValue(const ValueNeed& need) {
  return Status(Code::kFailedPrecondition,
                "[session] a variable must have a value before it is read; got '" +
                    need.cell->name() + "', which no run of this session has assigned (op '" +
                    need.op + "'); run its initializer first, or GlobalVariablesInitializer()");
}

void SessionCallable::RequireValues() {
  if (has_values_.load(std::memory_order_relaxed)) return;
  for (const ValueNeed& need : needs_) {
    if (need.cell->initialized()) continue;
    NoValue(need).OrThrow();
  }
  has_values_.store(true, std::memory_order_relaxed);
}

std::vector<RunMetadata::PartitionGraph> SessionCallable::PartitionGraphs() const {
  std::vector<RunMetadata::PartitionGraph> graphs;
  for (const auto& [device, part] : graph::PartitionByDevice(graph_, "")) {
    graphs.push_back(ExportPartition(device, part.graph));
  }
  return graphs;
}

size_t SessionCallable::bytes() const {
  const Plan* plan = compiled_ == nullptr ? nullptr : compiled_->plan();
  return plan == nullptr ? 0 : plan->arena_bytes();
}

std::vector<Tensor> SessionCallable::Run(std::span<const Tensor> feeds, RunControl& control,
                                         RunMetadata* metadata) {
  control.Check().OrThrow();
  const VariableHold* const outer = VariableHold::Current();
  if (relaxed_ == nullptr && outer != nullptr && outer->InLock()) {
    throw Error(Code::kFailedPrecondition,
                "[session] a run that keeps its variables must not begin while its thread holds "
                "some; got one inside of a Lock or an Update; run it outside, or give "
                "RunOptions::consistency = Consistency::kRelaxed");
  }
  const RunControlScope scope(&control);
  std::vector<Tensor> arguments;
  arguments.reserve(feeds.size() + num_snapshots_);
  arguments.assign(feeds.begin(), feeds.end());
  arguments.resize(feeds.size() + num_snapshots_);
  std::vector<Tensor> results;
  if (relaxed_ != nullptr) {
    RequireValues();
    results = relaxed_->Run(arguments, CurrentTeam());
  } else {
    const Locks locks(*this, control, &arguments, metadata);
    RequireValues();
    if (held_.empty()) {
      results = compiled_->Run(arguments, CurrentTeam());
    } else {
      // A plan takes failures back by itself.
      VariableHold hold(VariableHold::Adopt{}, held_, compiled_->plan() == nullptr);
      results = compiled_->Run(arguments, CurrentTeam());
      hold.Commit();
    }
  }
  results.resize(num_fetches_);
  return results;
}

}  // namespace lockstep::runtime
