#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/dataset_node.h"
#include "lockstep/data/dataset.h"

namespace lockstep {
namespace {

using Numbers = std::vector<int64_t>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Numbers> Read(DatasetIterator place) {
  std::vector<Numbers> all;
  for (; place != std::default_sentinel; ++place) all.push_back((*place)[0].ToVector<int64_t>());
  return all;
}
std::vector<Numbers> Read(const Dataset& dataset) { return Read(dataset.begin()); }

Numbers Joined(const Dataset& dataset) {
  Numbers all;
  for (const Numbers& element : Read(dataset))
    all.insert(all.end(), element.begin(), element.end());
  return all;
}

int64_t Value(const Element& element) { return element[0].scalar<int64_t>(); }
Dataset UpTo(const Element& element) { return Dataset::Range(Value(element)); }

template <typename F>
std::string ErrorOf(Code code, const F& function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(StreamStepsTest, FiltersScansAndEnumerates) {
  const Dataset thirds =
      Dataset::Range(10).Filter([](const Element& x) { return Value(x) % 3 == 0; });
  EXPECT_THAT(Joined(thirds), ElementsAre(0, 3, 6, 9));
  EXPECT_EQ(thirds.Cardinality(), kUnknownCardinality);
  EXPECT_THAT(Read(thirds.Resume({.elements = 3})), ElementsAre(Numbers{9}));
  const Dataset sums = Dataset::Range(6).Scan(
      {Scalar<int64_t>(0)},
      [](const Element& sum, const Element& x) -> std::pair<Element, Element> {
        const Element next{Scalar<int64_t>(Value(sum) + Value(x))};
        return {next, next};
      });
  EXPECT_THAT(Joined(sums), ElementsAre(0, 1, 3, 6, 10, 15));
  EXPECT_THAT(Joined(sums), ElementsAre(0, 1, 3, 6, 10, 15));  // each pass from the first state
  const Dataset counted = Dataset::Range(5, 8).Enumerate(3);
  EXPECT_THAT(Joined(counted), ElementsAre(3, 4, 5));
  EXPECT_EQ(counted.Cardinality(), 3);
  EXPECT_TRUE(counted.indexable());
}

// TensorFlow's orders, recorded.
TEST(StreamStepsTest, Interleaves) {
  EXPECT_THAT(Joined(Dataset::Range(4).Interleave(
                  [](const Element& x) { return Dataset::FromTensors(x).Repeat(3); }, 2, 2)),
              ElementsAre(0, 0, 1, 1, 0, 1, 2, 2, 3, 3, 2, 3));
  EXPECT_THAT(Joined(Dataset::Range(1, 6).Interleave(UpTo, 2, 2)),
              ElementsAre(0, 0, 1, 0, 1, 2, 0, 1, 0, 1, 2, 3, 2, 3, 4));
  EXPECT_THAT(Joined(Dataset::Range(1, 5).FlatMap(UpTo)),
              ElementsAre(0, 0, 1, 0, 1, 2, 0, 1, 2, 3));
  EXPECT_THAT(Joined(Dataset::Range(0).FlatMap(UpTo)), ElementsAre());
  EXPECT_THAT(Joined(Dataset::Range(1).Repeat(3).Interleave(UpTo, 5, 1)), ElementsAre());
  EXPECT_THAT(ErrorOf(Code::kInvalidArgument, [] { Dataset::Range(1).Interleave(UpTo, 0, 2); }),
              HasSubstr("got 0 and 2"));
}

TEST(StreamStepsTest, CutsWindows) {
  const Dataset range = Dataset::Range(10);
  EXPECT_THAT(
      Read(range.Window(3, 2, 2)),
      ElementsAre(Numbers{0, 2, 4}, Numbers{2, 4, 6}, Numbers{4, 6, 8}, Numbers{6, 8}, Numbers{8}));
  EXPECT_THAT(Read(range.Window(3, 2, 2, true)),
              ElementsAre(Numbers{0, 2, 4}, Numbers{2, 4, 6}, Numbers{4, 6, 8}));
  EXPECT_THAT(Read(range.Window(2, 5)), ElementsAre(Numbers{0, 1}, Numbers{5, 6}));
  for (int64_t n : {0, 1, 4, 5, 9, 10}) {
    for (const bool drop : {false, true}) {
      const Dataset windows = Dataset::Range(n).Window(3, 2, 2, drop);
      EXPECT_EQ(windows.Cardinality(), static_cast<int64_t>(Read(windows).size())) << n << drop;
    }
  }
  EXPECT_THAT(ErrorOf(Code::kInvalidArgument, [&] { range.Window(3, 0); }),
              HasSubstr("got 3, 0 and 1"));
}

TEST(StreamStepsTest, PadsBatches) {
  const Dataset elements = Dataset::Range(1, 4).Map([](const Element& x) -> Element {
    return {Tensor::FromVector(Numbers(Value(x), Value(x)), {Value(x)})};
  });
  EXPECT_THAT(Read(elements.PaddedBatch(2)), ElementsAre(Numbers{1, 0, 2, 2}, Numbers{3, 3, 3}));
  EXPECT_THAT(Read(elements.PaddedBatch(2, {Shape{4}}, {Scalar<int64_t>(-1)}, true)),
              ElementsAre(Numbers{1, -1, -1, -1, 2, 2, -1, -1}));
  EXPECT_THAT(ErrorOf(Code::kDataLoss, [&] { Read(elements.PaddedBatch(3, {Shape{2}})); }),
              HasSubstr("larger than the padded shape [2]; got [3] (component 0)"));
  EXPECT_THAT(ErrorOf(Code::kInvalidArgument, [&] { elements.PaddedBatch(0); }),
              HasSubstr("got 0"));
}

// The table of pieces, and the recorded orders of two workers.
TEST(StreamStepsTest, CutsBatchesForReplicas) {
  struct Row {
    int64_t rows, replicas;
    std::vector<int64_t> sizes;
  };
  for (const Row& row : {Row{4, 3, {2, 2, 0}}, Row{5, 2, {3, 2}}, Row{5, 3, {2, 2, 1}},
                         Row{2, 3, {1, 1, 0}}, Row{1, 2, {1, 0}}, Row{2, 4, {1, 1, 0, 0}}}) {
    std::vector<int64_t> sizes;
    for (const Element& piece :
         Dataset::Range(row.rows).Batch(row.rows).Pieces({.replicas = row.replicas}))
      sizes.push_back(piece[0].shape()[0]);
    EXPECT_EQ(sizes, row.sizes);
  }
  const Dataset batches = Dataset::Range(12).Batch(5);
  EXPECT_THAT(Read(batches.Pieces({.replicas = 2, .workers = 2, .worker = 1})),
              ElementsAre(Numbers{3, 4}, Numbers{8, 9}, Numbers{11}));
  EXPECT_THAT(Read(batches.Pieces({.batch = 5,
                                   .replicas = 2,
                                   .workers = 2,
                                   .worker = 1,
                                   .policy = Dataset::ShardPolicy::kOff})),
              ElementsAre(Numbers{0, 1}, Numbers{2, 3, 4}, Numbers{5, 6}, Numbers{7, 8, 9},
                          Numbers{10, 11}));
  EXPECT_THAT(
      ErrorOf(Code::kInvalidArgument, [&] { batches.Pieces({.replicas = 3, .workers = 2}); }),
      HasSubstr("got 3 replicas, 2 workers"));
  EXPECT_THAT(
      ErrorOf(Code::kInvalidArgument, [] { Read(Dataset::Range(4).Pieces({.replicas = 2})); }),
      HasSubstr("must be batched; got int64 []"));
}

}  // namespace
}  // namespace lockstep
