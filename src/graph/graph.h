#pragma once

#include <string>
#include <vector>

#include "ops/op.h"
#include "ops/source_site.h"

namespace lockstep::graph {

/// Output `index` of node `node`.
struct Endpoint {
  int node = -1;
  int index = 0;
  bool operator==(const Endpoint&) const = default;
};

/// One op in a graph. Inputs come from nodes with smaller ids, so ids are a topological order, and
/// the order of the program that was traced.
struct Node {
  int id = 0;
  const ops::OpSpec* spec = nullptr;
  ops::Attributes attributes;
  std::vector<Endpoint> inputs;
  std::vector<int> control_inputs;
  std::vector<ops::TensorType> outputs;
  std::string name;
  std::string device;
  ops::SourceSite site;  // the line that was traced
};

/// A dataflow graph: the one representation between tracing, passes, partition and execution.
/// Parameters are nodes of the op "Arg"; constants and captured resources of the op "Const".
class Graph : public TensorObject {
 public:
  Node& AddNode(const ops::OpSpec& spec, std::vector<Endpoint> inputs, ops::Attributes attributes,
                std::vector<ops::TensorType> outputs);
  /// Infers the output types, then adds.
  Node& AddNode(std::string_view op, std::vector<Endpoint> inputs, ops::Attributes attributes = {});
  Endpoint AddParameter(const ops::TensorType& type);
  Endpoint AddConstant(const Tensor& value);

  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  const Node& node(int id) const { return nodes_[id]; }
  Node& node(int id) { return nodes_[id]; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const ops::TensorType& type(Endpoint e) const { return nodes_[e.node].outputs[e.index]; }
  const std::vector<Endpoint>& parameters() const { return parameters_; }
  std::vector<Endpoint>& results() { return results_; }
  const std::vector<Endpoint>& results() const { return results_; }
  /// The value of a "Const" node, else nullptr.
  const Tensor* constant(Endpoint e) const;

  /// One line a node, for tests and error texts.
  std::string ToString() const;

 private:
  std::vector<Node> nodes_;
  std::vector<Endpoint> parameters_;
  std::vector<Endpoint> results_;
};

/// The output types of `spec` for `inputs`, by its shape rule.
std::vector<ops::TensorType> InferTypes(const ops::OpSpec& spec, const ops::Attributes& attributes,
                                        const std::vector<ops::TensorType>& inputs);

/// A copy in which parameter i has type `types[i]` and all other types are inferred anew: what a
/// function that was traced with unknown sizes becomes for known ones.
Graph Specialize(const Graph& graph, const std::vector<ops::TensorType>& types);

}  // namespace lockstep::graph
