#include "distribute/workers/flight_reporter.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "base/event_loop.h"
#include "base/team.h"
#include "collectives/barrier.h"
#include "distribute/workers/communicator.h"
#include "net/grpc_rpc.h"
#include "net/grpc_test.h"
#include "net/in_process.h"

/// Tasks as they are in production, as threads: each trains on one, and is asked on another.

namespace lockstep::distribute {
namespace {

using collectives::Phase;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kTasks = 3;

std::string TextOf(const std::string& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

class FlightReporterTest : public ::testing::Test {
 protected:
  struct Task {
    std::shared_ptr<Communicator> ranks;
    std::unique_ptr<base::EventThread> control;
    std::unique_ptr<net::Rpc> rpc;
    std::unique_ptr<FlightReporter> reporter;
    std::vector<std::string> found;  // on the control thread
    std::atomic<int> findings{0};
  };

  // Runs `body` on the task's control thread and waits for it.
  static void OnControl(Task& task, const std::function<void()>& body) {
    std::atomic<bool> done{false};
    base::EventLoop here;
    task.control->executor().Post([&] {
      body();
      here.Post([&done] { done = true; });
    });
    here.RunUntil([&done] { return done.load(); }, seconds(60));
  }

  // Lets each task run `body`, then ends them.
  void Run(const std::string& file, bool at_signal,
           const std::function<void(int rank, Task& task)>& body) {
    std::vector<base::EventLoop> loops(kTasks);
    std::vector<base::Executor*> executors;
    for (base::EventLoop& loop : loops) executors.push_back(&loop);
    net::InProcessNetwork network(executors);
    std::vector<std::string> addresses;
    for (int rank = 0; rank < kTasks; ++rank) {
      Task& task = tasks_[rank];
      base::EventLoop& loop = loops[rank];
      task.ranks = std::make_shared<Communicator>(network.transport(rank),
                                                  [&loop](const std::function<bool()>& done) {
                                                    loop.RunUntil(done, std::chrono::minutes(1));
                                                  });
      task.control = std::make_unique<base::EventThread>();
      OnControl(task, [&] {
        task.rpc = net::MakeGrpcRpc(task.control->executor(), {.listen = "127.0.0.1:0"}).value();
        task.reporter = std::make_unique<FlightReporter>(
            *task.rpc, task.ranks->flight(),
            FlightOptions{.limit = seconds(30), .file = file, .at_signal = at_signal && rank == 0});
        task.reporter->OnFinding([&task](const FlightReporter::Finding& finding) {
          task.found.push_back(finding.difference);
          ++task.findings;
        });
        addresses.push_back(task.rpc->address());
      });
    }
    for (Task& task : tasks_) OnControl(task, [&] { task.reporter->Enter(0, addresses); });
    base::Team team(kTasks);
    team.Run([&](int rank) { body(rank, tasks_[rank]); });
    for (Task& task : tasks_)
      OnControl(task, [&] {
        task.reporter.reset();
        task.rpc.reset();
      });
    for (Task& task : tasks_) task.ranks.reset();
  }

  Status Meet(Communicator& ranks, const std::string& label, base::Duration timeout) {
    std::optional<Status> status;
    collectives::Barrier(
        ranks.group(), {{ranks.NextStep(), 0}, {timeout, collectives::Route::kAuto}, label},
        [&](const Result<collectives::Reduced>& result) { status = result.status(); });
    ranks.WaitUntil([&] { return status.has_value(); });
    return *status;
  }

  Task tasks_[kTasks];
};

TEST_F(FlightReporterTest, AStalledRankIsNamedWhileItDoesSomethingElse) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  Run("", false, [&](int rank, Task& task) {
    EXPECT_EQ(Meet(*task.ranks, "start", seconds(60)), Status::Ok());
    if (rank == 2) {
      task.ranks->Doing(Phase::kInput);
      // Busy with something else until the others have asked; its own thread answers nothing.
      while (tasks_[0].findings + tasks_[1].findings < 2) {
      }
      task.ranks->Doing(Phase::kStep);
    }
    EXPECT_EQ(Meet(*task.ranks, "epoch", seconds(60)), Status::Ok());
  });
  for (int rank : {0, 1}) {
    ASSERT_FALSE(tasks_[rank].found.empty());
    const std::string& text = tasks_[rank].found[0];
    EXPECT_EQ(text.find("worker 2 never reached barrier 2 of epoch, at "
                        "distribute/workers/flight_reporter_test.cc:"),
              0u)
        << text;
    EXPECT_NE(text.find(", in which workers 0 and 1 wait since "), std::string::npos) << text;
    EXPECT_NE(text.find("; it is in the input pipeline since "), std::string::npos) << text;
  }
}

TEST_F(FlightReporterTest, AnAbortLeavesTheRecordsInFiles) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  const std::string file = ::testing::TempDir() + "/lockstep_flight_abort";
  Run(file, false, [&](int rank, Task& task) {
    if (rank == 2) {
      task.ranks->Doing(Phase::kSave);
      while (tasks_[0].findings + tasks_[1].findings < 2) {
      }
      return;
    }
    const Status status = Meet(*task.ranks, "epoch", milliseconds(50));
    EXPECT_FALSE(status.ok());
    while (task.findings == 0) {
    }
    OnControl(task, [] {});  // the file is written behind the finding
  });
  for (int rank : {0, 1}) {
    const std::string text = TextOf(file + "." + std::to_string(rank));
    EXPECT_EQ(text.find("# worker 2 never reached barrier 1 of epoch, at "), 0u) << text;
    EXPECT_NE(text.find("; it is writing a save since "), std::string::npos) << text;
    const auto log = collectives::ParseFlightLog(text);
    ASSERT_TRUE(log.ok()) << log.status().ToString();
    EXPECT_EQ(log->rank, rank);
    EXPECT_EQ(log->num_ranks, kTasks);
    ASSERT_EQ(log->records.size(), 2u);
    EXPECT_EQ(log->records[0].state, collectives::FlightRecord::State::kFailed);
    std::remove((file + "." + std::to_string(rank)).c_str());
  }
}

TEST_F(FlightReporterTest, ASignalWritesTheFile) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  const std::string file = ::testing::TempDir() + "/lockstep_flight_signal";
  Run(file, true, [&](int rank, Task& task) {
    EXPECT_EQ(Meet(*task.ranks, "start", seconds(60)), Status::Ok());
    if (rank != 0) return;
    std::raise(SIGUSR1);
    while (TextOf(file + ".0").empty()) {
    }
  });
  std::signal(SIGUSR1, SIG_DFL);
  EXPECT_TRUE(collectives::ParseFlightLog(TextOf(file + ".0")).ok());
  EXPECT_EQ(TextOf(file + ".1"), "");
  std::remove((file + ".0").c_str());
}

}  // namespace
}  // namespace lockstep::distribute
