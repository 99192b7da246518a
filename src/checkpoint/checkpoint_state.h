#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "checkpoint/save_file.h"

/// The file `checkpoint` of a directory of checkpoints: a CheckpointState as protocol buffers'
/// text. Source: checkpoint_state.proto.

namespace lockstep::checkpoint {

struct CheckpointState {
  std::string latest;
  std::vector<std::string> all;
  std::vector<double> times;
  std::optional<double> last_preserved;
};

std::string EncodeCheckpointState(const CheckpointState& state);
/// Nothing for a text of another form.
std::optional<CheckpointState> DecodeCheckpointState(const std::string& text);

/// In one step. Paths stand as they are given.
Status WriteCheckpointState(base::FileSystem& files, const std::string& directory,
                            const CheckpointState& state);
/// Nothing where there is none; DataLoss where it cannot be read. Paths that are not absolute are
/// completed with the directory.
Result<std::optional<CheckpointState>> ReadCheckpointState(base::FileSystem& files,
                                                           const std::string& directory);

/// The last part of a path.
inline std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string JoinPath(const std::string& directory, const std::string& name);

}  // namespace lockstep::checkpoint
