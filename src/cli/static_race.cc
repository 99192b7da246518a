#include "cli/static_race.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/options.h"
#include "lockstep/check/static_races.h"

namespace lockstep::cli {

namespace {

using nlohmann::ordered_json;

std::vector<std::string> Words(const std::string& list) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) words.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

ordered_json ToJson(const RaceOp& op) {
  ordered_json object = {{"node", op.node},
                         {"op", op.op},
                         {"line", op.line},
                         {"reads", op.reads},
                         {"writes", op.writes}};
  if (!op.call.empty()) object["call"] = op.call;
  if (!op.function.empty()) object["function"] = op.function;
  if (!op.source.empty()) object["source"] = op.source;
  if (!op.through.empty()) object["through"] = op.through;
  return object;
}

ordered_json ToJson(const lockstep::StaticRace& race) {
  ordered_json object = {
      {"kind", RaceKindName(race.kind)},
      {"variable", race.variable},
      {"first", ToJson(race.first)},
      {"second", ToJson(race.second)},
      {"effect", RaceEffectName(race.effect)},
      {"cure", {{"from", race.cure.from}, {"to", race.cure.to}, {"text", race.cure.text}}},
      {"over", RaceScopeName(race.over)}};
  for (const auto& [from, to] : race.cure.also)
    object["cure"]["also"].push_back({{"from", from}, {"to", to}});
  if (!race.loop.empty()) object["loop"] = race.loop;
  if (race.more > 0) object["more"] = race.more;
  return object;
}

}  // namespace

void AddStaticRace(CLI::App& race, StaticRaceArguments& arguments) {
  auto* file = race.add_option("--static", arguments.file,
                               "a graph (GraphDef, as text or binary): name the pairs of accesses "
                               "that no edge orders");
  race.add_option("--run", arguments.runs,
                  "with --static: nodes that are fetched together, as in loss,train; may be "
                  "repeated [everything but initializers and savers]")
      ->allow_extra_args(false)
      ->needs(file);
  race.add_option("--replicas", arguments.replicas,
                  "with --static: how many replicas run the graph at the same time")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str()
      ->needs(file);
}

int StaticRace(const StaticRaceArguments& arguments) {
  StaticRaceOptions options{.replicas = arguments.replicas};
  for (const std::string& run : arguments.runs) {
    options.runs.push_back(Words(run));
    if (!options.runs.back().empty()) continue;
    std::fprintf(stderr, "--run: Value '%s' names no node, as in loss,train\n", run.c_str());
    return kBadUsage;
  }
  if (base::LocalFiles().IsDirectory(arguments.file)) {
    std::fprintf(stderr, "--static: %s is a directory; name the file of the graph in it\n",
                 arguments.file.c_str());
    return kBadUsage;
  }
  const auto found = FindRacesInFile(arguments.file, options);
  if (!found.ok()) {
    std::fprintf(stderr, "lockstep: %s\n", found.status().ToString().c_str());
    return kBadUsage;
  }
  int64_t races = 0, more = 0;
  for (const lockstep::StaticRace& race : *found) {
    races += race.kind == RaceKind::kRace;
    more += race.more;
    const std::string text =
        arguments.json
            ? ToJson(race).dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n"
            : race.ToString();
    std::fputs(text.c_str(), stdout);
  }
  if (!arguments.json) {
    std::printf("%s: %lld %s", arguments.file.c_str(), static_cast<long long>(races),
                races == 1 ? "race" : "races");
    const auto others = static_cast<long long>(found->size()) - races;
    if (others > 0)
      std::printf(", %lld %s that differ in rounding or need a lock", others,
                  others == 1 ? "pair" : "pairs");
    if (more > 0) std::printf("; up to %lld more pairs not listed", static_cast<long long>(more));
    std::printf("\n");
  }
  return races == 0 ? kDone : kFailed;
}

}  // namespace lockstep::cli
