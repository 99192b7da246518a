#include "cli/top.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "base/folder_test.h"
#include "net/grpc_test.h"

namespace lockstep::cli {
namespace {

using distribute::JobView;

JobView Job(double steps, double waited) {
  JobView job;
  for (uint64_t i = 0; i < 2; ++i) {
    JobView::Task& task = job.tasks.emplace_back();
    task.health.peer.incarnation = i + 1;
    task.health.peer.job = "worker";
    task.health.peer.index = static_cast<int32_t>(i);
    base::Metrics metrics;
    metrics.Counter("lockstep_steps_total", "").Set(steps);
    metrics.Counter("lockstep_examples_total", "").Set(steps * 32);
    metrics.Counter("lockstep_wait_seconds_total", "", {{"peer", "worker 0"}}).Set(waited / 4);
    metrics.Counter("lockstep_wait_seconds_total", "", {{"peer", "worker 1"}}).Set(waited);
    metrics.Counter("lockstep_sent_bytes_total", "", {{"peer", "worker 1"}, {"transport", "tls"}})
        .Set(steps * 1048576);
    metrics.Histogram("lockstep_step_seconds", "", {1})
        .Observe(0.004, static_cast<uint64_t>(steps));
    metrics.Gauge("lockstep_loss", "").Set(0.5);
    task.view.metrics = metrics.Read();
  }
  job.tasks[1].reached = Status(Code::kUnavailable, "nobody there");
  job.epochs = {{.number = 3, .reason = "2 tasks joined", .tasks = {"worker 0", "worker 1"}}};
  return job;
}

TEST(TopLines, SayWhatHappenedBetweenTwoLooks) {
  const auto lines = LinesOf(Job(100, 1), Job(150, 2), 2);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].task, "worker 0");
  EXPECT_EQ(lines[0].step, 150u);
  EXPECT_DOUBLE_EQ(lines[0].steps_per_second, 25);
  EXPECT_DOUBLE_EQ(lines[0].examples_per_second, 800);
  EXPECT_NEAR(lines[0].milliseconds, 4, 1e-9);
  EXPECT_DOUBLE_EQ(lines[0].waiting, 0.625);
  EXPECT_EQ(lines[0].waits_for, "worker 1");
  EXPECT_DOUBLE_EQ(lines[0].sent_mib, 25);
  EXPECT_EQ(lines[0].transports, "tls");
  EXPECT_EQ(lines[0].loss, "0.5000");
  EXPECT_EQ(lines[1].activity, "nobody there");
  const std::string text = ShowJob(lines, Job(1, 1).epochs);
  EXPECT_TRUE(text.starts_with("2 tasks, epoch 3\n")) << text;
  EXPECT_NE(text.find("epoch 3, 0 s ago: worker 0, worker 1 (2 tasks joined)"), std::string::npos)
      << text;
}

// A job of two workers under `lockstep launch`, looked at from outside.
TEST(Top, FindsTheJobThatWasLaunchedHere) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  const base::TestFolder place;
  const std::string& folder = place.path();
  setenv("TMPDIR", folder.c_str(), 1);
  setenv("LOCKSTEP_LOG", "off", 1);
  const auto read = [&place](const std::string& name) { return place.Read(name); };
  const auto run = [&folder](const std::string& arguments, const std::string& out) {
    const int status = std::system(("'" LOCKSTEP_PROGRAM "' " + arguments + " >'" + folder + "/" +
                                    out + "' 2>'" + folder + "/" + out + ".err'")
                                       .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(run("top --once", "none"), 1);
  EXPECT_NE(read("none.err").find("got none on this host"), std::string::npos) << read("none.err");
  for (const char* absent : {"nosuch", "/no/such", "127.0.0.1:99999"}) {
    EXPECT_EQ(run(std::string("top --once --job ") + absent, "none"), 1);
    EXPECT_NE(read("none.err")
                  .find("[top] a job that runs must be found; got no directory and no "
                        "address (" +
                        std::string(absent) + ": "),
              std::string::npos)
        << read("none.err");
  }

  const pid_t job = fork();
  if (job == 0) {
    const std::string command =
        "exec '" LOCKSTEP_PROGRAM
        "' launch --workers 2 -- lockstep train --model mlp --strategy multi_worker --devices 1 "
        "--examples 256 --steps 100000000 --verbose 0 >'" +
        folder + "/job' 2>&1";
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(99);
  }
  nlohmann::json seen;
  for (int tries = 0; tries < 300; ++tries) {
    usleep(20'000);
    if (run("top --once --json --interval 0.05", "seen") != 0) continue;
    seen = nlohmann::json::parse(read("seen"));
    if (seen["tasks"].size() == 2 && seen["tasks"][0]["step"] > 0 && seen["tasks"][1]["step"] > 0)
      break;
  }
  EXPECT_EQ(run("top --once", "text"), 0) << read("text.err");
  kill(job, SIGINT);
  int status = 0;
  EXPECT_EQ(waitpid(job, &status, 0), job);
  ASSERT_EQ(seen["tasks"].size(), 2u) << seen.dump() << read("seen.err") << read("job");
  EXPECT_EQ(seen["tasks"][0]["task"], "worker 0");
  EXPECT_NE(seen["tasks"][1]["state"], "");  // on a busy machine somebody may be slow
  EXPECT_GT(seen["tasks"][1]["step"], 0);
  EXPECT_GT(seen["tasks"][0]["memory_mib"], 1);
  EXPECT_EQ(seen["epoch"], 1);
  EXPECT_EQ(seen["epochs"][0]["tasks"].size(), 2u);
  const std::string text = read("text");
  EXPECT_TRUE(text.starts_with("2 tasks, epoch 1\n")) << text;
  EXPECT_NE(text.find("worker 1"), std::string::npos) << text;
  unsetenv("TMPDIR");
  unsetenv("LOCKSTEP_LOG");
}

}  // namespace
}  // namespace lockstep::cli
