#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_reader.h"
#include "lockstep/base/status.h"

namespace lockstep::data {

/// The element types of the IDX format, by their code in the file.
enum class IdxType : uint8_t {
  kUint8 = 0x08,
  kInt8 = 0x09,
  kInt16 = 0x0b,
  kInt32 = 0x0c,
  kFloat32 = 0x0d,
  kFloat64 = 0x0e,
};

/// "uint8", "float32", ...
std::string_view IdxTypeName(IdxType type);
int64_t IdxTypeBytes(IdxType type);

/// What an IDX file declares about its data. `bytes` is the product of `dims` and the type's size.
struct IdxHeader {
  IdxType type = IdxType::kUint8;
  std::vector<int64_t> dims;
  int64_t bytes = 0;

  /// "uint8 [60000,28,28]"
  std::string ToString() const;
};

/// An array as it stood in an IDX file, its elements in this machine's byte order.
struct IdxArray {
  IdxHeader header;
  std::vector<uint8_t> bytes;
};

/// What the reader of a file needs it to hold; anything else is refused before the data are read.
struct IdxExpectation {
  std::string content = "data";  // what the file should hold, for the messages: "images"
  std::optional<int> rank;
  std::optional<IdxType> type;
};

/// Reads an IDX file, plain or gzip (by its first bytes, not by its name).
/// Format, all numbers big-endian:
///   byte 0, 1   zero
///   byte 2      type: 08 uint8, 09 int8, 0b int16, 0c int32, 0d float32, 0e float64
///   byte 3      rank, at most 8 here; 0 is a single element
///   4 x rank    the dimensions, uint32 each
///   then        the elements, row-major; nothing after them
/// Memory: what a header claims allocates nothing. A plain file takes its own size; the buffer of a
///   gzip file is at first 8 times the file's size and doubles as data really arrive.
/// Errors: those of ByteReader; InvalidArgument (no IDX file, unknown type, rank over 8, dimensions
///   beyond 2^63 bytes, not what is expected); DataLoss (empty, truncated, bytes left over).
Result<IdxArray> ReadIdx(const std::string& path, const IdxExpectation& expected = {});

/// The same from any source of bytes, from its front.
Result<IdxArray> ReadIdx(ByteReader& reader, const IdxExpectation& expected = {});

}  // namespace lockstep::data
