#include "runtime/plan_sources.h"

#include <algorithm>

#include "graph/segments.h"
#include "runtime/race_checks.h"
#include "runtime/schedule.h"
#include "tensor/buffer.h"

namespace lockstep::runtime {

// Goes through a graph in the order of the program, with a set of sources for each node: bits for
// the parameters, then two for each variable.
class PlanSources::Finder {
 public:
  Finder(const graph::Graph& graph, const std::function<int(const Tensor&)>& variable_of)
      : graph_(graph), variable_of_(variable_of), sets_(graph.num_nodes()) {
    for (const graph::Node& node : graph.nodes()) Visit(node);
  }

  Sources SourcesOf(int node) const {
    Sources sources;
    const int parameters = static_cast<int>(graph_.parameters().size());
    for (int bit : sets_[node]) {
      const int variable = (bit - parameters) / 2;
      if (bit < parameters) {
        sources.parameters.push_back(bit);
      } else {
        ((bit - parameters) % 2 == 0 ? sources.before : sources.after).push_back(variable);
      }
    }
    return sources;
  }

  std::vector<Assigned> assigned;
  std::vector<ops::SourceSite> read_sites, write_sites;  // by variable

 private:
  using Set = std::vector<int>;  // ascending

  static void Join(const Set& from, Set* into) {
    if (from.empty() || from == *into) return;
    Set joined;
    std::set_union(into->begin(), into->end(), from.begin(), from.end(),
                   std::back_inserter(joined));
    *into = std::move(joined);
  }

  int BitOf(int variable, bool after) const {
    return static_cast<int>(graph_.parameters().size()) + 2 * variable + (after ? 1 : 0);
  }

  void Reserve(int variable) {
    const size_t count = std::max(written_.size(), static_cast<size_t>(variable) + 1);
    written_.resize(count);
    read_sites.resize(count);
    write_sites.resize(count);
  }

  void Visit(const graph::Node& node) {
    Set& set = sets_[node.id];
    if (node.spec->name == "Arg") {
      set = {static_cast<int>(node.attributes.Get<int64_t>("index"))};
      return;
    }
    std::vector<std::pair<int, bool>> writes;  // variable, and whether it is read, too
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (ops::HasBit(node.spec->shape_only, i)) continue;
      Join(sets_[node.inputs[i].node], &set);
      if (graph_.type(node.inputs[i]).dtype != DType::kResource) continue;
      const Tensor* handle = graph::ResourceOf(graph_, node.inputs[i]);
      if (handle == nullptr || node.spec->name == "_VariableRows") continue;
      const int variable = variable_of_(*handle);
      Reserve(variable);
      const bool reads = ops::HasBit(node.spec->effects.reads, i);
      if (ops::HasBit(node.spec->effects.writes, i)) {
        writes.emplace_back(variable, reads);
      } else if (reads) {
        Join({BitOf(variable, written_[variable])}, &set);
        read_sites[variable] = node.site;
      }
    }
    for (const auto& [variable, reads] : writes) {
      const bool own = std::binary_search(set.begin(), set.end(), BitOf(variable, false)) ||
                       std::binary_search(set.begin(), set.end(), BitOf(variable, true));
      if (!reads && !own) assigned.push_back({variable, SourcesOf(node.id), node.site});
      written_[variable] = true;
      write_sites[variable] = node.site;
    }
  }

  const graph::Graph& graph_;
  const std::function<int(const Tensor&)>& variable_of_;
  std::vector<Set> sets_;  // by node
  std::vector<char> written_;
};

PlanSources::PlanSources(const graph::Graph& graph,
                         const std::function<int(const Tensor&)>& variable_of) {
  Finder finder(graph, variable_of);
  std::vector<int> shown;
  for (graph::Endpoint result : graph.results()) {
    results_.push_back(finder.SourcesOf(result.node));
    first_alike_.push_back(std::find(results_.begin(), results_.end(), results_.back()) -
                           results_.begin());
    shown.insert(shown.end(), results_.back().before.begin(), results_.back().before.end());
  }
  std::sort(shown.begin(), shown.end());
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  for (int variable : shown) shown_.push_back({variable, finder.read_sites[variable]});
  assigned_ = std::move(finder.assigned);
  read_sites_ = std::move(finder.read_sites);
  write_sites_ = std::move(finder.write_sites);
}

void PlanSources::Touch(const Cells& cells, const std::vector<int>& writes) const {
  std::vector<ScheduledAccess> accesses;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i < read_sites_.size() && read_sites_[i].line != 0) {
      accesses.push_back({cells[i]->name(), false, read_sites_[i]});
    }
    if (writes[i] > 0) accesses.push_back({cells[i]->name(), true, write_sites_[i]});
  }
  if (!cells.empty()) Schedule::Active()->Touch(std::move(accesses));
}

void PlanSources::BeforeRun(const Cells& cells, std::span<const Tensor> arguments,
                            std::vector<uint64_t>* versions) const {
  versions->clear();
  for (const auto& cell : cells) versions->push_back(cell->version());
  for (const Assigned& assigned : assigned_) {
    const VariableCell& cell = *cells[assigned.variable];
    const Sources& sources = assigned.sources;
    AssignedValue value{.from_host = sources.before.empty() && sources.after.empty()};
    for (int parameter : sources.parameters) {
      const AssignedValue one = DescribeAssigned(cell, arguments[parameter]);
      value.computed_from = std::max(value.computed_from, one.computed_from);
      value.from_host &= one.from_host;
    }
    CheckAssignment(*cells[assigned.variable], value, assigned.site);
  }
}

void PlanSources::AfterRun(const Cells& cells, const std::vector<int>& writes,
                           const std::vector<uint64_t>& versions) const {
  for (const Place& place : shown_) {
    cells[place.variable]->log().Read(versions[place.variable], place.site);
  }
  for (size_t i = 0; i < cells.size(); ++i) {
    if (writes[i] > 0) cells[i]->log().Write(cells[i]->version(), write_sites_[i]);
  }
}

std::shared_ptr<const tensor::Origins> PlanSources::OriginsOf(
    size_t result, const Cells& cells, std::span<const Tensor> arguments,
    const std::vector<uint64_t>& versions) const {
  const Sources& sources = results_[result];
  if (sources.before.empty() && sources.after.empty() &&
      std::none_of(sources.parameters.begin(), sources.parameters.end(),
                   [&](int parameter) { return tensor::HasOrigin(arguments[parameter]); })) {
    return nullptr;
  }
  auto origins = std::make_shared<tensor::Origins>();
  for (int variable : sources.before) {
    origins->Add(tensor::Origin{cells[variable]->number(), versions[variable]});
  }
  for (int variable : sources.after) {
    origins->Add(tensor::Origin{cells[variable]->number(), cells[variable]->version()});
  }
  for (int parameter : sources.parameters) origins->Add(arguments[parameter]);
  return origins;
}

}  // namespace lockstep::runtime
