#pragma once

#include <functional>
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

/// The members of an archive, in the order of its directory. No member declares more bytes than
/// deflate can make of its packed bytes. Errors: DataLoss (no zip archive, or a damaged one),
/// Unimplemented (encrypted, several disks, another compression).
Result<std::vector<ZipMember>> ReadZipDirectory(std::string_view archive, const std::string& path);
/// Passes a member's bytes to `take` in pieces of at most 256 KiB, then verifies their number and
/// checksum. Errors: DataLoss; those of `take`, which end the reading.
using TakePiece = std::function<Status(std::string_view piece)>;
Status UnpackZipMember(const ZipMember& member, const std::string& path, const TakePiece& take);
/// The first `bytes` bytes of a member, or all if it has fewer. No checksum is verified.
Result<std::string> ZipMemberStart(const ZipMember& member, const std::string& path, size_t bytes);
/// A member's bytes. Memory is allocated for them after the checksum has been verified.
Result<std::string> ReadZipMember(const ZipMember& member, const std::string& path);

}  // namespace lockstep::checkpoint
