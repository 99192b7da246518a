#include "checkpoint/packed_state.h"

#include <span>
#include <utility>

#include "base/memory_files.h"
#include "checkpoint/save_file.h"

namespace lockstep::checkpoint {

namespace {

constexpr char kPackedName[] = "state";

}  // namespace

std::string PackState(const SavedState& state) {
  base::MemoryFiles files;
  WriteSave(files, kPackedName, state).OrThrow();
  return std::move(base::ReadWholeFile(files, kPackedName)).value();
}

SavedState UnpackState(const std::string& bytes) {
  base::MemoryFiles files;
  const std::unique_ptr<base::WritableFile> file = files.Create(kPackedName).value();
  file->Append(std::as_bytes(std::span(bytes))).OrThrow();
  return ReadSave(files, kPackedName).value();
}

}  // namespace lockstep::checkpoint
