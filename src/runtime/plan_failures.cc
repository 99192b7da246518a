// A run that fails must not have written anything. Steps that may fail come in phases before those
// that write; where that can't be, the run writes into copies.

#include <algorithm>
#include <utility>

#include "runtime/plan_compiler.h"

namespace lockstep::runtime {

// Whether `index` fails only for indices for which a gather before it fails: the gradient of an
// embedding need not hold up the updates of all other weights, nor its rows be copied.
bool PlanCompiler::RepeatsCheck(int index) const {
  const Step& step = plan_->steps_[index];
  const graph::Node& node = graph_.node(step.node);
  const std::string& op = node.spec->name;
  const bool sums = op == "UnsortedSegmentSum";
  if (!sums && (!op.starts_with("ResourceScatter") || op == "ResourceScatterDiv")) return false;
  const int64_t limit = (sums ? node.outputs[0] : graph_.type(node.inputs[0])).shape[0];
  for (int before = 0; before < index; ++before) {
    const Step& other = plan_->steps_[before];
    const graph::Node& gather = graph_.node(other.node);
    if (gather.spec->name != "GatherV2" || other.inputs[1] != step.inputs[1]) continue;
    const Shape& from = graph_.type(gather.inputs[0]).shape;
    if (fails_early_[before] && from.rank() > 0 &&
        gather.attributes.GetOr<int64_t>("axis", 0) == 0 && from[0] <= limit) {
      return true;
    }
  }
  return false;
}

void PlanCompiler::FindFailures() {
  const int count = static_cast<int>(plan_->steps_.size());
  std::vector<char> after_write(count, 0);
  fails_early_.assign(count, 0);
  bool writer_fails = false;
  for (int i = 0; i < count; ++i) {
    const Step& step = plan_->steps_[i];
    const auto follows = [&](int before) {
      return before >= 0 && (after_write[before] || !plan_->steps_[before].writes.empty());
    };
    after_write[i] = std::any_of(step.depends.begin(), step.depends.end(), follows) ||
                     std::any_of(step.inputs.begin(), step.inputs.end(),
                                 [&](int slot) { return slot >= 0 && follows(producer_[slot]); });
    if (!step.may_fail || RepeatsCheck(i)) continue;
    // A step that writes, too, fails before it does; there may be one.
    const bool second = !step.writes.empty() && std::exchange(writer_fails, true);
    if (after_write[i] || second) {
      plan_->writes_in_copies_ = true;
    } else {
      fails_early_[i] = 1;
      ++unplaced_failures_;
    }
  }
}

}  // namespace lockstep::runtime
