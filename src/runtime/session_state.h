#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/recent_cache.h"
#include "base/shared_team.h"
#include "graph/extract.h"
#include "runtime/graph_builder.h"
#include "runtime/session_target.h"

namespace lockstep::runtime {

/// What a `Session` refers to: the values of a graph's variables, and what it has compiled.
class SessionState {
 public:
  SessionState(std::shared_ptr<GraphState> graph, std::string target,
               const SessionOptions& options);

  /// What a run asks for, resolved: numbers of nodes and outputs.
  struct Question {
    graph::RunRequest request;
    std::vector<char> is_op;  // by fetch: it gives nothing
    std::vector<Tensor> values;
  };
  /// Errors: InvalidArgument, NotFound.
  Question Resolve(const std::vector<Fetch>& fetches, const Feeds& feeds,
                   const std::vector<Fetch>& targets);
  graph::Endpoint FedEndpoint(const Fetch& feed) const;
  std::shared_ptr<SessionRun> CallableFor(const Question& question, SessionMode mode,
                                          const RunControl& control);
  std::vector<Tensor> Run(const Question& question, const RunOptions& options,
                          RunMetadata* metadata);
  std::vector<Tensor> Run(PreparedRun& prepared, std::span<const Tensor> values,
                          const RunOptions& options, RunMetadata* metadata);
  void RequireOpen(const char* what, Place place) const;
  void Close(Place place);

  const std::shared_ptr<GraphState>& graph() const { return graph_; }
  const std::string& target() const { return target_; }
  const std::atomic<bool>& closed() const { return closed_; }
  int num_compiled() const;
  std::vector<std::string> UninitializedVariables();
  std::vector<std::string> devices() const { return runs_at_->devices().devices; }
  std::vector<std::string> PlacementLog() const;

 private:
  graph::Endpoint EndpointFor(const Fetch& fetch, bool* is_op) const;
  Tensor FitFeed(const Tensor& value, graph::Endpoint e) const;
  std::vector<Tensor> Carry(SessionRun& callable, const Question& question, RunControl& control,
                            const RunOptions& options, RunMetadata* metadata);
  std::shared_ptr<SessionRun> Compile(const Question& question, SessionMode mode,
                                      const RunControl& control);

  const std::shared_ptr<GraphState> graph_;
  const std::string target_;
  const int number_;  // for error texts
  std::atomic<bool> closed_{false};
  std::string closed_at_;
  mutable std::shared_mutex mutex_;
  struct KeyHash {
    uint64_t operator()(const std::vector<int64_t>& key) const;
  };
  base::RecentCache<std::vector<int64_t>, std::shared_ptr<SessionRun>, KeyHash> callables_;
  const std::unique_ptr<SessionTarget> runs_at_;
  const bool log_placement_;
  const std::shared_ptr<base::Team> team_;  // null: that of the calling thread
  std::vector<std::string> placement_;      // in the order in which nodes were first placed
  std::unordered_set<std::string> placed_;
};

/// What a `Session::Callable` refers to.
struct PreparedRun {
  SessionState::Question question;  // without values
  std::mutex mutex;
  // What was called last.
  std::vector<ops::TensorType> types;
  SessionMode mode;
  std::shared_ptr<SessionRun> callable;
};

}  // namespace lockstep::runtime
