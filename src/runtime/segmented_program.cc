#include "runtime/segmented_program.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "runtime/actor.h"

namespace lockstep::runtime {

namespace {

bool HasUnknownShapes(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes()) {
    for (const ops::TensorType& type : node.outputs) {
      if (!type.shape.fully_known()) return true;
    }
  }
  return false;
}

}  // namespace

SegmentedProgram::SegmentedProgram(graph::Graph program, const ExecutionOptions& options)
    : program_(std::move(program)) {
  for (graph::Endpoint parameter : program_.parameters()) PlaceOf(parameter);
  for (graph::Segment& segment : graph::CutIntoSegments(program_)) {
    Part part;
    if (NeedsProgram(segment.graph) || HasUnknownShapes(segment.graph)) {
      part.program = std::make_unique<Program>(segment.graph, options);
    } else {
      part.plan = CompilePlan(segment.graph, options);
    }
    for (graph::Endpoint input : segment.inputs) part.inputs.push_back(PlaceOf(input));
    for (graph::Endpoint output : segment.outputs) part.outputs.push_back(PlaceOf(output));
    for (int id : segment.starts) {
      const graph::Node& node = program_.node(id);
      Operation& operation = operations_[id];
      for (graph::Endpoint input : node.inputs) operation.inputs.push_back(PlaceOf(input));
      for (int i = 0; i < static_cast<int>(node.outputs.size()); ++i)
        operation.outputs.push_back(PlaceOf({id, i}));
    }
    part.segment = std::move(segment);
    segments_.push_back(std::move(part));
  }
  for (graph::Endpoint result : program_.results()) results_.push_back(PlaceOf(result));
  FindLastUses();
}

SegmentedProgram::Place SegmentedProgram::PlaceOf(graph::Endpoint endpoint) {
  const int64_t key = (int64_t{endpoint.node} << 20) + endpoint.index;
  const auto [place, fresh] = places_.try_emplace(key, static_cast<Place>(values_.size()));
  if (fresh) {
    const Tensor* constant = program_.constant(endpoint);
    values_.push_back(constant != nullptr ? *constant : Tensor());
  }
  return place->second;
}

void SegmentedProgram::FindLastUses() {
  std::vector<int> last(values_.size(), -1);
  for (size_t s = 0; s < segments_.size(); ++s) {
    for (Place place : segments_[s].inputs) last[place] = static_cast<int>(s);
    for (Place place : segments_[s].outputs) last[place] = std::max(last[place], 0);
    for (int id : segments_[s].segment.starts) {
      // An op under way has references of its own.
      for (Place place : operations_[id].inputs) last[place] = static_cast<int>(s);
    }
  }
  for (Place place : results_) last[place] = -1;
  for (size_t place = 0; place < last.size(); ++place) {
    if (last[place] >= 0 && !values_[place].defined())
      segments_[last[place]].last_uses.push_back(static_cast<Place>(place));
  }
}

std::string SegmentedProgram::Describe() const {
  std::string text = std::to_string(num_segments()) + " segments\n";
  for (const Part& part : segments_) {
    text += "segment waits for";
    for (int id : part.segment.waits) text += " " + program_.node(id).name;
    text += part.segment.waits.empty() ? " nothing: " : ": ";
    text += part.plan != nullptr ? part.plan->Describe() : part.program->Describe();
    for (int id : part.segment.starts) text += "starts " + program_.node(id).name + "\n";
  }
  return text;
}

// One run: where it stands, and the values that later segments need.
class SegmentedProgram::Execution : public std::enable_shared_from_this<Execution> {
 public:
  Execution(SegmentedProgram& program, Context& context, std::vector<Tensor> arguments,
            OnTensors done)
      : program_(program),
        context_(context),
        done_(std::move(done)),
        values_(program.values_.size()),
        under_way_(program.program_.num_nodes(), false) {
    for (size_t i = 0; i < arguments.size(); ++i) values_[i] = std::move(arguments[i]);
  }

  // Runs the segment if all that it waits for is there, and starts what follows it.
  void RunNext() {
    if (failed_ || scheduled_) return;
    if (Waiting()) return NoteWaiting();
    EndWaiting();
    const ActorScope acting(*actor_);
    Part& part = program_.segments_[next_];
    std::vector<Tensor> inputs;
    inputs.reserve(part.inputs.size());
    for (Place place : part.inputs) inputs.push_back(ValueAt(place));
    const base::Time begin = context_.busy != nullptr ? context_.executor.Now() : base::Time();
    try {
      std::vector<Tensor> results;
      if (part.program != nullptr) {
        results = part.program->Run(inputs, context_.team);
      } else if (part.segment.graph.num_nodes() > 0) {
        results = part.plan->Run(inputs, context_.team);
      }
      inputs.clear();
      for (size_t i = 0; i < results.size(); ++i) values_[part.outputs[i]] = std::move(results[i]);
    } catch (const Error& error) {
      Fail(error.status());
      return;
    }
    if (context_.busy != nullptr) *context_.busy += context_.executor.Now() - begin;
    for (int id : part.segment.starts) StartOp(program_.program_.node(id));
    for (Place place : part.last_uses) values_[place] = Tensor();
    ++next_;
    // Others get their turn between two segments, so that messages move on.
    scheduled_ = true;
    context_.executor.Post([self = shared_from_this()] {
      self->scheduled_ = false;
      self->Continue();
    });
  }

 private:
  const Tensor& ValueAt(Place place) const {
    const Tensor& constant = program_.values_[place];
    return constant.defined() ? constant : values_[place];
  }

  void Continue() {
    if (failed_) return;
    if (next_ < program_.num_segments()) {
      RunNext();
    } else if (pending_ > 0) {
      NoteWaiting();
    } else {
      EndWaiting();
      std::vector<Tensor> results;
      for (Place place : program_.results_) results.push_back(ValueAt(place));
      failed_ = true;  // nothing more may happen
      done_(std::move(results));
    }
  }

  bool Waiting() const {
    const std::vector<int>& waits = program_.segments_[next_].segment.waits;
    return std::any_of(waits.begin(), waits.end(), [&](int id) { return under_way_[id]; });
  }

  void NoteWaiting() {
    if (!waiting_since_ && context_.on_wait) waiting_since_ = context_.executor.Now();
  }
  void EndWaiting() {
    if (!waiting_since_) return;
    const base::Time from = *std::exchange(waiting_since_, std::nullopt);
    if (last_done_ != nullptr) context_.on_wait(*last_done_, from, context_.executor.Now());
  }

  void StartOp(const graph::Node& node) {
    const auto handler = context_.asynchronous.find(node.spec->name);
    if (handler == context_.asynchronous.end()) {
      Fail(Status(Code::kUnimplemented,
                  "[program] an asynchronous op needs somebody who carries it out; got none for " +
                      node.name));
      return;
    }
    std::vector<Tensor> inputs;
    inputs.reserve(node.inputs.size());
    for (Place place : program_.operations_.at(node.id).inputs) inputs.push_back(ValueAt(place));
    under_way_[node.id] = true;
    ++pending_;
    handler->second(node, inputs,
                    [self = shared_from_this(), &node](Result<std::vector<Tensor>> results) {
                      self->OpDone(node, std::move(results));
                    });
  }

  void OpDone(const graph::Node& node, Result<std::vector<Tensor>> results) {
    if (!results.ok()) {
      Fail(results.status());
      return;
    }
    const std::vector<Place>& outputs = program_.operations_.at(node.id).outputs;
    for (size_t i = 0; i < results->size(); ++i) values_[outputs[i]] = std::move((*results)[i]);
    under_way_[node.id] = false;
    --pending_;
    last_done_ = &node;
    if (!scheduled_) Continue();
  }

  void Fail(const Status& status) {
    if (failed_) return;
    failed_ = true;
    done_(status);
  }

  SegmentedProgram& program_;
  Context& context_;
  OnTensors done_;
  // Who waits for the run: what others carry out of it happens in their order.
  const std::shared_ptr<Actor> actor_ = Actor::Current().shared_from_this();
  std::vector<Tensor> values_;   // by place; not of constants
  std::vector<bool> under_way_;  // by node: an asynchronous op that has started
  int next_ = 0;
  int pending_ = 0;
  std::optional<base::Time> waiting_since_;  // there is nothing to do
  const graph::Node* last_done_ = nullptr;
  bool scheduled_ = false;
  bool failed_ = false;  // or done
};

std::vector<Tensor> SegmentedProgram::Run(std::span<const Tensor> arguments, base::Team& team) {
  LOCKSTEP_CHECK_EQ(segments_.size(), size_t{1});
  Part& part = segments_[0];
  if (part.plan != nullptr && part.segment.inputs == program_.parameters()) {
    return part.plan->Run(arguments, team);
  }
  std::vector<Tensor> inputs;
  for (Place place : part.inputs) inputs.push_back(arguments[place]);
  return part.plan != nullptr ? part.plan->Run(inputs, team) : part.program->Run(inputs, team);
}

void SegmentedProgram::Start(std::vector<Tensor> arguments, Context& context, OnTensors done) {
  auto run = std::make_shared<Execution>(*this, context, std::move(arguments), std::move(done));
  context.executor.Post([run] { run->RunNext(); });
}

}  // namespace lockstep::runtime
