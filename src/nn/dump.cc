#include "nn/dump.h"

#include "base/environment.h"

namespace lockstep::nn {

std::optional<DumpRequest> DumpRequest::FromEnvironment(bool alone) {
  const auto step = base::EnvironmentNumber("LOCKSTEP_DUMP_STEP", 1, int64_t{1} << 60);
  const auto path = base::EnvironmentText("LOCKSTEP_DUMP_FILE");
  const std::string task = base::EnvironmentText("LOCKSTEP_TASK").value_or("worker 0");
  if (!step || !path || (alone && task != "worker 0" && task != "chief 0")) return {};
  return DumpRequest{*step, *path};
}

}  // namespace lockstep::nn
