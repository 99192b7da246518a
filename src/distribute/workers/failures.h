#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/executor.h"
#include "net/transport.h"

namespace lockstep::distribute {

class Communicator;

/// Tells the other ranks that this one's program has left a training, an evaluation or a
/// prediction by an error of its own, so that they do not wait for it in vain. Who misses it a
/// moment later (`Journal::Misses`), and so has met no such error and has not seen the other
/// process end, ends the epoch for all, with the error's text. Who is not that far hears of it when
/// it comes to the activity. Threads: that of the communicator.
class Failures {
 public:
  /// From the news until the epoch is ended: ranks that meet the same error leave, too.
  static constexpr base::Duration kGrace = std::chrono::milliseconds(500);

  explicit Failures(Communicator& ranks) : ranks_(ranks) {}
  ~Failures() { EndEpoch(); }
  Failures(const Failures&) = delete;
  Failures& operator=(const Failures&) = delete;

  /// Listens in the present epoch of `transport`, until `EndEpoch`, which comes before another one.
  void BeginEpoch(net::Transport& transport);
  void EndEpoch();
  /// This rank has left the activity of that number (`Journal::activity_number`), after so many
  /// calls of the journal, for `why`.
  void Tell(uint64_t activity, uint64_t calls, const std::string& why);
  /// This rank's program has begun an activity, which another one may have left already.
  void BeginActivity();

 private:
  struct News {
    std::string who;
    uint64_t activity = 0;
    uint64_t calls = 0;
    std::string why;
  };
  void Hear(News news);

  Communicator& ranks_;
  net::Transport* transport_ = nullptr;
  std::optional<News> early_;  // of an activity that this rank has not begun
  base::Timer end_;
};

}  // namespace lockstep::distribute
