#include "data/byte_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/written_files_test.h"

namespace lockstep::data {
namespace {

using testing::HasSubstr;

/// All bytes of the reader, asked for in pieces of `piece`.
Result<Bytes> Drain(ByteReader& reader, size_t piece) {
  Bytes out;
  for (;;) {
    Bytes part(piece);
    LOCKSTEP_ASSIGN_OR_RETURN(const size_t got, reader.Read(part));
    out.insert(out.end(), part.begin(), part.begin() + got);
    if (got < piece) return out;
  }
}

Result<Bytes> DrainMemory(const Bytes& bytes, size_t piece) {
  LOCKSTEP_ASSIGN_OR_RETURN(ByteReader reader, ByteReader::FromMemory("memory", bytes));
  return Drain(reader, piece);
}

TEST(ByteReader, GivesTheSameBytesInPiecesOfAnySize) {
  const TestFolder folder;
  const Bytes content = Counting(200'003);  // more than three buffers
  const std::string plain = folder.Write("plain", content);
  const std::string compressed = folder.Write("compressed", Gzip(content));
  for (const size_t piece : {7, 4096, 65'536, 65'537, 200'003, 300'000}) {
    for (const std::string& path : {plain, compressed}) {
      auto reader = ByteReader::Open(path);
      ASSERT_TRUE(reader.ok()) << reader.status().ToString();
      const auto got = Drain(*reader, piece);
      ASSERT_TRUE(got.ok()) << got.status().ToString();
      EXPECT_EQ(*got, content) << path << " in pieces of " << piece;
    }
  }
}

TEST(ByteReader, JoinsTheMembersOfAGzipFileWhereverTheyMeet) {
  const Bytes content = Counting(999);
  for (size_t cut = 0; cut <= content.size(); cut += 37) {
    const Bytes rest(content.begin() + cut, content.end());
    const Bytes file = Joined(Joined(Gzip(Front(content, cut)), Gzip({})), Gzip(rest));
    const auto got = DrainMemory(file, 64);
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    EXPECT_EQ(*got, content) << "cut at " << cut;
  }
}

TEST(ByteReader, KnowsGzipByItsBytesAndNotByItsName) {
  const TestFolder folder;
  const auto plain = ByteReader::Open(folder.Write("plain.gz", {1, 2, 3}));
  const auto compressed = ByteReader::Open(folder.Write("compressed.bin", Gzip({1, 2, 3})));
  ASSERT_TRUE(plain.ok() && compressed.ok());
  EXPECT_FALSE(plain->compressed());
  EXPECT_EQ(plain->largest_content(), 3);
  EXPECT_TRUE(compressed->compressed());
  EXPECT_EQ(compressed->largest_content(), 1032 * compressed->file_bytes().value());
}

TEST(ByteReader, RefusesAGzipStreamThatEndsEarlyAtAnyByte) {
  const Bytes file = Gzip(Counting(300));
  for (size_t length = 2; length < file.size(); ++length) {
    const auto got = DrainMemory(Front(file, length), 64);
    ASSERT_FALSE(got.ok()) << length;
    EXPECT_EQ(got.status().code(), Code::kDataLoss);
    EXPECT_EQ(
        got.status().message(),
        "[gzip] a compressed file must be whole; got the end of the file in the middle of the "
        "stream (memory); fetch the file again, or test it with `gzip -t`");
  }
}

TEST(ByteReader, RefusesAWrongChecksumAndAWrongLength) {
  const Bytes file = Gzip(Counting(300));
  Bytes checksum = file;
  checksum[file.size() - 8] ^= 1;
  Bytes length = file;
  length[file.size() - 4] ^= 1;
  EXPECT_THAT(DrainMemory(checksum, 64).status().message(), HasSubstr("incorrect data check"));
  EXPECT_THAT(DrainMemory(length, 64).status().message(), HasSubstr("incorrect length check"));
  EXPECT_EQ(DrainMemory(length, 64).status().code(), Code::kDataLoss);
}

TEST(ByteReader, RefusesBytesAfterTheGzipStream) {
  const auto got = DrainMemory(Joined(Gzip({1, 2, 3}), {0, 0, 0}), 64);
  EXPECT_EQ(got.status().code(), Code::kDataLoss);
  EXPECT_THAT(got.status().message(), HasSubstr("got other bytes after the end of the stream"));
}

TEST(ByteReader, NamesWhatCannotBeOpened) {
  const TestFolder folder;
  const auto missing = ByteReader::Open(folder.Path("none"));
  EXPECT_EQ(missing.status().code(), Code::kNotFound);
  EXPECT_EQ(missing.status().message(),
            "[read_file] the file must exist; No such file or directory (" + folder.Path("none") +
                "); check the path");
  const auto directory = ByteReader::Open(folder.path());
  EXPECT_EQ(directory.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(directory.status().message(), HasSubstr("got a directory (" + folder.path() + ")"));
}

}  // namespace
}  // namespace lockstep::data
