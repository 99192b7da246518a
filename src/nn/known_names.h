#pragma once

#include <string>
#include <vector>

#include "lockstep/base/status.h"

namespace lockstep::nn {

/// Refuses a name that is none of `known`: NotFound, with all of them.
[[noreturn]] inline void RefuseName(const char* where, const std::string& name,
                                    const std::vector<std::string>& known) {
  std::string all;
  for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
  throw Error(Code::kNotFound, std::string("[") + where + "] the name must be one of " + all +
                                   "; got '" + name + "'");
}

}  // namespace lockstep::nn
