#include "base/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>

#include "base/environment.h"
#include "base/event_loop.h"

namespace lockstep::base {
namespace {

using namespace std::chrono_literals;

ProcessEnd EndOf(Process& process) {
  EventLoop loop;
  std::optional<ProcessEnd> end;
  loop.WatchFile(process.end_fd(), true, false, [&](auto...) { end = process.TakeEnd(); });
  EXPECT_TRUE(loop.RunUntil([&] { return end.has_value(); }, 10s));
  loop.UnwatchFile(process.end_fd());
  return end.value_or(ProcessEnd{-1, 0});
}

std::unique_ptr<Process> Shell(const std::string& script, int output = -1) {
  ProcessOptions options{.arguments = {"sh", "-c", script}, .environment = ProcessEnvironment()};
  options.output = output;
  options.environment["GREETING"] = "hello";
  auto process = Process::Start(options);
  EXPECT_TRUE(process.ok()) << process.status().ToString();
  return std::move(process).value();
}

std::string ReadToEnd(Pipe& pipe) {
  pipe.writes.Close();
  std::string text;
  while (ReadAvailable(pipe.reads.fd(), &text)) {
  }
  return text;
}

// Not counting what has ended and was not yet waited for by its parent.
bool Exists(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return file >> number >> name >> state && state != "Z";
}

TEST(Process, ReportsHowItEnded) {
  EXPECT_EQ(EndOf(*Shell("exit 3")), (ProcessEnd{3, 0}));
  EXPECT_EQ(EndOf(*Shell("kill -9 $$")), (ProcessEnd{0, 9}));
  EXPECT_EQ((ProcessEnd{3, 0}).ToString(), "status 3");
  EXPECT_EQ((ProcessEnd{0, 9}).ToString(), "signal 9 (Killed)");
  EXPECT_EQ((ProcessEnd{0, 9}).exit_status(), 137);
  auto sleeps = Shell("sleep 60");
  EXPECT_FALSE(sleeps->TakeEnd());
  sleeps->Signal(SIGTERM);
  EXPECT_EQ(EndOf(*sleeps), (ProcessEnd{0, SIGTERM}));
}

TEST(Process, HasEnvironmentDirectoryAndFiles) {
  auto pipe = Pipe::Make().value();
  auto shown = Pipe::Make().value();
  ProcessOptions options{.arguments = {"sh", "-c", "echo $X; pwd; cat; echo on three >&3"},
                         .environment = {{"X", "a b"}, {"PATH", "/usr/bin:/bin"}},
                         .directory = "/",
                         .output = pipe.writes.fd(),
                         .passed = shown.writes.fd()};
  auto process = Process::Start(options).value();
  EXPECT_EQ(ReadToEnd(pipe), "a b\n/\n");  // standard input is empty
  EXPECT_EQ(ReadToEnd(shown), "on three\n");
  EXPECT_TRUE(EndOf(*process).ok());
}

TEST(Process, SaysWhyItCannotBeStarted) {
  const auto missing = Process::Start({.arguments = {"/no/such/program"}});
  EXPECT_EQ(missing.status().code(), Code::kNotFound);
  EXPECT_EQ(missing.status().message(),
            "[process] running the program must succeed; got No such file or directory "
            "(/no/such/program); write its path, or put it in PATH");
  EXPECT_EQ(Process::Start({.arguments = {"/etc/passwd"}}).status().code(),
            Code::kPermissionDenied);
  EXPECT_EQ(Process::Start({.arguments = {"true"}, .directory = "/no"}).status().code(),
            Code::kNotFound);
  EXPECT_EQ(Process::Start({}).status().code(), Code::kInvalidArgument);
}

TEST(Process, LeavesNoGrandchildBehind) {
  auto pipe = Pipe::Make().value();
  auto process = Shell("sleep 60 & echo $!", pipe.writes.fd());
  pipe.writes.Close();
  std::string text;
  while (text.find('\n') == std::string::npos && ReadAvailable(pipe.reads.fd(), &text)) {
  }
  const int grandchild = std::stoi(text);
  EXPECT_TRUE(EndOf(*process).ok());
  // The pipe ends when the last one that could write to it has ended.
  while (ReadAvailable(pipe.reads.fd(), &text)) {
  }
  for (int i = 0; i < 1000 && Exists(grandchild); ++i) usleep(1000);
  EXPECT_FALSE(Exists(grandchild));
}

TEST(Process, EndsWithItsOwner) {
  auto process = Shell("trap '' TERM; sleep 60");
  const int pid = process->pid();
  process.reset();
  EXPECT_FALSE(Exists(pid));
}

TEST(SignalQueue, TakesSignalsAndLetsThemGo) {
  {
    SignalQueue queue({SIGUSR1, SIGTERM});
    EXPECT_EQ(queue.Take(), 0);
    kill(getpid(), SIGTERM);
    kill(getpid(), SIGUSR1);
    const int first = queue.Take(), second = queue.Take();
    EXPECT_EQ(first + second, SIGTERM + SIGUSR1);
    EXPECT_EQ(queue.Take(), 0);
    // Those who are started do not inherit that.
    EXPECT_EQ(EndOf(*Shell("kill -TERM $$; sleep 1")), (ProcessEnd{0, SIGTERM}));
  }
  auto pipe = Pipe::Make().value();
  pipe.reads.Close();
  EXPECT_FALSE(WriteAll(pipe.writes.fd(), "nobody reads"));
}

}  // namespace
}  // namespace lockstep::base
