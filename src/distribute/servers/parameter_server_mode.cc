#include "lockstep/distribute/parameter_server_mode.h"

#include "lockstep/base/status.h"

namespace lockstep {

ParameterServerMode ParameterServerMode::BoundedStaleness(int steps) {
  if (steps < 0) {
    throw Error(Code::kInvalidArgument,
                "[parameter_server] the bound of staleness must not be negative; got " +
                    std::to_string(steps) + "; 0 lets one update follow the other");
  }
  return {Kind::kBoundedStaleness, steps};
}

std::string ParameterServerMode::ToString() const {
  switch (kind_) {
    case Kind::kSynchronous:
      return "synchronous";
    case Kind::kBoundedStaleness:
      return "bounded staleness " + std::to_string(staleness_);
    case Kind::kAsynchronous:
      break;
  }
  return "asynchronous";
}

}  // namespace lockstep
