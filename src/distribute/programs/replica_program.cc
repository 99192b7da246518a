#include "distribute/programs/replica_program.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>

#include "base/log.h"
#include "base/shared_team.h"
#include "distribute/context.h"
#include "distribute/programs/one_program.h"
#include "ops/builder.h"
#include "ops/object_attribute.h"
#include "runtime/actor.h"
#include "runtime/body_tracer.h"
#include "runtime/devices.h"
#include "runtime/eager.h"
#include "runtime/host_ops.h"
#include "runtime/program_items.h"
#include "runtime/variable_hold.h"

namespace lockstep::distribute {

namespace {

bool IsFlow(const graph::Node& node) {
  return node.spec->name == "If" || node.spec->name == "While";
}

// Calls `visit` for every node, those of bodies too, until it gives true.
bool AnyNode(const graph::Graph& graph,
             const std::function<bool(const graph::Graph&, const graph::Node&)>& visit) {
  for (const graph::Node& node : graph.nodes()) {
    if (visit(graph, node)) return true;
    for (const char* name : {"then", "else", "condition", "body"}) {
      if (!IsFlow(node) || node.attributes.Find(name) == nullptr) continue;
      if (AnyNode(runtime::BodyOf(node.attributes, name), visit)) return true;
    }
  }
  return false;
}

// An assertion, which changes nothing; one that a host's language makes has another op's name.
bool OnlyRaises(const graph::Node& node) {
  const auto* elsewhere = node.attributes.Find("elsewhere");
  const auto* name = elsewhere == nullptr ? nullptr : std::get_if<std::string>(elsewhere);
  return (name == nullptr ? node.spec->name : *name) == "Assert";
}

// An op by which replicas, each for itself, write something that all of them see; empty: none.
std::string CommonWrite(const graph::Graph& graph) {
  std::string found;
  AnyNode(graph, [&found](const graph::Graph& inside, const graph::Node& node) {
    const runtime::HostOp* host = runtime::FindHostOp(node.spec->name);
    if (host != nullptr && host->meets) return false;
    bool writes = node.spec->effects.external && !IsFlow(node) && !OnlyRaises(node);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Tensor* constant = inside.constant(node.inputs[i]);
      if (constant == nullptr || !ops::HasBit(node.spec->effects.writes, i)) continue;
      writes =
          writes || dynamic_cast<const runtime::ReplicaCells*>(constant->object().get()) == nullptr;
    }
    if (writes) found = node.name.empty() ? node.spec->name : node.name;
    return writes;
  });
  return found;
}

// The variables with copies that replicas write, in the order of the program: each one's handles.
std::vector<std::vector<Tensor>> WrittenCells(const graph::Graph& graph) {
  std::vector<const runtime::ReplicaCells*> known;
  std::vector<std::vector<Tensor>> written;
  AnyNode(graph, [&](const graph::Graph& inside, const graph::Node& node) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Tensor* constant = inside.constant(node.inputs[i]);
      if (constant == nullptr || !ops::HasBit(node.spec->effects.writes, i)) continue;
      const auto* cells = dynamic_cast<const runtime::ReplicaCells*>(constant->object().get());
      if (cells == nullptr || std::find(known.begin(), known.end(), cells) != known.end()) continue;
      known.push_back(cells);
      written.push_back(cells->handles());
    }
    return false;
  });
  return written;
}

// All variables that the program names, its bodies and merge calls too, in their order there.
void AddCells(const graph::Graph& graph, Snapshot::Cells* cells) {
  const auto add = [cells](const std::shared_ptr<TensorObject>& object) {
    const auto cell = std::dynamic_pointer_cast<runtime::VariableCell>(object);
    if (cell != nullptr && std::find(cells->begin(), cells->end(), cell) == cells->end())
      cells->push_back(cell);
  };
  for (const graph::Node& node : graph.nodes()) {
    for (const graph::Endpoint input : node.inputs) {
      const Tensor* constant = graph.constant(input);
      if (constant == nullptr || constant->dtype() != DType::kResource) continue;
      add(constant->object());
      if (const auto* copies = dynamic_cast<runtime::ReplicaCells*>(constant->object().get()))
        for (const Tensor& handle : copies->handles()) add(handle.object());
    }
    for (const auto& [name, value] : node.attributes.entries()) {
      const auto* object = std::get_if<std::shared_ptr<TensorObject>>(&value);
      const auto* body = object == nullptr ? nullptr : dynamic_cast<graph::Graph*>(object->get());
      if (body != nullptr) AddCells(*body, cells);
    }
  }
}

}  // namespace

ReplicaProgram::ReplicaProgram(Strategy& strategy, std::shared_ptr<graph::Graph> graph,
                               std::vector<bool> varies)
    : strategy_(strategy),
      // A strategy over workers keeps its programs, for replays, and would never end.
      owner_(strategy.ranks() == nullptr ? strategy.owner() : nullptr),
      graph_(std::move(graph)),
      varies_(std::move(varies)),
      common_(CommonWrite(*graph_)),
      written_(WrittenCells(*graph_)) {
  if (strategy.ranks() != nullptr) AddCells(*graph_, &cells_);
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

void ReplicaProgram::AdvanceAll(Executions& replicas, std::vector<Standing>& standings, int first) {
  const int count = static_cast<int>(replicas.size());
  if (!common_.empty() || count == 1) {
    for (int r = 0; r < count; ++r)
      AdvanceOne(first + r, *replicas[r], standings[r], strategy_.team());
    return;
  }
  const base::LaneLease lease(strategy_.team());
  base::Team& team = lease.team();
  std::vector<std::exception_ptr> errors(count);
  const runtime::VariableHold* hold = runtime::VariableHold::Current();
  runtime::Actor& actor = runtime::Actor::Current();
  team.Run([&](int lane) {
    base::Team& alone = base::CallingThread();
    const runtime::HoldScope part(hold);
    const runtime::ActorScope acting(actor);
    for (int r = count * lane / team.lanes(); r < count * (lane + 1) / team.lanes(); ++r) {
      try {
        AdvanceOne(first + r, *replicas[r], standings[r], alone);
      } catch (...) {
        errors[r] = std::current_exception();
      }
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error != nullptr) std::rethrow_exception(error);
  }
}

ReplicaProgram::Executions ReplicaProgram::Begin(const std::vector<Tensor>& inputs, int begin,
                                                 int end) const {
  Executions replicas;
  for (int r = begin; r < end; ++r)
    replicas.push_back(std::make_unique<runtime::Execution>(ProgramOf(r), ArgumentsOf(r, inputs),
                                                            runtime::Stops::kAtMeetings));
  return replicas;
}

std::vector<Tensor> ReplicaProgram::RunHere(const std::vector<Tensor>& inputs) {
  const int count = strategy_.num_replicas_in_sync();
  Executions replicas = Begin(inputs, 0, count);
  std::vector<Standing> standings(count);
  while (true) {
    AdvanceAll(replicas, standings, 0);
    if (AllEnded(standings)) break;
    std::vector<Part> parts;
    for (const Turn& turn : TurnsOf(replicas, standings, 0)) parts.push_back(turn.part);
    const auto answers = CarryOut(strategy_, parts);
    for (int r = 0; r < count; ++r) replicas[r]->Answer(answers[r]);
  }
  std::vector<Tensor> results;
  for (size_t i = 0; i < graph_->results().size(); ++i) {
    for (const auto& replica : replicas) results.push_back(replica->results()[i]);
  }
  return results;
}

// What replicas have come to: at the end their results, then their copies of what was written.
std::vector<Turn> ReplicaProgram::TurnsOf(const Executions& replicas,
                                          const std::vector<Standing>& standings, int first) const {
  std::vector<Turn> turns;
  for (size_t r = 0; r < replicas.size(); ++r) {
    Turn turn{standings[r], {}, {}};
    if (!turn.standing.ended) {
      const graph::Node& node = replicas[r]->meeting();
      turn.part = {node.spec, node.attributes, replicas[r]->brought()};
    } else {
      turn.results = replicas[r]->results();
      const ops::BuilderScope eager(&runtime::EagerBuilder::Instance());
      for (const auto& handles : written_)
        turn.results.push_back(
            ops::Emit1("ReadVariableOp", {handles[static_cast<size_t>(first) + r]}));
    }
    turns.push_back(std::move(turn));
  }
  return turns;
}

// The copies of replicas elsewhere become what they are there.
void ReplicaProgram::TakeCells(const std::vector<Turn>& turns, int begin, int end) const {
  const CrossReplicaScope cross(strategy_);
  const ops::BuilderScope eager(&runtime::EagerBuilder::Instance());
  const size_t results = graph_->results().size();
  for (int r = 0; r < static_cast<int>(turns.size()); ++r) {
    if (r >= begin && r < end) continue;
    for (size_t i = 0; i < written_.size(); ++i)
      ops::Emit("AssignVariableOp", {written_[i][r], turns[r].results[results + i]});
  }
}

std::vector<Tensor> ReplicaProgram::RunDivided(const std::vector<Tensor>& inputs,
                                               Communicator& ranks) {
  if (compared_in_ != ranks.generation()) {
    RequireOneProgram(ranks, *graph_);
    compared_in_ = ranks.generation();
  }
  DividedReplicas division(ranks, strategy_.num_replicas_in_sync());
  // Who has no replica follows replica 0, so as to know what a meeting is about.
  const bool follows = division.begin() == division.end();
  const int first = follows ? 0 : division.begin();
  Executions replicas = Begin(inputs, first, follows ? 1 : division.end());
  std::vector<Standing> standings(replicas.size());
  std::vector<Turn> all;
  while (true) {
    std::optional<Status> fault;
    try {
      AdvanceAll(replicas, standings, first);
    } catch (const Error& error) {
      fault = error.status();
    }
    const std::vector<Turn> own = fault ? std::vector<Turn>() : TurnsOf(replicas, standings, first);
    all = follows ? division.Exchange({}, own.empty() ? nullptr : &own[0], fault)
                  : division.Exchange(own, nullptr, fault);
    std::vector<Standing> everybody;
    std::vector<Part> parts;
    for (const Turn& turn : all) {
      everybody.push_back(turn.standing);
      parts.push_back(turn.part);
    }
    if (AllEnded(everybody)) break;
    if (std::all_of(parts.begin(), parts.end(), DividedReplicas::IsSummed)) {
      RequireSummable(parts);
      const CrossReplicaScope cross(strategy_);
      const ops::BuilderScope eager(&runtime::EagerBuilder::Instance());
      const std::vector<Tensor> sums = division.Sum(all);
      for (const auto& replica : replicas) replica->Answer(sums);
      continue;
    }
    const auto answers = CarryOut(strategy_, parts);
    for (size_t r = 0; r < replicas.size(); ++r) replicas[r]->Answer(answers[first + r]);
  }
  TakeCells(all, division.begin(), division.end());
  std::vector<Tensor> results;
  for (size_t i = 0; i < graph_->results().size(); ++i)
    for (const Turn& turn : all) results.push_back(turn.results[i]);
  return results;
}

std::vector<Tensor> ReplicaProgram::Run(const std::vector<Tensor>& inputs) {
  Communicator* ranks = strategy_.ranks();
  if (ranks == nullptr) return RunHere(inputs);
  if (common_.empty()) return ranks->journal().Run(shared_from_this(), inputs, strategy_.team());
  if (ranks->num_ranks() > 1 && !std::exchange(told_, true))
    base::Log(base::Severity::kInfo, "run: every worker carries out all replicas, as " + common_ +
                                         " changes what all of them see; that changes no result");
  return RunHere(inputs);
}

std::vector<Tensor> ReplicaProgram::RunOnce(std::span<const Tensor> inputs, base::Team&) {
  Communicator& ranks = *strategy_.ranks();
  const std::vector<Tensor> own(inputs.begin(), inputs.end());
  if (ranks.num_ranks() == 1) return RunHere(own);
  // Somebody without a replica of his own would not know what a meeting is about.
  const bool has_each = ranks.num_ranks() <= strategy_.num_replicas_in_sync();
  std::vector<Tensor> results = has_each ? RunDivided(own, ranks) : RunHere(own);
  if (!has_each && ranks.roster() != nullptr) ranks.AllGather("");
  ranks.notes().Met();
  return results;
}

namespace {

std::vector<Tensor> RunOnHost(const ops::OpSpec&, const ops::Attributes& attributes,
                              const std::vector<Tensor>& inputs) {
  return ops::ObjectAttribute<ReplicaProgram>(attributes, "program").Run(inputs);
}

const runtime::RegisterHostOp kRunHost("ReplicaRun", {RunOnHost});

}  // namespace
}  // namespace lockstep::distribute
