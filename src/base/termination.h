#pragma once

namespace lockstep::base {

/// While one of these lives, a first SIGTERM does not end the process: it is remembered, as the
/// process has something to bring to an end. A second one ends it, and so do kLastCall seconds
/// without an end. Nothing changes where the program handles or ignores the signal itself.
/// Threads: any.
class TerminationScope {
 public:
  TerminationScope();
  ~TerminationScope();
  TerminationScope(const TerminationScope&) = delete;
  TerminationScope& operator=(const TerminationScope&) = delete;

  /// As long as Kubernetes and others wait between SIGTERM and SIGKILL.
  static constexpr int kLastCall = 30;
};

/// Whether a SIGTERM was remembered, in this life of the process.
bool ToldToEnd();

}  // namespace lockstep::base
