#include "cluster/resolver.h"

#include "base/log.h"
#include "cluster/resolvers.h"

namespace lockstep::cluster {

namespace {

std::string RankText(const Description& description) {
  return description.task.ToString() + ", rank " + std::to_string(description.rank()) + " of " +
         std::to_string(description.num_ranks());
}

// What two sources say differently; empty if they agree on the size and this task's rank.
std::vector<Mistake> Contradictions(const Survey::Source& first, const Survey::Source& later) {
  if (!later.resolution.mistakes.empty() || !first.resolution.description) return {};
  const Description& wins = *first.resolution.description;
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

}  // namespace

const std::vector<std::unique_ptr<Resolver>>& Resolvers() {
  static const auto* const kResolvers = [] {
    auto* made = new std::vector<std::unique_ptr<Resolver>>;
    made->push_back(MakeTfConfigResolver());
    return made;
  }();
  return *kResolvers;
}

Survey SurveyCluster(const Environment& environment) {
  Survey survey;
  for (const auto& resolver : Resolvers()) {
    if (!resolver->Finds(environment)) continue;
    survey.found.push_back({resolver.get(), resolver->Resolve(environment)});
    if (survey.found.size() == 1) continue;
    for (Mistake& mistake : Contradictions(survey.found.front(), survey.found.back())) {
      survey.contradictions.push_back(std::move(mistake));
    }
  }
  return survey;
}

Result<Description> ResolveCluster(const Environment& environment) {
  const Survey survey = SurveyCluster(environment);
  if (survey.found.empty()) {
    Description alone;
    alone.resolver = "none";
    return alone;
  }
  const Resolution& first = survey.found.front().resolution;
  if (!first.mistakes.empty()) {
    return Status(Code::kInvalidArgument, DescribeMistakes(first.mistakes, first.corrected));
  }
  for (const Mistake& doubt : first.doubts) base::Log(base::Severity::kWarning, doubt.ToString());
  for (const Mistake& contradiction : survey.contradictions) {
    base::Log(base::Severity::kWarning, contradiction.ToString());
  }
  return *first.description;
}

std::optional<std::string> Lookup(const Environment& environment, const std::string& name) {
  const auto place = environment.find(name);
  if (place == environment.end() || place->second.empty()) return {};
  return place->second;
}

}  // namespace lockstep::cluster
