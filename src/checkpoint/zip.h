#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/write_files.h"

/// Zip archives as .npz files are: members stored or deflated, with zip64 where sizes need it.
/// Source: PKWARE's APPNOTE.

namespace lockstep::checkpoint {

/// Writes members one after another, then the directory.
class ZipWriter {
 public:
  explicit ZipWriter(PieceWriter& out) : out_(out) {}
  /// A member made of `parts` one after another. Its time is 1 January 1980, so that equal arrays
  /// make equal files.
  Status Add(const std::string& name, const std::vector<std::string_view>& parts, bool deflated);
  Status Finish();

 private:
  struct Member {
    std::string name;
    uint32_t crc = 0;
    uint64_t size = 0, packed = 0, offset = 0;
    bool deflated = false;
  };
  Status Append(std::string_view bytes);

  PieceWriter& out_;
  uint64_t place_ = 0;
  std::vector<Member> members_;
};

struct ZipMember {
  std::string name;
  std::string_view packed;  // where it lies in the archive
  uint64_t size = 0;
  uint32_t crc = 0;
  bool deflated = false;
};

/// The members of an archive, in the order of its directory. Errors: InvalidArgument (no zip
/// archive), DataLoss (damaged), Unimplemented (encrypted, several disks, another compression).
Result<std::vector<ZipMember>> ReadZipDirectory(std::string_view archive, const std::string& path);
/// A member's bytes, its checksum verified; never more memory than deflate can expand to.
Result<std::string> ReadZipMember(const ZipMember& member, const std::string& path);

}  // namespace lockstep::checkpoint
