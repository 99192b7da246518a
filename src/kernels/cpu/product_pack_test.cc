#include "kernels/cpu/product_pack.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep::kernels {
namespace {

struct Case {
  int64_t rows, depth, gap;  // gap: a_stride - rows
  int max_rows;
};

std::string Text(const Case& c) {
  return std::to_string(c.rows) + " rows, depth " + std::to_string(c.depth) + ", gap " +
         std::to_string(c.gap) + ", tiles of at most " + std::to_string(c.max_rows);
}

// A is just as large as it must be, so that the address sanitizer sees reads past its end; around
// the packed rows nothing may be written.
template <typename T>
void CheckTiles(const Case& c) {
  constexpr int64_t kBorder = 16;
  const int64_t stride = c.rows + c.gap;
  std::vector<T> a(static_cast<size_t>((c.depth - 1) * stride + c.rows));
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(i + 1);
  const TileRows tiles(c.rows, c.max_rows);
  std::vector<T> expected(static_cast<size_t>(c.rows * c.depth + 2 * kBorder), T{-1});
  for (int64_t t = 0; t < tiles.tiles; ++t) {
    const int64_t first = tiles.Begin(t), height = tiles.Begin(t + 1) - first;
    for (int64_t k = 0; k < c.depth; ++k) {
      for (int64_t i = 0; i < height; ++i) {
        expected[static_cast<size_t>(kBorder + first * c.depth + k * height + i)] =
            a[static_cast<size_t>(k * stride + first + i)];
      }
    }
  }
  std::vector<T> packed(expected.size(), T{-1});
  PackTransposedRows(a.data(), stride, c.depth, tiles, packed.data() + kBorder);
  EXPECT_EQ(packed, expected) << Text(c);
}

TEST(PackTransposedRows, LaysTheRowsOfATileSideBySide) {
  for (const int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 29, 64, 130}) {
    for (const int64_t depth : {1, 2, 7, 8, 9, 16, 33}) {
      for (const int max_rows : {1, 2, 3, 4, 6, 8, 12}) {
        for (const int64_t gap : {0, 1, 5}) {
          CheckTiles<float>({rows, depth, gap, max_rows});
          CheckTiles<double>({rows, depth, gap, max_rows});
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::kernels
