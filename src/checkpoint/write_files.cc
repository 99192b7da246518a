#include "checkpoint/write_files.h"

#include <vector>

#include "checkpoint/save_file.h"

namespace lockstep::checkpoint {

namespace {
constexpr size_t kProbeBytes = size_t{64} << 10;
}  // namespace

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status WriteInOneStep(base::FileSystem& files, const std::string& path,
                      const std::function<Status(base::WritableFile&)>& fill) {
  const std::string unfinished = path + kUnfinished;
  const Status written = [&]() -> Status {
    LOCKSTEP_ASSIGN_OR_RETURN(const auto file, files.Create(unfinished));
    LOCKSTEP_RETURN_IF_ERROR(fill(*file));
    LOCKSTEP_RETURN_IF_ERROR(file->Sync());
    LOCKSTEP_RETURN_IF_ERROR(file->Close());
    return files.Rename(unfinished, path);
  }();
  if (!written.ok()) {
    (void)files.Remove(unfinished);
    return written;
  }
  return files.SyncDirectory(DirectoryOf(path));
}

Status PieceWriter::Append(std::string_view bytes) {
  if (piece_.size() + bytes.size() <= kPieceBytes) {
    piece_ += bytes;
    return Status::Ok();
  }
  LOCKSTEP_RETURN_IF_ERROR(Flush());
  if (bytes.size() < kPieceBytes) {
    piece_ = bytes;
    return Status::Ok();
  }
  return file_.Append(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

Status PieceWriter::Flush() {
  if (piece_.empty()) return Status::Ok();
  const Status status = file_.Append(std::as_bytes(std::span(piece_.data(), piece_.size())));
  piece_.clear();
  return status;
}

Status RequireWritable(base::FileSystem& files, const std::string& directory) {
  const std::string probe = directory + "/lockstep-probe" + kUnfinished;
  const Status written = [&]() -> Status {
    LOCKSTEP_RETURN_IF_ERROR(files.CreateDirectories(directory));
    LOCKSTEP_ASSIGN_OR_RETURN(const auto file, files.Create(probe));
    const std::vector<std::byte> zeros(kProbeBytes);
    const Status appended = file->Append(zeros);
    const Status closed = file->Close();
    LOCKSTEP_RETURN_IF_ERROR(files.Remove(probe));
    return appended.ok() ? closed : appended;
  }();
  return SaveStatus("the directory of saves", written);
}

Status SaveStatus(const std::string& what, const Status& written) {
  if (written.ok()) return written;
  return Status(written.code(), "[save] " + what + " must be written; " + written.message() +
                                    "; make room or save elsewhere, earlier saves are untouched");
}

}  // namespace lockstep::checkpoint
