#include "cli/launch.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/environment.h"
#include "base/process.h"
#include "cli/options.h"

namespace lockstep::cli {

namespace {

using nlohmann::ordered_json;
using namespace std::chrono_literals;

std::vector<std::string> Split(const std::string& text, char divider) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, divider);) parts.push_back(part);
  return parts;
}

// The leader's object with what the launcher alone knows; what is no object becomes one.
ordered_json LastLine(const cluster::LaunchReport& report) {
  ordered_json object = ordered_json::parse(report.last_line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    object = {{"status", report.exit_status}, {"output", report.last_line}};
  }
  ordered_json losses = ordered_json::array();
  for (const auto& loss : report.losses) {
    losses.push_back({{"lost", loss.task.ToString()},
                      {"end", loss.end.ToString()},
                      {"restarted", loss.restarted},
                      {"seconds", loss.seconds}});
  }
  // Each recovery gets the end of the task that it was from.
  size_t next = 0;
  if (object.contains("recoveries") && object["recoveries"].is_array()) {
    for (auto& recovery : object["recoveries"]) {
      if (!recovery.is_object() || next >= losses.size()) continue;
      for (const char* key : {"end", "restarted"}) recovery[key] = losses[next][key];
      ++next;
    }
  }
  if (!losses.empty()) object["losses"] = losses;
  return object;
}

// What no flag can check alone; empty if all is well.
std::string Contradiction(const LaunchArguments& arguments) {
  const auto& options = arguments.options;
  if (options.rules.min_workers > options.workers ||
      (options.max_workers > 0 && options.max_workers < options.workers)) {
    return "--workers: Value " + std::to_string(options.workers) +
           " not in range [--min-workers - --max-workers]";
  }
  if (options.rules.min_servers > options.servers) {
    return "--min-ps: Value " + std::to_string(options.rules.min_servers) +
           " not in range 0 to --ps " + std::to_string(options.servers);
  }
  const std::vector<std::string> hosts = Split(arguments.hosts, ',');
  const bool named = arguments.hosts.empty() ||
                     (!hosts.empty() && arguments.hosts.back() != ',' &&
                      std::none_of(hosts.begin(), hosts.end(),
                                   [](const std::string& host) { return host.empty(); }));
  if (!named) return "--hosts: Value '" + arguments.hosts + "' is no list of names, as in a,b";
  for (const std::string& entry : arguments.environment) {
    if (entry.empty() || entry[0] == '=')
      return "--env: Value '" + entry + "' is no NAME=VALUE and no NAME";
  }
  return "";
}

// Which tasks are restarted, and without which the job goes on.
void AddDeaths(CLI::App& launch, cluster::LaunchRules& rules) {
  rules = {.max_restarts = 3, .min_workers = 1, .min_servers = 0};
  launch
      .add_option("--max-restarts", rules.max_restarts,
                  "restart a task that was killed (by a signal but SIGINT, SIGTERM and SIGHUP, or "
                  "with its host) up to so many times; if this flag is given, also a task that "
                  "ended with an error status. "
                  "Without the flag, an error of the program (an exception, bad usage) ends the "
                  "job with its status at once")
      ->each([&rules](const std::string&) { rules.restart_errors = true; })
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  launch
      .add_option("--min-workers", rules.min_workers,
                  "continue without workers that were killed and have no restarts left, while so "
                  "many workers are left")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  launch
      .add_option("--min-ps", rules.min_servers,
                  "the same for parameter servers; 0: workers update the variables themselves")
      ->check(CLI::Range(0, 10'000))
      ->capture_default_str();
}

}  // namespace

CLI::App* AddLaunch(CLI::App& app, LaunchArguments& arguments) {
  auto& options = arguments.options;
  CLI::App* launch = app.add_subcommand("launch",
                                        "start the tasks of a job, here or by ssh, and stay until "
                                        "they end: launch [flags] -- PROGRAM");
  launch->add_option("program", options.arguments, "after --: what each task runs")->required();
  launch->add_option("--workers", options.workers, "tasks that train")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  launch->add_option("--ps", options.servers, "parameter servers; they are stopped at the end")
      ->check(CLI::Range(0, 10'000));
  launch->add_flag("--chief", options.chief, "a chief besides the workers");
  auto* evaluators =
      launch->add_option("--evaluators", options.evaluators, "0 or 1")->check(CLI::Range(0, 1));
  launch
      ->add_flag("--evaluator{1}", options.evaluators,
                 "an evaluator; it is asked to end when all who train have ended")
      ->excludes(evaluators);
  launch
      ->add_option("--devices", options.devices,
                   "devices of each task [its share of its machine's cores]")
      ->check(CLI::Range(1, 1024));
  launch->add_option("--hosts", arguments.hosts,
                     "a,b: run the tasks there, by ssh, in blocks [this machine]");
  AddDeaths(*launch, options.rules);
  launch
      ->add_option("--max-workers", options.max_workers,
                   "the job may grow to so many, by SIGUSR1 to the launcher")
      ->check(CLI::Range(1, 10'000));
  launch->add_flag("--speculate", options.speculate,
                   "name workers that are slow, and let the others do part of their work");
  launch
      ->add_option("--grace", arguments.grace_seconds,
                   "seconds between asking tasks to stop and killing them")
      ->check(CLI::Range(0.0, 86'400.0))
      ->capture_default_str();
  launch
      ->add_option("--env", arguments.environment,
                   "NAME=VALUE for the tasks, or NAME to hand on to other hosts; may be repeated")
      ->allow_extra_args(false);
  launch->add_flag("--json", arguments.json,
                   "print the leader's last line again at the end, without its name before it");
  return launch;
}

std::vector<std::string> ProgramOf(std::vector<std::string> words) {
  if (words.front() == "lockstep") words.front() = base::ThisProgram();
  return words;
}

cluster::LaunchReport RunJob(cluster::LaunchOptions options, cluster::Launcher::Write write) {
  base::SignalQueue signals({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2});
  base::EventLoop loop;
  loop.set_patience({.spins = 0, .yielding = base::Duration(0)});
  cluster::Launcher launcher(loop, std::move(options), std::move(write));
  loop.WatchFile(signals.fd(), true, false, [&](base::FileEvents) {
    while (const int signal = signals.Take()) {
      if (signal == SIGUSR1) {
        launcher.Grow();
      } else if (signal == SIGUSR2) {
        launcher.Shrink();
      } else {
        launcher.Interrupt(signal);
      }
    }
  });
  launcher.Begin().OrThrow();
  while (!loop.RunUntil([&] { return launcher.done(); }, 3600s)) {
  }
  auto report = launcher.TakeReport();
  loop.RunUntil([&] { return launcher.gone(); }, 5s);
  loop.UnwatchFile(signals.fd());
  return report;
}

int Launch(LaunchArguments arguments) {
  auto& options = arguments.options;
  options.arguments = ProgramOf(std::move(options.arguments));
  const std::string fault = Contradiction(arguments);
  if (!fault.empty()) {
    std::fprintf(stderr, "%s\nRun with --help for more information.\n", fault.c_str());
    return kBadUsage;
  }
  options.hosts = Split(arguments.hosts, ',');
  options.grace = std::chrono::duration_cast<base::Duration>(
      std::chrono::duration<double>(arguments.grace_seconds));
  const auto environment = base::ProcessEnvironment();
  if (const auto shell = environment.find("LOCKSTEP_REMOTE_SHELL"); shell != environment.end()) {
    options.remote_shell = Split(shell->second, ' ');
  }
  for (const std::string& entry : arguments.environment) {
    const size_t sign = entry.find('=');
    const std::string name = entry.substr(0, sign);
    if (sign != std::string::npos) {
      options.environment.emplace_back(name, entry.substr(sign + 1));
    } else if (const auto own = environment.find(name); own != environment.end()) {
      options.environment.emplace_back(name, own->second);
    }
  }
  bool written = true;
  const auto report = RunJob(std::move(options), [&written](bool error, std::string_view lines) {
    written &= base::WriteAll(error ? STDERR_FILENO : STDOUT_FILENO, lines) || error;
  });
  if (arguments.json) std::printf("%s\n", LastLine(report).dump().c_str());
  if (written) return report.exit_status;
  std::fprintf(stderr, "lockstep launch: the tasks' output could not be written (stdout)\n");
  return report.exit_status == kDone ? kFailed : report.exit_status;
}

}  // namespace lockstep::cli
