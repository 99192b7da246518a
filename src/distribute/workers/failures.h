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
  struct News {
    uint64_t activity = 0;  // that it has left: `Journal::activity_number`
    uint64_t calls = 0;     // of the journal, until then
    std::string why;        // told are the first words
  };
  /// This rank's program has left an activity.
  void Tell(const News& news);
  /// This rank's program has begun an activity, which another one may have left already.
  void BeginActivity();

 private:
  struct FromOther {
    News news;
    std::string who;
  };
  void Hear(FromOther heard);
  void EndAfterGrace(FromOther heard);

  Communicator& ranks_;
  net::Transport* transport_ = nullptr;
  std::optional<FromOther> early_;  // of an activity that this rank has not begun
  base::Timer end_;
};

}  // namespace lockstep::distribute
