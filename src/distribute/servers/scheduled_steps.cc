#include "distribute/servers/scheduled_steps.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/log.h"
#include "distribute/servers/divided_step.h"
#include "graph/passes.h"
#include "graph/rewrite.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "runtime/variable_hold.h"

namespace lockstep::distribute {

namespace {

// By which of `sums` a node does nothing but add to it; nothing for all other nodes.
std::optional<size_t> AddsTo(const graph::Graph& graph, const graph::Node& node,
                             const std::vector<Variable>& sums) {
  if (node.spec->name != "AssignAddVariableOp") return std::nullopt;
  const Tensor* handle = graph.constant(node.inputs[0]);
  for (size_t i = 0; handle != nullptr && i < sums.size(); ++i) {
    if (sums[i].handle().object() == handle->object()) return i;
  }
  return std::nullopt;
}

// Variables that are in this process, which no worker can reach.
void RefuseVariablesOfThisProcess(const graph::Graph& graph) {
  for (const runtime::VariableUse& use : runtime::UsesOf(graph)) {
    throw Error(
        Code::kInvalidArgument,
        "[coordinator] the variables of a step that workers carry out are on servers; got "
        "'" +
            use.cell->name() +
            "' in this process; make the model, its optimizer and its metrics in the scope");
  }
}

}  // namespace

ScheduledStep::ScheduledStep(const CoordinatorState& state, const graph::Graph& graph,
                             const std::string& name, const std::vector<Variable>& sums)
    : name_(name) {
  // What is read, too, stays where it is.
  std::vector<int> uses(sums.size(), 0), adds(sums.size(), 0);
  for (const graph::Node& node : graph.nodes()) {
    if (const auto sum = AddsTo(graph, node, sums)) ++adds[*sum];
    for (graph::Endpoint input : node.inputs) {
      const Tensor* handle = graph.constant(input);
      for (size_t i = 0; handle != nullptr && i < sums.size(); ++i)
        uses[i] += handle->object() == sums[i].handle().object();
    }
  }
  graph::Rewriter rewriter(graph);
  std::vector<graph::Endpoint> deltas;
  for (const graph::Node& node : graph.nodes()) {
    const auto sum = AddsTo(graph, node, sums);
    if (!sum || uses[*sum] != adds[*sum]) {
      rewriter.Keep(node);
      continue;
    }
    deltas.push_back(rewriter.Mapped(node.inputs[1]));
    added_.push_back(*sum);
  }
  graph::Graph made = rewriter.Finish();
  for (graph::Endpoint delta : deltas) made.results().push_back(delta);
  made = graph::Prune(made);
  RefuseVariablesOfThisProcess(made);
  function_ = state.Dispatched(made, name);
  graph_ = std::move(made);
}

void ScheduledStep::Divide(const CoordinatorState& state, const std::vector<int64_t>& offsets) {
  const int workers = state.chief->num_workers();
  std::optional<DividedStep> divided = DivideStep(graph_, offsets, workers);
  if (!divided) {
    if (workers > 1 && offsets.size() > 2) {
      base::Log(
          base::Severity::kInfo,
          "[coordinator] one worker at a time computes '" + name_ +
              "': examples need a sum over all of them, as in batch normalisation, or what the "
              "step has written");
    }
    return;
  }
  for (DividedStep::Part& part : divided->parts) {
    parts_.push_back({state.Dispatched(std::move(part.graph), name_ + " (some examples)"),
                      part.first, part.examples, std::move(part.gives)});
  }
  rest_ = state.Dispatched(std::move(divided->rest), name_ + " (the sums)");
  base::Log(base::Severity::kInfo, "[coordinator] " + std::to_string(parts_.size()) +
                                       " workers compute '" + name_ +
                                       "' together where that takes less time");
}

void ScheduledStep::AddTo(HeldSums* sums, std::vector<Tensor>* results) const {
  const size_t first = results->size() - added_.size();
  for (size_t i = 0; i < added_.size(); ++i) sums->Add(added_[i], (*results)[first + i]);
  results->resize(first);
}

HeldSums::HeldSums(const std::vector<Variable>& variables)
    : variables_(variables), changed_(variables.size(), 0) {
  for (const Variable& variable : variables) values_.push_back(variable.value());
}

void HeldSums::Add(size_t variable, const Tensor& delta) {
  values_[variable] = values_[variable] + delta;
  changed_[variable] = 1;
}

void HeldSums::Write() {
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (std::exchange(changed_[i], 0) != 0) variables_[i].Assign(values_[i]);
  }
}

namespace {

int64_t MostOf(const CoordinatorState& state, const StepQueue::Options& options) {
  if (options.most > 0) return options.most;
  // One more waits for each worker, so that it never waits for this process.
  const int64_t busy = 2 * static_cast<int64_t>(state.chief->num_workers());
  return options.staleness < 0 ? busy : std::min(busy, options.staleness + 1);
}

}  // namespace

StepQueue::StepQueue(CoordinatorState& state, const Options& options)
    : state_(state), options_(options), most_(MostOf(state, options)) {}

StepQueue::~StepQueue() {
  for (size_t left = calls_.size() - waiting_.size(); left > 0; --left) arrived_->numbers.Take();
}

// Whether no call under way would come to see more updates of others than it may.
bool StepQueue::HasRoom() const {
  if (static_cast<int64_t>(calls_.size()) >= most_) return false;
  if (options_.staleness < 0) return true;
  return std::all_of(calls_.begin(), calls_.end(),
                     [&](const auto& call) { return call.second.others < options_.staleness; });
}

void StepQueue::WaitForRoom() {
  while (!HasRoom()) TakeNext();
}

void StepQueue::Add(const std::shared_ptr<ScheduledStep>& step, std::vector<Tensor> arguments,
                    Take take) {
  WaitForRoom();
  if (step->parts().empty()) return Send(step->function(), std::move(arguments), std::move(take));
  const size_t way = step->ways().Next();
  base::Executor& executor = state_.chief->executor();
  const auto took = [step, way, &executor, begin = executor.Now(),
                     take = std::move(take)](std::vector<Tensor> results) {
    step->ways().Took(way, executor.Now() - begin);
    take(std::move(results));
  };
  if (way == 0) return Send(step->function(), std::move(arguments), took);
  SendParts(step, arguments, took);
}

namespace {

// The rows of `batch` for some of its examples.
Tensor RowsOf(const Tensor& batch, int64_t first, int64_t count, int64_t examples) {
  std::vector<int64_t> begin(batch.rank(), 0), size = batch.shape().vector();
  const int64_t each = size[0] / examples;
  begin[0] = first * each;
  size[0] = count * each;
  return Slice(batch, begin, size);
}

}  // namespace

// The last part that comes back sends the rest.
void StepQueue::SendParts(const std::shared_ptr<ScheduledStep>& step,
                          const std::vector<Tensor>& arguments, Take take) {
  struct Gathered {
    size_t waiting;
    std::vector<Tensor> sums;
    Take take;
  };
  const auto gathered = std::make_shared<Gathered>(
      Gathered{step->parts().size(), std::vector<Tensor>(step->rest()->graph.parameters().size()),
               std::move(take)});
  int64_t examples = 0;
  for (const ScheduledStep::Part& part : step->parts()) examples += part.examples;
  for (const ScheduledStep::Part& part : step->parts()) {
    std::vector<Tensor> rows;
    for (const Tensor& argument : arguments)
      rows.push_back(RowsOf(argument, part.first, part.examples, examples));
    Send(part.function, std::move(rows), [this, step, &part, gathered](std::vector<Tensor> sums) {
      for (size_t i = 0; i < sums.size(); ++i) gathered->sums[part.gives[i]] = std::move(sums[i]);
      if (--gathered->waiting > 0) return;
      Send(step->rest(), std::move(gathered->sums), std::move(gathered->take));
    });
  }
}

void StepQueue::Send(const ScheduledStep::Function& function, std::vector<Tensor> arguments,
                     Take take) {
  for (auto& [number, call] : calls_) ++call.others;
  const uint64_t number = next_++;
  calls_[number] = {std::move(take), static_cast<int64_t>(calls_.size())};
  remote::Dispatcher::Call call;
  call.function = function;
  call.arguments = std::move(arguments);
  call.done = [arrived = arrived_, number](remote::Dispatcher::Results results) {
    {
      const std::lock_guard lock(arrived->mutex);
      arrived->results.emplace(number, std::move(results));
    }
    arrived->numbers.Put(number);
  };
  state_.Send(std::move(call));
}

// A failure ends all that is under way, so each is waited for before it is thrown.
void StepQueue::TakeNext() {
  const uint64_t number = arrived_->numbers.Take();
  LearnOfFunctions(*state_.functions);
  {
    const std::lock_guard lock(arrived_->mutex);
    const auto place = arrived_->results.find(number);
    failed_ |= !place->second.ok();
    waiting_.emplace(number, std::move(place->second));
    arrived_->results.erase(place);
  }
  if (!failed_) return Deliver();
  while (waiting_.size() < calls_.size()) {
    const uint64_t other = arrived_->numbers.Take();
    const std::lock_guard lock(arrived_->mutex);
    waiting_.emplace(other, std::move(arrived_->results.at(other)));
  }
  const auto first = std::find_if(waiting_.begin(), waiting_.end(),
                                  [](const auto& one) { return !one.second.ok(); });
  const Status error = first->second.status();
  calls_.clear();
  waiting_.clear();
  state_.ThrowError();  // the first one, which others were cancelled for
  error.OrThrow();
}

void StepQueue::Deliver() {
  while (!waiting_.empty()) {
    const auto next = waiting_.begin();
    if (options_.in_order && next->first != calls_.begin()->first) return;
    const Take take = std::move(calls_.at(next->first).take);
    std::vector<Tensor> results = next->second.OrThrow();
    calls_.erase(next->first);
    waiting_.erase(next);
    take(std::move(results));
  }
}

void StepQueue::Finish() {
  while (!calls_.empty()) TakeNext();
}

}  // namespace lockstep::distribute
