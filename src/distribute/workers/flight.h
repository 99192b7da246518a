#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "collectives/flight_recorder.h"
#include "collectives/group.h"

namespace lockstep::distribute {

/// The flight recorder of a task, which lives through its epochs, and who is told when something is
/// wrong. Threads: `recorder` as it says, `Tell` from any.
class Flight {
 public:
  /// An operation of the epoch runs long; or the epoch was aborted.
  using OnTrouble = std::function<void(uint64_t epoch, bool aborted)>;

  collectives::FlightRecorder& recorder() { return recorder_; }
  const collectives::FlightRecorder& recorder() const { return recorder_; }
  /// Replaces who is told, on the ranks' thread; null: nobody.
  void Tell(OnTrouble on_trouble);
  /// For a group of this task, which must not outlive this.
  collectives::GroupOptions Options();

 private:
  void Trouble(bool aborted);

  collectives::FlightRecorder recorder_;
  std::mutex mutex_;
  OnTrouble on_trouble_;  // guarded by mutex_
};

}  // namespace lockstep::distribute
