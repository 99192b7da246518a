#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/tracer.h"
#include "lockstep/runtime/graph.h"
#include "random/op_seeds.h"
#include "runtime/variable_state.h"

namespace lockstep::runtime {

struct GraphState;

/// Thrown where an op would be added to a graph that is finalized.
class FinalizedGraphError : public Error {
 public:
  explicit FinalizedGraphError(const std::string& op);
};

/// The graph of a `lockstep::Graph`, which leads back to it.
class BuiltGraph : public graph::Graph {
 public:
  std::weak_ptr<GraphState> owner;
};

/// Something that a graph uses and does not hold, as its handle names it: what touches it is where
/// it is.
class GraphResource : public TensorObject {
 public:
  std::string name;
  std::string device;
};

/// A variable of a graph; a session binds it to a cell.
class GraphVariable : public GraphResource {
 public:
  std::weak_ptr<GraphState> graph;
  bool trainable = true;
  int initializer = -1;   // node that assigns the first value
  graph::Endpoint value;  // a read that waits for nothing
  Tensor begins_with;     // undefined: it has no value until one is assigned
};
/// What `handle` names, or nullptr where it is no graph's variable.
const GraphVariable* AsGraphVariable(const Tensor& handle);

/// Adds ops to a graph that is built step by step: names them, and refuses values of other graphs.
class GraphTracer : public graph::Tracer {
 public:
  explicit GraphTracer(GraphState& state, std::shared_ptr<BuiltGraph> graph);
  std::vector<Tensor> Emit(const ops::OpSpec& spec, const std::vector<Tensor>& inputs,
                           const ops::Attributes& attributes) override;
  /// A constant that is an op of its own.
  Tensor AddNamedConstant(const Tensor& value, const std::string& name);
  GraphState& state() { return state_; }

 private:
  GraphState& state_;
};

/// What a `lockstep::Graph` refers to.
struct GraphState : std::enable_shared_from_this<GraphState> {
  GraphState();
  static std::shared_ptr<GraphState> Make();
  /// The graph of the innermost builder of this thread that builds one, or nullptr.
  static GraphState* Current();
  /// The state that `tensor` belongs to; InvalidArgument, saying what `where` needs.
  static std::shared_ptr<GraphState> Of(const Tensor& tensor, const char* where);

  const graph::Graph& graph() const { return *built; }
  graph::Endpoint EndpointOf(const Tensor& tensor) const;
  /// FailedPrecondition when the graph is finalized and `op` would be added.
  void RequireOpen(const std::string& op) const;
  /// `base`, or the first of base_1, base_2, ... that is free; "Add" is taken where "add" is.
  std::string UniqueName(const std::string& base);
  void NameNode(graph::Node& node, const std::string& base);
  /// `name` in the scope that is open; one that ends with "/" is the name of a scope, and taken as
  /// it is, as TensorFlow does.
  std::string FullName(const std::string& name) const;
  /// Gives a node that name, or one that is like it and free; a scope does not take its own name.
  void NameInScope(graph::Node& node, const std::string& name);
  /// Makes the name of a node free again.
  void DropName(const graph::Node& node);
  /// Makes a name free again, and its number where it was the last one given.
  void ForgetName(const std::string& key);
  /// Names the constants among the inputs of `node` from node `first` on: "add/y".
  void NameConstants(const graph::Node& node, int first);
  /// Adds an op with `controls`, and with those of the scopes that are open where `in_scope`.
  int AddControlled(const std::string& name, const std::vector<int>& controls,
                    bool in_scope = false);
  /// The node that is done when `element` is.
  int NodeOf(const Fetch& element);

  std::recursive_mutex mutex;
  std::shared_ptr<BuiltGraph> built;
  std::unique_ptr<GraphTracer> tracer;
  std::string prefix;                               // of names; "" or "scope/"
  std::unordered_map<std::string, int> used_names;  // in lower case
  std::unordered_map<std::string, int> by_name;
  // Of ops beside which new ones are; innermost last.
  struct Colocation {
    std::string name;
    std::string device;
  };
  std::vector<Colocation> colocations;
  std::vector<Variable> variables;
  random::FunctionSeeds seeds{std::nullopt};  // the graph's own seed, and its ops without one
  bool finalized = false;
};

/// Makes the variables of a graph.
class GraphVariableCreator : public VariableCreator {
 public:
  explicit GraphVariableCreator(std::shared_ptr<GraphState> graph) : graph_(std::move(graph)) {}
  bool builds_graph() const override { return true; }
  std::shared_ptr<VariableState> Create(const std::function<Tensor()>& initial,
                                        VariableOptions options) override;

 private:
  std::shared_ptr<GraphState> graph_;
};

/// The node of the graph that `tracer` traces which is there when `operation` is done.
int ControlNode(graph::Tracer& tracer, const Operation& operation);
/// Calls a function's body as one op would run: what it gives is there when all that it assigns
/// and prints is.
std::vector<Tensor> CallInOrder(GraphTracer& tracer,
                                const std::function<std::vector<Tensor>()>& body);

}  // namespace lockstep::runtime
