#include "data/mnist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/written_files_test.h"

namespace lockstep::data {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Bytes Images(uint32_t count) {
  return IdxBytes(0x08, {count, 28, 28}, Counting(static_cast<size_t>(count) * 784));
}
Bytes Labels(const Bytes& labels) {
  return IdxBytes(0x08, {static_cast<uint32_t>(labels.size())}, labels);
}

/// A right set of three training and two test examples, of which a test may spoil a file.
void WriteSet(const TestFolder& folder) {
  folder.Write("train-images-idx3-ubyte", Images(3));
  folder.Write("train-labels-idx1-ubyte", Labels({9, 0, 5}));
  folder.Write("t10k-images-idx3-ubyte", Images(2));
  folder.Write("t10k-labels-idx1-ubyte", Labels({1, 2}));
}

void ExpectSet(const Result<ImageData>& data) {
  ASSERT_TRUE(data.ok()) << data.status().ToString();
  EXPECT_EQ(data->train.count, 3);
  EXPECT_EQ(data->train.height, 28);
  EXPECT_EQ(data->train.width, 28);
  EXPECT_EQ(data->train.images, Counting(size_t{3} * 784));
  EXPECT_EQ(data->train.labels, (Bytes{9, 0, 5}));
  EXPECT_EQ(data->test.count, 2);
  EXPECT_EQ(data->test.images, Counting(size_t{2} * 784));
  EXPECT_EQ(data->test.labels, (Bytes{1, 2}));
}

TEST(Mnist, LoadsPlainFiles) {
  const TestFolder folder;
  WriteSet(folder);
  ExpectSet(LoadMnist(folder.path()));
}

TEST(Mnist, LoadsCompressedFilesAndNamesWithADot) {
  const TestFolder folder;
  folder.Write("train-images-idx3-ubyte.gz", Gzip(Images(3)));
  folder.Write("train-labels.idx1-ubyte", Labels({9, 0, 5}));
  folder.Write("t10k-images.idx3-ubyte.gz", Gzip(Images(2)));
  folder.Write("t10k-labels-idx1-ubyte", Gzip(Labels({1, 2})));
  ExpectSet(LoadMnist(folder.path()));
}

TEST(Mnist, RefusesADifferentNumberOfImagesAndLabels) {
  const TestFolder folder;
  WriteSet(folder);
  folder.Write("train-labels-idx1-ubyte", Labels({9, 0}));
  const auto data = LoadMnist(folder.path());
  EXPECT_EQ(data.status().code(), Code::kInvalidArgument);
  EXPECT_EQ(data.status().message(),
            "[mnist] every image must have one label; got 3 images and 2 labels (" +
                folder.Path("train-images-idx3-ubyte") + " and " +
                folder.Path("train-labels-idx1-ubyte") + "); take both files from the same set");
}

TEST(Mnist, NamesTheLabelThatIsOutOfRange) {
  const TestFolder folder;
  WriteSet(folder);
  folder.Write("t10k-labels-idx1-ubyte", Labels({1, 10}));
  const auto data = LoadMnist(folder.path());
  EXPECT_EQ(data.status().code(), Code::kInvalidArgument);
  EXPECT_EQ(data.status().message(),
            "[mnist] a label must be one of 0 to 9; got 10 (label 1 of 2, counted from 0, in " +
                folder.Path("t10k-labels-idx1-ubyte") +
                "); renumber the classes, or check that this is the labels' file");
}

TEST(Mnist, RefusesSwappedFiles) {
  const TestFolder folder;
  WriteSet(folder);
  folder.Write("train-images-idx3-ubyte", Labels({9, 0, 5}));
  folder.Write("train-labels-idx1-ubyte", Images(3));
  const auto data = LoadMnist(folder.path());
  EXPECT_EQ(data.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(data.status().message(),
              AllOf(HasSubstr("got uint8 [3,28,28] (rank 3)"), HasSubstr("swap the two files")));
}

TEST(Mnist, RefusesImagesOfAnotherSizeAndEmptySets) {
  const TestFolder folder;
  WriteSet(folder);
  folder.Write("t10k-images-idx3-ubyte", IdxBytes(0x08, {2, 32, 32}, Counting(2048)));
  const auto large = LoadMnist(folder.path());
  EXPECT_EQ(large.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(large.status().message(), HasSubstr("must be 28 by 28; got uint8 [2,32,32]"));
  folder.Write("t10k-images-idx3-ubyte", Images(0));
  const auto none = LoadMnist(folder.path());
  EXPECT_EQ(none.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(none.status().message(), HasSubstr("an example or more; got uint8 [0,28,28]"));
}

TEST(Mnist, PassesOnWhatIsWrongWithAFile) {
  const TestFolder folder;
  WriteSet(folder);
  folder.Write("t10k-images-idx3-ubyte", Front(Images(2), 1000));
  const auto cut = LoadMnist(folder.path());
  EXPECT_EQ(cut.status().code(), Code::kDataLoss);
  EXPECT_THAT(cut.status().message(),
              AllOf(HasSubstr("must be followed by 1568 bytes"), HasSubstr("got 984 bytes of data"),
                    HasSubstr(folder.Path("t10k-images-idx3-ubyte"))));
}

TEST(Mnist, SaysWhichFileItLookedFor) {
  const TestFolder folder;
  WriteSet(folder);
  std::filesystem::remove(folder.Path("t10k-labels-idx1-ubyte"));
  const auto data = LoadMnist(folder.path());
  EXPECT_EQ(data.status().code(), Code::kNotFound);
  EXPECT_EQ(
      data.status().message(),
      "[mnist] the directory must hold t10k-labels-idx1-ubyte (or t10k-labels.idx1-ubyte, each "
      "with or without .gz); got none of them (" +
          folder.path() + "); put the file there or name another directory");
  const auto nowhere = LoadMnist(folder.Path("nowhere"));
  EXPECT_EQ(nowhere.status().code(), Code::kNotFound);
  EXPECT_THAT(nowhere.status().message(),
              HasSubstr("got nothing (" + folder.Path("nowhere") + ")"));
  const auto file = LoadMnist(folder.Path("train-images-idx3-ubyte"));
  EXPECT_EQ(file.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(file.status().message(), HasSubstr("got a file"));
}

}  // namespace
}  // namespace lockstep::data
