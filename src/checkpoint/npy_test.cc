#include "lockstep/checkpoint/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "checkpoint/npy_format.h"
#include "checkpoint/npz.h"

namespace lockstep::checkpoint {
namespace {

std::string PathOf(const char* name) {
  return (std::filesystem::path(testing::TempDir()) /
          ("lockstep_" + std::to_string(getpid()) + "_" + name))
      .string();
}

std::string Bytes(const Tensor& tensor) {
  std::string storage;
  const std::string header = NpyHeader(tensor).OrThrow();
  return header + std::string(NpyElements(tensor, storage));
}

std::string File(const std::string& dict, const std::string& elements) {
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size());
  header += '\0';
  return header + dict + elements;
}

std::vector<NamedTensor> Sample() {
  return {{"scalar", Scalar<double>(-0.5)},
          {"vector", Constant<int32_t>({1, 2, 3})},
          {"matrix", Constant<float>({1, 2, 3, 4, 5, 6}, {2, 3})},
          {"empty", Constant<int64_t>({}, {3, 0})},
          {"bfloat", Constant<bfloat16>({bfloat16(2.f)}, {1})},
          {"flags", Tensor::FromBools({true, false}, {2})},
          {"words", Tensor::FromStrings({"", "ab", "c"}, {3})},
          {"größe", Scalar<uint8_t>(7)}};
}

TEST(Npy, ReadsBack) {
  for (const NamedTensor& array : Sample()) {
    const std::string bytes = Bytes(array.value);
    const Tensor read = ParseNpy(bytes, "a").OrThrow();
    EXPECT_EQ(read.dtype(), array.value.dtype());
    EXPECT_EQ(read.ToString(), array.value.ToString()) << array.name;
  }
}

TEST(Npy, HasTheFormatsBytes) {
  const std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_EQ(Bytes(Constant<float>({1, 2})), File(dict + std::string(117 - dict.size(), ' ') + "\n",
                                                 std::string("\0\0\x80\x3f\0\0\0\x40", 8)));
}

TEST(Npy, ReadsOtherOrders) {
  const std::string numbers("\0\1\0\2\0\3\0\4\0\5\0\6", 12);
  EXPECT_EQ(
      ParseNpy(File("{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3)}", numbers), "a")
          ->ToVector<int16_t>(),
      (std::vector<int16_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(ParseNpy(File("{'descr':'>i2','fortran_order':True,'shape':(2,3)}\n", numbers), "a")
                ->ToVector<int16_t>(),
            (std::vector<int16_t>{1, 3, 5, 2, 4, 6}));
  const Tensor words = ParseNpy(File("{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }",
                                     std::string("\xe4\0\0\0\x91\xf6\1\0x\0\0\0\0\0\0\0", 16)),
                                "a")
                           .OrThrow();
  EXPECT_EQ(words.ToVector<std::string>(), (std::vector<std::string>{"ä\xf0\x9f\x9a\x91", "x"}));
}

TEST(Npy, RefusesWhatIsNoArray) {
  const std::string four(4, '\0');
  const auto status = [&](const std::string& dict) {
    return ParseNpy(File(dict, four), "a").status();
  };
  EXPECT_EQ(
      ParseNpy("hello, array", "a").status(),
      Status(Code::kDataLoss,
             "[npy] an array begins with the bytes \\x93NUMPY; got another kind of file (a)"));
  EXPECT_EQ(status("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"),
            Status(Code::kDataLoss,
                   "[npy] the file has the bytes of its elements, [2]; got 4 (a); write the file "
                   "again"));
  EXPECT_EQ(status("{'descr': '<c8', 'fortran_order': False, 'shape': (2,)}"),
            Status(Code::kUnimplemented,
                   "[npy] an array is of a dtype of Lockstep's and has at most 8 axes; got <c8 "
                   "with 1 axes (a); convert it with NumPy's astype"));
  for (const char* dict :
       {"", "{", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': Maybe, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
        "{'descr': '<U0', 'fortran_order': False, 'shape': (1,)}"})
    EXPECT_EQ(status(dict).code(), Code::kDataLoss) << dict;
  const std::string whole = Bytes(Constant<float>({1, 2}));
  for (size_t left = 6; left < whole.size(); ++left)
    EXPECT_EQ(ParseNpy(whole.substr(0, left), "cut").status().code(), Code::kDataLoss) << left;
  EXPECT_EQ(NpyHeader(Tensor::FromStrings({std::string("a\0", 2)}, {1})).status().code(),
            Code::kInvalidArgument);
}

TEST(Npz, ReadsBackStoredAndDeflated) {
  for (const bool compressed : {false, true}) {
    const std::string path = PathOf("sample.npz");
    ASSERT_TRUE(WriteNpz(path, Sample(), {compressed}).ok());
    const auto arrays = ReadNpz(path).OrThrow();
    ASSERT_EQ(arrays.size(), Sample().size());
    for (size_t i = 0; i < arrays.size(); ++i) {
      EXPECT_EQ(arrays[i].name, Sample()[i].name);
      EXPECT_EQ(arrays[i].value.ToString(), Sample()[i].value.ToString());
    }
    std::filesystem::remove(path);
  }
}

TEST(Npz, NoticesDamage) {
  const std::string path = PathOf("damaged.npz");
  ASSERT_TRUE(WriteNpz(path, Sample(), {true}).ok());
  const std::string whole = base::ReadWholeFile(base::LocalFiles(), path).OrThrow();
  std::filesystem::remove(path);
  for (size_t left = 0; left < whole.size(); ++left)
    EXPECT_FALSE(ParseNpz(whole.substr(0, left), "cut").ok()) << left;
  int noticed = 0;
  for (size_t byte = 0; byte < whole.size(); ++byte) {
    std::string bent = whole;
    bent[byte] ^= 0x10;
    noticed += !ParseNpz(bent, "bent").ok();
  }
  EXPECT_GT(noticed * 2, static_cast<int>(whole.size()));  // times, versions and names may be any
  EXPECT_EQ(ParseNpz(std::string(100, 'x'), "x").status(),
            Status(Code::kDataLoss,
                   "[npz] a zip archive ends with its directory; got another kind of file (x)"));
}

}  // namespace
}  // namespace lockstep::checkpoint
