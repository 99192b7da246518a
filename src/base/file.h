#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/base/status.h"

/// Files as every room sees them: behind an interface, so that a simulated disk can be full, fail,
/// or lose what was not synced. Codes: NotFound, PermissionDenied, ResourceExhausted (no space
/// left), InvalidArgument (a directory where a file is needed), Unavailable (the disk failed).

namespace lockstep::base {

/// A file that is being written from front to back. Destroying it closes it.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  /// Appends all of `bytes`, or fails; after a failure nothing is known of the file's content.
  virtual Status Append(std::span<const std::byte> bytes) = 0;
  /// Returns when what was appended would survive a loss of power.
  virtual Status Sync() = 0;
  virtual Status Close() = 0;
};

/// A file that is being read at any place.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  virtual uint64_t size() const = 0;
  /// Fills `out` from `offset` on. OutOfRange when the file ends before.
  virtual Status Read(uint64_t offset, std::span<std::byte> out) const = 0;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  /// Makes an empty file, or empties the one there is.
  virtual Result<std::unique_ptr<WritableFile>> Create(const std::string& path) = 0;
  /// Goes on at the end of the file there is, or makes an empty one.
  virtual Result<std::unique_ptr<WritableFile>> Extend(const std::string& path) = 0;
  virtual Result<std::unique_ptr<ReadableFile>> Open(const std::string& path) = 0;
  /// Puts `from` at the place of `to`, in one step; `to` may exist.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  virtual Status Remove(const std::string& path) = 0;
  /// Makes a directory and those above it; Ok when it is there already.
  virtual Status CreateDirectories(const std::string& path) = 0;
  /// Returns when created, renamed and removed names in the directory would survive a loss of
  /// power.
  virtual Status SyncDirectory(const std::string& path) = 0;
  /// The names of the files in a directory, sorted.
  virtual Result<std::vector<std::string>> List(const std::string& path) = 0;
  virtual bool IsDirectory(const std::string& path) = 0;
  /// The same files for work on another thread, which may go on when the scope of this one's has
  /// ended.
  virtual std::shared_ptr<FileSystem> ForThread() {
    return std::shared_ptr<FileSystem>(std::shared_ptr<void>(), this);
  }
};

/// The files of this machine; where a `FilesScope` of the calling thread lives, its files.
FileSystem& LocalFiles();

/// While it lives, its thread has other files in the place of the machine's: those of a simulated
/// disk.
class FilesScope {
 public:
  explicit FilesScope(FileSystem& files);
  ~FilesScope();
  FilesScope(const FilesScope&) = delete;
  FilesScope& operator=(const FilesScope&) = delete;

 private:
  FileSystem* const before_;
};

/// All bytes of a small file.
Result<std::string> ReadWholeFile(FileSystem& files, const std::string& path);

}  // namespace lockstep::base
