#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cluster/description.h"

namespace lockstep::cluster {

/// Who of a job is there and who is missing: "3 of 4 here; missing worker 2 at n2:4000, connection
/// refused, for 12 s". A task is here when it listens at its address. A job of which nobody listens
/// may be a program that knows nothing of clusters; then the board says nothing.
class LaunchBoard {
 public:
  LaunchBoard(std::vector<TaskName> tasks, std::vector<std::string> addresses);

  /// One more task, the next by number, and its address once that is known.
  void Add(TaskName name);
  void SetAddress(int task, std::string address);
  void Started(int task, base::Time now);
  void Here(int task);
  /// It has ended, or could not start; `why` goes to the board if it is missed: "status 1".
  void Gone(int task, std::string why);

  /// A line to show now, if one is due; asked again and again. First after two seconds, then after
  /// twice the time of before; and once when all are here after some were missed.
  std::optional<std::string> Line(base::Time now);

 private:
  enum class State { kMissing, kHere, kGone };
  struct Entry {
    TaskName name;
    std::string address;
    State state = State::kMissing;
    std::string why = "not started";
    base::Time since{};
  };
  std::vector<Entry> entries_;
  std::optional<base::Time> begun_;
  base::Duration wait_;
  base::Time due_{};
  bool missed_ = false;  // a line said that somebody was missing
};

}  // namespace lockstep::cluster
