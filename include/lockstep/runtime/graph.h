#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/graph/device.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/gradients.h"
#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

namespace runtime {
struct GraphState;
}
class Graph;

/// A node of a `Graph`: what can be run without giving a value. Source: tf.Operation.
class Operation {
 public:
  Operation() = default;
  /// The op that makes `tensor`. InvalidArgument for a tensor that is no part of a graph.
  explicit Operation(const Tensor& tensor);
  Operation(std::shared_ptr<runtime::GraphState> graph, int id)
      : graph_(std::move(graph)), id_(id) {}

  bool defined() const { return graph_ != nullptr; }
  /// Its number in the graph, in the order in which ops were added.
  int id() const { return id_; }
  const std::string& name() const;
  /// "MatMul", ...
  const std::string& type() const;
  const std::string& device() const;
  std::vector<Tensor> outputs() const;
  std::vector<Tensor> inputs() const;
  std::vector<Operation> control_inputs() const;
  Graph graph() const;
  const std::shared_ptr<runtime::GraphState>& state() const { return graph_; }
  bool operator==(const Operation&) const = default;

 private:
  std::shared_ptr<runtime::GraphState> graph_;
  int id_ = -1;
};

/// What a run can be asked for, or fed with: a tensor, a variable (its value), an op (nothing), or
/// the name of a tensor ("x:0") or op ("x").
class Fetch {
 public:
  Fetch(const Tensor& tensor) : tensor_(tensor) {}              // NOLINT: implicit by design
  Fetch(const Variable& variable);                              // NOLINT
  Fetch(const Operation& operation) : operation_(operation) {}  // NOLINT
  Fetch(std::string name) : name_(std::move(name)) {}           // NOLINT
  Fetch(const char* name) : name_(name) {}                      // NOLINT

  const Tensor& tensor() const { return tensor_; }
  const Operation& operation() const { return operation_; }
  const std::string& name() const { return name_; }

 private:
  Tensor tensor_;
  Operation operation_;
  std::string name_;
};

/// A graph that is built first and run later, by a `Session`, as in TensorFlow's version 1. While
/// an `AsDefault` scope lives, all that this thread computes becomes ops of the graph, and a
/// `Variable` that it makes becomes one of the graph's, of which each session has a value of its
/// own. Ops are named after their type: "MatMul", "MatMul_1", ... Copying copies the reference.
/// Order: two ops between which neither a value nor a control dependency leads have none that a
/// program may rely on; a run takes those of one variable in the order in which they were added.
/// Threads: built by one thread at a time, and not while a session runs something for the first
/// time; what sessions have run before may run meanwhile. Source: tf.Graph.
class Graph {
 public:
  Graph();
  explicit Graph(std::shared_ptr<runtime::GraphState> state) : state_(std::move(state)) {}

  /// Makes a graph the calling thread's default.
  class Scope {
   public:
    explicit Scope(const Graph& graph);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    struct Scopes;
    std::unique_ptr<Scopes> scopes_;
  };
  [[nodiscard]] Scope AsDefault() const { return Scope(*this); }
  /// The graph of the innermost scope. FailedPrecondition without one.
  static Graph Default();
  static bool HasDefault();

  std::vector<Operation> operations() const;
  /// NotFound where there is none.
  Operation OperationByName(const std::string& name) const;
  /// "x:0". InvalidArgument for another form, NotFound where there is none.
  Tensor TensorByName(const std::string& name) const;
  /// All variables made in the graph, in their order.
  std::vector<Variable> variables() const;
  std::vector<Variable> trainable_variables() const;
  /// Assigns each variable that the graph has now its first value. Source:
  /// tf.compat.v1.global_variables_initializer.
  Operation GlobalVariablesInitializer() const;
  /// An op that is done when all of `elements` are. Source: tf.group.
  Operation Group(const std::vector<Fetch>& elements, const std::string& name = "group_deps") const;
  /// Calls `body`, and gives an op that is done when all that the body assigns or prints is: for
  /// code written without a graph in mind, such as an optimizer's. Variables that it makes get
  /// their first values from their initializers.
  Operation GroupEffects(const std::function<void()>& body,
                         const std::string& name = "group_effects") const;
  /// From now on nothing may be added. Source: tf.Graph.finalize.
  void Finalize() const;
  /// Takes that back: for sessions that finalize a graph while they are open.
  void Reopen() const;
  bool finalized() const;
  /// The seed from which the graph's random ops follow that are made later, and those of functions
  /// that are traced in it; none at first, whatever the process's is. `lockstep::SetSeed` where the
  /// graph is the default sets it, too. Source: tf.Graph.seed.
  std::optional<int64_t> seed() const;
  void SetSeed(std::optional<int64_t> seed) const;
  /// The graph in the language of Graphviz.
  std::string ToDot() const;

  const std::shared_ptr<runtime::GraphState>& state() const { return state_; }
  bool operator==(const Graph&) const = default;

 private:
  std::shared_ptr<runtime::GraphState> state_;
};

/// A value that a run must be fed with. Sizes may be unknown (-1), the rank may not. Errors:
/// FailedPrecondition outside of a graph. Source: tf.compat.v1.placeholder.
Tensor Placeholder(DType dtype, const Shape& shape, const std::string& name = "Placeholder");
/// A value that a run may be fed with; else it is `input`. Shapes: `shape` fits that of the input.
/// Source: tf.compat.v1.placeholder_with_default.
Tensor PlaceholderWithDefault(const Tensor& input, const Shape& shape,
                              const std::string& name = "PlaceholderWithDefault");

/// A value as an op of the graph, of its own for each call. Errors: FailedPrecondition outside of a
/// graph. Source: tf.constant.
Tensor NamedConstant(const Tensor& value, const std::string& name = "Const");

/// The op that assigns a graph's variable its first value. InvalidArgument for another variable.
Operation InitializerOf(const Variable& variable);
Operation VariablesInitializer(const std::vector<Variable>& variables);
inline Operation GlobalVariablesInitializer() {
  return Graph::Default().GlobalVariablesInitializer();
}
/// Whether a session has given the variable a value: a bool scalar. Source:
/// tf.compat.v1.is_variable_initialized.
Tensor IsVariableInitialized(const Variable& variable);

/// Gives the op that makes `tensor` a name, as it is or with "_1", "_2", ... behind it, and returns
/// the tensor. For the op that was added last.
Tensor Named(const Tensor& tensor, const std::string& name);
/// "x:0". InvalidArgument for a tensor that is no part of a graph.
std::string NameOf(const Tensor& tensor);

/// While it lives, names of new ops of the default graph begin with "name/"; a second scope of one
/// name becomes "name_1/". Source: tf.name_scope.
class NameScope {
 public:
  explicit NameScope(const std::string& name);
  ~NameScope();
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;
  /// "outer/name/"
  const std::string& prefix() const;

 private:
  std::shared_ptr<runtime::GraphState> graph_;
  std::string outer_;
};

/// While it lives, ops added to the default graph are on the device of `operation`. Source:
/// tf.Graph.colocate_with.
class ColocateWith {
 public:
  explicit ColocateWith(const Operation& operation);
  ~ColocateWith();
  ColocateWith(const ColocateWith&) = delete;
  ColocateWith& operator=(const ColocateWith&) = delete;

 private:
  std::shared_ptr<runtime::GraphState> graph_;
};

}  // namespace lockstep
