#include <gtest/gtest.h>

#include <atomic>

#include "base/event_loop.h"
#include "base/memory_files.h"
#include "distribute/workers/communicator.h"
#include "distribute/workers/roster.h"
#include "lockstep/checkpoint/checkpoint.h"
#include "lockstep/distribute/strategy.h"
#include "net/in_process.h"

/// Who may write while a checkpoint's thread is at it.

namespace lockstep::distribute {
namespace {

// One worker, which is told whether it is the first one still.
class OneWorker final : public Roster {
 public:
  base::Executor& executor() override { return loop; }
  Epoch Next(uint64_t) override {
    network.transport(0).EnterEpoch(1);
    return {.number = 1, .transport = &network.transport(0), .roles = Roles(1)};
  }
  bool has_next(uint64_t after) override { return after == 0; }
  std::function<bool()> Writes(Writer) override {
    return [first = is_first] { return first->load(); };
  }

  const std::shared_ptr<std::atomic<bool>> is_first = std::make_shared<std::atomic<bool>>(true);
  base::EventLoop loop;
  net::InProcessNetwork network{std::vector<base::Executor*>{&loop}};
};

class SoleWriterTest : public ::testing::Test {
 protected:
  Status SaveByAThread() {
    const base::FilesScope scope(disk_);
    strategy_.OnChief([&] { return checkpoint_.Write("saves/ck", {.enable_async = true}); });
    return checkpoint_.Sync();
  }

  base::MemoryFiles disk_;
  std::shared_ptr<OneWorker> roster_ = std::make_shared<OneWorker>();
  MultiWorkerMirroredStrategy strategy_{
      std::make_shared<Communicator>(roster_, roster_->Next(0), Roles(1),
                                     [this](const std::function<bool()>& done) {
                                       roster_->loop.RunUntil(done, std::chrono::minutes(1));
                                     }),
      {.devices = 1, .replicas = 1}};
  Variable v_{Scalar(1.0f)};
  Checkpoint checkpoint_{{{"v", v_}}};
};

TEST_F(SoleWriterTest, TheFirstWorkersThreadGoesOnAfterItsCall) {
  EXPECT_EQ(SaveByAThread(), Status::Ok());
  EXPECT_TRUE(disk_.Open("saves/ck.index").ok());
}

TEST_F(SoleWriterTest, AThreadOfOneWhoseEpochIsOverWritesNothing) {
  *roster_->is_first = false;
  const Status status = SaveByAThread();
  EXPECT_EQ(status.code(), Code::kAborted);
  EXPECT_NE(status.message().find("only the one worker that writes for the present epoch may"),
            std::string::npos);
  EXPECT_FALSE(disk_.Open("saves/ck.index").ok());
}

}  // namespace
}  // namespace lockstep::distribute
