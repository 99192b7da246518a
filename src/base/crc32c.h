#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace lockstep::base {

/// CRC-32C (Castagnoli) of `bytes`; with the checksum of what stands before them, of both together.
/// Source: RFC 3720, appendix B.4. Cost: about 8 bytes a cycle, 3 cycles below 12 KiB.
uint32_t Crc32c(std::span<const std::byte> bytes, uint32_t before = 0);
inline uint32_t Crc32c(std::string_view bytes, uint32_t before = 0) {
  return Crc32c(std::as_bytes(std::span(bytes.data(), bytes.size())), before);
}

/// The checksum as files keep it: rotated and shifted, so that checksums of bytes which contain
/// checksums do not go wrong together. Source: LevelDB's log format.
inline uint32_t MaskCrc(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

}  // namespace lockstep::base
