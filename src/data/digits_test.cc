#include "data/digits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "data/digit_shapes.h"

namespace lockstep::data {
namespace {

/// FNV-1a over images, then labels.
uint64_t Checksum(const ImageSet& set) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const auto* bytes : {&set.images, &set.labels}) {
    for (const uint8_t byte : *bytes) hash = (hash ^ byte) * 0x100000001b3u;
  }
  return hash;
}

TEST(Digits, AreTheSameOnEveryMachine) {
  // These bits are part of what a seed means: saved jobs and digests stand on them.
  EXPECT_EQ(Checksum(MakeDigits(0, DigitSplit::kTrain, 0, 500)), 0x50254652effd729cu);
  EXPECT_EQ(Checksum(MakeDigits(0, DigitSplit::kTest, 0, 500)), 0x82497eac18e4ba06u);
  EXPECT_EQ(Checksum(MakeDigits(42, DigitSplit::kTrain, 0, 500)), 0xae9fafc93c8d1e36u);
  EXPECT_EQ(Checksum(MakeDigits(42, DigitSplit::kTrain, int64_t{1} << 40, 500)),
            0xb36e1dba25859271u);
}

TEST(Digits, ASliceIsThePartOfTheWhole) {
  const ImageSet whole = MakeDigits(7, DigitSplit::kTrain, 0, 101);
  for (const auto& [first, count] : {std::pair{0, 1}, {0, 0}, {1, 1}, {9, 2}, {13, 37}, {100, 1}}) {
    const ImageSet slice = MakeDigits(7, DigitSplit::kTrain, first, count);
    EXPECT_EQ(slice.count, count);
    ASSERT_EQ(slice.images.size(), static_cast<size_t>(count) * kDigitPixels);
    ASSERT_EQ(slice.labels.size(), static_cast<size_t>(count));
    EXPECT_TRUE(std::equal(slice.images.begin(), slice.images.end(),
                           whole.images.begin() + first * kDigitPixels));
    EXPECT_TRUE(std::equal(slice.labels.begin(), slice.labels.end(), whole.labels.begin() + first));
  }
}

TEST(Digits, EveryBlockOfTenHoldsEveryClass) {
  const ImageSet set = MakeDigits(3, DigitSplit::kTest, 50, 200);
  int moved = 0;
  for (int block = 0; block < 20; ++block) {
    std::array<uint8_t, 10> labels;
    std::copy_n(set.labels.begin() + ptrdiff_t{10} * block, 10, labels.begin());
    moved += labels[0] != 0;
    std::sort(labels.begin(), labels.end());
    EXPECT_EQ(labels, (std::array<uint8_t, 10>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})) << block;
  }
  EXPECT_GT(moved, 10);
}

TEST(Digits, SeedsAndSplitsShareNoExample) {
  std::vector<std::vector<uint8_t>> seen;
  for (const uint64_t seed : {0, 1, 2}) {
    for (const DigitSplit split : {DigitSplit::kTrain, DigitSplit::kTest}) {
      const ImageSet set = MakeDigits(seed, split, 0, 200);
      for (int64_t i = 0; i < set.count; ++i) {
        const auto begin = set.images.begin() + i * kDigitPixels;
        seen.emplace_back(begin, begin + kDigitPixels);
      }
    }
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

TEST(Digits, EveryImageHasInkAndPaper) {
  const ImageSet set = MakeDigits(11, DigitSplit::kTrain, 0, 5000);
  for (int64_t i = 0; i < set.count; ++i) {
    const auto begin = set.images.begin() + i * kDigitPixels;
    const auto dark = std::count_if(begin, begin + kDigitPixels, [](int v) { return v > 60; });
    ASSERT_GE(dark, 10) << "digit " << int{set.labels[i]} << " at " << i;
    ASSERT_LE(dark, 400) << "digit " << int{set.labels[i]} << " at " << i;
  }
}

/// Share of test examples that are nearest to the mean image of their own class.
double NearestMeanAccuracy(const ImageSet& train, const ImageSet& test) {
  std::vector<double> means(kDigitClasses * kDigitPixels);
  for (int64_t i = 0; i < train.count * kDigitPixels; ++i) {
    means[train.labels[i / kDigitPixels] * kDigitPixels + i % kDigitPixels] +=
        static_cast<double>(train.images[i]) * kDigitClasses / static_cast<double>(train.count);
  }
  int right = 0;
  for (int64_t i = 0; i < test.count; ++i) {
    std::array<double, kDigitClasses> distances = {};
    for (int64_t j = 0; j < kDigitClasses * kDigitPixels; ++j) {
      const double d = test.images[i * kDigitPixels + j % kDigitPixels] - means[j];
      distances[j / kDigitPixels] += d * d;
    }
    right +=
        std::min_element(distances.begin(), distances.end()) - distances.begin() == test.labels[i];
  }
  return static_cast<double>(right) / static_cast<double>(test.count);
}

TEST(Digits, CanBeToldApartButNotByTheirMeans) {
  const double accuracy = NearestMeanAccuracy(MakeDigits(1, DigitSplit::kTrain, 0, 5000),
                                              MakeDigits(1, DigitSplit::kTest, 0, 1000));
  EXPECT_GT(accuracy, 0.5);   // by chance: 0.1
  EXPECT_LT(accuracy, 0.85);  // MNIST: 0.82
}

TEST(DigitShapes, StayInsideTheirBoxes) {
  for (int digit = 0; digit < kDigitClasses; ++digit) {
    EXPECT_GE(GlyphStyles(digit).size(), 4u);
    for (const GlyphStyle& style : GlyphStyles(digit)) {
      ASSERT_GE(style.count, 1);
      ASSERT_LE(style.count, GlyphStyle::kMaxStrokes);
      for (int i = 0; i < style.count; ++i) {
        const GlyphStroke& stroke = style.strokes[i];
        ASSERT_GE(stroke.count, 2);
        ASSERT_LE(stroke.count, GlyphStroke::kMaxPoints);
        for (int j = 0; j < GlyphStroke::kMaxPoints; ++j) {
          const GlyphPoint point = stroke.points[j];
          // Every point given is counted: what is behind `count` was never written.
          EXPECT_EQ(point.x == 0 && point.y == 0, j >= stroke.count)
              << digit << " " << i << " " << j;
          EXPECT_LE(point.x, 100);
          EXPECT_LE(point.y, 100);
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::data
