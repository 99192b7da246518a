#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
#include "lockstep/checkpoint/save.h"

namespace lockstep::checkpoint {

// The format of docs/save-format.md.
inline constexpr char kMagic[9] = "LOCKSTEP";
inline constexpr uint32_t kVersion = 1;
inline constexpr uint64_t kHeaderBytes = 64;
inline constexpr uint64_t kAlignment = 64;
/// What a file is called until it is complete.
inline constexpr char kUnfinished[] = ".unfinished";

/// SaveState and LoadState on the disk `files`.
Status WriteSave(base::FileSystem& files, const std::string& path, const SavedState& state);
Result<SavedState> ReadSave(base::FileSystem& files, const std::string& path,
                            const TensorFilter& filter = {});

/// Writes `text` to `path` in one step, as `WriteSave` does.
Status ReplaceFile(base::FileSystem& files, const std::string& path, const std::string& text);

inline uint64_t Aligned(uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// The directory of `path`; "." where it names none.
std::string DirectoryOf(const std::string& path);

}  // namespace lockstep::checkpoint
