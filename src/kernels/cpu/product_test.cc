#include "kernels/cpu/product.h"

#include <limits>

#include "kernels/cpu/product_reference.h"
#include "kernels/cpu/product_tile.h"

namespace lockstep::kernels {
namespace {

struct Case {
  int64_t rows, columns, depth;
  bool a_transposed = false, b_transposed = false, bias = false, relu = false;
};

template <typename T>
struct Operands {
  explicit Operands(const Case& c)
      : a(RandomValues<T>((c.rows + 3) * (c.depth + 3), 1)),
        b(RandomValues<T>((c.depth + 5) * (c.columns + 5), 2)),
        bias(RandomValues<T>(c.columns, 3)),
        c(static_cast<size_t>(c.rows * (c.columns + 1)), T{77}) {
    p.rows = c.rows;
    p.columns = c.columns;
    p.depth = c.depth;
    p.a = a.data();
    p.a_transposed = c.a_transposed;
    p.a_stride = (c.a_transposed ? c.rows : c.depth) + 3;
    p.b = b.data();
    p.b_transposed = c.b_transposed;
    p.b_stride = (c.b_transposed ? c.depth : c.columns) + 5;
    p.c = this->c.data();
    p.c_stride = c.columns + 1;
    p.bias = c.bias ? bias.data() : nullptr;
    p.relu = c.relu;
  }

  std::vector<T> Reference() const {
    std::vector<T> result(c.size(), T{77});
    for (int64_t m = 0; m < p.rows; ++m) {
      for (int64_t n = 0; n < p.columns; ++n) {
        T sum = 0;
        for (int64_t k = 0; k < p.depth; ++k) {
          sum = std::fma(p.a_transposed ? p.a[k * p.a_stride + m] : p.a[m * p.a_stride + k],
                         p.b_transposed ? p.b[n * p.b_stride + k] : p.b[k * p.b_stride + n], sum);
        }
        if (p.bias != nullptr) sum += p.bias[n];
        if (p.relu && sum < 0) sum = 0;
        result[static_cast<size_t>(m * p.c_stride + n)] = sum;
      }
    }
    return result;
  }

  std::vector<T> a, b, bias, c;
  ProductArguments<T> p;
};

template <typename T>
void CheckProduct(const Case& test) {
  SCOPED_TRACE(testing::Message() << test.rows << "x" << test.columns << "x" << test.depth << " "
                                  << test.a_transposed << test.b_transposed << test.bias);
  Operands<T> operands(test);
  const std::vector<T> reference = operands.Reference();
  OnEveryTarget([&] {
    for (const int64_t parts : {1, 2, 3}) {
      std::fill(operands.c.begin(), operands.c.end(), T{77});
      for (int64_t part = 0; part < parts; ++part) {
        Product(operands.p, test.rows * part / parts, test.rows * (part + 1) / parts);
      }
      ExpectSameBits<T>(operands.c, reference);
    }
  });
}

TEST(Product, IsTestedOnEveryTarget) {
  std::vector<int> lanes;
  OnEveryTarget([&] { lanes.push_back(ChosenTileFunctions<float>().lanes); });
  EXPECT_EQ(lanes[0], 8);
  EXPECT_EQ(lanes[1], (hwy::SupportedTargets() & HWY_AVX3) != 0 ? 16 : 8);
}

TEST(Product, IsOneChainOverTheDepthForEveryShape) {
  for (const int64_t rows : {0, 1, 2, 7, 8, 13, 50}) {
    for (const int64_t columns : {0, 1, 10, 16, 31, 32, 33, 70}) {
      for (const int64_t depth : {0, 1, 2, 17, 64}) {
        const uint32_t bits = static_cast<uint32_t>(rows * 7 + columns * 3 + depth);
        CheckProduct<float>({rows, columns, depth, (bits & 1) != 0, (bits & 2) != 0,
                             (bits & 4) != 0, (bits & 8) != 0});
      }
    }
  }
}

TEST(Product, KeepsTheChainOverBlocksAndPacking) {
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      CheckProduct<float>({61, 131, 300, a_transposed, b_transposed, true, true});
      CheckProduct<float>({9, 40, 2500, a_transposed, b_transposed, true, false});
      CheckProduct<float>({301, 129, 1100, a_transposed, b_transposed, false, true});
      CheckProduct<double>({17, 37, 1100, a_transposed, b_transposed, true, true});
    }
  }
}

TEST(Product, OfDoublesIsOneChainToo) {
  for (const int64_t rows : {1, 7, 9, 50}) {
    for (const int64_t columns : {1, 10, 16, 17}) {
      CheckProduct<double>({rows, columns, 23, rows % 2 == 0, columns % 2 == 0, true, rows > 7});
    }
  }
}

TEST(Product, ReluLeavesNegativeZeroAndNan) {
  const float one = 1;
  const std::vector<float> bias = {-0.0f, std::numeric_limits<float>::quiet_NaN(), -2, 3};
  std::vector<float> c(4);
  ProductArguments<float> p;
  p.rows = 1;
  p.columns = 4;
  p.a = p.b = &one;
  p.c = c.data();
  p.c_stride = 4;
  p.bias = bias.data();
  p.relu = true;
  OnEveryTarget([&] {
    Product(p);
    EXPECT_FALSE(std::signbit(c[0]));  // +0 + -0
    EXPECT_TRUE(std::isnan(c[1]));
    EXPECT_EQ(c[2], 0);
    EXPECT_FALSE(std::signbit(c[2]));
    EXPECT_EQ(c[3], 3);
  });
}

}  // namespace
}  // namespace lockstep::kernels
