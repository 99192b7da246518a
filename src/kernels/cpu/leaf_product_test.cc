#include <algorithm>

#include "kernels/cpu/product.h"
#include "kernels/cpu/product_reference.h"

namespace lockstep::kernels {
namespace {

template <typename T>
void CheckLeafProduct(int64_t rows, int64_t columns, int64_t examples) {
  const std::vector<T> a = RandomValues<T>(examples * (rows + 2), 1);
  const std::vector<T> g = RandomValues<T>(examples * (columns + 3), 2);
  std::vector<T> c(static_cast<size_t>(rows * (columns + 1)), T{7});
  LeafProductArguments<T> p = {rows,     columns,     a.data(), rows + 2,
                               g.data(), columns + 3, c.data(), columns + 1};
  for (const std::vector<int64_t>& offsets : LeafTables(examples)) {
    SCOPED_TRACE(testing::Message() << rows << "x" << columns << " of " << examples << " in "
                                    << offsets.size() - 1 << " leaves");
    p.offsets = offsets;
    std::vector<T> reference(c.size(), T{7});
    for (int64_t m = 0; m < rows; ++m) {
      for (int64_t n = 0; n < columns; ++n) {
        reference[static_cast<size_t>(m * p.c_stride + n)] =
            ReferenceLeaves<T>(offsets, [&](T sum, int64_t r) {
              return std::fma(p.a[r * p.a_stride + m], p.g[r * p.g_stride + n], sum);
            });
      }
    }
    OnEveryTarget([&] {
      std::fill(c.begin(), c.end(), T{7});
      LeafProduct(p, 0, rows / 3);
      LeafProduct(p, rows / 3, rows);
      ExpectSameBits<T>(c, reference);
    });
  }
}

TEST(LeafProduct, IsTheTreeOverLeavesOfChains) {
  for (const int64_t examples : {0, 1, 5, 32, 61}) {
    for (const int64_t rows : {1, 13, 70}) {
      for (const int64_t columns : {1, 10, 33}) CheckLeafProduct<float>(rows, columns, examples);
    }
  }
  CheckLeafProduct<float>(67, 131, 130);
}

TEST(LeafProduct, OfLongLeavesFoldsInMemoryWithTheSameTree) {
  CheckLeafProduct<float>(7, 35, 2500);
  CheckLeafProduct<float>(140, 3, 2100);
  CheckLeafProduct<double>(5, 19, 2100);
}

TEST(LeafProduct, OfDoubles) { CheckLeafProduct<double>(13, 10, 41); }

TEST(LeafProduct, AbsentLeavesAreNotAddedAsZero) {
  // Two tiny numbers of unlike signs whose product rounds to -0: a chain from +0 gives +0 - tiny =
  // -0.
  const float a = 1e-30f, g = -1e-30f;
  float c = 1;
  const std::vector<int64_t> offsets = {0, 0, 1, 1};
  OnEveryTarget([&] {
    LeafProduct<float>({1, 1, &a, 1, &g, 1, &c, 1, offsets});
    EXPECT_EQ(c, 0);
    EXPECT_TRUE(std::signbit(c));
  });
}

TEST(LeafProduct, WithoutLeavesIsZero) {
  float c = 1;
  const std::vector<int64_t> offsets = {0};
  LeafProduct<float>({1, 1, nullptr, 1, nullptr, 1, &c, 1, offsets});
  EXPECT_EQ(c, 0);
  EXPECT_FALSE(std::signbit(c));
}

template <typename T>
void CheckLeafSumRows(int64_t columns, int64_t rows) {
  const std::vector<T> g = RandomValues<T>(rows * (columns + 1), 5);
  for (const std::vector<int64_t>& offsets : LeafTables(rows)) {
    std::vector<T> reference;
    for (int64_t n = 0; n < columns; ++n) {
      reference.push_back(ReferenceLeaves<T>(offsets, [&](T sum, int64_t r) {
        const bool first = std::find(offsets.begin(), offsets.end(), r) != offsets.end();
        const T value = g[static_cast<size_t>(r * (columns + 1) + n)];
        return first ? value : sum + value;
      }));
    }
    OnEveryTarget([&] {
      std::vector<T> out(static_cast<size_t>(columns), T{7});
      LeafSumRows(g.data(), columns + 1, offsets, out.data(), 0, columns / 2);
      LeafSumRows(g.data(), columns + 1, offsets, out.data(), columns / 2, columns);
      ExpectSameBits<T>(out, reference);
    });
  }
}

TEST(LeafSumRows, IsTheTreeOverLeavesOfAdds) {
  for (const int64_t columns : {0, 1, 10, 40, 150}) {
    for (const int64_t rows : {0, 1, 32, 61}) CheckLeafSumRows<float>(columns, rows);
  }
  CheckLeafSumRows<double>(37, 29);
}

}  // namespace
}  // namespace lockstep::kernels
