// Runs `lockstep launch` with real processes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/cores.h"
#include "base/folder_test.h"
#include "net/grpc_test.h"

namespace lockstep::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct Ran {
  int status = -1;
  std::string out, err;
  std::vector<std::string> lines() const {
    std::vector<std::string> found;
    std::istringstream stream(out);
    for (std::string line; std::getline(stream, line);) found.push_back(line);
    return found;
  }
};

class Launched : public testing::Test {
 protected:
  Launched() {
    setenv("TMPDIR", folder_.path().c_str(), 1);  // where directories of jobs go
    setenv("LOCKSTEP_LOG", "off", 1);
  }
  ~Launched() override {
    EXPECT_EQ(Leftovers(), std::vector<std::string>{});
    unsetenv("TMPDIR");
    unsetenv("LOCKSTEP_LOG");
  }

  std::string Path(const std::string& name) const { return folder_.Path(name); }
  std::string Read(const std::string& name) const { return folder_.Read(name); }
  void WriteScript(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
    std::filesystem::permissions(Path(name), std::filesystem::perms::owner_all);
  }
  // Begins `lockstep ARGUMENTS`; its output goes to the files out and err.
  pid_t Begin(const std::string& arguments) const {
    const std::string command = "exec '" LOCKSTEP_PROGRAM "' " + arguments + " >'" + Path("out") +
                                "' 2>'" + Path("err") + "'";
    std::filesystem::remove(Path("out"));
    std::filesystem::remove(Path("err"));
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(99);
    }
    return child;
  }
  Ran End(pid_t child) const {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), Read("out"),
            Read("err")};
  }
  Ran Run(const std::string& arguments) const { return End(Begin(arguments)); }
  void WaitFor(const std::string& text, const char* file = "out") const {
    for (int i = 0; i < 2000 && Read(file).find(text) == std::string::npos; ++i) usleep(5000);
    EXPECT_THAT(Read(file), HasSubstr(text));
  }

  // What of a job is still there: directories, and processes with our TMPDIR.
  std::vector<std::string> Leftovers() const {
    std::vector<std::string> found;
    for (int i = 0; i < 200; ++i) {
      found.clear();
      for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
        if (entry.path().filename().string().starts_with("lockstep-job")) {
          found.push_back(entry.path());
        }
      }
      for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        if (name == std::to_string(getpid())) continue;
        std::ifstream file(entry.path() / "environ");
        const std::string environment{std::istreambuf_iterator<char>(file), {}};
        if (environment.find("TMPDIR=" + folder_.path()) != std::string::npos) {
          std::ifstream line(entry.path() / "cmdline");
          found.push_back(name + " " + std::string{std::istreambuf_iterator<char>(line), {}});
        }
      }
      if (found.empty()) return found;
      usleep(20'000);
    }
    return found;
  }

  const base::TestFolder folder_;
};

TEST_F(Launched, RunsAProgramThatKnowsNothingOfClusters) {
  const Ran ran = Run("launch --workers 3 -- /bin/echo hello --json");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.lines(),
              testing::UnorderedElementsAre("worker 0 | hello --json", "worker 1 | hello --json",
                                            "worker 2 | hello --json"));
  EXPECT_EQ(ran.err, "");
}

TEST_F(Launched, GivesEachTaskItsDescription) {
  // Those with whose end the job ends wait until all have said something.
  std::filesystem::create_directory(Path("said"));
  const Ran ran =
      Run("launch --workers 2 --ps 1 --chief --evaluator --devices 3 --env A=b --env SAID=" +
          Path("said") +
          " -- sh -c "
          "'echo $LOCKSTEP_TASK,$LOCKSTEP_DEVICES,$A; echo \"$TF_CONFIG\"; "
          "touch \"$SAID/$LOCKSTEP_TASK\"; "
          "case $LOCKSTEP_TASK in (ps*|eval*) exec sleep 60; esac; "
          "while [ $(ls \"$SAID\" | wc -l) -lt 5 ]; do sleep 0.02; done'");
  EXPECT_EQ(ran.status, 0) << ran.err;
  json cluster;
  int configs = 0;
  for (const std::string& line : ran.lines()) {
    const size_t begin = line.find('{');
    if (begin == std::string::npos) continue;
    const json config = json::parse(line.substr(begin));
    const std::string task = config["task"]["type"].get<std::string>() + " " +
                             std::to_string(config["task"]["index"].get<int>());
    EXPECT_TRUE(line.starts_with(task + " | ")) << line;
    EXPECT_THAT(ran.out, HasSubstr(task + " | " + task + ",3,b\n"));
    if (configs++ > 0) {
      EXPECT_EQ(config["cluster"], cluster);
    }
    cluster = config["cluster"];
  }
  EXPECT_EQ(configs, 5);
  EXPECT_EQ(cluster["chief"].size(), 1u);
  EXPECT_EQ(cluster["evaluator"].size(), 1u);
  EXPECT_EQ(cluster["worker"].size(), 2u);
  EXPECT_EQ(cluster["ps"].size(), 1u);
}

// Else tasks of one host would fight for its cores.
TEST_F(Launched, DividesTheCoresOverTasksThatNameNoDevices) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  for (const std::string strategy : {"multi_worker", "parameter_server"}) {
    const auto devices = [&](const std::string& flags, const std::string& own) {
      const Ran ran = Run("launch --workers 2 --json " + flags +
                          " -- '" LOCKSTEP_PROGRAM "' train --strategy " + strategy +
                          " --examples 64 --steps 1 --json " + own);
      EXPECT_EQ(ran.status, 0) << ran.err;
      return json::parse(ran.lines().back())["devices"].get<int>();
    };
    EXPECT_EQ(devices("", ""), std::max(1, base::Cores() / 2));
    EXPECT_EQ(devices("--devices 3", ""), 3);
    EXPECT_EQ(devices("--devices 3", "--devices 4"), 4);
  }
}

TEST_F(Launched, HidesWhatOtherLaunchersSaid) {
  setenv("OMPI_COMM_WORLD_SIZE", "7", 1);
  setenv("SLURM_STEP_NUM_TASKS", "7", 1);
  const Ran ran = Run("launch -- sh -c 'env | grep -cE \"^(OMPI|SLURM)\"; true'");
  unsetenv("OMPI_COMM_WORLD_SIZE");
  unsetenv("SLURM_STEP_NUM_TASKS");
  EXPECT_EQ(ran.out, "worker 0 | 0\n");
}

TEST_F(Launched, ReturnsTheStatusOfTheFirstThatFailed) {
  const Ran failed =
      Run("launch --workers 3 -- sh -c "
          "'[ \"$LOCKSTEP_TASK\" = \"worker 1\" ] && exit 7; exec sleep 60'");
  EXPECT_EQ(failed.status, 7);
  EXPECT_EQ(failed.err, "lockstep launch: worker 1 ended with status 7; stopping the others\n");
  const Ran killed = Run("launch --workers 1 -- sh -c 'kill -9 $$'");
  EXPECT_EQ(killed.status, 137);
  EXPECT_THAT(killed.err, testing::ContainsRegex("worker 0 \\(pid [0-9]+\\) was killed by signal 9 "
                                                 "\\(Killed\\); starting it again \\(1 of 3\\)"));
  const Ran missing = Run("launch --workers 2 -- /no/such/program");
  EXPECT_EQ(missing.status, 127);
  EXPECT_THAT(missing.err, HasSubstr("cannot be started: [process] running the program must "
                                     "succeed; got No such file or directory (/no/such/program)"));
}

TEST_F(Launched, KillsWhoDoesNotStopInTime) {
  const auto begin = std::chrono::steady_clock::now();
  const Ran ran =
      Run("launch --workers 2 --grace 0.3 -- sh -c '"
          "[ \"$LOCKSTEP_TASK\" = \"worker 1\" ] && { sleep 0.2; exit 5; }; "
          "trap \"echo asked to stop\" TERM; while :; do sleep 0.05; done'");
  EXPECT_EQ(ran.status, 5);
  EXPECT_THAT(ran.out, HasSubstr("worker 0 | asked to stop\n"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST_F(Launched, StartsAgainAtTheSameAddress) {
  const Ran ran =
      Run("launch --workers 2 --max-restarts 2 --json -- sh -c '"
          "echo $LOCKSTEP_RESTART $TF_CONFIG >>" +
          Path("seen") +
          "; "
          "[ \"$LOCKSTEP_TASK$LOCKSTEP_RESTART\" = \"worker 10\" ] && kill -9 $$; "
          "echo \"{\\\"recoveries\\\": [{\\\"lost\\\": \\\"worker 1\\\"}]}\"'");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr(" was killed by signal 9 (Killed); starting it again (1 of 2)"));
  const json last = json::parse(ran.lines().back());
  EXPECT_EQ(last["recoveries"][0]["end"], "signal 9 (Killed)");
  EXPECT_EQ(last["recoveries"][0]["restarted"], true);
  EXPECT_EQ(last["losses"].size(), 1u);
  EXPECT_EQ(last["losses"][0]["lost"], "worker 1");
  std::istringstream seen(Read("seen"));
  std::string clusters;
  int starts = 0;
  for (std::string line; std::getline(seen, line); ++starts) {
    const std::string cluster = line.substr(2, line.find("task") - 2);
    if (clusters.empty()) clusters = cluster;
    EXPECT_EQ(cluster, clusters);
  }
  EXPECT_EQ(starts, 3);
}

// The keeper of a task is a process that the launcher starts for it, its parent.
TEST_F(Launched, GivesATaskWhoseKeeperEndedAnother) {
  const std::string task =
      "sh -c 'echo parent $PPID restart $LOCKSTEP_RESTART; "
      "while [ ! -e \"" +
      folder_.path() + "/end\" ]; do sleep 0.02; done'";
  for (const char* flags : {"--max-restarts 1", "--max-restarts 0"}) {
    std::filesystem::remove(Path("end"));
    const pid_t child = Begin(std::string("launch --workers 2 ") + flags + " -- " + task);
    WaitFor("worker 0 | parent ");
    WaitFor("worker 1 | parent ");
    const std::string said = Read("out");
    kill(std::stoi(said.substr(said.find("worker 1 | parent ") + 18)), SIGKILL);
    WaitFor(" was killed by signal 9", "err");
    if (std::string(flags) == "--max-restarts 1") {
      const auto again = [&] {
        const std::string all = Read("out");
        const size_t place = all.rfind("worker 1 | parent ");
        return all.find("restart 1", place) != std::string::npos;
      };
      for (int i = 0; i < 2000 && !again(); ++i) usleep(5000);
      EXPECT_TRUE(again());
    }
    std::ofstream(Path("end")) << "now";
    EXPECT_EQ(End(child).status, 0);
  }
}

TEST_F(Launched, EndsThoughAKeeperIsGone) {
  const pid_t child =
      Begin("launch --workers 1 --max-restarts 1000 -- sh -c 'echo parent $PPID; exec sleep 300'");
  WaitFor("worker 0 | parent ");
  const std::string said = Read("out");
  kill(std::stoi(said.substr(said.find("parent ") + 7)), SIGKILL);
  kill(child, SIGTERM);
  EXPECT_THAT(End(child).status, testing::AnyOf(128 + SIGTERM, 128 + SIGKILL));
}

TEST_F(Launched, BeginsAnewWhenAllHaveEnded) {
  const Ran ran = Run(
      "launch --workers 2 --max-restarts 1 -- sh -c '"
      "touch $LOCKSTEP_JOB_DIR/$LOCKSTEP_RESTART; "
      "echo $LOCKSTEP_JOB_DIR $(ls $LOCKSTEP_JOB_DIR) >>" +
      Path("seen") + "; [ \"$LOCKSTEP_RESTART\" = 0 ] && { sleep 0.05; kill -9 $$; }; sleep 0.3'");
  EXPECT_EQ(ran.status, 0) << ran.err;
  std::istringstream seen(Read("seen"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(seen, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 4u);
  const std::string first = lines[0].substr(0, lines[0].find(' '));
  EXPECT_EQ(lines[1], first + " 0");
  EXPECT_EQ(lines[2], first + "-2 1");
  EXPECT_EQ(lines[3], first + "-2 1");
}

TEST_F(Launched, BeginsAnewWithoutWhoIsLost) {
  WriteScript("task", R"(#!/bin/sh
case "$LOCKSTEP_TASK, $LOCKSTEP_RESTART" in
  "worker 1, "*) kill -9 $$;;
  "worker 0, 0") sleep 1; kill -9 $$;;
esac
echo "of $LOCKSTEP_WORKERS: $LOCKSTEP_CLUSTER"
)");
  const Ran ran =
      Run("launch --workers 2 --min-workers 1 --max-restarts 1 -- '" + Path("task") + "'");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("of 1: {\"cluster\": {\"worker\": [\"127.0.0.1:"));
}

// Here the first epoch has not begun: its file is empty.
TEST_F(Launched, NeedsWhoWasAskedToLeaveBeforeTheBeginning) {
  WriteScript("task", R"(#!/bin/sh
[ -e "$LOCKSTEP_JOB_DIR/epochs" ] || : > "$LOCKSTEP_JOB_DIR/epochs"
trap 'exit 0' TERM
echo "ready $LOCKSTEP_RESTART"
until [ -e "$1" ]; do sleep 0.02; done
)");
  const pid_t child =
      Begin("launch --workers 2 --min-workers 1 -- '" + Path("task") + "' '" + Path("end") + "'");
  WaitFor("worker 0 | ready 0\n");
  WaitFor("worker 1 | ready 0\n");
  kill(child, SIGUSR2);
  WaitFor("the job has not begun, and cannot without worker 1; starting it again\n", "err");
  WaitFor("worker 1 | ready 1\n");
  std::ofstream(Path("end")) << "now";
  EXPECT_EQ(End(child).status, 0);
}

TEST_F(Launched, StartsNobodyAgainWhenTheOthersAreThrough) {
  WriteScript("task", R"(#!/bin/sh
echo "begins, $LOCKSTEP_RESTART"
end="$LOCKSTEP_JOB_DIR/finished"
if [ "$LOCKSTEP_TASK" = "worker 0" ]; then touch "$end"; exit 0; fi
until [ -e "$end" ]; do sleep 0.01; done
kill -9 $$
)");
  const Ran ran = Run("launch --workers 2 -- " + Path("task"));
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.err, HasSubstr("worker 1 is not started again: the others have come to the end "
                                 "of the job without it"));
  EXPECT_THAT(ran.out, testing::Not(HasSubstr("begins, 1")));
}

TEST_F(Launched, EndsAJobThatCannotBegin) {
  const Ran ran =
      Run("launch --workers 3 --max-restarts 0 -- sh -c '>>$LOCKSTEP_JOB_DIR/epochs; "
          "[ \"$LOCKSTEP_TASK\" = \"worker 0\" ] && kill -9 $$; exec sleep 60'");
  EXPECT_EQ(ran.status, 137);
  EXPECT_THAT(ran.err, HasSubstr(" was killed by signal 9 (Killed); going on without it\n"
                                 "lockstep launch: the job has not begun, and cannot without "
                                 "worker 0; stopping the others\n"));
}

TEST_F(Launched, StartsNobodyAgainOnceItIsToStop) {
  const pid_t child = Begin(
      "launch --workers 2 --max-restarts 9 -- sh -c '"
      "echo ready; [ \"$LOCKSTEP_TASK\" = \"worker 0\" ] && exec sleep 60; sleep 0.05; exit 3'");
  WaitFor("starting it again (3 of 9)", "err");
  kill(child, SIGTERM);
  const Ran ran = End(child);
  EXPECT_THAT(ran.status, testing::AnyOf(3, 128 + SIGTERM));
  EXPECT_THAT(ran.err, testing::Not(HasSubstr("(6 of 9)")));
}

TEST_F(Launched, ReportsWhatTheNewLeaderSays) {
  const Ran ran =
      Run("launch --workers 3 --max-restarts 0 --json -- sh -c "
          "'[ \"$LOCKSTEP_TASK\" = \"worker 0\" ] && { echo 7 steps done; kill -9 $$; }; "
          "sleep 0.2; [ \"$LOCKSTEP_TASK\" = \"worker 2\" ] && { echo \"{}\"; kill -9 $$; }; "
          "echo \"{\\\"loss\\\": 5}\"'");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.lines().back())["loss"], 5);
  EXPECT_EQ(json::parse(ran.lines().back())["losses"].size(), 2u);
}

TEST_F(Launched, TellsOtherHostsWhoHasEnded) {
  WriteScript("shell", "#!/bin/sh\nshift\nexec sh -c \"$*\"\n");
  setenv("LOCKSTEP_REMOTE_SHELL", Path("shell").c_str(), 1);
  const Ran ran = Run(
      "launch --workers 2 --max-restarts 0 --hosts LOCALHOST,LocalHost -- sh -c '"
      "[ \"$LOCKSTEP_TASK\" = \"worker 1\" ] && { echo 5 >>$LOCKSTEP_JOB_DIR/epochs; "
      "echo process $$; kill -9 $$; }; "
      "until [ -e $LOCKSTEP_JOB_DIR/ended ]; do sleep 0.02; done; cat $LOCKSTEP_JOB_DIR/ended'");
  unsetenv("LOCKSTEP_REMOTE_SHELL");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const size_t place = ran.out.find("process ");
  ASSERT_NE(place, std::string::npos) << ran.out;
  const std::string process = ran.out.substr(place + 8, ran.out.find('\n', place) - place - 8);
  EXPECT_THAT(ran.out, testing::ContainsRegex("worker 0 \\| [^ ]+/pid:\\[[0-9]+\\] " + process +
                                              " [0-9]+ 5\n"));
}

TEST_F(Launched, GoesOnWithFewerIfAllowed) {
  const Ran ran =
      Run("launch --workers 3 --min-workers 2 --max-restarts 0 --json -- sh -c "
          "'[ \"$LOCKSTEP_TASK\" = \"worker 0\" ] && kill -9 $$; sleep 0.2; echo $LOCKSTEP_TASK'");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.err, HasSubstr(" was killed by signal 9 (Killed); going on without it"));
  EXPECT_EQ(json::parse(ran.lines().back())["output"], "worker 1");
}

// The same program would fail again, so the others need not go on without it.
TEST_F(Launched, EndsByAnErrorOfTheProgramAtOnce) {
  const Ran ran =
      Run("launch --workers 3 --min-workers 1 -- sh -c "
          "'[ \"$LOCKSTEP_TASK\" = \"worker 2\" ] && exit 9; exec sleep 60'");
  EXPECT_EQ(ran.status, 9);
  EXPECT_EQ(ran.err, "lockstep launch: worker 2 ended with status 9; stopping the others\n");
}

TEST_F(Launched, RestartsErrorsOnlyAsOftenAsTheFlagSays) {
  const Ran ran = Run("launch --max-restarts 2 -- sh -c 'echo $LOCKSTEP_RESTART; exit 4'");
  EXPECT_EQ(ran.status, 4);
  EXPECT_EQ(ran.out, "worker 0 | 0\nworker 0 | 1\nworker 0 | 2\n");
}

// A program that dies each time ends the job, too.
TEST_F(Launched, DoesNotRestartForEver) {
  const Ran ran = Run("launch --workers 2 -- sh -c 'echo $LOCKSTEP_RESTART; kill -9 $$'");
  EXPECT_EQ(ran.status, 137);
  EXPECT_THAT(ran.out, HasSubstr("worker 1 | 3\n"));
  EXPECT_THAT(ran.out, testing::Not(HasSubstr("| 4\n")));
}

// Workers wait for the chief that schedules their functions.
TEST_F(Launched, DoesNotContinueWithoutACoordinator) {
  const Ran ran =
      Run("launch --chief --workers 2 --max-restarts 0 -- sh -c "
          "'[ \"$LOCKSTEP_TASK\" = \"chief 0\" ] && kill -9 $$; exec sleep 60'");
  EXPECT_EQ(ran.status, 137);
  EXPECT_THAT(ran.err, HasSubstr("was killed by signal 9 (Killed); stopping the others"));
}

TEST_F(Launched, HandsSignalsOn) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t child = Begin(
        "launch --workers 2 -- sh -c 'trap \"echo bye; exit 0\" INT TERM; "
        "echo ready; while :; do sleep 0.05; done'");
    WaitFor("worker 0 | ready\n");
    WaitFor("worker 1 | ready\n");
    kill(child, signal);
    const Ran ran = End(child);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("worker 0 | bye\n"));
    EXPECT_THAT(ran.out, HasSubstr("worker 1 | bye\n"));
  }
  const pid_t child = Begin("launch -- sh -c 'echo ready; exec sleep 60'");
  WaitFor("ready\n");
  kill(child, SIGTERM);
  EXPECT_EQ(End(child).status, 128 + SIGTERM);
}

TEST_F(Launched, GrowsAndShrinksBySignals) {
  const pid_t child = Begin(
      "launch --workers 2 --min-workers 1 --max-workers 3 -- sh -c '"
      "echo ready $LOCKSTEP_RESTART; trap \"echo left; exit 0\" TERM; "
      "while [ ! -e " +
      Path("end") + " ]; do sleep 0.05; done'");
  WaitFor("worker 0 | ready 0\n");
  WaitFor("worker 1 | ready 0\n");
  kill(child, SIGUSR2);
  WaitFor("worker 1 | left\n");
  usleep(300'000);  // until its end is known, too
  kill(child, SIGUSR1);
  WaitFor("worker 1 | ready 1\n");
  kill(child, SIGUSR1);
  WaitFor("worker 2 | ready 0\n");
  kill(child, SIGUSR1);
  WaitFor("no worker can be added: there are 3 already\n", "err");
  std::ofstream(Path("end")) << "now";
  EXPECT_EQ(End(child).status, 0);
}

TEST_F(Launched, LeavesNothingBehindWhenItIsKilledItself) {
  const pid_t child = Begin(
      "launch --workers 2 -- sh -c "
      "'trap \"\" TERM; sleep 300 & echo ready; sleep 300'");
  WaitFor("worker 0 | ready\n");
  WaitFor("worker 1 | ready\n");
  kill(child, SIGKILL);
  EXPECT_EQ(End(child).status, 1000 + SIGKILL);
  // The destructor looks for what is left.
}

TEST_F(Launched, NamesWhoIsMissing) {
  // Worker 0 listens at the socket that it inherits; worker 1 comes late.
  const Ran ran =
      Run("launch --workers 2 -- python3 -c '\n"
          "import os, socket, time\n"
          "late = os.environ[\"LOCKSTEP_TASK\"] == \"worker 1\"\n"
          "time.sleep(2.6 if late else 0)\n"
          "listener = socket.socket(fileno=int(os.environ[\"LOCKSTEP_LISTEN_FD\"]))\n"
          "listener.listen()\n"
          "time.sleep(0.6 if late else 3.2)\n'");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, testing::ContainsRegex("1 of 2 here; missing worker 1 at 127.0.0.1:[0-9]+, "
                                              "connection refused, for [0-9]+ s\n"));
  EXPECT_THAT(ran.err, HasSubstr("2 of 2 here after "));
}

TEST_F(Launched, ReachesOtherHostsByAShell) {
  // A shell as ssh is one, but to this machine: it drops the host's name.
  WriteScript("shell",
              "#!/bin/sh\necho \"$1\" >>" + Path("hosts") + "\nshift\nexec sh -c \"$*\"\n");
  setenv("LOCKSTEP_REMOTE_SHELL", Path("shell").c_str(), 1);
  // A name of this machine that is not written as its own.
  const Ran ran =
      Run("launch --workers 2 --hosts LOCALHOST,LocalHost -- sh -c 'echo $LOCKSTEP_TASK at "
          "$TF_CONFIG'");
  const Ran wrong = Run("launch --workers 2 --hosts no-such-host.invalid -- true");
  WriteScript("shell", "#!/bin/sh\nexit 255\n");
  const Ran unreachable = Run("launch --hosts LOCALHOST -- true");
  unsetenv("LOCKSTEP_REMOTE_SHELL");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr("worker 1 | worker 1 at {\"cluster\": {\"worker\": [\"LOCALHOST:"));
  EXPECT_THAT(Read("hosts"),
              testing::AnyOf("LOCALHOST\nLocalHost\nno-such-host.invalid\nno-such-host.invalid\n",
                             HasSubstr("LocalHost\n")));
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err,
              HasSubstr("cannot be started: [port] the host must have an address; got "));
  EXPECT_EQ(unreachable.status, 1);
  EXPECT_THAT(unreachable.err, HasSubstr("worker 0 cannot be started: the keeper on LOCALHOST must "
                                         "answer; got its end; is lockstep there"));
}

TEST_F(Launched, RefusesBadUsage) {
  const std::pair<const char*, const char*> cases[] = {
      {"launch", "program is required"},
      {"launch --workers 0 -- true", "--workers: Value 0 not in range"},
      {"launch --workers 1 --min-workers 2 -- true", "--workers: Value 1 not in range"},
      {"launch --workers 2 --hosts localhost,other -- true", "write this machine's name"}};
  for (const auto& [arguments, text] : cases) {
    const Ran ran = Run(arguments);
    EXPECT_THAT(ran.err, HasSubstr(text)) << arguments;
    EXPECT_NE(ran.status, 0);
    EXPECT_EQ(ran.out, "");
  }
}

}  // namespace
}  // namespace lockstep::cli
