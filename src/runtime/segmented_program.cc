#include "runtime/segmented_program.h"

#include "base/check.h"

namespace lockstep::runtime {

SegmentedProgram::SegmentedProgram(graph::Graph program) : program_(std::move(program)) {
  for (graph::Segment& segment : graph::CutIntoSegments(program_)) {
    auto plan = Plan::Compile(segment.graph, {});
    segments_.push_back({std::move(segment), std::move(plan)});
  }
}

// One run: where it stands, and the values that later segments need.
class SegmentedProgram::Execution : public std::enable_shared_from_this<Execution> {
 public:
  Execution(SegmentedProgram& program, Context& context, std::vector<Tensor> arguments,
            OnTensors done)
      : program_(program), context_(context), done_(std::move(done)) {
    for (size_t i = 0; i < arguments.size(); ++i)
      Put(program.program_.parameters()[i], arguments[i]);
  }

  // Runs the segment, then starts what follows it.
  void RunNext() {
    Part& part = program_.segments_[next_];
    std::vector<Tensor> inputs;
    for (graph::Endpoint input : part.segment.inputs) inputs.push_back(Value(input));
    try {
      const std::vector<Tensor> results = part.plan->Run(inputs, context_.team);
      for (size_t i = 0; i < results.size(); ++i) Put(part.segment.outputs[i], results[i]);
      waiting_ = 1;  // keeps the run from going on before all ops have started
      for (int id : part.segment.starts) StartOp(program_.program_.node(id));
      OneDone();
    } catch (const Error& error) {
      Fail(error.status());
    }
  }

 private:
  static int64_t Key(graph::Endpoint e) { return int64_t{e.node} * 64 + e.index; }
  void Put(graph::Endpoint e, const Tensor& value) { values_[Key(e)] = value; }
  Tensor Value(graph::Endpoint e) const {
    if (const Tensor* constant = program_.program_.constant(e)) return *constant;
    return values_.at(Key(e));
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
    for (graph::Endpoint input : node.inputs) inputs.push_back(Value(input));
    ++waiting_;
    handler->second(node, inputs,
                    [self = shared_from_this(), &node](Result<std::vector<Tensor>> results) {
                      if (!results.ok()) {
                        self->Fail(results.status());
                        return;
                      }
                      for (size_t i = 0; i < results->size(); ++i)
                        self->Put({node.id, static_cast<int>(i)}, (*results)[i]);
                      self->OneDone();
                    });
  }

  void OneDone() {
    if (--waiting_ > 0 || failed_) return;
    if (++next_ < program_.num_segments()) {
      context_.executor.Post([self = shared_from_this()] { self->RunNext(); });
      return;
    }
    std::vector<Tensor> results;
    for (graph::Endpoint result : program_.program_.results()) results.push_back(Value(result));
    done_(std::move(results));
  }

  void Fail(const Status& status) {
    if (failed_) return;
    failed_ = true;
    done_(status);
  }

  SegmentedProgram& program_;
  Context& context_;
  OnTensors done_;
  std::map<int64_t, Tensor> values_;
  int next_ = 0;
  int waiting_ = 0;
  bool failed_ = false;
};

std::vector<Tensor> SegmentedProgram::Run(std::span<const Tensor> arguments, base::Team& team) {
  LOCKSTEP_CHECK_EQ(segments_.size(), size_t{1});
  Part& part = segments_[0];
  if (part.segment.inputs == program_.parameters()) return part.plan->Run(arguments, team);
  std::vector<Tensor> inputs;
  for (graph::Endpoint input : part.segment.inputs) {
    inputs.push_back(arguments[program_.node(input.node).attributes.Get<int64_t>("index")]);
  }
  return part.plan->Run(inputs, team);
}

void SegmentedProgram::Start(std::vector<Tensor> arguments, Context& context, OnTensors done) {
  auto run = std::make_shared<Execution>(*this, context, std::move(arguments), std::move(done));
  context.executor.Post([run] { run->RunNext(); });
}

}  // namespace lockstep::runtime
