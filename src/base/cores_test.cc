#include "base/cores.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace lockstep::base {
namespace {

// A tree of control groups in a folder of its own.
class Groups : public ::testing::Test {
 protected:
  Groups() { std::filesystem::remove_all(root_); }
  ~Groups() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = root_ + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  }
  double Cores(const std::string& groups) const { return CoresOfControlGroup(root_, groups); }

  const std::string root_ =
      std::filesystem::temp_directory_path() / ("groups-" + std::to_string(::getpid()));
};

TEST_F(Groups, Version2) {
  Write("/pod/cpu.max", "350000 100000");
  Write("/pod/box/cpu.max", "max 100000");
  EXPECT_EQ(Cores("0::/pod/box\n"), 3.5) << "the limit of a group around it";
  Write("/pod/box/cpu.max", "150000 100000");
  EXPECT_EQ(Cores("0::/pod/box\n"), 1.5);
  EXPECT_EQ(Cores("0::/\n"), 0) << "of the root there is no file";
}

TEST_F(Groups, Version1) {
  Write("/cpu,cpuacct/docker/7/cpu.cfs_quota_us", "250000");
  Write("/cpu,cpuacct/docker/7/cpu.cfs_period_us", "50000");
  EXPECT_EQ(Cores("9:memory:/docker/7\n4:cpu,cpuacct:/docker/7\n"), 5);
  Write("/cpu,cpuacct/docker/7/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(Cores("4:cpu,cpuacct:/docker/7\n"), 0);
}

// The path is that outside of the container, in which its own group is mounted as the root.
TEST_F(Groups, OfAContainerThatDoesNotKnowItsPath) {
  Write("/cpu/cpu.cfs_quota_us", "200000");
  Write("/cpu/cpu.cfs_period_us", "100000");
  EXPECT_EQ(Cores("4:cpu,cpuacct:/docker/7\n"), 2);
  EXPECT_EQ(Cores("4:cpuset:/docker/7\n"), 0);
}

TEST_F(Groups, WhatIsNoLimit) {
  Write("/a/cpu.max", "max 100000");
  Write("/b/cpu.max", "");
  Write("/c/cpu.max", "0 0");
  for (const char* groups : {"0::/a\n", "0::/b\n", "0::/c\n", "0::/none\n", "nonsense\n", ""})
    EXPECT_EQ(Cores(groups), 0) << groups;
}

TEST(Cores, AreNoMoreThanThoseThatTheProcessMayRunOn) {
  EXPECT_GE(Cores(), 1);
  EXPECT_LE(Cores(), static_cast<int>(CoreNumbers().size()));
}

TEST(GoToCore, GoesWhereTheThreadMayRun) {
  const std::vector<int> cores = CoreNumbers();
  for (const int core : cores) {
    EXPECT_TRUE(GoToCore(core));
    EXPECT_EQ(CoreNumbers(), cores) << "where it may run stays as it was";
  }
  for (const int wrong : {-1, cores.back() + 1, 1 << 20}) EXPECT_FALSE(GoToCore(wrong)) << wrong;
}

TEST(GoToCore, StaysWhereAThreadIsHeld) {
  const int held_to = CoreNumbers().front(), other = CoreNumbers().back();
  if (other == held_to) GTEST_SKIP() << "needs two cores";
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(held_to, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_FALSE(GoToCore(other));
    EXPECT_TRUE(GoToCore(held_to));
    EXPECT_EQ(CurrentCore(), held_to);
  }).join();
}

}  // namespace
}  // namespace lockstep::base
