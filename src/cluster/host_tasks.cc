// Tells the base room how many tasks of the job run on this host, so that they share its cores also
// where a task trains without a strategy that asks for the cluster.

#include <algorithm>

#include "base/environment.h"
#include "base/shared_team.h"
#include "cluster/resolver.h"

namespace lockstep::cluster {

namespace {

// A description with mistakes counts as none here: a strategy that needs it reports them.
int CountTasksOfHost() {
  const Survey survey = SurveyCluster(base::ProcessEnvironment());
  if (survey.found.empty()) return 1;
  const auto& description = survey.found.front().resolution.description;
  return description ? std::max(1, description->local_size) : 1;
}

const bool kSet = (base::SetTasksOfHost(&CountTasksOfHost), true);

}  // namespace
}  // namespace lockstep::cluster
