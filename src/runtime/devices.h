#pragma once

#include "base/team.h"

namespace lockstep::runtime {

/// The lanes that compute for the calling thread: one a device and thread. A strategy's scope sets
/// them; without a scope there is one, the thread itself.
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
