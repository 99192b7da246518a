#include "base/record_format.h"

#include <cstring>

#include "base/crc32c.h"

namespace lockstep::base {

namespace {

void AppendChecksum(std::string_view data, std::string& out) {
  const uint32_t masked = MaskCrc(Crc32c(data));
  out.append(reinterpret_cast<const char*>(&masked), sizeof masked);
}

bool ChecksumFits(const char* at, std::string_view data) {
  uint32_t masked;
  std::memcpy(&masked, at, sizeof masked);
  return masked == MaskCrc(Crc32c(data));
}

}  // namespace

std::string RecordHeader(uint64_t length) {
  std::string header(reinterpret_cast<const char*>(&length), sizeof length);
  AppendChecksum(std::string(header), header);
  return header;
}

std::string RecordFooter(std::string_view data) {
  std::string footer;
  AppendChecksum(data, footer);
  return footer;
}

bool ParseRecordHeader(std::string_view header, uint64_t& length) {
  if (header.size() != kRecordHeaderBytes) return false;
  std::memcpy(&length, header.data(), sizeof length);
  return ChecksumFits(header.data() + 8, header.substr(0, 8));
}

bool RecordFooterFits(std::string_view footer, std::string_view data) {
  return footer.size() == kRecordFooterBytes && ChecksumFits(footer.data(), data);
}

}  // namespace lockstep::base
