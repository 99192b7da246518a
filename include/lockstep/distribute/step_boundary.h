#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/checkpoint/save.h"
#include "lockstep/distribute/strategy.h"

namespace lockstep {

namespace distribute {
class ActivityScope;
}

/// Where workers come into a training and leave it: between two steps of a loop over
/// `Strategy::Run`. `Strategy::Train` has one; a loop of one's own that makes one, for as long as
/// it trains, lets workers come and go, too. All workers make the same calls. Without other
/// workers, and where their number is fixed, nobody comes.
class StepBoundary {
 public:
  /// `kind` tells what sort of loop it is: who comes must be in one of the same sort.
  StepBoundary(Strategy& strategy, std::string kind);
  ~StepBoundary();
  StepBoundary(const StepBoundary&) = delete;
  StepBoundary& operator=(const StepBoundary&) = delete;

  /// Whether this worker comes into a job that trains without it, or was left out of it (then a
  /// call has failed with Aborted): it is to `Enter`, and then goes on where the others are.
  bool entering() const;
  /// Waits to be let in, gives these variables (handles, in the order that `Passed` gave them)
  /// the others' values, and returns what else they told; nothing: the job begins with this
  /// worker, which begins with the rest. Errors: FailedPrecondition when the others are in another
  /// loop, or have other variables.
  std::optional<SavedState> Enter(const std::vector<Tensor>& variables);

  /// What one who comes needs: handles of all variables that steps change, and what else says
  /// where the loop stands. Its tensors' names begin with no "#".
  struct Passed {
    std::vector<Tensor> variables;
    SavedState position;
  };
  /// Between two steps, of which all workers have taken `steps`: lets in who waits and lets go who
  /// leaves. `passed` is called if there is anybody. Who has come in goes on behind this call.
  /// False: all want to leave, so the loop ends. Errors: Cancelled on a worker that leaves.
  bool Pass(int64_t steps, const std::function<Passed()>& passed);

  /// The loop ends here by an error that the other workers may not meet, `why`: those that are
  /// still in the loop half a second later, and so would wait for this worker, get Aborted with
  /// that text.
  void Fail(const std::string& why);
  /// Carries the loop out; an error that leaves it is told so.
  void Guard(const std::function<void()>& loop);

  /// Writes a save, after `steps` steps, of all that one who comes is told, into a directory of
  /// saves; all workers make the call, one writes. Errors: those of SaveState.
  void Save(const std::string& directory, int64_t steps, Passed passed) const;
  /// Gives these variables their values in the directory's newest save, or in the save of that
  /// path, and returns what else it tells. Names may have other numbers, as those of a model that
  /// was made again. Errors: those of LoadState, and those of `Enter`.
  SavedState Resume(const std::string& path, const std::vector<Tensor>& variables) const;

 private:
  bool HearsOfChange(int64_t steps);
  SavedState Described(Passed passed) const;
  SavedState TakeOver(SavedState state, const std::vector<Tensor>& variables) const;
  Strategy& strategy_;
  distribute::Communicator* const ranks_;
  const std::string kind_;
  const std::unique_ptr<distribute::ActivityScope> training_;
  uint64_t hearings_ = 0;  // runs that carried notes, up to the last boundary
};

}  // namespace lockstep
