#include "runtime/program.h"

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"
#include "graph/passes.h"
#include "kernels/kernel.h"
#include "runtime/fold.h"
#include "runtime/host_ops.h"
#include "runtime/program_items.h"

namespace lockstep::runtime {

namespace {

using Kind = Program::Item::Kind;

Kind KindOf(const graph::Graph& graph, const graph::Node& node) {
  const std::string& op = node.spec->name;
  if (op == "If") return Kind::kIf;
  if (op == "While") return Kind::kWhile;
  if (const HostOp* host = FindHostOp(op)) {
    return host->meets ? Kind::kMeeting : host->waits ? Kind::kWait : Kind::kHost;
  }
  if (kernels::KernelRegistry::Cpu().FindValueFunction(op) != nullptr) return Kind::kValues;
  // A plan's memory holds no strings, in values or variables.
  const auto is_string = [](const ops::TensorType& type) {
    return type.dtype == DType::kString ||
           (type.dtype == DType::kResource && type.element == DType::kString);
  };
  const bool strings =
      std::any_of(node.outputs.begin(), node.outputs.end(), is_string) ||
      std::any_of(node.inputs.begin(), node.inputs.end(), [&](graph::Endpoint input) {
        return graph.type(input).dtype == DType::kResource && is_string(graph.type(input));
      });
  return strings ? Kind::kValues : Kind::kSegment;
}

bool IsLeaf(const graph::Node& node) {
  return node.spec->name == "Arg" || node.spec->name == "Const";
}

std::unique_ptr<Program> Nested(const graph::Node& node, std::string_view name,
                                const ExecutionOptions& options) {
  return std::make_unique<Program>(BodyOf(node.attributes, name), options);
}

}  // namespace

const graph::Graph& BodyOf(const ops::Attributes& attributes, std::string_view name) {
  const auto& object = attributes.Get<std::shared_ptr<TensorObject>>(name);
  const auto* body = dynamic_cast<const graph::Graph*>(object.get());
  if (body == nullptr) {
    throw Error(Code::kInvalidArgument, "[program] the attribute '" + std::string(name) +
                                            "' must be a body; got another object");
  }
  return *body;
}

void RequireParameters(const graph::Graph& body, std::span<const ops::TensorType> types,
                       const char* where) {
  const auto& parameters = body.parameters();
  bool fits = parameters.size() == types.size();
  for (size_t i = 0; fits && i < types.size(); ++i)
    fits = body.type(parameters[i]).dtype == types[i].dtype;
  if (fits) return;
  std::string wanted, got;
  for (graph::Endpoint parameter : parameters) wanted += " " + body.type(parameter).ToString();
  for (const ops::TensorType& type : types) got += " " + type.ToString();
  throw Error(Code::kInvalidArgument, std::string("[") + where +
                                          "] a body must take the values that it gets; it takes" +
                                          wanted + "; got" + got);
}

bool NeedsProgram(const graph::Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const graph::Node& node) {
    return !IsLeaf(node) && KindOf(graph, node) != Kind::kSegment;
  });
}

Program::Program(const graph::Graph& graph, const ExecutionOptions& options)
    : graph_(options.passes && !options.eager ? FoldConstants(graph::Prune(graph))
                                              : graph::Prune(graph)),
      options_(options) {
  std::vector<int> segment;
  for (const graph::Node& node : graph_.nodes()) {
    first_value_.push_back(num_values_);
    num_values_ += static_cast<int>(node.outputs.size());
  }
  used_.resize(num_values_);
  for (graph::Endpoint result : graph_.results()) used_[ValueOf(result)] = 1;
  for (const graph::Node& node : graph_.nodes()) {
    for (graph::Endpoint input : node.inputs) used_[ValueOf(input)] = 1;
  }
  for (const graph::Node& node : graph_.nodes()) {
    if (node.spec->name == "Const") {
      constants_.emplace_back(ValueOf({node.id, 0}), node.attributes.Get<Tensor>("value"));
    } else if (node.spec->name == "Arg") {
      continue;
    } else if (KindOf(graph_, node) == Kind::kSegment) {
      segment.push_back(node.id);
    } else {
      AddSegment(segment);
      segment.clear();
      AddStep(node);
    }
  }
  AddSegment(segment);
}

Program::~Program() = default;

void Program::AddStep(const graph::Node& node) {
  auto item = std::make_unique<Item>();
  item->kind = KindOf(graph_, node);
  item->node = node.id;
  for (graph::Endpoint input : node.inputs) item->inputs.push_back(ValueOf(input));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    item->outputs.push_back(ValueOf({node.id, static_cast<int>(i)}));
  }
  if (item->kind == Kind::kIf) {
    item->first = Nested(node, "then", options_);
    item->second = Nested(node, "else", options_);
  } else if (item->kind == Kind::kWhile) {
    item->first = Nested(node, "condition", options_);
    item->second = Nested(node, "body", options_);
  }
  items_.push_back(std::move(item));
}

// The nodes as a graph of their own: what they take from elsewhere becomes parameters, constants
// are copied, and what others take from them becomes results.
void Program::AddSegment(const std::vector<int>& nodes) {
  if (nodes.empty()) return;
  auto item = std::make_unique<Item>();
  std::vector<std::pair<int, graph::Endpoint>> known;  // value -> endpoint of the segment
  const auto find = [&](int value) {
    return std::find_if(known.rbegin(), known.rend(),
                        [&](const auto& entry) { return entry.first == value; });
  };
  std::vector<int> copy_of(graph_.num_nodes(), -1);
  for (int id : nodes) {
    const graph::Node& node = graph_.node(id);
    std::vector<graph::Endpoint> inputs;
    for (graph::Endpoint input : node.inputs) {
      const int value = ValueOf(input);
      if (find(value) == known.rend()) {
        if (const Tensor* constant = graph_.constant(input)) {
          known.emplace_back(value, item->segment.AddConstant(*constant));
        } else {
          known.emplace_back(value, item->segment.AddParameter(graph_.type(input)));
          item->inputs.push_back(value);
        }
      }
      inputs.push_back(find(value)->second);
    }
    graph::Node& copy =
        item->segment.AddNode(*node.spec, std::move(inputs), node.attributes, node.outputs);
    copy.site = node.site;
    for (int control : node.control_inputs) {
      if (copy_of[control] >= 0) copy.control_inputs.push_back(copy_of[control]);
    }
    copy.name = node.name;
    copy_of[id] = copy.id;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      known.emplace_back(ValueOf({id, static_cast<int>(i)}),
                         graph::Endpoint{copy.id, static_cast<int>(i)});
    }
  }
  const auto publish = [&](graph::Endpoint e) {
    const int value = ValueOf(e);
    if (copy_of[e.node] < 0 ||
        std::find(item->outputs.begin(), item->outputs.end(), value) != item->outputs.end()) {
      return;
    }
    item->outputs.push_back(value);
    item->segment.results().push_back({copy_of[e.node], e.index});
  };
  for (const graph::Node& node : graph_.nodes()) {
    if (copy_of[node.id] >= 0) continue;
    for (graph::Endpoint input : node.inputs) publish(input);
  }
  for (graph::Endpoint result : graph_.results()) publish(result);
  if (options_.eager) item->interpreter = std::make_unique<Interpreter>(item->segment);
  items_.push_back(std::move(item));
}

std::vector<Tensor> Program::Item::RunSegment(const std::vector<Tensor>& arguments,
                                              base::Team& team,
                                              const ExecutionOptions& options) const {
  if (interpreter != nullptr) return interpreter->Run(arguments);
  return PlanFor(arguments, options)->Run(arguments, team);
}

uint64_t Program::Item::TypesHash::operator()(const Types& types) const {
  uint64_t hash = 0;
  for (const ops::TensorType& type : types) {
    const auto sizes = type.shape.sizes();
    const auto form = static_cast<uint64_t>(type.dtype) * 64 + sizes.size();
    hash =
        base::Hash64({reinterpret_cast<const char*>(sizes.data()), sizes.size() * sizeof(int64_t)},
                     hash * 31 + form);
  }
  return hash;
}

// A thread that runs a plan keeps it, should it be removed from the cache meanwhile.
std::shared_ptr<Plan> Program::Item::PlanFor(const std::vector<Tensor>& arguments,
                                             const ExecutionOptions& options) const {
  std::vector<ops::TensorType> types = ops::TypesOf(arguments);
  const std::lock_guard lock(mutex);
  if (auto plan = plans.Find(types)) return plan;
  std::shared_ptr<Plan> plan = CompilePlan(graph::Specialize(segment, types), options);
  plans.Insert(std::move(types), plan, plan->arena_bytes());
  return plan;
}

std::vector<Tensor> Program::Run(const std::vector<Tensor>& arguments, base::Team& team) const {
  Execution execution(*this, arguments, Stops::kNowhere);
  const bool stopped = execution.Advance(team);
  LOCKSTEP_CHECK(!stopped);
  return execution.results();
}

std::string Program::Describe() const {
  std::string text;
  for (const auto& item : items_) {
    if (item->kind == Kind::kSegment) {
      text += "segment of " + std::to_string(item->segment.num_nodes()) + " nodes\n";
    } else {
      text += graph_.node(item->node).name + "\n";
    }
  }
  return text;
}

}  // namespace lockstep::runtime
