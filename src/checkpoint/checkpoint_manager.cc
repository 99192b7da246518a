#include <algorithm>
#include <chrono>

#include "base/file.h"
#include "checkpoint/bundle_format.h"
#include "checkpoint/checkpoint_state.h"
#include "lockstep/checkpoint/checkpoint.h"

namespace lockstep {

namespace {

constexpr double kSecondsPerHour = 3600;

double SystemSeconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

bool Exists(base::FileSystem& files, const std::string& prefix) {
  return files.Open(checkpoint::IndexPath(prefix)).ok();
}

// The index first: what is left then is no checkpoint.
Status RemoveCheckpoint(base::FileSystem& files, const std::string& prefix) {
  const auto names = files.List(checkpoint::DirectoryOf(prefix));
  LOCKSTEP_RETURN_IF_ERROR(names.status());
  const std::string name = checkpoint::NameOf(prefix);
  std::vector<std::string> doomed;
  for (const std::string& file : *names) {
    if (file == name + ".index") doomed.insert(doomed.begin(), file);
    if (file.starts_with(name + ".data-")) doomed.push_back(file);
  }
  for (const std::string& file : doomed)
    LOCKSTEP_RETURN_IF_ERROR(
        files.Remove(checkpoint::JoinPath(checkpoint::DirectoryOf(prefix), file)));
  return Status::Ok();
}

}  // namespace

std::optional<std::string> LatestCheckpoint(const std::string& directory) {
  base::FileSystem& files = base::LocalFiles();
  const auto state = checkpoint::ReadCheckpointState(files, directory);
  if (!state.ok() || !*state || !Exists(files, (*state)->latest)) return std::nullopt;
  return (*state)->latest;
}

CheckpointManager::CheckpointManager(Checkpoint& checkpoint, std::string directory,
                                     CheckpointManagerOptions options)
    : checkpoint_(&checkpoint), directory_(std::move(directory)), options_(std::move(options)) {
  if (!options_.now) options_.now = SystemSeconds;
}

Result<CheckpointManager> CheckpointManager::Open(Checkpoint& checkpoint,
                                                  const std::string& directory,
                                                  CheckpointManagerOptions options) {
  if (options.max_to_keep && *options.max_to_keep < 1) {
    return Status(Code::kInvalidArgument, "[checkpoint] at least 1 checkpoint must be kept; got " +
                                              std::to_string(*options.max_to_keep) +
                                              "; leave it out to keep all");
  }
  CheckpointManager manager(checkpoint, directory, std::move(options));
  LOCKSTEP_RETURN_IF_ERROR(manager.Recover());
  return manager;
}

Status CheckpointManager::Recover() {
  const double now = options_.now();
  LOCKSTEP_ASSIGN_OR_RETURN(const auto state,
                            checkpoint::ReadCheckpointState(base::LocalFiles(), directory_));
  last_preserved_ = state && state->last_preserved ? *state->last_preserved : now;
  if (!state) return Status::Ok();
  latest_ = state->latest;
  const bool timed = state->times.size() == state->all.size();
  for (size_t i = 0; i < state->all.size(); ++i)
    kept_.push_back({state->all[i], timed ? state->times[i] : now});
  return Status::Ok();
}

std::vector<std::string> CheckpointManager::Sweep() {
  std::vector<std::string> doomed;
  while (options_.max_to_keep && static_cast<int>(kept_.size()) > *options_.max_to_keep) {
    const Kept oldest = kept_.front();
    kept_.erase(kept_.begin());
    const auto hours = options_.keep_checkpoint_every_n_hours;
    if (hours && oldest.time - *hours * kSecondsPerHour >= last_preserved_) {
      last_preserved_ = oldest.time;
    } else {
      doomed.push_back(oldest.path);
    }
  }
  return doomed;
}

Result<std::string> CheckpointManager::Save(std::optional<int64_t> number,
                                            const CheckpointOptions& save) {
  LOCKSTEP_RETURN_IF_ERROR(checkpoint_->Sync());
  checkpoint_->save_counter_.AssignAdd(Scalar<int64_t>(1));
  const int64_t count = number.value_or(checkpoint_->save_counter_.value().scalar<int64_t>());
  const std::string path =
      checkpoint::JoinPath(directory_, options_.checkpoint_name + "-" + std::to_string(count));
  latest_ = path;
  std::erase_if(kept_, [&](const Kept& kept) { return kept.path == path; });
  kept_.push_back({path, options_.now()});
  const std::vector<std::string> doomed = Sweep();
  checkpoint::CheckpointState state{.latest = checkpoint::NameOf(path),
                                    .last_preserved = last_preserved_};
  for (const Kept& kept : kept_) {
    state.all.push_back(checkpoint::NameOf(kept.path));
    state.times.push_back(kept.time);
  }
  // Listed once it is whole, and only then are others removed.
  LOCKSTEP_RETURN_IF_ERROR(checkpoint_->WriteAnd(
      path, save, /*with_counter=*/true, [directory = directory_, state, doomed]() -> Status {
        base::FileSystem& files = base::LocalFiles();
        LOCKSTEP_RETURN_IF_ERROR(checkpoint::WriteCheckpointState(files, directory, state));
        for (const std::string& prefix : doomed)
          LOCKSTEP_RETURN_IF_ERROR(RemoveCheckpoint(files, prefix));
        return Status::Ok();
      }));
  return path;
}

std::vector<std::string> CheckpointManager::checkpoints() const {
  std::vector<std::string> paths;
  for (const Kept& kept : kept_) paths.push_back(kept.path);
  return paths;
}

Result<std::optional<std::string>> CheckpointManager::RestoreOrInitialize() {
  if (!latest_) return std::optional<std::string>();
  LOCKSTEP_ASSIGN_OR_RETURN(const RestoreStatus status, checkpoint_->Restore(*latest_));
  return std::optional<std::string>(status.path);
}

}  // namespace lockstep
