#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "lockstep/base/status.h"

namespace lockstep::base {

/// A file's bytes as memory, read from the disk when they are touched. The file must stay as it is:
/// where somebody cuts it off, touching what is gone ends the process.
class MappedFile {
 public:
  /// Errors: NotFound, PermissionDenied, InvalidArgument (a directory), Unavailable.
  static Result<std::shared_ptr<const MappedFile>> Open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

}  // namespace lockstep::base
