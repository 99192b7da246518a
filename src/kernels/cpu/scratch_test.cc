#include "kernels/cpu/scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace lockstep::kernels {
namespace {

std::vector<ScratchUse> AllUses() {
  std::vector<ScratchUse> uses;
  for (size_t use = 0; use < kScratchUses; ++use) uses.push_back(static_cast<ScratchUse>(use));
  return uses;
}

unsigned char* Bytes(ScratchUse use, size_t count) {
  return static_cast<unsigned char*>(ThreadScratchBytes(use, count));
}

// The build of the undefined-behaviour sanitizer checks the bounds of arrays of the library, too.
TEST(ThreadScratch, EachUseHasMemoryOfItsOwn) {
  for (const size_t count : {size_t{1}, size_t{4096}, size_t{100000}, size_t{3} << 20}) {
    for (const ScratchUse use : AllUses()) {
      std::fill_n(Bytes(use, count), count, static_cast<unsigned char>(use));
    }
    for (const ScratchUse use : AllUses()) {
      const unsigned char* bytes = Bytes(use, count);
      EXPECT_EQ(std::count(bytes, bytes + count, static_cast<unsigned char>(use)),
                static_cast<int64_t>(count))
          << "use " << static_cast<int>(use) << ", " << count << " bytes";
    }
  }
}

TEST(ThreadScratch, StaysWhereItIsWhileItSuffices) {
  for (const ScratchUse use : AllUses()) {
    const void* first = ThreadScratchBytes(use, 1000);
    EXPECT_EQ(ThreadScratchBytes(use, 500), first);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0u);
  }
}

}  // namespace
}  // namespace lockstep::kernels
