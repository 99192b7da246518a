#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "lockstep/base/status.h"
#include "lockstep/runtime/session.h"

namespace lockstep::runtime {

/// What may end the run that a thread carries out, and who wants to know what it does.
struct RunControl {
  using Clock = std::chrono::steady_clock;
  const std::atomic<bool>* closed = nullptr;  // the session's
  const Cancellation* cancellation = nullptr;
  Clock::time_point deadline{};        // none where it is zero
  std::chrono::nanoseconds timeout{};  // of which the deadline is the end, for the error
  RunMetadata* trace = nullptr;
  Clock::time_point begin{};
  int64_t bytes = 0;  // of values that are there

  /// Cancelled or DeadlineExceeded when the run has to end.
  Status Check() const;
  /// `nodes` of a run that is traced.
  void Record(const graph::Node& node, Clock::time_point from, const std::vector<Tensor>& outputs);
  void Drop(const Tensor& value);

  /// Of the calling thread, or nullptr.
  static RunControl* Current();
};

class RunControlScope {
 public:
  explicit RunControlScope(RunControl* control);
  ~RunControlScope();
  RunControlScope(const RunControlScope&) = delete;
  RunControlScope& operator=(const RunControlScope&) = delete;

 private:
  RunControl* outer_;
};

/// `error` with the name of the op that threw it, where a session runs.
Error WithOp(const Error& error, const std::string& name);

}  // namespace lockstep::runtime
