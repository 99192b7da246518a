#include "base/mutation_test.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/hash.h"
#include "base/memory_files.h"
#include "checkpoint/bundle_file.h"
#include "checkpoint/bundle_format.h"
#include "checkpoint/checkpoint_state.h"
#include "checkpoint/flat_graph.h"
#include "checkpoint/npy_format.h"
#include "checkpoint/npz.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/save_file.h"
#include "checkpoint/table.h"
#include "checkpoint/zip.h"

LOCKSTEP_WATCH_ALLOCATIONS

namespace lockstep::checkpoint {
namespace {

using base::largest_allocation;
using base::MemoryFiles;

std::vector<NamedTensor> Arrays() {
  return {{"a", Constant<float>({1, 2, 3, 4, 5, 6}, {2, 3})},
          {"b", Scalar<int64_t>(-9)},
          {"c", Tensor::FromBools({true, false, true}, {3})},
          {"d", Constant<double>({}, {0, 5})}};
}

std::vector<BundleTensor> BundleTensors() {
  std::vector<BundleTensor> tensors;
  for (const NamedTensor& array : Arrays()) tensors.push_back({array.name, array.value, ""});
  tensors.push_back({"words", Tensor::FromStrings({"", "two", "three"}, {3}), ""});
  tensors.push_back({"p", Constant<int32_t>({1, 2, 3, 4}, {2, 2}), "3 2 0,2:-"});
  tensors.push_back({"p", Constant<int32_t>({5, 6}, {1, 2}), "3 2 2,1:-"});
  return tensors;
}

// Runs `parse` on a thousand damaged copies of `whole`; it gives a status and how many bytes of
// elements it has read.
struct Parsed {
  Status status;
  size_t bytes = 0;
};
void Damage(const std::string& whole, uint64_t seed, int least_refused,
            const std::function<Parsed(const std::string&)>& parse) {
  seed = base::TestSeed(seed);
  int refused = 0;
  for (uint64_t item = 0; item < 1000; ++item) {
    SCOPED_TRACE("LOCKSTEP_TEST_SEED=" + std::to_string(seed) + ", item " + std::to_string(item));
    std::mt19937_64 random(seed * 1000 + item);
    const std::string file = base::Mutate(whole, whole, random);
    largest_allocation = 0;
    const Parsed parsed = parse(file);
    ASSERT_LE(largest_allocation, size_t{300'000}) << parsed.status.message();
    ASSERT_LE(parsed.bytes, file.size() * 1032);
    refused += !parsed.status.ok();
    ASSERT_NE(parsed.status.code(), Code::kInternal);
  }
  EXPECT_GE(refused, least_refused) << "the damage does none";
}

size_t BytesOf(const std::vector<NamedTensor>& tensors) {
  size_t bytes = 0;
  for (const NamedTensor& tensor : tensors) bytes += tensor.value.num_bytes();
  return bytes;
}

TEST(Mutations, SafetensorsAreAnErrorOrWhole) {
  MemoryFiles files;
  ASSERT_TRUE(WriteSafetensors(files, "s", {Arrays(), {{"k", "v"}}}).ok());
  const std::string whole = base::ReadWholeFile(files, "s").OrThrow();
  Damage(whole, 31, 500, [](const std::string& file) -> Parsed {
    const auto read = ParseSafetensors(std::as_bytes(std::span(file)), "s", nullptr);
    return {read.status(), read.ok() ? BytesOf(read->tensors) : 0};
  });
}

TEST(Mutations, ArraysAreAnErrorOrWhole) {
  std::string storage;
  const Tensor words = Tensor::FromStrings({"ab", "c"}, {2});
  for (const Tensor& array : {Arrays()[0].value, words}) {
    const std::string whole = NpyHeader(array).OrThrow() + std::string(NpyElements(array, storage));
    Damage(whole, 32, 300, [](const std::string& file) -> Parsed {
      const auto read = ParseNpy(file, "a");
      const bool numbers = read.ok() && read->dtype() != DType::kString;
      return {read.status(), numbers ? read->num_bytes() : 0};
    });
  }
}

TEST(Mutations, ArchivesAreAnErrorOrWhole) {
  for (const bool deflated : {false, true}) {
    MemoryFiles files;
    auto file = files.Create("z");
    PieceWriter pieces(**file);
    ZipWriter zip(pieces);
    std::string storage;
    for (const NamedTensor& array : Arrays())
      ASSERT_TRUE(zip.Add(array.name + ".npy",
                          {NpyHeader(array.value).OrThrow(), NpyElements(array.value, storage)},
                          deflated)
                      .ok());
    ASSERT_TRUE(zip.Finish().ok() && pieces.Flush().ok());
    const std::string whole = base::ReadWholeFile(files, "z").OrThrow();
    ASSERT_EQ(ParseNpz(whole, "z").OrThrow().size(), 4u);
    Damage(whole, 33, 500, [](const std::string& bytes) -> Parsed {
      const auto read = ParseNpz(bytes, "z");
      return {read.status(), read.ok() ? BytesOf(*read) : 0};
    });
  }
}

TEST(Mutations, BundlesAreAnErrorOrWhole) {
  MemoryFiles files;
  ASSERT_TRUE(WriteBundle(files, "ck", BundleTensors()).ok());
  for (const std::string& path : {IndexPath("ck"), DataPath("ck", 0, 1)}) {
    const std::string whole = base::ReadWholeFile(files, path).OrThrow();
    Damage(whole, 34, 900, [&](const std::string& bytes) -> Parsed {
      EXPECT_TRUE(ReplaceFile(files, path, bytes).ok());
      const auto bundle = TensorBundle::OpenOn(files, "ck");
      Parsed parsed{bundle.status()};
      for (size_t i = 0; bundle.ok() && i < bundle->entries().size(); ++i) {
        const auto tensor = bundle->Read(bundle->entries()[i].name);
        if (!tensor.ok()) parsed.status = tensor.status();
        if (tensor.ok() && tensor->dtype() != DType::kString) parsed.bytes += tensor->num_bytes();
      }
      return parsed;
    });
    ASSERT_TRUE(ReplaceFile(files, path, whole).ok());
  }
}

// Behind the checksums of the blocks, which hardly any damage gets through.
TEST(Mutations, EntriesOfBundlesAreAnErrorOrAnEntry) {
  MemoryFiles files;
  ASSERT_TRUE(WriteBundle(files, "ck", BundleTensors()).ok());
  const std::string index = base::ReadWholeFile(files, IndexPath("ck")).OrThrow();
  const TableEntries entries = ReadTable(index, "ck").OrThrow();
  int number = 0;
  Damage(index, 35, 300, [&](const std::string&) -> Parsed {
    std::mt19937_64 random(35'000 + number++);
    TableBuilder builder;
    const size_t victim = random() % entries.size();
    for (size_t i = 0; i < entries.size(); ++i) {
      const std::string& value = entries[i].second;
      builder.Add(entries[i].first, i == victim ? base::Mutate(value, value, random) : value);
    }
    EXPECT_TRUE(ReplaceFile(files, IndexPath("ck"), builder.Finish()).ok());
    const auto bundle = TensorBundle::OpenOn(files, "ck");
    Parsed parsed{bundle.status()};
    for (size_t i = 0; bundle.ok() && i < bundle->entries().size(); ++i) {
      const auto tensor = bundle->Read(bundle->entries()[i].name);
      if (!tensor.ok()) parsed.status = tensor.status();
    }
    return parsed;
  });
}

// A save whose index says what `index` says, with the checksums that belong to it.
std::string SaveOf(const std::string& index, const std::string& data) {
  std::string file(kHeaderBytes, '\0');
  const auto put = [&](size_t place, uint64_t value) {
    std::memcpy(file.data() + place, &value, sizeof value);
  };
  std::memcpy(file.data(), kMagic, 8);
  put(8, kVersion | kHeaderBytes << 32);
  put(16, index.size());
  put(24, base::Hash64(index));
  put(32, kHeaderBytes + Aligned(index.size()));
  put(40, kHeaderBytes + Aligned(index.size()) + data.size());
  put(56, base::Hash64({file.data(), 56}));
  file += index;
  file.resize(kHeaderBytes + Aligned(index.size()), '\0');
  return file + data;
}

Parsed ReadSaveOf(const std::string& bytes) {
  MemoryFiles files;
  EXPECT_TRUE(ReplaceFile(files, "s", bytes).ok());
  const auto read = ReadSave(files, "s");
  return {read.status(), read.ok() ? BytesOf(read->tensors) : 0};
}

TEST(Mutations, SavesAreAnErrorOrWhole) {
  MemoryFiles files;
  SavedState state;
  state.metadata = R"({"step": 7, "names": ["a", "b"]})";
  state.tensors = Arrays();
  ASSERT_TRUE(WriteSave(files, "s", state).ok());
  const std::string whole = base::ReadWholeFile(files, "s").OrThrow();
  Damage(whole, 38, 950, ReadSaveOf);  // some changes change nothing
  uint64_t index_bytes = 0;
  std::memcpy(&index_bytes, whole.data() + 16, sizeof index_bytes);
  const std::string index = whole.substr(kHeaderBytes, index_bytes);
  const std::string data = whole.substr(kHeaderBytes + Aligned(index_bytes));
  ASSERT_EQ(SaveOf(index, data), whole);
  // Behind the checksums, which no damage gets through.
  Damage(index, 39, 500, [&](const std::string& text) { return ReadSaveOf(SaveOf(text, data)); });
}

TEST(Mutations, ASaveOfDeepNestsIsAnError) {
  const std::string nest = R"({"tensors": [], "metadata": {"a": )" + std::string(200'000, '[') +
                           std::string(200'000, ']') + "}}";
  EXPECT_EQ(ReadSaveOf(SaveOf(nest, "")).status.code(), Code::kDataLoss);
}

TEST(Mutations, GraphsAndStatesAreAnErrorOrWhole) {
  Trackable model;
  model.Add("w", Variable(Scalar<float>(1))).Add("b", Variable(Scalar<float>(2)));
  const std::string graph = EncodeObjectGraph(Flatten(model).graph);
  Damage(graph, 36, 300, [](const std::string& bytes) -> Parsed {
    const bool read = DecodeObjectGraph(bytes).has_value();
    return {read ? Status::Ok() : Status(Code::kDataLoss, "")};
  });
  const std::string state = EncodeCheckpointState({"ck-2", {"ck-1", "ck-2"}, {1.5, 2.5}, 0.25});
  Damage(state, 37, 200, [](const std::string& text) -> Parsed {
    const bool read = DecodeCheckpointState(text).has_value();
    return {read ? Status::Ok() : Status(Code::kDataLoss, "")};
  });
}

}  // namespace
}  // namespace lockstep::checkpoint
