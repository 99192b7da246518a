#include "kernels/cpu/sparse_product.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/flush_denormals.h"
#include "kernels/cpu/product_reference.h"
#include "kernels/cpu/sparse_gradient.h"
#include "kernels/cpu/zeros.h"
#include "kernels/division_test.h"

namespace lockstep::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
constexpr float kSmallest = std::numeric_limits<float>::min();

// Of a hundred elements so many, at irregular places, are other than zero; some of the zeros are
// -0.
std::vector<float> Thin(std::vector<float> values, uint32_t percent, uint32_t seed) {
  std::mt19937 engine(seed);
  for (float& value : values) {
    const uint32_t bits = engine();
    if (bits % 100 >= percent) value = bits % 7 == 0 ? -0.0f : 0.0f;
  }
  return values;
}

// Equal bits, but for which NaN a NaN is.
void ExpectSameNumbers(const std::vector<float>& got, const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i]) && std::isnan(got[i])) continue;
    ASSERT_EQ(std::memcmp(&got[i], &want[i], sizeof(float)), 0)
        << "element " << i << ": " << got[i] << " and " << want[i];
  }
}

struct Case {
  int64_t rows, columns, depth;
  bool bias = false, relu = false, accumulate = false;
};

struct Product3 {
  Product3(const Case& c, std::vector<float> of_a, std::vector<float> of_b)
      : a(std::move(of_a)), b(std::move(of_b)), bias(RandomValues<float>(c.columns, 3)) {
    p.rows = c.rows;
    p.columns = c.columns;
    p.depth = c.depth;
    p.a = a.data();
    p.a_stride = c.depth + 3;
    p.b = b.data();
    p.b_stride = c.columns + 5;
    p.c_stride = c.columns + 1;
    p.bias = c.bias ? bias.data() : nullptr;
    p.relu = c.relu;
    p.accumulate = c.accumulate;
  }

  // The rows in so many calls; with `sparse` by SparseProduct. False where nothing was found.
  bool Run(bool sparse, int64_t parts, std::vector<float>& c) {
    c = RandomValues<float>(p.rows * p.c_stride, 4);
    p.c = c.data();
    const Factor<float> floats = {p.a, p.a_stride};
    SparseFactor factor;
    if (sparse && !factor.Find(p, floats, 0, p.rows)) return false;
    for (int64_t part = 0; part < parts; ++part) {
      const int64_t begin = p.rows * part / parts, end = p.rows * (part + 1) / parts;
      sparse ? SparseProduct(p, floats, factor, begin, end) : Product(p, begin, end);
    }
    return true;
  }

  std::vector<float> a, b, bias;
  ProductArguments<float> p;
};

std::vector<float> A(const Case& c) { return RandomValues<float>(c.rows * (c.depth + 3), 1); }
std::vector<float> B(const Case& c) { return RandomValues<float>(c.depth * (c.columns + 5), 2); }

void CheckProduct(const Case& c, std::vector<float> a, std::vector<float> b, bool finds = true) {
  SCOPED_TRACE(testing::Message() << c.rows << "x" << c.columns << "x" << c.depth << " " << c.bias
                                  << c.relu << c.accumulate);
  Product3 product(c, std::move(a), std::move(b));
  std::vector<float> want, got;
  OnEveryTarget([&] {
    product.Run(false, 1, want);
    for (const int64_t parts : {1, 3}) {
      ASSERT_EQ(product.Run(true, parts, got), finds);
      if (finds) ExpectSameNumbers(got, want);
    }
  });
}

TEST(SparseProduct, GivesTheBitsOfTheWholeChains) {
  uint32_t seed = 0;
  for (const int64_t rows : {4, 7, 67}) {
    for (const int64_t columns : {32, 37, 128, 150}) {
      for (const int64_t depth : {64, 131, 300}) {
        const Case c = {rows, columns, depth, ++seed % 2 == 0, seed % 3 == 0, seed % 5 < 2};
        CheckProduct(c, Thin(A(c), 20, seed), B(c));
      }
    }
  }
}

// Rows of B that are not there until somebody asks for them.
class MissingRows final : public InputRows {
 public:
  MissingRows(std::vector<float>& b, int64_t stride, bool are_finite)
      : b_(b), from_(b), stride_(stride), are_finite_(are_finite) {
    std::fill(b.begin(), b.end(), kNan);
  }
  void Need(int64_t first, uint64_t rows) override {
    EXPECT_EQ(first % 64, 0);
    for (int64_t row = 0; row < 64; ++row)
      if ((rows >> row & 1) != 0) Bring(first + row);
  }
  void NeedAll() override {
    needed_all = true;
    b_ = from_;
  }
  bool AreFinite() const override { return are_finite_; }

  std::set<int64_t> needed;
  bool needed_all = false;

 private:
  void Bring(int64_t row) {
    needed.insert(row);
    std::copy_n(from_.begin() + row * stride_, stride_, b_.begin() + row * stride_);
  }
  std::vector<float>& b_;
  const std::vector<float> from_;
  const int64_t stride_;
  const bool are_finite_;
};

// What a product asks for whose B is not there yet.
struct Asked {
  bool found, all;
  std::set<int64_t> rows;
};

Asked RunWithMissingRows(Product3& product, bool are_finite, std::vector<float>& c) {
  MissingRows rows(product.b, product.p.b_stride, are_finite);
  product.p.b_rows = &rows;
  const bool found = product.Run(true, 1, c);
  product.p.b_rows = nullptr;
  return {found, rows.needed_all, rows.needed};
}

TEST(SparseProduct, AsksForTheRowsThatItReads) {
  for (const int64_t columns : {40, 150}) {
    const Case c = {70, columns, 131};
    std::vector<float> a = Thin(A(c), 20, 1);
    std::set<int64_t> read;
    for (int64_t row = 0; row < c.rows; ++row) {
      for (int64_t k = 0; k < c.depth; ++k) {
        float& x = a[static_cast<size_t>(row * (c.depth + 3) + k)];
        if (k % 3 == 0) x = k % 2 == 0 ? 0.0f : -0.0f;
        if (x != 0) read.insert(k);
      }
    }
    std::vector<float> want, got;
    OnEveryTarget([&] {
      Product3 product(c, a, B(c));
      product.Run(false, 1, want);
      for (const bool are_finite : {false, true}) {
        product.b = B(c);
        product.p.b = product.b.data();
        const Asked asked = RunWithMissingRows(product, are_finite, got);
        ASSERT_TRUE(asked.found);
        ExpectSameNumbers(got, want);
        EXPECT_EQ(asked.all, !are_finite) << "nobody knows whether they are finite";
        EXPECT_EQ(asked.rows, read);
      }
    });
  }
}

// Where nothing is left out, and where numbers round to nothing: the chains are computed whole.
TEST(SparseProduct, AsksForAllRowsWhereItReadsAll) {
  const Case dense = {20, 40, 100}, low = {2, 40, 99}, tiny = {16, 40, 100};
  for (const Case& c : {dense, low, tiny}) {
    const bool rounds = c.rows == tiny.rows;
    std::vector<float> a = c.rows == dense.rows ? A(c) : Thin(A(c), 20, 1), b = B(c);
    if (rounds) {
      for (float& x : a) x = x < 0 ? -kSmallest : x > 0 ? kSmallest : x;
      for (size_t i = 0; i < b.size(); i += 3) b[i] *= kSmallest;
    }
    std::vector<float> want, got;
    OnEveryTarget([&] {
      Product3 product(c, a, b);
      product.Run(false, 1, want);
      const Asked asked = RunWithMissingRows(product, true, got);
      EXPECT_EQ(asked.found, rounds);
      EXPECT_TRUE(asked.all);
      EXPECT_EQ(product.b, b);
      if (rounds) ExpectSameNumbers(got, want);
    });
  }
}

TEST(SparseProduct, OfZerosAlone) {
  for (const float zero : {0.0f, -0.0f}) {
    const Case c = {9, 40, 70, true, false, zero == 0};
    CheckProduct(c, std::vector<float>(A(c).size(), zero), B(c));
  }
}

TEST(SparseProduct, IsNotFoundWhereItWouldNotPay) {
  const Case dense = {20, 40, 100}, narrow = {20, 10, 100}, shallow = {20, 40, 30},
             low = {2, 40, 99};
  CheckProduct(dense, A(dense), B(dense), false);
  CheckProduct(narrow, Thin(A(narrow), 20, 1), B(narrow), false);
  CheckProduct(shallow, Thin(A(shallow), 20, 1), B(shallow), false);
  CheckProduct(low, Thin(A(low), 20, 1), B(low), false);
  const Case nothing = {0, 40, 100};
  CheckProduct(nothing, A(nothing), B(nothing), false);
  // The rows that are looked at first are zero, the others are not.
  std::vector<float> some = A(dense);
  for (int64_t row = 0; row < dense.rows; row += 5) {
    std::fill_n(some.begin() + row * (dense.depth + 3), dense.depth, 0.0f);
    std::fill_n(some.begin() + (row + 2) * (dense.depth + 3), dense.depth, 0.0f);
  }
  CheckProduct(dense, some, B(dense), false);
}

TEST(SparseProduct, LetsNoInfiniteWeightMeetNoZero) {
  const Case c = {16, 40, 100};
  for (const float bad : {kInf, -kInf, kNan}) {
    std::vector<float> b = B(c);
    b[static_cast<size_t>(99 * (c.columns + 5) + 39)] = bad;
    CheckProduct(c, Thin(A(c), 20, 1), b, false);
  }
  // Wherever it stands among the vectors that are looked at together, and behind them.
  const Case wide = {16, 133, 100};
  for (int64_t column = 0; column < wide.columns; column += 4) {
    std::vector<float> b = B(wide);
    b[static_cast<size_t>(50 * (wide.columns + 5) + column)] = kInf;
    CheckProduct(wide, Thin(A(wide), 20, 1), b, false);
  }
}

TEST(SparseProduct, KeepsWhatIsNoNumberInTheSparseFactor) {
  const Case c = {16, 40, 100, true, true};
  std::vector<float> a = Thin(A(c), 20, 1);
  a[5] = kInf;
  a[300] = kNan;
  a[700] = -kInf;
  CheckProduct(c, a, B(c));
  Product3 product(c, a, B(c));
  std::vector<float> got;
  OnEveryTarget([&] {
    ASSERT_TRUE(product.Run(true, 1, got));
    EXPECT_TRUE(std::isnan(got[2 * static_cast<size_t>(c.columns + 1)]));
  });
}

// Products that are too small for their type: the chains become -0, and a zero step may make +0.
TEST(SparseProduct, OfNumbersThatRoundToNothing) {
  const Case c = {16, 40, 100};
  std::vector<float> a = Thin(A(c), 20, 1), b = B(c);
  for (float& x : a) x = x < 0 ? -kSmallest : x > 0 ? kSmallest : x;
  for (size_t i = 0; i < b.size(); i += 3) b[i] *= kSmallest;
  for (size_t i = 1; i < b.size(); i += 9) b[i] = kDenormal;
  CheckProduct(c, a, b);
  const base::FlushDenormals flush;
  CheckProduct(c, a, b);
  for (size_t i = 0; i < a.size(); i += 11) a[i] = kDenormal;
  CheckProduct(c, a, b);
  EXPECT_EQ(_mm_getcsr() & _MM_EXCEPT_UNDERFLOW, _MM_EXCEPT_UNDERFLOW) << "the case is another";
}

TEST(SparseProduct, AsAKernelByRowsAndByDepth) {
  constexpr int64_t kRows = 23, kDepth = 210, kColumns = 36;
  const auto a = Thin(RandomValues<float>(kRows * kDepth, 1), 20, 2);
  const KernelCase given = {
      "MatMul",
      {Tensor::FromVector(a, Shape({kRows, kDepth})),
       Tensor::FromVector(RandomValues<float>(kDepth * kColumns, 3), Shape({kDepth, kColumns}))},
      {{"transpose_a", false}, {"transpose_b", false}}};
  const float* b = given.inputs[1].data<float>().data();
  OnEveryTarget([&] {
    std::vector<float> want(kRows * kColumns), got(want.size());
    ProductArguments<float> p = {kRows, kColumns, kDepth, a.data(),    kDepth,  false,
                                 b,     kColumns, false,  want.data(), kColumns};
    Product(p);
    const DividedKernel divided(given);
    const std::vector<Tensor> whole = divided.RunWhole();
    ExpectSameBits<float>(whole[0].data<float>(), want);
    const void* inputs[] = {a.data(), b};
    void* outputs[] = {got.data()};
    for (const int64_t from : {0, 80, 96}) {
      const int64_t to = from == 0 ? 80 : from == 80 ? 96 : kDepth;
      for (int64_t row = 0; row < kRows; row += 5)
        divided.kernel().RunDepth({inputs, outputs}, row, std::min(row + 5, kRows), from, to);
    }
    ExpectSameBits<float>(got, want);
  });
}

// A block of a gradient of `rows` x `columns` from examples in leaves.
void CheckGradient(int64_t rows, int64_t columns, int64_t examples,
                   const std::vector<int64_t>& leaves, const std::vector<float>& a,
                   const std::vector<float>& g) {
  SCOPED_TRACE(testing::Message() << rows << "x" << columns << " of " << examples << " in "
                                  << leaves.size() - 1);
  OnEveryTarget([&] {
    const FoldPlan plan(leaves);
    GradientTile<float> tile;
    tile.a = a.data();
    tile.a_step = rows + 2;
    tile.g_step = columns + 1;
    tile.c_step = columns + 3;
    tile.rows = rows;
    tile.plan = &plan;
    std::vector<float> want(static_cast<size_t>(rows * tile.c_step), 5), got = want;
    for (const bool sparse : {false, true}) {
      const int64_t width = sparse ? SparseGradientColumns() : GradientTileColumns<float>();
      for (int64_t n = 0; n < columns; n += width) {
        tile.g = g.data() + n;
        tile.c = (sparse ? got : want).data() + n;
        tile.columns = std::min(width, columns - n);
        sparse ? ComputeSparseGradient<float>(tile, {tile.a, tile.a_step})
               : ComputeGradientTile(tile);
      }
    }
    ExpectSameNumbers(got, want);
  });
}

TEST(SparseGradient, GivesTheBitsOfTheWholeChains) {
  uint32_t seed = 0;
  for (const int64_t examples : {1, 40, 150}) {
    for (const std::vector<int64_t>& leaves : LeafTables(examples)) {
      const int64_t rows = 1 + ++seed % 35, columns = 1 + seed * 29 % 131;
      const auto a = Thin(RandomValues<float>(examples * (rows + 2), seed), 5 + seed % 20, seed);
      CheckGradient(rows, columns, examples, leaves, a,
                    RandomValues<float>(examples * (columns + 1), 2));
    }
  }
}

TEST(SparseGradient, OfManyLeavesThatWaitInMemory) {
  for (const int64_t leaves : {16, 31, 64}) {
    std::vector<int64_t> table;
    for (int64_t l = 0; l <= leaves; ++l) table.push_back(500 * l / leaves);
    const auto a = Thin(RandomValues<float>(500 * 35, 1), 20, 2);
    CheckGradient(33, 128, 500, table, a, RandomValues<float>(500 * 129, 3));
  }
}

TEST(SparseGradient, OfNothingZerosAndFullRows) {
  const auto g = RandomValues<float>(30 * 41, 3);
  CheckGradient(5, 40, 0, {0, 0, 0}, std::vector<float>(7), g);
  CheckGradient(5, 40, 30, {0, 16, 30}, std::vector<float>(30 * 7, -0.0f), g);
  CheckGradient(5, 40, 30, {0, 16, 30}, RandomValues<float>(30 * 7, 1), g);
}

TEST(SparseGradient, OfNumbersThatRoundToNothingOrAreNone) {
  auto a = Thin(RandomValues<float>(30 * 7, 1), 20, 1);
  auto g = RandomValues<float>(30 * 41, 3);
  for (float& x : a) x = x < 0 ? -kSmallest : x > 0 ? kSmallest : x;
  for (size_t i = 0; i < g.size(); i += 3) g[i] *= kSmallest;
  for (size_t i = 1; i < g.size(); i += 9) g[i] = kDenormal;
  CheckGradient(5, 40, 30, {0, 16, 30}, a, g);
  {
    const base::FlushDenormals flush;
    CheckGradient(5, 40, 30, {0, 16, 30}, a, g);
  }
  a[10] = kNan;
  a[40] = kInf;
  CheckGradient(5, 40, 30, {0, 16, 30}, a, g);
}

// Bytes of which so many of a hundred are other than zero.
std::vector<uint8_t> ThinBytes(int64_t count, uint32_t percent, uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<uint8_t> bytes(static_cast<size_t>(count));
  for (uint8_t& byte : bytes) byte = engine() % 100 < percent ? 1 + engine() % 255 : 0;
  return bytes;
}

std::vector<float> Scaled(const std::vector<uint8_t>& bytes, float scale) {
  std::vector<float> numbers(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) numbers[i] = static_cast<float>(bytes[i]) * scale;
  return numbers;
}

// Scales of images, one that makes nothing of small bytes, and some that make no numbers.
constexpr float kScales[] = {1 / 255.0f, -0.3f, 1, kSmallest / 8, 3e36f, 0, kInf, kNan};

TEST(ScaledBytes, AreNumbersRoundedOnce) {
  const std::vector<uint8_t> bytes = ThinBytes(300, 80, 1);
  OnEveryTarget([&] {
    for (const float scale : kScales) {
      std::vector<float> got(bytes.size());
      ScaleBytes(bytes.data(), scale, 300, got.data());
      ExpectSameNumbers(got, Scaled(bytes, scale));
      const ByteNumbers numbers(scale);
      for (size_t i = 0; i < bytes.size(); ++i) got[i] = NumberOf(bytes[i], numbers.data());
      ExpectSameNumbers(got, Scaled(bytes, scale));
      EXPECT_EQ(numbers.finite(), std::isfinite(255 * scale));
    }
  });
}

TEST(ScaledBytes, GiveProductsTheBitsOfTheirNumbers) {
  for (const uint32_t percent : {0, 20, 90}) {
    for (const float scale : kScales) {
      for (const int64_t rows : {1, 7, 67}) {
        const Case c = {rows, 37, 131, rows != 7, rows != 1, rows == 7};
        SCOPED_TRACE(testing::Message() << percent << " % of " << rows << " rows times " << scale);
        const std::vector<uint8_t> bytes = ThinBytes(rows * (c.depth + 3), percent, percent + 1);
        Product3 product(c, Scaled(bytes, scale), B(c));
        std::vector<float> want, got;
        OnEveryTarget([&] {
          product.Run(false, 1, want);
          got = RandomValues<float>(rows * product.p.c_stride, 4);
          product.p.c = got.data();
          const ByteNumbers numbers(scale);
          for (const auto& [begin, end] : {std::pair{int64_t{0}, rows / 2}, {rows / 2, rows}}) {
            SparseFactor factor;
            ProductOf<uint8_t>(product.p, {bytes.data(), c.depth + 3, &numbers}, factor, begin,
                               end);
          }
          ExpectSameNumbers(got, want);
        });
      }
    }
  }
}

TEST(ScaledBytes, GiveGradientsTheBitsOfTheirNumbers) {
  uint32_t seed = 0;
  for (const int64_t examples : {1, 40, 150}) {
    for (const std::vector<int64_t>& leaves : LeafTables(examples)) {
      const int64_t rows = 1 + ++seed % 75, columns = 1 + seed * 29 % 131;
      SCOPED_TRACE(testing::Message() << rows << "x" << columns << " of " << examples);
      const auto bytes = ThinBytes(examples * (rows + 2), 5 + seed % 60, seed);
      const auto g = RandomValues<float>(examples * columns, 2);
      const float scale = kScales[seed % 5];
      const auto a = Scaled(bytes, scale);
      const FoldPlan plan(leaves);
      OnEveryTarget([&] {
        const ByteNumbers numbers(scale);
        std::vector<float> want(static_cast<size_t>(rows * columns)), got(want), whole(want);
        for (int64_t n = 0; n < columns; n += SparseGradientColumns()) {
          GradientTile<float> tile = {.g = g.data() + n,
                                      .g_step = columns,
                                      .c_step = columns,
                                      .rows = rows,
                                      .columns = std::min(SparseGradientColumns(), columns - n),
                                      .plan = &plan};
          tile.c = want.data() + n;
          ComputeWholeGradient<float>(tile, {a.data(), rows + 2});
          tile.c = got.data() + n;
          ComputeSparseGradient<uint8_t>(tile, {bytes.data(), rows + 2, &numbers});
          tile.c = whole.data() + n;
          ComputeWholeGradient<uint8_t>(tile, {bytes.data(), rows + 2, &numbers});
        }
        ExpectSameNumbers(got, want);
        ExpectSameNumbers(whole, want);
      });
    }
  }
}

TEST(Zeros, AreCountedAndInfinitiesFound) {
  OnEveryTarget([&] {
    std::vector<float> values(150, 0);
    uint64_t bits[3];
    EXPECT_EQ(MapNonzeroElements(values.data(), 150, bits), 0);
    values[3] = kNan;
    values[64] = -0.0f;
    values[149] = kDenormal;
    EXPECT_EQ(MapNonzeroElements(values.data(), 150, bits), 2);
    EXPECT_EQ(bits[0], 8u);
    EXPECT_EQ(bits[1], 0u);
    EXPECT_EQ(bits[2], uint64_t{1} << 21);
    EXPECT_EQ(MapNonzeroElements(values.data(), 149, bits), 1);
    for (const int64_t count : {1, 31, 64, 100, 150}) {
      std::vector<uint8_t> bytes = ThinBytes(150, 30, 5);
      const int64_t found = MapNonzeroElements(bytes.data(), count, bits);
      EXPECT_EQ(found, count - std::count(bytes.begin(), bytes.begin() + count, 0));
      for (int64_t i = 0; i < count; ++i)
        EXPECT_EQ((bits[i / 64] >> i % 64 & 1) != 0, bytes[static_cast<size_t>(i)] != 0) << i;
    }
    EXPECT_TRUE(SeemsSparse(values.data(), 15, 10, 15, kSparseGradient));
    EXPECT_FALSE(SeemsSparse(RandomValues<float>(150, 1).data(), 15, 10, 15, kSparseProduct));
    EXPECT_FALSE(AllFinite(values.data(), 15, 10, 15));
    EXPECT_TRUE(AllFinite(values.data() + 4, 14, 10, 14));
    for (size_t at : {4, 20, 57, 149}) {
      values[at] = at % 2 == 0 ? kInf : -kInf;
      EXPECT_FALSE(AllFinite(values.data() + 4, 73, 2, 73));
      values[at] = 1;
    }
  });
}

}  // namespace
}  // namespace lockstep::kernels
