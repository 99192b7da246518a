#include "monitor/event_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

#include "base/folder_test.h"
#include "base/memory_files.h"
#include "base/mutation_test.h"
#include "lockstep/monitor/summary.h"

namespace lockstep::monitor {
namespace {

class EventFiles : public testing::Test {
 protected:
  // A run of two workers: one value a second each, half a second apart.
  void WriteRuns() {
    for (int worker = 0; worker < 2; ++worker) {
      double now = 1000 + 0.5 * worker;
      summary::FileWriter writer(folder_.Path("worker-" + std::to_string(worker)),
                                 {.now = [&now] { return now; }});
      for (int64_t step = 1; step <= 3; ++step, now += 1)
        writer.Scalar("loss", static_cast<float>(10 * worker) + static_cast<float>(step), step);
      writer.Histogram("weights", Constant<float>({1, 2, 3}), 3);
      if (worker == 0) writer.Graph("no graph at all");
    }
  }
  std::string Bytes(const std::string& path) {
    return base::ReadWholeFile(base::LocalFiles(), path).OrThrow();
  }
  const base::TestFolder folder_;
};

TEST_F(EventFiles, AreReadAndMergedOnOneTimeLine) {
  WriteRuns();
  const auto files = ReadEventFiles(base::LocalFiles(), folder_.path()).OrThrow();
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[1].run, "worker-1");
  ASSERT_EQ(files[0].values.size(), 5u);
  EXPECT_EQ(files[0].values[1].tag, "loss");
  EXPECT_EQ(files[0].values[1].kind, "scalars");
  EXPECT_EQ(files[0].values[1].step, 2);
  EXPECT_EQ(files[0].values[1].number, 2);
  EXPECT_EQ(files[0].values[3].kind, "histograms");
  EXPECT_FALSE(files[0].values[3].has_number);
  EXPECT_EQ(files[0].values[4].kind, "graph");
  EXPECT_EQ(files[0].values[4].summary, "no graph at all");
  std::vector<double> order;
  for (const auto& [file, value] : OnOneTimeLine(files))
    if (value->has_number) order.push_back(value->number);
  EXPECT_EQ(order, (std::vector<double>{1, 11, 2, 12, 3, 13}));

  const std::string path =
      MergeEvents(base::LocalFiles(), files, folder_.Path("all/merged")).OrThrow();
  const EventFile merged = ReadEventFile(base::LocalFiles(), path).OrThrow();
  EXPECT_EQ(merged.damage, "");
  ASSERT_EQ(merged.values.size(), 9u);
  EXPECT_EQ(merged.values[1].tag, "worker-1/loss");
  EXPECT_EQ(merged.values[1].wall_time, 1000.5);
  EXPECT_EQ(merged.values[1].number, 11);
  // Nothing but the tag is another.
  EXPECT_EQ(merged.values[8].kind, "histograms");
  EXPECT_EQ(merged.values[8].summary.size(), files[1].values[3].summary.size() + 9);
}

TEST_F(EventFiles, EndAtATornRecord) {
  WriteRuns();
  const std::string path = ReadEventFiles(base::LocalFiles(), folder_.path()).OrThrow()[0].path;
  const std::string bytes = Bytes(path);
  base::MemoryFiles disk;
  disk.CreateDirectories("d").OrThrow();
  const auto read = [&disk](const std::string& text) {
    auto file = disk.Create("d/x").value();
    file->Append(std::as_bytes(std::span(text))).OrThrow();
    file->Close().OrThrow();
    return ReadEventFile(disk, "d/x");
  };
  const auto torn = read(bytes.substr(0, bytes.size() - 5)).value();
  EXPECT_EQ(torn.values.size(), 4u);
  EXPECT_TRUE(torn.damage.starts_with("cut off at record 5, byte ")) << torn.damage;
  EXPECT_EQ(read("").value().values.size(), 0u);
  std::string wrong = bytes;
  wrong[bytes.size() - 6] = static_cast<char>(wrong[bytes.size() - 6] ^ 1);
  EXPECT_TRUE(read(wrong).value().damage.starts_with("a wrong checksum at record 5"));
  const auto other = read("this is no event file at all");
  EXPECT_EQ(other.status().code(), Code::kDataLoss);
  EXPECT_NE(other.status().message().find("d/x"), std::string::npos);
  EXPECT_EQ(ReadEventFiles(disk, "/nothing").status().code(), Code::kNotFound);
}

TEST_F(EventFiles, DamagedOnesAreNoDanger) {
  WriteRuns();
  const auto files = ReadEventFiles(base::LocalFiles(), folder_.path()).OrThrow();
  const std::string bytes = Bytes(files[0].path), other = Bytes(files[1].path);
  const uint64_t seed = base::TestSeed(6);
  SCOPED_TRACE("LOCKSTEP_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  base::MemoryFiles disk;
  disk.CreateDirectories("d").OrThrow();
  size_t whole = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string text = base::Mutate(bytes, other, random);
    auto file = disk.Create("d/x").value();
    file->Append(std::as_bytes(std::span(text))).OrThrow();
    file->Close().OrThrow();
    const auto read = ReadEventFile(disk, "d/x");
    if (!read.ok()) {
      EXPECT_EQ(read.status().code(), Code::kDataLoss);
      continue;
    }
    whole += read->damage.empty() ? 1 : 0;
    EXPECT_LE(read->values.size(), 10u);
  }
  EXPECT_LT(whole, 500u);
}

}  // namespace
}  // namespace lockstep::monitor
