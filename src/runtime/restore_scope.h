#pragma once

namespace lockstep::runtime {

/// While it lives, the calling thread may write variables that its run holds for reading only: who
/// goes back to a state before the run, and does again what led to it, leaves them as they were. No
/// other thread may be in a run with these variables.
class RestoreScope {
 public:
  RestoreScope();
  ~RestoreScope();
  RestoreScope(const RestoreScope&) = delete;
  RestoreScope& operator=(const RestoreScope&) = delete;
};

}  // namespace lockstep::runtime
