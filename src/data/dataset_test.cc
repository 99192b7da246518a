#include "lockstep/data/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "data/dataset_node.h"
#include "data/written_files_test.h"
#include "lockstep/data/transformations.h"
#include "lockstep/runtime/random.h"

namespace lockstep {
namespace {

using Numbers = std::vector<int64_t>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Numbers Flat(const Tensor& tensor) { return tensor.ToVector<int64_t>(); }

Numbers Read(DatasetIterator place, int64_t most = 1000) {
  Numbers all;
  for (; place != std::default_sentinel && most > 0; ++place, --most) {
    for (const int64_t value : Flat((*place)[0])) all.push_back(value);
  }
  return all;
}
Numbers Read(const Dataset& dataset) { return Read(dataset.begin()); }

std::vector<Numbers> Batches(const Dataset& dataset) {
  std::vector<Numbers> all;
  for (const Element& element : dataset) all.push_back(Flat(element[0]));
  return all;
}

// The numbers 0 .. n - 1, as a stream.
Dataset Stream(int64_t n, std::atomic<int>* started = nullptr) {
  return Dataset::FromGenerator([n, started]() -> Dataset::Generator {
    if (started != nullptr) ++*started;
    return [n, i = int64_t{0}]() mutable -> std::optional<Element> {
      if (i == n) return std::nullopt;
      return Element{Scalar<int64_t>(i++)};
    };
  });
}

Element Double(const Element& element) {
  return {Scalar<int64_t>(2 * element[0].scalar<int64_t>())};
}

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

// Both kinds must agree with each other; every case is tried on both.
class EachKind : public ::testing::TestWithParam<bool> {
 protected:
  // The seed that TensorFlow takes where none was set.
  void SetUp() override { SetSeed(87654321); }
  Dataset Range(int64_t n) const { return GetParam() ? Dataset::Range(n) : Stream(n); }
};
INSTANTIATE_TEST_SUITE_P(Dataset, EachKind, ::testing::Values(true, false),
                         [](const auto& info) { return info.param ? "Indexable" : "Stream"; });

// semantics of TensorFlow, recorded: range(10), seed 7, no global seed.
TEST_P(EachKind, ShufflesInTensorFlowsOrder) {
  const ShuffleOptions same{.seed = 7, .reshuffle_each_iteration = false};
  const Dataset window = Range(10).Shuffle(3, same);
  EXPECT_EQ(window.indexable(), GetParam());
  EXPECT_THAT(Read(window), ElementsAre(0, 2, 3, 4, 5, 7, 6, 1, 8, 9));
  EXPECT_THAT(Read(window), ElementsAre(0, 2, 3, 4, 5, 7, 6, 1, 8, 9));
  for (const int64_t buffer : {10, 11, 1000}) {
    EXPECT_THAT(Read(Range(10).Shuffle(buffer, same)), ElementsAre(7, 2, 0, 9, 8, 4, 5, 1, 6, 3));
  }
  EXPECT_THAT(Read(Range(10).Shuffle(1, same)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_P(EachKind, ReshufflesEachPass) {
  const Dataset dataset = Range(10).Shuffle(10, {.seed = 7});
  const Numbers first = {2, 8, 6, 5, 9, 1, 0, 3, 7, 4};
  const Numbers second = {9, 1, 3, 0, 6, 4, 7, 8, 2, 5};
  const Numbers third = {1, 9, 4, 2, 8, 3, 5, 7, 6, 0};
  EXPECT_EQ(Read(dataset), first);
  EXPECT_EQ(Read(dataset), second);
  EXPECT_EQ(Read(dataset), third);
  EXPECT_EQ(Read(dataset.Resume({.epoch = 1, .elements = 4})), Numbers({6, 4, 7, 8, 2, 5}));
  Numbers both = first;
  both.insert(both.end(), second.begin(), second.end());
  EXPECT_EQ(Read(dataset.Repeat(2)), both);
  EXPECT_EQ(Read(dataset.Repeat(2).Resume({.elements = 13})),
            Numbers(both.begin() + 13, both.end()));
  EXPECT_EQ(Read(dataset.Repeat().Resume({.elements = 13}), 7),
            Numbers(both.begin() + 13, both.end()));
}

TEST_P(EachKind, SeedsFollowTheGlobalSeed) {
  SetSeed(5);
  const Dataset dataset = Range(10).Shuffle(4, {.seed = 7});
  EXPECT_THAT(Read(dataset), ElementsAre(3, 1, 4, 5, 7, 8, 9, 2, 0, 6));
  EXPECT_THAT(Read(dataset), ElementsAre(2, 0, 1, 6, 4, 5, 9, 7, 8, 3));
  EXPECT_THAT(Read(dataset), ElementsAre(3, 4, 0, 2, 7, 1, 8, 5, 6, 9));
  EXPECT_THAT(Read(Range(5).Shuffle(2, {.seed = 7}).Repeat(2)),
              ElementsAre(1, 0, 2, 3, 4, 0, 2, 1, 4, 3));
  SetSeed(5);
  EXPECT_THAT(Read(Range(10).Shuffle(10, {.reshuffle_each_iteration = false})),
              ElementsAre(0, 5, 2, 8, 1, 6, 7, 9, 4, 3));
  EXPECT_THAT(Read(Dataset::Random(7).Take(6)),
              ElementsAre(2595833470, 1313830135, 3701549359, 3743842292, 1109020519, 1724557356));
}

TEST_P(EachKind, Batches) {
  EXPECT_THAT(Batches(Range(10).Batch(4)),
              ElementsAre(Numbers{0, 1, 2, 3}, Numbers{4, 5, 6, 7}, Numbers{8, 9}));
  EXPECT_THAT(Batches(Range(10).Batch(4, true)),
              ElementsAre(Numbers{0, 1, 2, 3}, Numbers{4, 5, 6, 7}));
  EXPECT_THAT(Batches(Range(2).Batch(4)), ElementsAre(Numbers{0, 1}));
  EXPECT_THAT(Batches(Range(2).Batch(4, true)), ElementsAre());
  EXPECT_THAT(Batches(Range(0).Batch(4)), ElementsAre());
  EXPECT_THAT(Read(Range(10).Batch(4).Unbatch().Shard(3, 1)), ElementsAre(1, 4, 7));
  EXPECT_THAT(Batches(Range(10).Batch(4).Rebatch({3})),
              ElementsAre(Numbers{0, 1, 2}, Numbers{3, 4, 5}, Numbers{6, 7, 8}, Numbers{9}));
  EXPECT_THAT(Batches(Range(10).Batch(4).Rebatch({2, 1, 1})),
              ElementsAre(Numbers{0, 1}, Numbers{2}, Numbers{3}, Numbers{4, 5}, Numbers{6},
                          Numbers{7}, Numbers{8, 9}));
  EXPECT_THAT(Batches(Range(5).Batch(2).Rebatch({3}, true)), ElementsAre(Numbers{0, 1, 2}));
  EXPECT_EQ(Read(Range(10).Batch(4).Resume({.elements = 2})), Numbers({8, 9}));
}

TEST_P(EachKind, SelectsElements) {
  EXPECT_THAT(Read(Range(10).Skip(3).Take(4)), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(Read(Range(3).Take(-1)), ElementsAre(0, 1, 2));
  EXPECT_THAT(Read(Range(3).Skip(-1)), ElementsAre());
  EXPECT_THAT(Read(Range(3).Take(7).Skip(2)), ElementsAre(2));
  EXPECT_THAT(Read(Range(3).Skip(5)), ElementsAre());
  EXPECT_THAT(Read(Range(7).Shard(3, 0)), ElementsAre(0, 3, 6));
  EXPECT_THAT(Read(Range(2).Shard(3, 2)), ElementsAre());
  EXPECT_THAT(Read(Range(2).Repeat(3)), ElementsAre(0, 1, 0, 1, 0, 1));
  EXPECT_THAT(Read(Range(2).Repeat(0)), ElementsAre());
  EXPECT_THAT(Read(Range(2).Repeat().Take(5)), ElementsAre(0, 1, 0, 1, 0));
  EXPECT_THAT(Read(Range(0).Repeat()), ElementsAre());
  EXPECT_THAT(Read(Range(10).Skip(1).Shard(2, 1).Batch(2).Resume({.elements = 1})),
              ElementsAre(6, 8));
}

TEST_P(EachKind, Combines) {
  const Dataset zipped = Dataset::Zip({Range(5), Dataset::Range(10, 13)});
  std::vector<Numbers> pairs;
  for (const Element& e : zipped) pairs.push_back({e[0].scalar<int64_t>(), e[1].scalar<int64_t>()});
  EXPECT_THAT(pairs, ElementsAre(Numbers{0, 10}, Numbers{1, 11}, Numbers{2, 12}));
  const Dataset joined = Range(2).Concatenate(Dataset::Range(7, 9));
  EXPECT_THAT(Read(joined), ElementsAre(0, 1, 7, 8));
  for (int64_t first = 0; first <= 5; ++first) {
    const Numbers all = {0, 1, 7, 8};
    EXPECT_EQ(Read(joined.Resume({.elements = first})),
              Numbers(all.begin() + std::min<int64_t>(first, 4), all.end()));
  }
}

TEST_P(EachKind, MapsInOrderOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 5, kAutotune}) {
    const Dataset mapped = Range(20).Map(Double, {.num_parallel = threads});
    const Numbers all = Read(mapped);
    ASSERT_EQ(all.size(), 20u);
    for (int64_t i = 0; i < 20; ++i) EXPECT_EQ(all[i], 2 * i);
    EXPECT_EQ(Read(mapped.Resume({.elements = 18})), Numbers({36, 38}));
    EXPECT_EQ(Read(mapped.begin(), 3), Numbers({0, 2, 4}));  // ends with work under way
  }
}

TEST_P(EachKind, AnErrorOfAMapSurfacesAtItsElement) {
  const auto fail_at_3 = [](const Element& element) -> Element {
    if (element[0].scalar<int64_t>() == 3) throw Error(Code::kInvalidArgument, "[test] three");
    return element;
  };
  for (const int threads : {1, 4}) {
    for (const int ahead : {0, 2}) {
      auto place = Range(6).Map(fail_at_3, {.num_parallel = threads}).Prefetch(ahead).begin();
      EXPECT_EQ((*place)[0].scalar<int64_t>(), 0);
      ++place;
      ++place;
      EXPECT_EQ((*place)[0].scalar<int64_t>(), 2);
      EXPECT_THAT(ErrorOf(Code::kInvalidArgument, [&] { ++place; }), HasSubstr("three"));
    }
  }
}

// Quick functions are called on blocks of elements.
TEST_P(EachKind, QuickMapsHaveErrorsInTheirPlaces) {
  const auto fail = [](const Element& element) -> Element {
    if (element[0].scalar<int64_t>() % 7 == 3) throw Error(Code::kInvalidArgument, "[test] no");
    return Double(element);
  };
  const auto fail_before = [](const Element& element) -> Element {
    if (element[0].scalar<int64_t>() % 5 == 4) throw Error(Code::kOutOfRange, "[test] before");
    return element;
  };
  Numbers expected;
  for (int64_t i = 0; i < 400; ++i) {
    if (i % 7 != 3 && i % 5 != 4) expected.push_back(2 * i);
  }
  for (const int threads : {2, 3}) {
    EXPECT_EQ(Read(IgnoreErrors(Range(400).Map(fail_before).Map(fail, {.num_parallel = threads}))),
              expected);
  }
}

TEST_P(EachKind, PrefetchesInOrder) {
  for (const int ahead : {0, 1, 7, 100, kAutotune}) {
    const Dataset dataset = Range(20).Prefetch(ahead);
    EXPECT_EQ(Read(dataset), Read(Range(20)));
    EXPECT_EQ(Read(dataset.Resume({.elements = 17})), Numbers({17, 18, 19}));
    EXPECT_EQ(Read(dataset.begin(), 2), Numbers({0, 1}));
  }
}

TEST_P(EachKind, CachesAFullPass) {
  std::atomic<int> calls = 0;
  const Dataset cached = Range(5)
                             .Map([&calls](const Element& element) {
                               ++calls;
                               return element;
                             })
                             .Cache();
  const Numbers all = {0, 1, 2, 3, 4};
  EXPECT_EQ(Read(cached), all);
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(Read(cached), all);
  EXPECT_EQ(Read(cached.Resume({.elements = 3})), Numbers({3, 4}));
  EXPECT_EQ(calls, 5);
  // The order that was cached stays.
  const Dataset frozen = Range(10).Shuffle(10, {.seed = 7}).Cache();
  const Numbers order = Read(frozen);
  EXPECT_EQ(Read(frozen), order);
}

TEST(DatasetTest, APartOfAPassDoesNotFillTheCacheOfAStream) {
  std::atomic<int> started = 0;
  const Dataset cached = Stream(5, &started).Cache();
  EXPECT_EQ(Read(cached.begin(), 3), Numbers({0, 1, 2}));
  EXPECT_EQ(Read(cached).size(), 5u);
  EXPECT_EQ(started, 2);
  EXPECT_EQ(Read(cached).size(), 5u);
  EXPECT_EQ(started, 2);
}

TEST(DatasetTest, TellsCardinalities) {
  const Dataset ten = Dataset::Range(10);
  const Dataset unknown = Stream(10);
  const Dataset endless = ten.Repeat();
  EXPECT_EQ(Dataset::FromTensors({1.0}).Cardinality(), 1);
  EXPECT_EQ(Dataset::Range(2, 10, 3).Cardinality(), 3);
  EXPECT_EQ(Dataset::Range(10, 2, -3).Cardinality(), 3);
  EXPECT_EQ(Dataset::Range(5, 5).Cardinality(), 0);
  EXPECT_EQ(Dataset::Range(5, 0).Cardinality(), 0);
  EXPECT_EQ(unknown.Cardinality(), kUnknownCardinality);
  EXPECT_EQ(endless.Cardinality(), kInfiniteCardinality);
  EXPECT_EQ(ten.Batch(4).Cardinality(), 3);
  EXPECT_EQ(ten.Batch(4, true).Cardinality(), 2);
  EXPECT_EQ(ten.Batch(4).Unbatch().Cardinality(), kUnknownCardinality);
  EXPECT_EQ(ten.Batch(4, true).Unbatch().Cardinality(), 8);
  EXPECT_EQ(endless.Batch(4).Cardinality(), kInfiniteCardinality);
  EXPECT_EQ(ten.Repeat(3).Cardinality(), 30);
  EXPECT_EQ(ten.Repeat(0).Cardinality(), 0);
  EXPECT_EQ(unknown.Repeat().Cardinality(), kInfiniteCardinality);
  EXPECT_EQ(unknown.Repeat(2).Cardinality(), kUnknownCardinality);
  EXPECT_EQ(ten.Take(4).Cardinality(), 4);
  EXPECT_EQ(ten.Take(-1).Cardinality(), 10);
  EXPECT_EQ(endless.Take(4).Cardinality(), 4);
  EXPECT_EQ(ten.Skip(4).Cardinality(), 6);
  EXPECT_EQ(ten.Skip(-1).Cardinality(), 0);
  EXPECT_EQ(endless.Skip(4).Cardinality(), kInfiniteCardinality);
  EXPECT_EQ(ten.Shard(3, 0).Cardinality(), 4);
  EXPECT_EQ(ten.Shard(3, 1).Cardinality(), 3);
  EXPECT_EQ(Dataset::Zip({ten, endless, ten.Take(3)}).Cardinality(), 3);
  EXPECT_EQ(Dataset::Zip({ten, unknown}).Cardinality(), kUnknownCardinality);
  EXPECT_EQ(ten.Concatenate(ten.Take(2)).Cardinality(), 12);
  EXPECT_EQ(unknown.Concatenate(endless).Cardinality(), kInfiniteCardinality);
  EXPECT_EQ(ten.Concatenate(unknown).Cardinality(), kUnknownCardinality);
  EXPECT_EQ(ten.Shuffle(3).Cache().Prefetch(2).Map(Double).Cardinality(), 10);
}

TEST(DatasetTest, RangesReachTheEndsOfTheirType) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Dataset::Range(kLeast, kMost, kMost).Cardinality(), 3);
  EXPECT_EQ(Read(Dataset::Range(kMost - 3, kMost, 2)), Numbers({kMost - 3, kMost - 1}));
  EXPECT_EQ(Read(Dataset::Range(2, -3, -2)), Numbers({2, 0, -2}));
}

TEST(DatasetTest, SlicesKeepDTypesAndShapes) {
  const Tensor x = Constant<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const Tensor names = Tensor::FromStrings({"a", "b", "c"}, {3});
  const Dataset dataset = Dataset::FromTensorSlices(x, names);
  EXPECT_EQ(dataset.element_spec()->at(0).ToString(), "float32 [2]");
  EXPECT_EQ(dataset.Batch(2).element_spec()->at(1).ToString(), "string [?]");
  EXPECT_EQ(dataset.Batch(2, true).element_spec()->at(0).ToString(), "float32 [2,2]");
  const Element second = dataset.At(1);
  EXPECT_EQ(second[0].ToVector<float>(), std::vector<float>({3, 4}));
  EXPECT_EQ(second[1].scalar<std::string>(), "b");
  for (const Dataset& batched :
       {dataset.Batch(2), dataset.Prefetch(1).Map([](const Element& e) { return e; }).Batch(2)}) {
    const Element last = batched.At(1);
    EXPECT_EQ(last[0].shape(), (Shape{1, 2}));
    EXPECT_EQ(last[0].ToVector<float>(), std::vector<float>({5, 6}));
    EXPECT_EQ(last[1].ToVector<std::string>(), std::vector<std::string>({"c"}));
  }
  const Dataset empty = Dataset::FromTensorSlices(Tensor::FromVector<float>({}, {0, 2}));
  EXPECT_EQ(empty.Cardinality(), 0);
  EXPECT_TRUE(empty.Shuffle(4, {.seed = 1}).Batch(2).begin() == std::default_sentinel);
}

TEST(DatasetTest, RowsOfWholeTensorsAreKnownThroughSelections) {
  const Tensor x = Constant<int64_t>({0, 10, 20, 30, 40, 50, 60}, {7});
  const Dataset slices = Dataset::FromTensorSlices(x);
  for (const Dataset& dataset :
       {slices.Batch(3), slices.Shuffle(4, {.seed = 7}).Repeat(2).Skip(1).Batch(3).Prefetch(2),
        slices.Shard(2, 1).Batch(2).Shuffle(3, {.seed = 7}),
        Dataset::Zip({slices, Dataset::Range(5).Cache()}).Batch(2),
        Dataset::Zip({slices, slices}).Take(5).Batch(2)}) {
    const auto rows = dataset.node()->rows();
    if (!rows) continue;
    ASSERT_TRUE(rows->batched);
    for (int64_t step = 0; step < dataset.Cardinality(); ++step) {
      std::vector<int64_t> places;
      dataset.node()->Table(1)->AppendRows(step, step + 1, places);
      for (int64_t& place : places) place *= 10;
      EXPECT_EQ(places, Flat(dataset.At(step, 1)[0])) << dataset.Explain();
    }
  }
  EXPECT_FALSE(slices.Map(Double).Batch(2).node()->rows());
  EXPECT_FALSE(slices.Batch(2).Batch(2).node()->rows());
  EXPECT_TRUE(Dataset::Zip({slices, slices}).Batch(2).node()->rows());
}

TEST(DatasetTest, AnEndlessShuffleIsReadFromAnyPlace) {
  const Dataset dataset = Dataset::Range(5).Repeat().Shuffle(7, {.seed = 3});
  const Numbers all = Read(dataset.Resume({}), 40);
  EXPECT_EQ(Read(dataset.Resume({.elements = 30}), 10), Numbers(all.begin() + 30, all.end()));
  EXPECT_EQ(dataset.At(12)[0].scalar<int64_t>(), all[12]);
  const Dataset huge = Dataset::Range(int64_t{1} << 40).Shuffle(16, {.seed = 3});
  EXPECT_EQ(Read(huge.Resume({.elements = 5}), 2),
            Numbers({huge.At(5)[0].scalar<int64_t>(), huge.At(6)[0].scalar<int64_t>()}));
}

TEST(DatasetTest, CursorsGiveTheSameElementAgain) {
  const Dataset dataset = Dataset::Range(50).Shuffle(50, {.seed = 1}).Batch(7);
  (void)Read(dataset);
  DatasetIterator place = dataset.begin();
  for (int i = 0; i < 3; ++i) ++place;
  EXPECT_EQ(place.cursor(), (DatasetCursor{.epoch = 1, .elements = 3}));
  EXPECT_EQ(Flat((*dataset.Resume(place.cursor()))[0]), Flat((*place)[0]));
  const Numbers rest = Read(dataset.Resume(place.cursor()));
  EXPECT_EQ(rest.size(), 29u);
  EXPECT_EQ(rest, Read(place));
}

TEST(DatasetTest, FilesAndDigitsAreIndexable) {
  data::TestFolder folder;
  const std::string images = folder.Write("x.idx", data::IdxBytes(0x08, {3, 2}, data::Counting(6)));
  const Dataset idx = Dataset::Idx(images);
  EXPECT_TRUE(idx.indexable());
  EXPECT_EQ(idx.At(2)[0].ToVector<uint8_t>(), std::vector<uint8_t>({4, 5}));
  EXPECT_THAT(ErrorOf(Code::kNotFound, [] { Dataset::Idx("/nowhere/x.idx"); }),
              HasSubstr("/nowhere/x.idx"));

  const Dataset digits = Dataset::Digits(1, 30);
  EXPECT_EQ(digits.Cardinality(), 30);
  EXPECT_EQ(digits.At(29)[0].shape(), (Shape{28, 28}));
  std::vector<int> seen(10);
  for (const Element& e : digits.Take(10)) ++seen[e[1].scalar<int32_t>()];
  EXPECT_EQ(seen, std::vector<int>(10, 1));

  const std::string text = folder.Write("t.txt", {'a', 'b', 'c', 'd', 'e', 'f'});
  const Dataset windows = Dataset::TextWindows(text, 2);
  EXPECT_EQ(windows.Cardinality(), 2);
  EXPECT_EQ(windows.At(1)[0].ToVector<int32_t>(), std::vector<int32_t>({'c', 'd'}));
  EXPECT_EQ(windows.At(1)[1].ToVector<int32_t>(), std::vector<int32_t>({'d', 'e'}));
}

TEST(DatasetTest, RefusesWhatCannotBe) {
  const Dataset ten = Dataset::Range(10);
  const auto refuses = [](const auto& function) {
    return ErrorOf(Code::kInvalidArgument, function);
  };
  EXPECT_THAT(refuses([&] { ten.Batch(0); }), HasSubstr("[dataset.batch] the size of a batch must "
                                                        "be at least 1; got 0"));
  EXPECT_THAT(refuses([&] { ten.Shuffle(0); }), HasSubstr("at least 1 element; got 0"));
  EXPECT_THAT(refuses([&] { ten.Shard(3, 3); }), HasSubstr("got index 3 of 3 shards"));
  EXPECT_THAT(refuses([&] { ten.Shard(0, 0); }), HasSubstr("got index 0 of 0 shards"));
  EXPECT_THAT(refuses([&] { ten.Prefetch(-2); }), HasSubstr("got -2"));
  EXPECT_THAT(refuses([&] { ten.Map(Double, {.num_parallel = 0}); }), HasSubstr("got 0"));
  EXPECT_THAT(refuses([&] { ten.Batch(2).Rebatch({2, 0}); }), HasSubstr("got 0"));
  EXPECT_THAT(refuses([] { Dataset::Range(0, 3, 0); }), HasSubstr("step must not be 0"));
  EXPECT_THAT(refuses([] { Dataset::Zip({}); }), HasSubstr("there must be a dataset"));
  EXPECT_THAT(refuses([] { Dataset::FromTensors({}); }), HasSubstr("must have a component"));
  EXPECT_THAT(refuses([] {
                Dataset::FromTensorSlices(Constant<float>({1, 2}), Constant<float>({1, 2, 3}));
              }),
              HasSubstr("got float32 [2], float32 [3]"));
  EXPECT_THAT(refuses([] { Dataset::FromTensorSlices(Scalar<float>(1)); }),
              HasSubstr("got float32 []"));
  EXPECT_THAT(refuses([&] { ten.Concatenate(ten.Batch(2)); }),
              HasSubstr("got int64 [] and int64 [?]"));
  EXPECT_THAT(refuses([&] { Read(ten.Batch(2).Concatenate(ten.Batch(3).Skip(1)).Batch(9)); }),
              HasSubstr("got int64 [2] and int64 [3] (component 0, elements 0 and 5"));
  EXPECT_THAT(refuses([&] { Read(ten.Unbatch()); }), HasSubstr("got int64 []"));
  EXPECT_THAT(ErrorOf(Code::kOutOfRange, [&] { ten.At(10); }), HasSubstr("got 10 of pass 0"));
  EXPECT_THAT(ErrorOf(Code::kFailedPrecondition, [] { Stream(3).At(0); }),
              HasSubstr("generator: a generator is read from the front"));
}

TEST(DatasetTest, AGeneratorMustFitItsSignature) {
  const auto floats = []() -> Dataset::Generator {
    return [i = 0]() mutable -> std::optional<Element> {
      if (i == 4) throw Error(Code::kDataLoss, "[test] the disk is gone");
      return Element{Constant<float>(std::vector<float>(++i, 1.0f))};
    };
  };
  const Dataset any = Dataset::FromGenerator(floats, {{DType::kFloat32, Shape{-1}}});
  EXPECT_THAT(ErrorOf(Code::kDataLoss,
                      [&] {
                        for (const Element& e : any) (void)e;
                      }),
              HasSubstr("the disk is gone"));
  const Dataset ones = Dataset::FromGenerator(floats, {{DType::kFloat32, Shape{1}}});
  EXPECT_THAT(ErrorOf(Code::kInvalidArgument,
                      [&] {
                        for (const Element& e : ones) (void)e;
                      }),
              HasSubstr("signature float32 [1]; got float32 [2] (element 1)"));
}

TEST(DatasetTest, ExplainsItself) {
  const Tensor x = Constant<float>({1, 2, 3, 4});
  EXPECT_THAT(Dataset::FromTensorSlices(x).Shuffle(4, {.seed = 1}).Batch(2).Explain(),
              ::testing::AllOf(HasSubstr("indexable, 2 elements"), HasSubstr("every worker"),
                               HasSubstr("takes the rows of a batch itself"),
                               HasSubstr("  batch(2)\n    shuffle(buffer 4)\n      slices(")));
  EXPECT_THAT(Dataset::Range(4).Map(Double, {.stateful = true}).Batch(2).Explain(),
              ::testing::AllOf(HasSubstr("stream, 2 elements"), HasSubstr("one task"),
                               HasSubstr("made a stream by\n  map: its function is stateful\n")));
}

}  // namespace
}  // namespace lockstep
