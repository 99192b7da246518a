#include "distribute/programs/exchange_nodes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/hash.h"
#include "graph/rewrite.h"
#include "graph/segments.h"

namespace lockstep::distribute {

namespace {

using graph::Endpoint;
using graph::Node;
using Numbers = std::vector<int64_t>;

int64_t RowBytes(const ops::TensorType& type) {
  const int64_t rows = std::max<int64_t>(1, type.shape.rank() > 0 ? type.shape[0] : 1);
  return type.shape.num_elements() / rows * DTypeSize(type.dtype);
}

// What all ranks must agree on.
int64_t Fingerprint(const std::string& what, const Numbers& numbers) {
  std::string bytes = what;
  for (int64_t number : numbers) bytes += "," + std::to_string(number);
  return static_cast<int64_t>(base::Hash64(bytes) & 0xffffffff);
}

// The lists of an _Exchange while it is made.
struct Lists {
  Numbers outputs, send, receive, keep;
  int next_output = 0;

  int AddOutput(const ops::TensorType& type) {
    outputs.push_back(static_cast<int64_t>(type.dtype));
    outputs.push_back(type.shape.rank());
    for (int64_t size : type.shape.vector()) outputs.push_back(size);
    return next_output++;
  }
  static void Append(Numbers& list, std::initializer_list<int64_t> numbers) {
    list.insert(list.end(), numbers);
  }
  ops::Attributes Attributes(int64_t fingerprint, int64_t bytes) const {
    return {{"outputs", outputs}, {"send", send},         {"receive", receive},
            {"keep", keep},       {"bucket", int64_t{0}}, {"fingerprint", fingerprint},
            {"bytes", bytes}};
  }
};

std::vector<Endpoint> OutputsOf(const Node& node) {
  std::vector<Endpoint> outputs;
  for (int i = 0; i < static_cast<int>(node.outputs.size()); ++i) outputs.push_back({node.id, i});
  return outputs;
}

}  // namespace

std::vector<Endpoint> ExchangeNodes::AddSum(const ExchangedSum& sum) {
  Lists lists;
  const int64_t row_bytes = RowBytes(sum.type);
  const int64_t rows = sum.type.shape.rank() > 0 ? sum.type.shape[0] : 1;
  const auto begin_of = [&](int rank) { return sum.borders.empty() ? 0 : sum.borders[rank]; };
  const auto end_of = [&](int rank) { return sum.borders.empty() ? rows : sum.borders[rank + 1]; };
  ops::TensorType part_type = sum.type;
  if (!sum.borders.empty()) part_type.shape.set_dim(0, end_of(rank_) - begin_of(rank_));
  const bool wanted = part_type.shape.num_elements() > 0;
  Numbers agreed = sum.type.shape.vector();
  int input = 0;
  for (const ExchangedSum::Part& part : sum.parts) {
    const int output = lists.AddOutput(part_type);
    Lists::Append(agreed, {part.node.begin, part.node.end, part.rank});
    if (part.rank != rank_) {
      if (wanted) Lists::Append(lists.receive, {part.rank, output});
      continue;
    }
    for (int peer = 0; peer < ranks_; ++peer) {
      const int64_t bytes = (end_of(peer) - begin_of(peer)) * row_bytes;
      if (peer != rank_ && bytes > 0)
        Lists::Append(lists.send, {peer, input, begin_of(peer) * row_bytes, bytes});
    }
    Lists::Append(lists.keep, {output, input++, begin_of(rank_) * row_bytes});
  }
  agreed.insert(agreed.end(), sum.borders.begin(), sum.borders.end());
  const int64_t bytes = rows * row_bytes;
  Node& node =
      graph_.AddNode("_Exchange", sum.own, lists.Attributes(Fingerprint(sum.name, agreed), bytes));
  node.control_inputs = sum.after;
  node.name = "Exchange of " + sum.name;
  return OutputsOf(node);
}

std::vector<Endpoint> ExchangeNodes::AddRows(Endpoint own, const Numbers& borders,
                                             const std::vector<bool>* want) {
  Lists lists;
  const auto wants = [want](int rank) { return want == nullptr || (*want)[rank]; };
  const ops::TensorType type = graph_.type(own);
  const int64_t row_bytes =
      type.shape.product(1, type.shape.rank()) * static_cast<int64_t>(DTypeSize(type.dtype));
  for (int rank = 0; rank < ranks_; ++rank) {
    ops::TensorType part = type;
    part.shape.set_dim(0, borders[rank + 1] - borders[rank]);
    if (part.shape.num_elements() == 0 || (rank != rank_ && !wants(rank_))) continue;
    const int output = lists.AddOutput(part);
    if (rank != rank_) {
      Lists::Append(lists.receive, {rank, output});
      continue;
    }
    for (int peer = 0; peer < ranks_; ++peer)
      if (peer != rank_ && wants(peer))
        Lists::Append(lists.send, {peer, 0, 0, part.shape[0] * row_bytes});
    Lists::Append(lists.keep, {output, 0, 0});
  }
  // So that what follows waits for the exchange, as on all ranks.
  if (lists.outputs.empty()) lists.AddOutput(type);
  Node& node =
      graph_.AddNode("_Exchange", {own},
                     lists.Attributes(Fingerprint("rows", borders), borders.back() * row_bytes));
  node.name = "Exchange of rows";
  return OutputsOf(node);
}

std::vector<Endpoint> ExchangeNodes::AddBlocks(const std::string& name,
                                               const std::vector<Endpoint>& own,
                                               const Numbers& rows, const ops::TensorType& all) {
  Lists lists;
  const auto bytes_of = [](const ops::TensorType& type) {
    return type.shape.num_elements() * static_cast<int64_t>(DTypeSize(type.dtype));
  };
  for (int rank = 0; rank < ranks_; ++rank) {
    ops::TensorType block = graph_.type(own[rank_]);
    block.shape.set_dim(0, rows[rank]);
    if (bytes_of(block) == 0) continue;
    const int output = lists.AddOutput(block);
    if (rank == rank_) {
      Lists::Append(lists.keep, {output, rank_, 0});
    } else {
      Lists::Append(lists.receive, {rank, output});
    }
  }
  for (int peer = 0; peer < ranks_; ++peer) {
    const int64_t bytes = bytes_of(graph_.type(own[peer]));
    if (peer != rank_ && bytes > 0) Lists::Append(lists.send, {peer, peer, 0, bytes});
  }
  if (lists.outputs.empty()) lists.AddOutput(graph_.type(own[rank_]));
  Numbers agreed = rows;
  for (int64_t size : all.shape.vector()) agreed.push_back(size);
  Node& node =
      graph_.AddNode("_Exchange", own, lists.Attributes(Fingerprint(name, agreed), bytes_of(all)));
  node.name = "Exchange of " + name;
  return OutputsOf(node);
}

Node& ExchangeNodes::AddGather(Endpoint handle, const Numbers& borders) {
  const ops::TensorType held{graph_.type(handle).element, graph_.type(handle).shape};
  const int64_t bytes = RowBytes(held) * borders.back();
  Node& node = graph_.AddNode("_GatherVariables", {handle},
                              {{"borders", borders},
                               {"bucket", int64_t{0}},
                               {"fingerprint", Fingerprint("variable", borders)},
                               {"bytes", bytes}});
  node.name = "Gather";
  return node;
}

namespace {

// Several exchanges as one.
class Joint {
 public:
  bool Takes(const Node& node, int64_t limit) const {
    return nodes_.empty() || bytes_ + node.attributes.Get<int64_t>("bytes") <= limit;
  }
  void Add(const Node& node) {
    nodes_.push_back(&node);
    bytes_ += node.attributes.Get<int64_t>("bytes");
  }

  void Emit(graph::Rewriter& rewriter, int64_t bucket) const {
    const bool gather = nodes_[0]->spec->name == "_GatherVariables";
    std::vector<Endpoint> inputs;
    Lists lists;
    Numbers borders, fingerprints;
    int64_t first_output = 0;
    for (const Node* node : nodes_) {
      const auto first_input = static_cast<int64_t>(inputs.size());
      for (Endpoint input : node->inputs) inputs.push_back(rewriter.Mapped(input));
      fingerprints.push_back(node->attributes.Get<int64_t>("fingerprint"));
      if (gather) {
        Append(*node, "borders", {}, borders);
        continue;
      }
      Append(*node, "outputs", {}, lists.outputs);
      Append(*node, "send", {0, first_input, 0, 0}, lists.send);
      Append(*node, "receive", {0, first_output}, lists.receive);
      Append(*node, "keep", {first_output, first_input, 0}, lists.keep);
      first_output += static_cast<int64_t>(node->outputs.size());
    }
    const int64_t fingerprint = Fingerprint("joint", fingerprints);
    ops::Attributes attributes = lists.Attributes(fingerprint, bytes_);
    if (gather)
      attributes = {{"borders", borders}, {"fingerprint", fingerprint}, {"bytes", bytes_}};
    attributes.Set("bucket", bucket);
    Node& joint = rewriter.result().AddNode(nodes_[0]->spec->name, inputs, std::move(attributes));
    joint.name = (gather ? "gather " : "exchange ") + std::to_string(bucket);
    int output = 0;
    const int id = joint.id;
    std::vector<int> controls;
    for (const Node* node : nodes_) {
      for (size_t i = 0; i < node->outputs.size(); ++i)
        rewriter.Map({node->id, static_cast<int>(i)}, {id, output++});
      for (int control : node->control_inputs) controls.push_back(rewriter.MappedNode(control));
    }
    std::sort(controls.begin(), controls.end());
    controls.erase(std::unique(controls.begin(), controls.end()), controls.end());
    std::erase(controls, -1);
    rewriter.result().node(id).control_inputs = controls;
  }

 private:
  // The numbers of a node's list, with `shift` added to each group of them.
  static void Append(const Node& node, const char* name, const Numbers& shift, Numbers& list) {
    const Numbers& own = node.attributes.Get<Numbers>(name);
    for (size_t i = 0; i < own.size(); ++i)
      list.push_back(own[i] + (shift.empty() ? 0 : shift[i % shift.size()]));
  }

  std::vector<const Node*> nodes_;
  int64_t bytes_ = 0;
};

}  // namespace

bool IsExchange(const Node& node) {
  return node.spec->name == "_Exchange" || node.spec->name == "_GatherVariables";
}

namespace {

// Joins the exchanges of one level; numbers go on from `bucket`. Whether there are later levels.
bool JoinLevel(graph::Graph& graph, int level, int64_t bytes, int64_t& bucket) {
  const std::vector<graph::Readiness> ready = graph::FindReadiness(graph);
  const auto last = std::max_element(
      ready.begin(), ready.end(), [](const auto& a, const auto& b) { return a.level < b.level; });
  if (last == ready.end()) return false;
  graph::Rewriter rewriter(graph);
  for (int l = 0; l <= last->level; ++l) {
    // Exchanges of one kind that wait for the same, in the order of the program.
    std::map<std::tuple<std::string, int>, std::vector<Joint>> joints;
    for (const Node& node : graph.nodes()) {
      if (ready[node.id].level != l) continue;
      if (l != level || !IsExchange(node)) {
        rewriter.Keep(node);
        continue;
      }
      auto& alike = joints[{node.spec->name, ready[node.id].waits}];
      if (alike.empty() || !alike.back().Takes(node, bytes)) alike.emplace_back();
      alike.back().Add(node);
    }
    for (const auto& [kind, alike] : joints) {
      for (const Joint& joint : alike) joint.Emit(rewriter, bucket++);
    }
  }
  const bool more = last->level > level;
  graph = rewriter.Finish();
  return more;
}

}  // namespace

graph::Graph JoinExchanges(const graph::Graph& graph, int64_t bytes) {
  graph::Graph joined = graph;
  int64_t bucket = 0;
  // What a later level waits for is known when the earlier ones are joined.
  for (int level = 0; JoinLevel(joined, level, bytes, bucket); ++level) {
  }
  return joined;
}

}  // namespace lockstep::distribute
