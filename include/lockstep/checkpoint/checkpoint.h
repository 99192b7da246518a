#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/base/status.h"
#include "lockstep/runtime/variable.h"

/// TensorFlow's checkpoints: variables under their paths in a graph of objects, which TensorFlow
/// restores, and whose own are restored here.

namespace lockstep {

struct TrackedPart;

/// An object that a checkpoint keeps: a variable, or something with named parts.
/// Copying copies the reference. Source: tf.__internal__.tracking.Trackable.
class Trackable {
 public:
  using Parts = std::function<std::vector<TrackedPart>()>;

  /// Something without parts yet.
  Trackable();
  Trackable(const Variable& variable);  // NOLINT: implicit by design
  /// Something whose parts are asked for at each save and restore. Two of the same `identity`
  /// (any address that is not null) are one object.
  explicit Trackable(Parts parts, const void* identity = nullptr);

  /// Adds a part; parts keep their order. InvalidArgument for a variable, and for a name that is
  /// there.
  Trackable& Add(const std::string& name, const Trackable& part);
  std::vector<TrackedPart> parts() const;
  /// The variable that this is, or one that is not defined.
  const Variable& variable() const;
  /// Equal for references to one object.
  const void* identity() const;

 private:
  struct Object;
  std::shared_ptr<Object> object_;
};

struct TrackedPart {
  std::string name;
  Trackable object;
};

/// What became of a restore.
class RestoreStatus {
 public:
  /// FailedPrecondition, naming them, unless every saved value and every variable met its match.
  const RestoreStatus& AssertConsumed() const;
  /// The same for variables alone; saved values may be left.
  const RestoreStatus& AssertExistingObjectsMatched() const;
  /// FailedPrecondition when no variable met a saved value.
  const RestoreStatus& AssertNontrivialMatch() const;

  /// Names of saved values that no variable took, and paths of variables without a saved value.
  std::vector<std::string> unused, missing;
  int64_t restored = 0;
  std::string path;
};

struct CheckpointOptions {
  /// Returns once the values are held; the files are written by a thread of its own. A variable
  /// that changes meanwhile does so in a copy. A later call waits for this one, and reports what
  /// went wrong with it.
  bool enable_async = false;
  /// Who writes, where several workers save at once: is given the path, and what writes its files
  /// or, with `enable_async`, starts to. All hold the values, and count the saves. Nothing: who
  /// saves writes. Over workers: `[&](auto& path, auto& write) { strategy.OnOne(path, write); }`.
  std::function<void(const std::string& path, const std::function<Status()>& write)> on_one = {};
};

/// Objects by name, saved and restored together. Source: tf.train.Checkpoint.
/// Files: a tensor bundle (tensor_bundle.h) with the tensor `_CHECKPOINTABLE_OBJECT_GRAPH`, and for
/// `Save` the text file `checkpoint`.  Errors: those of WriteTensorBundle and TensorBundle.
/// Threads: one at a time.
class Checkpoint {
 public:
  /// Parts in the order of their names, as TensorFlow has keyword arguments.
  explicit Checkpoint(std::vector<TrackedPart> objects = {});
  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  /// Writes to `prefix` as it is.
  Status Write(const std::string& prefix, const CheckpointOptions& options = {});
  /// Counts the saves, writes to "PREFIX-<count>" and makes it the directory's latest; its path.
  Result<std::string> Save(const std::string& prefix, const CheckpointOptions& options = {});
  /// Waits for what is being written, and says how it ended.
  Status Sync();

  /// Assigns the saved values to the variables at the same places of the graph, all or none:
  /// InvalidArgument for another dtype or shape, naming both.
  Result<RestoreStatus> Restore(const std::string& path);
  /// The same, and does not read the count of saves.
  Result<RestoreStatus> Read(const std::string& path);

  const Variable& save_counter() const { return save_counter_; }

 private:
  friend class CheckpointManager;
  class Writer;
  std::vector<TrackedPart> Objects(bool with_counter) const;
  Status WriteAnd(const std::string& prefix, const CheckpointOptions& options, bool with_counter,
                  std::function<Status()> then);
  Result<RestoreStatus> RestoreObjects(const std::string& path, bool with_counter);

  Trackable root_;
  Variable save_counter_;
  std::unique_ptr<Writer> writer_;
};

/// The path that the file `checkpoint` of a directory names, if its files are there; nothing
/// without one. Source: tf.train.latest_checkpoint.
std::optional<std::string> LatestCheckpoint(const std::string& directory);

struct CheckpointManagerOptions {
  /// How many of the newest are kept; nothing: all.
  std::optional<int> max_to_keep = {};
  /// Besides, one that is this much younger than the last one kept for good.
  std::optional<double> keep_checkpoint_every_n_hours = {};
  std::string checkpoint_name = "ckpt";
  /// Seconds since 1970; for tests. By default the machine's clock.
  std::function<double()> now = {};
};

/// Saves a checkpoint again and again into one directory and removes old ones; goes on from what
/// the file `checkpoint` of the directory lists. Source: tf.train.CheckpointManager.
class CheckpointManager {
 public:
  /// InvalidArgument for max_to_keep below 1; DataLoss for a file `checkpoint` that cannot be read.
  static Result<CheckpointManager> Open(Checkpoint& checkpoint, const std::string& directory,
                                        CheckpointManagerOptions options);

  /// Saves under the count of saves, or under `number`; the path.
  Result<std::string> Save(std::optional<int64_t> number = {}, const CheckpointOptions& save = {});
  /// The newest, and all that are kept, oldest first.
  const std::optional<std::string>& latest_checkpoint() const { return latest_; }
  std::vector<std::string> checkpoints() const;
  /// Restores the newest; the path, or nothing where there is none.
  Result<std::optional<std::string>> RestoreOrInitialize();

 private:
  struct Kept {
    std::string path;
    double time = 0;
  };
  CheckpointManager(Checkpoint& checkpoint, std::string directory,
                    CheckpointManagerOptions options);
  Status Recover();
  /// Forgets the oldest; the paths of those that are to be removed.
  std::vector<std::string> Sweep();

  Checkpoint* checkpoint_;
  std::string directory_;
  CheckpointManagerOptions options_;
  std::optional<std::string> latest_;
  std::vector<Kept> kept_;
  double last_preserved_ = 0;
};

}  // namespace lockstep
