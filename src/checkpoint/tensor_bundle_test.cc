#include "lockstep/checkpoint/tensor_bundle.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/memory_files.h"
#include "checkpoint/bundle_file.h"
#include "checkpoint/bundle_format.h"

namespace lockstep::checkpoint {
namespace {

using base::MemoryFiles;

std::vector<BundleTensor> Sample() {
  return {{"dense/kernel", Constant<float>({1, -0.0f, 3, 4, 5, 6}, {2, 3})},
          {"empty", Constant<double>({}, {0, 5})},
          {"count", Scalar<int64_t>(-9)},
          {"flags", Tensor::FromBools({true, false, true}, {3})},
          {"words", Tensor::FromStrings({"", "two", std::string("nul\0in", 6)}, {3})},
          {"half", Constant<bfloat16>({bfloat16(1.5f)}, {1})},
          {"p", Constant<int32_t>({1, 2, 3, 4, 5, 6}, {3, 2}), "5 2 0,3:-"},
          {"p", Constant<int32_t>({7, 8, 9, 10}, {2, 2}), "5 2 3,2:0,2"}};
}

void ExpectSame(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.dtype(), b.dtype());
  ASSERT_EQ(a.shape(), b.shape());
  if (a.dtype() == DType::kString) {
    EXPECT_EQ(a.ToVector<std::string>(), b.ToVector<std::string>());
  } else if (a.num_bytes() > 0) {
    EXPECT_EQ(std::memcmp(a.raw_data(), b.raw_data(), a.num_bytes()), 0);
  }
}

TEST(TensorBundle, ReadsBackEveryBit) {
  MemoryFiles files;
  ASSERT_TRUE(WriteBundle(files, "ck", Sample()).ok());
  EXPECT_EQ(files.List(".").OrThrow(),
            (std::vector<std::string>{"ck.data-00000-of-00001", "ck.index"}));
  const auto bundle = TensorBundle::OpenOn(files, "ck");
  ASSERT_TRUE(bundle.ok()) << bundle.status().message();
  std::vector<std::string> names;
  for (const auto& entry : bundle->entries()) names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string>{"count", "dense/kernel", "empty", "flags", "half", "p",
                                             "words"}));
  for (const BundleTensor& tensor : Sample()) {
    if (tensor.slice.empty()) ExpectSame(bundle->Read(tensor.name).OrThrow(), tensor.value);
  }
  ExpectSame(bundle->Read("p").OrThrow(),
             Constant<int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {5, 2}));
  EXPECT_EQ(bundle->Find("p")->parts, 2);
  EXPECT_EQ(bundle->Find("p")->bytes, 40);
  EXPECT_EQ(bundle->Find("q"), nullptr);
  EXPECT_EQ(bundle->Read("q").status(),
            Status(Code::kNotFound,
                   "[checkpoint] the tensor must be in the checkpoint; got none (q of ck); "
                   "`lockstep checkpoint ls` lists what there is"));
}

TEST(TensorBundle, APartThatIsTheWholeTensorIsATensorThatWasNeverDivided) {
  MemoryFiles files;
  const Tensor w = Constant<float>({1, 2, 3, 4}, {2, 2});
  ASSERT_TRUE(WriteBundle(files, "plain", {{"w", w}}).ok());
  const std::string plain = base::ReadWholeFile(files, IndexPath("plain")).OrThrow();
  for (const char* slice : {"2 2 -:-", "2 2 0,2:0,2", "2 2 -:0,2"}) {
    ASSERT_TRUE(WriteBundle(files, "ck", {{"w", w, slice}}).ok());
    EXPECT_EQ(base::ReadWholeFile(files, IndexPath("ck")).OrThrow(), plain) << slice;
  }
  EXPECT_EQ(WriteBundle(files, "ck", {{"w", w, "2 2 -:-"}, {"w", w, "2 2 0,2:0,2"}}).message(),
            "[save] the names of tensors must differ; got twice (w)");
}

TEST(TensorBundle, HoldsNothingWhenNothingIsGiven) {
  MemoryFiles files;
  ASSERT_TRUE(WriteBundle(files, "ck", {}).ok());
  EXPECT_TRUE(TensorBundle::OpenOn(files, "ck")->entries().empty());
  EXPECT_EQ(TensorBundle::OpenOn(files, "none").status().code(), Code::kNotFound);
}

TEST(TensorBundle, NoticesEveryFlippedBitOfTheData) {
  MemoryFiles files;
  ASSERT_TRUE(WriteBundle(files, "ck", Sample()).ok());
  const std::string data = DataPath("ck", 0, 1);
  const uint64_t bits = base::ReadWholeFile(files, data).OrThrow().size() * 8;
  for (uint64_t bit = 0; bit < bits; ++bit) {
    files.FlipBit(data, bit);
    const auto bundle = TensorBundle::OpenOn(files, "ck");
    int damaged = 0;
    for (const auto& entry : bundle->entries()) {
      const Status status = bundle->Read(entry.name).status();
      damaged += !status.ok();
      EXPECT_TRUE(status.ok() || status.code() == Code::kDataLoss) << status.message();
    }
    EXPECT_EQ(damaged, 1) << bit;
    files.FlipBit(data, bit);
  }
  files.FlipBit(data, 0);
  EXPECT_EQ(TensorBundle::OpenOn(files, "ck")->Read("dense/kernel").status().message(),
            "[checkpoint] a tensor must have its checksum; got another (dense/kernel of ck); take "
            "an earlier checkpoint");
}

TEST(TensorBundle, RefusesWhatCannotBeSaved) {
  MemoryFiles files;
  const Tensor one = Scalar<float>(1);
  const auto code = [&](const std::vector<BundleTensor>& tensors) {
    return WriteBundle(files, "ck", tensors).message();
  };
  EXPECT_EQ(code({{"w", one}, {"w", one}}),
            "[save] the names of tensors must differ; got twice (w)");
  EXPECT_EQ(code({{"w", Tensor()}}),
            "[save] only values can be saved; got a tensor without elements (w)");
  EXPECT_EQ(code({{"w", Constant<float>({1}), "2 0,2"}}),
            "[save] a slice is the whole shape and the part's place, as in \"5 2 0,3:0,2\"; got "
            "2 0,2 for [1] (w)");
  EXPECT_EQ(code({{"w", Constant<float>({1}), "2 1,5"}}).substr(0, 20), "[save] a slice is th");
  EXPECT_EQ(code({{"w", Constant<float>({1}), "2 0,1"}, {"w", Constant<float>({1}), "3 1,1"}}),
            "[save] the parts of a tensor have one dtype and whole shape; got 3 1,1 (w)");
  EXPECT_TRUE(files.List(".").OrThrow().empty());
}

TEST(TensorBundle, RefusesPartsThatAreNotTheWhole) {
  MemoryFiles files;
  const Tensor two = Constant<float>({1, 2});
  ASSERT_TRUE(WriteBundle(files, "ck", {{"w", two, "4 0,2"}, {"w", two, "4 1,2"}}).ok());
  EXPECT_EQ(TensorBundle::OpenOn(files, "ck")->Read("w").status(),
            Status(Code::kDataLoss,
                   "[checkpoint] the parts must make up the whole; got parts that overlap (w of "
                   "ck); take an earlier checkpoint"));
  ASSERT_TRUE(WriteBundle(files, "ck", {{"w", two, "4 0,2"}}).ok());
  EXPECT_EQ(TensorBundle::OpenOn(files, "ck")->Read("w").status().code(), Code::kDataLoss);
}

TEST(TensorBundle, PartsOfWorkersBecomeOne) {
  MemoryFiles files;
  const Tensor two = Constant<float>({1, 2});
  ASSERT_TRUE(WriteBundle(files, "w0", {{"a", two, ""}, {"p", two, "4 0,2"}}).ok());
  ASSERT_TRUE(WriteBundle(files, "w1", {{"b", Scalar<int64_t>(3), ""}, {"p", two, "4 2,2"}}).ok());
  ASSERT_TRUE(WriteBundle(files, "w2", {}).ok());
  ASSERT_TRUE(MergeBundles(files, {"w0", "w1", "w2"}, "ck").ok());
  EXPECT_EQ(files.List(".").OrThrow(),
            (std::vector<std::string>{"ck.data-00000-of-00003", "ck.data-00001-of-00003",
                                      "ck.data-00002-of-00003", "ck.index"}));
  const auto bundle = TensorBundle::OpenOn(files, "ck");
  EXPECT_EQ(bundle->num_shards(), 3);
  ExpectSame(bundle->Read("a").OrThrow(), two);
  ExpectSame(bundle->Read("b").OrThrow(), Scalar<int64_t>(3));
  ExpectSame(bundle->Read("p").OrThrow(), Constant<float>({1, 2, 1, 2}));
  ASSERT_TRUE(WriteBundle(files, "x", {{"a", two, ""}}).ok());
  ASSERT_TRUE(WriteBundle(files, "y", {{"a", two, ""}}).ok());
  EXPECT_EQ(
      MergeBundles(files, {"x", "y"}, "z"),
      Status(Code::kInvalidArgument,
             "[checkpoint] a tensor is in one part, or in slices of one form; got it twice (a "
             "of y); save each tensor on one worker"));
  EXPECT_TRUE(TensorBundle::OpenOn(files, "x").ok());  // nothing has been moved
}

TEST(TensorBundle, IsWholeOrHasNoIndexWhereverItStops) {
  for (int64_t stop = 0;; ++stop) {
    MemoryFiles files;
    files.FailFrom(stop, Code::kResourceExhausted);
    const Status status = WriteBundle(files, "ck", Sample());
    files.FailFrom(-1);
    files.LosePower(MemoryFiles::NamesLeft::kAll);
    const auto bundle = TensorBundle::OpenOn(files, "ck");
    if (bundle.ok()) {
      for (const auto& entry : bundle->entries()) EXPECT_TRUE(bundle->Read(entry.name).ok());
    }
    if (status.ok()) {
      EXPECT_TRUE(bundle.ok());
      EXPECT_GT(stop, 8);
      break;
    }
    EXPECT_EQ(status.code(), Code::kResourceExhausted);
    EXPECT_TRUE(status.message().starts_with("[save] the checkpoint ck must be written; "));
  }
}

TEST(BundleFormat, EncodesKeysOfParts) {
  EXPECT_EQ(SliceKey("v", {{0, 3}, {0, 2}}), std::string("\0v\0\x01\x01\x02\x80\x83\x80\x82", 10));
  EXPECT_EQ(SliceKey("", {}), std::string("\0\0\x01\0", 4));
  // 64 needs two bytes, 2^20 four; -1 is one below zero; zeros and ones in names are escaped.
  EXPECT_EQ(SliceKey(std::string("\0\xff", 2), {{64, 1 << 20}, {0, -1}}),
            std::string("\0\0\xff\xff\0\0\x01\x01\x02\xc0\x40\xf0\x10\0\0\x80\x7f", 17));
}

TEST(BundleFormat, ReadsSlices) {
  const auto spec = ParseSliceSpec("5 2 3,2:-");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->whole, (Shape{5, 2}));
  EXPECT_EQ(spec->slice, (Slice{{3, 2}, {0, -1}}));
  EXPECT_EQ(PartShape(spec->whole, spec->slice), (Shape{2, 2}));
  for (const char* text : {"5", "5 2", "5 2 0,3", "5 2 0,6:-", "5 -", "5 0,-1", "5 0,1x", "-1 -"})
    EXPECT_EQ(ParseSliceSpec(text).has_value(), std::string(text) == "5 -") << text;
}

}  // namespace
}  // namespace lockstep::checkpoint
