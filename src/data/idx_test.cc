#include "data/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "data/written_files_test.h"

namespace lockstep::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Result<IdxArray> Parse(const Bytes& bytes, const IdxExpectation& expected = {}) {
  LOCKSTEP_ASSIGN_OR_RETURN(ByteReader reader, ByteReader::FromMemory("f", bytes));
  return ReadIdx(reader, expected);
}

/// The elements of an array that was read without error.
template <typename T>
std::vector<T> Elements(const Result<IdxArray>& array) {
  std::vector<T> out(array.value().bytes.size() / sizeof(T));
  std::memcpy(out.data(), array->bytes.data(), array->bytes.size());
  return out;
}

TEST(Idx, ReadsEveryTypeInTheMachinesByteOrder) {
  const Bytes eight = {0x7f, 0xff, 0x80, 0, 0, 1, 0xff, 0xfe};
  EXPECT_EQ(Parse(IdxBytes(0x08, {8}, eight))->bytes, eight);
  EXPECT_THAT(Elements<int8_t>(Parse(IdxBytes(0x09, {2, 4}, eight))),
              ElementsAre(127, -1, -128, 0, 0, 1, -1, -2));
  EXPECT_THAT(Elements<int16_t>(Parse(IdxBytes(0x0b, {4}, eight))),
              ElementsAre(32767, -32768, 1, -2));
  EXPECT_THAT(Elements<int32_t>(Parse(IdxBytes(0x0c, {2, 1}, eight))),
              ElementsAre(0x7fff8000, 0x0001fffe));
  const Bytes floats = {0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0};
  EXPECT_THAT(Elements<float>(Parse(IdxBytes(0x0d, {2}, floats))), ElementsAre(1.0f, -2.5f));
  const Bytes number = {0x40, 0x09, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18};
  EXPECT_THAT(Elements<double>(Parse(IdxBytes(0x0e, {1, 1, 1}, number))),
              ElementsAre(3.141592653589793));
}

TEST(Idx, ReadsEveryRankPlainAndCompressed) {
  const std::vector<std::vector<uint32_t>> shapes = {{},
                                                     {1},
                                                     {7},
                                                     {0},
                                                     {0, 28, 28},
                                                     {3, 0xffffffff, 0, 0xffffffff},
                                                     {2, 1, 3, 1, 2, 1, 1, 2},
                                                     {101, 13, 17}};
  for (const auto& dims : shapes) {
    size_t count = 1;
    for (const uint32_t dim : dims) count = count * dim;
    for (const uint32_t dim : dims) count = dim == 0 ? 0 : count;
    const Bytes data = Counting(count);
    const Bytes file = IdxBytes(0x08, dims, data);
    for (const Bytes& bytes : {file, Gzip(file)}) {
      const auto array = Parse(bytes);
      ASSERT_TRUE(array.ok()) << array.status().ToString();
      EXPECT_EQ(array->header.dims, std::vector<int64_t>(dims.begin(), dims.end()));
      EXPECT_EQ(array->header.bytes, static_cast<int64_t>(count));
      EXPECT_EQ(array->bytes, data);
    }
  }
}

TEST(Idx, ReadsAFileThatCompressesFarBeyondTheUsual) {
  const Bytes zeros(3'000'000);
  const auto array = Parse(Gzip(IdxBytes(0x0c, {750'000}, zeros)));
  ASSERT_TRUE(array.ok()) << array.status().ToString();
  EXPECT_EQ(array->bytes, zeros);
}

struct Wrong {
  const char* name;
  Bytes bytes;
  Code code;
  const char* message;
};

class WrongIdx : public testing::TestWithParam<Wrong> {};

TEST_P(WrongIdx, IsRefusedWithItsReason) {
  const auto array = Parse(GetParam().bytes);
  ASSERT_FALSE(array.ok());
  EXPECT_EQ(array.status().code(), GetParam().code);
  EXPECT_EQ(array.status().message(), GetParam().message);
}

const Bytes kTwoByThree = IdxBytes(0x0b, {2, 3}, Counting(12));

INSTANTIATE_TEST_SUITE_P(
    Files, WrongIdx,
    testing::Values(
        Wrong{"empty",
              {},
              Code::kDataLoss,
              "[idx] an IDX file must hold a header; got 0 bytes (f); the file is empty: fetch it "
              "again"},
        Wrong{"empty_inside_gzip", Gzip({}), Code::kDataLoss,
              "[idx] an IDX file must hold a header; got 0 bytes (f); the file is empty: fetch it "
              "again"},
        Wrong{"magic_cut",
              {0, 0, 8},
              Code::kDataLoss,
              "[idx] an IDX file must begin with 4 bytes of magic number; got 3 bytes (f); the "
              "file is "
              "truncated: fetch it again"},
        Wrong{
            "other_format",
            {0x89, 'P', 'N', 'G', 0, 0},
            Code::kInvalidArgument,
            "[idx] an IDX file must begin with 00 00; got 89 50 4e 47 (f); this is another format: "
            "check the path"},
        Wrong{"one_byte_of_another_format",
              {'x'},
              Code::kInvalidArgument,
              "[idx] an IDX file must begin with 00 00; got 78 (f); this is another format: check "
              "the "
              "path"},
        Wrong{"unknown_type",
              {0, 0, 0x0a, 1, 0, 0, 0, 0},
              Code::kInvalidArgument,
              "[idx] the type code (byte 2) must be 08 uint8, 09 int8, 0b int16, 0c int32, 0d "
              "float32 "
              "or 0e float64; got 0a (f); write the data as one of these"},
        Wrong{
            "rank_nine", IdxBytes(8, std::vector<uint32_t>(9, 1), {0}), Code::kInvalidArgument,
            "[idx] the rank (byte 3) must be at most 8; got 9 (f); merge dimensions, or check that "
            "this is an IDX file"},
        Wrong{"header_cut", Front(kTwoByThree, 11), Code::kDataLoss,
              "[idx] a header of rank 2 must have 12 bytes; got 11 (f); the file is truncated: "
              "fetch it "
              "again"},
        Wrong{
            "no_data", Front(kTwoByThree, 12), Code::kDataLoss,
            "[idx] int16 [2,3] must be followed by 12 bytes; got 0 bytes of data (f); the file is "
            "truncated or its header corrupt: fetch it again"},
        Wrong{
            "last_byte_missing", Front(kTwoByThree, 23), Code::kDataLoss,
            "[idx] int16 [2,3] must be followed by 12 bytes; got 11 bytes of data (f); the file is "
            "truncated or its header corrupt: fetch it again"},
        Wrong{
            "last_byte_missing_inside_gzip", Gzip(Front(kTwoByThree, 23)), Code::kDataLoss,
            "[idx] int16 [2,3] must be followed by 12 bytes; got 11 bytes of data (f); the file is "
            "truncated: fetch it again"},
        Wrong{
            "one_byte_more", Joined(kTwoByThree, {7}), Code::kDataLoss,
            "[idx] int16 [2,3] must be followed by 12 bytes and the end; got 1 byte left over (f); "
            "the header is corrupt or files were joined: fetch the file again"},
        Wrong{"many_bytes_more_inside_gzip", Gzip(Joined(kTwoByThree, Counting(5000))),
              Code::kDataLoss,
              "[idx] int16 [2,3] must be followed by 12 bytes and the end; got 4096 bytes or more "
              "left "
              "over (f); the header is corrupt or files were joined: fetch the file again"},
        Wrong{"dimensions_overflow", IdxBytes(0x0e, {0x80000000, 0x80000000}, {}),
              Code::kInvalidArgument,
              "[idx] the dimensions must multiply to fewer than 2^63 bytes; got float64 "
              "[2147483648,2147483648] (f); the header is corrupt: fetch the file again"},
        Wrong{"more_than_the_file_holds", IdxBytes(0x08, {0xffffffff, 0x7fffffff}, {1, 2}),
              Code::kDataLoss,
              "[idx] uint8 [4294967295,2147483647] must be followed by 9223372030412324865 bytes; "
              "got 2 "
              "bytes of data (f); the file is truncated or its header corrupt: fetch it again"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Idx, RefusesACompressedFileThatCannotExpandToWhatItDeclares) {
  const Bytes file = Gzip(IdxBytes(0x08, {0x7fffffff}, {1, 2}));
  const auto array = Parse(file);
  EXPECT_EQ(array.status().code(), Code::kDataLoss);
  EXPECT_EQ(array.status().message(),
            "[idx] uint8 [2147483647] must be followed by 2147483647 bytes; got " +
                std::to_string(file.size()) +
                " bytes compressed, which cannot expand to that (f); the file is truncated or its "
                "header corrupt: fetch it again");
}

TEST(Idx, VerifiesTheChecksumOfDataThatAreComplete) {
  Bytes file = Gzip(kTwoByThree);
  file[file.size() - 7] ^= 0x10;
  const auto array = Parse(file);
  EXPECT_EQ(array.status().code(), Code::kDataLoss);
  EXPECT_THAT(array.status().message(), HasSubstr("got incorrect data check (f)"));
}

TEST(Idx, RefusesSwappedFilesBeforeReadingTheirData) {
  const Bytes labels = IdxBytes(0x08, {60000}, {});  // without data: the rank comes first
  const auto as_images = Parse(labels, {"images", 3, IdxType::kUint8});
  EXPECT_EQ(as_images.status().code(), Code::kInvalidArgument);
  EXPECT_EQ(
      as_images.status().message(),
      "[idx] images must be an array of type uint8 and rank 3; got uint8 [60000] (rank 1) (f); "
      "these look like labels, swap the two files: name a file that holds images");
  const Bytes images = IdxBytes(0x08, {60000, 28, 28}, {});
  const auto as_labels = Parse(images, {"labels", 1, {}});
  EXPECT_EQ(
      as_labels.status().message(),
      "[idx] labels must be an array of rank 1; got uint8 [60000,28,28] (rank 3) (f); these look "
      "like images, swap the two files: name a file that holds labels");
  const auto as_floats = Parse(labels, {"weights", {}, IdxType::kFloat32});
  EXPECT_EQ(
      as_floats.status().message(),
      "[idx] weights must be an array of type float32; got uint8 [60000] (rank 1) (f); name a "
      "file that holds weights");
}

TEST(Idx, ReadsFromFilesAndNamesThem) {
  const TestFolder folder;
  const auto array = ReadIdx(folder.Write("good", Gzip(kTwoByThree)));
  ASSERT_TRUE(array.ok()) << array.status().ToString();
  EXPECT_EQ(array->header.ToString(), "int16 [2,3]");
  EXPECT_EQ(array->bytes.size(), 12u);
  const auto cut = ReadIdx(folder.Write("cut", Front(kTwoByThree, 20)));
  EXPECT_THAT(cut.status().message(),
              AllOf(HasSubstr("got 8 bytes of data"), HasSubstr("(" + folder.Path("cut") + ")")));
  EXPECT_EQ(ReadIdx(folder.Path("none")).status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace lockstep::data
