#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "lockstep/base/status.h"

namespace lockstep::data {

/// How a file is compressed as a whole. kDetect: by gzip where it begins with gzip's magic bytes
/// (1f 8b), whatever its name, else not at all.
enum class Packing { kDetect, kNone, kGzip, kZlib };

/// Reads a file's bytes from front to back, decompressed on the way: one gzip member or several,
/// or one zlib stream, checksums verified.
/// Memory: a fixed buffer; nothing is allocated by what the file claims.
/// Errors: NotFound, PermissionDenied, InvalidArgument (a directory), Unavailable (the disk
/// failed), DataLoss (compressed stream corrupt, cut off, or followed by other bytes).
class ByteReader {
 public:
  static Result<ByteReader> Open(const std::string& path, Packing packing = Packing::kDetect);
  /// Reads `bytes`, which must stay alive, as though they were a file called `name`.
  static Result<ByteReader> FromMemory(std::string name, std::span<const uint8_t> bytes,
                                       Packing packing = Packing::kDetect);

  ByteReader(ByteReader&&) noexcept;
  ByteReader& operator=(ByteReader&&) noexcept;
  ~ByteReader();

  /// Fills the front of `out` and returns how much; less than `out.size()` only at the end.
  Result<size_t> Read(std::span<uint8_t> out);

  /// From so many declared bytes on, compressed content is verified by `LookAhead` before memory
  /// is allocated for it, because a small file may unpack to much.
  static constexpr int64_t kVerifiedFirst = int64_t{16} << 20;
  /// Calls `look`, which may read on, then returns to the place from before. Without effect on
  /// a pipe, where `look` is not called. Errors: those of `look`.
  Status LookAhead(const std::function<Status()>& look);

  const std::string& name() const;
  /// True where the bytes are decompressed on the way.
  bool compressed() const;
  /// Size of the file itself; nothing for a pipe.
  std::optional<int64_t> file_bytes() const;
  /// The most bytes that Read can ever give; nothing for a pipe.
  std::optional<int64_t> largest_content() const;

 private:
  class Source;
  explicit ByteReader(std::unique_ptr<Source> source);
  std::unique_ptr<Source> source_;
};

}  // namespace lockstep::data
