#include "lockstep/runtime/session.h"

#include <atomic>

#include "base/hash.h"
#include "base/log.h"
#include "lockstep/ops/indexed_slices.h"
#include "ops/builder.h"
#include "ops/known_site.h"
#include "runtime/devices.h"
#include "runtime/lent_variables.h"
#include "runtime/session_state.h"

namespace lockstep {

namespace runtime {
namespace {

int NextSessionNumber() {
  static std::atomic<int> number{0};
  return ++number;
}

std::string Named(const Place& place) {
  return std::string(place.file_name()) + ":" + std::to_string(place.line());
}

// Numbers that are equal exactly for equal questions.
std::vector<int64_t> KeyOf(const graph::RunRequest& request, SessionMode mode) {
  std::vector<int64_t> key;
  key.reserve(4 + 2 * request.fetches.size() + request.targets.size() + 8 * request.feeds.size());
  const auto add = [&](graph::Endpoint e) { key.push_back(int64_t{e.node} << 16 | e.index); };
  key.push_back(static_cast<int64_t>(mode.consistency) * 2 + mode.one_by_one);
  key.push_back(static_cast<int64_t>(request.fetches.size()));
  for (graph::Endpoint e : request.fetches) add(e);
  key.push_back(static_cast<int64_t>(request.targets.size()));
  for (int target : request.targets) key.push_back(target);
  for (size_t i = 0; i < request.feeds.size(); ++i) {
    add(request.feeds[i]);
    const ops::TensorType& type = request.types[i];
    key.push_back(static_cast<int64_t>(type.dtype) * 16 + type.shape.rank());
    for (int64_t size : type.shape.sizes()) key.push_back(size);
  }
  return key;
}

// A program that feeds other shapes in each run would else keep a plan for each of them.
constexpr size_t kMostCallables = 256;
constexpr size_t kMostBytes = size_t{1} << 30;

std::shared_ptr<base::Team> TeamFor(int threads) {
  if (threads <= 0 || threads >= base::DefaultLanes()) return nullptr;
  return base::SharedTeam(threads);
}

}  // namespace

uint64_t SessionState::KeyHash::operator()(const std::vector<int64_t>& key) const {
  return base::Hash64({reinterpret_cast<const char*>(key.data()), key.size() * sizeof(int64_t)});
}

SessionState::SessionState(std::shared_ptr<GraphState> graph, std::string target,
                           const SessionOptions& options)
    : callables_({.entries = kMostCallables, .bytes = kMostBytes}),
      graph_(std::move(graph)),
      target_(std::move(target)),
      number_(NextSessionNumber()),
      runs_at_(OpenSessionTarget(target_, options)),
      log_placement_(options.log_placement),
      team_(TeamFor(options.threads)) {}

graph::Endpoint SessionState::EndpointFor(const Fetch& fetch, bool* is_op) const {
  *is_op = false;
  if (fetch.operation().defined() ||
      (!fetch.name().empty() && fetch.name().find(':') == std::string::npos)) {
    *is_op = true;
    return {graph_->NodeOf(fetch), 0};
  }
  if (!fetch.name().empty()) {
    return graph_->EndpointOf(lockstep::Graph(graph_).TensorByName(fetch.name()));
  }
  const Tensor& tensor = fetch.tensor();
  if (tensor.defined()) {
    const auto* symbol = dynamic_cast<const graph::SymbolicValue*>(tensor.object().get());
    if (symbol != nullptr && symbol->graph() == graph_->built) return symbol->endpoint();
  }
  const auto other = GraphState::Of(tensor, "session");
  throw Error(Code::kInvalidArgument, "[session] a session runs tensors of its own graph; got '" +
                                          lockstep::NameOf(tensor) +
                                          "' of another graph; make a Session of that graph");
}

// The value in the dtype of what it stands for.
Tensor SessionState::FitFeed(const Tensor& given, graph::Endpoint e) const {
  const ops::TensorType& wanted = graph_->graph().type(e);
  const auto refuse = [&](const std::string& rule, const std::string& cure) {
    throw Error(
        Code::kInvalidArgument,
        "[session] " + rule + "; got " +
            (given.defined() ? std::string(DTypeName(given.dtype())) + given.shape().ToString()
                             : std::string("no value")) +
            " for '" + graph_->graph().node(e.node).name + ":" + std::to_string(e.index) + "' of " +
            wanted.ToString() + cure);
  };
  if (!given.defined() || (given.is_symbolic() && !given.is_weak())) {
    refuse("a feed is a value", "; fetch it first");
  }
  Tensor value = given;
  if (const IndexedSlices* slices = IndexedSlices::Of(value)) value = slices->ToDense();
  if (value.is_weak()) value = ops::CastScalar(value, wanted.dtype);
  if (value.dtype() != wanted.dtype) refuse("a feed has the dtype of its tensor", "; cast it");
  // Who makes a placeholder for any rank looks himself whether the ops behind it take the feed.
  const ops::Attributes& attributes = graph_->graph().node(e.node).attributes;
  const bool any = attributes.GetOr<bool>("any_rank", false);
  if (!any && !wanted.shape.CompatibleWith(value.shape())) {
    refuse("a feed has the shape of its tensor", "; reshape it");
  }
  return value;
}

graph::Endpoint SessionState::FedEndpoint(const Fetch& feed) const {
  bool is_op = false;
  const graph::Endpoint e = EndpointFor(feed, &is_op);
  if (!is_op) return e;
  const std::string& name = graph_->graph().node(e.node).name;
  throw Error(Code::kInvalidArgument,
              "[session] tensors are fed, not ops; got '" + name + "'; write '" + name + ":0'");
}

SessionState::Question SessionState::Resolve(const std::vector<Fetch>& fetches, const Feeds& feeds,
                                             const std::vector<Fetch>& targets) {
  Question question;
  bool is_op = false;
  for (const Fetch& fetch : fetches) {
    const graph::Endpoint e = EndpointFor(fetch, &is_op);
    question.is_op.push_back(is_op);
    if (is_op) {
      question.request.targets.push_back(e.node);
    } else {
      question.request.fetches.push_back(e);
    }
  }
  for (const Fetch& target : targets) {
    question.request.targets.push_back(EndpointFor(target, &is_op).node);
  }
  for (const Feed& feed : feeds) {
    const graph::Endpoint e = FedEndpoint(feed.what);
    question.values.push_back(FitFeed(feed.value, e));
    question.request.feeds.push_back(e);
    question.request.types.push_back(ops::TensorType::Of(question.values.back()));
  }
  return question;
}

std::shared_ptr<SessionRun> SessionState::Compile(const Question& question, SessionMode mode,
                                                  const RunControl& control) {
  graph::Graph part;
  {
    const std::lock_guard lock(graph_->mutex);
    part = graph::ExtractRun(graph_->graph(), question.request);
  }
  const graph::PlacementOptions devices = runs_at_->devices();
  part = LendVariables(part, devices, mode.consistency);
  const std::vector<graph::PlacedNode> placed = graph::Place(&part, devices);
  {
    const std::unique_lock lock(mutex_);
    for (const graph::PlacedNode& node : placed) {
      if (!placed_.insert(node.name).second) continue;
      placement_.push_back(node.ToString());
      if (log_placement_) base::Log(base::Severity::kInfo, "[placement] " + placement_.back());
    }
  }
  return runs_at_->Compile(part, question.request.fetches.size(), mode, control);
}

std::shared_ptr<SessionRun> SessionState::CallableFor(const Question& question, SessionMode mode,
                                                      const RunControl& control) {
  std::vector<int64_t> key = KeyOf(question.request, mode);
  {
    const std::shared_lock lock(mutex_);
    if (auto callable = callables_.Find(key)) return callable;
  }
  auto fresh = Compile(question, mode, control);
  const std::unique_lock lock(mutex_);
  if (auto callable = callables_.Find(key)) return callable;  // another thread has come first
  callables_.Insert(std::move(key), fresh, fresh->bytes());
  return fresh;
}

namespace {

RunControl ControlFor(const SessionState& state, const RunOptions& options, RunMetadata* metadata) {
  RunControl control{.closed = &state.closed(), .cancellation = options.cancellation.get()};
  if (options.timeout.count() > 0) {
    control.timeout = options.timeout;
    control.deadline = RunControl::Clock::now() + options.timeout;
  }
  if (options.trace) control.trace = metadata;
  return control;
}

SessionMode ModeFor(const RunOptions& options, const RunMetadata* metadata) {
  return {options.consistency, options.trace && metadata != nullptr};
}

}  // namespace

std::vector<Tensor> SessionState::Carry(SessionRun& callable, const Question& question,
                                        RunControl& control, const RunOptions& options,
                                        RunMetadata* metadata) {
  if (options.trace) control.begin = RunControl::Clock::now();
  const TeamScope lanes(team_ != nullptr ? *team_ : CurrentTeam());
  std::vector<Tensor> values = callable.Run(question.values, control, metadata);
  if (options.partition_graphs && metadata != nullptr) {
    metadata->partition_graphs = callable.PartitionGraphs();
  }
  if (question.request.fetches.size() == question.is_op.size()) return values;
  std::vector<Tensor> results;
  auto next = values.begin();
  for (char is_op : question.is_op) results.push_back(is_op ? Tensor() : *next++);
  return results;
}

std::vector<Tensor> SessionState::Run(const Question& question, const RunOptions& options,
                                      RunMetadata* metadata) {
  if (metadata != nullptr) *metadata = {};
  // Its timeout counts from here, with the wait for servers that are not there yet.
  RunControl control = ControlFor(*this, options, metadata);
  const auto callable = CallableFor(question, ModeFor(options, metadata), control);
  return Carry(*callable, question, control, options, metadata);
}

std::vector<Tensor> SessionState::Run(PreparedRun& prepared, std::span<const Tensor> values,
                                      const RunOptions& options, RunMetadata* metadata) {
  if (metadata != nullptr) *metadata = {};
  Question question = prepared.question;
  if (values.size() != question.request.feeds.size()) {
    throw Error(Code::kInvalidArgument,
                "[session] a callable takes a value for each of its feeds; got " +
                    std::to_string(values.size()) + " for " +
                    std::to_string(question.request.feeds.size()));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    question.values.push_back(FitFeed(values[i], question.request.feeds[i]));
    question.request.types.push_back(ops::TensorType::Of(question.values.back()));
  }
  const SessionMode mode = ModeFor(options, metadata);
  RunControl control = ControlFor(*this, options, metadata);
  std::shared_ptr<SessionRun> callable;
  {
    const std::lock_guard lock(prepared.mutex);
    if (prepared.types == question.request.types && prepared.mode == mode) {
      callable = prepared.callable;
    }
  }
  if (callable == nullptr) {
    callable = CallableFor(question, mode, control);
    const std::lock_guard lock(prepared.mutex);
    prepared.types = question.request.types;
    prepared.mode = mode;
    prepared.callable = callable;
  }
  return Carry(*callable, question, control, options, metadata);
}

void SessionState::RequireOpen(const char* what, Place place) const {
  if (!closed_.load(std::memory_order_acquire)) return;
  throw Error(Code::kFailedPrecondition,
              "[session] a closed session must not be used; got " + std::string(what) + " at " +
                  Named(place) + " on session " + std::to_string(number_) +
                  ", which was closed at " + closed_at_ + "; run it before Close",
              place);
}

void SessionState::Close(Place place) {
  const std::unique_lock lock(mutex_);
  if (closed_.load(std::memory_order_relaxed)) return;
  closed_at_ = Named(place);
  closed_.store(true, std::memory_order_release);
  callables_.Clear();
}

int SessionState::num_compiled() const {
  const std::shared_lock lock(mutex_);
  return static_cast<int>(callables_.size());
}

// Asks each variable's device by a graph of its own.
std::vector<std::string> SessionState::UninitializedVariables() {
  const std::vector<Variable> variables = lockstep::Graph(graph_).variables();
  graph::Graph question;
  for (const Variable& variable : variables) {
    const Tensor& handle = variable.state().first();
    const graph::Endpoint e = question.AddConstant(handle);
    question.node(e.node).name = variable.name();
    question.node(e.node).device = AsGraphVariable(handle)->device;
    question.results().push_back({question.AddNode("VarIsInitializedOp", {e}).id, 0});
  }
  graph::Place(&question, runs_at_->devices());
  RunControl control;
  const auto answers =
      runs_at_->Compile(question, variables.size(), {}, control)->Run({}, control, nullptr);
  std::vector<std::string> names;
  for (size_t i = 0; i < variables.size(); ++i) {
    if (!answers[i].scalar<bool>()) names.push_back(variables[i].name());
  }
  return names;
}

std::vector<std::string> SessionState::PlacementLog() const {
  const std::shared_lock lock(mutex_);
  return placement_;
}

}  // namespace runtime

namespace {

std::shared_ptr<runtime::SessionState> Open(const std::string& target,
                                            const SessionOptions& options) {
  const Graph graph = options.graph != nullptr ? *options.graph : Graph::Default();
  return std::make_shared<runtime::SessionState>(graph.state(), target, options);
}

}  // namespace

Session::Session(const std::string& target, const SessionOptions& options)
    : state_(Open(target, options)) {}

void Session::Reset(const std::string& target, const SessionOptions& options) {
  runtime::OpenSessionTarget(target, options)->Reset();
}

std::vector<Tensor> Session::Run(const std::vector<Fetch>& fetches, const Feeds& feeds,
                                 const std::vector<Fetch>& targets, const RunOptions& options,
                                 RunMetadata* metadata, Place place) const {
  state_->RequireOpen("Run", place);
  const ops::KnownSite site({place.file_name(), static_cast<uint32_t>(place.line())});
  auto question = state_->Resolve(fetches, feeds, targets);
  return state_->Run(question, options, metadata);
}

Session::Callable Session::MakeCallable(const std::vector<Fetch>& fetches,
                                        const std::vector<Fetch>& feeds,
                                        const std::vector<Fetch>& targets) const {
  Callable callable;
  callable.session_ = state_;
  callable.prepared_ = std::make_shared<runtime::PreparedRun>();
  callable.prepared_->question = state_->Resolve(fetches, {}, targets);
  for (const Fetch& feed : feeds) {
    callable.prepared_->question.request.feeds.push_back(state_->FedEndpoint(feed));
  }
  return callable;
}

std::vector<Tensor> Session::Callable::operator()(std::span<const Tensor> values,
                                                  const RunOptions& options, RunMetadata* metadata,
                                                  Place place) const {
  session_->RequireOpen("a callable", place);
  const ops::KnownSite site({place.file_name(), static_cast<uint32_t>(place.line())});
  return session_->Run(*prepared_, values, options, metadata);
}

void Session::Close(Place place) const { state_->Close(place); }
bool Session::closed() const { return state_->closed(); }
Graph Session::graph() const { return Graph(state_->graph()); }
std::vector<std::string> Session::devices() const { return state_->devices(); }
const std::string& Session::target() const { return state_->target(); }
int Session::num_compiled() const { return state_->num_compiled(); }
std::vector<std::string> Session::UninitializedVariables() const {
  return state_->UninitializedVariables();
}
std::vector<std::string> Session::PlacementLog() const { return state_->PlacementLog(); }

}  // namespace lockstep
