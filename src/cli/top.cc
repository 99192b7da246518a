#include "cli/top.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/environment.h"
#include "base/event_loop.h"
#include "base/file.h"
#include "cli/options.h"
#include "cluster/address.h"
#include "net/grpc_rpc.h"

namespace lockstep::cli {

namespace {

using distribute::Contact;
using distribute::JobView;
using namespace std::chrono_literals;

constexpr base::Duration kLimit = 2s;
constexpr base::Duration kFirstInterval = 300ms;

Error NoJob(const std::string& what) {
  return Error(Code::kNotFound,
               "[top] a job that runs must be found; got " + what +
                   "; name the directory of one (LOCKSTEP_JOB_DIR of its tasks), or the address of "
                   "one of its tasks: lockstep top --job DIR|HOST:PORT");
}

// The jobs of `lockstep launch` on this host, as directories.
std::vector<std::string> JobsHere() {
  const std::string folder = base::EnvironmentText("TMPDIR").value_or("/tmp");
  std::vector<std::string> jobs;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (!entry.path().filename().string().starts_with("lockstep-job-")) continue;
    // Those of other users cannot be read; of those that were killed something may be left.
    const auto contacts = distribute::ContactsIn(entry.path());
    const bool lives = std::any_of(contacts.begin(), contacts.end(), [](const Contact& contact) {
      return contact.process > 0 && ::kill(static_cast<pid_t>(contact.process), 0) == 0;
    });
    if (lives) jobs.push_back(entry.path());
  }
  return jobs;
}

std::vector<Contact> ContactsOf(const std::string& job) {
  if (job.empty()) {
    const std::vector<std::string> jobs = JobsHere();
    if (jobs.empty()) throw NoJob("none on this host");
    if (jobs.size() > 1) {
      std::string all;
      for (const std::string& each : jobs) all += (all.empty() ? "" : ", ") + each;
      throw NoJob("several: " + all);
    }
    return distribute::ContactsIn(jobs.front());
  }
  if (base::LocalFiles().IsDirectory(job)) {
    auto contacts = distribute::ContactsIn(job);
    if (contacts.empty()) throw NoJob("a directory without one (" + job + ")");
    return contacts;
  }
  cluster::Address address;
  const auto fault = cluster::ReadAddress(job, address);
  if (fault && !job.starts_with("unix:"))
    throw NoJob("no directory and no address (" + job + ": " + fault->rule + ")");
  return {{.address = job,
           .token = base::EnvironmentText("LOCKSTEP_TOKEN").value_or(""),
           .credentials = base::EnvironmentText("LOCKSTEP_CREDENTIALS").value_or("")}};
}

// Looks at a job, over and over.
class Onlooker {
 public:
  explicit Onlooker(const std::string& job) : contacts_(ContactsOf(job)) {
    const Contact& first = contacts_.front();
    net::GrpcOptions options{.listen = "127.0.0.1:0", .token = first.token};
    if (!first.credentials.empty()) {
      options.credentials = net::ReadCredentials(first.credentials).OrThrow();
      if (options.token.empty()) options.token = options.credentials->token;
    }
    rpc_ = net::MakeGrpcRpc(loop_, options).value();
  }

  // Of the first task that answers.
  JobView Look() {
    Status why;
    for (const Contact& contact : contacts_) {
      std::optional<Result<JobView>> found;
      distribute::ReadJob(*rpc_, contact.address, kLimit,
                          [&found](const Result<JobView>& view) { found = view; });
      loop_.RunUntil([&found] { return found.has_value(); }, 3 * kLimit);
      if (found && found->ok()) return **found;
      why = found ? found->status() : Status(Code::kDeadlineExceeded, "no answer in time");
    }
    throw NoJob("no answer of its tasks: " + why.message());
  }
  base::Time Now() const { return loop_.Now(); }
  // Until then, unless the terminal is gone.
  void Wait(base::Duration time) {
    loop_.RunUntil([] { return false; }, time);
  }

 private:
  const std::vector<Contact> contacts_;
  base::EventLoop loop_;
  std::unique_ptr<net::Rpc> rpc_;
};

}  // namespace

CLI::App* AddTop(CLI::App& app, TopArguments& arguments) {
  CLI::App* top = app.add_subcommand(
      "top", "watch a running job: steps, throughput, who waits for whom, memory, wire");
  top->add_option("--job", arguments.job,
                  "its directory, or the address of one of its tasks [the one launched here]");
  top->add_option("--interval", arguments.interval, "seconds between two looks")
      ->check(CLI::Range(0.05, 3600.0))
      ->capture_default_str();
  top->add_flag("--once", arguments.once, "print one look and end, as without a terminal");
  top->add_flag("--json", arguments.json, "print one JSON object a look");
  return top;
}

int Top(const TopArguments& arguments) {
  Onlooker onlooker(arguments.job);
  const bool live = !arguments.once && (arguments.json || ::isatty(STDOUT_FILENO) != 0);
  const auto interval =
      std::chrono::duration_cast<base::Duration>(std::chrono::duration<double>(arguments.interval));
  base::Time when = onlooker.Now();
  JobView before = onlooker.Look();
  onlooker.Wait(std::min(interval, kFirstInterval));
  while (true) {
    const base::Time then = onlooker.Now();
    JobView now;
    try {
      now = onlooker.Look();
    } catch (const Error&) {
      if (!live) throw;
      std::printf("the job has ended\n");
      return kDone;
    }
    const double seconds = std::chrono::duration<double>(then - when).count();
    const auto lines = LinesOf(before, now, seconds);
    if (arguments.json) {
      std::printf("%s\n", JobAsJson(lines, now.epochs).c_str());
    } else {
      // Home, the text, and away with what is left of the look before.
      std::printf("%s%s%s", live ? "\033[H\033[2J" : "", ShowJob(lines, now.epochs).c_str(),
                  live ? "\033[J" : "");
    }
    std::fflush(stdout);
    if (!live) return kDone;
    before = std::move(now);
    when = then;
    onlooker.Wait(interval);
  }
}

}  // namespace lockstep::cli
