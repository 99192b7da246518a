#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/op_draws_test.h"

/// Graphs in the form of the wire that need not be right, so that tests can damage their structure.
namespace lockstep::remote {

/// An attribute as it is written: the tag of its alternative and its bytes.
struct LooseAttribute {
  std::string name;
  std::string bytes;
};

struct LooseNode {
  std::string op;
  std::string name;
  std::vector<graph::Endpoint> inputs;
  std::vector<int> controls;
  std::vector<ops::TensorType> outputs;  // read for "Const" and "Arg" only
  std::vector<LooseAttribute> attributes;
};

struct LooseGraph {
  std::vector<LooseNode> nodes;
  std::vector<graph::Endpoint> results;

  std::string Bytes() const;
  std::string ToString() const;
};

/// Random graphs: calls of random ops (OpDraws) and of branches, loops and functions, which take
/// constants, variables, parameters and each other's results; and random damage to a graph. Equal
/// seeds give equal graphs.
class LooseGraphDraws {
 public:
  LooseGraphDraws(uint64_t seed, std::vector<const ops::OpSpec*> specs)
      : random_(seed), calls_(seed ^ 0x9e3779b97f4a7c15), specs_(std::move(specs)) {}
  /// A graph of `calls` calls, of which the first is one of `op` where that is not null.
  LooseGraph Draw(int calls, const ops::OpSpec* op);
  /// One change: of inputs, attributes, types, names, ops, control inputs or results.
  void Damage(LooseGraph* graph);

 private:
  uint64_t Below(uint64_t bound) { return bound == 0 ? 0 : random_() % bound; }
  bool Chance(int percent) { return Below(100) < static_cast<uint64_t>(percent); }
  int AddConstant(LooseGraph* graph, const Tensor& value);
  std::optional<runtime::testing::OpCall> DrawCall(const ops::OpSpec* op, size_t* outputs);
  void AddCall(LooseGraph* graph, const ops::OpSpec* op);
  void AddControlFlow(LooseGraph* graph, int depth);
  LooseGraph Body(const std::vector<ops::TensorType>& parameters, bool condition, int depth);
  std::string RandomAttribute(int depth);
  graph::Endpoint RandomEndpoint(const LooseGraph& graph);
  void DamageInputs(LooseGraph* graph, LooseNode* node);
  void DamageAttributes(LooseNode* node);

  std::mt19937_64 random_;
  runtime::testing::OpDraws calls_;
  std::vector<const ops::OpSpec*> specs_;
};

}  // namespace lockstep::remote
