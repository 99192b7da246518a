#include <gtest/gtest.h>

#include <algorithm>

#include "base/mutation_test.h"
#include "data/counter_hash.h"
#include "data/idx.h"
#include "data/written_files_test.h"

LOCKSTEP_WATCH_ALLOCATIONS

namespace lockstep::data {
namespace {

using base::largest_allocation;

/// A few random changes of the kinds that disks, networks and people make.
Bytes Mutate(Bytes bytes, const Bytes& other, CounterHash& hash) {
  const uint32_t changes = 1 + hash.Below(4);
  for (uint32_t i = 0; i < changes && !bytes.empty(); ++i) {
    const uint32_t at = hash.Below(static_cast<uint32_t>(bytes.size()));
    const uint32_t front = hash.Below(std::min<uint32_t>(16, static_cast<uint32_t>(bytes.size())));
    switch (hash.Below(6)) {
      case 0:
        bytes[at] ^= static_cast<uint8_t>(1u << hash.Below(8));
        break;
      case 1:
        bytes[front] = static_cast<uint8_t>(hash.Next());
        break;
      case 2:
        bytes[front] = hash.Chance(0.5f) ? 0xff : 0x00;
        break;
      case 3:
        bytes.resize(at);
        break;
      case 4:
        bytes.insert(bytes.begin() + at, static_cast<uint8_t>(hash.Next()));
        break;
      default:
        bytes.insert(bytes.end(), other.begin(), other.begin() + at % other.size());
        break;
    }
  }
  return bytes;
}

Bytes Original(CounterHash& hash) {
  constexpr uint8_t kTypes[] = {0x08, 0x09, 0x0b, 0x0c, 0x0d, 0x0e};
  constexpr uint8_t kWidths[] = {1, 1, 2, 4, 4, 8};
  const uint32_t type = hash.Below(6);
  const uint32_t rank = hash.Below(5);
  std::vector<uint32_t> dims;
  size_t count = kWidths[type];
  for (uint32_t i = 0; i < rank; ++i) {
    dims.push_back(hash.Below(6));
    count *= dims.back();
  }
  return IdxBytes(kTypes[type], dims, Counting(count));
}

TEST(IdxMutations, AThousandDamagedFilesAreAnErrorOrAWholeArray) {
  const uint64_t seed = base::TestSeed(20);
  int refused = 0;
  for (uint64_t item = 0; item < 1000; ++item) {
    SCOPED_TRACE("LOCKSTEP_TEST_SEED=" + std::to_string(seed) + ", item " + std::to_string(item));
    CounterHash hash(seed, 0, item);
    const Bytes plain = Original(hash);
    // Damaged as it is, compressed after the damage, or damaged after it was compressed.
    const uint32_t kind = hash.Below(3);
    Bytes file = Mutate(kind == 2 ? Gzip(plain) : plain, Gzip(plain), hash);
    if (kind == 1) file = Gzip(file);
    largest_allocation = 0;
    auto reader = ByteReader::FromMemory("mutant", file);
    ASSERT_TRUE(reader.ok());  // the first bytes alone are never wrong
    const auto array = ReadIdx(*reader);
    // What 1032-fold expansion of such files can hold; a header can claim 2^62.
    ASSERT_LE(largest_allocation, 512u * 1024);
    if (array.ok()) {
      ASSERT_EQ(static_cast<int64_t>(array->bytes.size()), array->header.bytes);
      ASSERT_LE(array->header.bytes, reader->largest_content().value());
      continue;
    }
    ++refused;
    ASSERT_NE(array.status().message().find("(mutant)"), std::string::npos)
        << array.status().ToString();
  }
  EXPECT_GT(refused, 500) << "the damage does none";
  EXPECT_LT(refused, 1000) << "no damaged file was read whole";
}

TEST(IdxMutations, AllocationsAreSeen) {
  if (!LOCKSTEP_SEES_ALLOCATIONS) GTEST_SKIP() << "the sanitizer brings its own operator new";
  largest_allocation = 0;
  const Bytes file = IdxBytes(0x08, {1'000'000}, Counting(1'000'000));
  auto reader = ByteReader::FromMemory("large", file);
  ASSERT_TRUE(ReadIdx(*reader).ok());
  EXPECT_GE(largest_allocation, 1'000'000u);
}

}  // namespace
}  // namespace lockstep::data
