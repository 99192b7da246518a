#include "lockstep/distribute/step_boundary.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.h"
#include "checkpoint/packed_state.h"
#include "checkpoint/save_directory.h"
#include "checkpoint/saved_names.h"
#include "distribute/workers/change_workers.h"
#include "runtime/variable_cell.h"

namespace lockstep {

namespace {

constexpr int64_t kAskedEach = 4;  // boundary of those before which nothing was heard

// Of handles of this process; those of another keep what they have.
std::vector<std::shared_ptr<runtime::VariableCell>> CellsOf(const std::vector<Tensor>& handles) {
  std::vector<std::shared_ptr<runtime::VariableCell>> cells;
  for (const Tensor& handle : handles) {
    if (auto cell = std::dynamic_pointer_cast<runtime::VariableCell>(handle.object()))
      cells.push_back(std::move(cell));
  }
  return cells;
}

// Several variables may have one name, and a model that is made again has others.
std::string NameAt(size_t place, const std::string& name) {
  return "#" + std::to_string(place) + " " + checkpoint::Unnumbered(name);
}

// The variable that a state has at this place.
std::string DescribeAt(size_t place, const SavedState& state) {
  const std::string begin = NameAt(place, "");
  for (const auto& [name, value] : state.tensors)
    if (name.starts_with(begin))
      return checkpoint::Describe(name.substr(begin.size()), value.dtype(), value.shape());
  return "no more variables";
}

}  // namespace

StepBoundary::StepBoundary(Strategy& strategy, std::string kind)
    : strategy_(strategy),
      ranks_(strategy.ranks()),
      kind_(std::move(kind)),
      training_(
          std::make_unique<distribute::ActivityScope>(ranks_, distribute::Activity::kTraining)) {}
StepBoundary::~StepBoundary() = default;

void StepBoundary::Fail(const std::string& why) { training_->Fail(why); }

void StepBoundary::Guard(const std::function<void()>& loop) { training_->Guard(loop); }

bool StepBoundary::entering() const { return ranks_ != nullptr && ranks_->journal().entering(); }

std::optional<SavedState> StepBoundary::Enter(const std::vector<Tensor>& variables) {
  const auto packed = ranks_->journal().Enter();
  hearings_ = ranks_->notes().hearings();
  if (!packed) return std::nullopt;
  return TakeOver(checkpoint::UnpackState(*packed), variables);
}

SavedState StepBoundary::Described(Passed passed) const {
  SavedState state = std::move(passed.position);
  const auto cells = CellsOf(passed.variables);
  for (size_t i = 0; i < cells.size(); ++i)
    state.tensors.push_back({NameAt(i, cells[i]->name()), cells[i]->Read()});
  state.metadata = nlohmann::json{{"kind", kind_}, {"position", state.metadata}}.dump();
  return state;
}

SavedState StepBoundary::TakeOver(SavedState state, const std::vector<Tensor>& variables) const {
  const auto about = nlohmann::json::parse(state.metadata);
  if (about.value("kind", "") != kind_) {
    throw Error(Code::kFailedPrecondition,
                "[" + kind_ + "] a state of this kind of training is needed; got one of " +
                    about.value("kind", "nothing") +
                    "; workers that join run the others' program, and call what they are in first");
  }
  const auto cells = CellsOf(variables);
  std::vector<const Tensor*> values;
  for (size_t i = 0; i < cells.size(); ++i) {
    const Tensor* value = values.emplace_back(state.Find(NameAt(i, cells[i]->name())));
    if (value != nullptr && value->dtype() == cells[i]->dtype() &&
        value->shape() == cells[i]->shape())
      continue;
    throw Error(Code::kFailedPrecondition,
                "[" + kind_ + "] the program whose training is gone on with is needed; got " +
                    checkpoint::Describe(cells[i]->name(), cells[i]->dtype(), cells[i]->shape()) +
                    " where it has " + DescribeAt(i, state) +
                    "; make the same model and optimizer");
  }
  for (size_t i = 0; i < cells.size(); ++i) cells[i]->Assign(*values[i]);
  state.metadata = about.value("position", "{}");
  return state;
}

void StepBoundary::Save(const std::string& directory, int64_t steps, Passed passed) const {
  if (ranks_ != nullptr) ranks_->journal().Gather();
  const SavedState state = Described(std::move(passed));
  if (ranks_ != nullptr) ranks_->journal().Rebase();
  strategy_.OnChief(
      [&] { return checkpoint::SaveDirectory(base::LocalFiles(), directory).Write(steps, state); });
}

SavedState StepBoundary::Resume(const std::string& path,
                                const std::vector<Tensor>& variables) const {
  return TakeOver(checkpoint::ReadSaveOrNewest(base::LocalFiles(), path).OrThrow(), variables);
}

// Most runs carry notes between the workers; where none did since the last boundary, some ask.
bool StepBoundary::HearsOfChange(int64_t steps) {
  const bool has_heard =
      std::exchange(hearings_, ranks_->notes().hearings()) != ranks_->notes().hearings();
  const bool heard = (ranks_->heard() & distribute::kChangeNote) != 0;
  if (ranks_->roster()->change_waiting() || ranks_->leaving())
    ranks_->notes().Raise(distribute::kChangeNote);
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
    return Described(passed());
  });
}

}  // namespace lockstep
