#pragma once

#include <string>
#include <vector>

#include "cluster/resolver.h"

namespace lockstep::cluster {

/// One thing that a doctor looked at.
struct Finding {
  enum class Level { kFine, kDoubt, kProblem };
  Level level = Level::kFine;
  std::string topic;  // "ports"
  std::string text;
  std::string cure;
};

/// What a doctor needs to know of the machine; behind an interface for tests.
class Machine {
 public:
  virtual ~Machine() = default;
  /// The addresses of a host's name; nothing and `why` if there are none.
  virtual std::vector<std::string> Resolve(const std::string& host, std::string* why) = 0;
  /// Whether this machine can listen at "host:port" now; else `why`, and who has it already.
  virtual bool CanListen(const std::string& host, int port, std::string* why) = 0;
};

/// What the description says of the cluster, and whether this machine fits it: names, this task's
/// address, and variables that look as if a launcher had been meant.
std::vector<Finding> ExamineCluster(const Survey& survey, Machine& machine);

}  // namespace lockstep::cluster
