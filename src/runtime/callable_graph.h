#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "runtime/compiled.h"

namespace lockstep::runtime {

class DifferentiableGraph;

/// A traced graph that is called eagerly. While somebody records, the call is one op "FunctionCall"
/// with a compiled gradient; else it leaves no trace.
/// Threads: any number of calls at a time.
class CallableGraph {
 public:
  explicit CallableGraph(graph::Graph graph);
  ~CallableGraph();

  /// Runs the graph; tells the recorders that follow an argument, a variable that the graph reads,
  /// or a tensor that it names.
  std::vector<Tensor> Call(const std::vector<Tensor>& arguments);
  /// Whether replicas meet in it.
  bool meets() const { return meets_; }
  std::string Describe() const { return compiled_.Describe(); }

 private:
  // Something that gradients can flow to: a parameter, or what a "Const" node holds.
  struct Origin {
    graph::Endpoint place;
    int parameter = -1;
    Tensor outside;  // where it is no parameter
  };
  std::vector<Origin> Followed(const std::vector<Tensor>& arguments) const;
  CallableGraph& WrittenOut();

  const graph::Graph graph_;
  Compiled compiled_;
  bool meets_ = false;
  bool expandable_ = false;
  std::vector<Origin> origins_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<DifferentiableGraph>> differentiable_;
  std::unique_ptr<CallableGraph> written_out_;  // made when somebody records
};

/// A graph that gives, besides its results, the values inside of it that its gradient needs; the
/// attribute "call" of an op "FunctionCall". The op's inputs are the graph's parameters and then
/// handles of variables and other tensors from outside, to which gradients may flow.
class DifferentiableGraph : public TensorObject {
 public:
  /// `sources`: the places of those inputs that gradients are wanted for; `places`: where each
  /// input is in the graph. With `twice` it keeps what the gradients of gradients need, too.
  DifferentiableGraph(const graph::Graph& graph, std::vector<graph::Endpoint> places,
                      std::vector<int> sources, bool twice);

  const std::shared_ptr<graph::Graph>& graph() const { return graph_; }
  std::vector<ops::TensorType> OutputTypes() const;
  std::vector<Tensor> Run(std::span<const Tensor> inputs);
  /// The gradients of the inputs; those of outputs may be empty.
  std::vector<Tensor> Gradient(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                               std::span<const Tensor> output_gradients);

 private:
  // A value of the graph as the backward graph gets it.
  struct Taken {
    bool is_input;
    int index;
  };
  struct Backward {
    std::unique_ptr<CallableGraph> graph;  // nullptr where no gradient flows
    std::vector<graph::Endpoint> captured;
    std::vector<Taken> taken;
    struct Flow {
      int input;
      bool slices;  // two results: values and indices
      Shape dense_shape;
    };
    std::vector<Flow> flows;
    bool complete = true;  // whether all that it takes is there
  };
  Backward Differentiate(const std::vector<bool>& given);
  const Backward& BackwardFor(const std::vector<bool>& given);

  std::shared_ptr<graph::Graph> graph_;
  std::vector<graph::Endpoint> places_;
  std::vector<int> sources_;
  std::unique_ptr<Compiled> compiled_;
  std::mutex mutex_;
  std::map<std::vector<bool>, Backward> backward_;
};

}  // namespace lockstep::runtime
