#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include "graph/tracer.h"

namespace lockstep::runtime {

using ResourceSet = std::unordered_set<const TensorObject*>;

/// The resources that nodes of `graph` write, those inside of bodies included.
void CollectWrites(const graph::Graph& graph, ResourceSet* writes);
/// The same for one op with its inputs' resources.
void CollectWrites(const ops::OpSpec& spec, const ops::Attributes& attributes,
                   const std::vector<Tensor>& inputs, ResourceSet* writes);

/// Something that a body takes from outside: a value, or what a variable holds when the node begins
/// (`is_read`: `tensor` is the variable's handle).
struct Outside {
  Tensor tensor;
  bool is_read = false;
  bool operator==(const Outside& other) const;
};

/// A traced body: its parameters are what it is called with, then `outside`.
struct Body {
  std::shared_ptr<graph::Graph> graph;
  std::vector<Outside> outside;
  ResourceSet writes;
  std::map<int, Tensor> reads;  // by node: the handles of variables that are read inside
};

/// Where the reads of variables are that a body has not written before: outside, so that gradients
/// flow to them, or, for `MoveReadsOut`, inside.
enum class Reads { kOutside, kInside };

/// A body that is traced part by part, with parameters of the given types. Nothing in it is
/// recorded by the tapes around it.
class OpenBody {
 public:
  explicit OpenBody(const std::vector<ops::TensorType>& types, Reads reads = Reads::kOutside);
  ~OpenBody();
  const std::vector<Tensor>& parameters() const { return parameters_; }
  void Trace(const std::function<void()>& part);
  /// The last part, which gives the results.
  Body Close(const std::function<std::vector<Tensor>()>& results);

 private:
  class Tracer;
  std::unique_ptr<Tracer> tracer_;
  std::vector<Tensor> parameters_;
};

using BodyFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// What a body is called with, or gives: IndexedSlices as dense tensors, and a dtype for what has
/// none yet. An error begins with `[where]`.
std::vector<Tensor> Strong(std::vector<Tensor> tensors, const char* where);

/// Traces `function`, called with parameters of the given types, as the body of a node.
Body TraceBody(const BodyFunction& function, const std::vector<ops::TensorType>& types,
               Reads reads = Reads::kOutside);

/// Moves the reads of variables that are not in `written` out of a body that was traced with
/// `kInside`.
void MoveReadsOut(Body* body, const ResourceSet& written);

/// Leaves out of a body what has no effect, and of `outside` what it does not need.
void DropUnused(Body* body);

/// Gives a body whose reads have been moved parameters that it does not use, behind its first
/// `lead`.
void InsertUnused(Body* body, int lead, std::span<const ops::TensorType> more);

/// Names the variables whose values bodies read inside: gradients flow to them, so that they are
/// inputs of the node, though no body takes them from there.
void NameVariablesRead(const std::vector<Body*>& bodies);

/// Gives all bodies the same parameters: `lead` of their own, then the union of what they take from
/// outside, which is returned.
std::vector<Outside> Unify(std::vector<Body*> bodies, int lead);
/// The values to be passed for `outside`, read or taken now.
std::vector<Tensor> ValuesOf(const std::vector<Outside>& outside);

/// Emits nodes of a graph on the builder in force, one after another, with `arguments` for its
/// parameters. The graph must live as long.
class Inliner {
 public:
  Inliner(const graph::Graph& graph, std::vector<Tensor> arguments);
  void Emit(int node);
  std::vector<Tensor> InputsOf(int node) const;
  /// What a node gives that is not emitted here.
  void Give(int node, std::vector<Tensor> outputs);
  /// The first `count` results.
  std::vector<Tensor> Results(size_t count) const;
  const graph::Graph& graph() const { return graph_; }

 private:
  const graph::Graph& graph_;
  std::vector<Tensor> arguments_;
  std::vector<std::vector<Tensor>> values_;
};

/// Emits all nodes of `graph`; gives its results. While somebody records, programs that can be
/// expanded are (`Expandable`).
std::vector<Tensor> Inline(const graph::Graph& graph, const std::vector<Tensor>& arguments);

}  // namespace lockstep::runtime
