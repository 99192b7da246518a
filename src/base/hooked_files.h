#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"

namespace lockstep::base {

/// Other files, with something that comes before each operation on them: an error of it is the
/// operation's, which then is not carried out. `files` outlives it, and what it opens.
class HookedFiles final : public FileSystem {
 public:
  /// `changes`: whether the operation changes what is on the disk.
  using Before = std::function<Status(bool changes)>;
  /// `before_elsewhere`: makes what comes before those of another thread; null: `before`, which
  /// then may be called on any.
  HookedFiles(FileSystem& files, Before before, std::function<Before()> before_elsewhere = nullptr)
      : files_(files), before_(std::move(before)), before_elsewhere_(std::move(before_elsewhere)) {}

  Result<std::unique_ptr<WritableFile>> Create(const std::string& path) override;
  Result<std::unique_ptr<WritableFile>> Extend(const std::string& path) override;
  Result<std::unique_ptr<ReadableFile>> Open(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status Remove(const std::string& path) override;
  Status CreateDirectories(const std::string& path) override;
  Status SyncDirectory(const std::string& path) override;
  Result<std::vector<std::string>> List(const std::string& path) override;
  bool IsDirectory(const std::string& path) override;
  std::shared_ptr<FileSystem> ForThread() override;

 private:
  class Writer;

  FileSystem& files_;
  const Before before_;
  const std::function<Before()> before_elsewhere_;
};

}  // namespace lockstep::base
