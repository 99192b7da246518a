#include "collectives/pieces.h"

#include <gtest/gtest.h>

#include <memory>

namespace lockstep::collectives {
namespace {

net::Payload Ones(size_t bytes) {
  return std::make_shared<net::Bytes>(net::Bytes(bytes, std::byte{1}));
}

// Peers must not get what the memory held before: not even the bytes between two pieces.
TEST(Pieces, BeginAtMultiplesOf16WithZerosBetween) {
  net::Bytes body(AlignedPiece(5) + AlignedPiece(16) + 3, std::byte{0xa5});
  size_t end = 0;
  for (size_t bytes : {5u, 0u, 16u, 0u, 3u}) end = AppendPiece(body, end, Ones(bytes));
  ASSERT_EQ(end, body.size());
  for (size_t i = 0; i < body.size(); ++i)
    EXPECT_EQ(body[i], std::byte(i < 5 || i >= 16 ? 1 : 0)) << i;
}

TEST(Pieces, AnEmptyLastPieceEndsTheBodyAtItsBegin) {
  net::Bytes body(AlignedPiece(1), std::byte{0xa5});
  EXPECT_EQ(AppendPiece(body, AppendPiece(body, 0, Ones(1)), {}), 16u);
  for (size_t i = 1; i < 16; ++i) EXPECT_EQ(body[i], std::byte{0}) << i;
}

}  // namespace
}  // namespace lockstep::collectives
