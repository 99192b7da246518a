#include <algorithm>
#include <cstring>

#include "base/crc32c.h"
#include "base/record_format.h"
#include "data/packing.h"

namespace lockstep {

uint32_t Crc32c(std::string_view bytes) { return base::Crc32c(bytes); }
uint32_t MaskedCrc32c(std::string_view bytes) { return base::MaskCrc(base::Crc32c(bytes)); }

namespace {

// A record grows by pieces of this size where the file does not tell how much can come.
constexpr size_t kPiece = size_t{1} << 20;

std::span<uint8_t> Bytes(char* at, size_t count) { return {reinterpret_cast<uint8_t*>(at), count}; }

}  // namespace

class TFRecordReader::Stream {
 public:
  explicit Stream(data::ByteReader bytes) : bytes_(std::move(bytes)) {}

  Result<bool> Next(std::string& record) {
    if (ended_) return false;
    ended_ = true;  // unless all goes well
    char header[base::kRecordHeaderBytes];
    LOCKSTEP_ASSIGN_OR_RETURN(const size_t got, Read(header, sizeof header));
    if (got == 0) return false;
    if (got < sizeof header) return Damaged("a whole header", "the end of the file");
    uint64_t length = 0;
    if (!base::ParseRecordHeader({header, sizeof header}, length))
      return Damaged("the checksum of its length", "another");
    const auto most = bytes_.compressed() ? std::optional<int64_t>() : bytes_.file_bytes();
    if (most && length > static_cast<uint64_t>(*most) - std::min<uint64_t>(*most, place_))
      return Damaged("its " + std::to_string(length) + " bytes", "the end of the file");
    if (bytes_.compressed() && length > static_cast<uint64_t>(bytes_.kVerifiedFirst))
      LOCKSTEP_RETURN_IF_ERROR(bytes_.LookAhead([&] { return VerifyAhead(length); }));
    LOCKSTEP_ASSIGN_OR_RETURN(const bool whole, Fill(record, length));
    char footer[base::kRecordFooterBytes];
    LOCKSTEP_ASSIGN_OR_RETURN(const size_t end, Read(footer, sizeof footer));
    if (!whole || end < sizeof footer)
      return Damaged("its " + std::to_string(length) + " bytes", "the end of the file");
    if (!base::RecordFooterFits({footer, sizeof footer}, record))
      return Damaged("the checksum of its data", "another");
    begin_ = place_;
    ++number_;
    ended_ = false;
    return true;
  }

 private:
  Result<size_t> Read(char* at, size_t count) {
    LOCKSTEP_ASSIGN_OR_RETURN(const size_t got, bytes_.Read(Bytes(at, count)));
    place_ += got;
    return got;
  }

  // Whether the record's bytes and their checksum are there, without keeping them.
  Status VerifyAhead(uint64_t length) {
    std::string piece(std::min<uint64_t>(length, kPiece), '\0');
    uint32_t crc = 0;
    for (uint64_t left = length; left > 0;) {
      const size_t count = std::min<uint64_t>(left, piece.size());
      LOCKSTEP_ASSIGN_OR_RETURN(const size_t got, bytes_.Read(Bytes(piece.data(), count)));
      if (got < count)
        return Damaged("its " + std::to_string(length) + " bytes", "the end of the file");
      crc = base::Crc32c(std::string_view(piece).substr(0, count), crc);
      left -= count;
    }
    char footer[base::kRecordFooterBytes];
    LOCKSTEP_ASSIGN_OR_RETURN(const size_t end, bytes_.Read(Bytes(footer, sizeof footer)));
    uint32_t kept = 0;
    std::memcpy(&kept, footer, sizeof kept);
    if (end < sizeof footer || kept != base::MaskCrc(crc))
      return Damaged("the checksum of its data", "another");
    return Status::Ok();
  }

  // No more memory than there are bytes, whatever the header says.
  Result<bool> Fill(std::string& record, uint64_t length) {
    record.clear();
    const bool trusted = !bytes_.compressed() && bytes_.file_bytes();
    while (record.size() < length) {
      const size_t had = record.size();
      const size_t piece = trusted ? length : std::min<uint64_t>(length - had, kPiece);
      record.resize(had + piece);
      LOCKSTEP_ASSIGN_OR_RETURN(const size_t got, Read(record.data() + had, piece));
      if (got < piece) return false;
    }
    return true;
  }

  Status Damaged(const std::string& rule, const std::string& got) const {
    return Status(Code::kDataLoss, "[tfrecord] a record must have " + rule + "; got " + got +
                                       " (record " + std::to_string(number_) + " at byte " +
                                       std::to_string(begin_) + " of " + bytes_.name() +
                                       "); write the file again, or name its compression");
  }

  data::ByteReader bytes_;
  uint64_t place_ = 0, begin_ = 0;
  int64_t number_ = 0;
  bool ended_ = false;
};

TFRecordReader::TFRecordReader(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}
TFRecordReader::TFRecordReader(TFRecordReader&&) noexcept = default;
TFRecordReader& TFRecordReader::operator=(TFRecordReader&&) noexcept = default;
TFRecordReader::~TFRecordReader() = default;

Result<TFRecordReader> TFRecordReader::Open(const std::string& path, Compression compression) {
  LOCKSTEP_ASSIGN_OR_RETURN(auto bytes, data::ByteReader::Open(path, data::PackingOf(compression)));
  return TFRecordReader(std::make_unique<Stream>(std::move(bytes)));
}

Result<TFRecordReader> TFRecordReader::FromMemory(std::string name, std::string_view bytes,
                                                  Compression compression) {
  const std::span<const uint8_t> view(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  LOCKSTEP_ASSIGN_OR_RETURN(auto reader, data::ByteReader::FromMemory(
                                             std::move(name), view, data::PackingOf(compression)));
  return TFRecordReader(std::make_unique<Stream>(std::move(reader)));
}

Result<bool> TFRecordReader::Next(std::string& record) { return stream_->Next(record); }

}  // namespace lockstep
