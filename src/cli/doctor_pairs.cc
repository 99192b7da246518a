#include "cli/doctor_pairs.h"

#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/build.h"
#include "base/cores.h"
#include "base/printf.h"
#include "distribute/workers/connect_workers.h"
#include "kernels/isa.h"
#include "net/address.h"

namespace lockstep::cli {

namespace {

using cluster::Finding;
using distribute::PairSpeed;
using nlohmann::ordered_json;
using Level = Finding::Level;

constexpr size_t kEnoughToCompare = 4;
constexpr double kFarSlower = 4;
constexpr double kLatencyOfNoise = 500;  // microseconds: what a busy core adds now and then

ordered_json DescribeSelf(const cluster::Description& description) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return {{"task", description.task.ToString()},
          {"host", host},
          {"host_id", net::HostId()},
          {"process", getpid()},
          {"cores", base::Cores()},
          {"isa", kernels::IsaName()},
          {"version", base::Version()}};
}

template <typename Value>
double Median(const std::vector<const PairSpeed*>& pairs, Value value) {
  std::vector<double> values;
  for (const PairSpeed* pair : pairs) values.push_back(value(*pair));
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

std::string Range(const std::vector<const PairSpeed*>& pairs, const char* unit,
                  double (*value)(const PairSpeed&)) {
  double least = value(*pairs.front()), most = least;
  for (const PairSpeed* pair : pairs) {
    least = std::min(least, value(*pair));
    most = std::max(most, value(*pair));
  }
  return base::Printf("%.0f to %.0f %s", least, most, unit);
}

double LatencyOf(const PairSpeed& pair) { return pair.latency_us; }
double SpeedOf(const PairSpeed& pair) { return pair.mebibytes_per_second; }

}  // namespace

std::vector<Finding> ExaminePairs(const std::vector<PairSpeed>& pairs,
                                  const std::vector<std::string>& roads,
                                  const std::vector<std::string>& names) {
  std::map<std::string, std::vector<const PairSpeed*>> by_road;
  for (size_t i = 0; i < pairs.size(); ++i) by_road[roads[i]].push_back(&pairs[i]);
  std::vector<Finding> findings;
  for (const auto& [road, listed] : by_road) {
    findings.push_back({Level::kFine, "pairs",
                        road + ": " + std::to_string(listed.size()) + " ways, latency " +
                            Range(listed, "us", LatencyOf) + ", " + Range(listed, "MiB/s", SpeedOf),
                        ""});
    if (listed.size() < kEnoughToCompare) continue;
    const double latency = Median(listed, LatencyOf), speed = Median(listed, SpeedOf);
    for (const PairSpeed* pair : listed) {
      const bool late = pair->latency_us > kFarSlower * latency + kLatencyOfNoise;
      if (!late && pair->mebibytes_per_second * kFarSlower >= speed) continue;
      const std::string figures =
          base::Printf("%.0f us, %.0f MiB/s, where others have %.0f, %.0f", pair->latency_us,
                       pair->mebibytes_per_second, latency, speed);
      findings.push_back(
          {Level::kDoubt, "pairs",
           "from " + names[static_cast<size_t>(pair->from)] + " to " +
               names[static_cast<size_t>(pair->to)] + " by " + road + ": " + figures,
           "look for a slow link, a busy machine, or an interface that was not meant"});
    }
  }
  return findings;
}

DoctorsMeeting MeetOtherDoctors(const cluster::Description& description,
                                const cluster::Environment& environment, base::Duration wait) {
  DoctorsMeeting meeting{{}, ordered_json::array(), ordered_json::array()};
  try {
    const auto ranks = distribute::ConnectWorkers(description, environment, {.limit = wait});
    std::vector<std::string> names, hosts;
    for (const std::string& text : ranks->AllGather(DescribeSelf(description).dump())) {
      meeting.tasks.push_back(ordered_json::parse(text));
      names.push_back(meeting.tasks.back()["task"]);
      hosts.push_back(meeting.tasks.back()["host_id"]);
      meeting.tasks.back().erase("host_id");
    }
    const bool encrypted = cluster::Lookup(environment, "LOCKSTEP_CREDENTIALS").has_value();
    const auto pairs = distribute::MeasurePairs(*ranks);
    std::vector<std::string> roads;
    for (const PairSpeed& pair : pairs) {
      const auto from = static_cast<size_t>(pair.from), to = static_cast<size_t>(pair.to);
      roads.push_back(hosts[from] == hosts[to] ? "shared memory" : encrypted ? "TLS" : "TCP");
      meeting.pairs.push_back({{"from", names[from]},
                               {"to", names[to]},
                               {"road", roads.back()},
                               {"latency_us", pair.latency_us},
                               {"mebibytes_per_second", pair.mebibytes_per_second}});
    }
    meeting.findings = ExaminePairs(pairs, roads, names);
  } catch (const Error& error) {
    const bool alone = error.code() == Code::kDeadlineExceeded;
    meeting.findings.push_back(
        {alone ? Level::kDoubt : Level::kProblem, "pairs", error.what(),
         alone ? "run lockstep doctor in all tasks at once, with --wait SECONDS if they start "
                 "slowly"
               : ""});
  }
  return meeting;
}

}  // namespace lockstep::cli
