#include "base/memory_limit.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>

#include "base/folder_test.h"
#include "base/memory.h"
#include "lockstep/base/status.h"

namespace lockstep::base {
namespace {

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

void Write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

TEST(MemoryLimitTest, IsTheTightestOfAControlGroupAndThoseAroundIt) {
  const TestFolder folder;
  const std::string root = folder.path();
  Write(root + "/jobs/memory.max", "5000\n");
  Write(root + "/jobs/one/memory.max", "max\n");
  Write(root + "/memory/old/memory.limit_in_bytes", "700\n");
  EXPECT_EQ(MemoryOfControlGroup(root, "0::/jobs/one\n"), 5000u);
  EXPECT_EQ(MemoryOfControlGroup(root, "0::/jobs\n"), 5000u);
  EXPECT_EQ(MemoryOfControlGroup(root, "4:memory:/old/inner\n0::/\n"), 700u);
  EXPECT_EQ(MemoryOfControlGroup(root, "4:cpu:/old\n0::/elsewhere\n"), kUnlimited);
  EXPECT_EQ(MemoryOfControlGroup(root, "nothing of the kind"), kUnlimited);
}

TEST(MemoryLimitTest, RefusesWhatIsPastItAndNamesTheBytes) {
  EXPECT_GT(FreeMemory(), 1u << 20);
  EXPECT_GT(MemoryLimit(), 1u << 20);
  EXPECT_LT(MemoryLimit(), kUnlimited);
  for (const size_t bytes : {static_cast<size_t>(MemoryLimit()) + 1, size_t{1} << 62, ~size_t{0}}) {
    try {
      std::free(AllocateMemory(bytes, "test"));
      ADD_FAILURE() << bytes;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kResourceExhausted);
      EXPECT_NE(std::string(error.what()).find(std::to_string(bytes) + " bytes"), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace lockstep::base
