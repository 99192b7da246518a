#pragma once

#include <string>

#include "lockstep/base/status.h"
#include "lockstep/distribute/parameter_server_mode.h"

namespace lockstep::python {

/// By the name that Python gives it. Errors: InvalidArgument.
inline ParameterServerMode ModeOf(const std::string& mode, int staleness) {
  if (mode == "synchronous") return ParameterServerMode::Synchronous();
  if (mode == "asynchronous") return ParameterServerMode::Asynchronous();
  if (mode == "bounded") return ParameterServerMode::BoundedStaleness(staleness);
  throw Error(Code::kInvalidArgument,
              "[ParameterServerStrategy] mode must be 'synchronous', 'bounded' or 'asynchronous'; "
              "got '" +
                  mode + "'");
}

}  // namespace lockstep::python
