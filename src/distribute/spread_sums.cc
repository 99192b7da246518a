#include "distribute/spread_sums.h"

#include <algorithm>

#include "collectives/tree.h"
#include "graph/rewrite.h"
#include "kernels/kernel.h"
#include "ops/builder.h"

namespace lockstep::distribute {

namespace {

using graph::Endpoint;
using graph::Node;

// Rewrites one program for one rank.
class Spreader {
 public:
  Spreader(const graph::Graph& source, int64_t examples, const std::vector<bool>& parameter_rows,
           const std::vector<int64_t>& offsets, const collectives::Division& division, int rank)
      : source_(source),
        examples_(examples),
        parameter_rows_(parameter_rows),
        offsets_(offsets),
        num_leaves_(division.num_leaves()),
        block_(division.block(rank)),
        cover_(collectives::Cover(block_, num_leaves_)),
        rewriter_(source) {}

  graph::Graph Spread() {
    for (const Node& node : source_.nodes()) {
      if (node.spec->name == "Arg") {
        AddParameter(node);
      } else if (!kernels::LeavesOf(node.attributes).empty()) {
        AddSum(node);
      } else {
        AddLocal(node);
      }
    }
    return rewriter_.Finish();
  }

 private:
  int64_t first() const { return offsets_[block_.begin]; }
  int64_t examples_here() const { return offsets_[block_.end] - first(); }

  void AddParameter(const Node& node) {
    ops::TensorType type = node.outputs[0];
    if (parameter_rows_[node.attributes.Get<int64_t>("index")]) {
      type.shape.set_dim(0, type.shape[0] / examples_ * examples_here());
    }
    rewriter_.Map({node.id, 0}, rewriter_.result().AddParameter(type));
  }

  // `dividend` divided by a count of the whole batch, as the kernels of means do it.
  Endpoint DividedBy(Endpoint dividend, int64_t count) {
    graph::Graph& graph = rewriter_.result();
    const Endpoint divisor =
        graph.AddConstant(ops::CastScalar(Tensor(count), graph.type(dividend).dtype));
    return {graph.AddNode("RealDiv", {dividend, divisor}).id, 0};
  }

  // The same op on this rank's rows; its types follow from its inputs.
  void AddLocal(const Node& node) {
    if (node.inputs.empty()) {
      rewriter_.Keep(node);
      return;
    }
    if (node.spec->name == "DivideByReduced") {
      const Shape& whole = source_.type(node.inputs[1]).shape;
      int64_t count = 1;
      for (int64_t axis : node.attributes.Get<std::vector<int64_t>>("axes"))
        count *= whole[static_cast<int>(axis)];
      rewriter_.Map({node.id, 0}, DividedBy(rewriter_.Mapped(node.inputs[0]), count));
      return;
    }
    const Node& local =
        rewriter_.result().AddNode(node.spec->name, rewriter_.Mapped(node.inputs), node.attributes);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      rewriter_.Map({node.id, static_cast<int>(i)}, {local.id, static_cast<int>(i)});
    }
  }

  // The rows [begin, end) of the global batch of an input that has them, else the input itself.
  Endpoint RowsOf(Endpoint input, int64_t begin, int64_t end) {
    const Endpoint local = rewriter_.Mapped(input);
    const ops::TensorType type = rewriter_.result().type(local);
    const int64_t rows = source_.type(input).shape.rank() > 0 ? source_.type(input).shape[0] : 0;
    const bool has_rows =
        rows != 0 && type.shape[0] * examples_ == rows * examples_here() && type.shape[0] != rows;
    const int64_t multiple = rows / examples_;
    if (!has_rows || (begin == first() && end == first() + examples_here())) return local;
    std::vector<int64_t> start(type.shape.rank(), 0), size = type.shape.vector();
    start[0] = (begin - first()) * multiple;
    size[0] = (end - begin) * multiple;
    ops::Attributes attributes{{"begin", std::move(start)}, {"size", std::move(size)}};
    return {rewriter_.result().AddNode("Slice", {local}, std::move(attributes)).id, 0};
  }

  void AddSum(const Node& node) {
    const kernels::LeafTable& leaves = kernels::LeavesOf(node.attributes);
    const int64_t multiple = leaves.back() / examples_;
    const bool mean = node.spec->name == "Mean";
    std::vector<Endpoint> partials;
    std::vector<int64_t> nodes;
    for (const collectives::Node& part : cover_) {
      const int64_t begin = offsets_[part.begin], end = offsets_[part.end];
      if (begin == end) continue;  // no examples: absent
      std::vector<Endpoint> inputs;
      for (Endpoint input : node.inputs) inputs.push_back(RowsOf(input, begin, end));
      kernels::LeafTable table;
      for (collectives::Leaf leaf = part.begin; leaf <= part.end; ++leaf) {
        table.push_back((offsets_[leaf] - begin) * multiple);
      }
      ops::Attributes attributes = node.attributes;
      attributes.Set("leaves", std::move(table));
      partials.push_back(
          {rewriter_.result()
               .AddNode(mean ? "Sum" : node.spec->name, inputs, std::move(attributes))
               .id,
           0});
      nodes.push_back(part.begin);
      nodes.push_back(part.end);
    }
    const ops::TensorType& type = node.outputs[0];
    ops::Attributes attributes{{"bucket", int64_t{next_bucket_++}},
                               {"dtype", type.dtype},
                               {"shape", type.shape.vector()},
                               {"nodes", std::move(nodes)}};
    const Node& sum = rewriter_.result().AddNode("CollectiveSum", partials, std::move(attributes));
    const Endpoint total{sum.id, 0};
    const int64_t summed = source_.type(node.inputs[0]).shape.num_elements() /
                           std::max<int64_t>(1, type.shape.num_elements());
    rewriter_.Map({node.id, 0}, mean ? DividedBy(total, summed) : total);
  }

  const graph::Graph& source_;
  const int64_t examples_;
  const std::vector<bool>& parameter_rows_;
  const std::vector<int64_t>& offsets_;
  const collectives::Leaf num_leaves_;
  const collectives::Node block_;
  const std::vector<collectives::Node> cover_;
  graph::Rewriter rewriter_;
  int64_t next_bucket_ = 0;
};

}  // namespace

graph::Graph SpreadSums(const graph::Graph& graph, int64_t examples,
                        const std::vector<bool>& parameter_rows,
                        const std::vector<int64_t>& offsets, const collectives::Division& division,
                        int rank) {
  const graph::RowAnalysis analysis = graph::AnalyzeRows(graph, examples, parameter_rows);
  if (!analysis.can_cut()) {
    throw Error(Code::kInvalidArgument, "[spread] examples must meet in sums only; got " +
                                            graph.node(analysis.mixing_node).name +
                                            ", which mixes them");
  }
  return Spreader(graph, examples, parameter_rows, offsets, division, rank).Spread();
}

}  // namespace lockstep::distribute
