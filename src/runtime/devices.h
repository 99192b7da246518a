#pragma once

#include "base/shared_team.h"

namespace lockstep::runtime {

/// The lanes that compute for the calling thread. A strategy's scope sets them; without a scope
/// they are those of the default team, one for each core that the process may use.
base::Team& CurrentTeam();

/// Makes `team` the calling thread's team while it lives.
class TeamScope {
 public:
  explicit TeamScope(base::Team& team);
  ~TeamScope();
  TeamScope(const TeamScope&) = delete;
  TeamScope& operator=(const TeamScope&) = delete;

 private:
  base::Team* outer_;
};

}  // namespace lockstep::runtime
