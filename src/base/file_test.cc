#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>

#include "base/folder_test.h"
#include "base/hooked_files.h"
#include "base/memory_files.h"

namespace lockstep::base {
namespace {

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

void Write(FileSystem& files, const std::string& path, std::string_view text) {
  auto file = files.Create(path);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  ASSERT_TRUE((*file)->Append(Bytes(text)).ok());
  ASSERT_TRUE((*file)->Sync().ok());
  ASSERT_TRUE((*file)->Close().ok());
}

// Both disks must behave alike.
class Files : public testing::TestWithParam<bool> {
 protected:
  Files() {
    if (GetParam()) {
      files_ = &memory_;
    } else {
      files_ = &LocalFiles();
    }
    EXPECT_TRUE(files_->CreateDirectories(Path("in/side")).ok());
  }
  std::string Path(const std::string& name) const { return folder_.Path(name); }

  MemoryFiles memory_;
  FileSystem* files_ = nullptr;
  const TestFolder folder_;
};

TEST_P(Files, ReadsWhatWasWritten) {
  Write(*files_, Path("a"), "hello world");
  EXPECT_EQ(ReadWholeFile(*files_, Path("a")).OrThrow(), "hello world");
  const auto file = files_->Open(Path("a"));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->size(), 11u);
  std::string part(5, ' ');
  ASSERT_TRUE((*file)->Read(6, std::as_writable_bytes(std::span(part))).ok());
  EXPECT_EQ(part, "world");
  const Status beyond = (*file)->Read(8, std::as_writable_bytes(std::span(part)));
  EXPECT_EQ(beyond.code(), Code::kOutOfRange);
  EXPECT_NE(beyond.message().find("got the end at 11"), std::string::npos) << beyond.message();
}

TEST_P(Files, CreatesEmptyAndEmptiesWhatIsThere) {
  Write(*files_, Path("a"), "long content");
  Write(*files_, Path("a"), "");
  EXPECT_EQ(ReadWholeFile(*files_, Path("a")).OrThrow(), "");
}

TEST_P(Files, ExtendsWhatIsThere) {
  for (const char* text : {"one", "two"}) {
    auto file = files_->Extend(Path("a"));
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    ASSERT_TRUE((*file)->Append(Bytes(text)).ok());
  }
  EXPECT_EQ(ReadWholeFile(*files_, Path("a")).OrThrow(), "onetwo");
}

TEST_P(Files, RenamesOntoAnother) {
  Write(*files_, Path("a"), "new");
  Write(*files_, Path("b"), "old");
  ASSERT_TRUE(files_->Rename(Path("a"), Path("b")).ok());
  EXPECT_EQ(ReadWholeFile(*files_, Path("b")).OrThrow(), "new");
  EXPECT_EQ(files_->Open(Path("a")).status().code(), Code::kNotFound);
}

TEST_P(Files, ListsNamesInOrder) {
  Write(*files_, Path("b"), "");
  Write(*files_, Path("a"), "");
  auto names = files_->List(folder_.path()).OrThrow();
  std::erase(names, "in");
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
  ASSERT_TRUE(files_->Remove(Path("a")).ok());
  EXPECT_TRUE(files_->IsDirectory(Path("in/side")));
  EXPECT_FALSE(files_->IsDirectory(Path("b")));
  EXPECT_TRUE(files_->SyncDirectory(folder_.path()).ok());
}

TEST_P(Files, SaysWhatIsMissing) {
  const Status status = files_->Open(Path("none")).status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_EQ(status.message(),
            "[file] opening must succeed; got No such file or directory (" + Path("none") + ")");
  EXPECT_EQ(files_->Create(Path("no/such/x")).status().code(), Code::kNotFound);
  EXPECT_EQ(files_->Remove(Path("none")).code(), Code::kNotFound);
  EXPECT_EQ(files_->Rename(Path("none"), Path("b")).code(), Code::kNotFound);
  EXPECT_EQ(files_->List(Path("none")).status().code(), Code::kNotFound);
}

INSTANTIATE_TEST_SUITE_P(Disks, Files, testing::Bool(),
                         [](const auto& info) { return info.param ? "memory" : "local"; });

TEST(LocalFiles, RefusesDirectoriesAsFiles) {
  EXPECT_EQ(LocalFiles().Open(testing::TempDir()).status().code(), Code::kInvalidArgument);
}

TEST(LocalFiles, PutsNoFileInThePlaceOfADevice) {
  const TestFolder folder;
  const std::string from = folder.Path("a"), pipe = folder.Path("pipe");
  Write(LocalFiles(), from, "text");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Status refused = LocalFiles().Rename(from, pipe);
  EXPECT_EQ(refused.code(), Code::kInvalidArgument);
  EXPECT_EQ(refused.message(),
            "[file] a file must be named, or a free place; got a device, pipe or socket (" + pipe +
                "); name another place");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(*ReadWholeFile(LocalFiles(), from), "text");
}

TEST(LocalFiles, ReportsAFullDisk) {
  // Linux's device that is always full.
  auto file = LocalFiles().Create("/dev/full");
  if (!file.ok()) GTEST_SKIP() << "no /dev/full: " << file.status().message();
  const Status status = (*file)->Append(Bytes("x"));
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_EQ(status.message(),
            "[file] writing must succeed; got No space left on device (/dev/full)");
}

TEST(MemoryFiles, FailsFromTheNumberedOperation) {
  MemoryFiles files;
  files.FailFrom(1);
  auto file = files.Create("a");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->Append(Bytes("x")).code(), Code::kResourceExhausted);
  EXPECT_EQ(files.operations(), 2);
}

TEST(MemoryFiles, IsFullAtItsCapacity) {
  MemoryFiles files;
  files.set_capacity(4);
  auto file = files.Create("a");
  EXPECT_TRUE((*file)->Append(Bytes("abc")).ok());
  EXPECT_EQ((*file)->Append(Bytes("de")).code(), Code::kResourceExhausted);
  EXPECT_EQ(ReadWholeFile(files, "a").OrThrow(), "abcd");
}

TEST(MemoryFiles, LosesWhatWasNotSynced) {
  MemoryFiles files;
  auto file = files.Create("a");
  ASSERT_TRUE((*file)->Append(Bytes("one")).ok());
  ASSERT_TRUE((*file)->Sync().ok());
  ASSERT_TRUE((*file)->Append(Bytes("two")).ok());
  ASSERT_TRUE(files.SyncDirectory(".").ok());
  Write(files, "b", "no name");
  files.LosePower(MemoryFiles::NamesLeft::kSynced);
  EXPECT_EQ(ReadWholeFile(files, "a").OrThrow(), "one");
  EXPECT_EQ(files.Open("b").status().code(), Code::kNotFound);
}

TEST(File, AHookComesBeforeEachOperationAndMayRefuseIt) {
  MemoryFiles disk;
  std::vector<bool> asked;
  bool refuses = false;
  HookedFiles files(disk, [&](bool changes) {
    asked.push_back(changes);
    return refuses && changes ? Status(Code::kAborted, "[test] no") : Status::Ok();
  });
  ASSERT_TRUE(files.CreateDirectories("d").ok());
  auto file = std::move(files.Create("d/a")).value();
  const std::string text = "text";
  EXPECT_TRUE(file->Append(std::as_bytes(std::span(text))).ok());
  refuses = true;
  EXPECT_EQ(file->Append(std::as_bytes(std::span(text))).code(), Code::kAborted);
  EXPECT_EQ(file->Sync().message(), "[test] no");
  EXPECT_EQ(file->Close().code(), Code::kAborted);
  EXPECT_EQ(files.Create("d/b").status().code(), Code::kAborted);
  EXPECT_EQ(files.Extend("d/a").status().code(), Code::kAborted);
  EXPECT_EQ(files.Rename("d/a", "d/c").code(), Code::kAborted);
  EXPECT_EQ(files.Remove("d/a").code(), Code::kAborted);
  EXPECT_EQ(files.SyncDirectory("d").code(), Code::kAborted);
  EXPECT_EQ(files.CreateDirectories("e").code(), Code::kAborted);
  EXPECT_EQ(*ReadWholeFile(files, "d/a"), "text");
  EXPECT_EQ(files.List("d")->size(), 1u);
  EXPECT_TRUE(files.IsDirectory("d"));
  EXPECT_FALSE(disk.IsDirectory("e"));
  EXPECT_EQ(asked.size(), 15u);
  EXPECT_EQ(std::count(asked.begin(), asked.end(), false), 3);
}

TEST(File, AScopePutsOtherFilesInThePlaceOfTheMachines) {
  FileSystem& machine = LocalFiles();
  MemoryFiles outer, inner;
  {
    const FilesScope scope(outer);
    EXPECT_EQ(&LocalFiles(), &outer);
    {
      const FilesScope within(inner);
      EXPECT_EQ(&LocalFiles(), &inner);
    }
    EXPECT_EQ(&LocalFiles(), &outer);
  }
  EXPECT_EQ(&LocalFiles(), &machine);
}

}  // namespace
}  // namespace lockstep::base
