#include "base/copy_past_caches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lockstep::base {
namespace {

TEST(CopyPastCaches, CopiesTheseBytesAndNoOthers) {
  constexpr size_t kMost = 1000, kAround = 200;
  std::vector<uint8_t> from(kMost + kAround), to(kMost + 2 * kAround);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<uint8_t>(i * 37 + 11);
  for (size_t bytes : {0, 1, 31, 63, 64, 65, 127, 128, 129, 200, 1000}) {
    for (size_t shift = 0; shift < 70; ++shift) {
      std::fill(to.begin(), to.end(), uint8_t{0xee});
      CopyPastCaches(to.data() + kAround + shift, from.data() + shift, bytes);
      for (size_t i = 0; i < to.size(); ++i) {
        const bool copied = i >= kAround + shift && i < kAround + shift + bytes;
        ASSERT_EQ(to[i], copied ? from[i - kAround] : 0xee) << bytes << " " << shift << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::base
