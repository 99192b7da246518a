#include "data/idx.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "base/printf.h"

namespace lockstep::data {
namespace {

constexpr int kMaxRank = 8;
constexpr int64_t kFirstReservation = int64_t{64} * 1024;
// Data rarely compress better; where they do, the buffer grows as they arrive.
constexpr int64_t kUsualExpansion = 8;
constexpr int64_t kStep = int64_t{256} * 1024;

Status Fault(Code code, const ByteReader& reader, const std::string& rule, const std::string& got,
             const std::string& cure) {
  return Status(code, "[idx] " + rule + "; got " + got + " (" + reader.name() + "); " + cure);
}

std::string Hex(std::span<const uint8_t> bytes) {
  std::string out;
  for (const uint8_t byte : bytes) out += (out.empty() ? "" : " ") + base::Printf("%02x", byte);
  return out;
}

std::string CountOf(int64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

bool IsType(uint8_t code) { return code >= 0x08 && code <= 0x0e && code != 0x0a; }

Status CheckMagic(const ByteReader& reader, std::span<const uint8_t> magic) {
  if (magic.empty()) {
    return Fault(Code::kDataLoss, reader, "an IDX file must hold a header", "0 bytes",
                 "the file is empty: fetch it again");
  }
  const auto zeros = magic.first(std::min<size_t>(2, magic.size()));
  if (std::any_of(zeros.begin(), zeros.end(), [](uint8_t byte) { return byte != 0; })) {
    return Fault(Code::kInvalidArgument, reader, "an IDX file must begin with 00 00", Hex(magic),
                 "this is another format: check the path");
  }
  if (magic.size() < 4) {
    return Fault(Code::kDataLoss, reader, "an IDX file must begin with 4 bytes of magic number",
                 CountOf(magic.size()), "the file is truncated: fetch it again");
  }
  if (!IsType(magic[2])) {
    return Fault(Code::kInvalidArgument, reader,
                 "the type code (byte 2) must be 08 uint8, 09 int8, 0b int16, 0c int32, 0d float32 "
                 "or 0e float64",
                 Hex(magic.subspan(2, 1)), "write the data as one of these");
  }
  if (magic[3] > kMaxRank) {
    return Fault(Code::kInvalidArgument, reader,
                 "the rank (byte 3) must be at most " + std::to_string(kMaxRank),
                 std::to_string(magic[3]), "merge dimensions, or check that this is an IDX file");
  }
  return Status::Ok();
}

// The product of the dimensions and the element's size, unless it is beyond int64.
std::optional<int64_t> ByteCount(const IdxHeader& header) {
  // A zero anywhere makes the product zero, however large the rest.
  if (std::count(header.dims.begin(), header.dims.end(), 0) > 0) return 0;
  int64_t bytes = IdxTypeBytes(header.type);
  for (const int64_t dim : header.dims) {
    if (__builtin_mul_overflow(bytes, dim, &bytes)) return std::nullopt;
  }
  return bytes;
}

Result<IdxHeader> ReadHeader(ByteReader& reader) {
  std::array<uint8_t, 4> magic;
  LOCKSTEP_ASSIGN_OR_RETURN(const size_t magic_bytes, reader.Read(magic));
  LOCKSTEP_RETURN_IF_ERROR(CheckMagic(reader, std::span(magic).first(magic_bytes)));
  IdxHeader header;
  header.type = static_cast<IdxType>(magic[2]);
  const size_t rank = magic[3];
  std::array<uint8_t, size_t{4} * kMaxRank> raw;
  LOCKSTEP_ASSIGN_OR_RETURN(const size_t got, reader.Read(std::span(raw).first(4 * rank)));
  if (got < 4 * rank) {
    return Fault(Code::kDataLoss, reader,
                 "a header of rank " + std::to_string(rank) + " must have " +
                     CountOf(4 + 4 * static_cast<int64_t>(rank)),
                 std::to_string(4 + got), "the file is truncated: fetch it again");
  }
  for (size_t i = 0; i < rank; ++i) {
    const uint8_t* at = &raw[4 * i];
    header.dims.push_back(int64_t{at[0]} << 24 | at[1] << 16 | at[2] << 8 | at[3]);
  }
  const std::optional<int64_t> bytes = ByteCount(header);
  if (!bytes) {
    return Fault(Code::kInvalidArgument, reader,
                 "the dimensions must multiply to fewer than 2^63 bytes", header.ToString(),
                 "the header is corrupt: fetch the file again");
  }
  header.bytes = *bytes;
  return header;
}

std::string Expected(const IdxExpectation& expected) {
  std::string out;
  if (expected.type) out += " of type " + std::string(IdxTypeName(*expected.type));
  if (expected.rank)
    out += (out.empty() ? " of rank " : " and rank ") + std::to_string(*expected.rank);
  return out;
}

Status CheckExpected(const ByteReader& reader, const IdxHeader& header,
                     const IdxExpectation& expected) {
  const int rank = static_cast<int>(header.dims.size());
  const bool rank_differs = expected.rank && rank != *expected.rank;
  const bool type_differs = expected.type && header.type != *expected.type;
  if (!rank_differs && !type_differs) return Status::Ok();
  std::string cure = "name a file that holds " + expected.content;
  if (rank_differs && rank == 1) cure = "these look like labels, swap the two files: " + cure;
  if (rank_differs && rank == 3) cure = "these look like images, swap the two files: " + cure;
  return Fault(Code::kInvalidArgument, reader,
               expected.content + " must be an array" + Expected(expected),
               header.ToString() + " (rank " + std::to_string(rank) + ")", cure);
}

// Refuses what a file of this size cannot hold, before anything is allocated for it.
Status CheckSize(const ByteReader& reader, const IdxHeader& header) {
  const std::optional<int64_t> most = reader.largest_content();
  const int64_t header_bytes = 4 + 4 * static_cast<int64_t>(header.dims.size());
  if (!most || header.bytes <= *most - header_bytes) return Status::Ok();
  const std::string got = reader.compressed() ? CountOf(*reader.file_bytes()) +
                                                    " compressed, which cannot expand to that"
                                              : CountOf(*most - header_bytes) + " of data";
  return Fault(Code::kDataLoss, reader,
               header.ToString() + " must be followed by " + CountOf(header.bytes), got,
               "the file is truncated or its header corrupt: fetch it again");
}

Status CutOff(const ByteReader& reader, const IdxHeader& header, int64_t have) {
  return Fault(Code::kDataLoss, reader,
               header.ToString() + " must be followed by " + CountOf(header.bytes),
               CountOf(have) + " of data", "the file is truncated: fetch it again");
}

// Reads exactly the declared bytes; the buffer grows with what has really arrived.
Status ReadData(ByteReader& reader, const IdxHeader& header, std::vector<uint8_t>& out) {
  const std::optional<int64_t> file_bytes = reader.file_bytes();
  int64_t reservation = kFirstReservation;
  if (file_bytes) reservation = *file_bytes * (reader.compressed() ? kUsualExpansion : 1);
  int64_t have = 0;
  while (have < header.bytes) {
    const int64_t want = std::min(header.bytes, std::max(reservation, 2 * have));
    out.reserve(want);
    while (have < want) {  // small steps: pages are touched only when there is data for them
      const int64_t step = std::min(want - have, kStep);
      out.resize(have + step);
      LOCKSTEP_ASSIGN_OR_RETURN(const size_t got, reader.Read(std::span(out).subspan(have)));
      have += static_cast<int64_t>(got);
      if (static_cast<int64_t>(got) < step) {
        return CutOff(reader, header, have);
      }
    }
  }
  return Status::Ok();
}

// Nothing may follow the data. Reading on also makes gzip verify its checksum.
Status CheckEnd(ByteReader& reader, const IdxHeader& header) {
  std::array<uint8_t, 4096> rest;
  LOCKSTEP_ASSIGN_OR_RETURN(const size_t got, reader.Read(rest));
  if (got == 0) return Status::Ok();
  const std::string more = got == rest.size() ? " or more left over" : " left over";
  return Fault(Code::kDataLoss, reader,
               header.ToString() + " must be followed by " + CountOf(header.bytes) + " and the end",
               CountOf(static_cast<int64_t>(got)) + more,
               "the header is corrupt or files were joined: fetch the file again");
}

// Reads the data and what follows without keeping it.
Status SkipData(ByteReader& reader, const IdxHeader& header) {
  std::vector<uint8_t> piece(static_cast<size_t>(kStep));
  for (int64_t left = header.bytes; left > 0;) {
    const auto step = static_cast<size_t>(std::min(left, kStep));
    LOCKSTEP_ASSIGN_OR_RETURN(const size_t got, reader.Read(std::span(piece).first(step)));
    left -= static_cast<int64_t>(got);
    if (got < step) return CutOff(reader, header, header.bytes - left);
  }
  return CheckEnd(reader, header);
}

void ToHostOrder(IdxType type, std::span<uint8_t> bytes) {
  const size_t width = IdxTypeBytes(type);
  if (width == 1 || std::endian::native == std::endian::big) return;
  for (size_t i = 0; i < bytes.size(); i += width) {
    std::reverse(bytes.begin() + i, bytes.begin() + i + width);
  }
}

}  // namespace

std::string_view IdxTypeName(IdxType type) {
  switch (type) {
    case IdxType::kUint8:
      return "uint8";
    case IdxType::kInt8:
      return "int8";
    case IdxType::kInt16:
      return "int16";
    case IdxType::kInt32:
      return "int32";
    case IdxType::kFloat32:
      return "float32";
    case IdxType::kFloat64:
      return "float64";
  }
  return "unknown";
}

int64_t IdxTypeBytes(IdxType type) {
  switch (type) {
    case IdxType::kUint8:
    case IdxType::kInt8:
      return 1;
    case IdxType::kInt16:
      return 2;
    case IdxType::kInt32:
    case IdxType::kFloat32:
      return 4;
    case IdxType::kFloat64:
      return 8;
  }
  return 0;
}

std::string IdxHeader::ToString() const {
  std::string out = std::string(IdxTypeName(type)) + " [";
  for (size_t i = 0; i < dims.size(); ++i) out += (i ? "," : "") + std::to_string(dims[i]);
  return out + "]";
}

Result<IdxArray> ReadIdx(ByteReader& reader, const IdxExpectation& expected) {
  IdxArray array;
  LOCKSTEP_ASSIGN_OR_RETURN(array.header, ReadHeader(reader));
  LOCKSTEP_RETURN_IF_ERROR(CheckExpected(reader, array.header, expected));
  LOCKSTEP_RETURN_IF_ERROR(CheckSize(reader, array.header));
  if (reader.compressed() && array.header.bytes > ByteReader::kVerifiedFirst)
    LOCKSTEP_RETURN_IF_ERROR(reader.LookAhead([&] { return SkipData(reader, array.header); }));
  LOCKSTEP_RETURN_IF_ERROR(ReadData(reader, array.header, array.bytes));
  LOCKSTEP_RETURN_IF_ERROR(CheckEnd(reader, array.header));
  ToHostOrder(array.header.type, array.bytes);
  return array;
}

Result<IdxArray> ReadIdx(const std::string& path, const IdxExpectation& expected) {
  LOCKSTEP_ASSIGN_OR_RETURN(ByteReader reader, ByteReader::Open(path));
  return ReadIdx(reader, expected);
}

}  // namespace lockstep::data
