#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
#include "lockstep/checkpoint/save.h"

namespace lockstep::checkpoint {

/// A directory of saves of one run: save-<step>.lockstep, the newest few, and the file `latest`
/// with the name of the newest complete one. There is always a readable save once there has been
/// one, whatever happens while the next is written.
class SaveDirectory {
 public:
  /// Keeps the newest `keep` saves, at least one.
  SaveDirectory(base::FileSystem& files, std::string path, int keep = 2);

  /// Writes the state after `step` steps, then forgets the oldest. Saves of later steps, left by a
  /// run that went back, count as older than this one.
  Status Write(int64_t step, const SavedState& state);
  /// The newest save; where that is damaged, the one before it, after a warning.
  /// NotFound when there is none, else the newest one's error.
  Result<SavedState> ReadNewest() const;

  std::string PathOf(int64_t step) const;
  /// The path of the newest save, whole or not. NotFound when there is none.
  Result<std::string> NewestPath() const;

 private:
  /// Names of complete saves, the oldest first.
  Result<std::vector<std::string>> Names() const;
  Status NoSave() const;
  Status ForgetOldest(const std::string& newest) const;

  base::FileSystem& files_;
  std::string path_;
  int keep_;
};

/// Reads the save `path`, or the newest one where `path` is a directory.
Result<SavedState> ReadSaveOrNewest(base::FileSystem& files, const std::string& path);

}  // namespace lockstep::checkpoint
