#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/randomness.h"
#include "cluster/host_arbiter.h"
#include "cluster/member.h"
#include "net/grpc_rpc.h"
#include "net/grpc_test.h"

/// Real processes over gRPC, some of which are killed or stopped.

namespace lockstep::cluster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct TaskSettings {
  int index = 0;
  int tasks = 4;
  bool founds = false;
  std::string contact;  // empty: this is the one that the others are told of
  std::optional<net::Credentials> credentials;
  std::string directory;
};

// A process of the job: does what its input says, prints what happens.
class TaskProcess {
 public:
  TaskProcess(const TaskSettings& settings, int input, int output)
      : settings_(settings), input_(input), output_(output) {}

  [[noreturn]] void Run() {
    net::GrpcOptions options;
    options.listen = "127.0.0.1:0";
    options.credentials = settings_.credentials;
    options.token = "token";
    rpc_ = net::MakeGrpcRpc(loop_, options).value();
    Say("address " + rpc_->address());
    MemberOptions member;
    member.self.job = "worker";
    member.self.index = settings_.index;
    DescribeProcess(&member.self);
    member.founds = settings_.founds;
    if (!settings_.contact.empty()) member.contacts = {settings_.contact};
    for (int task = 0; task < settings_.tasks; ++task)
      member.coordinator.expected.push_back({"worker", task, ""});
    HostArbiter arbiter(settings_.directory);
    member.coordinator.arbiter = &arbiter;
    member_ = std::make_unique<Member>(*rpc_, randomness_, member);
    member_->OnEpoch([this](const Membership& membership, int rank) { Entered(membership, rank); });
    member_->OnChangeWaiting([this](int, int) { member_->ReadyForJoiners(1); });
    member_->Join([](const Result<Membership>&) {});
    loop_.WatchFile(input_, true, false, [this](base::FileEvents) { Obey(); });
    loop_.Run();
    member_.reset();
    rpc_.reset();
    _exit(0);
  }

 private:
  void Entered(const Membership& membership, int rank) {
    std::string text = "epoch " + std::to_string(membership.epoch) + " " + std::to_string(rank) +
                       " " + std::to_string(membership.peers.size()) + " " +
                       std::to_string(loop_.Now().time_since_epoch().count());
    for (const Peer& peer : membership.peers) text += " " + std::to_string(peer.index);
    Say(text);
  }

  // One letter: d RANK: its process has ended; l: leave; ends with the parent.
  void Obey() {
    char command[2];
    if (read(input_, command, 2) != 2) _exit(1);
    if (command[0] == 'd') member_->ReportDead(command[1] - '0', "ended", /*certain=*/true);
    if (command[0] == 'l') member_->Leave([this](const Status&) { loop_.Stop(); });
  }

  void Say(const std::string& text) {
    const std::string line = text + "\n";
    if (write(output_, line.data(), line.size()) < 0) _exit(1);
  }

  const TaskSettings settings_;
  const int input_;
  const int output_;
  base::EventLoop loop_;
  base::SystemRandomness randomness_;
  std::unique_ptr<net::Rpc> rpc_;
  std::unique_ptr<Member> member_;
};

struct Entered {
  uint64_t epoch = 0;
  int rank = 0;
  size_t size = 0;
  base::Time when{};
  std::vector<int> indices;
};

// The job as its parent sees it. The parent must have no threads: it forks.
class ProcessJob {
 public:
  explicit ProcessJob(bool has_tls) {
    char name[] = "/tmp/lockstep-member-XXXXXX";
    directory_ = mkdtemp(name);
    if (has_tls) credentials_ = net::MakeCredentials().OrThrow();
    for (int index = 0; index < kTasks; ++index) Start(index, index == 0);
  }
  ~ProcessJob() {
    for (auto& [index, task] : tasks_) End(index, SIGKILL);
    std::filesystem::remove_all(directory_);
  }

  void Start(int index, bool founds) {
    int input[2], output[2];
    ASSERT_EQ(pipe(input), 0);
    ASSERT_EQ(pipe(output), 0);
    TaskSettings settings{index, kTasks, founds, "", credentials_, directory_};
    for (const auto& [other, task] : tasks_) {
      if (settings.contact.empty() && task.pid != 0) settings.contact = task.address;
    }
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      close(input[1]);
      close(output[0]);
      TaskProcess(settings, input[0], output[1]).Run();
    }
    close(input[0]);
    close(output[1]);
    Task& task = tasks_[index];
    task.pid = pid;
    task.input = input[1];
    task.output = output[0];
    loop_.WatchFile(task.output, true, false, [this, index](base::FileEvents) { Hear(index); });
    ASSERT_TRUE(loop_.RunUntil([&] { return !task.address.empty(); }, seconds(60)));
  }

  // Ends a process and takes its status.
  int End(int index, int signal) {
    Task& task = tasks_.at(index);
    if (task.pid == 0) return 0;
    if (signal != 0) kill(task.pid, signal);
    int status = 0;
    waitpid(task.pid, &status, 0);
    loop_.UnwatchFile(task.output);
    close(task.input);
    close(task.output);
    task.pid = 0;
    return status;
  }
  void Signal(int index, int signal) { kill(tasks_.at(index).pid, signal); }
  void Tell(int index, const char* command) {
    EXPECT_EQ(write(tasks_.at(index).input, command, 2), 2);
  }
  // Whether exactly the tasks of these indices are in one epoch, in time.
  bool Together(const std::set<int>& indices, base::Duration limit = seconds(60)) {
    return loop_.RunUntil(
        [&] {
          uint64_t epoch = 0;
          for (const int index : indices) {
            const Entered& entered = tasks_.at(index).entered;
            if (entered.size != indices.size() || (epoch != 0 && entered.epoch != epoch))
              return false;
            epoch = entered.epoch;
          }
          return true;
        },
        limit);
  }
  // How long after `begin` the last of them entered its present epoch.
  double MillisecondsSince(base::Time begin, const std::set<int>& indices) {
    base::Time last = begin;
    for (const int index : indices) last = std::max(last, tasks_.at(index).entered.when);
    return base::Milliseconds(last - begin);
  }
  base::Time Now() const { return loop_.Now(); }
  void Rest(base::Duration time) {
    loop_.RunUntil([] { return false; }, time);
  }
  uint64_t epoch_of(int index) const { return tasks_.at(index).entered.epoch; }
  const std::string& fault() const { return fault_; }

  static constexpr int kTasks = 4;

 private:
  struct Task {
    pid_t pid = 0;
    int input = -1;
    int output = -1;
    std::string address;
    std::string heard;
    Entered entered;
  };

  void Hear(int index) {
    Task& task = tasks_.at(index);
    char bytes[4096];
    const ssize_t size = read(task.output, bytes, sizeof(bytes));
    if (size <= 0) return loop_.UnwatchFile(task.output);
    task.heard.append(bytes, static_cast<size_t>(size));
    for (size_t end; (end = task.heard.find('\n')) != std::string::npos;) {
      Take(task, task.heard.substr(0, end));
      task.heard.erase(0, end + 1);
    }
  }

  void Take(Task& task, const std::string& line) {
    if (line.starts_with("address ")) {
      task.address = line.substr(8);
      return;
    }
    unsigned long long epoch = 0, when = 0;
    size_t size = 0;
    int rank = 0, used = 0;
    std::sscanf(line.c_str(), "epoch %llu %d %zu %llu%n", &epoch, &rank, &size, &when, &used);
    if (epoch <= task.entered.epoch) fault_ = "an epoch fell";
    task.entered = {epoch, rank, size, base::Time(base::Duration(static_cast<int64_t>(when))), {}};
    const std::string members = line.substr(static_cast<size_t>(used));
    const auto [place, is_new] = decided_.try_emplace(epoch, members);
    if (!is_new && place->second != members) fault_ = "two decisions";
  }

  base::EventLoop loop_;
  std::string directory_;
  std::optional<net::Credentials> credentials_;
  std::map<int, Task> tasks_;
  std::map<uint64_t, std::string> decided_;
  std::string fault_;
};

TEST(MemberProcesses, SurviveTheDeathOfAnyOfThem) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  for (const bool has_tls : {false, true}) {
    for (const int victim : {0, 3}) {
      ProcessJob job(has_tls);
      const base::Time start = job.Now();
      ASSERT_TRUE(job.Together({0, 1, 2, 3}));
      const double began = job.MillisecondsSince(start, {0, 1, 2, 3});
      job.Rest(milliseconds(300));
      const base::Time killed = job.Now();
      job.End(victim, SIGKILL);
      std::set<int> rest{0, 1, 2, 3};
      rest.erase(victim);
      ASSERT_TRUE(job.Together(rest)) << "victim " << victim;
      const double alone = job.MillisecondsSince(killed, rest);
      // Shrinks to one task, by the word of this host's process table.
      const int next = *rest.begin();
      job.Rest(milliseconds(300));
      const base::Time second = job.Now();
      job.End(next, SIGKILL);
      rest.erase(next);
      for (const int index : rest) job.Tell(index, "d0");
      ASSERT_TRUE(job.Together(rest));
      const double reported = job.MillisecondsSince(second, rest);
      job.Rest(milliseconds(300));
      const base::Time third = job.Now();
      job.End(*rest.begin(), SIGKILL);
      rest.erase(rest.begin());
      ASSERT_TRUE(job.Together(rest));
      std::printf(
          "%s, victim %d: first epoch after %.1f ms; next epoch after a death that the "
          "control plane sees %.1f ms, that is reported %.1f ms, of one of two %.1f ms\n",
          has_tls ? "TLS" : "plain", victim, began, alone, reported,
          job.MillisecondsSince(third, rest));
      // And grows again.
      job.Start(0, false);
      EXPECT_TRUE(job.Together({0, *rest.begin()}));
      EXPECT_EQ(job.fault(), "");
    }
  }
}

TEST(MemberProcesses, LeaveOutWhoIsStoppedAndTakeHimBack) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  ProcessJob job(/*has_tls=*/false);
  ASSERT_TRUE(job.Together({0, 1, 2, 3}));
  job.Rest(milliseconds(300));
  job.Signal(0, SIGSTOP);
  const base::Time stopped = job.Now();
  ASSERT_TRUE(job.Together({1, 2, 3}));
  std::printf("a stopped coordinator is left out after %.1f ms\n",
              job.MillisecondsSince(stopped, {1, 2, 3}));
  job.Signal(0, SIGCONT);
  EXPECT_TRUE(job.Together({0, 1, 2, 3}));
  EXPECT_EQ(job.fault(), "");
}

TEST(MemberProcesses, LeaveInPeace) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  ProcessJob job(/*has_tls=*/false);
  ASSERT_TRUE(job.Together({0, 1, 2, 3}));
  job.Rest(milliseconds(300));
  job.Tell(0, "l.");
  EXPECT_TRUE(job.Together({1, 2, 3}));
  EXPECT_EQ(job.End(0, 0), 0);
  for (const int index : {1, 2, 3}) job.Tell(index, "l.");
  for (const int index : {1, 2, 3}) EXPECT_EQ(job.End(index, 0), 0);
  EXPECT_EQ(job.fault(), "");
}

}  // namespace
}  // namespace lockstep::cluster
