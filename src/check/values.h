#pragma once

#include <span>
#include <string>
#include <vector>

#include "check/flat_graph.h"

namespace lockstep::check {

/// What a handle or a reference leads to.
struct Object {
  enum class Kind : uint8_t { kVariable, kIterator, kTable, kMutex, kOther };
  Kind kind = Kind::kVariable;
  std::string name;
  std::string device;
  bool reference = false;  // of version 1
  int dtype = 0;           // TensorFlow's number; 0: not known
  bool integer = false;
};

/// The objects of a graph, and which of them each output may be.
struct Values {
  std::vector<Object> objects;
  /// By node, then by output: numbers of objects, ascending. Empty: an ordinary value.
  std::vector<std::vector<std::vector<int>>> at;

  /// There were too many to follow all.
  bool incomplete = false;

  const std::vector<int>& Of(const Edge& edge) const;
};
Values FollowHandles(const FlatGraph& flat, const graph_def::FunctionDef* entry);

/// The conditions under which each node runs.
class Conditions {
 public:
  explicit Conditions(const FlatGraph& flat);
  /// True if at most one of the two runs. With `loop` >= 0 they are in different iterations of it,
  /// so only conditions from outside of it count.
  bool Exclude(int a, int b, int loop = -1) const { return Exclude(of_[a], of_[b], loop); }
  bool Exclude(std::span<const Literal> a, std::span<const Literal> b, int loop = -1) const;
  const std::vector<Literal>& Of(int node) const { return of_[node]; }
  /// Under which a value comes along an edge.
  std::vector<Literal> Along(const Edge& edge) const;
  /// The place where a value was made, behind everything that hands it on.
  Edge Origin(Edge edge, bool* negated = nullptr) const;

 private:
  std::vector<Literal> Collect(int node) const;
  void Require(std::vector<Literal>* literals, const Edge& edge) const;

  const FlatGraph& flat_;
  std::vector<std::vector<Literal>> of_;
};

}  // namespace lockstep::check
