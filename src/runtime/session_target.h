#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "graph/placement.h"
#include "lockstep/runtime/session.h"
#include "runtime/run_control.h"

namespace lockstep::runtime {

/// How a run is carried out, as far as that is compiled in.
struct SessionMode {
  Consistency consistency = Consistency::kSerializable;
  bool one_by_one = false;
  bool operator==(const SessionMode&) const = default;
};

/// One thing that a session has been asked for, ready to run. Threads: any number of runs at a
/// time.
class SessionRun {
 public:
  virtual ~SessionRun() = default;
  virtual std::vector<Tensor> Run(std::span<const Tensor> feeds, RunControl& control,
                                  RunMetadata* metadata) = 0;
  virtual std::vector<RunMetadata::PartitionGraph> PartitionGraphs() const = 0;
  /// About how much memory it keeps in this process between runs.
  virtual size_t bytes() const { return 0; }
};

/// Where a session's runs take place, and where its variables live.
class SessionTarget {
 public:
  virtual ~SessionTarget() = default;
  virtual graph::PlacementOptions devices() const = 0;
  /// `part`: what is to be run, placed; its first results are `num_fetches` tensors, and its
  /// variables are `GraphVariable`s. `control` may end the wait for who has to be asked.
  virtual std::shared_ptr<SessionRun> Compile(const graph::Graph& part, size_t num_fetches,
                                              SessionMode mode, const RunControl& control) = 0;
  /// Forgets what other sessions share: variables, queues, graphs.
  virtual void Reset() {}
};

/// Opens targets that begin with "scheme://".
using SessionOpener = std::unique_ptr<SessionTarget> (*)(const std::string& target,
                                                         const SessionOptions& options);
struct RegisterSessionOpener {
  RegisterSessionOpener(std::string_view scheme, SessionOpener opener);
};
/// InvalidArgument for a target that nobody opens.
std::unique_ptr<SessionTarget> OpenSessionTarget(const std::string& target,
                                                 const SessionOptions& options);

}  // namespace lockstep::runtime
