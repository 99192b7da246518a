#pragma once

#include <memory>
#include <vector>

#include "net/transport.h"

namespace lockstep::net {

/// Ranks inside one process, each on an executor of its own or several on one. Nothing is lost.
class InProcessNetwork {
 public:
  /// Rank r runs on `executors[r]`, which outlives the network.
  explicit InProcessNetwork(const std::vector<base::Executor*>& executors);
  ~InProcessNetwork();

  /// To be used on its rank's executor only.
  Transport& transport(int rank);

 private:
  class Port;
  std::vector<std::shared_ptr<Port>> ports_;
};

}  // namespace lockstep::net
