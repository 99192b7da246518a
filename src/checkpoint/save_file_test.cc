#include "checkpoint/save_file.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/hash.h"
#include "base/memory_files.h"

namespace lockstep::checkpoint {
namespace {

using base::MemoryFiles;

SavedState Sample() {
  SavedState state;
  state.metadata = R"({"step":7,"name":"ä"})";
  state.tensors = {
      {"dense/kernel", Constant<float>({1, -0.0f, 3, 4, 5, 6}, {2, 3})},
      {"empty", Constant<double>({}, {0, 5})},
      {"count", Scalar<int64_t>(-9)},
      {"flags", Tensor::FromBools({true, false, true}, {3})},
      {"words", Tensor::FromStrings({"", "two", std::string("nul\0in", 6)}, {3})},
      {"half", Constant<bfloat16>({bfloat16(1.5f)}, {1})},
      {"bytes", Constant<uint8_t>(std::vector<uint8_t>(129, 3), {129})},
  };
  return state;
}

void ExpectSame(const SavedState& a, const SavedState& b) {
  EXPECT_EQ(a.metadata, b.metadata);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    const Tensor& x = a.tensors[i].value;
    const Tensor& y = b.tensors[i].value;
    EXPECT_EQ(a.tensors[i].name, b.tensors[i].name);
    ASSERT_EQ(x.dtype(), y.dtype());
    ASSERT_EQ(x.shape(), y.shape());
    if (x.dtype() == DType::kString) {
      EXPECT_EQ(x.ToString(), y.ToString());
    } else if (x.num_bytes() > 0) {
      EXPECT_EQ(std::memcmp(x.raw_data(), y.raw_data(), x.num_bytes()), 0) << a.tensors[i].name;
    }
  }
}

TEST(SaveFile, ReadsBackEveryBit) {
  MemoryFiles files;
  ASSERT_TRUE(WriteSave(files, "s", Sample()).ok());
  ExpectSame(ReadSave(files, "s").OrThrow(), Sample());
  EXPECT_EQ(files.List(".").OrThrow(), (std::vector<std::string>{"s"}));
}

TEST(SaveFile, HoldsNothingWhenNothingIsGiven) {
  MemoryFiles files;
  ASSERT_TRUE(WriteSave(files, "s", {}).ok());
  const SavedState state = ReadSave(files, "s").OrThrow();
  EXPECT_TRUE(state.tensors.empty());
  EXPECT_EQ(state.metadata, "{}");
  EXPECT_EQ(state.Find("x"), nullptr);
}

// The format of docs/save-format.md, byte by byte: it may not change without a new version.
TEST(SaveFile, HasTheDocumentedBytes) {
  MemoryFiles files;
  SavedState state;
  state.metadata = R"({"step":7})";
  state.tensors = {{"w", Constant<float>({1, 2}, {2})}, {"n", Scalar<int64_t>(5)}};
  ASSERT_TRUE(WriteSave(files, "s", state).ok());
  const std::string bytes = base::ReadWholeFile(files, "s").OrThrow();
  const auto number = [&](size_t place) {
    uint64_t value;
    std::memcpy(&value, bytes.data() + place, sizeof value);
    return value;
  };
  const std::string index =
      R"({"metadata":{"step":7},"tensors":[)"
      R"({"name":"w","dtype":"float32","shape":[2],"offset":0,"bytes":8,"xxh3":"4de8d78f7134f4b7"},)"
      R"({"name":"n","dtype":"int64","shape":[],"offset":64,"bytes":8,"xxh3":"8e03e9aa39aaa78c"}]})";
  EXPECT_EQ(bytes.substr(0, 8), "LOCKSTEP");
  EXPECT_EQ(number(8), 1 | uint64_t{64} << 32);
  EXPECT_EQ(number(16), index.size());
  EXPECT_EQ(number(24), base::Hash64(index));
  EXPECT_EQ(number(32), 64 + Aligned(index.size()));
  EXPECT_EQ(number(40), bytes.size());
  EXPECT_EQ(number(48), 0u);
  EXPECT_EQ(number(56), base::Hash64({bytes.data(), 56}));
  EXPECT_EQ(bytes.substr(64, index.size()), index);
  const size_t data = number(32);
  const float values[] = {1, 2};
  EXPECT_EQ(std::memcmp(bytes.data() + data, values, 8), 0);
  EXPECT_EQ(number(data + 64), 5u);
  EXPECT_EQ(bytes.size(), data + 128);
}

TEST(SaveFile, NoticesEveryFlippedBit) {
  MemoryFiles files;
  SavedState state = Sample();
  state.tensors.resize(3);
  ASSERT_TRUE(WriteSave(files, "s", state).ok());
  const uint64_t bits = base::ReadWholeFile(files, "s").OrThrow().size() * 8;
  for (uint64_t bit = 0; bit < bits; ++bit) {
    files.FlipBit("s", bit);
    const Status status = ReadSave(files, "s").status();
    // In the first eight bytes it is no save at all.
    ASSERT_EQ(status.code(), bit < 64 ? Code::kInvalidArgument : Code::kDataLoss) << bit;
    files.FlipBit("s", bit);
  }
  EXPECT_TRUE(ReadSave(files, "s").ok());
}

TEST(SaveFile, NamesTheCorruptTensor) {
  MemoryFiles files;
  ASSERT_TRUE(WriteSave(files, "s", Sample()).ok());
  const uint64_t bytes = base::ReadWholeFile(files, "s").OrThrow().size();
  files.FlipBit("s", (bytes - 192 + 5) * 8);  // `bytes` takes three times 64
  EXPECT_EQ(ReadSave(files, "s").status(),
            Status(Code::kDataLoss,
                   "[load] the tensor bytes must have its checksum; got another (s); take an "
                   "earlier save"));
}

TEST(SaveFile, NoticesEveryTruncation) {
  MemoryFiles files;
  ASSERT_TRUE(WriteSave(files, "s", Sample()).ok());
  const uint64_t bytes = base::ReadWholeFile(files, "s").OrThrow().size();
  for (uint64_t left = bytes; left-- > 0;) {
    files.Truncate("s", left);
    const Status status = ReadSave(files, "s").status();
    ASSERT_EQ(status.code(), Code::kDataLoss) << left;
    if (left == bytes - 1) {
      EXPECT_EQ(status.message(), "[load] the file must have the " + std::to_string(bytes) +
                                      " bytes that its header says; got " + std::to_string(left) +
                                      " (s); take an earlier save");
    }
    if (left == 9) {
      EXPECT_EQ(status.message(),
                "[load] a save has at least 64 bytes; got 9 (s); take an earlier save");
    }
  }
}

TEST(SaveFile, RefusesOtherFilesAndVersions) {
  MemoryFiles files;
  ASSERT_TRUE(ReplaceFile(files, "t", std::string(100, 'x')).ok());
  EXPECT_EQ(
      ReadSave(files, "t").status(),
      Status(
          Code::kInvalidArgument,
          "[load] a save begins with the bytes LOCKSTEP; got another kind of file (t); name a save "
          "(save-N.lockstep) or the directory that holds the saves"));
  ASSERT_TRUE(WriteSave(files, "s", Sample()).ok());
  std::string bytes = base::ReadWholeFile(files, "s").OrThrow();
  bytes[8] = 9;
  const uint64_t checksum = base::Hash64({bytes.data(), 56});
  std::memcpy(bytes.data() + 56, &checksum, sizeof checksum);
  ASSERT_TRUE(ReplaceFile(files, "s", bytes).ok());
  EXPECT_EQ(ReadSave(files, "s").status(),
            Status(Code::kFailedPrecondition,
                   "[load] this program reads version 1 of the format; got version 9 (s); load it "
                   "with the program that wrote it"));
  EXPECT_EQ(ReadSave(files, "none").status().code(), Code::kNotFound);
}

TEST(SaveFile, RefusesWhatCannotBeSaved) {
  MemoryFiles files;
  SavedState twice;
  twice.tensors = {{"w", Scalar<float>(1)}, {"w", Scalar<float>(2)}};
  EXPECT_EQ(WriteSave(files, "s", twice),
            Status(Code::kInvalidArgument, "[save] the names of tensors must differ; got twice w"));
  SavedState nothing;
  nothing.tensors = {{"w", Tensor()}};
  EXPECT_EQ(WriteSave(files, "s", nothing),
            Status(Code::kInvalidArgument,
                   "[save] only values can be saved; got a tensor without elements (w)"));
  SavedState text;
  text.metadata = "[1]";
  EXPECT_EQ(WriteSave(files, "s", text),
            Status(Code::kInvalidArgument, "[save] the metadata must be a JSON object; got [1]"));
  EXPECT_EQ(files.Open("s").status().code(), Code::kNotFound);
}

TEST(SaveFile, KeepsTheOldOneWhenTheDiskIsFull) {
  MemoryFiles files;
  SavedState old = Sample();
  ASSERT_TRUE(WriteSave(files, "s", old).ok());
  SavedState next = Sample();
  next.metadata = R"({"step":8})";
  const auto bytes = static_cast<int64_t>(base::ReadWholeFile(files, "s").OrThrow().size());
  files.set_capacity(bytes + 100);
  const Status status = WriteSave(files, "s", next);
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_NE(status.message().find("No space left on device (s.unfinished); make room or save "
                                  "elsewhere, earlier saves are untouched"),
            std::string::npos)
      << status.message();
  ExpectSame(ReadSave(files, "s").OrThrow(), old);
  EXPECT_EQ(files.Open("s.unfinished").status().code(), Code::kNotFound);
}

// Whatever operation of the disk fails, and whether power goes then: there is the old or the new.
TEST(SaveFile, IsOldOrNewWhereverItStops) {
  using Left = MemoryFiles::NamesLeft;
  for (const Left left : {Left::kSynced, Left::kAll}) {
    for (int64_t stop = 0;; ++stop) {
      MemoryFiles files;
      SavedState old = Sample(), next = Sample();
      next.metadata = R"({"step":8})";
      ASSERT_TRUE(WriteSave(files, "s", old).ok());
      files.FailFrom(stop, Code::kUnavailable);
      const Status status = WriteSave(files, "s", next);
      const bool done = files.operations() <= stop;
      files.FailFrom(-1);
      files.LosePower(left);
      const auto read = ReadSave(files, "s");
      ASSERT_TRUE(read.ok()) << read.status().ToString() << " stopped at " << stop;
      EXPECT_EQ(status.ok(), done);
      EXPECT_TRUE(read->metadata == old.metadata || read->metadata == next.metadata);
      if (done) {
        EXPECT_EQ(read->metadata, next.metadata);
        EXPECT_GT(stop, 10);
        break;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::checkpoint
