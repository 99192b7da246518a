#include "distribute/programs/push_program.h"

#include <algorithm>
#include <set>

#include "distribute/programs/factor_sums.h"
#include "graph/passes.h"
#include "graph/rewrite.h"
#include "graph/segments.h"

namespace lockstep::distribute {

namespace {

using graph::Endpoint;
using graph::Node;
using Numbers = std::vector<int64_t>;

[[noreturn]] void CannotCut(const Node& node, const std::string& why) {
  throw Error(Code::kUnimplemented,
              "[parameter_server] a step of an asynchronous training must "
              "fall into a worker's part and the servers' part behind it; "
              "got " +
                  node.name + ": " + why + "; use ParameterServerMode::Synchronous()");
}

}  // namespace

Shape PushProgram::Kept::ShapeOn(int server) const {
  Shape shape = cell->shape();
  if (!borders.empty()) shape.set_dim(0, borders[server + 1] - borders[server]);
  return shape;
}

PushProgram::PushProgram(const graph::Graph& graph, const PushOptions& options)
    : graph_(graph::RemoveDuplicates(graph)),
      options_(options),
      analysis_(graph::AnalyzeRows(graph_, options.examples, options.has_rows)) {
  if (!analysis_.can_cut()) {
    throw Error(Code::kInvalidArgument,
                "[parameter_server] examples must meet in sums only where training is "
                "asynchronous; got " +
                    graph_.node(analysis_.mixing_node).name +
                    ", which mixes them; use ParameterServerMode::Synchronous()");
  }
  FindWorkersPart();
  FindServersPart();
  if (options_.servers > 1) {
    slices_ = FindUpdateSlices(graph_, analysis_, options_.servers, options_.slice_from);
    if (!DividesWell()) slices_ = {};
    for (Pushed& value : pushed_)
      if (slices_.sums.contains(value.source.node))
        value.borders = RowBorders(value.type.shape[0], options_.servers);
  }
  FindVariables();
}

const void* PushProgram::ResourceOf(Endpoint e) const {
  if (!graph::IsHandle(graph_, e)) return nullptr;
  const Tensor* handle = graph::ResourceOf(graph_, e);
  if (handle == nullptr ||
      std::dynamic_pointer_cast<runtime::VariableCell>(handle->object()) == nullptr)
    CannotCut(graph_.node(e.node), "it is no variable that is known before the step");
  return handle->object().get();
}

// All that has rows, the sums over them, and what these follow from.
void PushProgram::FindWorkersPart() {
  const int count = graph_.num_nodes();
  depends_.assign(count, 0);
  worker_.assign(count, 0);
  const auto has_rows = [&](Endpoint e) { return analysis_.has_rows[e.node][e.index] != 0; };
  for (const Node& node : graph_.nodes()) {
    depends_[node.id] = node.spec->name == "Arg";
    bool rows = false;
    for (Endpoint input : node.inputs) {
      depends_[node.id] |= depends_[input.node];
      rows |= has_rows(input);
    }
    for (size_t i = 0; i < node.outputs.size(); ++i)
      rows |= has_rows({node.id, static_cast<int>(i)});
    worker_[node.id] = rows && !IsWrite(node);
  }
  for (bool grows = true; grows;) {
    grows = false;
    std::set<const void*> read;  // by what comes later
    for (int id = count - 1; id >= 0; --id) {
      const Node& node = graph_.node(id);
      // What a worker reads after it was written in the step, it writes for itself too.
      if (!worker_[id] && IsWrite(node)) {
        for (Endpoint input : node.inputs)
          if (graph::IsHandle(graph_, input) && read.contains(ResourceOf(input)))
            worker_[id] = grows = true;
        if (worker_[id] && depends_[id])
          CannotCut(node, "the examples need what it writes, and it needs them");
      }
      if (!worker_[id]) continue;
      for (Endpoint input : node.inputs) {
        worker_[input.node] = 1;
        if (graph::IsHandle(graph_, input) && !IsWrite(node)) read.insert(ResourceOf(input));
      }
    }
  }
}

bool PushProgram::IsLeftToServers(const Node& node) const {
  if (!analysis_.rows_per_example.contains(node.id) ||
      !IsPushedAsFactors(graph_, node, options_.servers))
    return false;
  return std::none_of(graph_.nodes().begin(), graph_.nodes().end(), [&](const Node& user) {
    return worker_[user.id] && std::any_of(user.inputs.begin(), user.inputs.end(),
                                           [&](Endpoint e) { return e.node == node.id; });
  });
}

// What writes, and what that follows from, back to the worker's values.
void PushProgram::FindServersPart() {
  server_.assign(graph_.num_nodes(), 0);
  std::set<std::pair<int, int>> pushed;
  for (int id = graph_.num_nodes() - 1; id >= 0; --id) {
    const Node& node = graph_.node(id);
    if (IsWrite(node) || (node.spec->effects.external && !worker_[id])) server_[id] = 1;
    if (!server_[id]) continue;
    for (Endpoint input : node.inputs) {
      if (worker_[input.node] && depends_[input.node] &&
          !IsLeftToServers(graph_.node(input.node))) {
        pushed.insert({input.node, input.index});
      } else {
        server_[input.node] = 1;
      }
    }
  }
  for (const auto& [id, index] : pushed)
    pushed_.push_back({.source = {id, index}, .type = graph_.type({id, index}), .borders = {}});
}

// Whether all that the servers do with a divided variable can be done by rows.
bool PushProgram::DividesWell() const {
  std::set<const void*> divided;
  for (const UpdateSlices::Written& written : slices_.variables)
    divided.insert(graph_.constant(written.handle)->object().get());
  std::set<int> reads;  // whole, by the program; a server gives its rows
  for (const Node& node : graph_.nodes()) {
    const bool by_rows = slices_.nodes.contains(node.id);
    if (by_rows && worker_[node.id]) return false;
    if (by_rows || !server_[node.id]) continue;
    for (Endpoint input : node.inputs) {
      if (reads.contains(input.node)) return false;
      if (!graph::IsHandle(graph_, input) || !divided.contains(ResourceOf(input))) continue;
      if (node.spec->name != "ReadVariableOp") return false;
      reads.insert(node.id);
    }
  }
  return true;
}

void PushProgram::FindVariables() {
  const auto find = [&](const Tensor& handle) -> Kept& {
    const auto cell = std::dynamic_pointer_cast<runtime::VariableCell>(handle.object());
    const auto place =
        std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) { return k.cell == cell; });
    if (place != kept_.end()) return *place;
    kept_.push_back({.cell = cell});
    return kept_.back();
  };
  for (const Node& node : graph_.nodes()) {
    if (!server_[node.id]) continue;
    for (Endpoint input : node.inputs) {
      if (ResourceOf(input) == nullptr) continue;
      Kept& kept = find(*graph::ResourceOf(graph_, input));
      kept.written |= IsWrite(node);
    }
  }
  for (const UpdateSlices::Written& written : slices_.variables)
    find(*graph_.constant(written.handle)).borders = RowBorders(written.rows, options_.servers);
  for (const Node& node : graph_.nodes()) {
    if (!worker_[node.id]) continue;
    for (Endpoint input : node.inputs) {
      const void* read = ResourceOf(input);
      for (Kept& kept : kept_)
        if (read == kept.cell.get()) kept.pulled |= kept.written;
    }
  }
}

graph::Graph PushProgram::Worker() const {
  graph::Rewriter rewriter(graph_);
  for (const Node& node : graph_.nodes())
    if (worker_[node.id] || node.spec->name == "Arg") rewriter.Keep(node);
  graph::Graph result = std::move(rewriter.result());
  for (const Pushed& value : pushed_) result.results().push_back(rewriter.Mapped(value.source));
  return graph::Prune(result);
}

// Makes the part of one server.
class ServerBuilder {
 public:
  ServerBuilder(const PushProgram& program, int server,
                const std::function<Tensor(size_t)>& handle_of)
      : program_(program),
        source_(program.graph_),
        slices_(program.slices_),
        server_(server),
        handle_of_(handle_of),
        rewriter_(program.graph_) {}

  graph::Graph Build() {
    for (const PushProgram::Pushed& value : program_.pushed_) {
      ops::TensorType type = value.type;
      if (!value.borders.empty())
        type.shape.set_dim(0, value.borders[server_ + 1] - value.borders[server_]);
      rewriter_.Map(value.source, result().AddParameter(type));
    }
    for (const Node& node : source_.nodes()) {
      if (!program_.server_[node.id]) continue;
      if (node.outputs.size() == 1 && graph::IsHandle(source_, {node.id, 0}) &&
          source_.constant({node.id, 0}) != nullptr) {
        AddHandle(node);
      } else if (slices_.nodes.contains(node.id)) {
        AddRows(node);
      } else if (slices_.sums.contains(node.id)) {
        AddProduct(node);
      } else if (node.spec->name == "ReadVariableOp") {
        // Of a divided variable, its rows here.
        const Endpoint read{
            result().AddNode("ReadVariableOp", rewriter_.Mapped(node.inputs), node.attributes).id,
            0};
        rewriter_.Map({node.id, 0}, read);
      } else {
        rewriter_.Keep(node);
      }
    }
    return std::move(result());
  }

 private:
  graph::Graph& result() { return rewriter_.result(); }

  void AddHandle(const Node& node) {
    const void* object = source_.constant({node.id, 0})->object().get();
    for (size_t i = 0; i < program_.kept_.size(); ++i) {
      if (program_.kept_[i].cell.get() != object) continue;
      rewriter_.Map({node.id, 0}, result().AddConstant(handle_of_(i)));
      return;
    }
    CannotCut(node, "it is no variable");
  }

  // This server's rows of a product over examples.
  void AddProduct(const Node& node) {
    const Shape& input = source_.type(node.inputs[0]).shape;
    const Numbers borders = RowBorders(input[1], program_.options_.servers);
    const int64_t begin = borders[server_], count = borders[server_ + 1] - begin;
    const Node& columns =
        result().AddNode("Slice", {rewriter_.Mapped(node.inputs[0])},
                         {{"begin", Numbers{0, begin}}, {"size", Numbers{input[0], count}}});
    const std::vector<Endpoint> factors{{columns.id, 0}, rewriter_.Mapped(node.inputs[1])};
    rewriter_.Map({node.id, 0},
                  {result().AddNode(node.spec->name, factors, node.attributes).id, 0});
  }

  // The same op on this server's rows.
  void AddRows(const Node& node) {
    const int64_t rows = slices_.nodes.at(node.id);
    const Numbers borders = RowBorders(rows, program_.options_.servers);
    const int64_t begin = borders[server_], count = borders[server_ + 1] - begin;
    const int rank = node.outputs.empty() ? -1 : node.outputs[0].shape.rank();
    std::vector<Endpoint> inputs;
    for (Endpoint input : node.inputs) inputs.push_back(RowsOf(input, rows, begin, count, rank));
    int id = -1;
    try {
      id = result()
               .AddNode(node.spec->name, std::move(inputs), WithRows(node.attributes, rows, count))
               .id;
    } catch (const Error& error) {
      CannotCut(node, error.what());
    }
    Node& local = result().node(id);
    local.name = node.name;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      ops::TensorType expected = node.outputs[i];
      if (!graph::IsHandle(source_, {node.id, static_cast<int>(i)}))
        expected.shape.set_dim(0, count);
      if (!(local.outputs[i].shape == expected.shape)) CannotCut(node, "its result has other rows");
      rewriter_.Map({node.id, static_cast<int>(i)}, {id, static_cast<int>(i)});
    }
  }

  Endpoint RowsOf(Endpoint input, int64_t rows, int64_t begin, int64_t count, int rank) {
    const Endpoint mapped = rewriter_.Mapped(input);
    if (graph::IsHandle(source_, input) || slices_.nodes.contains(input.node) ||
        slices_.sums.contains(input.node))
      return mapped;
    const Shape& shape = source_.type(input).shape;
    const bool whole = shape.rank() > 0 && shape[0] == rows && (rank < 0 || shape.rank() == rank);
    if (!whole || (begin == 0 && count == rows)) return mapped;
    if (source_.node(input.node).spec->name == "ReadVariableOp" &&
        result().type(mapped).shape[0] == count && count != rows)
      return mapped;
    Numbers start(shape.rank(), 0), size = shape.vector();
    start[0] = begin;
    size[0] = count;
    return {
        result()
            .AddNode("Slice", {mapped}, {{"begin", std::move(start)}, {"size", std::move(size)}})
            .id,
        0};
  }

  const PushProgram& program_;
  const graph::Graph& source_;
  const UpdateSlices& slices_;
  const int server_;
  const std::function<Tensor(size_t)>& handle_of_;
  graph::Rewriter rewriter_;
};

graph::Graph PushProgram::Server(int server, const std::function<Tensor(size_t)>& handle_of) const {
  return ServerBuilder(*this, server, handle_of).Build();
}

}  // namespace lockstep::distribute
