#include "lockstep/distribute/strategy.h"

#include <algorithm>
#include <atomic>

#include "base/cores.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/shared_team.h"
#include "cluster/resolver.h"
#include "distribute/context.h"
#include "distribute/distributed_variable.h"
#include "distribute/reduction.h"
#include "distribute/run.h"
#include "distribute/workers/communicator.h"
#include "distribute/workers/connect_workers.h"
#include "distribute/workers/journal.h"
#include "distribute/workers/sole_writer.h"
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
                "[strategy] each device must be named once; got " + *twice + " twice");
  }
  if (options.devices != 0) return options.devices;
  if (!names.empty()) return static_cast<int>(names.size());
  const auto wanted = base::EnvironmentNumber("LOCKSTEP_DEVICES", 1, 1024);
  return wanted ? static_cast<int>(*wanted) : std::max(1, base::Cores() / base::TasksOfHost());
}

// A number of devices that is given is the number of lanes. Devices that are only named, such as
// TensorFlow's CPU:0, share all cores (0).
int ThreadsOf(const MirroredOptions& options) {
  if (options.threads_per_device != 0) return options.threads_per_device;
  const bool is_given = options.devices != 0 || base::EnvironmentText("LOCKSTEP_DEVICES");
  return is_given ? 1 : 0;
}

// Null: the default team.
std::shared_ptr<base::Team> TeamOf(int devices, int threads_per_device) {
  if (threads_per_device != 0)
    return base::SharedTeam(devices * Positive(threads_per_device, "threads a device"));
  const int all = base::DefaultLanes();
  const int lanes = devices * std::max(1, all / devices);
  return lanes == all ? nullptr : base::SharedTeam(lanes);
}

// "1 device", "2 devices"
std::string CountOf(int number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

// Where R came from, since it is part of what the program means.
void Tell(const std::string& name, const MirroredOptions& options, int replicas, int devices) {
  const char* from = options.replicas != 0          ? "it was given"
                     : options.device_names.empty() ? "none was given and there is no accelerator"
                                                    : "so many devices were named";
  base::Log(base::Severity::kInfo, name + ": " + CountOf(replicas, "replica") + " (" + from +
                                       ") on " + CountOf(devices, "device"));
}

}  // namespace

Strategy::Strategy(std::string name, int replicas, int devices, int threads_per_device)
    : id_(NextId()),
      name_(std::move(name)),
      replicas_(Positive(replicas, "the number of replicas")),
      devices_(Positive(devices, "the number of devices")),
      team_(TeamOf(devices, threads_per_device)) {}

base::Team& Strategy::team() { return team_ != nullptr ? *team_ : base::DefaultTeam(); }

// Others may still need what this worker has, and its devices.
Strategy::~Strategy() {
  if (ranks_ != nullptr) ranks_->journal().End();
}

MirroredStrategy::MirroredStrategy(const MirroredOptions& options)
    : Strategy("mirrored", ReplicasOf(options), DevicesOf(options), ThreadsOf(options)) {
  Tell(name(), options, num_replicas_in_sync(), num_devices());
}

namespace {

MirroredOptions ComputeOptions(const CentralStorageOptions& options) {
  return {.devices = options.devices,
          .replicas = options.replicas,
          .threads_per_device = options.threads_per_device,
          .device_names = options.compute_devices};
}

}  // namespace

CentralStorageStrategy::CentralStorageStrategy(const CentralStorageOptions& options)
    : Strategy("central_storage", ReplicasOf(ComputeOptions(options)),
               DevicesOf(ComputeOptions(options)), ThreadsOf(ComputeOptions(options))) {
  Tell(name(), ComputeOptions(options), num_replicas_in_sync(), num_devices());
  parameter_device_ = !options.parameter_device.empty()     ? options.parameter_device
                      : options.compute_devices.size() == 1 ? options.compute_devices[0]
                                                            : "CPU:0";
}

namespace {

std::shared_ptr<distribute::Communicator> ConnectAll(const MultiWorkerOptions& options) {
  const auto environment = base::ProcessEnvironment();
  return distribute::ConnectWorkers(cluster::ResolveCluster(environment).OrThrow(), environment,
                                    {.replicas = options.replicas, .devices = options.devices});
}

int ReplicasOf(const MultiWorkerOptions& options, int workers) {
  return options.replicas != 0 ? options.replicas : workers;
}

}  // namespace

MultiWorkerMirroredStrategy::MultiWorkerMirroredStrategy(const MultiWorkerOptions& options)
    : MultiWorkerMirroredStrategy(ConnectAll(options), options) {}

MultiWorkerMirroredStrategy::MultiWorkerMirroredStrategy(
    std::shared_ptr<distribute::Communicator> workers, const MultiWorkerOptions& options)
    : Strategy("multi_worker_mirrored", ReplicasOf(options, workers->num_ranks()),
               options.devices != 0 ? options.devices : workers->default_devices(),
               std::max(1, options.threads_per_device)) {
  base::Log(base::Severity::kInfo, "multi_worker_mirrored: worker " +
                                       std::to_string(workers->rank()) + " of " +
                                       std::to_string(workers->num_ranks()) + ", " +
                                       CountOf(num_replicas_in_sync(), "replica") + " (" +
                                       (options.replicas != 0 ? "it was given" : "one a worker") +
                                       ") on " + CountOf(num_devices(), "device") + " a worker");
  pipelines_ = Pipelines::kEachReplica;
  ranks_ = std::move(workers);
}

std::pair<int, int> Strategy::LocalReplicas() const {
  if (ranks_ == nullptr || replicas_ == 1) return {0, replicas_};
  const distribute::Roles roles = ranks_->roles();
  const std::vector<int64_t> borders = roles.Divide(replicas_, roles.leaf_ranks());
  return {static_cast<int>(borders[ranks_->rank()]), static_cast<int>(borders[ranks_->rank() + 1])};
}

std::vector<Tensor> Strategy::LocalResults(const PerReplica& value) const {
  const std::vector<Tensor>& all = value.values();
  if (static_cast<int>(all.size()) != replicas_) return all;
  const auto [first, last] = LocalReplicas();
  return {all.begin() + first, all.begin() + last};
}

int Strategy::num_workers() const {
  return ranks_ == nullptr ? 1 : static_cast<int>(ranks_->roles().leaf_ranks().size());
}

void Strategy::OnChief(const std::function<Status()>& work) {
  const auto attempt = [&work] {
    try {
      return work();
    } catch (const Error& error) {
      return error.status();
    }
  };
  if (ranks_ == nullptr) return attempt().OrThrow();
  const distribute::PhaseScope saves(ranks_.get(), collectives::Phase::kSave);
  // Who was left out leaves it to the chief of the others.
  const distribute::ActivityScope activity(ranks_.get(), distribute::Activity::kLooking);
  // Whoever is the first of those that are left does it, unless it is known to be done.
  const std::vector<std::string> texts = ranks_->journal().Exchange([&] {
    if (worker() != 0) return std::string();
    const distribute::SoleWriter writer(ranks_->roster(), distribute::Writer::kFirst);
    const Status status = attempt();
    return std::string(1, static_cast<char>(status.code())) + status.message();
  });
  for (const std::string& text : texts)
    if (!text.empty()) Status(static_cast<Code>(text[0]), text.substr(1)).OrThrow();
}

int Strategy::worker() const {
  if (ranks_ == nullptr) return 0;
  // One that was left out and goes on by itself: the first worker is among the others.
  if (ranks_->is_apart()) return 1;
  return ranks_->roles().WorkerOf(ranks_->rank());
}

OneDeviceStrategy::OneDeviceStrategy(int threads) : Strategy("one_device", 1, 1, threads) {}

namespace {

// One value for all replicas, or one for each.
void RequireValues(const char* where, const PerReplica& value, int replicas) {
  const size_t count = value.values().size();
  if (count > 0 && (value.is_same() || count == static_cast<size_t>(replicas))) return;
  throw Error(Code::kInvalidArgument,
              std::string("[") + where +
                  "] an argument has one value, or one for each replica; got " +
                  std::to_string(count) + " for " + std::to_string(replicas) + " replicas");
}

}  // namespace

std::vector<PerReplica> Strategy::RunAll(const ReplicaFunction& function,
                                         const std::vector<PerReplica>& arguments) {
  distribute::RequireCrossReplica("strategy.run");
  distribute::RequireStrategy("strategy.run", id_, name_);
  for (const PerReplica& argument : arguments) RequireValues("strategy.run", argument, replicas_);
  const bool eager = &ops::CurrentBuilder() == &runtime::EagerBuilder::Instance();
  return eager ? distribute::RunEagerly(*this, function, arguments)
               : distribute::TraceRun(*this, function, arguments);
}

Tensor Strategy::Reduce(ReduceOp op, const PerReplica& value, std::optional<int> axis) {
  distribute::RequireCrossReplica("strategy.reduce");
  distribute::RequireStrategy("strategy.reduce", id_, name_);
  RequireValues("strategy.reduce", value, replicas_);
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
  RequireValues("strategy.gather", value, replicas_);
  const distribute::CrossReplicaScope scope(*this);
  std::vector<Tensor> parts;
  for (int r = 0; r < replicas_; ++r) {
    const Tensor& own = value.value(r);
    if (IndexedSlices::Of(own) != nullptr) {
      throw Error(Code::kUnimplemented,
                  "[strategy.gather] values must be dense; got indexed slices from replica " +
                      std::to_string(r) + "; make them dense first");
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
