#include "lockstep/distribute/strategy.h"

#include <algorithm>
#include <atomic>

#include "base/cores.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/team.h"
#include "cluster/resolver.h"
#include "distribute/communicator.h"
#include "distribute/connect_workers.h"
#include "distribute/context.h"
#include "distribute/distributed_variable.h"
#include "distribute/reduction.h"
#include "distribute/run.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "ops/builder.h"
#include "runtime/eager.h"

namespace lockstep {

namespace {

int Positive(int value, const char* what) {
  if (value < 1) {
    throw Error(Code::kInvalidArgument, std::string("[strategy] ") + what +
                                            " must be at least 1; got " + std::to_string(value));
  }
  return value;
}

uint64_t NextId() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1);
}

int ReplicasOf(const MirroredOptions& options) {
  if (options.replicas != 0) return options.replicas;
  return options.device_names.empty() ? 1 : static_cast<int>(options.device_names.size());
}

int DevicesOf(const MirroredOptions& options) {
  std::vector<std::string> names = options.device_names;
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    throw Error(Code::kInvalidArgument,
                "[mirrored] each device must be named once; got " + *twice + " twice");
  }
  if (options.devices != 0) return options.devices;
  if (!names.empty()) return static_cast<int>(names.size());
  const auto wanted = base::EnvironmentNumber("LOCKSTEP_DEVICES", 1, 1024);
  return wanted ? static_cast<int>(*wanted) : base::Cores();
}

// Where R came from, since it is part of what the program means.
void Tell(const MirroredOptions& options, int replicas, int devices) {
  const char* from = options.replicas != 0          ? "it was given"
                     : options.device_names.empty() ? "none was given and there is no accelerator"
                                                    : "so many devices were named";
  base::Log(base::Severity::kInfo, "mirrored: " + std::to_string(replicas) +
                                       (replicas == 1 ? " replica (" : " replicas (") + from +
                                       ") on " + std::to_string(devices) +
                                       (devices == 1 ? " device" : " devices"));
}

}  // namespace

Strategy::Strategy(std::string name, int replicas, int devices, int threads_per_device)
    : id_(NextId()),
      name_(std::move(name)),
      replicas_(Positive(replicas, "the number of replicas")),
      devices_(Positive(devices, "the number of devices")),
      team_(std::make_unique<base::Team>(devices *
                                         Positive(threads_per_device, "threads a device"))) {}

Strategy::~Strategy() = default;

MirroredStrategy::MirroredStrategy(const MirroredOptions& options)
    : Strategy("mirrored", ReplicasOf(options), DevicesOf(options), options.threads_per_device) {
  Tell(options, num_replicas_in_sync(), num_devices());
}

namespace {

std::shared_ptr<distribute::Communicator> ConnectAll(const MultiWorkerOptions& options) {
  const auto environment = base::ProcessEnvironment();
  return distribute::ConnectWorkers(cluster::ResolveCluster(environment).OrThrow(), environment,
                                    {.replicas = options.replicas, .devices = options.devices});
}

int ReplicasOf(const MultiWorkerOptions& options, int workers) {
  const int devices = options.devices != 0 ? options.devices : base::Cores();
  return options.replicas != 0 ? options.replicas : devices * workers;
}

}  // namespace

MultiWorkerMirroredStrategy::MultiWorkerMirroredStrategy(const MultiWorkerOptions& options)
    : MultiWorkerMirroredStrategy(ConnectAll(options), options) {}

MultiWorkerMirroredStrategy::MultiWorkerMirroredStrategy(
    std::shared_ptr<distribute::Communicator> workers, const MultiWorkerOptions& options)
    : Strategy("multi_worker_mirrored", ReplicasOf(options, workers->num_ranks()),
               options.devices != 0 ? options.devices : base::Cores(), options.threads_per_device) {
  base::Log(base::Severity::kInfo,
            "multi_worker_mirrored: worker " + std::to_string(workers->rank()) + " of " +
                std::to_string(workers->num_ranks()) + ", " +
                std::to_string(num_replicas_in_sync()) + " replicas (" +
                (options.replicas != 0 ? "it was given" : "workers times devices") + ") on " +
                std::to_string(num_devices()) + " devices a worker");
  ranks_ = std::move(workers);
}

int Strategy::num_workers() const { return ranks_ == nullptr ? 1 : ranks_->num_ranks(); }
void Strategy::OnChief(const std::function<Status()>& work) {
  Status status;
  if (worker() == 0) {
    try {
      status = work();
    } catch (const Error& error) {
      status = error.status();
    }
  }
  if (num_workers() > 1) {
    std::string text(1, static_cast<char>(status.code()));
    text = ranks_->AllGather(text + status.message())[0];
    if (worker() != 0) status = Status(static_cast<Code>(text[0]), text.substr(1));
  }
  status.OrThrow();
}

int Strategy::worker() const { return ranks_ == nullptr ? 0 : ranks_->rank(); }

OneDeviceStrategy::OneDeviceStrategy(int threads) : Strategy("one_device", 1, 1, threads) {}

std::vector<PerReplica> Strategy::RunAll(const ReplicaFunction& function,
                                         const std::vector<PerReplica>& arguments) {
  distribute::RequireCrossReplica("strategy.run");
  distribute::RequireStrategy("strategy.run", id_, name_);
  for (const PerReplica& argument : arguments) {
    if (argument.is_same() || static_cast<int>(argument.values().size()) == replicas_) continue;
    throw Error(Code::kInvalidArgument,
                "[strategy.run] an argument has one value, or one for each replica; got " +
                    std::to_string(argument.values().size()) + " for " + std::to_string(replicas_) +
                    " replicas");
  }
  const bool eager = &ops::CurrentBuilder() == &runtime::EagerBuilder::Instance();
  return eager ? distribute::RunEagerly(*this, function, arguments)
               : distribute::TraceRun(*this, function, arguments);
}

Tensor Strategy::Reduce(ReduceOp op, const PerReplica& value, std::optional<int> axis) {
  distribute::RequireCrossReplica("strategy.reduce");
  distribute::RequireStrategy("strategy.reduce", id_, name_);
  const distribute::CrossReplicaScope scope(*this);
  if (value.is_same() && !value.value(0).defined()) return Tensor();
  if (value.is_same() && replicas_ > 1 && !axis) {
    if (op == ReduceOp::kMean) return value.value(0);
    throw Error(Code::kInvalidArgument,
                "[strategy.reduce] the SUM needs a value for each replica; got one for " +
                    std::to_string(replicas_) + " replicas; multiply it, or use MEAN");
  }
  if (!axis) return distribute::Combine(op, value.values(), "strategy.reduce");
  std::vector<Tensor> sums, counts;
  for (const Tensor& own : value.values()) {
    sums.push_back(ReduceSum(own, *axis));
    if (op == ReduceOp::kMean) counts.push_back(ReduceSum(ops::Emit1("OnesLike", {own}), *axis));
  }
  const Tensor sum = distribute::Combine(ReduceOp::kSum, sums, "strategy.reduce");
  if (op == ReduceOp::kSum) return sum;
  const Tensor count = distribute::Combine(ReduceOp::kSum, counts, "strategy.reduce");
  return Cast(sum / count, sum.dtype());
}

Tensor Strategy::Gather(const PerReplica& value, int axis) {
  distribute::RequireCrossReplica("strategy.gather");
  distribute::RequireStrategy("strategy.gather", id_, name_);
  const distribute::CrossReplicaScope scope(*this);
  std::vector<Tensor> parts;
  for (int r = 0; r < replicas_; ++r) {
    const Tensor& own = value.value(r);
    if (IndexedSlices::Of(own) != nullptr) {
      throw Error(Code::kUnimplemented,
                  "[strategy.gather] indexed slices can't be gathered; make them dense first");
    }
    if (own.rank() == 0) {
      throw Error(Code::kInvalidArgument,
                  "[strategy.gather] values need an axis to be put one after another; got a scalar "
                  "from replica " +
                      std::to_string(r));
    }
    parts.push_back(own);
  }
  return Concat(parts, axis);
}

PerReplica Strategy::BroadcastTo(const Tensor& value) const {
  return PerReplica(std::vector<Tensor>(replicas_, value));
}

void Strategy::Update(
    const Variable& variable,
    const std::function<void(const Variable&, const std::vector<Tensor>&)>& function,
    const std::vector<PerReplica>& arguments) {
  distribute::RequireCrossReplica("strategy.update");
  distribute::RequireStrategy("strategy.update", id_, name_);
  auto* own = dynamic_cast<distribute::DistributedVariable*>(&variable.state());
  const int copies = own == nullptr ? 1 : static_cast<int>(own->cells().size());
  for (int r = 0; r < copies; ++r) {
    std::vector<Tensor> values;
    for (const PerReplica& argument : arguments) values.push_back(argument.value(r));
    const Variable copy = copies == 1 ? variable : own->CopyOf(r);
    const distribute::CrossReplicaScope scope(*this);
    function(copy, values);
  }
}

}  // namespace lockstep
