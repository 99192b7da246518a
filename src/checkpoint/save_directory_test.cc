#include "checkpoint/save_directory.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/folder_test.h"
#include "base/memory_files.h"
#include "checkpoint/save_file.h"
#include "checkpoint/write_files.h"

namespace lockstep::checkpoint {
namespace {

using base::MemoryFiles;

SavedState StateOf(int64_t step) {
  SavedState state;
  state.metadata = "{\"step\":" + std::to_string(step) + "}";
  state.tensors = {{"w", Scalar<int64_t>(step)}};
  return state;
}

int64_t Newest(const SaveDirectory& saves) {
  return saves.ReadNewest().OrThrow().Find("w")->scalar<int64_t>();
}

TEST(SaveDirectory, KeepsTheNewestTwo) {
  MemoryFiles files;
  SaveDirectory saves(files, "run/");
  for (const int64_t step : {5, 10, 100}) ASSERT_TRUE(saves.Write(step, StateOf(step)).ok());
  EXPECT_EQ(files.List("run").OrThrow(),
            (std::vector<std::string>{"latest", "save-10.lockstep", "save-100.lockstep"}));
  EXPECT_EQ(base::ReadWholeFile(files, "run/latest").OrThrow(), "save-100.lockstep");
  EXPECT_EQ(Newest(saves), 100);
  EXPECT_EQ(ReadSaveOrNewest(files, "run").OrThrow().metadata, "{\"step\":100}");
  EXPECT_EQ(ReadSaveOrNewest(files, "run/save-10.lockstep").OrThrow().metadata, "{\"step\":10}");
}

TEST(SaveDirectory, IsTriedBeforeATraining) {
  const base::TestFolder folder;
  EXPECT_EQ(RequireWritable(base::LocalFiles(), folder.Path("a/b")), Status::Ok());
  EXPECT_EQ(base::LocalFiles().List(folder.Path("a/b")).OrThrow(), std::vector<std::string>{});
  std::ofstream(folder.Path("file")) << "text";
  for (const std::string& place : {folder.Path("file"), folder.Path("file") + "/below",
                                   std::string("/proc/lockstep"), std::string("/proc/self")}) {
    const Status refused = RequireWritable(base::LocalFiles(), place);
    EXPECT_FALSE(refused.ok()) << place;
    EXPECT_EQ(refused.message().find("[save] the directory of saves must be written; "), 0u)
        << refused.message();
    EXPECT_NE(refused.message().find("(" + place), std::string::npos) << refused.message();
  }
}

TEST(SaveDirectory, KeepsOneWhenAskedTo) {
  MemoryFiles files;
  SaveDirectory saves(files, "run", 1);
  for (const int64_t step : {1, 2}) ASSERT_TRUE(saves.Write(step, StateOf(step)).ok());
  EXPECT_EQ(files.List("run").OrThrow(), (std::vector<std::string>{"latest", "save-2.lockstep"}));
}

TEST(SaveDirectory, PrefersARunThatWentBack) {
  MemoryFiles files;
  SaveDirectory saves(files, "run");
  ASSERT_TRUE(saves.Write(90, StateOf(90)).ok());
  ASSERT_TRUE(saves.Write(100, StateOf(100)).ok());
  ASSERT_TRUE(saves.Write(50, StateOf(50)).ok());
  EXPECT_EQ(Newest(saves), 50);
  ASSERT_TRUE(saves.Write(60, StateOf(60)).ok());
  EXPECT_EQ(Newest(saves), 60);
  EXPECT_EQ(files.List("run").OrThrow(),
            (std::vector<std::string>{"latest", "save-50.lockstep", "save-60.lockstep"}));
}

TEST(SaveDirectory, FallsBackWhenTheNewestIsDamaged) {
  MemoryFiles files;
  SaveDirectory saves(files, "run");
  ASSERT_TRUE(saves.Write(1, StateOf(1)).ok());
  ASSERT_TRUE(saves.Write(2, StateOf(2)).ok());
  files.Truncate("run/save-2.lockstep", 70);
  EXPECT_EQ(Newest(saves), 1);
  files.Truncate("run/save-1.lockstep", 0);
  const Status status = saves.ReadNewest().status();
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_NE(status.message().find("got 70 (run/save-2.lockstep)"), std::string::npos)
      << status.message();
}

TEST(SaveDirectory, SaysWhenThereIsNone) {
  MemoryFiles files;
  ASSERT_TRUE(files.CreateDirectories("run").ok());
  EXPECT_EQ(SaveDirectory(files, "run").ReadNewest().status(),
            Status(Code::kNotFound,
                   "[load] the directory must hold a save, save-<step>.lockstep; got none (run); "
                   "name the directory that --checkpoint named"));
  EXPECT_EQ(ReadSaveOrNewest(files, "none").status().code(), Code::kNotFound);
}

TEST(SaveDirectory, IgnoresOtherNamesAndSweepsUnfinishedOnes) {
  MemoryFiles files;
  SaveDirectory saves(files, "run");
  ASSERT_TRUE(saves.Write(1, StateOf(1)).ok());
  for (const char* name :
       {"save-x.lockstep", "save-.lockstep", "notes", "save-9.lockstep.unfinished"})
    ASSERT_TRUE(ReplaceFile(files, std::string("run/") + name, "x").ok());
  EXPECT_EQ(Newest(saves), 1);
  ASSERT_TRUE(saves.Write(2, StateOf(2)).ok());
  EXPECT_EQ(files.Open("run/save-9.lockstep.unfinished").status().code(), Code::kNotFound);
  EXPECT_TRUE(files.Open("run/notes").ok());
}

// Wherever the disk stops, and with either kind of loss of power, a whole save is found.
TEST(SaveDirectory, AlwaysHasAReadableSave) {
  using Left = MemoryFiles::NamesLeft;
  for (const Left left : {Left::kSynced, Left::kAll}) {
    for (int64_t stop = 0;; ++stop) {
      MemoryFiles files;
      SaveDirectory saves(files, "run", 1);
      ASSERT_TRUE(saves.Write(1, StateOf(1)).ok());
      files.FailFrom(stop);
      const bool ok = saves.Write(2, StateOf(2)).ok();
      const bool done = files.operations() <= stop;
      files.FailFrom(-1);
      files.LosePower(left);
      const auto newest = saves.ReadNewest();
      ASSERT_TRUE(newest.ok()) << newest.status().ToString() << " stopped at " << stop;
      EXPECT_EQ(ok, done) << stop;
      if (done) {
        EXPECT_EQ(Newest(saves), 2);
        EXPECT_GT(stop, 15);
        break;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::checkpoint
