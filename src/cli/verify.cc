#include "cli/verify.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/environment.h"
#include "base/event_loop.h"
#include "base/process.h"
#include "cli/first_difference.h"
#include "cli/launch.h"
#include "cli/options.h"

namespace lockstep::cli {

namespace {

using nlohmann::ordered_json;
using namespace std::chrono_literals;
using Variables = std::vector<std::pair<std::string, std::string>>;

struct Way {
  int devices;
  int workers;  // 0: no cluster
  int servers = 0;
  std::string Name() const {
    const auto count = [](int number, const char* what) {
      return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
    };
    const std::string each = count(devices, "device");
    if (workers == 0) return each;
    return count(workers, "worker") + (servers == 0 ? "" : ", " + count(servers, "server")) +
           " of " + each;
  }
};

struct Output {
  int status = 0;
  std::string last_line, errors;
};

std::string Tail(const std::string& text) {
  constexpr size_t kMost = 600;
  return text.size() <= kMost ? text : "..." + text.substr(text.size() - kMost);
}

// The program by itself; what it prints is kept.
Output RunAlone(const std::vector<std::string>& program, const Variables& variables) {
  base::ProcessOptions options{.arguments = program, .environment = base::ProcessEnvironment()};
  for (const auto& [name, value] : variables) options.environment[name] = value;
  auto output = base::Pipe::Make().value();
  auto error = base::Pipe::Make().value();
  options.output = output.writes.fd();
  options.error = error.writes.fd();
  const auto process = base::Process::Start(options).value();
  output.writes.Close();
  error.writes.Close();
  Output ran;
  cluster::LinePrefixer lines("");
  base::EventLoop loop;
  loop.set_patience({.spins = 0, .yielding = base::Duration(0)});
  int open = 3;
  const auto watch = [&](int fd, auto take) {
    loop.WatchFile(fd, true, false, [&loop, &open, fd, take](base::FileEvents) {
      if (take()) return;
      loop.UnwatchFile(fd);
      --open;
    });
  };
  watch(output.reads.fd(), [&, fd = output.reads.fd()] {
    std::string bytes;
    const bool more = base::ReadAvailable(fd, &bytes);
    lines.Feed(bytes);
    return more;
  });
  watch(error.reads.fd(),
        [&, fd = error.reads.fd()] { return base::ReadAvailable(fd, &ran.errors); });
  watch(process->end_fd(), [&] {
    const auto end = process->TakeEnd();
    if (end) ran.status = end->exit_status();
    return !end;
  });
  while (!loop.RunUntil([&] { return open == 0; }, 3600s)) {
  }
  lines.Finish();
  ran.last_line = lines.last_line();
  return ran;
}

Output RunLaunched(const std::vector<std::string>& program, const Way& way,
                   const Variables& variables) {
  cluster::LaunchOptions options;
  options.workers = way.workers;
  options.servers = way.servers;
  options.devices = way.devices;
  options.environment = variables;
  options.arguments = program;
  Output ran;
  const auto report = RunJob(std::move(options), [&](bool error, std::string_view lines) {
    if (error) ran.errors += lines;
  });
  ran.status = report.exit_status;
  ran.last_line = report.last_line;
  return ran;
}

// Lists of a step and its digest each.
bool AreDigests(const ordered_json& digests) {
  return digests.is_array() && std::all_of(digests.begin(), digests.end(), [](const auto& entry) {
           return entry.is_array() && entry.size() == 2 && entry[0].is_number_integer();
         });
}

// The object that the program reports.
ordered_json Run(const std::vector<std::string>& program, const Way& way,
                 Variables variables = {}) {
  if (way.workers == 0) variables.emplace_back("LOCKSTEP_DEVICES", std::to_string(way.devices));
  const Output ran =
      way.workers == 0 ? RunAlone(program, variables) : RunLaunched(program, way, variables);
  const auto fail = [&](Code code, const std::string& rule, const std::string& got) {
    throw Error(code, "[verify] " + rule + "; got " + got + " (" + way.Name() + ")");
  };
  if (ran.status != 0) {
    fail(Code::kFailedPrecondition, "the program must end with status 0",
         std::to_string(ran.status) + "\n" + Tail(ran.errors));
  }
  ordered_json object = ordered_json::parse(ran.last_line, nullptr, false);
  if (!object.is_object() || !object.contains("weights_digest") ||
      !object["weights_digest"].is_string()) {
    fail(Code::kInvalidArgument,
         "the program's last line must be a JSON object with weights_digest, a text; let it print "
         "one (lockstep train --json)",
         "'" + Tail(ran.last_line) + "'");
  }
  if (object.contains("digests") && !AreDigests(object["digests"])) {
    const std::string got = object["digests"].dump();
    fail(Code::kInvalidArgument,
         "digests must be a list with [STEP, DIGEST] for each step that is compared",
         got.size() > 80 ? got.substr(0, 80) + "..." : got);
  }
  if (object.contains("devices") && object["devices"] != way.devices) {
    fail(Code::kFailedPrecondition,
         "the program must take its devices from LOCKSTEP_DEVICES; leave out --devices",
         object["devices"].dump());
  }
  // Several that train alone would agree whatever the workers do.
  if (way.workers > 1 && object.contains("workers") && object["workers"] != way.workers) {
    fail(Code::kFailedPrecondition,
         "all workers must train together; give --strategy multi_worker or parameter_server",
         object["workers"].dump());
  }
  return object;
}

struct Difference {
  int64_t step = 0;  // 0: not known
  std::string key, first, second;
};

std::optional<Difference> Compare(const ordered_json& a, const ordered_json& b) {
  const ordered_json none = ordered_json::array();
  const auto& steps_a = a.contains("digests") ? a["digests"] : none;
  const auto& steps_b = b.contains("digests") ? b["digests"] : none;
  for (size_t i = 0; i < std::min(steps_a.size(), steps_b.size()); ++i) {
    if (steps_a[i] == steps_b[i]) continue;
    return Difference{steps_a[i][0].get<int64_t>(), "digests", steps_a[i].dump(),
                      steps_b[i].dump()};
  }
  const auto steps = a.value("steps", ordered_json());
  const int64_t last = steps.is_number_integer() ? steps.get<int64_t>() : 0;
  for (const char* key : {"steps", "weights_digest", "state_digest", "loss", "accuracy"}) {
    const auto first = a.value(key, ordered_json()), second = b.value(key, ordered_json());
    if (first == second) continue;
    return Difference{last, key, first.dump(), second.dump()};
  }
  return {};
}

// Asks both ways for the state after the step, and looks where it differs.
std::optional<StateDifference> Locate(const std::vector<std::string>& program, const Way& first,
                                      const Way& second, int64_t step) {
  std::string folder = std::filesystem::temp_directory_path().string() + "/lockstep-verify-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return {};  // with mode 0700: the dumps are weights
  std::optional<SavedState> states[2];
  for (int i = 0; i < 2; ++i) {
    const std::string path = folder + "/" + std::to_string(i);
    Run(program, i == 0 ? first : second,
        {{"LOCKSTEP_DUMP_STEP", std::to_string(step)}, {"LOCKSTEP_DUMP_FILE", path}});
    auto state = LoadState(path);
    if (state.ok()) states[i] = *state;
  }
  std::filesystem::remove_all(folder);
  if (!states[0] || !states[1]) return {};
  return FindDifference(*states[0], *states[1]);
}

std::string Text(const Difference& difference, const std::optional<StateDifference>& located) {
  std::string text = "  ";
  text += difference.step > 0 && difference.key == "digests"
              ? "first at step " + std::to_string(difference.step)
              : "in " + difference.key;
  text += ": " + difference.first + " and " + difference.second + "\n";
  if (!located) return text + "  the program gave no dump of the step (LOCKSTEP_DUMP_STEP)\n";
  text += "  " + located->variable + located->place + ": " + located->first + " and " +
          located->second + "; " + std::to_string(located->elements) + " of " +
          std::to_string(located->of_elements) + " elements, " +
          std::to_string(located->variables) + " of " + std::to_string(located->of_variables) +
          " variables\n";
  if (!located->op.empty()) text += "  written by " + located->op + "\n";
  return text;
}

ordered_json ToJson(const Difference& difference, const std::optional<StateDifference>& located) {
  ordered_json object = {{"step", difference.step},
                         {"key", difference.key},
                         {"first", difference.first},
                         {"second", difference.second}};
  if (located) {
    object["variable"] = located->variable;
    object["element"] = located->element;
    object["place"] = located->place;
    object["bits"] = {located->first, located->second};
    object["elements"] = {located->elements, located->of_elements};
    object["variables"] = {located->variables, located->of_variables};
    object["op"] = located->op;
  }
  return object;
}

// `lockstep train` is asked for what is compared here.
std::vector<std::string> WithReports(std::vector<std::string> program) {
  const auto lacks = [&](const std::string& flag) {
    return std::none_of(program.begin(), program.end(), [&](const std::string& word) {
      return word == flag || word.starts_with(flag + "=");
    });
  };
  const bool trains = program.size() > 1 && program[0] == "lockstep" && program[1] == "train";
  program = ProgramOf(std::move(program));
  if (!trains) return program;
  if (lacks("--json")) program.push_back("--json");
  if (lacks("--verbose")) program.insert(program.end(), {"--verbose", "0"});
  if (lacks("--digest-every")) program.insert(program.end(), {"--digest-every", "1"});
  return program;
}

}  // namespace

CLI::App* AddVerify(CLI::App& app, VerifyArguments& arguments) {
  CLI::App* verify = app.add_subcommand(
      "verify", "run a program in several ways and compare its digests: verify [flags] -- PROGRAM");
  verify->add_option("--devices", arguments.devices, "numbers of devices, as in 1,2,4")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  auto* workers = verify
                      ->add_option("--workers", arguments.workers,
                                   "numbers of workers, each a launched job [none]")
                      ->delimiter(',')
                      ->allow_extra_args(false)
                      ->check(CLI::Range(1, 1024));
  verify
      ->add_option("--servers", arguments.servers,
                   "numbers of parameter servers, each with every number of workers [none]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0, 1024))
      ->needs(workers);
  verify->add_flag("--json", arguments.json, "print one JSON object as the last line");
  verify->add_option("program", arguments.program, "after --: what is run")->required();
  return verify;
}

int Verify(VerifyArguments arguments) {
  const auto program = WithReports(std::move(arguments.program));
  if (arguments.workers.empty()) arguments.workers = {0};
  std::vector<Way> ways;
  if (arguments.servers.empty()) arguments.servers = {0};
  for (int workers : arguments.workers) {
    for (int servers : arguments.servers) {
      for (int devices : arguments.devices) ways.push_back({devices, workers, servers});
    }
  }
  if (ways.size() < 2) {
    std::fprintf(stderr,
                 "--devices: one way (%s) leaves nothing to compare; give two numbers, as in 1,2, "
                 "or --workers\n",
                 ways.front().Name().c_str());
    return kBadUsage;
  }
  ordered_json report = {{"equal", true}, {"runs", ordered_json::array()}};
  ordered_json first;
  for (const Way& way : ways) {
    const ordered_json object = Run(program, way);
    if (first.is_null()) first = object;
    const auto difference = Compare(first, object);
    std::printf("%-34s %s %s\n", way.Name().c_str(),
                object["weights_digest"].get<std::string>().c_str(),
                difference ? "differs" : "the same");
    report["runs"].push_back({{"devices", way.devices},
                              {"workers", way.workers},
                              {"servers", way.servers},
                              {"weights_digest", object["weights_digest"]},
                              {"equal", !difference}});
    if (!difference) continue;
    const auto located = difference->step > 0 ? Locate(program, ways[0], way, difference->step)
                                              : std::optional<StateDifference>();
    std::printf("%s", Text(*difference, located).c_str());
    if (report["equal"]) report["first_difference"] = ToJson(*difference, located);
    report["equal"] = false;
  }
  if (arguments.json) {
    std::printf("%s\n", report.dump().c_str());
  } else if (report["equal"]) {
    std::printf("%zu runs, all the same\n", ways.size());
  }
  return report["equal"] ? kDone : kFailed;
}

}  // namespace lockstep::cli
