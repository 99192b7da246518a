#include <gtest/gtest.h>

#include "base/mutation_test.h"
#include "data/dataset_node.h"
#include "data/written_files_test.h"
#include "lockstep/data/example.h"
#include "lockstep/data/files.h"
#include "lockstep/data/record.h"

namespace lockstep::data {
namespace {

using base::largest_allocation;

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string SampleExample() {
  return SerializeExample({{"f", std::vector<float>{1, 2, 3}},
                           {"i", std::vector<int64_t>{-1, 300}},
                           {"s", std::vector<std::string>{"ab", "cde"}}});
}

std::string RecordFile(const TestFolder& folder, Compression compression) {
  const std::string path = folder.Path("r");
  auto writer = TFRecordWriter::Open(path, compression);
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(writer->Write(SampleExample() + std::string(i * 50, 'x')).ok());
  EXPECT_TRUE(writer->Close().ok());
  return Content(path);
}

TEST(RecordMutations, AThousandDamagedFilesAreAnErrorOrWholeRecords) {
  TestFolder folder;
  const uint64_t seed = base::TestSeed(21);
  const Compression kinds[] = {Compression::kNone, Compression::kGzip, Compression::kZlib};
  std::vector<std::string> files;
  for (const Compression kind : kinds) files.push_back(RecordFile(folder, kind));
  int refused = 0;
  for (uint64_t item = 0; item < 1000; ++item) {
    SCOPED_TRACE("LOCKSTEP_TEST_SEED=" + std::to_string(seed) + ", item " + std::to_string(item));
    std::mt19937_64 random(seed * 1000 + item);
    const size_t kind = item % 3;
    const std::string file = base::Mutate(files[kind], files[0], random);
    auto reader = TFRecordReader::FromMemory("mutant", file, kinds[kind]);
    ASSERT_TRUE(reader.ok());
    std::string record;
    largest_allocation = 0;
    Result<bool> more = true;
    while ((more = reader->Next(record)).ok() && *more) {
    }
    ASSERT_LE(largest_allocation, size_t{2} << 20);  // a piece of what is compressed
    if (more.ok()) continue;
    ++refused;
    ASSERT_EQ(more.status().code(), Code::kDataLoss);
    ASSERT_NE(more.status().message().find("mutant"), std::string::npos);
  }
  EXPECT_GT(refused, 800) << "the damage does none";
}

TEST(ExampleMutations, AThousandDamagedExamplesAreAnErrorOrAnExample) {
  const uint64_t seed = base::TestSeed(22);
  const std::string whole = SampleExample();
  const std::vector<FeatureSpec> specs{{"f", DType::kFloat32, {}, FeatureSpec::Kind::kVariable},
                                       {"i", DType::kInt64, Shape{2}},
                                       {"s", DType::kString, {}, FeatureSpec::Kind::kVariable}};
  int refused = 0;
  for (uint64_t item = 0; item < 1000; ++item) {
    SCOPED_TRACE("LOCKSTEP_TEST_SEED=" + std::to_string(seed) + ", item " + std::to_string(item));
    std::mt19937_64 random(seed * 1000 + item);
    const std::string bytes = base::Mutate(whole, whole, random);
    largest_allocation = 0;
    const bool read = DeserializeExample(bytes).ok();
    bool parsed = true;
    try {
      ParseSingleExample(bytes, specs);
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), Code::kInvalidArgument);
      parsed = false;
    }
    ASSERT_LE(largest_allocation, size_t{1} << 16);
    refused += !read || !parsed;
  }
  EXPECT_GT(refused, 400) << "the damage does none";
  EXPECT_LT(refused, 1000) << "no damaged example was read whole";
}

TEST(LineMutations, AThousandDamagedFilesAreErrorsOrStrings) {
  TestFolder folder;
  const uint64_t seed = base::TestSeed(24);
  std::string text;
  for (int i = 0; i < 40; ++i) text += std::string(i % 9, 'a') + "\r\n";
  const std::string gzip = RecordFile(folder, Compression::kGzip);
  int refused = 0;
  for (uint64_t item = 0; item < 1000; ++item) {
    SCOPED_TRACE("LOCKSTEP_TEST_SEED=" + std::to_string(seed) + ", item " + std::to_string(item));
    std::mt19937_64 random(seed * 1000 + item);
    const bool compressed = item % 2 == 1;
    const std::string bytes = base::Mutate(compressed ? gzip : text, text, random);
    const std::string path = folder.Write("m", Bytes(bytes.begin(), bytes.end()));
    const Compression compression = compressed ? Compression::kGzip : Compression::kNone;
    for (const Dataset& dataset :
         {TextLineDataset({path}, compression),
          FixedLengthRecordDataset(
              {path}, 5, {.header_bytes = 2, .footer_bytes = 3, .compression = compression})}) {
      largest_allocation = 0;
      try {
        size_t left = 2000 * bytes.size() + 1;
        const auto reader = dataset.node()->Read(0, 0);
        while (reader->Next()) ASSERT_GT(left--, 0u) << "it does not end";
      } catch (const Error& error) {
        ASSERT_TRUE(error.code() == Code::kInvalidArgument || error.code() == Code::kDataLoss);
        ++refused;
      }
      ASSERT_LE(largest_allocation, size_t{200'000});  // a buffer of the reader
    }
  }
  EXPECT_GT(refused, 800) << "the damage does none";
  EXPECT_LT(refused, 2000) << "no damaged file was read whole";
}

TEST(CsvMutations, AThousandDamagedFilesAreErrorsOrLines) {
  TestFolder folder;
  const uint64_t seed = base::TestSeed(23);
  std::string whole;
  for (int i = 0; i < 20; ++i) whole += std::to_string(i) + ",\"a\"\"b\n" + "c\",1.5e3\r\n";
  int refused = 0;
  for (uint64_t item = 0; item < 1000; ++item) {
    SCOPED_TRACE("LOCKSTEP_TEST_SEED=" + std::to_string(seed) + ", item " + std::to_string(item));
    std::mt19937_64 random(seed * 1000 + item);
    const std::string text = base::Mutate(whole, whole, random);
    const std::string path = folder.Write("m.csv", Bytes(text.begin(), text.end()));
    const Dataset dataset = CsvDataset(
        {path},
        {{DType::kInt32}, {DType::kString, Tensor::FromStrings({""}, {})}, {DType::kFloat32}});
    largest_allocation = 0;
    bool failed = false;
    const auto reader = dataset.node()->Read(0, 0);
    for (size_t reads = 0;; ++reads) {
      ASSERT_LE(reads, text.size() + 1) << "it does not end";
      try {
        if (!reader->Next()) break;
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), Code::kInvalidArgument);
        failed = true;
      }
    }
    ASSERT_LE(largest_allocation, size_t{200'000});  // a buffer of the reader
    refused += failed;
  }
  EXPECT_GT(refused, 300) << "the damage does none";
}

}  // namespace
}  // namespace lockstep::data
