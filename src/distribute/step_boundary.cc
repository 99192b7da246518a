#include "lockstep/distribute/step_boundary.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "checkpoint/packed_state.h"
#include "distribute/workers/change_workers.h"
#include "runtime/variable_cell.h"

namespace lockstep {

namespace {

constexpr int64_t kAskedEach = 4;  // boundary of those before which nothing was heard

using Cells = std::vector<std::pair<std::string, std::shared_ptr<runtime::VariableCell>>>;

// Several variables may have one name: "#0 w", "#1 w".
Cells Named(const std::vector<Tensor>& handles) {
  Cells named;
  std::map<std::string, int> seen;
  for (const Tensor& handle : handles) {
    auto cell = std::dynamic_pointer_cast<runtime::VariableCell>(handle.object());
    if (cell == nullptr) continue;  // of another process, which keeps it
    const std::string name = "#" + std::to_string(seen[cell->name()]++) + " " + cell->name();
    named.emplace_back(name, std::move(cell));
  }
  return named;
}

}  // namespace

StepBoundary::StepBoundary(const Strategy& strategy, std::string kind)
    : ranks_(strategy.ranks()),
      kind_(std::move(kind)),
      training_(
          std::make_unique<distribute::ActivityScope>(ranks_, distribute::Activity::kTraining)) {}
StepBoundary::~StepBoundary() = default;

bool StepBoundary::entering() const { return ranks_ != nullptr && ranks_->journal().entering(); }

std::optional<SavedState> StepBoundary::Enter(const std::vector<Tensor>& variables) {
  const auto packed = ranks_->journal().Enter();
  if (!packed) return std::nullopt;
  SavedState state = checkpoint::UnpackState(*packed);
  const auto about = nlohmann::json::parse(state.metadata);
  if (about.value("kind", "") != kind_) {
    throw Error(Code::kFailedPrecondition,
                "[" + kind_ +
                    "] a worker that joins must run the others' program; got a state of " +
                    about.value("kind", "nothing") + "; call what they are in first");
  }
  for (const auto& [name, cell] : Named(variables)) {
    const Tensor* value = state.Find(name);
    if (value == nullptr) {
      throw Error(Code::kFailedPrecondition,
                  "[" + kind_ + "] a worker that joins must have the others' variables; got " +
                      cell->name() + ", which they do not have; run one program on all workers");
    }
    cell->Assign(*value);
  }
  state.metadata = about.value("position", "{}");
  return state;
}

// Most runs carry notes between the workers; where none did since the last boundary, some ask.
bool StepBoundary::HearsOfChange(int64_t steps) {
  const bool has_heard = std::exchange(hearings_, ranks_->hearings()) != ranks_->hearings();
  const bool heard = (ranks_->heard() & distribute::kChangeNote) != 0;
  if (ranks_->roster()->change_waiting()) ranks_->Raise(distribute::kChangeNote);
  if (has_heard || ranks_->num_ranks() == 1) return heard;
  if (steps % kAskedEach != 0) return false;
  const auto all = ranks_->journal().Exchange(
      [this] { return ranks_->roster()->change_waiting() || ranks_->leaving() ? "change" : ""; });
  return std::any_of(all.begin(), all.end(), [](const std::string& one) { return !one.empty(); });
}

bool StepBoundary::Pass(int64_t steps, const std::function<Passed()>& passed) {
  if (ranks_ == nullptr || ranks_->roster() == nullptr || !HearsOfChange(steps)) return true;
  return distribute::ChangeWorkers(*ranks_, steps, [&] {
    ranks_->journal().Gather();
    Passed given = passed();
    SavedState& state = given.position;
    for (const auto& [name, cell] : Named(given.variables))
      state.tensors.push_back({name, cell->Read()});
    state.metadata = nlohmann::json{{"kind", kind_}, {"position", state.metadata}}.dump();
    return std::move(state);
  });
}

}  // namespace lockstep
