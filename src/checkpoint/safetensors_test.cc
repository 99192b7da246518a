#include "checkpoint/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "base/memory_files.h"

namespace lockstep::checkpoint {
namespace {

using base::MemoryFiles;

Safetensors Sample() {
  Safetensors content;
  content.tensors = {{"a", Constant<float>({1, 2, 3, 4}, {2, 2})},
                     {"b", Constant<int64_t>({0, 1, 2}, {3})},
                     {"empty", Constant<float>({}, {0, 3})},
                     {"half", Constant<float16>({float16(1.f)}, {1})},
                     {"on", Tensor::FromBools({true, false, true}, {3})}};
  content.metadata = {{"format", "pt"}, {"k", "v\"\n"}};
  return content;
}

std::string Written(const Safetensors& content) {
  MemoryFiles files;
  EXPECT_TRUE(WriteSafetensors(files, "s", content).ok());
  return base::ReadWholeFile(files, "s").OrThrow();
}

Result<Safetensors> Parse(const std::string& bytes) {
  return ParseSafetensors(std::as_bytes(std::span(bytes)), "s", nullptr);
}

std::string File(std::string header, const std::string& data) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

TEST(Safetensors, ReadsBackInTheFilesOrder) {
  const Safetensors read = Parse(Written(Sample())).OrThrow();
  EXPECT_EQ(read.metadata, Sample().metadata);
  std::vector<std::string> names;
  for (const auto& tensor : read.tensors) {
    names.push_back(tensor.name);
    for (const auto& saved : Sample().tensors) {
      if (saved.name != tensor.name) continue;
      EXPECT_EQ(saved.value.dtype(), tensor.value.dtype());
      EXPECT_EQ(saved.value.ToString(), tensor.value.ToString());
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"b", "a", "empty", "half", "on"}));
}

TEST(Safetensors, HasTheFormatsBytes) {
  Safetensors content;
  content.tensors = {{"a", Scalar<float>(1)}};
  content.metadata = {{"k", "v"}};
  const std::string header =
      R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})";
  EXPECT_EQ(Written(content),
            File(header + std::string(80 - header.size(), ' '), std::string("\0\0\x80\x3f", 4)));
}

TEST(Safetensors, TensorsLieInTheFile) {
  const std::string path =
      (std::filesystem::path(testing::TempDir()) / "lockstep_mapped.safetensors").string();
  ASSERT_TRUE(lockstep::WriteSafetensors(path, Sample()).ok());
  std::vector<NamedTensor> tensors = ReadSafetensors(path).OrThrow().tensors;
  EXPECT_TRUE(tensors[0].value.buffer() != nullptr);
  const auto* first = static_cast<const char*>(tensors[0].value.raw_data());
  const auto* second = static_cast<const char*>(tensors[1].value.raw_data());
  EXPECT_EQ(second - first, 24);  // one behind the other, as in the file
  std::filesystem::remove(path);
  EXPECT_EQ(tensors[0].value.ToVector<int64_t>(), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(ReadSafetensors(path).status().code(), Code::kNotFound);
}

TEST(Safetensors, RefusesWhatIsDamaged) {
  const std::string whole = Written(Sample());
  for (size_t left = 0; left < whole.size(); ++left)
    EXPECT_EQ(Parse(whole.substr(0, left)).status().code(), Code::kDataLoss) << left;
  EXPECT_EQ(Parse(whole + "x").status(),
            Status(Code::kDataLoss,
                   "[safetensors] the last tensor must end with the file; got 1 bytes more (s); "
                   "fetch or write the file again"));
  const std::string four(4, '\0');
  for (const char* header :
       {R"([])", R"({"a":3})", R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})",
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})",
        R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]}})",
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
        R"("b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})"})
    EXPECT_EQ(Parse(File(header, four)).status().code(), Code::kDataLoss) << header;
  EXPECT_EQ(Parse(File(R"({"a":{"dtype":"U16","shape":[2],"data_offsets":[0,4]}})", four)).status(),
            Status(Code::kUnimplemented,
                   "[safetensors] a tensor is of a dtype of Lockstep's and has at most 8 axes; got "
                   "U16 with 1 axes (a of s); convert it"));
}

TEST(Safetensors, RefusesWhatCannotBeSaved) {
  MemoryFiles files;
  const auto text = [&](const Safetensors& content) {
    return WriteSafetensors(files, "s", content).message();
  };
  const Tensor one = Scalar<float>(1);
  EXPECT_EQ(text({{{"a", one}, {"a", one}}, {}}),
            "[save] the names of tensors must differ; got twice (a)");
  EXPECT_EQ(text({{{"t", Tensor::FromStrings({"x"}, {1})}}, {}}),
            "[save] safetensors hold tensors of numbers, with names other than __metadata__; got "
            "string (t)");
  EXPECT_EQ(text({{{"a\xff", one}}, {}}),
            "[save] names and metadata of safetensors are UTF-8; got other bytes");
}

}  // namespace
}  // namespace lockstep::checkpoint
