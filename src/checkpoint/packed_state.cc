#include "checkpoint/packed_state.h"

#include <span>
#include <utility>

#include "base/memory_files.h"
#include "checkpoint/save_file.h"

namespace lockstep::checkpoint {

namespace {

constexpr char kName[] = "state";

}  // namespace

std::string PackState(const SavedState& state) {
  base::MemoryFiles files;
  WriteSave(files, kName, state).OrThrow();
  return std::move(base::ReadWholeFile(files, kName)).value();
}

SavedState UnpackState(const std::string& bytes) {
  base::MemoryFiles files;
  const std::unique_ptr<base::WritableFile> file = files.Create(kName).value();
  file->Append(std::as_bytes(std::span(bytes))).OrThrow();
  return ReadSave(files, kName).value();
}

}  // namespace lockstep::checkpoint
