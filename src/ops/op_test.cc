#include "ops/op.h"

#include <gtest/gtest.h>

namespace lockstep::ops {
namespace {

TEST(HasBit, OfMoreInputsThanAMaskHasBits) {
  EXPECT_TRUE(HasBit(0b101, 0));
  EXPECT_FALSE(HasBit(0b101, 1));
  EXPECT_TRUE(HasBit(0x80000000, 31));
  for (const size_t i : {32, 33, 63, 64, 1000}) {
    EXPECT_FALSE(HasBit(0b11, i)) << i;
    EXPECT_FALSE(HasBit(~uint32_t{1}, i)) << i;
    EXPECT_TRUE(HasBit(~uint32_t{0}, i)) << i;
  }
}

}  // namespace
}  // namespace lockstep::ops
