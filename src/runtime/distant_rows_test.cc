#include "runtime/distant_rows.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "runtime/variable_cell.h"
#include "tensor/buffer.h"

namespace lockstep::runtime {
namespace {

constexpr int64_t kRows = 200, kColumns = 3;

std::vector<float> Numbered(float first) {
  std::vector<float> values(kRows * kColumns);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// A variable of zeros whose rows [10, 70) and [128, 200) are somewhere else.
struct Divided {
  Divided() {
    std::vector<DistantRows::Piece> pieces;
    for (const auto& [first, end] : std::vector<std::pair<int64_t, int64_t>>{{10, 70}, {128, 200}})
      pieces.push_back({first, end - first, there,
                        reinterpret_cast<const std::byte*>(there->data() + first * kColumns)});
    cell.AssignDistantRows(std::move(pieces));
  }

  float At(int64_t row) const {
    return reinterpret_cast<const float*>(cell.data_beside_distant_rows())[row * kColumns];
  }
  static bool IsDistant(int64_t row) { return (row >= 10 && row < 70) || row >= 128; }

  std::shared_ptr<std::vector<float>> there = std::make_shared<std::vector<float>>(Numbered(1));
  VariableCell cell{
      "w", Tensor::FromVector(std::vector<float>(kRows* kColumns), Shape{kRows, kColumns})};
  DistantRows& rows = cell.distant_rows();
};

TEST(DistantRows, AreBroughtOneByOneWhenTheyAreNeeded) {
  Divided w;
  EXPECT_EQ(w.cell.version(), 1u);
  EXPECT_TRUE(w.rows.any());
  w.rows.Need(0, uint64_t{1} << 9 | uint64_t{1} << 10 | uint64_t{1} << 63);
  w.rows.Need(64, uint64_t{0b110001});  // 64, 68, 69
  w.rows.Need(192, ~uint64_t{0});       // to the end
  w.rows.Need(256, ~uint64_t{0});       // none is so far
  for (int64_t row = 0; row < kRows; ++row) {
    const bool brought =
        row == 10 || row == 63 || row == 64 || row == 68 || row == 69 || row >= 192;
    EXPECT_EQ(w.At(row), brought ? static_cast<float>(row * kColumns + 1) : 0.0f) << row;
  }
}

TEST(DistantRows, AreAllThereForWhoReadsTheVariable) {
  Divided w;
  w.rows.Need(0, uint64_t{1} << 20);
  const std::vector<float> value = w.cell.Read().ToVector<float>(), there = Numbered(1);
  for (size_t i = 0; i < value.size(); ++i)
    EXPECT_EQ(value[i], Divided::IsDistant(static_cast<int64_t>(i) / kColumns) ? there[i] : 0.0f);
  EXPECT_FALSE(w.rows.any());
  EXPECT_EQ(w.there.use_count(), 1) << "their memory is given back";
}

TEST(DistantRows, AreOnlyThoseOfTheNewestVersion) {
  Divided w;
  w.cell.Assign(Tensor::FromVector(Numbered(5), Shape{kRows, kColumns}));
  EXPECT_FALSE(w.rows.any());
  EXPECT_EQ(w.there.use_count(), 1);
  EXPECT_EQ(w.cell.Read().ToVector<float>(), Numbered(5));
  // As they are not of a buffer that comes back, either.
  Divided again;
  again.cell.Restore(tensor::Buffer::Allocate(DType::kFloat32, kRows * kColumns), 0);
  EXPECT_FALSE(again.rows.any());
  Divided later;
  later.cell.AssignLater([](std::byte* to) {
    const std::vector<float> values = Numbered(7);
    std::copy(values.begin(), values.end(), reinterpret_cast<float*>(to));
  });
  EXPECT_EQ(later.cell.Read().ToVector<float>(), Numbered(7));
}

TEST(DistantRows, NeverChangeWhatWasReadBefore) {
  Divided w;
  const Tensor before = w.cell.Read();
  const std::vector<float> values = before.ToVector<float>();
  w.cell.AssignDistantRows({{0, 2, nullptr, reinterpret_cast<std::byte*>(w.there->data())}});
  w.rows.NeedAll();
  EXPECT_EQ(w.At(1), 4);
  EXPECT_EQ(before.ToVector<float>(), values);
}

TEST(DistantRows, KnowWhereTheyAre) {
  Divided w;
  const size_t row = kColumns * sizeof(float);
  EXPECT_FALSE(w.rows.AreIn(0, 10 * row));
  EXPECT_TRUE(w.rows.AreIn(0, 10 * row + 1));
  EXPECT_TRUE(w.rows.AreIn(69 * row, 128 * row));
  EXPECT_FALSE(w.rows.AreIn(70 * row, 128 * row));
  w.rows.BringAll();
  EXPECT_FALSE(w.rows.AreIn(0, kRows * row));
}

TEST(DistantRows, PayWhereSomeAreNeededAndAllAreKnownToBeFinite) {
  Divided w;
  EXPECT_FALSE(w.rows.pay());
  w.rows.Need(0, 1);
  EXPECT_FALSE(w.rows.pay()) << "who does not know it looks at all of them";
  w.rows.set_are_finite(true);
  w.rows.Need(0, 1);
  EXPECT_TRUE(w.rows.pay());
  w.rows.BringAll();  // somebody reads the variable now and then
  EXPECT_TRUE(w.rows.pay());
  w.rows.NeedAll();
  EXPECT_FALSE(w.rows.pay());
}

TEST(DistantRows, AreKnownToBeFiniteUntilTheValueChanges) {
  const Tensor other = Tensor::FromVector(Numbered(5), Shape{kRows, kColumns});
  for (const auto& change : std::vector<std::function<void(VariableCell&)>>{
           [&](VariableCell& cell) { cell.Assign(other); },
           [](VariableCell& cell) {
             cell.PrepareWrite();
             cell.CommitWrite();
           },
           [](VariableCell& cell) { cell.AssignLater([](std::byte*) {}); },
           [](VariableCell& cell) { cell.AssignDistantRows({}); },
           [](VariableCell& cell) { cell.Restore(cell.buffer(), 3); }}) {
    Divided w;
    w.rows.set_are_finite(true);
    EXPECT_TRUE(w.rows.AreFinite());
    change(w.cell);
    EXPECT_FALSE(w.rows.AreFinite());
  }
}

}  // namespace
}  // namespace lockstep::runtime
