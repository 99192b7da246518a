#include "base/copy_between_cores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace lockstep::base {
namespace {

using Copy = std::function<void(void* to, const void* from, size_t bytes)>;

void CopiesTheseBytesAndNoOthers(const Copy& copy, const std::vector<size_t>& sizes) {
  constexpr size_t kAround = 200;
  const size_t most = sizes.back();
  std::vector<uint8_t> from(most + kAround), to(most + 2 * kAround);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<uint8_t>(i * 37 + 11);
  for (const size_t bytes : sizes) {
    for (size_t shift = 0; shift < 70; ++shift) {
      std::fill(to.begin(), to.end(), uint8_t{0xee});
      copy(to.data() + kAround + shift, from.data() + shift, bytes);
      for (size_t i = 0; i < to.size(); ++i) {
        const bool copied = i >= kAround + shift && i < kAround + shift + bytes;
        ASSERT_EQ(to[i], copied ? from[i - kAround] : 0xee) << bytes << " " << shift << " " << i;
      }
    }
  }
}

TEST(CopyBetweenCores, CopiesTheseBytesAndNoOthers) {
  CopiesTheseBytesAndNoOthers(CopyPastCaches, {0, 1, 31, 63, 64, 65, 127, 128, 129, 200, 1000});
  for (const bool by_pages : {false, true}) {
    const auto copy = [by_pages](void* to, const void* from, size_t bytes) {
      CopyFromOtherCore(to, from, bytes, by_pages);
    };
    CopiesTheseBytesAndNoOthers(copy, {0, 1, 63, 64, 200, 8192, 8193, 9000, 16384, 20000, 33000});
  }
}

}  // namespace
}  // namespace lockstep::base
