#include "distribute/replica_program.h"

#include <exception>

#include "base/team.h"
#include "distribute/context.h"
#include "runtime/body_tracer.h"
#include "runtime/devices.h"
#include "runtime/host_ops.h"
#include "runtime/program_items.h"
#include "runtime/variable_hold.h"

namespace lockstep::distribute {

namespace {

// Whether replicas, each for itself, write something that all of them see.
bool WritesInCommon(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes()) {
    const bool is_flow = node.spec->name == "If" || node.spec->name == "While";
    const runtime::HostOp* host = runtime::FindHostOp(node.spec->name);
    if (host != nullptr && host->meets) continue;
    if (node.spec->effects.external && !is_flow) return true;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Tensor* constant = graph.constant(node.inputs[i]);
      if (constant == nullptr || !(node.spec->effects.writes >> i & 1)) continue;
      if (dynamic_cast<const runtime::ReplicaCells*>(constant->object().get()) == nullptr) {
        return true;
      }
    }
    for (const char* name : {"then", "else", "condition", "body"}) {
      if (!is_flow || node.attributes.Find(name) == nullptr) continue;
      if (WritesInCommon(runtime::BodyOf(node.attributes, name))) return true;
    }
  }
  return false;
}

}  // namespace

ReplicaProgram::ReplicaProgram(Strategy& strategy, std::shared_ptr<graph::Graph> graph,
                               std::vector<bool> varies)
    : strategy_(strategy),
      graph_(std::move(graph)),
      varies_(std::move(varies)),
      in_order_(WritesInCommon(*graph_)) {
  if (!runtime::HasReplicaCells(*graph_)) {
    programs_.push_back(std::make_unique<runtime::Program>(*graph_));
    return;
  }
  for (int r = 0; r < strategy.num_replicas_in_sync(); ++r) {
    programs_.push_back(std::make_unique<runtime::Program>(runtime::ForReplica(*graph_, r)));
  }
}

const runtime::Program& ReplicaProgram::ProgramOf(int replica) const {
  return programs_.size() == 1 ? *programs_[0] : *programs_[replica];
}

std::vector<Tensor> ReplicaProgram::ArgumentsOf(int replica,
                                                const std::vector<Tensor>& inputs) const {
  const int replicas = strategy_.num_replicas_in_sync();
  std::vector<Tensor> arguments;
  size_t next = 0;
  for (bool varies : varies_) {
    arguments.push_back(inputs[next + (varies ? replica : 0)]);
    next += varies ? replicas : 1;
  }
  while (arguments.size() < graph_->parameters().size()) arguments.push_back(inputs[next++]);
  return arguments;
}

void ReplicaProgram::AdvanceOne(int replica, runtime::Execution& execution, Standing& standing,
                                base::Team& team) {
  if (standing.ended) return;
  const ReplicaScope scope(strategy_, replica, nullptr, nullptr);
  const runtime::TeamScope lanes(team);
  standing.ended = !execution.Advance(team);
  if (standing.ended) return;
  ++standing.meetings;
  standing.op = execution.meeting().spec->name;
}

void ReplicaProgram::AdvanceAll(std::vector<std::unique_ptr<runtime::Execution>>& replicas,
                                std::vector<Standing>& standings) {
  const int count = static_cast<int>(replicas.size());
  base::Team& team = strategy_.team();
  if (in_order_ || count == 1 || team.lanes() == 1) {
    for (int r = 0; r < count; ++r) AdvanceOne(r, *replicas[r], standings[r], team);
    return;
  }
  std::vector<std::exception_ptr> errors(count);
  const runtime::VariableHold* hold = runtime::VariableHold::Current();
  team.Run([&](int lane) {
    base::Team alone(1);
    const runtime::HoldScope part(hold);
    for (int r = count * lane / team.lanes(); r < count * (lane + 1) / team.lanes(); ++r) {
      try {
        AdvanceOne(r, *replicas[r], standings[r], alone);
      } catch (...) {
        errors[r] = std::current_exception();
      }
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error != nullptr) std::rethrow_exception(error);
  }
}

std::vector<Tensor> ReplicaProgram::Run(const std::vector<Tensor>& inputs) {
  const int count = strategy_.num_replicas_in_sync();
  std::vector<std::unique_ptr<runtime::Execution>> replicas;
  for (int r = 0; r < count; ++r) {
    replicas.push_back(
        std::make_unique<runtime::Execution>(ProgramOf(r), ArgumentsOf(r, inputs), true));
  }
  std::vector<Standing> standings(count);
  while (true) {
    AdvanceAll(replicas, standings);
    if (AllEnded(standings)) break;
    std::vector<Part> parts;
    for (const auto& replica : replicas) {
      const graph::Node& node = replica->meeting();
      parts.push_back({node.spec, node.attributes, replica->brought()});
    }
    const auto answers = CarryOut(strategy_, parts);
    for (int r = 0; r < count; ++r) replicas[r]->Answer(answers[r]);
  }
  std::vector<Tensor> results;
  for (size_t i = 0; i < graph_->results().size(); ++i) {
    for (const auto& replica : replicas) results.push_back(replica->results()[i]);
  }
  return results;
}

namespace {

std::vector<Tensor> RunOnHost(const ops::OpSpec&, const ops::Attributes& attributes,
                              const std::vector<Tensor>& inputs) {
  const auto& program = attributes.Get<std::shared_ptr<TensorObject>>("program");
  return dynamic_cast<ReplicaProgram&>(*program).Run(inputs);
}

const runtime::RegisterHostOp kRunHost("ReplicaRun", {RunOnHost});

}  // namespace
}  // namespace lockstep::distribute
