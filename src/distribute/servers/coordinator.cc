#include "lockstep/distribute/coordinator.h"

#include <map>
#include <mutex>

#include "distribute/servers/coordinator_state.h"
#include "graph/device_scope.h"
#include "ops/builder.h"
#include "runtime/await.h"
#include "runtime/eager.h"

namespace lockstep {

using distribute::CoordinatorState;
using distribute::RemoteState;

namespace distribute {

void LearnOfFunctions(runtime::Actor& functions) {
  if (runtime::FollowsAccesses()) runtime::Actor::Current().Learn(functions.Publish());
}

void RemoteState::Set(remote::Dispatcher::Results results) {
  {
    const std::lock_guard lock(mutex);
    this->results.emplace(std::move(results));
  }
  ready.Happen();
}

// ---- variables

namespace {

class ServerVariableState : public runtime::VariableState {
 public:
  ServerVariableState(const Tensor& handle, VariableOptions options)
      : VariableState(handle, std::move(options), Existing{}) {}

  // The update and the value after it are one run of the server.
  std::vector<Tensor> Update(std::string_view op, const std::vector<Tensor>& inputs) override {
    assigned_ = {};
    if (&ops::CurrentBuilder() != &runtime::EagerBuilder::Instance()) {
      return VariableState::Update(op, inputs);
    }
    graph::Tracer tracer;
    std::vector<Tensor> arguments = Strong(inputs), symbols{first()};
    for (const Tensor& argument : arguments) {
      symbols.push_back(tracer.AddParameter(ops::TensorType::Of(argument)));
    }
    size_t count = 0;
    {
      const ops::RecordingPause pause;
      const ops::BuilderScope scope(&tracer);
      for (const Tensor& result : ops::Emit(op, symbols)) {
        tracer.graph()->results().push_back(tracer.EndpointOf(result));
        ++count;
      }
      const Tensor value = ops::Emit1("ReadVariableOp", {first()});
      tracer.graph()->results().push_back(tracer.EndpointOf(value));
    }
    std::vector<Tensor> results =
        runtime::AsPlacedVariable(first())->Run(*tracer.graph(), arguments);
    assigned_ = {this, results.at(count)};
    results.resize(count);
    return results;
  }
  Tensor ReadAssigned() const override {
    return assigned_.first == this ? std::exchange(assigned_, {}).second : Read();
  }
  std::string Describe() const override {
    return "Variable " + NameAndType() + ": one copy, on " +
           runtime::AsGraphVariable(first())->device + ", as a coordinator's scope has placed it";
  }

 private:
  static thread_local std::pair<const void*, Tensor> assigned_;
};
thread_local std::pair<const void*, Tensor> ServerVariableState::assigned_;

}  // namespace

std::string CoordinatorState::DeviceOfNext(DType dtype, const Shape& shape) {
  const DeviceSpec wanted = DeviceSpec::Parse(graph::DeviceForVariable(dtype, shape)).OrThrow();
  const std::lock_guard lock(mutex);
  std::vector<size_t> fitting;
  for (size_t i = 0; i < chief->servers().size(); ++i) {
    if (wanted.Matches(DeviceSpec::Parse(chief->servers()[i]).OrThrow())) fitting.push_back(i);
  }
  if (fitting.empty()) {
    throw Error(Code::kInvalidArgument,
                "[coordinator] a variable of the scope is on a server; got " + wanted.ToString() +
                    ", where there are " + std::to_string(chief->servers().size()) +
                    " tasks of the job ps");
  }
  bytes.resize(chief->servers().size());
  size_t chosen = fitting[0];
  if (fitting.size() > 1 && options.servers == ServerChoice::kRoundRobin) {
    chosen = fitting[next_server++ % fitting.size()];
  }
  if (fitting.size() > 1 && options.servers == ServerChoice::kBySize) {
    for (size_t i : fitting) chosen = bytes[i] < bytes[chosen] ? i : chosen;
  }
  bytes[chosen] += shape.num_elements() * static_cast<int64_t>(DTypeSize(dtype));
  return chief->servers()[chosen];
}

std::shared_ptr<runtime::VariableState> CoordinatorState::Create(
    const std::function<Tensor()>& initial, VariableOptions variable) {
  const Tensor value = initial();
  auto placed = std::make_shared<remote::ServerVariable>(chief);
  placed->name = chief->WireName(variable.name);
  placed->trainable =
      variable.trainable.value_or(variable.synchronization != VariableSynchronization::kOnRead);
  placed->device = DeviceOfNext(value.dtype(), value.shape());
  const Tensor handle =
      Tensor::FromObject(std::move(placed), DType::kResource, value.shape(), value.dtype());
  auto state = std::make_shared<ServerVariableState>(handle, std::move(variable));
  graph::Tracer tracer;
  const Tensor given = tracer.AddParameter(ops::TensorType::Of(value));
  tracer.Emit(ops::OpRegistry::Global().Find("AssignVariableOp"), {handle, given}, {});
  runtime::AsPlacedVariable(handle)->Run(*tracer.graph(), {value});
  return state;
}

// ---- calls

CoordinatorState::~CoordinatorState() {
  if (chief != nullptr) chief->Close();
}

void CoordinatorState::ThrowError() {
  if (!failed.exchange(false)) return;
  Status error;
  runtime::RunOn(chief->executor(), [&] { error = chief->dispatcher().TakeError(); });
  error.OrThrow();
}

std::shared_ptr<RemoteState> CoordinatorState::Schedule(
    const Function& function, const std::vector<ClusterCoordinator::Argument>& given, Place place) {
  ThrowError();
  remote::Dispatcher::Call call;
  std::vector<ops::TensorType> types;
  std::vector<PerWorkerPtr> resources;
  for (const ClusterCoordinator::Argument& argument : given) {
    if (argument.function_ == nullptr) {
      call.arguments.push_back(argument.value_);
      types.push_back(ops::TensorType::Of(argument.value_));
    } else {
      resources.push_back(argument.function_);
    }
  }
  std::vector<int>
      order;  // of the body's arguments: a place in `types`, or -1 - one of `resources`
  int tensors = 0, values = 0;
  for (const ClusterCoordinator::Argument& argument : given) {
    order.push_back(argument.function_ == nullptr ? tensors++ : -1 - values++);
  }
  const WorkerSignature signature{function, types, resources, order};
  const std::shared_ptr<WorkerTrace> trace = traces.For(*this, signature);
  call.function = trace->function;
  for (const PerWorkerPtr& one : resources) {
    for (size_t i = 0; i < one->types.size(); ++i) {
      call.resources.emplace_back(one->resource, static_cast<int>(i));
    }
  }
  call.where =
      " scheduled at " + std::string(place.file_name()) + ":" + std::to_string(place.line());
  if (!trace->draws.empty()) {
    call.draw = [this, trace, signature](int worker,
                                         int life) -> Result<remote::Dispatcher::Drawn> {
      try {
        return traces.Draw(*this, *trace, signature, worker, life);
      } catch (const Error& error) {
        return error.status();
      }
    };
  }
  const auto value = std::make_shared<RemoteState>(functions);
  call.done = [value](remote::Dispatcher::Results results) { value->Set(std::move(results)); };
  Send(std::move(call), {place.file_name(), static_cast<uint32_t>(place.line())});
  return value;
}

void CoordinatorState::Send(remote::Dispatcher::Call call, const ops::SourceSite& site) {
  room.Enter();
  if (runtime::FollowsAccesses()) {
    functions->Learn(runtime::Actor::Current().Publish());
    call.asker = remote::Asker::Of(*functions, site);
  }
  call.done = [this, done = std::move(call.done)](remote::Dispatcher::Results results) {
    if (!results.ok()) failed = true;
    done(std::move(results));
    room.Leave();
  };
  chief->executor().Post([chief = chief.get(), call = std::move(call)]() mutable {
    chief->dispatcher().Schedule(std::move(call));
  });
}

int CoordinatorState::AddResource(
    const std::shared_ptr<const remote::DispatchedFunction>& function) {
  int number = 0;
  runtime::RunOn(chief->executor(), [&] { number = chief->dispatcher().AddResource(function); });
  return number;
}

void CoordinatorState::Join() {
  runtime::AwaitOn(chief->executor(),
                   [&](const runtime::OnDone& done) { chief->dispatcher().WhenIdle(done); });
  LearnOfFunctions(*functions);
  ThrowError();
}

bool CoordinatorState::Done() {
  ThrowError();
  bool idle = false;
  runtime::RunOn(chief->executor(), [&] { idle = chief->dispatcher().idle(); });
  if (idle) LearnOfFunctions(*functions);
  return idle;
}

}  // namespace distribute

// ---- what users see

RemoteValue::State RemoteValue::state() const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->results) return State::kNotReady;
  distribute::LearnOfFunctions(*state_->functions);
  return state_->results->ok() ? State::kReady : State::kAborted;
}

std::vector<Tensor> RemoteValue::Fetch() const {
  state_->ready.Wait();
  distribute::LearnOfFunctions(*state_->functions);
  return state_->results->OrThrow();
}

Tensor RemoteValue::Get() const {
  const std::vector<Tensor> results = Fetch();
  if (results.size() == 1) return results[0];
  throw Error(Code::kInvalidArgument, "[coordinator] exactly one result is needed here; got " +
                                          std::to_string(results.size()) + "; use Fetch");
}

size_t PerWorkerValues::size() const { return function_->types.size(); }

struct ClusterCoordinator::Scope::Scopes {
  explicit Scopes(CoordinatorState* state) : creator(state), outer(state) {}
  runtime::VariableCreatorScope creator;
  distribute::CurrentCoordinator outer;
};

ClusterCoordinator::Scope::Scope(const ClusterCoordinator& coordinator)
    : scopes_(std::make_unique<Scopes>(coordinator.state_.get())) {}
ClusterCoordinator::Scope::~Scope() = default;

namespace {

remote::ChiefOptions ChiefOptionsOf(const CoordinatorOptions& options) {
  return {.connecting = options.connecting,
          .patience = options.patience,
          .trusted_network = options.trusted_network};
}

}  // namespace

ClusterCoordinator::ClusterCoordinator(const ClusterSpec& cluster,
                                       const CoordinatorOptions& options)
    : state_(std::make_shared<CoordinatorState>()) {
  std::vector<remote::HelloAnswer::Task> tasks;
  for (const auto& [job, all] : cluster.as_dict()) {
    for (const auto& [index, address] : all) tasks.push_back({job, index, address});
  }
  state_->options = options;
  state_->room.set_most(options.queue_bound);
  state_->chief = std::make_shared<remote::Chief>(tasks, ChiefOptionsOf(options));
}

ClusterCoordinator::ClusterCoordinator(const std::string& target, const CoordinatorOptions& options)
    : state_(std::make_shared<CoordinatorState>()) {
  constexpr std::string_view kScheme = "lockstep://";
  if (!target.starts_with(kScheme)) {
    throw Error(Code::kInvalidArgument,
                "[coordinator] a target begins with lockstep://; got '" + target + "'");
  }
  state_->options = options;
  state_->room.set_most(options.queue_bound);
  state_->chief =
      std::make_shared<remote::Chief>(target.substr(kScheme.size()), ChiefOptionsOf(options));
}

ClusterCoordinator::~ClusterCoordinator() = default;
ClusterCoordinator::ClusterCoordinator(ClusterCoordinator&&) noexcept = default;

RemoteValue ClusterCoordinator::Schedule(const Function& function,
                                         const std::vector<Argument>& arguments,
                                         Place place) const {
  RemoteValue value;
  value.state_ = state_->Schedule(function, arguments, place);
  return value;
}

void ClusterCoordinator::Join() const { state_->Join(); }
bool ClusterCoordinator::Done() const { return state_->Done(); }

std::vector<std::vector<Tensor>> ClusterCoordinator::Fetch(const std::vector<RemoteValue>& values) {
  std::vector<std::vector<Tensor>> all;
  for (const RemoteValue& value : values) all.push_back(value.Fetch());
  return all;
}

PerWorkerDataset ClusterCoordinator::CreatePerWorkerDataset(
    std::function<Dataset(const InputContext&)> make) const {
  PerWorkerDataset dataset;
  dataset.make_ = std::move(make);
  return dataset;
}

PerWorkerDataset ClusterCoordinator::CreatePerWorkerDataset(const Dataset& dataset) const {
  return CreatePerWorkerDataset([dataset](const InputContext&) { return dataset; });
}

PerWorkerValues ClusterCoordinator::CreatePerWorkerValues(const Function& function, Place) const {
  PerWorkerValues values;
  values.function_ = state_->traces.Resource(*state_, function);
  return values;
}

int ClusterCoordinator::num_workers() const { return state_->chief->num_workers(); }
int ClusterCoordinator::num_servers() const {
  return static_cast<int>(state_->chief->servers().size());
}
const CoordinatorOptions& ClusterCoordinator::options() const { return state_->options; }

}  // namespace lockstep
