#include "cli/race.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/environment.h"
#include "base/event_loop.h"
#include "base/file.h"
#include "base/process.h"
#include "base/randomness.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/schedule_outcomes.h"
#include "cli/waiting_threads.h"
#include "cluster/description.h"

namespace lockstep::cli {

namespace {

using nlohmann::ordered_json;

// What the program prints, until it has ended or its time is over.
void RunProgram(const base::ProcessOptions& options, int output_fd, base::OwnedFile& writes,
                double seconds, ScheduledRun* run) {
  const auto process = base::Process::Start(options).value();
  writes.Close();
  base::EventLoop loop;
  loop.set_patience({.spins = 0, .yielding = base::Duration(0)});
  int open = 2;
  loop.WatchFile(output_fd, true, false, [&](base::FileEvents) {
    if (base::ReadAvailable(output_fd, &run->output)) return;
    loop.UnwatchFile(output_fd);
    --open;
  });
  loop.WatchFile(process->end_fd(), true, false, [&](base::FileEvents) {
    const auto end = process->TakeEnd();
    if (!end) return;
    run->status = end->exit_status();
    loop.UnwatchFile(process->end_fd());
    --open;
  });
  // Looks from time to time whether all threads wait for each other, and go on doing so.
  constexpr double kLook = 0.25;
  constexpr int kLooks = 4;
  int stuck = 0;
  for (double left = seconds; left > 0; left -= kLook) {
    const auto limit = std::chrono::duration_cast<base::Duration>(
        std::chrono::duration<double>(std::min(left, kLook)));
    if (loop.RunUntil([&] { return open == 0; }, limit)) return;
    stuck = AllThreadsWait(process->pid()) ? stuck + 1 : 0;
    run->stuck = stuck >= kLooks;
    if (run->stuck) break;
  }
  run->ended = false;
  process->Signal(SIGKILL);
}

ScheduledRun RunSchedule(const RaceArguments& arguments, int64_t seed,
                         const std::filesystem::path& trace, const std::vector<int>& turns = {}) {
  ScheduledRun run{.seed = seed};
  base::ProcessOptions options{.arguments = arguments.program,
                               .environment = base::ProcessEnvironment()};
  options.environment["LOCKSTEP_SCHEDULE"] = std::to_string(seed);
  options.environment["LOCKSTEP_SCHEDULE_TRACE"] = trace;
  std::string& said = options.environment["LOCKSTEP_SCHEDULE_TURNS"];
  for (int turn : turns) said += (said.empty() ? "" : ",") + std::to_string(turn);
  if (!options.environment.contains("LOCKSTEP_LOG")) options.environment["LOCKSTEP_LOG"] = "error";
  auto output = base::Pipe::Make().value();
  options.output = output.writes.fd();
  std::filesystem::remove(trace);
  RunProgram(options, output.reads.fd(), output.writes, arguments.timeout_seconds, &run);
  const auto text = base::ReadWholeFile(base::LocalFiles(), trace);
  // A program that is ended by a signal leaves what it had come to.
  if (text.ok()) ReadTrace(text.value(), &run);
  if (!run.ended) run.exact = false;  // nobody has said
  return run;
}

std::string LastLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.find_last_of('\n') + 1);
}

std::string Percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

std::string Text(const DecidingPair& pair, size_t other) {
  const std::string rest = pair.orders == 1 ? "in nothing else"
                                            : "in " + std::to_string(pair.orders - 1) +
                                                  " more order" + (pair.orders == 2 ? "" : "s");
  return "  decided by `" + pair.first.variable + "`: " + pair.first.ToString() + " before " +
         pair.second.ToString() + "\n    in which seed " + std::to_string(pair.seed) +
         " differs from seed " + std::to_string(pair.other_seed) + " of outcome " +
         std::to_string(other) + ", and " + rest + "; so in " + Percent(pair.in_outcome) +
         " of the schedules here, in " + Percent(pair.in_other) + " there\n";
}

// Two schedules that end differently, and differ only in which of two turns, next to each other,
// comes first.
struct Proof {
  TracedAccess first, second;
  ScheduledRun turned;
};

// Goes from one schedule to another by exchanging turns, and halves the way until it is one step.
std::optional<Proof> Prove(const RaceArguments& arguments, ScheduledRun from, ScheduledRun to,
                           const std::filesystem::path& trace) {
  if (from.Ops() != to.Ops()) return {};  // the orders of their graphs differ
  auto way = Between(from.turns, to.turns, 0);
  while (way && way->swaps > 1 && from.ended && to.ended) {
    const auto middle = Between(from.turns, to.turns, way->swaps / 2);
    ScheduledRun run = RunSchedule(arguments, from.seed, trace, middle->turns);
    // A thread can't have a turn before its beginning: the run may have gone another way.
    (run.SameOutcome(from) ? from : to) = std::move(run);
    const size_t before = way->swaps;
    way = Between(from.turns, to.turns, 0);
    if (way && way->swaps >= before) return {};
  }
  if (!way || way->swaps != 1) return {};
  const auto pair = ConflictAt(from, Between(from.turns, to.turns, 1)->last);
  if (!pair) return {};
  return Proof{pair->first, pair->second, std::move(to)};
}

ordered_json ToJson(const TracedAccess& access) {
  return {{"thread", access.thread}, {"writes", access.writes},
          {"place", access.place},   {"variable", access.variable},
          {"is_op", access.is_op},   {"occurrence", access.occurrence}};
}

std::string Command(const RaceArguments& arguments, int64_t seed) {
  std::string text = "LOCKSTEP_SCHEDULE=" + std::to_string(seed);
  constexpr char kPlain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  for (const std::string& word : arguments.program) {
    const bool plain = !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
    text += " " + (plain ? word : cluster::ShellQuoted(word));
  }
  return text;
}

size_t OutcomeOf(const ScheduledRun& run, const std::vector<ScheduledRun>& runs,
                 const std::vector<std::vector<size_t>>& outcomes) {
  size_t which = 0;
  while (which < outcomes.size() && !runs[outcomes[which][0]].SameOutcome(run)) ++which;
  return which;
}

// Names the pair of accesses that decides between an outcome and another one: by two schedules that
// differ in nothing else where there are such, else by what most schedules have in common.
ordered_json Decide(const RaceArguments& arguments, const std::vector<ScheduledRun>& runs,
                    const std::vector<std::vector<size_t>>& outcomes, size_t which,
                    const std::filesystem::path& trace) {
  const size_t other = which == 0 ? 1 : 0;
  const ScheduledRun& own = runs[outcomes[which][0]];
  const auto proof = Prove(arguments, own, runs[outcomes[other][0]], trace);
  if (proof) {
    const size_t turned = OutcomeOf(proof->turned, runs, outcomes);
    const std::string end = turned < outcomes.size()
                                ? "outcome " + std::to_string(turned + 1)
                                : "none of these, with " + LastLine(proof->turned.output);
    std::printf(
        "  decided by `%s`: %s before %s;\n    the other way round, with nothing else "
        "changed, it ends as %s\n",
        proof->first.variable.c_str(), proof->first.ToString().c_str(),
        proof->second.ToString().c_str(), end.c_str());
    return {{"first", ToJson(proof->first)}, {"second", ToJson(proof->second)}, {"proven", true}};
  }
  const auto pair = FindDecidingPair(runs, outcomes[which], outcomes[other]);
  if (!pair) return nullptr;
  std::printf("%s", Text(*pair, other + 1).c_str());
  return {
      {"first", ToJson(pair->first)}, {"second", ToJson(pair->second)},  {"proven", false},
      {"seed", pair->seed},           {"other_seed", pair->other_seed},  {"orders", pair->orders},
      {"share", pair->in_outcome},    {"share_in_other", pair->in_other}};
}

// Of a run without end: where each thread has come to.
ordered_json TellLastAccesses(const ScheduledRun& run) {
  for (const auto& [thread, place] : run.waits)
    std::printf("  thread %d waits in %s\n", thread, place.c_str());
  std::map<int, TracedAccess> last;
  for (const TracedAccess& access : run.accesses) {
    TracedAccess& one = last[access.thread];
    // An op that reads and writes does both.
    if (one.writes && one.place == access.place && one.variable == access.variable) continue;
    one = access;
  }
  ordered_json list = ordered_json::array();
  for (const auto& [thread, access] : last) {
    std::printf("  the last access of thread %d: %s of `%s` in %s\n", thread,
                access.writes ? "write" : "read", access.variable.c_str(), access.place.c_str());
    list.push_back(ToJson(access));
  }
  return list;
}

std::string Seconds(double seconds) {
  std::ostringstream text;
  text << seconds;
  return text.str();
}

ordered_json Report(const RaceArguments& arguments, const std::vector<ScheduledRun>& runs,
                    const std::vector<std::vector<size_t>>& outcomes, size_t which,
                    const std::filesystem::path& trace) {
  ScheduledRun first = runs[outcomes[which][0]];
  // Where threads waited unseen the seed may all the same lead here again.
  if (!first.exact && (first.ended || first.stuck))
    first.exact = RunSchedule(arguments, first.seed, trace).SameOutcome(first);
  const std::string end = first.ended ? "status " + std::to_string(first.status)
                          : first.stuck
                              ? "no end, as all threads wait for each other"
                              : "no end within " + Seconds(arguments.timeout_seconds) + " seconds";
  std::printf("outcome %zu: %zu schedules, %s, state %s, last line: %s\n  replay: %s%s\n",
              which + 1, outcomes[which].size(), end.c_str(),
              first.digest.empty() ? "unknown" : first.digest.c_str(),
              LastLine(first.output).c_str(), Command(arguments, first.seed).c_str(),
              first.exact ? "" : " (not exact: threads waited for each other unseen)");
  for (const std::string& failure : first.failures)
    std::printf("  failed: thread %s\n", failure.c_str());
  ordered_json object = {{"schedules", outcomes[which].size()},
                         {"seed", first.seed},
                         {"exact", first.exact},
                         {"ended", first.ended},
                         {"status", first.status},
                         {"digest", first.digest},
                         {"last_line", LastLine(first.output)}};
  if (!first.failures.empty()) object["failures"] = first.failures;
  if (!first.ended) {
    object["last_accesses"] = TellLastAccesses(first);
    for (const auto& [thread, place] : first.waits)
      object["waits"].push_back({{"thread", thread}, {"place", place}});
  }
  if (outcomes.size() > 1) {
    object["decided_by"] = Decide(arguments, runs, outcomes, which, trace);
  }
  return object;
}

// Why it means nothing that all schedules ended like this one; empty where it does.
std::string NothingCompared(const ScheduledRun& run) {
  if (!run.ended) {
    return run.stuck ? "the program must end; got threads that wait for each other under every "
                       "schedule"
                     : "the program must end within the time; got none under any schedule; "
                       "--timeout gives it more";
  }
  if (run.status != 0) {
    return "the program must end with status 0; got " + std::to_string(run.status) +
           " under every schedule; let it run by itself first";
  }
  if (!run.digest.empty()) return "";
  return "the program must run Lockstep's threads, whose order is what is changed; got no trace of "
         "them under any schedule";
}

}  // namespace

CLI::App* AddRace(CLI::App& app, RaceArguments& arguments) {
  CLI::App* race = app.add_subcommand(
      "race",
      "find accesses of variables that nothing orders: race --static GRAPH, or run a program under "
      "many orders of its threads: race [flags] -- PROGRAM");
  AddStaticRace(*race, arguments.of_graph);
  race->add_option("--schedules", arguments.schedules, "how many orders")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40))
      ->excludes(race->get_option("--static"))
      ->capture_default_str();
  race->add_option("--first-seed", arguments.first_seed, "the seed of the first one")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 60))
      ->excludes(race->get_option("--static"))
      ->capture_default_str();
  race->add_option("--timeout", arguments.timeout_seconds, "seconds that one run may take")
      ->check(CLI::Range(0.001, 86'400.0))
      ->capture_default_str();
  race->add_flag("--json", arguments.json,
                 "print one JSON object a pair of a graph, or one as the last line");
  race->add_option("program", arguments.program, "after --: what is run")
      ->excludes(race->get_option("--static"));
  race->callback([&arguments] {
    if (!arguments.of_graph.file.empty() || !arguments.program.empty()) return;
    throw CLI::RequiredError("--static GRAPH or -- PROGRAM");
  });
  return race;
}

int Race(RaceArguments arguments) {
  arguments.of_graph.json = arguments.json;
  if (!arguments.of_graph.file.empty()) return StaticRace(arguments.of_graph);
  arguments.program = ProgramOf(std::move(arguments.program));
  base::SystemRandomness randomness;
  const auto trace = std::filesystem::temp_directory_path() /
                     ("lockstep-race-" + std::to_string(randomness.Next()));
  std::vector<ScheduledRun> runs;
  for (int64_t i = 0; i < arguments.schedules; ++i) {
    runs.push_back(RunSchedule(arguments, arguments.first_seed + i, trace));
    // Nobody waits for hundreds of runs that all take their whole time.
    constexpr size_t kMostWithoutEnd = 3;
    const bool none_ended = std::none_of(
        runs.begin(), runs.end(), [](const ScheduledRun& run) { return run.ended || run.stuck; });
    if (none_ended && runs.size() == kMostWithoutEnd) break;
  }
  const auto outcomes = GroupByOutcome(runs);
  ordered_json report = {{"schedules", runs.size()}, {"outcomes", ordered_json::array()}};
  for (size_t i = 0; i < outcomes.size(); ++i) {
    report["outcomes"].push_back(Report(arguments, runs, outcomes, i, trace));
  }
  std::filesystem::remove(trace);
  if (arguments.json) {
    std::printf("%s\n", report.dump().c_str());
  } else {
    std::printf("%zu schedules, %zu %s\n", runs.size(), outcomes.size(),
                outcomes.size() == 1 ? "outcome" : "different outcomes");
  }
  if (outcomes.size() > 1) return kFailed;
  const std::string fault = NothingCompared(runs.front());
  if (fault.empty()) return kDone;
  std::fprintf(stderr, "lockstep race: %s\n", fault.c_str());
  return kFailed;
}

}  // namespace lockstep::cli
