#include "check/flat_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "check/op_accesses.h"
#include "graph/graph_def.pb.h"

namespace lockstep::check {

namespace {

using graph_def::FunctionDef;
using graph_def::NodeDef;
using Kind = FlatNode::Kind;

constexpr size_t kMaxNodes = 500'000;
constexpr int kMaxCalls = 100;  // inside of each other

const std::string* FunctionAttribute(const NodeDef& node, const char* name) {
  const auto place = node.attr().find(name);
  if (place == node.attr().end() || !place->second.has_func()) return nullptr;
  return &place->second.func().name();
}

// What a node calls, and which of its inputs the bodies get.
struct Call {
  enum class Form { kNone, kCall, kBranches, kLoop, kCount };
  Form form = Form::kNone;
  std::vector<std::string> functions;  // kBranches: by the predicate's value; kLoop: cond, body
  int first_argument = 0;
};

Call CallOf(const NodeDef& node, const std::unordered_map<std::string, int>& functions) {
  const std::string& op = node.op();
  const auto named = [&](std::initializer_list<const char*> attributes) {
    std::vector<std::string> names;
    for (const char* attribute : attributes) {
      const std::string* name = FunctionAttribute(node, attribute);
      names.push_back(name == nullptr ? "" : *name);
    }
    return names;
  };
  if (op == "PartitionedCall" || op == "StatefulPartitionedCall" || op == "RemoteCall") {
    return {Call::Form::kCall, named({"f"}), op == "RemoteCall" ? 1 : 0};
  }
  if (op == "If" || op == "StatelessIf") {
    return {Call::Form::kBranches, named({"else_branch", "then_branch"}), 1};
  }
  if (op == "Case" || op == "StatelessCase") {
    Call call{Call::Form::kBranches, {}, 1};
    if (const auto list = node.attr().find("branches"); list != node.attr().end()) {
      for (const auto& branch : list->second.list().func()) call.functions.push_back(branch.name());
    }
    return call;
  }
  if (op == "While" || op == "StatelessWhile") {
    return {Call::Form::kLoop, named({"cond", "body"}), 0};
  }
  if (op == "For") return {Call::Form::kCount, named({"body"}), 3};
  if (functions.contains(op)) return {Call::Form::kCall, {op}, 0};
  return {};
}

// Whether TensorFlow puts Switch, Merge and loops in the op's place, which do not wait for all
// inputs: each input waits for the branch or loop alone, and each result for what makes it.
bool IsLowered(const NodeDef& node) {
  const auto place = node.attr().find("_lower_using_switch_merge");
  return place != node.attr().end() && place->second.b();
}

int64_t ParallelIterations(const NodeDef& node) {
  const auto place = node.attr().find("parallel_iterations");
  return place == node.attr().end() ? 10 : place->second.i();
}

// How many tensors an argument of a function stands for.
int WidthOf(const graph_def::OpDef::ArgDef& argument, const NodeDef* call) {
  if (call == nullptr) return 1;
  const auto attribute = [&](const std::string& name) -> const graph_def::AttrValue* {
    if (name.empty()) return nullptr;
    for (const auto& [key, value] : call->attr()) {
      if (key == name) return &value;
      if (!value.has_func()) continue;
      const auto inside = value.func().attr().find(name);
      if (inside != value.func().attr().end()) return &inside->second;
    }
    return nullptr;
  };
  int64_t width = 1;
  if (const auto* number = attribute(argument.number_attr())) width = number->i();
  if (const auto* types = attribute(argument.type_list_attr())) width = types->list().type_size();
  return static_cast<int>(std::clamp<int64_t>(width, 0, 100'000));
}

class Flattener {
 public:
  explicit Flattener(const graph::ReadGraph& read) : read_(read) {
    const auto& library = read.graph->library();
    flat_.library = &library;
    for (int i = 0; i < library.function_size(); ++i) {
      functions_.emplace(library.function(i).signature().name(), i);
    }
  }

  Result<FlatGraph> Main(const std::vector<int>& nodes, const std::vector<int>& fetched,
                         const std::vector<int>& elsewhere) {
    flat_.scopes.push_back({});
    Body body;
    for (int i : nodes) {
      body.nodes.push_back(&read_.graph->node(i));
      body.lines.push_back(read_.node_lines[i]);
    }
    LOCKSTEP_RETURN_IF_ERROR(Add(&body, 0, -1, -1));
    for (int i : fetched)
      flat_.nodes[body.made.at(read_.graph->node(i).name()).node].fetched = true;
    for (int i : elsewhere)
      flat_.nodes[body.made.at(read_.graph->node(i).name()).node].elsewhere = true;
    for (FlatNode& node : flat_.nodes) {
      int call = -1;  // the outermost one around it
      for (int scope = node.scope; scope > 0; scope = flat_.scopes[scope].parent)
        call = flat_.scopes[scope].begin;
      if (call >= 0 && flat_.nodes[call].elsewhere) node.elsewhere = true;
    }
    ConnectTransfers();
    ConnectAccumulators();
    LOCKSTEP_RETURN_IF_ERROR(FindLoops(&flat_, read_.where));
    return std::move(flat_);
  }

  Result<FlatGraph> Function(int index) {
    const FunctionDef& function = read_.graph->library().function(index);
    flat_.scopes.push_back({.function = function.signature().name()});
    std::vector<Edge> arguments;
    for (int i = 0; i < function.signature().input_arg_size(); ++i) {
      const int join = NewNode(Kind::kJoin, nullptr, 0, 0);
      flat_.nodes[join].argument = i;
      arguments.push_back({join, 0});
    }
    std::vector<Edge> results;
    const int end = NewNode(Kind::kEnd, nullptr, 0, 0);
    LOCKSTEP_RETURN_IF_ERROR(AddFunction(index, 0, -1, end, arguments, nullptr, &results));
    flat_.nodes[end].inputs = results;
    LOCKSTEP_RETURN_IF_ERROR(FindLoops(&flat_, read_.where));
    return std::move(flat_);
  }

 private:
  // The nodes of the graph or of a function, and what their names mean.
  struct Body {
    std::vector<const NodeDef*> nodes;
    std::vector<int> lines;
    std::unordered_map<std::string_view, std::vector<Edge>> arguments;
    bool is_function = false;
    struct Made {
      int node = -1;  // the op, or the begin of a call
      int end = -1;   // what control edges wait for
      Call call;
      std::vector<Edge> arguments;  // of calls
      std::vector<int> results;     // joins
    };
    std::unordered_map<std::string_view, Made> made;
  };

  // What a `_Recv` gives is what the one `_Send` of its name was given. In loops of version 1 each
  // iteration has a transfer of its own, and which one is not followed.
  void ConnectTransfers() {
    std::map<std::string, std::vector<int>> sends, receives;  // by name and devices
    for (size_t i = 0; i < flat_.nodes.size(); ++i) {
      const FlatNode& node = flat_.nodes[i];
      if (IsOp(node, {"Enter", "RefEnter"})) return;
      const bool sends_it = IsOp(node, {"_Send", "_HostSend"});
      if (!sends_it && !IsOp(node, {"_Recv", "_HostRecv"})) continue;
      std::string key;
      for (const char* part : {"tensor_name", "send_device", "recv_device"}) {
        const auto place = node.def->attr().find(part);
        key += (place == node.def->attr().end() ? "" : place->second.s()) + "\n";
      }
      (sends_it ? sends : receives)[key].push_back(static_cast<int>(i));
    }
    for (const auto& [key, to] : receives) {
      const auto place = sends.find(key);
      if (place == sends.end() || place->second.size() != 1 || to.size() != 1) continue;
      const FlatNode& send = flat_.nodes[place->second[0]];
      FlatNode& receive = flat_.nodes[to[0]];
      if (send.inputs.size() == 1 && receive.inputs.empty()) receive.inputs = send.inputs;
      receive.controls.push_back({place->second[0]});
    }
  }

  // Who takes as many gradients as there are ops that give them to an accumulator waits for all of
  // these, as it is empty when the run begins.
  void ConnectAccumulators() {
    std::map<std::string, std::vector<int>> gives, takes;  // by accumulator
    for (size_t i = 0; i < flat_.nodes.size(); ++i) {
      const FlatNode& node = flat_.nodes[i];
      if (IsOp(node, {"Enter", "RefEnter"})) return;
      if (node.kind != Kind::kOp || node.inputs.empty()) continue;
      const bool gives_it = node.def->op().ends_with("AccumulatorApplyGradient");
      if (!gives_it && !node.def->op().ends_with("AccumulatorTakeGradient")) continue;
      (gives_it ? gives : takes)[AccumulatorOf(node.inputs[0].from)].push_back(static_cast<int>(i));
    }
    for (const auto& [accumulator, takers] : takes) {
      const std::vector<int>& givers = gives[accumulator];
      const FlatNode& taker = flat_.nodes[takers[0]];
      if (accumulator.empty() || takers.size() != 1 || givers.empty() || taker.inputs.size() < 2)
        continue;
      const FlatNode& number = flat_.nodes[taker.inputs[1].from];
      if (!IsOp(number, {"Const"})) continue;
      const auto value = number.def->attr().find("value");
      if (value == number.def->attr().end() || value->second.tensor().int_val_size() != 1) continue;
      if (value->second.tensor().int_val(0) < std::ssize(givers)) continue;
      for (int giver : givers) {
        if (!Before(giver).contains(takers[0])) flat_.nodes[takers[0]].controls.push_back({giver});
      }
    }
  }

  // A name that is the accumulator's alone; empty where it is made by no op of the graph.
  std::string AccumulatorOf(int node) const {
    const FlatNode& made = flat_.nodes[node];
    if (made.kind != Kind::kOp || !made.def->op().ends_with("Accumulator")) return "";
    const std::string shared = TextOf(*made.def, "shared_name");
    return made.def->device() + "\n" + (shared.empty() ? flat_.NameOf(node) : shared);
  }

  // All that a node waits for.
  std::set<int> Before(int node) const {
    std::set<int> before;
    std::vector<int> open{node};
    while (!open.empty()) {
      const FlatNode& from = flat_.nodes[open.back()];
      open.pop_back();
      for (const auto* edges : {&from.inputs, &from.controls}) {
        for (const Edge& edge : *edges) {
          if (edge.loop < 0 && before.insert(edge.from).second) open.push_back(edge.from);
        }
      }
    }
    return before;
  }

  int NewNode(Kind kind, const NodeDef* def, int scope, int line) {
    flat_.nodes.push_back({.kind = kind, .def = def, .scope = scope, .line = line});
    return static_cast<int>(flat_.nodes.size()) - 1;
  }

  Status Fault(const std::string& rule, const NodeDef& node, int line) const {
    return Status(Code::kInvalidArgument, "[race] " + rule + " in node \"" + node.name() + "\" " +
                                              PlaceOf(read_.where, line));
  }

  int ResultsOf(const Call& call, const NodeDef& node) const {
    if (call.form == Call::Form::kLoop || call.form == Call::Form::kCount) {
      int inputs = -call.first_argument;
      for (const std::string& input : node.input()) inputs += input.empty() || input[0] != '^';
      return inputs;
    }
    const auto place = functions_.find(call.functions.empty() ? "" : call.functions[0]);
    if (place == functions_.end()) return 0;
    int results = 0;
    for (const auto& result :
         read_.graph->library().function(place->second).signature().output_arg())
      results += WidthOf(result, &node);
    return results;
  }

  Status Add(Body* body, int scope, int entry, int end) {
    for (size_t i = 0; i < body->nodes.size(); ++i) {
      LOCKSTEP_RETURN_IF_ERROR(Declare(body, *body->nodes[i], scope, body->lines[i]));
    }
    for (size_t i = 0; i < body->nodes.size(); ++i) {
      LOCKSTEP_RETURN_IF_ERROR(Connect(body, *body->nodes[i], body->lines[i], entry));
    }
    for (size_t i = 0; i < body->nodes.size(); ++i) {
      const Body::Made& made = body->made.at(body->nodes[i]->name());
      if (end >= 0) flat_.nodes[end].controls.push_back({made.end});
      if (made.call.form == Call::Form::kNone) continue;
      LOCKSTEP_RETURN_IF_ERROR(Expand(made, *body->nodes[i], scope, body->lines[i]));
    }
    return Status::Ok();
  }

  Status Declare(Body* body, const NodeDef& node, int scope, int line) {
    if (node.name().empty() || node.op().empty()) {
      return Fault("a node must have a name and an op; got op \"" + node.op() + "\"", node, line);
    }
    if (flat_.nodes.size() > kMaxNodes) {
      return Status(Code::kResourceExhausted,
                    "[race] a graph may have at most 500000 nodes when all calls are expanded; "
                    "got more in \"" +
                        flat_.scopes[scope].path + "\" " + PlaceOf(read_.where, line));
    }
    Body::Made made;
    made.call = CallOf(node, functions_);
    if (made.call.form != Call::Form::kNone && Recursive(made.call, scope)) made.call = {};
    const bool calls = made.call.form != Call::Form::kNone;
    made.node = NewNode(calls ? Kind::kBegin : Kind::kOp, &node, scope, line);
    made.end = calls ? NewNode(Kind::kEnd, &node, scope, line) : made.node;
    if (calls) {
      flat_.nodes[made.end].base = made.node;
      flat_.nodes[made.end].controls.push_back({made.node});
      for (int i = ResultsOf(made.call, node); i > 0; --i) {
        made.results.push_back(NewNode(Kind::kJoin, &node, scope, line));
        FlatNode& result = flat_.nodes[made.results.back()];
        result.base = made.node;
        result.merges = IsLowered(node) && made.call.form == Call::Form::kBranches;
        if (!result.merges) result.controls.push_back({made.end});
      }
    }
    if (!body->made.emplace(node.name(), std::move(made)).second) {
      return Fault("names must be unique; got a second node of that name", node, line);
    }
    return Status::Ok();
  }

  // A function that calls itself is not expanded again.
  bool Recursive(const Call& call, int scope) const {
    for (; scope >= 0; scope = flat_.scopes[scope].parent) {
      const std::string& around = flat_.scopes[scope].function;
      if (around.empty()) continue;
      if (std::find(call.functions.begin(), call.functions.end(), around) != call.functions.end())
        return true;
    }
    return false;
  }

  Result<Edge> Resolve(const Body& body, const std::string& input, const NodeDef& node, int line) {
    const auto name = graph::ParseInputName(input);
    if (!name.ok())
      return Fault("an input must be NODE, NODE:OUTPUT or ^NODE; got \"" + input + "\"", node,
                   line);
    const auto argument = body.arguments.find(name->node);
    if (argument != body.arguments.end()) {
      const auto& edges = argument->second;
      if (name->control && !edges.empty()) return Edge{edges[0].from};
      if (static_cast<size_t>(name->index) < edges.size()) return edges[name->index];
    } else if (const auto place = body.made.find(name->node); place != body.made.end()) {
      const Body::Made& made = place->second;
      if (name->control) return Edge{made.end};
      if (made.call.form == Call::Form::kNone) return Edge{made.node, OutputOf(made.node, *name)};
      const int index = ResultIndex(made, *name);
      if (index < static_cast<int>(made.results.size())) return Edge{made.results[index], 0};
    } else {
      return Fault("an input must name a node of the " +
                       std::string(body.is_function ? "function" : "graph") + "; got \"" + input +
                       "\"",
                   node, line);
    }
    return Fault("an input must name an output that is there; got \"" + input + "\"", node, line);
  }

  // The number of an output that functions name by its argument. What is not known of an op is
  // numbered as its names come.
  int OutputOf(int node, const graph::InputName& name) {
    constexpr std::string_view kSecond[] = {"output_true", "value_index", "deleter"};
    if (std::find(std::begin(kSecond), std::end(kSecond), name.output) != std::end(kSecond))
      return 1;
    if (name.output.empty() || name.output == "output_false") return name.index;
    std::vector<std::string>& names = outputs_[node];
    const auto place = std::find(names.begin(), names.end(), name.output);
    constexpr int kMostOfOneName = 50;
    const int before = static_cast<int>(place - names.begin()) * kMostOfOneName;
    if (place == names.end()) names.emplace_back(name.output);
    return before + name.index;
  }

  int ResultIndex(const Body::Made& made, const graph::InputName& name) const {
    const auto place = functions_.find(made.call.functions.empty() ? "" : made.call.functions[0]);
    if (name.output.empty() || name.output == "output" || place == functions_.end())
      return name.index;
    int index = 0;
    for (const auto& result :
         read_.graph->library().function(place->second).signature().output_arg()) {
      if (result.name() == name.output) return index + name.index;
      index += WidthOf(result, flat_.nodes[made.node].def);
    }
    return name.index;
  }

  Status Connect(Body* body, const NodeDef& node, int line, int entry) {
    Body::Made& made = body->made.at(node.name());
    const int id = made.node;
    for (const std::string& input : node.input()) {
      LOCKSTEP_ASSIGN_OR_RETURN(const Edge edge, Resolve(*body, input, node, line));
      (edge.output < 0 ? flat_.nodes[id].controls : flat_.nodes[id].inputs).push_back(edge);
    }
    if (made.call.form != Call::Form::kNone)
      LOCKSTEP_RETURN_IF_ERROR(TakeArguments(&made, node, line));
    const FlatNode& made_node = flat_.nodes[id];
    const bool free = made_node.inputs.empty() && made_node.controls.empty();
    if (free && entry >= 0) flat_.nodes[id].controls.push_back({entry});
    return Status::Ok();
  }

  // Those of a lowered call do not hold its begin up.
  Status TakeArguments(Body::Made* made, const NodeDef& node, int line) {
    std::vector<Edge>& inputs = flat_.nodes[made->node].inputs;
    const int first = made->call.first_argument;
    if (static_cast<int>(inputs.size()) < first) {
      return Fault("a call must have its inputs; got " + std::to_string(inputs.size()), node, line);
    }
    made->arguments.assign(inputs.begin() + first, inputs.end());
    if (IsLowered(node)) inputs.resize(first);
    return Status::Ok();
  }

  int NewScope(int parent, const std::string& path, const std::string& function, int begin,
               int end) {
    flat_.scopes.push_back({flat_.scopes[parent].path + path + "/", function, parent, begin, end});
    return static_cast<int>(flat_.scopes.size()) - 1;
  }

  Result<int> Find(const std::string& function, const NodeDef& node, int line) const {
    const auto place = functions_.find(function);
    if (place != functions_.end()) return place->second;
    return Fault("the library must have the functions that are called; got \"" + function + "\"",
                 node, line);
  }

  Status Expand(const Body::Made& made, const NodeDef& node, int scope, int line) {
    const std::vector<Edge>& arguments = made.arguments;
    int depth = 0;
    for (int around = scope; around >= 0; around = flat_.scopes[around].parent) ++depth;
    if (depth > kMaxCalls) {
      return Status(Code::kResourceExhausted, "[race] calls may be 100 deep; got more at \"" +
                                                  node.name() + "\" " + PlaceOf(read_.where, line));
    }
    if (made.call.form == Call::Form::kLoop) return ExpandLoop(made, node, scope, line);
    if (made.call.form == Call::Form::kCount) return ExpandCount(made, node, scope, line);
    const int count = static_cast<int>(made.call.functions.size());
    for (int i = 0; i < count; ++i) {
      LOCKSTEP_ASSIGN_OR_RETURN(const int function, Find(made.call.functions[i], node, line));
      int entry = made.node, end = made.end;
      std::string path = node.name();
      if (made.call.form == Call::Form::kBranches) {
        const bool is_if = node.op() == "If" || node.op() == "StatelessIf";
        path += is_if ? (i == 0 ? "/else" : "/then") : "/branch" + std::to_string(i);
        entry = NewNode(Kind::kBegin, &node, scope, line);
        const Edge predicate = flat_.nodes[made.node].inputs[0];
        flat_.nodes[entry].base = made.node;
        flat_.nodes[entry].literal = {{predicate.from, predicate.output, i}};
        flat_.nodes[entry].branch = BranchOf(node, i, count);
        flat_.nodes[entry].controls.push_back({made.node});
      }
      const int inside = NewScope(scope, path, made.call.functions[i], made.node, made.end);
      std::vector<Edge> results;
      LOCKSTEP_RETURN_IF_ERROR(
          AddFunction(function, inside, entry, end, arguments, &node, &results));
      for (size_t k = 0; k < std::min(results.size(), made.results.size()); ++k) {
        flat_.nodes[made.results[k]].inputs.push_back(results[k]);
      }
    }
    return Status::Ok();
  }

  // A number that no other branch has takes the last one, and one but zero the branch of truth.
  static FlatNode::Branch BranchOf(const NodeDef& node, int number, int count) {
    const auto type = node.attr().find("Tcond");
    const bool by_number = node.op().ends_with("Case") ||
                           (type != node.attr().end() && type->second.type() != graph_def::DT_BOOL);
    if (!by_number) return FlatNode::Branch::kTruth;
    return number + 1 == count ? FlatNode::Branch::kOther : FlatNode::Branch::kNumber;
  }

  // What a loop hands from iteration to iteration, beginning with what the call is given.
  std::vector<Edge> LoopVariables(const Body::Made& made, const NodeDef& node, int scope, int line,
                                  int loop) {
    std::vector<Edge> variables;
    for (const Edge& argument : made.arguments) {
      const int variable = NewNode(Kind::kJoin, &node, scope, line);
      flat_.nodes[variable].base = made.node;
      flat_.nodes[variable].enters = loop;
      flat_.nodes[variable].inputs.push_back(argument);
      flat_.nodes[variable].controls.push_back({made.node});
      variables.push_back({variable, 0});
    }
    flat_.nodes[made.end].exits = true;
    return variables;
  }

  void CloseLoop(const Body::Made& made, const std::vector<Edge>& variables,
                 const std::vector<Edge>& next, int loop) {
    for (size_t k = 0; k < variables.size(); ++k) {
      if (k < next.size()) {
        Edge back = next[k];
        back.loop = loop;
        flat_.nodes[variables[k].from].inputs.push_back(back);
      }
      if (k >= made.results.size()) continue;
      FlatNode& result = flat_.nodes[made.results[k]];
      result.inputs.push_back(variables[k]);
      result.exits = true;
    }
  }

  Status ExpandLoop(const Body::Made& made, const NodeDef& node, int scope, int line) {
    LOCKSTEP_ASSIGN_OR_RETURN(const int condition, Find(made.call.functions[0], node, line));
    LOCKSTEP_ASSIGN_OR_RETURN(const int body, Find(made.call.functions[1], node, line));
    const int loop = static_cast<int>(flat_.loops.size());
    flat_.loops.push_back({-1, ParallelIterations(node), flat_.scopes[scope].path + node.name()});
    const std::vector<Edge> variables = LoopVariables(made, node, scope, line, loop);
    const int start = NewNode(Kind::kBegin, &node, scope, line);  // of the condition
    flat_.nodes[start].base = made.node;
    for (const Edge& variable : variables) {
      flat_.nodes[start].controls.push_back({variable.from});
      if (IsLowered(node)) break;
    }
    std::vector<Edge> answer, next;
    const int asking =
        NewScope(scope, node.name() + "/cond", made.call.functions[0], made.node, made.end);
    LOCKSTEP_RETURN_IF_ERROR(
        AddFunction(condition, asking, start, made.end, variables, &node, &answer));
    const int pivot = NewNode(Kind::kBegin, &node, scope, line);
    flat_.nodes[pivot].base = made.node;
    flat_.nodes[pivot].inputs = answer;
    flat_.nodes[pivot].controls.push_back({start});
    const int doing =
        NewScope(scope, node.name() + "/body", made.call.functions[1], made.node, made.end);
    LOCKSTEP_RETURN_IF_ERROR(AddFunction(body, doing, pivot, made.end, variables, &node, &next));
    CloseLoop(made, variables, next, loop);
    return Status::Ok();
  }

  // `For`, which has no condition, and carries its iterations out one by one.
  Status ExpandCount(const Body::Made& made, const NodeDef& node, int scope, int line) {
    LOCKSTEP_ASSIGN_OR_RETURN(const int body, Find(made.call.functions[0], node, line));
    const int loop = static_cast<int>(flat_.loops.size());
    flat_.loops.push_back({-1, 1, flat_.scopes[scope].path + node.name()});
    const std::vector<Edge> variables = LoopVariables(made, node, scope, line, loop);
    const int start = NewNode(Kind::kBegin, &node, scope, line);
    flat_.nodes[start].base = made.node;
    if (variables.empty()) flat_.nodes[start].enters = loop;
    flat_.nodes[start].controls.push_back({made.node});
    for (const Edge& variable : variables) flat_.nodes[start].controls.push_back({variable.from});
    std::vector<Edge> given{{start, 0}}, next;  // the number first
    given.insert(given.end(), variables.begin(), variables.end());
    const int inside =
        NewScope(scope, node.name() + "/body", made.call.functions[0], made.node, made.end);
    LOCKSTEP_RETURN_IF_ERROR(AddFunction(body, inside, start, made.end, given, &node, &next));
    CloseLoop(made, variables, next, loop);
    return Status::Ok();
  }

  Status AddFunction(int index, int scope, int entry, int end, const std::vector<Edge>& arguments,
                     const NodeDef* call, std::vector<Edge>* results) {
    const FunctionDef& function = read_.graph->library().function(index);
    Body body;
    body.is_function = true;
    size_t next = 0;
    for (const auto& argument : function.signature().input_arg()) {
      std::vector<Edge>& edges = body.arguments[argument.name()];
      for (int k = WidthOf(argument, call); k > 0 && next < arguments.size(); --k) {
        const int join = NewNode(Kind::kJoin, call, scope, 0);
        flat_.nodes[join].base = entry;
        flat_.nodes[join].inputs.push_back(arguments[next++]);
        if (entry >= 0) flat_.nodes[join].controls.push_back({entry});
        edges.push_back({join, 0});
      }
    }
    const auto& lines = read_.function_node_lines;
    for (int i = 0; i < function.node_def_size(); ++i) {
      body.nodes.push_back(&function.node_def(i));
      const bool known =
          static_cast<size_t>(index) < lines.size() && static_cast<size_t>(i) < lines[index].size();
      body.lines.push_back(known ? lines[index][i] : 0);
    }
    LOCKSTEP_RETURN_IF_ERROR(Add(&body, scope, entry, end));
    for (const auto& result : function.signature().output_arg()) {
      const auto place = function.ret().find(result.name());
      const std::string named = place == function.ret().end() ? result.name() : place->second;
      NodeDef where;
      where.set_name(function.signature().name());
      const int width = WidthOf(result, call);
      for (int k = 0; k < width; ++k) {
        LOCKSTEP_ASSIGN_OR_RETURN(Edge edge, Resolve(body, named, where, 0));
        results->push_back(edge);
      }
    }
    return Status::Ok();
  }

  const graph::ReadGraph& read_;
  std::unordered_map<std::string, int> functions_;
  std::unordered_map<int, std::vector<std::string>> outputs_;  // by node: names of its outputs
  FlatGraph flat_;
};

}  // namespace

std::string PlaceOf(const std::string& where, int line) {
  return "(" + where + (line > 0 ? ":" + std::to_string(line) : "") + ")";
}

bool IsOp(const FlatNode& node, std::initializer_list<const char*> ops) {
  if (node.kind != FlatNode::Kind::kOp) return false;
  return std::any_of(ops.begin(), ops.end(), [&](const char* op) { return node.def->op() == op; });
}

std::string FlatGraph::NameOf(int node) const {
  const FlatNode& one = nodes[node];
  return scopes[one.scope].path + (one.def == nullptr ? "" : one.def->name());
}

std::vector<int> FlatGraph::LoopsOf(int node) const {
  std::vector<int> around;
  for (int loop = nodes[node].loop; loop >= 0; loop = loops[loop].parent) around.push_back(loop);
  std::reverse(around.begin(), around.end());
  return around;
}

bool FlatGraph::Around(int outer, int inner) const {
  while (inner >= 0 && inner != outer) inner = loops[inner].parent;
  return inner >= 0;
}

Result<FlatGraph> Flatten(const graph::ReadGraph& read, const std::vector<int>& nodes,
                          const std::vector<int>& fetched, const std::vector<int>& elsewhere) {
  return Flattener(read).Main(nodes, fetched, elsewhere);
}

Result<FlatGraph> FlattenFunction(const graph::ReadGraph& read, int index) {
  return Flattener(read).Function(index);
}

std::vector<std::string> FunctionsOf(const NodeDef& node) {
  Call call = CallOf(node, {});
  if (call.form == Call::Form::kNone) call.functions = {node.op()};
  return call.functions;
}

}  // namespace lockstep::check
