#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/expressions.h"
#include "check/flat_graph.h"

namespace lockstep::check {

/// What a handle or a reference leads to.
struct Object {
  enum class Kind : uint8_t { kVariable, kIterator, kTable, kMutex, kOther };
  Kind kind = Kind::kVariable;
  std::string name;
  std::string device;
  bool reference = false;                     // of version 1
  bool given = false;                         // handed in: its users say what it is
  int dtype = 0;                              // TensorFlow's number; 0: not known
  std::optional<std::vector<int64_t>> shape;  // -1: a size that is not known
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
  /// Of a read those under which somebody takes what it gives: a Switch may hand that to one branch
  /// alone.
  const std::vector<Literal>& OfUse(int node) const {
    return used_[node].empty() ? of_[node] : used_[node];
  }
  /// Under which a value comes along an edge.
  std::vector<Literal> Along(const Edge& edge) const;
  /// The place where a value was made, behind everything that hands it on; of places that surely
  /// give equal values the first one.
  Edge Origin(Edge edge, bool* negated = nullptr) const;
  /// Whether the node's conditions contradict each other, or a constant.
  bool Never(int node) const { return Exclude(of_[node], {}); }

 private:
  // Two values that are compared, and how.
  struct Comparison {
    Edge a, b;
    bool less = false;  // else whether they are equal
    std::array<int, 5> Key() const { return {less, a.from, a.output, b.from, b.output}; }
  };

  std::vector<Literal> Collect(int node) const;
  std::optional<std::vector<Literal>> UsesOf(int node, int depth) const;
  void Require(std::vector<Literal>* literals, const Edge& edge) const;
  void Decide(std::vector<Literal>* literals, const Edge& predicate, int value,
              int depth = 0) const;
  void DecideBranch(std::vector<Literal>* literals, const Edge& predicate, int number,
                    FlatNode::Branch branch) const;
  void DecideConstant(std::vector<Literal>* literals, const FlatNode& node, int value) const;
  void DecideComparison(std::vector<Literal>* literals, const FlatNode& node, int value) const;
  std::optional<int> ScalarAt(const Edge& edge) const;
  bool Contradicts(const Literal& literal, std::span<const Literal> a, std::span<const Literal> b,
                   int loop) const;
  std::optional<bool> Truth(const Edge& predicate, std::span<const Literal> a,
                            std::span<const Literal> b, int loop, int depth) const;
  std::optional<bool> TruthOfParts(int id, std::span<const Literal> a, std::span<const Literal> b,
                                   int loop, int depth) const;
  std::optional<Comparison> Compared(const FlatNode& node) const;
  void Note(const Comparison& comparison);
  void Say(std::vector<Literal>* literals, const Comparison& comparison, int value) const;

  const FlatGraph& flat_;
  EqualNodes equal_;
  std::map<std::array<int, 5>, int> comparisons_;
  std::map<std::string, int> scalars_;  // constants
  std::vector<std::vector<Literal>> of_;
  std::vector<std::vector<Literal>> used_;  // of reads; empty: as `of_`
};

}  // namespace lockstep::check
