#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "runtime/variable_cell.h"
#include "tensor/origins.h"

namespace lockstep::runtime {

/// From what the results and assignments of a plan are computed, so that origins of values pass
/// through a run as through eager ops (tensor/origins.h), and its accesses are followed.
class PlanSources {
 public:
  using Cells = std::vector<std::shared_ptr<VariableCell>>;
  PlanSources() = default;
  /// `variable_of`: the number of the variable that a handle names.
  PlanSources(const graph::Graph& graph, const std::function<int(const Tensor&)>& variable_of);

  // The locks of `cells` are held; called while accesses are followed.
  /// Before the locks are taken, where a schedule is active.
  void Touch(const Cells& cells, const std::vector<int>& writes) const;
  /// Before a run: tells of assignments that lose what others have written; fills `versions`.
  void BeforeRun(const Cells& cells, std::span<const Tensor> arguments,
                 std::vector<uint64_t>* versions) const;
  /// After a run that has written `writes[i]` times: notes the accesses.
  void AfterRun(const Cells& cells, const std::vector<int>& writes,
                const std::vector<uint64_t>& versions) const;
  /// The first result that has the same origins as result `result` in every run: itself or another.
  size_t FirstAlike(size_t result) const { return first_alike_[result]; }
  /// The origins of result `result`; nullptr: none.
  std::shared_ptr<const tensor::Origins> OriginsOf(size_t result, const Cells& cells,
                                                   std::span<const Tensor> arguments,
                                                   const std::vector<uint64_t>& versions) const;

 private:
  struct Sources {
    std::vector<int> parameters;
    std::vector<int> before;  // variables as they are when the run begins
    std::vector<int> after;   // and as they are at its end, or in between
    bool operator==(const Sources&) const = default;
  };
  // An assignment of a value that is not computed from the variable in the same run.
  struct Assigned {
    int variable;
    Sources sources;
    ops::SourceSite site;
  };
  struct Place {
    int variable;
    ops::SourceSite site;
  };
  class Finder;

  std::vector<Sources> results_;
  std::vector<size_t> first_alike_;  // by result
  std::vector<Assigned> assigned_;
  std::vector<Place> shown_;                               // results are computed from them
  std::vector<ops::SourceSite> read_sites_, write_sites_;  // by variable: of the last one
};

}  // namespace lockstep::runtime
