#include "lockstep/data/record.h"

#include <gtest/gtest.h>

#include "data/counter_hash.h"
#include "data/written_files_test.h"

namespace lockstep::data {
namespace {

std::vector<std::string> Sample() {
  std::string large(300'000, 'x');
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 7);
  return {"", "abc", large, std::string("\0\xff", 2)};
}

std::string WriteSample(const TestFolder& folder, Compression compression) {
  const std::string path = folder.Path("records");
  auto writer = TFRecordWriter::Open(path, compression);
  EXPECT_TRUE(writer.ok());
  for (const std::string& record : Sample()) EXPECT_TRUE(writer->Write(record).ok());
  EXPECT_TRUE(writer->Close().ok());
  return path;
}

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// All records, or the status that ended them.
Result<std::vector<std::string>> ReadAll(TFRecordReader& reader) {
  std::vector<std::string> records;
  std::string record;
  while (true) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, reader.Next(record));
    if (!more) return records;
    records.push_back(record);
  }
}

TEST(TFRecord, ReadsBackWithEveryCompression) {
  for (const auto compression : {Compression::kNone, Compression::kGzip, Compression::kZlib}) {
    TestFolder folder;
    auto reader = TFRecordReader::Open(WriteSample(folder, compression), compression);
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ(ReadAll(*reader).OrThrow(), Sample());
    std::string record;
    EXPECT_FALSE(reader->Next(record).OrThrow());
  }
}

TEST(TFRecord, HasTheFormatsBytes) {
  TestFolder folder;
  auto writer = TFRecordWriter::Open(folder.Path("r"));
  ASSERT_TRUE(writer.ok() && writer->Write("").ok() && writer->Write("abc").ok());
  ASSERT_TRUE(writer->Close().ok());
  const Bytes expected = {0,    0,    0,    0,    0,   0,   0,   0,    0x29, 0x03, 0x98, 0x07,
                          0xd8, 0xea, 0x82, 0xa2, 3,   0,   0,   0,    0,    0,    0,    0,
                          0xb0, 0x99, 0x49, 0x0e, 'a', 'b', 'c', 0x6e, 0x57, 0xf1, 0x21};
  EXPECT_EQ(Content(folder.Path("r")), std::string(expected.begin(), expected.end()));
  EXPECT_EQ(writer->Write("more").code(), Code::kFailedPrecondition);
}

TEST(TFRecord, NoticesEveryFlippedBitAndEveryCut) {
  TestFolder folder;
  auto writer = TFRecordWriter::Open(folder.Path("r"));
  for (const char* record : {"one", "", "three"}) ASSERT_TRUE(writer->Write(record).ok());
  ASSERT_TRUE(writer->Close().ok());
  const std::string whole = Content(folder.Path("r"));
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string bent = whole;
    bent[bit / 8] ^= static_cast<char>(1 << bit % 8);
    auto reader = TFRecordReader::FromMemory("bent", bent);
    EXPECT_EQ(ReadAll(*reader).status().code(), Code::kDataLoss) << bit;
  }
  for (size_t left = 0; left < whole.size(); ++left) {
    const std::string cut = whole.substr(0, left);
    auto reader = TFRecordReader::FromMemory("cut", cut);
    const auto records = ReadAll(*reader);
    const bool between = left == 0 || left == 19 || left == 35;
    EXPECT_EQ(records.ok(), between) << left;
  }
}

TEST(TFRecord, NamesTheByteAndTheFile) {
  TestFolder folder;
  const std::string path = WriteSample(folder, Compression::kNone);
  std::string bytes = Content(path);
  bytes[16 + 12] ^= 1;  // the first byte of "abc"
  auto reader = TFRecordReader::FromMemory("some.tfrecord", bytes);
  EXPECT_EQ(ReadAll(*reader).status(),
            Status(Code::kDataLoss,
                   "[tfrecord] a record must have the checksum of its data; got another (record 1 "
                   "at byte 16 of some.tfrecord); write the file again, or name its compression"));
  std::string record;
  EXPECT_FALSE(reader->Next(record).OrThrow());
  EXPECT_EQ(TFRecordReader::Open(folder.Path("none")).status().code(), Code::kNotFound);
  // A file that is compressed and not said to be is no file of records.
  auto plain = TFRecordReader::Open(WriteSample(folder, Compression::kGzip));
  EXPECT_EQ(ReadAll(*plain).status().code(), Code::kDataLoss);
  auto zlib = TFRecordReader::Open(path, Compression::kZlib);
  EXPECT_EQ(ReadAll(*zlib).status().code(), Code::kDataLoss);
}

}  // namespace
}  // namespace lockstep::data
