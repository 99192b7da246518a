#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "distribute/programs/update_slices.h"
#include "graph/graph.h"
#include "graph/rows.h"
#include "lockstep/tensor/tensor.h"
#include "runtime/variable_cell.h"

namespace lockstep::distribute {

struct PushOptions {
  int64_t examples = 0;  // of the batch
  /// Which parameters have an example a row along axis 0.
  std::vector<bool> has_rows;
  int servers = 1;
  /// Sums over examples with at least so many elements are pushed by rows, where what follows from
  /// them can be done by rows.
  int64_t slice_from = 4096;
};

/// A step cut at its sums over examples. The worker's part reads weights, works on a whole batch
/// and ends in what is pushed: sums (of gradients, losses, metrics, weights of examples), and rows
/// where an update takes them, or where they are fewer elements than their sum (factor_sums.h). The
/// servers' part is all behind: optimizers, counters, metrics. What
/// does not follow from the examples (rates, decay, penalties' gradients) is the servers' too, so
/// it is made of the newest values. Large variables are divided by rows, a part on each server;
/// every server keeps all others whole, and does the same with them. Where updates need the whole
/// of large gradients (a norm), every server keeps all.
class PushProgram {
 public:
  /// `graph` is a step on a whole batch with its sums cut into leaves. Errors: InvalidArgument when
  /// examples meet in another way than in sums; Unimplemented, naming the op, for a step that can't
  /// be cut in two.
  PushProgram(const graph::Graph& graph, const PushOptions& options);

  /// A value that the worker's part gives.
  struct Pushed {
    graph::Endpoint source;
    ops::TensorType type;
    std::vector<int64_t> borders;  // of the servers' rows; none: each server gets it whole
  };
  const std::vector<Pushed>& pushed() const { return pushed_; }
  /// A variable of the servers' part.
  struct Kept {
    std::shared_ptr<runtime::VariableCell> cell;
    std::vector<int64_t> borders;  // of the servers' rows; none: each server has it whole
    bool written = false;
    bool pulled = false;  // the worker's part reads what is written
    Shape ShapeOn(int server) const;
  };
  const std::vector<Kept>& kept() const { return kept_; }

  /// The batch's arguments to what is pushed; it reads the variables of the step.
  graph::Graph Worker() const;
  /// What is pushed to `server`, this server's rows, to effects on the variables that `handle_of`
  /// gives, by their place in `kept`.
  graph::Graph Server(int server, const std::function<Tensor(size_t)>& handle_of) const;

 private:
  friend class ServerBuilder;
  void FindWorkersPart();
  void FindServersPart();
  /// Whether a worker's sum is made by the servers, of rows.
  bool IsLeftToServers(const graph::Node& node) const;
  bool DividesWell() const;
  void FindVariables();
  bool IsWrite(const graph::Node& node) const { return node.spec->effects.writes != 0; }
  const void* ResourceOf(graph::Endpoint e) const;

  const graph::Graph graph_;
  const PushOptions options_;
  const graph::RowAnalysis analysis_;
  UpdateSlices slices_;
  std::vector<char> depends_;  // by node: on the batch
  std::vector<char> worker_;
  std::vector<char> server_;
  std::vector<Pushed> pushed_;
  std::vector<Kept> kept_;
};

}  // namespace lockstep::distribute
