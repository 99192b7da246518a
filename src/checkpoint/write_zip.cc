#include <zlib.h>

#include <algorithm>
#include <limits>

#include "checkpoint/zip.h"

namespace lockstep::checkpoint {

namespace {

constexpr uint32_t kLarge = 0xffffffffu;  // "see the zip64 field"
constexpr uint16_t kDate = 1 << 5 | 1;    // 1 January 1980
constexpr uint16_t kUtf8Name = 1 << 11;

template <typename... T>
void Put(std::string& out, T... values) {
  (out.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
}

uint16_t NameFlag(const std::string& name) {
  const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return c >= 0; });
  return ascii ? 0 : kUtf8Name;
}

// The whole deflated, without zlib's header.
Result<std::string> Deflate(const std::vector<std::string_view>& parts, uint64_t size) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return Status(Code::kResourceExhausted, "[npz] there must be memory for zlib; got none");
  std::string out;
  std::string piece(size_t{256} * 1024, '\0');
  const auto run = [&](std::string_view bytes, int flush) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream.avail_out = static_cast<uInt>(piece.size());
      deflate(&stream, flush);
      out.append(piece, 0, piece.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  };
  for (std::string_view part : parts) {
    while (!part.empty()) {
      const size_t step = std::min<size_t>(part.size(), size_t{1} << 30);
      run(part.substr(0, step), Z_NO_FLUSH);
      part.remove_prefix(step);
    }
  }
  run({}, Z_FINISH);
  deflateEnd(&stream);
  return out;
}

}  // namespace

Status ZipWriter::Append(std::string_view bytes) {
  place_ += bytes.size();
  return out_.Append(bytes);
}

Status ZipWriter::Add(const std::string& name, const std::vector<std::string_view>& parts,
                      bool deflated) {
  Member member{.name = name, .offset = place_, .deflated = deflated};
  uLong crc = crc32(0, nullptr, 0);
  for (const std::string_view part : parts) {
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
    member.size += part.size();
  }
  member.crc = static_cast<uint32_t>(crc);
  std::string packed;
  if (deflated) {
    LOCKSTEP_ASSIGN_OR_RETURN(packed, Deflate(parts, member.size));
  }
  member.packed = deflated ? packed.size() : member.size;
  std::string header;
  Put(header, uint32_t{0x04034b50}, uint16_t{45}, NameFlag(name),
      static_cast<uint16_t>(deflated ? 8 : 0), uint16_t{0}, kDate, member.crc, kLarge, kLarge,
      static_cast<uint16_t>(name.size()), uint16_t{20});
  header += name;
  Put(header, uint16_t{1}, uint16_t{16}, member.size, member.packed);
  LOCKSTEP_RETURN_IF_ERROR(Append(header));
  if (deflated) {
    LOCKSTEP_RETURN_IF_ERROR(Append(packed));
  } else {
    for (const std::string_view part : parts) LOCKSTEP_RETURN_IF_ERROR(Append(part));
  }
  members_.push_back(std::move(member));
  return Status::Ok();
}

Status ZipWriter::Finish() {
  const uint64_t begin = place_;
  for (const Member& member : members_) {
    std::string entry;
    Put(entry, uint32_t{0x02014b50}, uint16_t{3 << 8 | 45}, uint16_t{45}, NameFlag(member.name),
        static_cast<uint16_t>(member.deflated ? 8 : 0), uint16_t{0}, kDate, member.crc, kLarge,
        kLarge, static_cast<uint16_t>(member.name.size()), uint16_t{28}, uint16_t{0}, uint16_t{0},
        uint16_t{0}, uint32_t{0600u << 16}, kLarge);
    entry += member.name;
    Put(entry, uint16_t{1}, uint16_t{24}, member.size, member.packed, member.offset);
    LOCKSTEP_RETURN_IF_ERROR(Append(entry));
  }
  const uint64_t count = members_.size(), end = place_;
  std::string tail;
  Put(tail, uint32_t{0x06064b50}, uint64_t{44}, uint16_t{45}, uint16_t{45}, uint32_t{0},
      uint32_t{0}, count, count, end - begin, begin);
  Put(tail, uint32_t{0x07064b50}, uint32_t{0}, end, uint32_t{1});
  const auto few = static_cast<uint16_t>(std::min<uint64_t>(count, 0xffff));
  Put(tail, uint32_t{0x06054b50}, uint16_t{0}, uint16_t{0}, few, few, kLarge, kLarge, uint16_t{0});
  return Append(tail);
}

}  // namespace lockstep::checkpoint
