// The expected orders were recorded from TensorFlow 2.21.
#include "lockstep/data/transformations.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "data/written_files_test.h"
#include "lockstep/data/files.h"
#include "lockstep/runtime/random.h"

namespace lockstep::data {
namespace {

std::vector<int64_t> Read(const Dataset& dataset) {
  std::vector<int64_t> all;
  for (const Element& element : dataset) {
    const auto values = element[0].data<int64_t>();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}
using Rows = std::vector<std::vector<int64_t>>;
Rows ReadRows(const Dataset& dataset) {
  Rows all;
  for (const Element& element : dataset) all.push_back(element[0].ToVector<int64_t>());
  return all;
}

std::string ErrorOf(Code code, const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.status().message();
  }
  return "no error";
}

// Element n: n repeated (5 n) % modulus times.
Dataset Sequences(int64_t modulus) {
  return Dataset::Range(1, 9).Map([modulus](const Element& x) -> Element {
    const int64_t n = x[0].scalar<int64_t>(), length = n * 5 % modulus;
    return {Tensor::FromVector(std::vector<int64_t>(length, n), Shape{length})};
  });
}
int64_t LengthOf(const Element& element) { return element[0].shape()[0]; }

TEST(SampleFromDatasets, DrawsAsTensorFlowDoes) {
  SetSeed(87654321);  // what stands for no seed there
  const std::vector<Dataset> three{Dataset::Range(10), Dataset::Range(100, 110),
                                   Dataset::Range(200, 203)};
  EXPECT_EQ(Read(SampleFromDatasets(three, {{.5, .3, .2}, 7})),
            (std::vector<int64_t>{100, 0, 200, 1, 2,   101, 102, 201, 3,   103, 104, 202,
                                  4,   5, 6,   7, 105, 8,   9,   106, 107, 108, 109}));
  EXPECT_EQ(Read(SampleFromDatasets(three, {{.5, .3, .2}, 7, true})),
            (std::vector<int64_t>{100, 0, 200, 1, 2, 101, 102, 201, 3, 103, 104, 202, 4, 5, 6, 7,
                                  105, 8, 9}));
  const std::vector<Dataset> two{Dataset::Range(4), Dataset::Range(100, 104)};
  EXPECT_EQ(Read(SampleFromDatasets(two, {{}, 3})),
            (std::vector<int64_t>{100, 101, 102, 0, 103, 1, 2, 3}));
  SetSeed(5);
  const Dataset sampled = SampleFromDatasets(two, {{}, 3});
  for (int pass = 0; pass < 2; ++pass)
    EXPECT_EQ(Read(sampled), (std::vector<int64_t>{0, 100, 1, 2, 101, 3, 102, 103}));
}

TEST(SampleFromDatasets, RefusesWeightsThatAreNone) {
  for (const auto& weights : {std::vector<double>{1}, {0, 0}, {1, -1}}) {
    EXPECT_EQ(ErrorOf(Code::kInvalidArgument,
                      [&] {
                        SampleFromDatasets({Dataset::Range(1), Dataset::Range(1)}, {weights});
                      }),
              "[dataset.sample_from_datasets] there is a weight a dataset, not negative, and one "
              "above 0; got " +
                  std::to_string(weights.size()) +
                  " weights for 2 datasets; leave them out for equal chances");
  }
}

TEST(ChooseFromDatasets, FollowsTheChoices) {
  const std::vector<Dataset> two{Dataset::Range(3), Dataset::Range(10, 12)};
  const Dataset choices = Dataset::FromTensorSlices(Constant<int64_t>({0, 1, 1, 0, 1, 0, 0}));
  EXPECT_EQ(Read(ChooseFromDatasets(two, choices)), (std::vector<int64_t>{0, 10, 11, 1}));
  EXPECT_EQ(Read(ChooseFromDatasets(two, choices, false)), (std::vector<int64_t>{0, 10, 11, 1, 2}));
  EXPECT_EQ(
      ErrorOf(Code::kInvalidArgument, [&] { Read(ChooseFromDatasets(two, Dataset::Range(2, 3))); }),
      "[dataset.choose_from_datasets] a choice is an int64 scalar below 2; got 2; choose "
      "among the datasets");
}

TEST(BucketBySequenceLength, BatchesWhatIsOfSimilarLength) {
  EXPECT_EQ(ReadRows(BucketBySequenceLength(Sequences(9), LengthOf, {{3, 6}, {2, 2, 2}})),
            (Rows{{2, 0, 4, 4},
                  {3, 3, 3, 3, 3, 3, 0, 5, 5, 5, 5, 5, 5, 5},
                  {1, 1, 1, 1, 1, 6, 6, 6, 0, 0},
                  {8, 8, 8, 8},
                  {7, 7, 7, 7, 7, 7, 7, 7}}));
  BucketOptions padded{{3, 6}, {2, 3, 2}};
  padded.pad_to_bucket_boundary = true;
  const Rows rows = ReadRows(BucketBySequenceLength(Sequences(6), LengthOf, padded));
  EXPECT_EQ(rows, (Rows{{1, 1, 1, 1, 1, 2, 2, 2, 2, 0, 3, 3, 3, 0, 0},
                        {4, 4, 5, 0},
                        {0, 0},
                        {7, 7, 7, 7, 7, 8, 8, 8, 8, 0}}));
  EXPECT_EQ(ErrorOf(Code::kInvalidArgument,
                    [&] { ReadRows(BucketBySequenceLength(Sequences(9), LengthOf, padded)); }),
            "[dataset.bucket_by_sequence_length] elements must be shorter than the last boundary "
            "to be padded to it; got one that is not; add a boundary, or leave "
            "pad_to_bucket_boundary out");
  EXPECT_EQ(ErrorOf(Code::kInvalidArgument,
                    [&] {
                      BucketBySequenceLength(Sequences(9), LengthOf, {{3}, {2}});
                    }),
            "[dataset.bucket_by_sequence_length] there are ascending boundaries, and one batch "
            "size more; got 1 boundaries and 1 sizes; the last size is that of elements beyond "
            "the last boundary");
}

TEST(GroupByWindow, FlushesInTheOrderOfKeys) {
  const Dataset grouped = GroupByWindow(
      Dataset::Range(10), [](const Element& x) { return -(x[0].scalar<int64_t>() % 3); },
      [](int64_t, const Dataset& window) { return window.Batch(3); }, [](int64_t) { return 3; });
  EXPECT_EQ(ReadRows(grouped), (Rows{{0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {9}}));
  EXPECT_EQ(ReadRows(grouped.Skip(3)), Rows{{9}});
}

TEST(Transformations, OfSingleElements) {
  EXPECT_EQ(Read(Unique(Dataset::FromTensorSlices(Constant<int64_t>({3, 1, 3, 2, 1})))),
            (std::vector<int64_t>{3, 1, 2}));
  EXPECT_EQ(Read(TakeWhile(Dataset::Range(10),
                           [](const Element& x) { return x[0].scalar<int64_t>() < 4; })),
            (std::vector<int64_t>{0, 1, 2, 3}));
  const Element sum =
      Reduce(Dataset::Range(5), {Scalar<int64_t>(10)},
             [](const Element& state, const Element& x) -> Element {
               return {Scalar<int64_t>(state[0].scalar<int64_t>() + x[0].scalar<int64_t>())};
             });
  EXPECT_EQ(sum[0].scalar<int64_t>(), 20);
  const Dataset failing = Dataset::Range(5).Map([](const Element& x) -> Element {
    if (x[0].scalar<int64_t>() == 2) throw Error(Code::kInvalidArgument, "[test] two");
    return x;
  });
  EXPECT_EQ(Read(IgnoreErrors(failing)), (std::vector<int64_t>{0, 1, 3, 4}));
  EXPECT_THROW(Read(failing), Error);
}

TEST(RejectionResample, BringsClassesToTheirChances) {
  // Three quarters of class 0, but half is wanted.
  const Dataset classes = Dataset::Range(4000).Map([](const Element& x) -> Element {
    return {Scalar<int64_t>(x[0].scalar<int64_t>() % 4 == 0)};
  });
  const auto class_of = [](const Element& x) { return x[0].scalar<int64_t>(); };
  for (const auto& initial : {std::vector<double>{}, {0.75, 0.25}}) {
    int64_t counts[2] = {};
    for (const Element& element : RejectionResample(classes, class_of, {{0.5, 0.5}, initial, 11})) {
      ASSERT_EQ(element.size(), 2u);
      EXPECT_EQ(element[0].scalar<int64_t>(), element[1].scalar<int64_t>());
      ++counts[element[0].scalar<int64_t>()];
    }
    EXPECT_NEAR(static_cast<double>(counts[0]) / counts[1], 1, 0.15);
    EXPECT_GE(counts[1], 990);  // the rarer class stays
  }
  EXPECT_EQ(Read(RejectionResample(classes, class_of, {{1, 0}, {}, 1})),
            Read(RejectionResample(classes, class_of, {{1, 0}, {}, 1})));
}

TEST(Interleave, HasOneOrderWithAnyNumberOfThreads) {
  const auto upto = [](const Element& x) {
    const int64_t n = x[0].scalar<int64_t>();
    return Dataset::Range(n * 10, n * 10 + n);
  };
  const std::vector<int64_t> expected{10, 20, 21, 30, 31, 40, 41, 32, 42, 43, 50, 51, 52, 53, 54};
  for (const int threads : {0, 1, 2, 3, 8}) {
    const Dataset dataset = Interleave(Dataset::Range(1, 6), upto, {3, 2, threads});
    EXPECT_EQ(Read(dataset), expected) << threads;
    EXPECT_EQ(Read(dataset.Take(4)), (std::vector<int64_t>{10, 20, 21, 30}));  // ends early
  }
  const auto failing = [&](const Element& x) {
    return upto(x).Map([](const Element& y) -> Element {
      if (y[0].scalar<int64_t>() == 21) throw Error(Code::kDataLoss, "[test] broken");
      return y;
    });
  };
  EXPECT_EQ(Read(IgnoreErrors(Interleave(Dataset::Range(1, 4), failing, {3, 1, 2}))),
            (std::vector<int64_t>{10, 20, 30, 31, 32}));
}

TEST(Prefetch, TunesItselfAndKeepsTheOrder) {
  std::vector<int64_t> expected(200);
  for (int64_t i = 0; i < 200; ++i) expected[i] = i;
  EXPECT_EQ(Read(Dataset::Range(200).Prefetch()), expected);
  EXPECT_EQ(Read(Dataset::Range(200).Prefetch(3)), expected);
  EXPECT_EQ(Read(Dataset::Range(200).Prefetch().Take(1)), std::vector<int64_t>{0});
}

TEST(ParallelMap, ReadsWhatHasNumbersFromAllThreads) {
  const auto twice = [](const Element& x) -> Element {
    std::vector<int64_t> values = x[0].ToVector<int64_t>();
    for (int64_t& value : values) value *= 2;
    return {Tensor::FromVector(values, x[0].shape())};
  };
  const Dataset batches = Dataset::Range(1000).Shuffle(100, {.seed = 3}).Batch(7);
  const std::vector<int64_t> expected = Read(batches.Map(twice));
  for (const int threads : {2, 3, 8}) {
    const Dataset parallel = batches.Map(twice, {.num_parallel = threads});
    EXPECT_EQ(Read(parallel), expected);
    EXPECT_EQ(Read(batches.Map(twice, {.num_parallel = threads}).Skip(100)),
              (std::vector<int64_t>(expected.begin() + 700, expected.end())));
  }
  // A function that is not said to run side by side does not, wherever it stands.
  int inside = 0, most = 0;
  const auto alone = [&](const Element& x) {
    most = std::max(most, ++inside);
    --inside;
    return x;
  };
  EXPECT_EQ(Read(Dataset::Range(100).Map(alone).Map(twice, {.num_parallel = 4})).size(), 100u);
  EXPECT_EQ(most, 1);
}

TEST(CacheOnDisk, KeepsAFullPass) {
  TestFolder folder;
  int made = 0;
  const Dataset source = Dataset::Range(5).Map(
      [&](const Element& x) -> Element {
        ++made;
        return {x[0], Tensor::FromStrings({"s"}, {1}), Constant<float>({0.5f})};
      },
      {.stateful = true});
  const Dataset cached = CacheOnDisk(source, folder.Path("c"));
  const std::vector<int64_t> expected{0, 1, 2, 3, 4};
  EXPECT_EQ(Read(cached.Take(3)), (std::vector<int64_t>{0, 1, 2}));  // fills nothing
  EXPECT_FALSE(std::filesystem::exists(folder.Path("c")));
  EXPECT_FALSE(std::filesystem::exists(folder.Path("c.unfinished")));
  made = 0;
  for (int pass = 0; pass < 3; ++pass) EXPECT_EQ(Read(cached), expected);
  EXPECT_EQ(made, 5);
  // Another program finds it.
  const Dataset later = CacheOnDisk(source, folder.Path("c"));
  EXPECT_EQ(Read(later), expected);
  for (const Element& element : later) {
    EXPECT_EQ(element[1].ToVector<std::string>(), std::vector<std::string>{"s"});
    EXPECT_EQ(element[2].ToVector<float>(), std::vector<float>{0.5f});
  }
  EXPECT_EQ(made, 5);
  folder.Write("c", {1, 2, 3});
  EXPECT_THROW(Read(later), Error);
}

std::vector<std::string> Texts(const Dataset& dataset) {
  std::vector<std::string> all;
  for (const Element& element : dataset) all.push_back(element[0].data<std::string>()[0]);
  return all;
}
using Strings = std::vector<std::string>;

// Three files of four records, "00" to "23".
std::vector<std::string> RecordFiles(const TestFolder& folder) {
  std::vector<std::string> files;
  for (int i = 0; i < 3; ++i) {
    files.push_back(folder.Path("f" + std::to_string(i)));
    auto writer = TFRecordWriter::Open(files.back());
    for (int j = 0; j < 4; ++j)
      EXPECT_TRUE(writer->Write(std::to_string(i) + std::to_string(j)).ok());
    EXPECT_TRUE(writer->Close().ok());
  }
  return files;
}

TEST(Explain, NotesWhatIsTakenForSomethingElse) {
  TestFolder folder;
  const auto note = [](const Dataset& dataset) {
    const std::string text = dataset.Explain();
    const size_t place = text.find("notes\n");
    return place == std::string::npos ? "" : text.substr(place + 6);
  };
  EXPECT_EQ(note(Dataset::Range(10).Shuffle(3, {.seed = 1}).Batch(4)),
            "  shuffle(buffer 3): an element moves forward by 3 places at most; to mix all 10, "
            "take a buffer as large\n"
            "  batch(4): the last batch has 2 rows, and counts by them\n");
  EXPECT_EQ(note(Dataset::Range(10).Batch(5).Shuffle(2, {.seed = 1})),
            "  shuffle(buffer 2): it mixes whole batches; to mix examples, shuffle before the "
            "batches are made\n");
  EXPECT_EQ(note(Dataset::Range(4).Repeat().Shuffle(9, {.seed = 1})),
            "  shuffle(buffer 9): passes run into each other, as they are repeated before; to "
            "keep them apart, repeat behind it\n");
  EXPECT_EQ(note(Dataset::Range(4).Shuffle(4, {.seed = 1}).Cache()),
            "  cache: every pass has the order of the first one; to mix anew, shuffle behind it\n");
  EXPECT_EQ(note(Dataset::Range(4).Shard(2, 1).Batch(2, true)),
            "  shard(1 of 2): it is divided by hand: workers that divide it again would each take "
            "a part of the part\n");
  EXPECT_EQ(note(TFRecordDataset(RecordFiles(folder))),
            "  tfrecord(3 files): AutoShard divides the 3 files among as many workers at most\n");
  EXPECT_EQ(note(Dataset::Range(4).Shuffle(4, {.seed = 1}).Batch(2)), "");
}

TEST(AutoShard, DividesFiles) {
  TestFolder folder;
  const auto files = RecordFiles(folder);
  const Dataset plain = TFRecordDataset(files).Map([](const Element& x) { return x; });
  EXPECT_EQ(Texts(AutoShard(plain, {2, 0})),
            (Strings{"00", "01", "02", "03", "20", "21", "22", "23"}));
  EXPECT_EQ(Texts(AutoShard(plain, {2, 1})), (Strings{"10", "11", "12", "13"}));
  const Dataset names = Dataset::FromTensorSlices(Tensor::FromStrings(files, {3}));
  const auto open = [](const Element& x) { return TFRecordDataset({x[0].data<std::string>()[0]}); };
  EXPECT_EQ(Texts(AutoShard(Interleave(names, open, {2}), {2, 0})),
            (Strings{"00", "20", "01", "21", "02", "22", "03", "23"}));
  // The shuffle of the names comes behind their division.
  const Dataset shuffled =
      Interleave(names.Shuffle(3, {.seed = 1}), open, {1}).Repeat(2).Prefetch();
  EXPECT_EQ(Texts(AutoShard(shuffled, {2, 1})),
            (Strings{"10", "11", "12", "13", "10", "11", "12", "13"}));
  EXPECT_EQ(Texts(AutoShard(plain, {1, 0})).size(), 12u);
  EXPECT_EQ(Texts(AutoShard(plain, {2, 1, AutoShardPolicy::kOff})).size(), 12u);
  EXPECT_EQ(Texts(AutoShard(plain, {5, 1, AutoShardPolicy::kData})), (Strings{"01", "12", "23"}));
}

TEST(AutoShard, SaysWhatCannotBeDivided) {
  TestFolder folder;
  const Dataset plain = TFRecordDataset(RecordFiles(folder));
  for (const auto policy : {AutoShardPolicy::kAuto, AutoShardPolicy::kFile}) {
    EXPECT_EQ(ErrorOf(Code::kInvalidArgument,
                      [&] {
                        AutoShard(plain, {4, 1, policy});
                      }),
              "[dataset.auto_shard] files can be divided among at most as many workers; got 3 "
              "files for 4 workers; write more files, or take AutoShardPolicy::kData");
  }
  const std::string text = ErrorOf(Code::kNotFound, [&] {
    AutoShard(Dataset::Range(9), {2, 1, AutoShardPolicy::kFile});
  });
  EXPECT_TRUE(text.starts_with("[dataset.auto_shard] kFile needs a source that reads files; got"));
  EXPECT_EQ(Read(AutoShard(Dataset::Range(5), {2, 1})), (std::vector<int64_t>{1, 3}));
  EXPECT_THROW(AutoShard(plain, {2, 2}), Error);
}

TEST(AutoShard, CutsBatchesForReplicas) {
  TestFolder folder;
  const Dataset batches = TFRecordDataset(RecordFiles(folder)).Batch(4);
  const auto sizes = [&](int64_t worker, AutoShardPolicy policy) {
    std::vector<int64_t> all;
    for (const Element& piece : DistributedPieces(
             batches, {.batch = 4, .replicas = 4, .workers = 2, .worker = worker}, policy))
      all.push_back(piece[0].shape()[0]);
    return all;
  };
  // By files every worker cuts its own batches into pieces for all replicas, and takes all.
  EXPECT_EQ(sizes(0, AutoShardPolicy::kAuto), (std::vector<int64_t>(8, 1)));
  EXPECT_EQ(sizes(1, AutoShardPolicy::kAuto), (std::vector<int64_t>(4, 1)));
  EXPECT_EQ(sizes(1, AutoShardPolicy::kData), (std::vector<int64_t>(6, 1)));
}

}  // namespace
}  // namespace lockstep::data
