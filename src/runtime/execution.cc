#include "base/check.h"
#include "kernels/kernel.h"
#include "ops/builder.h"
#include "runtime/eager.h"
#include "runtime/host_results.h"
#include "runtime/loop_history.h"
#include "runtime/program.h"
#include "runtime/program_items.h"
#include "runtime/run_control.h"

namespace lockstep::runtime {

namespace {

// What a frame is to the frame below it.
enum Role { kMain, kBranch, kCondition, kBody };

std::vector<Tensor> EmitStep(const graph::Node& node, const std::vector<Tensor>& inputs) {
  RunControl* const control = RunControl::Current();
  const bool traced = control != nullptr && control->trace != nullptr;
  const auto begin = traced ? RunControl::Clock::now() : RunControl::Clock::time_point{};
  try {
    const HostOp* host = FindHostOp(node.spec->name);
    auto outputs = host != nullptr
                       ? CarryOutHostOp(*host, *node.spec, node.attributes, inputs)
                       : EagerBuilder::Instance().Emit(*node.spec, inputs, node.attributes);
    if (traced) control->Record(node, begin, outputs);
    return outputs;
  } catch (const Error& error) {
    if (control == nullptr) throw;
    throw WithOp(error, node.name);
  }
}

}  // namespace

struct Execution::Frame {
  const Program* program = nullptr;
  int role = kMain;
  std::vector<Tensor> values;
  size_t item = 0;
  // Of the loop that is running in this frame.
  std::vector<Tensor> loop;  // the loop's variables, then what it captures
  int64_t iterations = 0;
  size_t variables = 0;
  std::vector<std::vector<Tensor>> history;  // by entry: its values, by iteration
  std::vector<KeptHistory> kept;             // by entry: what of those somebody asks for
};

Execution::Execution(const Program& program, const std::vector<Tensor>& arguments, Stops stops)
    : stops_(stops) {
  Push(program, arguments, kMain);
}

Execution::~Execution() = default;

void Execution::Push(const Program& program, const std::vector<Tensor>& arguments, int role) {
  auto frame = std::make_unique<Frame>();
  frame->program = &program;
  frame->role = role;
  frame->values.resize(program.num_values_);
  for (const auto& [value, constant] : program.constants_) frame->values[value] = constant;
  const auto& parameters = program.graph_.parameters();
  if (arguments.size() != parameters.size()) {
    throw Error(Code::kInternal,
                "[run] a program must get as many arguments as it has parameters (" +
                    std::to_string(parameters.size()) + "); got " +
                    std::to_string(arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    frame->values[program.ValueOf(parameters[i])] = arguments[i];
  }
  frames_.push_back(std::move(frame));
}

std::vector<Tensor> Execution::Inputs(const Frame& frame, const Program::Item& item) const {
  std::vector<Tensor> inputs;
  inputs.reserve(item.inputs.size());
  for (int value : item.inputs) inputs.push_back(frame.values[value]);
  return inputs;
}

void Execution::Store(Frame& frame, const Program::Item& item, const std::vector<Tensor>& outputs) {
  LOCKSTEP_CHECK_EQ(outputs.size(), item.outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) frame.values[item.outputs[i]] = outputs[i];
}

void Execution::RunSegment(Frame& frame, const Program::Item& item, base::Team& team) {
  const std::vector<Tensor> inputs = Inputs(frame, item);
  Store(frame, item, item.RunSegment(inputs, team, frame.program->options_));
}

void Execution::StartLoop(Frame& frame, const Program::Item& item) {
  const graph::Node& node = frame.program->graph_.node(item.node);
  frame.loop = Inputs(frame, item);
  frame.iterations = 0;
  frame.variables = node.attributes.Get<int64_t>("variables");
  const size_t count = frame.variables + node.attributes.GetOr<int64_t>("kept", 0);
  const size_t first = frame.variables + 1;
  frame.history.assign(count, {});
  frame.kept.assign(count, {});
  for (size_t i = 0; i < count && node.attributes.GetOr<bool>("record", false); ++i) {
    frame.kept[i] = {frame.program->used_[item.outputs[first + i]] != 0,
                     frame.program->used_[item.outputs[first + count + i]] != 0};
  }
  Iterate(frame, item);
}

// Begins with the question whether there is another iteration.
void Execution::Iterate(Frame& frame, const Program::Item& item) {
  const graph::Node& node = frame.program->graph_.node(item.node);
  const int64_t maximum = node.attributes.GetOr<int64_t>("maximum_iterations", -1);
  if (maximum >= 0 && frame.iterations >= maximum) {
    EndLoop(frame, item);
  } else {
    Push(*item.first, frame.loop, kCondition);
  }
}

void Execution::EndLoop(Frame& frame, const Program::Item& item) {
  const graph::Node& node = frame.program->graph_.node(item.node);
  std::vector<Tensor> outputs(frame.loop.begin(),
                              frame.loop.begin() + static_cast<long>(frame.variables));
  if (node.attributes.GetOr<bool>("record", false)) {
    const std::vector<ops::TensorType> entries = EntriesOf(node.attributes).types;
    for (Tensor& part : HistoryOf(entries, outputs, frame.iterations, frame.history, frame.kept))
      outputs.push_back(std::move(part));
  }
  Store(frame, item, outputs);
  frame.loop.clear();
  frame.history.clear();
  ++frame.item;
}

// Entries from `begin` to `end` had the values at these places in an iteration.
void Execution::Remember(Frame& frame, const std::vector<Tensor>& values, size_t begin,
                         size_t end) {
  for (size_t i = begin; i < end; ++i)
    if (frame.kept[i].values || frame.kept[i].sizes) frame.history[i].push_back(values[i]);
}

// The frame on top has ended: gives its results to the frame below.
void Execution::Return() {
  const std::unique_ptr<Frame> ended = std::move(frames_.back());
  frames_.pop_back();
  std::vector<Tensor> results;
  for (graph::Endpoint result : ended->program->graph_.results()) {
    results.push_back(ended->values[ended->program->ValueOf(result)]);
  }
  if (ended->role == kMain) {
    results_ = std::move(results);
    return;
  }
  Frame& frame = *frames_.back();
  const Program::Item& item = *frame.program->items_[frame.item];
  switch (ended->role) {
    case kBranch:
      Store(frame, item, results);
      ++frame.item;
      break;
    case kCondition:
      if (!results[0].scalar<bool>()) {
        EndLoop(frame, item);
        break;
      }
      Remember(frame, frame.loop, 0, frame.variables);
      Push(*item.second, frame.loop, kBody);
      break;
    default:
      Remember(frame, results, frame.variables, results.size());
      for (size_t i = 0; i < frame.variables; ++i) frame.loop[i] = results[i];
      ++frame.iterations;
      Iterate(frame, item);
  }
}

// True at a meeting.
bool Execution::Step(base::Team& team) {
  Frame& frame = *frames_.back();
  if (frame.item == frame.program->items_.size()) {
    Return();
    return false;
  }
  const Program::Item& item = *frame.program->items_[frame.item];
  using Kind = Program::Item::Kind;
  if (item.kind == Kind::kSegment) {
    RunSegment(frame, item, team);
    ++frame.item;
    return false;
  }
  const graph::Node& node = frame.program->graph_.node(item.node);
  std::vector<Tensor> inputs = Inputs(frame, item);
  if (item.kind == Kind::kIf) {
    const bool taken = inputs[0].scalar<bool>();
    inputs.erase(inputs.begin());
    Push(taken ? *item.first : *item.second, inputs, kBranch);
  } else if (item.kind == Kind::kWhile) {
    StartLoop(frame, item);
  } else if ((item.kind == Kind::kMeeting && stops_ != Stops::kNowhere) ||
             (item.kind == Kind::kWait && stops_ == Stops::kAtMeetingsAndWaits)) {
    brought_ = std::move(inputs);
    return true;
  } else {
    Store(frame, item, EmitStep(node, inputs));
    ++frame.item;
  }
  return false;
}

bool Execution::Advance(base::Team& team) {
  ops::BuilderScope eager(&EagerBuilder::Instance());
  ops::RecordingPause pause;
  const RunControl* const control = RunControl::Current();
  while (!frames_.empty()) {
    if (control != nullptr) control->Check().OrThrow();
    if (Step(team)) return true;
  }
  return false;
}

const graph::Node& Execution::meeting() const {
  const Frame& frame = *frames_.back();
  return frame.program->graph_.node(frame.program->items_[frame.item]->node);
}

void Execution::Answer(const std::vector<Tensor>& outputs) {
  Frame& frame = *frames_.back();
  Store(frame, *frame.program->items_[frame.item], outputs);
  ++frame.item;
}

}  // namespace lockstep::runtime
