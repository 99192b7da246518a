#include "distribute/programs/spread_sums.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <set>

#include "collectives/tree.h"
#include "distribute/programs/exchange_nodes.h"
#include "distribute/programs/factor_sums.h"
#include "distribute/programs/resting_program.h"
#include "distribute/programs/told_values.h"
#include "distribute/programs/update_slices.h"
#include "distribute/programs/whole_updates.h"
#include "distribute/programs/widen_half_sums.h"
#include "graph/rewrite.h"
#include "graph/segments.h"
#include "kernels/kernel.h"
#include "ops/builder.h"
#include "tensor/buffer.h"

namespace lockstep::distribute {

namespace {

using collectives::Division;
using collectives::Leaf;
using graph::Endpoint;
using graph::Node;
using ops::Attributes;
using Numbers = std::vector<int64_t>;

[[noreturn]] void CannotSpread(const Node& node, const std::string& why) {
  throw Error(Code::kUnimplemented,
              "[spread] an op must work on some of its rows alone; got " + node.name + ": " + why);
}

// The leaves [begin, end) of `division`, counted from 0.
Division Within(const Division& division, Leaf begin, Leaf end) {
  std::vector<Leaf> borders = division.borders();
  for (Leaf& border : borders) border = std::clamp(border, begin, end) - begin;
  return Division::FromBorders(std::move(borders)).OrThrow();
}

// Rewrites one program for one rank.
class Spreader {
 public:
  Spreader(const graph::Graph& source, const SpreadOptions& options,
           const graph::RowAnalysis& analysis, const UpdateSlices& slices,
           const WholeUpdates& whole, const std::vector<Endpoint>& told)
      : source_(source),
        options_(options),
        analysis_(analysis),
        slices_(slices),
        whole_(whole),
        told_(told),
        rewriter_(source),
        exchange_(rewriter_.result(), options.rank, options.division.num_ranks()) {}

  SpreadProgram Spread() {
    for (const Node& node : source_.nodes()) Add(node);
    GatherVariables();
    std::vector<Endpoint> results;
    for (Endpoint result : source_.results()) results.push_back(GatherRows(result));
    SpreadProgram program{.graph = rewriter_.Finish(), .roles = options_.roles};
    program.graph.results() = std::move(results);
    for (const UpdateSlices::Written& written : slices_.variables) {
      if (!written.gathered)
        program.parts.push_back({*source_.constant(written.handle), BordersOf(written.rows)});
    }
    for (const auto& [sum, update] : whole_.updates) {
      for (const UpdateSlices::Written& written : update.variables) {
        if (!written.gathered)
          program.parts.push_back({*source_.constant(written.handle),
                                   BordersOfOwner(written.rows, update.owner, ranks())});
      }
    }
    return program;
  }

 private:
  graph::Graph& result() { return rewriter_.result(); }
  int ranks() const { return options_.division.num_ranks(); }
  collectives::Node block() const { return options_.division.block(options_.rank); }
  int64_t first() const { return options_.offsets[block().begin]; }
  int64_t examples_here() const { return options_.offsets[block().end] - first(); }
  bool HasRows(Endpoint e) const { return analysis_.has_rows[e.node][e.index] != 0; }
  Numbers BordersOf(int64_t rows) const { return RowBorders(rows, options_.roles); }
  int64_t LocalRows(int64_t rows) const {
    return options_.examples == 0 ? 0 : rows / options_.examples * examples_here();
  }

  void Add(const Node& node) {
    if (const WholeUpdates::Update* update = whole_.Of(node.id)) {
      if (update->owner == options_.rank) rewriter_.Keep(node);
    } else if (node.spec->name == "Arg") {
      AddParameter(node);
    } else if (!kernels::LeavesOf(node.attributes).empty()) {
      node.attributes.Find("replicas") != nullptr ? AddReplicaSums(node) : AddSum(node);
    } else if (slices_.nodes.contains(node.id)) {
      AddRows(node);
    } else if (std::any_of(node.inputs.begin(), node.inputs.end(),
                           [&](Endpoint input) { return HasRows(input); })) {
      AddLocal(node);
    } else {
      AddWhole(node);
    }
  }

  void AddParameter(const Node& node) {
    ops::TensorType type = node.outputs[0];
    if (HasRows({node.id, 0})) type.shape.set_dim(0, LocalRows(type.shape[0]));
    rewriter_.Map({node.id, 0}, result().AddParameter(type));
  }

  Endpoint Constant(const Tensor& value) { return result().AddConstant(value); }
  Endpoint AddOp(std::string_view op, std::vector<Endpoint> inputs, Attributes attributes = {}) {
    return {result().AddNode(op, std::move(inputs), std::move(attributes)).id, 0};
  }

  // `dividend` divided by a count of the whole batch, as the kernels of means do it.
  Endpoint DividedBy(Endpoint dividend, int64_t count) {
    return AddOp(
        "RealDiv",
        {dividend, Constant(ops::CastScalar(Tensor(count), result().type(dividend).dtype))});
  }

  // Adds the same op for fewer rows: `outputs` of them. Its types follow from its inputs.
  void AddWithRows(const Node& node, std::vector<Endpoint> inputs, Attributes attributes,
                   const std::vector<ops::TensorType>& outputs) {
    int id = -1;
    try {
      id = result().AddNode(node.spec->name, std::move(inputs), std::move(attributes)).id;
    } catch (const Error& error) {
      CannotSpread(node, error.what());
    }
    Node& local = result().node(id);
    local.name = node.name;
    if (local.outputs != outputs) CannotSpread(node, "its result has other rows");
    for (size_t i = 0; i < outputs.size(); ++i)
      rewriter_.Map({node.id, static_cast<int>(i)}, {id, static_cast<int>(i)});
  }

  // The same op, whose result all ranks have whole. What it takes for the shape alone is that of
  // the whole batch, and is not waited for: a gradient that begins with ones in the shape of the
  // loss needs no loss.
  void AddWhole(const Node& node) {
    std::vector<Endpoint> inputs;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ops::TensorType& type = source_.type(node.inputs[i]);
      const bool is_known = type.dtype != DType::kResource && type.shape.fully_known();
      if (ops::HasBit(node.spec->shape_only, i) && is_known) {
        inputs.push_back(Constant(ZerosOf(type)));
      } else if (HasRows(node.inputs[i])) {
        CannotSpread(node, "it makes one value of rows");
      } else {
        inputs.push_back(rewriter_.Mapped(node.inputs[i]));
      }
    }
    if (node.spec->shape_only == 0) {
      rewriter_.Keep(node);
    } else {
      rewriter_.Replace(node, node.spec->name, std::move(inputs), node.attributes);
    }
  }

  // Sizes of axis 0 that are written into the op, and the place of its rows in the whole.
  static Attributes WithRows(const Node& node, int64_t whole, int64_t first, int64_t count) {
    Attributes attributes = distribute::WithRows(node.attributes, whole, count);
    if (node.spec->numbers_rows) {
      attributes.Set("row_offset", first);
      attributes.Set("row_count", whole);
    }
    if (const auto* list = attributes.Find("replicas");
        list != nullptr && std::holds_alternative<Numbers>(*list)) {
      Numbers replicas = std::get<Numbers>(*list);
      for (int64_t& row : replicas) row = std::clamp(row - first, int64_t{0}, count);
      attributes.Set("replicas", std::move(replicas));
    }
    return attributes;
  }

  // The same op on this rank's examples.
  void AddLocal(const Node& node) {
    std::vector<ops::TensorType> outputs = node.outputs;
    int64_t whole = 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!HasRows({node.id, static_cast<int>(i)})) return AddWhole(node);
      whole = outputs[i].shape[0];
      outputs[i].shape.set_dim(0, LocalRows(whole));
    }
    const int64_t multiple = options_.examples == 0 ? 0 : whole / options_.examples;
    AddWithRows(node, rewriter_.Mapped(node.inputs),
                WithRows(node, whole, first() * multiple, LocalRows(whole)), outputs);
  }

  Endpoint Slice(Endpoint value, int64_t begin, int64_t rows) {
    const Shape& shape = result().type(value).shape;
    if (begin == 0 && rows == shape[0]) return value;
    Numbers start(shape.rank(), 0), size = shape.vector();
    start[0] = begin;
    size[0] = rows;
    return AddOp("Slice", {value}, {{"begin", std::move(start)}, {"size", std::move(size)}});
  }

  // The rows [begin, end), in examples, of an input of a sum: of a value that every rank has whole,
  // or of this rank's own rows.
  Endpoint RowsOf(Endpoint input, int64_t begin, int64_t end) {
    const Endpoint local = rewriter_.Mapped(input);
    const Shape& whole = source_.type(input).shape;
    if (!HasRows(input)) return local;
    const int64_t multiple = whole[0] / options_.examples;
    return Slice(local, (begin - first()) * multiple, (end - begin) * multiple);
  }

  // The leaves of a sum, and who has them.
  struct Tree {
    Leaf begin = 0;  // the sum is over leaves [begin, end) of the batch
    Leaf end = 0;
  };
  bool IsPresent(const Tree& tree, collectives::Node node) const {
    return options_.offsets[tree.begin + node.begin] < options_.offsets[tree.begin + node.end];
  }

  // The sum over a tree's leaves, of which every rank gets all rows or, with borders, its own.
  // `partial` makes the sum over a node of this rank's leaves of `inputs`.
  template <typename MakePartial>
  std::optional<Endpoint> Total(const Node& node, const std::vector<Endpoint>& inputs,
                                const ops::TensorType& type, const Tree& tree,
                                const Numbers& borders, const MakePartial& partial) {
    const Division division = Within(options_.division, tree.begin, tree.end);
    ExchangedSum sum{.type = type, .borders = borders};
    for (int rank = 0; rank < ranks(); ++rank) {
      for (collectives::Node part : collectives::Cover(division.block(rank), division.num_leaves()))
        if (IsPresent(tree, part)) sum.parts.push_back({part, rank});
    }
    if (sum.parts.empty()) return std::nullopt;
    for (const auto& part : sum.parts) {
      if (part.rank == options_.rank) sum.own.push_back(partial(part.node));
    }
    // A rank without leaves waits for the same as the others, so that all join sums alike.
    for (Endpoint input : inputs) sum.after.push_back(input.node);
    sum.name = node.name;
    const std::vector<Endpoint> values = exchange_.AddSum(sum);
    return AddUp(sum, values, collectives::Root(division.num_leaves()));
  }

  // What remains of the tree once the parts are here.
  std::optional<Endpoint> AddUp(const ExchangedSum& sum, const std::vector<Endpoint>& values,
                                collectives::Node node) {
    bool any = false;
    for (size_t i = 0; i < values.size(); ++i) {
      if (sum.parts[i].node == node) return values[i];
      any |= node.Contains(sum.parts[i].node);
    }
    if (!any) return std::nullopt;
    const auto left = AddUp(sum, values, collectives::LeftChild(node));
    const auto right = AddUp(sum, values, collectives::RightChild(node));
    if (!left || !right) return left ? left : right;
    return AddOp("AddV2", {*left, *right});
  }

  // Where the leaves of a tree's node begin and end, in rows from its first one on; `multiple` rows
  // an example.
  kernels::LeafTable LeavesOf(const Tree& tree, collectives::Node part, int64_t multiple) const {
    const Leaf begin = tree.begin + part.begin, end = tree.begin + part.end;
    kernels::LeafTable table;
    for (Leaf leaf = begin; leaf <= end; ++leaf)
      table.push_back((options_.offsets[leaf] - options_.offsets[begin]) * multiple);
    return table;
  }

  // The sum on the rows of some leaves alone.
  Endpoint Partial(const Node& node, collectives::Node part, int64_t multiple) {
    std::vector<Endpoint> inputs;
    for (Endpoint input : node.inputs)
      inputs.push_back(RowsOf(input, options_.offsets[part.begin], options_.offsets[part.end]));
    Attributes attributes = node.attributes;
    attributes.Set("leaves", LeavesOf(WholeTree(), part, multiple));
    const std::string op = node.spec->name == "Mean" ? "Sum" : node.spec->name;
    try {
      return AddOp(op, std::move(inputs), std::move(attributes));
    } catch (const Error& error) {
      CannotSpread(node, error.what());
    }
  }

  Tree WholeTree() const { return {0, options_.division.num_leaves()}; }

  // How many rows of `whole` each rank has.
  Numbers RowsOfRanks(int64_t whole) const {
    Numbers rows;
    for (int rank = 0; rank < ranks(); ++rank) {
      const collectives::Node part = options_.division.block(rank);
      rows.push_back((options_.offsets[part.end] - options_.offsets[part.begin]) *
                     (whole / options_.examples));
    }
    return rows;
  }

  Endpoint Concatenated(const std::vector<Endpoint>& parts) {
    return parts.size() == 1 ? parts[0] : AddOp("ConcatV2", parts, {{"axis", int64_t{0}}});
  }

  bool HasFactors(const Node& node) const {
    const auto sharers = static_cast<int>(options_.roles.row_ranks().size());
    return slices_.sums.contains(node.id) && options_.roles.servers().empty() && sharers > 1 &&
           HasRows(node.inputs[0]) && HasRows(node.inputs.back()) &&
           TravelsAsFactors(source_, node, sharers);
  }

  // Which ranks have rows of a weight.
  std::vector<bool> HaveRows(const Numbers& borders) const {
    std::vector<bool> have;
    for (int rank = 0; rank < ranks(); ++rank) have.push_back(borders[rank] < borders[rank + 1]);
    return have;
  }

  // This rank's rows of a weight's gradient, made of everybody's factors.
  void AddFactors(const Node& node) {
    ops::TensorType all = source_.type(node.inputs[0]);
    Endpoint input = rewriter_.Mapped(node.inputs[0]);
    const int64_t rows_here = result().type(input).shape[0];
    const auto bytes = BytesOfFactor(source_, node);
    if (bytes) {
      all.dtype = all.element = DType::kUInt8;
      input = AddOp("Reshape", {rewriter_.Mapped(bytes->bytes)},
                    {{"shape", result().type(input).shape.vector()}});
    }
    const Numbers borders = BordersOf(all.shape[1]);
    std::vector<Endpoint> columns;
    for (int rank = 0; rank < ranks(); ++rank) {
      columns.push_back(AddOp("Slice", {input},
                              {{"begin", Numbers{0, borders[rank]}},
                               {"size", Numbers{rows_here, borders[rank + 1] - borders[rank]}}}));
    }
    const std::vector<bool> have = HaveRows(borders);
    Endpoint inputs = Concatenated(
        exchange_.AddBlocks("columns for " + node.name, columns, RowsOfRanks(all.shape[0]), all));
    if (bytes) {
      const Attributes to_float = source_.node(bytes->cast).attributes;
      inputs = AddOp("Mul", {AddOp("Cast", {inputs}, to_float), rewriter_.Mapped(bytes->scale)});
    }
    const Endpoint gradients = GatherRows(node.inputs[1], &have);
    rewriter_.Map({node.id, 0}, AddOp("MatMul", {inputs, gradients}, node.attributes));
  }

  void AddSum(const Node& node) {
    if (HasFactors(node)) return AddFactors(node);
    const int64_t multiple = kernels::LeavesOf(node.attributes).back() / options_.examples;
    const bool mean = node.spec->name == "Mean";
    const ops::TensorType& type = node.outputs[0];
    const auto update = whole_.updates.find(node.id);
    const Numbers borders = slices_.sums.contains(node.id) ? BordersOf(type.shape[0])
                            : update != whole_.updates.end()
                                ? BordersOfOwner(type.shape[0], update->second.owner, ranks())
                                : Numbers();
    for (Endpoint input : node.inputs) {
      if (!HasRows(input) && source_.type(input).shape.rank() > 0 &&
          source_.type(input).shape[0] == kernels::LeavesOf(node.attributes).back() &&
          source_.type(node.inputs[0]).shape[0] == source_.type(input).shape[0])
        CannotSpread(node, "an input that all ranks have whole varies along the examples");
    }
    const auto total = Total(node, rewriter_.Mapped(node.inputs), type, WholeTree(), borders,
                             [&](collectives::Node part) { return Partial(node, part, multiple); });
    if (!total) CannotSpread(node, "there are no examples");
    const int64_t summed = source_.type(node.inputs[0]).shape.num_elements() /
                           std::max<int64_t>(1, type.shape.num_elements());
    rewriter_.Map({node.id, 0}, mean ? DividedBy(*total, summed) : *total);
  }

  // [channels, replicas]: of each replica the sum over its own leaves.
  Endpoint ReplicaSums(const Node& node, const std::string& op, const std::vector<Endpoint>& inputs,
                       const std::function<std::vector<Endpoint>(int64_t, int64_t)>& rows) {
    const ops::TensorType& type = node.outputs[0];
    const int64_t replicas = type.shape[1];
    const Leaf leaves = options_.division.num_leaves();
    if (leaves % replicas != 0) CannotSpread(node, "replicas must have as many leaves each");
    const Leaf each = static_cast<Leaf>(leaves / replicas);
    const int64_t multiple = kernels::LeavesOf(node.attributes).back() / options_.examples;
    ops::TensorType column = type;
    column.shape.set_dim(1, 1);
    std::vector<Endpoint> columns;
    for (Leaf r = 0; r < replicas; ++r) {
      const Tree tree{r * each, (r + 1) * each};
      const auto total = Total(node, inputs, column, tree, {}, [&](collectives::Node part) {
        const Numbers& offsets = options_.offsets;
        return AddOp(op, rows(offsets[tree.begin + part.begin], offsets[tree.begin + part.end]),
                     {{"replicas", Numbers()}, {"leaves", LeavesOf(tree, part, multiple)}});
      });
      columns.push_back(total ? *total : Constant(ZerosOf(column)));
    }
    return columns.size() == 1 ? columns[0] : AddOp("ConcatV2", columns, {{"axis", int64_t{1}}});
  }

  static Tensor ZerosOf(const ops::TensorType& type) {
    auto buffer = tensor::Buffer::Allocate(type.dtype, type.shape.num_elements());
    if (type.dtype != DType::kString) std::memset(buffer->data(), 0, buffer->num_bytes());
    return Tensor::FromBuffer(std::move(buffer), type.dtype, type.shape);
  }

  void AddReplicaSums(const Node& node) {
    const auto rows = [&](int64_t begin, int64_t end) {
      std::vector<Endpoint> inputs;
      for (Endpoint input : node.inputs) inputs.push_back(RowsOf(input, begin, end));
      return inputs;
    };
    if (node.spec->name != "_BatchMoments") {
      rewriter_.Map({node.id, 0},
                    ReplicaSums(node, node.spec->name, rewriter_.Mapped(node.inputs), rows));
      return;
    }
    AddMoments(node, rows);
  }

  // The mean of each replica, then the mean of the squares of the deviations from it.
  void AddMoments(const Node& node,
                  const std::function<std::vector<Endpoint>(int64_t, int64_t)>& rows) {
    const ops::TensorType& type = node.outputs[0];
    const Shape& x = source_.type(node.inputs[0]).shape;
    Numbers replicas = node.attributes.Get<Numbers>("replicas");
    if (replicas.empty()) replicas = {0, x[0]};
    const int64_t inner = x.product(1, x.rank() - 1);
    std::vector<double> counts;
    for (size_t r = 0; r + 1 < replicas.size(); ++r)
      counts.push_back(
          static_cast<double>(std::max<int64_t>(1, (replicas[r + 1] - replicas[r]) * inner)));
    const Shape row{1, static_cast<int64_t>(counts.size())};
    const Endpoint count =
        Constant(type.dtype == DType::kFloat64
                     ? Tensor::FromVector(counts, row)
                     : Tensor::FromVector(std::vector<float>(counts.begin(), counts.end()), row));
    const Endpoint mean = AddOp(
        "RealDiv", {ReplicaSums(node, "_BatchSum", rewriter_.Mapped(node.inputs), rows), count});
    Tensor ones = ZerosOf(type);
    if (type.dtype == DType::kFloat64) {
      ones = Tensor::FromVector(std::vector<double>(type.shape.num_elements(), 1), type.shape);
    } else {
      ones = Tensor::FromVector(std::vector<float>(type.shape.num_elements(), 1), type.shape);
    }
    const Attributes local =
        WithRows(node, x[0], first() * (x[0] / options_.examples), LocalRows(x[0]));
    const Endpoint deviation = AddOp(
        "_BatchAffine", {rewriter_.Mapped(node.inputs[0]), Constant(ones), AddOp("Neg", {mean})},
        {{"replicas", local.Get<Numbers>("replicas")}});
    const int64_t multiple = x[0] / options_.examples;
    const Endpoint squares =
        ReplicaSums(node, "_BatchDot", {deviation}, [&](int64_t begin, int64_t end) {
          const Endpoint part =
              Slice(deviation, (begin - first()) * multiple, (end - begin) * multiple);
          return std::vector<Endpoint>{part, part};
        });
    rewriter_.Map({node.id, 0}, mean);
    rewriter_.Map({node.id, 1}, AddOp("RealDiv", {squares, count}));
  }

  // The same op on this rank's rows of a weight.
  void AddRows(const Node& node) {
    const int64_t rows = slices_.nodes.at(node.id);
    const Numbers borders = BordersOf(rows);
    const int64_t begin = borders[options_.rank], count = borders[options_.rank + 1] - begin;
    int rank = node.outputs.empty() ? -1 : node.outputs[0].shape.rank();
    std::vector<Endpoint> inputs;
    for (Endpoint input : node.inputs)
      inputs.push_back(RowsOfWeight(input, rows, begin, count, rank));
    std::vector<ops::TensorType> outputs = node.outputs;
    for (ops::TensorType& output : outputs) output.shape.set_dim(0, count);
    AddWithRows(node, std::move(inputs), WithRows(node, rows, begin, count), outputs);
  }

  Endpoint RowsOfWeight(Endpoint input, int64_t rows, int64_t begin, int64_t count, int rank) {
    const Node& producer = source_.node(input.node);
    const Shape& shape = source_.type(input).shape;
    const Endpoint mapped = rewriter_.Mapped(input);
    if (source_.type(input).dtype == DType::kResource) return Window(mapped, begin, count);
    const bool sliced = slices_.sums.contains(input.node) || slices_.nodes.contains(input.node);
    const bool whole = shape.rank() > 0 && shape[0] == rows && (rank < 0 || shape.rank() == rank);
    if (sliced || !whole) return mapped;
    if (producer.spec->name == "ReadVariableOp")
      return AddOp("ReadVariableOp", {Window(rewriter_.Mapped(producer.inputs[0]), begin, count)});
    return Slice(mapped, begin, count);
  }

  Endpoint Window(Endpoint handle, int64_t begin, int64_t count) {
    return AddOp("_VariableRows", {handle}, {{"begin", begin}, {"size", count}});
  }

  void GatherVariables() {
    for (const UpdateSlices::Written& written : slices_.variables) {
      if (!written.gathered) continue;
      exchange_.AddGather(rewriter_.Mapped(written.handle), BordersOf(written.rows));
    }
    for (const auto& [sum, update] : whole_.updates) {
      for (const UpdateSlices::Written& written : update.variables)
        if (written.gathered) GatherFromOwner(update, written);
    }
    if (!told_.empty()) GatherTold();
  }

  // After all sums, so that these and the last weights travel together. The others that work are
  // sent what they have already, which makes one message for all.
  void GatherTold() {
    std::vector<int> exchanges;
    for (const Node& node : result().nodes())
      if (node.spec->name == "_Exchange") exchanges.push_back(node.id);
    for (const Endpoint handle : told_) {
      const Shape& shape = source_.type(handle).shape;
      Node& gather = exchange_.AddGather(
          rewriter_.Mapped(handle),
          BordersOfOwner(shape.rank() > 0 ? shape[0] : 1, options_.roles.chief(), ranks()));
      gather.control_inputs = exchanges;
    }
  }

  // Waits on all ranks for what the owner's update waits for, so that all join gatherings alike.
  void GatherFromOwner(const WholeUpdates::Update& update, const UpdateSlices::Written& written) {
    Node& gather = exchange_.AddGather(rewriter_.Mapped(written.handle),
                                       BordersOfOwner(written.rows, update.owner, ranks()));
    for (const int input : update.inputs)
      gather.control_inputs.push_back(rewriter_.MappedNode(input));
    std::sort(gather.control_inputs.begin(), gather.control_inputs.end());
    gather.control_inputs.erase(
        std::unique(gather.control_inputs.begin(), gather.control_inputs.end()),
        gather.control_inputs.end());
  }

  // All rows of a value, for those that `want` them; null: for everybody.
  Endpoint GatherRows(Endpoint value, const std::vector<bool>* want = nullptr) {
    const Endpoint mapped = rewriter_.Mapped(value);
    if (!HasRows(value)) return mapped;
    Numbers borders{0};
    for (int64_t rows : RowsOfRanks(source_.type(value).shape[0]))
      borders.push_back(borders.back() + rows);
    return Concatenated(exchange_.AddRows(mapped, borders, want));
  }

  const graph::Graph& source_;
  const SpreadOptions& options_;
  const graph::RowAnalysis& analysis_;
  const UpdateSlices& slices_;
  const WholeUpdates& whole_;
  const std::vector<Endpoint>& told_;
  graph::Rewriter rewriter_;
  ExchangeNodes exchange_;
};

// What the programs of all ranks are made from.
struct Analyzed {
  graph::Graph graph;
  SpreadOptions options;
  graph::RowAnalysis analysis;
  UpdateSlices slices;
  WholeUpdates whole;
  /// What ranks that rest are told in place of computing it.
  std::optional<std::vector<Endpoint>> told;

  SpreadProgram ProgramOf(int rank) const {
    SpreadOptions of_rank = options;
    of_rank.rank = rank;
    static const std::vector<Endpoint> none;
    return Spreader(graph, of_rank, analysis, slices, whole, told ? *told : none).Spread();
  }

  SpreadProgram JoinedProgramOf(int rank) const {
    SpreadProgram program = ProgramOf(rank);
    program.graph = JoinExchanges(program.graph, options.bucket_bytes);
    program.resting_are_told = told && TellByGatherings(program.graph, options.roles);
    if (program.resting_are_told) program.told = Gathered(program.graph, options.roles);
    for (const Node& node : program.graph.nodes()) {
      if (IsExchange(node) && (!program.resting_are_told || node.spec->name == "_GatherVariables"))
        program.exchanged_bytes += node.attributes.Get<int64_t>("bytes");
    }
    program.taken_whole = TakenWhole(program.graph);
    if (options.roles.Rests(rank))
      program.graph = RestingProgram(program.graph, program.resting_are_told);
    return program;
  }
};

Analyzed Analyze(const graph::Graph& whole_step, SpreadOptions options) {
  if (options.roles.num_ranks() == 0) options.roles = Roles(options.division.num_ranks());
  Analyzed step{.graph = WidenHalfSums(whole_step), .options = std::move(options)};
  step.analysis = graph::AnalyzeRows(step.graph, step.options.examples, step.options.has_rows);
  if (!step.analysis.can_cut()) {
    throw Error(Code::kInvalidArgument, "[spread] examples must meet in sums only; got " +
                                            step.graph.node(step.analysis.mixing_node).name +
                                            ", which mixes them");
  }
  if (step.options.slice_from > 0) {
    const auto row_ranks = static_cast<int>(step.options.roles.row_ranks().size());
    step.slices = FindUpdateSlices(step.graph, step.analysis, row_ranks, step.options.slice_from);
    step.whole = FindWholeUpdates(step.graph, step.analysis, step.slices, step.options.roles,
                                  step.options.slice_from);
  }
  if (step.options.roles.AnybodyRests())
    step.told = FindToldValues(step.graph, step.analysis, step.slices, step.whole);
  return step;
}

// A rank of none or of other rows could be the only one that cannot: then none may, as all must
// make the same calls. Errors: those of the ranks whose programs differ from this one's.
void RequireThatAllCan(const Analyzed& step) {
  const SpreadOptions& options = step.options;
  const auto examples_of = [&](int rank) {
    const collectives::Node block = options.division.block(rank);
    return options.offsets[block.end] - options.offsets[block.begin];
  };
  std::set<int64_t> tried{examples_of(options.rank)};
  for (int rank = 0; rank < options.division.num_ranks(); ++rank)
    if (tried.insert(examples_of(rank)).second) step.ProgramOf(rank);
}

}  // namespace

SpreadProgram SpreadSums(const graph::Graph& whole_step, SpreadOptions options) {
  const Analyzed step = Analyze(whole_step, std::move(options));
  RequireThatAllCan(step);
  return step.JoinedProgramOf(step.options.rank);
}

std::vector<SpreadProgram> SpreadSumsOverAll(const graph::Graph& whole_step,
                                             SpreadOptions options) {
  const Analyzed step = Analyze(whole_step, std::move(options));
  std::vector<SpreadProgram> programs;
  for (int rank = 0; rank < step.options.division.num_ranks(); ++rank)
    programs.push_back(step.JoinedProgramOf(rank));
  return programs;
}

}  // namespace lockstep::distribute
