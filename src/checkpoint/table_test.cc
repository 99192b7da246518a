#include "checkpoint/table.h"

#include <gtest/gtest.h>

namespace lockstep::checkpoint {
namespace {

std::string Key(int i) {
  std::string digits = std::to_string(i);
  return "model/layer" + std::string(6 - digits.size(), '0') + digits + "/kernel";
}

TEST(Table, ReadsBackManyBlocks) {
  for (const int count : {0, 1, 16, 17, 33, 30000}) {
    TableBuilder builder;
    TableEntries expected;
    for (int i = 0; i < count; ++i) {
      expected.emplace_back(Key(i), std::string(i % 40, 'v'));
      builder.Add(expected.back().first, expected.back().second);
    }
    const std::string file = builder.Finish();
    EXPECT_EQ(ReadTable(file, "t").OrThrow(), expected) << count;
  }
}

TEST(Table, HasTheBytesOfAnEmptyOne) {
  const std::string file = TableBuilder().Finish();
  // Two blocks of one restart each, with their trailers, then the footer.
  EXPECT_EQ(file.size(), 13u + 13u + 48u);
}

TEST(Table, NoticesEveryFlippedBitAndEveryCut) {
  TableBuilder builder;
  for (int i = 0; i < 20; ++i) builder.Add(Key(i), "value");
  const std::string file = builder.Finish();
  const TableEntries entries = ReadTable(file, "t").OrThrow();
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string bent = file;
    bent[bit / 8] ^= static_cast<char>(1 << bit % 8);
    const auto read = ReadTable(bent, "bent");
    // The padding of the footer and the empty meta block say nothing.
    if (read.ok()) {
      EXPECT_EQ(*read, entries) << bit;
    } else {
      EXPECT_EQ(read.status().code(), Code::kDataLoss) << read.status().message();
    }
  }
  for (size_t left = 0; left < file.size(); ++left)
    EXPECT_EQ(ReadTable(std::string_view(file).substr(0, left), "cut").status().code(),
              Code::kDataLoss);
  EXPECT_EQ(ReadTable("", "x.index").status().message(),
            "[checkpoint] the index must have the footer of a table; got another file or a damaged "
            "one (x.index); take an earlier checkpoint");
}

}  // namespace
}  // namespace lockstep::checkpoint
