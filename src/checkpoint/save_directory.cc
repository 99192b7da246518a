#include "checkpoint/save_directory.h"

#include <algorithm>
#include <charconv>

#include "base/log.h"
#include "checkpoint/save_file.h"
#include "checkpoint/write_files.h"

namespace lockstep::checkpoint {

namespace {

constexpr char kLatest[] = "latest";
constexpr std::string_view kPrefix = "save-";
constexpr std::string_view kSuffix = ".lockstep";

// The step in "save-<step>.lockstep"; -1 for another name.
int64_t StepOf(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix) ||
      name.size() <= kPrefix.size() + kSuffix.size()) {
    return -1;
  }
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffix.size());
  int64_t step = -1;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), step);
  return parsed.ec == std::errc() && parsed.ptr == name.data() + name.size() ? step : -1;
}

std::string NameOf(int64_t step) {
  return std::string(kPrefix) + std::to_string(step) + std::string(kSuffix);
}

}  // namespace

SaveDirectory::SaveDirectory(base::FileSystem& files, std::string path, int keep)
    : files_(files), path_(std::move(path)), keep_(std::max(1, keep)) {
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
}

std::string SaveDirectory::PathOf(int64_t step) const { return path_ + "/" + NameOf(step); }

Result<std::vector<std::string>> SaveDirectory::Names() const {
  LOCKSTEP_ASSIGN_OR_RETURN(auto names, files_.List(path_));
  std::erase_if(names, [](const std::string& name) { return StepOf(name) < 0; });
  std::sort(names.begin(), names.end(),
            [](const std::string& a, const std::string& b) { return StepOf(a) < StepOf(b); });
  // A save that `latest` names is newer than one of a later step: the run went back.
  const auto latest = base::ReadWholeFile(files_, path_ + "/" + kLatest);
  if (!latest.ok()) return names;
  const auto place = std::find(names.begin(), names.end(), *latest);
  if (place != names.end()) std::rotate(place, place + 1, names.end());
  return names;
}

Status SaveDirectory::ForgetOldest(const std::string& newest) const {
  LOCKSTEP_ASSIGN_OR_RETURN(auto names, Names());
  std::erase(names, newest);
  while (static_cast<int>(names.size()) > keep_ - 1) {
    // Those of later steps first: they come from a run that this one has replaced.
    const bool later = StepOf(names.back()) > StepOf(newest);
    const auto oldest = later ? names.end() - 1 : names.begin();
    LOCKSTEP_RETURN_IF_ERROR(files_.Remove(path_ + "/" + *oldest));
    names.erase(oldest);
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const auto all, files_.List(path_));
  for (const std::string& name : all) {
    if (name.starts_with(kPrefix) && name.ends_with(kUnfinished)) {
      LOCKSTEP_RETURN_IF_ERROR(files_.Remove(path_ + "/" + name));
    }
  }
  return Status::Ok();
}

Status SaveDirectory::Write(int64_t step, const SavedState& state) {
  LOCKSTEP_RETURN_IF_ERROR(SaveStatus("the directory of saves", files_.CreateDirectories(path_)));
  LOCKSTEP_RETURN_IF_ERROR(WriteSave(files_, PathOf(step), state));
  LOCKSTEP_RETURN_IF_ERROR(ReplaceFile(files_, path_ + "/" + kLatest, NameOf(step)));
  return ForgetOldest(NameOf(step));
}

Status SaveDirectory::NoSave() const {
  return Status(Code::kNotFound,
                "[load] the directory must hold a save, save-<step>.lockstep; got none (" + path_ +
                    "); name the directory that --checkpoint named");
}

Result<std::string> SaveDirectory::NewestPath() const {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto names, Names());
  if (names.empty()) return NoSave();
  return path_ + "/" + names.back();
}

Result<SavedState> SaveDirectory::ReadNewest() const {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto names, Names());
  if (names.empty()) return NoSave();
  Status newest;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    auto state = ReadSave(files_, path_ + "/" + *name);
    if (state.ok()) {
      if (!newest.ok()) {
        base::Log(base::Severity::kWarning,
                  newest.message() + "; going on from " + *name + " instead");
      }
      return state;
    }
    if (newest.ok()) newest = state.status();
    if (state.status().code() != Code::kDataLoss) break;  // an older one would not help
  }
  return newest;
}

Result<SavedState> ReadSaveOrNewest(base::FileSystem& files, const std::string& path) {
  if (files.IsDirectory(path)) return SaveDirectory(files, path).ReadNewest();
  const Status there = files.Open(path).status();
  if (there.code() == Code::kNotFound) {
    return Status(Code::kNotFound,
                  "[load] a save, or a directory of saves, must be there; got "
                  "nothing (" +
                      path + "); name what --checkpoint named");
  }
  return ReadSave(files, path);
}

}  // namespace lockstep::checkpoint
