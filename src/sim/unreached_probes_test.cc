#include <gtest/gtest.h>

#include <cstdio>

#include "sim/world.h"

namespace lockstep::sim {
namespace {

// After all simulations of this program: which rare paths none of their seeds has reached.
class ListUnreachedProbes final : public ::testing::Environment {
 public:
  void TearDown() override {
    std::printf("rare paths that no seed reached:\n");
    for (const std::string& probe :
         UnreachedProbes({"net", "collectives", "cluster", "distribute"}))
      std::printf("  %s\n", probe.c_str());
  }
};

[[maybe_unused]] const ::testing::Environment* const kListing =
    ::testing::AddGlobalTestEnvironment(new ListUnreachedProbes);

TEST(UnreachedProbes, NamesFileLineAndPlaceAndOnlyTheFoldersAskedFor) {
  // No simulation sends strangers' bytes to the collectives: that path stays on the list.
  bool found = false;
  for (const std::string& probe : UnreachedProbes({"collectives"})) {
    EXPECT_EQ(probe.find("src/collectives/"), 0u) << probe;
    found = found || probe.find(" a message to collectives is no partial") != std::string::npos;
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(UnreachedProbes({"nowhere"}).empty());
}

}  // namespace
}  // namespace lockstep::sim
