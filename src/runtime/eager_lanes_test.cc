#include "runtime/eager_lanes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/error_of_test.h"
#include "lockstep/base/status.h"

namespace lockstep::runtime {
namespace {

// Records which rows are computed on how many threads.
class RecordingKernel : public kernels::Kernel {
 public:
  RecordingKernel(int64_t rows, double cost, int64_t grain = 1)
      : rows_(rows), cost_(cost), grain_(grain), calls_(static_cast<size_t>(rows)) {}
  int64_t rows() const override { return rows_; }
  int64_t row_grain() const override { return grain_; }
  double cost_per_row() const override { return cost_; }
  void Run(const kernels::KernelMemory&, int64_t begin, int64_t end) const override {
    for (int64_t row = begin; row < end; ++row) ++calls_[static_cast<size_t>(row)];
    const std::lock_guard lock(mutex_);
    threads_.insert(std::this_thread::get_id());
    begins_.insert(begin);
    if (fails_) throw Error(Code::kInvalidArgument, "row " + std::to_string(begin));
  }
  void Fail() { fails_ = true; }
  bool RanEachRowOnce() const {
    for (const auto& calls : calls_)
      if (calls != 1) return false;
    return true;
  }
  size_t threads() const { return threads_.size(); }
  const std::set<int64_t>& begins() const { return begins_; }

 private:
  const int64_t rows_;
  const double cost_;
  const int64_t grain_;
  bool fails_ = false;
  mutable std::vector<std::atomic<int>> calls_;
  mutable std::mutex mutex_;
  mutable std::set<std::thread::id> threads_;
  mutable std::set<int64_t> begins_;
};

// As a new op, whose rate is not known yet.
void RunAsOp(const RecordingKernel& kernel, base::Team& team) {
  static std::deque<ops::OpSpec> specs;
  RunOnLanes(specs.emplace_back(ops::OpSpec{.name = "Recording"}), DType::kFloat32, kernel, {},
             team);
}

TEST(RunOnLanes, DividesALargeOpByMultiplesOfItsGrain) {
  for (const int lanes : {2, 3}) {
    base::Team team(lanes);
    const RecordingKernel kernel(50, 1e9, 8);
    RunAsOp(kernel, team);
    EXPECT_TRUE(kernel.RanEachRowOnce());
    EXPECT_EQ(kernel.threads(), static_cast<size_t>(lanes));
    for (const int64_t begin : kernel.begins()) EXPECT_EQ(begin % 8, 0);
  }
}

TEST(RunOnLanes, KeepsASmallOpOnTheCallingThread) {
  base::Team team(2);
  for (const double cost : {1.0, 1000.0}) {
    const RecordingKernel kernel(50, cost);
    RunAsOp(kernel, team);
    EXPECT_TRUE(kernel.RanEachRowOnce());
    EXPECT_EQ(kernel.threads(), 1u);
  }
}

TEST(RunOnLanes, KeepsAnOpOnTheCallingThreadWhileTheTeamIsInUse) {
  base::Team team(2);
  const base::LaneLease lease(team);
  const RecordingKernel kernel(50, 1e9);
  RunAsOp(kernel, team);
  EXPECT_TRUE(kernel.RanEachRowOnce());
  EXPECT_EQ(kernel.threads(), 1u);
}

TEST(RunOnLanes, ThrowsTheErrorOfTheFirstRows) {
  base::Team team(3);
  RecordingKernel kernel(30, 1e9);
  kernel.Fail();
  ExpectError(Code::kInvalidArgument, "row 0", [&] { RunAsOp(kernel, team); });
}

}  // namespace
}  // namespace lockstep::runtime
