// What is expected was recorded from TensorFlow 2.21.
#include "lockstep/data/files.h"

#include <gtest/gtest.h>

#include "data/dataset_node.h"
#include "data/written_files_test.h"
#include "lockstep/data/transformations.h"

namespace lockstep::data {
namespace {

using Strings = std::vector<std::string>;

Strings Texts(const Dataset& dataset) {
  Strings all;
  for (const Element& element : dataset) all.push_back(element[0].data<std::string>()[0]);
  return all;
}
Bytes Of(const std::string& text) { return Bytes(text.begin(), text.end()); }

std::string ErrorOf(Code code, const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.status().message();
  }
  return "no error";
}

std::string WriteRecords(const std::string& path, const Strings& records,
                         Compression compression = Compression::kNone) {
  auto writer = TFRecordWriter::Open(path, compression);
  for (const std::string& record : records) EXPECT_TRUE(writer->Write(record).ok());
  EXPECT_TRUE(writer->Close().ok());
  return path;
}

TEST(TFRecordDataset, ReadsFileAfterFile) {
  TestFolder folder;
  const Strings files{WriteRecords(folder.Path("a"), {"a0", "a1"}),
                      WriteRecords(folder.Path("b"), {}), WriteRecords(folder.Path("c"), {"c0"})};
  const Dataset stream = TFRecordDataset(files);
  EXPECT_FALSE(stream.indexable());
  EXPECT_EQ(stream.Cardinality(), kUnknownCardinality);
  for (int pass = 0; pass < 2; ++pass) EXPECT_EQ(Texts(stream), (Strings{"a0", "a1", "c0"}));
  EXPECT_EQ(Texts(stream.Skip(1)), (Strings{"a1", "c0"}));
  const Dataset indexed = TFRecordDataset(files, {.indexed = true});
  EXPECT_TRUE(indexed.indexable());
  EXPECT_EQ(indexed.Cardinality(), 3);
  EXPECT_EQ(indexed.At(2)[0].data<std::string>()[0], "c0");
  EXPECT_EQ(Texts(indexed), Texts(stream));
  const std::string packed = WriteRecords(folder.Path("z"), {"z"}, Compression::kZlib);
  EXPECT_EQ(Texts(TFRecordDataset({packed}, {Compression::kZlib})), Strings{"z"});
}

TEST(TFRecordDataset, ThrowsWhatIsWrongWhereItIs) {
  TestFolder folder;
  const std::string good = WriteRecords(folder.Path("good"), {"one", "two"});
  std::ifstream file(good, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  bytes[bytes.size() - 5] ^= 1;  // the last byte of "two"
  const std::string bad = folder.Write("bad", Of(bytes));
  auto iterator = TFRecordDataset({bad}).begin();
  EXPECT_EQ((*iterator)[0].data<std::string>()[0], "one");
  EXPECT_TRUE(ErrorOf(Code::kDataLoss, [&] { ++iterator; }).find("(record 1 at byte 19 of") !=
              std::string::npos);
  const Dataset indexed = TFRecordDataset({bad}, {.indexed = true});
  EXPECT_EQ(indexed.At(0)[0].data<std::string>()[0], "one");
  ErrorOf(Code::kDataLoss, [&] { indexed.At(1); });
  const std::string cut = folder.Write("cut", Of(bytes.substr(0, 30)));
  ErrorOf(Code::kDataLoss, [&] { TFRecordDataset({cut}, {.indexed = true}); });
  ErrorOf(Code::kNotFound, [&] { Texts(TFRecordDataset({folder.Path("none")})); });
  EXPECT_EQ(Texts(IgnoreErrors(TFRecordDataset({folder.Path("none"), good}))),
            (Strings{"one", "two"}));
  EXPECT_EQ(ErrorOf(Code::kInvalidArgument, [&] { TFRecordDataset({}); }),
            "[dataset.tfrecord] there must be a file; got none; name one or several");
  ErrorOf(Code::kInvalidArgument, [&] { TFRecordDataset({good}, {Compression::kGzip, true}); });
}

// Steps that move elements hand strings on without a tensor around each; a map in between makes
// tensors of them.
TEST(TFRecordDataset, HasTheSameElementsAsTextsAndAsTensors) {
  TestFolder folder;
  Strings records;
  for (int i = 0; i < 50; ++i) records.push_back(std::string(i % 7 * 9, 'a') + std::to_string(i));
  const Strings files{WriteRecords(folder.Path("a"), records), folder.Path("none"),
                      WriteRecords(folder.Path("b"), {"last"})};
  const Dataset texts = IgnoreErrors(TFRecordDataset(files));
  const Dataset plain = TFRecordDataset({files[0], files[2]});
  const Dataset tensors = plain.Map([](const Element& element) { return element; });
  const auto batches = [](const Dataset& dataset) {
    std::vector<Strings> all;
    for (const Element& element : dataset) {
      const auto values = element[0].data<std::string>();
      EXPECT_EQ(element[0].shape(), Shape{static_cast<int64_t>(values.size())});
      all.emplace_back(values.begin(), values.end());
    }
    return all;
  };
  const auto steps = [](const Dataset& dataset, bool drop) {
    return dataset.Skip(2).Shuffle(13, {.seed = 5}).Batch(8, drop);
  };
  for (const bool drop : {false, true}) {
    EXPECT_EQ(batches(steps(plain, drop)), batches(steps(tensors, drop)));
    EXPECT_EQ(batches(steps(plain, drop)).size(), drop ? 6u : 7u);
  }
  EXPECT_EQ(batches(plain.Batch(100)), batches(texts.Batch(100)));
  EXPECT_EQ(Texts(plain.Shuffle(1000, {.seed = 1})), Texts(tensors.Shuffle(1000, {.seed = 1})));
  EXPECT_TRUE(batches(plain.Skip(60).Batch(2)).empty());
}

TEST(TextLineDataset, ReadsLines) {
  TestFolder folder;
  const std::string path = folder.Write("l", Of("one\r\n\ntw\ro\nthree"));
  EXPECT_EQ(Texts(TextLineDataset({path})), (Strings{"one", "", "two", "three"}));
  const std::string packed = folder.Write("z", Gzip(Of("x\ny\n")));
  EXPECT_EQ(Texts(TextLineDataset({packed, path}, Compression::kGzip).Take(2)),
            (Strings{"x", "y"}));
  const std::string long_line(200'000, 'l');
  EXPECT_EQ(Texts(TextLineDataset({folder.Write("long", Of(long_line + "\nend"))})),
            (Strings{long_line, "end"}));
  EXPECT_TRUE(Texts(TextLineDataset({folder.Write("empty", {})})).empty());
}

TEST(FixedLengthRecordDataset, ReadsBetweenHeaderAndFooter) {
  TestFolder folder;
  const std::string path = folder.Write("f", Of("HHabcdefF"));
  EXPECT_EQ(Texts(FixedLengthRecordDataset({path}, 3, {2, 1})), (Strings{"abc", "def"}));
  EXPECT_EQ(ErrorOf(Code::kInvalidArgument,
                    [&] {
                      Texts(FixedLengthRecordDataset({path}, 4, {2, 1}));
                    }),
            "[dataset.fixed_length_record] a file is its header, records of 4 bytes, and its "
            "footer; got 2 bytes over (" +
                path + "); correct the sizes");
  EXPECT_TRUE(Texts(FixedLengthRecordDataset({path}, 3, {8, 1})).empty());
  ErrorOf(Code::kInvalidArgument, [&] { Texts(FixedLengthRecordDataset({path}, 3, {9, 1})); });
  ErrorOf(Code::kInvalidArgument, [&] { FixedLengthRecordDataset({path}, 0); });
}

TEST(CsvDataset, ReadsColumns) {
  TestFolder folder;
  const std::string path =
      folder.Write("c", Of("a,b,c\n1,2.5,x\n,3,\"q\"\"u,o\nte\"\n3,,\n4,5,\"y\"\r\n"));
  CsvOptions options;
  options.header = true;
  const Dataset all = CsvDataset(
      {path},
      {{DType::kInt64, 7}, {DType::kFloat32, 0.5}, {DType::kString, Tensor::FromStrings({""}, {})}},
      options);
  std::vector<int64_t> a;
  std::vector<float> b;
  Strings c;
  for (const Element& element : all) {
    a.push_back(element[0].scalar<int64_t>());
    b.push_back(element[1].scalar<float>());
    c.push_back(element[2].data<std::string>()[0]);
  }
  EXPECT_EQ(a, (std::vector<int64_t>{1, 7, 3, 4}));
  EXPECT_EQ(b, (std::vector<float>{2.5f, 3, 0.5f, 5}));
  EXPECT_EQ(c, (Strings{"x", "q\"u,o\nte", "", "y"}));
  options.select_columns = {2};
  EXPECT_EQ(Texts(IgnoreErrors(CsvDataset({path}, {{DType::kString}}, options))),
            (Strings{"x", "q\"u,o\nte", "y"}));
}

TEST(CsvDataset, NamesTheLineThatDoesNotFit) {
  TestFolder folder;
  const std::string path = folder.Write("c", Of("1,2\n1\n1,x\n\n5,6\n\"a\"b,1\n7,8"));
  const Dataset numbers = CsvDataset({path}, {{DType::kInt32}, {DType::kFloat64}});
  std::vector<std::string> errors;
  std::vector<int32_t> read;
  const auto node = numbers.node()->Read(0, 0);
  while (true) {
    try {
      const auto element = node->Next();
      if (!element) break;
      read.push_back((*element)[0].scalar<int32_t>());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      errors.push_back(error.status().message());
    }
  }
  EXPECT_EQ(read, (std::vector<int32_t>{1, 5, 7}));
  ASSERT_EQ(errors.size(), 4u);
  EXPECT_EQ(errors[0], "[dataset.csv] a record has a field a column, 2; got 1 (record 2 of " +
                           path + "); correct the line or the columns");
  EXPECT_EQ(errors[1], "[dataset.csv] a field must be a float64; got x (field 1 of record 3 of " +
                           path + "); correct it, or take the column for another dtype");
  EXPECT_EQ(errors[3],
            "[dataset.csv] a record must have a delimiter behind a quoted field; got "
            "another (record 6 of " +
                path + "); correct the line, or read it with quotes = false");
}

TEST(ListFiles, FindsAndShuffles) {
  TestFolder folder;
  for (const char* name : {"b.txt", "a.txt", "c.csv"}) folder.Write(name, Of("x"));
  EXPECT_EQ(Texts(ListFiles(folder.Path("*.txt"), false)),
            (Strings{folder.Path("a.txt"), folder.Path("b.txt")}));
  EXPECT_EQ(Texts(ListFiles(folder.Path("*"), true, 3)).size(), 3u);
  EXPECT_EQ(ErrorOf(Code::kNotFound, [&] { ListFiles(folder.Path("*.none")); }),
            "[dataset.list_files] a file must fit the pattern; got none for " +
                folder.Path("*.none") + "; check the path");
}

}  // namespace
}  // namespace lockstep::data
