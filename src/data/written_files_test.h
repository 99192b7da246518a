#pragma once

// Files for tests: bytes of IDX arrays, gzip, and folders that go when the test ends.

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "base/folder_test.h"

namespace lockstep::data {

using Bytes = std::vector<uint8_t>;

inline Bytes IdxBytes(uint8_t type, const std::vector<uint32_t>& dims, const Bytes& data) {
  Bytes out = {0, 0, type, static_cast<uint8_t>(dims.size())};
  for (const uint32_t dim : dims) {
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<uint8_t>(dim >> shift));
  }
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

/// 0, 1, 2, ..., wrapping at 251, so that no power of two is a period.
inline Bytes Counting(size_t count) {
  Bytes out(count);
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<uint8_t>(i % 251);
  return out;
}

inline Bytes Gzip(const Bytes& bytes) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  Bytes out(deflateBound(&stream, bytes.size()));
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline Bytes Joined(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline Bytes Front(const Bytes& bytes, size_t count) {
  return Bytes(bytes.begin(), bytes.begin() + count);
}

/// A folder of one test, into which it writes bytes.
class TestFolder : public base::TestFolder {
 public:
  std::string Write(const std::string& name, const Bytes& bytes) const {
    std::ofstream file(Path(name), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Path(name);
  }
};

}  // namespace lockstep::data
