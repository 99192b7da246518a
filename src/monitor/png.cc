#include "monitor/png.h"

#include <zlib.h>

#include "base/check.h"

namespace lockstep::monitor {

namespace {

void PutBigEndian(uint32_t value, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

void AppendChunk(const std::string& type, const std::string& content, std::string& file) {
  PutBigEndian(static_cast<uint32_t>(content.size()), file);
  const std::string checked = type + content;
  file += checked;
  PutBigEndian(static_cast<uint32_t>(
                   crc32_z(0, reinterpret_cast<const Bytef*>(checked.data()), checked.size())),
               file);
}

// The rows as differences to the pixel on their left, which deflate well.
std::string FilteredRows(std::span<const uint8_t> pixels, uint32_t height, size_t row_bytes,
                         int channels) {
  std::string rows;
  rows.reserve(height * (row_bytes + 1));
  for (uint32_t y = 0; y < height; ++y) {
    const auto row = pixels.subspan(y * row_bytes, row_bytes);
    rows += '\1';
    for (size_t x = 0; x < row_bytes; ++x) {
      const int left = x < static_cast<size_t>(channels) ? 0 : row[x - channels];
      rows += static_cast<char>(row[x] - left);
    }
  }
  return rows;
}

}  // namespace

std::string EncodePng(std::span<const uint8_t> pixels, uint32_t height, uint32_t width,
                      int channels) {
  const size_t row_bytes = static_cast<size_t>(width) * channels;
  LOCKSTEP_CHECK_EQ(pixels.size(), height * row_bytes);
  constexpr char kColorTypes[] = {0, 0, 4, 2, 6};
  std::string file("\x89PNG\r\n\x1a\n", 8);
  std::string header;
  PutBigEndian(width, header);
  PutBigEndian(height, header);
  header += {8, kColorTypes[channels], 0, 0, 0};
  AppendChunk("IHDR", header, file);
  const std::string rows = FilteredRows(pixels, height, row_bytes, channels);
  uLongf size = compressBound(rows.size());
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
            reinterpret_cast<const Bytef*>(rows.data()), rows.size(), Z_BEST_SPEED);
  packed.resize(size);
  AppendChunk("IDAT", packed, file);
  AppendChunk("IEND", "", file);
  return file;
}

}  // namespace lockstep::monitor
