#include "cli/events.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/file.h"
#include "base/printf.h"
#include "cli/options.h"
#include "monitor/event_files.h"

namespace lockstep::cli {

namespace {

using monitor::EventFile;
using monitor::EventValue;
using nlohmann::ordered_json;

// All values of one tag.
struct Series {
  std::string kind;
  int64_t first = 0, last = 0, count = 0;
  bool has_number = false;
  double number = 0;
};
using Table = std::map<std::tuple<std::string, std::string>, Series>;  // by run and tag

Table TableOf(const std::vector<EventFile>& files) {
  Table table;
  for (const auto& [file, value] : monitor::OnOneTimeLine(files)) {
    Series& series = table[{files[file].run, value->kind == "graph" ? "(graph)" : value->tag}];
    if (series.count++ == 0) series.first = series.last = value->step;
    series.kind = value->kind;
    series.first = std::min(series.first, value->step);
    series.last = std::max(series.last, value->step);
    series.has_number = value->has_number;
    series.number = value->number;
  }
  return table;
}

ordered_json Number(bool has, double number) {
  return has && std::isfinite(number) ? ordered_json(number) : ordered_json();
}

void TellDamage(const std::vector<EventFile>& files) {
  for (const EventFile& file : files)
    if (!file.damage.empty())
      std::fprintf(stderr, "lockstep events: %s: %s; what comes before is taken\n",
                   file.path.c_str(), file.damage.c_str());
}

void List(const EventsArguments& arguments, const std::vector<EventFile>& files) {
  const Table table = TableOf(files);
  if (arguments.json) {
    ordered_json json{{"files", ordered_json::array()}, {"tags", ordered_json::array()}};
    for (const EventFile& file : files)
      json["files"].push_back({{"path", file.path},
                               {"run", file.run},
                               {"values", file.values.size()},
                               {"damage", file.damage}});
    for (const auto& [key, series] : table) {
      json["tags"].push_back({{"run", std::get<0>(key)},
                              {"tag", std::get<1>(key)},
                              {"kind", series.kind},
                              {"count", series.count},
                              {"first_step", series.first},
                              {"last_step", series.last},
                              {"last", Number(series.has_number, series.number)}});
    }
    std::printf("%s\n", json.dump().c_str());
    return;
  }
  std::printf("%-16s %-40s %-10s %7s %15s %12s\n", "run", "tag", "kind", "count", "steps", "last");
  for (const auto& [key, series] : table) {
    const std::string last = series.has_number ? base::Printf("%.6g", series.number) : "";
    const std::string steps = std::to_string(series.first) + " - " + std::to_string(series.last);
    std::printf("%-16s %-40s %-10s %7lld %15s %12s\n", std::get<0>(key).c_str(),
                std::get<1>(key).c_str(), series.kind.c_str(), static_cast<long long>(series.count),
                steps.c_str(), last.c_str());
  }
}

std::string TimeOf(double seconds) {
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm time{};
  ::gmtime_r(&whole, &time);
  char text[48];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &time);
  return base::Printf("%s.%03d", text, static_cast<int>((seconds - std::floor(seconds)) * 1000));
}

// Whether there was anything to show.
bool Tail(const EventsArguments& arguments, const std::vector<EventFile>& files) {
  std::vector<monitor::PlacedValue> values;
  for (const auto& placed : monitor::OnOneTimeLine(files))
    if (arguments.tag.empty() || placed.value->tag == arguments.tag) values.push_back(placed);
  const size_t shown = std::min(values.size(), static_cast<size_t>(arguments.lines));
  for (size_t i = values.size() - shown; i < values.size(); ++i) {
    const EventValue& value = *values[i].value;
    const std::string& run = files[values[i].file].run;
    if (arguments.json) {
      const ordered_json json{
          {"time", value.wall_time}, {"run", run},
          {"step", value.step},      {"tag", value.tag},
          {"kind", value.kind},      {"value", Number(value.has_number, value.number)}};
      std::printf("%s\n", json.dump().c_str());
      continue;
    }
    std::printf("%s  %-16s step %-8lld %s ", TimeOf(value.wall_time).c_str(), run.c_str(),
                static_cast<long long>(value.step), value.tag.c_str());
    if (value.has_number) {
      std::printf("%.6g\n", value.number);
    } else {
      std::printf("(%s, %zu bytes)\n", value.kind.c_str(), value.summary.size());
    }
  }
  return !values.empty();
}

}  // namespace

CLI::App* AddEvents(CLI::App& app, EventsArguments& arguments) {
  CLI::App* all =
      app.add_subcommand("events", "look into TensorBoard's event files, and merge them");
  all->require_subcommand(1);
  const auto add = [&](const char* name, const char* help) {
    CLI::App* command = all->add_subcommand(name, help);
    command->callback([&arguments, name] { arguments.command = name; });
    command->add_option("DIR", arguments.directory, "a directory of runs")->required();
    return command;
  };
  add("ls", "list runs and tags")->add_flag("--json", arguments.json, "print one JSON object");
  CLI::App* merge = add("merge", "write all runs on one time line into one file");
  merge->add_option("OUT", arguments.out, "the directory for it")->required();
  CLI::App* tail = add("tail", "print the last values of all runs, in the order of time");
  tail->add_option("--lines", arguments.lines, "how many")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
  tail->add_option("--tag", arguments.tag, "those of one tag [all]");
  tail->add_flag("--json", arguments.json, "print one JSON object a line");
  return all;
}

int Events(const EventsArguments& arguments) {
  const std::vector<EventFile> files =
      monitor::ReadEventFiles(base::LocalFiles(), arguments.directory).OrThrow();
  TellDamage(files);
  if (arguments.command == "ls") {
    List(arguments, files);
  } else if (arguments.command == "tail") {
    if (!Tail(arguments, files) && !arguments.tag.empty()) {
      std::fprintf(stderr,
                   "lockstep events: no value has the tag %s; `lockstep events ls %s` lists "
                   "those there are\n",
                   arguments.tag.c_str(), arguments.directory.c_str());
      return kFailed;
    }
  } else {
    const std::string path =
        monitor::MergeEvents(base::LocalFiles(), files, arguments.out).OrThrow();
    std::printf("%s\n", path.c_str());
  }
  return kDone;
}

}  // namespace lockstep::cli
