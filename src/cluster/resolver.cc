#include "cluster/resolver.h"

#include <algorithm>

#include "base/end_task.h"
#include "base/log.h"
#include "cluster/address.h"
#include "cluster/jobs_variable.h"
#include "cluster/resolvers.h"
#include "cluster/variables.h"

namespace lockstep::cluster {

namespace {

// Addresses divided by commas; what is wrong with one becomes a mistake.
std::string ReadCoordinator(Variables& variables, std::string text) {
  std::string meant;
  bool wrong = text.find(';') != std::string::npos;
  if (wrong) {
    variables.Wrong("LOCKSTEP_COORDINATOR", "addresses must be divided by commas", "'" + text + "'",
                    "write a comma for each ;");
    std::replace(text.begin(), text.end(), ';', ',');
  }
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    Address address;
    if (const auto fault = ReadAddress(entry, address)) {
      wrong = true;
      variables.Wrong("LOCKSTEP_COORDINATOR", fault->rule, "'" + entry + "'", fault->cure);
      address = fault->meant.value_or(Address{"HOST-OF-COORDINATOR", 0});
      if (address.port == 0) address.port = kUsualPort;
    }
    meant += (meant.empty() ? "" : ",") + address.ToString();
    begin = end + 1;
  }
  if (wrong) variables.Correct("LOCKSTEP_COORDINATOR", meant);
  return meant;
}

std::string RankText(const Description& description) {
  return description.task.ToString() + ", rank " + std::to_string(description.rank()) + " of " +
         std::to_string(description.num_ranks());
}

// What two sources say differently; empty if they agree on the size and this task's rank. `said`:
// what the first one said, before variables of our own changed it.
std::vector<Mistake> Contradictions(const Survey::Source& first,
                                    const std::optional<Description>& said,
                                    const Survey::Source& later) {
  if (!later.resolution.mistakes.empty() || !first.resolution.description) return {};
  const Description& wins = *said;
  const Description& loses = *later.resolution.description;
  if (wins.num_ranks() == loses.num_ranks() && wins.rank() == loses.rank()) return {};
  Mistake mistake;
  mistake.variable = later.resolver->name();
  mistake.place = std::string(first.resolver->name()) + " goes before " + later.resolver->name();
  mistake.expected = std::string("it must agree with ") + first.resolver->name();
  mistake.got = RankText(loses) + " and " + RankText(wins);
  mistake.cure =
      wins.num_ranks() == loses.num_ranks()
          ? std::string("let each task have its own ") + first.resolver->name() + ", or unset it"
          : std::string("start as many tasks as ") + first.resolver->name() + " lists, or unset it";
  return {mistake};
}

// A source that numbers the tasks, but does not say where they meet, goes behind a later one that
// gives them the same numbers and says it: PMI's variables in a step of Slurm.
void PutWhoSaysWhereToMeetFirst(std::vector<Survey::Source>& found) {
  if (found.empty() || !found.front().resolution.description) return;
  const Description& first = *found.front().resolution.description;
  if (first.SaysWhereToMeet()) return;
  const auto better = std::find_if(found.begin() + 1, found.end(), [&](const auto& source) {
    const auto& later = source.resolution.description;
    return later && later->num_ranks() == first.num_ranks() && later->rank() == first.rank() &&
           later->SaysWhereToMeet();
  });
  if (better != found.end()) std::rotate(found.begin(), better, better + 1);
}

// The number under `name`, 0 where there is none; what is wrong is corrected by its own line.
int ReadOwn(Variables& variables, const char* name, const std::string& what, int low, int high) {
  const auto text = variables.Text(name);
  const int number = variables.NumberOr(name, what, low, high, 0);
  if (text && !ReadNumber(*text, low, high)) {
    variables.Correct(name, std::to_string(variables.Meant(name, low, high).value_or(low)));
  }
  return number;
}

// The bounds of an elastic job, which others than `lockstep launch` may have set by hand.
void CheckBounds(Variables& variables, int tasks) {
  const int least =
      ReadOwn(variables, "LOCKSTEP_MIN_WORKERS", "least number of workers", 1, kMostTasks);
  const int most =
      ReadOwn(variables, "LOCKSTEP_MAX_WORKERS", "greatest number of workers", 1, kMostTasks);
  ReadOwn(variables, "LOCKSTEP_SPECULATE", "switch for slow workers", 0, 1);
  ReadOwn(variables, "LOCKSTEP_RESTART", "number of restarts", 0, 1'000'000);
  if (least > 0 && most > 0 && least > most) {
    variables.Wrong("LOCKSTEP_MIN_WORKERS", "it must be at most LOCKSTEP_MAX_WORKERS",
                    std::to_string(least) + " and " + std::to_string(most), "exchange them");
    variables.Correct("LOCKSTEP_MIN_WORKERS", std::to_string(most));
    variables.Correct("LOCKSTEP_MAX_WORKERS", std::to_string(least));
  } else if (tasks > 1 && least > std::max(most, tasks)) {
    variables.Doubt("LOCKSTEP_MIN_WORKERS", "it should be at most the number of tasks",
                    std::to_string(least) + " for " + std::to_string(tasks),
                    "the job would end with the first task that is lost");
  }
}

// A name of ours with a letter more, less or changed says nothing to anybody.
void DoubtMisspelled(Variables& variables, const Environment& environment) {
  static constexpr const char* kOwn[] = {
      "LOCKSTEP_CLUSTER",     "LOCKSTEP_COORDINATOR",    "LOCKSTEP_CREDENTIALS",
      "LOCKSTEP_DEVICES",     "LOCKSTEP_JOBS",           "LOCKSTEP_JOB_DIR",
      "LOCKSTEP_MAX_WORKERS", "LOCKSTEP_MIN_WORKERS",    "LOCKSTEP_SPECULATE",
      "LOCKSTEP_SUBDOMAIN",   "LOCKSTEP_TOKEN",          "LOCKSTEP_WORKERS",
      "LOCKSTEP_DUMP_STEP",   "LOCKSTEP_DUMP_FILE",      "LOCKSTEP_RESTART",
      "LOCKSTEP_TASK",        "LOCKSTEP_FLIGHT_RECORDER"};
  for (auto place = environment.lower_bound("LOCKSTEP_");
       place != environment.end() && place->first.starts_with("LOCKSTEP_"); ++place) {
    const std::string& name = place->first;
    if (std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn)) continue;
    for (const char* own : kOwn) {
      if (!DifferByOne(name, own)) continue;
      variables.Doubt(name, "nobody reads this variable", "'" + place->second + "'",
                      std::string("call it ") + own);
      break;
    }
  }
}

// Variables of our own, such as LOCKSTEP_JOBS and LOCKSTEP_DEVICES, hold whoever describes the
// cluster.
void ApplyOwn(const Environment& environment, Resolution& resolution) {
  Resolution own;
  Variables variables(environment, own);
  Description described = resolution.description.value_or(Description{});
  std::vector<Fact> facts = described.facts;
  described.devices =
      variables.NumberOr("LOCKSTEP_DEVICES", "number of devices", 1, 1024, described.devices);
  if (!own.mistakes.empty()) {
    const int meant = variables.Meant("LOCKSTEP_DEVICES", 1, 1024).value_or(1);
    variables.Correct("LOCKSTEP_DEVICES", std::to_string(meant));
  }
  // How many tasks there are is not known where the description is broken.
  ApplyJobs(variables, resolution.description ? &described : nullptr);
  CheckBounds(variables, described.num_ranks());
  if (const auto text = variables.Text("LOCKSTEP_COORDINATOR")) {
    described.MeetAt(ReadCoordinator(variables, *text));
    variables.Note("coordinator", *text, "LOCKSTEP_COORDINATOR");
  }
  DoubtMisspelled(variables, environment);
  if (const auto text = variables.Text("LOCKSTEP_JOB_DIR")) {
    described.job_directory = *text;
    variables.Note("directory of the job", *text, "LOCKSTEP_JOB_DIR");
  }
  variables.Finish(described);
  resolution.doubts.insert(resolution.doubts.end(), own.doubts.begin(), own.doubts.end());
  if (own.mistakes.empty()) {
    if (!resolution.description) return;
    facts.insert(facts.end(), own.description->facts.begin(), own.description->facts.end());
    resolution.description = std::move(own.description);
    resolution.description->facts = std::move(facts);
    return;
  }
  resolution.description.reset();
  resolution.mistakes.insert(resolution.mistakes.end(), own.mistakes.begin(), own.mistakes.end());
  if (!resolution.corrected.empty()) resolution.corrected += "\n";
  resolution.corrected += own.corrected;
}

}  // namespace

const std::vector<std::unique_ptr<Resolver>>& Resolvers() {
  static const auto* const kResolvers = [] {
    auto* made = new std::vector<std::unique_ptr<Resolver>>;
    made->push_back(MakeLaunchResolver());
    made->push_back(MakeTfConfigResolver());
    made->push_back(MakeTorchrunResolver());
    made->push_back(MakeOpenMpiResolver());
    made->push_back(MakeSlurmResolver());
    made->push_back(MakeKubernetesResolver());
    return made;
  }();
  return *kResolvers;
}

Survey SurveyCluster(const Environment& environment) {
  Survey survey;
  for (const auto& resolver : Resolvers()) {
    if (!resolver->Finds(environment)) continue;
    survey.found.push_back({resolver.get(), resolver->Resolve(environment)});
    auto& description = survey.found.back().resolution.description;
    if (description) description->resolver = resolver->name();
  }
  PutWhoSaysWhereToMeetFirst(survey.found);
  if (!survey.found.empty()) {
    const std::optional<Description> said = survey.found.front().resolution.description;
    ApplyOwn(environment, survey.found.front().resolution);
    for (size_t i = 1; i < survey.found.size(); ++i) {
      for (Mistake& mistake : Contradictions(survey.found.front(), said, survey.found[i])) {
        survey.contradictions.push_back(std::move(mistake));
      }
    }
    return survey;
  }
  survey.alone.description = Description{.resolver = "none"};
  ApplyOwn(environment, survey.alone);
  for (const auto& resolver : Resolvers()) {
    if (const auto hint = resolver->Hint(environment)) survey.hints.push_back(*hint);
  }
  return survey;
}

Mistake NoMeetingPlace(const Description& description) {
  return {"LOCKSTEP_COORDINATOR", "", "it must say where the tasks meet",
          "nothing, and " + description.resolver + " does not say it",
          "name rank 0's host and a free port, the same in every task"};
}

std::string CorrectedMeetingPlace(const Description& description) {
  const Address place{description.IsOneHost() ? "127.0.0.1" : "HOST-OF-RANK-0", kUsualPort};
  return ExportLine("LOCKSTEP_COORDINATOR", place.ToString());
}

Result<Description> ResolveCluster(const Environment& environment) {
  const Survey survey = SurveyCluster(environment);
  const Resolution& first = survey.found.empty() ? survey.alone : survey.found.front().resolution;
  if (!first.mistakes.empty()) {
    return Status(Code::kInvalidArgument, DescribeMistakes(first.mistakes, first.corrected));
  }
  for (const auto* doubts : {&first.doubts, &survey.contradictions, &survey.hints}) {
    for (const Mistake& doubt : *doubts) base::Log(base::Severity::kWarning, doubt.ToString());
  }
  base::NameTask(first.description->task.ToString());
  return *first.description;
}

}  // namespace lockstep::cluster
