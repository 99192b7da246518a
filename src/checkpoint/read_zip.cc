#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "base/memory.h"
#include "checkpoint/zip.h"

namespace lockstep::checkpoint {

namespace {

constexpr size_t kEndBytes = 22;
constexpr uint32_t kLarge = 0xffffffffu;
constexpr size_t kZipPieceBytes = size_t{256} * 1024;
// The directory has at least so many bytes for each member.
constexpr uint64_t kEntryBytes = 46;
// Deflate cannot expand by more than this factor.
constexpr uint64_t kMostDeflateExpansion = 1032;
// A member that declares more bytes is verified before memory is allocated for it.
constexpr uint64_t kVerifiedFirst = uint64_t{16} << 20;

Status DamagedZip(const std::string& rule, const std::string& path) {
  return Status(Code::kDataLoss,
                "[npz] " + rule + "; got a damaged archive (" + path + "); write it again");
}

// Little-endian numbers at places of the archive; zero outside of it.
template <typename T>
T At(std::string_view bytes, uint64_t place) {
  T value = 0;
  if (place <= bytes.size() && bytes.size() - place >= sizeof value)
    std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

struct Directory {
  uint64_t offset = 0, count = 0;
};

std::optional<uint64_t> FindEnd(std::string_view archive) {
  const uint64_t most = std::min<uint64_t>(archive.size(), kEndBytes + 0xffff);
  for (uint64_t back = kEndBytes; back <= most; ++back) {
    if (At<uint32_t>(archive, archive.size() - back) == 0x06054b50) return archive.size() - back;
  }
  return std::nullopt;
}

Result<Directory> FindDirectory(std::string_view archive, const std::string& path) {
  const auto end = FindEnd(archive);
  if (!end) {
    return Status(
        Code::kDataLoss,
        "[npz] a zip archive ends with its directory; got another kind of file (" + path + ")");
  }
  Directory directory{At<uint32_t>(archive, *end + 16), At<uint16_t>(archive, *end + 10)};
  const bool wide = directory.offset == kLarge || directory.count == 0xffff;
  if (wide && *end >= 20 && At<uint32_t>(archive, *end - 20) == 0x07064b50) {
    const auto place = At<uint64_t>(archive, *end - 12);
    if (At<uint32_t>(archive, place) != 0x06064b50)
      return DamagedZip("the directory must be where the end says", path);
    directory = {At<uint64_t>(archive, place + 48), At<uint64_t>(archive, place + 32)};
  }
  return directory;
}

// Sizes and offset from the zip64 field, where the entry says that they are there.
bool TakeWide(std::string_view extra, ZipMember& member, uint64_t& packed, uint64_t& offset) {
  while (extra.size() >= 4) {
    const auto kind = At<uint16_t>(extra, 0), length = At<uint16_t>(extra, 2);
    if (length > extra.size() - 4) return false;
    if (kind == 1) {
      const std::string_view field = extra.substr(4, length);
      uint64_t place = 0;
      for (uint64_t* value : {&member.size, &packed, &offset}) {
        if (*value != kLarge) continue;
        if (place + 8 > field.size()) return false;
        *value = At<uint64_t>(field, place);
        place += 8;
      }
    }
    extra.remove_prefix(4 + length);
  }
  return true;
}

// The bytes of a member behind its own header.
std::optional<std::string_view> Packed(std::string_view archive, uint64_t offset, uint64_t size) {
  if (At<uint32_t>(archive, offset) != 0x04034b50) return std::nullopt;
  const uint64_t header =
      30 + uint64_t{At<uint16_t>(archive, offset + 26)} + At<uint16_t>(archive, offset + 28);
  const uint64_t left = archive.size() - offset;
  if (header > left || size > left - header) return std::nullopt;
  return archive.substr(offset + header, size);
}

// Gives a member's bytes piece by piece.
class Inflater {
 public:
  explicit Inflater(const ZipMember& member) : rest_(member.packed), deflated_(member.deflated) {
    if (!deflated_) return;
    piece_.resize(kZipPieceBytes);
    if (inflateInit2(&stream_, -15) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() {
    if (deflated_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// The next piece, empty at the end; false where the packed bytes are damaged. It stays until the
  /// next call.
  bool Next(std::string_view& piece) {
    if (!deflated_) {
      piece = rest_.substr(0, kZipPieceBytes);
      rest_.remove_prefix(piece.size());
      return true;
    }
    size_t made = 0;
    while (!ended_ && made < piece_.size()) {
      const auto given = static_cast<uInt>(std::min<size_t>(rest_.size(), size_t{1} << 30));
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
      stream_.avail_in = given;
      stream_.next_out = reinterpret_cast<Bytef*>(piece_.data() + made);
      stream_.avail_out = static_cast<uInt>(piece_.size() - made);
      const int code = inflate(&stream_, Z_NO_FLUSH);
      rest_.remove_prefix(given - stream_.avail_in);
      made = piece_.size() - stream_.avail_out;
      ended_ = code == Z_STREAM_END;
      // Z_BUF_ERROR, or no progress at the end of the packed bytes: the stream is cut off.
      if (!ended_ && (code != Z_OK || (rest_.empty() && stream_.avail_out > 0))) return false;
    }
    piece = std::string_view(piece_).substr(0, made);
    return true;
  }

 private:
  std::string_view rest_;
  const bool deflated_;
  std::string piece_;
  z_stream stream_ = {};
  bool ended_ = false;
};

}  // namespace

Result<std::vector<ZipMember>> ReadZipDirectory(std::string_view archive, const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const Directory directory, FindDirectory(archive, path));
  std::vector<ZipMember> members;
  members.reserve(std::min<uint64_t>(directory.count, archive.size() / kEntryBytes));
  uint64_t place = directory.offset;
  for (uint64_t i = 0; i < directory.count; ++i) {
    if (At<uint32_t>(archive, place) != 0x02014b50)
      return DamagedZip("the directory must list the members", path);
    const auto flags = At<uint16_t>(archive, place + 8), method = At<uint16_t>(archive, place + 10);
    const auto name = At<uint16_t>(archive, place + 28), extra = At<uint16_t>(archive, place + 30);
    const uint64_t fixed = kEntryBytes,
                   entry = fixed + name + extra + At<uint16_t>(archive, place + 32);
    if (entry > archive.size() - place) return DamagedZip("the directory must be whole", path);
    ZipMember member;
    member.name = archive.substr(place + fixed, name);
    member.crc = At<uint32_t>(archive, place + 16);
    member.size = At<uint32_t>(archive, place + 24);
    member.deflated = method == 8;
    uint64_t packed = At<uint32_t>(archive, place + 20), offset = At<uint32_t>(archive, place + 42);
    if ((method != 0 && method != 8) || (flags & 1) != 0) {
      return Status(Code::kUnimplemented,
                    "[npz] members are stored or deflated, and not encrypted; got method " +
                        std::to_string(method) + " (" + member.name + " of " + path + ")");
    }
    if (!TakeWide(archive.substr(place + fixed + name, extra), member, packed, offset))
      return DamagedZip("a member's sizes must be there", path);
    const auto bytes = Packed(archive, offset, packed);
    if (!bytes || (!member.deflated && packed != member.size))
      return DamagedZip("a member must lie inside the file, behind its header", path);
    if (member.deflated && member.size / kMostDeflateExpansion > packed)
      return DamagedZip("a member must declare no more bytes than its packed bytes can make", path);
    member.packed = *bytes;
    members.push_back(std::move(member));
    place += entry;
  }
  return members;
}

Status UnpackZipMember(const ZipMember& member, const std::string& path, const TakePiece& take) {
  const std::string where = member.name + " of " + path;
  Inflater inflater(member);
  uint64_t size = 0;
  uLong crc = 0;
  while (true) {
    std::string_view piece;
    if (!inflater.Next(piece)) return DamagedZip("a member must be whole", where);
    if (piece.empty()) break;
    size += piece.size();
    if (size > member.size) break;
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
    LOCKSTEP_RETURN_IF_ERROR(take(piece));
  }
  if (size != member.size || static_cast<uint32_t>(crc) != member.crc)
    return DamagedZip("a member must have its size and checksum", where);
  return Status::Ok();
}

Result<std::string> ZipMemberStart(const ZipMember& member, const std::string& path, size_t bytes) {
  Inflater inflater(member);
  std::string start;
  while (start.size() < bytes) {
    std::string_view piece;
    if (!inflater.Next(piece))
      return DamagedZip("a member must be whole", member.name + " of " + path);
    if (piece.empty()) break;
    start.append(piece.substr(0, bytes - start.size()));
  }
  return start;
}

Result<std::string> ReadZipMember(const ZipMember& member, const std::string& path) {
  const auto ignore = [](std::string_view) { return Status::Ok(); };
  // Unpacked twice, because a file that is refused must not take the memory that it asks for.
  if (member.size > kVerifiedFirst) LOCKSTEP_RETURN_IF_ERROR(UnpackZipMember(member, path, ignore));
  base::RequireMemory(member.size, "npz");
  std::string out;
  out.reserve(member.size);
  LOCKSTEP_RETURN_IF_ERROR(UnpackZipMember(member, path, [&](std::string_view piece) {
    out += piece;
    return Status::Ok();
  }));
  return out;
}

}  // namespace lockstep::checkpoint
