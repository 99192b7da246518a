#pragma once

#include <functional>
#include <string>

#include "base/file.h"

namespace lockstep::checkpoint {

/// Fills a new file by `fill`, syncs it, and puts it at the place of `path`, in one step: under the
/// name with `.unfinished` added until then. On failure that file is removed, and what `path` held
/// before has not been touched.
Status WriteInOneStep(base::FileSystem& files, const std::string& path,
                      const std::function<Status(base::WritableFile&)>& fill);

inline constexpr size_t kPieceBytes = size_t{1} << 20;

/// Appends in pieces of a megabyte, however small what comes is; larger ones are not copied.
class PieceWriter {
 public:
  explicit PieceWriter(base::WritableFile& file) : file_(file) {}
  Status Append(std::string_view bytes);
  Status Flush();

 private:
  base::WritableFile& file_;
  std::string piece_;
};

/// Makes the directory where it is missing, and writes and removes a small file in it, so that a
/// training learns before its first step that it cannot be saved there. Errors: those of the files,
/// with the directory's path.
Status RequireWritable(base::FileSystem& files, const std::string& directory);

/// "[save] what must be written; the disk's text; make room ..." where writing failed.
Status SaveStatus(const std::string& what, const Status& written);

}  // namespace lockstep::checkpoint
