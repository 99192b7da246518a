#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>

#include "distribute/servers/update_ledger.h"

namespace lockstep::distribute {

struct SequencerOptions {
  int64_t batches = 0;
  /// How far a worker may be ahead of what all have done; -1: as far as it likes.
  int64_t bound = -1;
  /// How many must hold an update before it counts.
  int holders = 1;
};

/// Decides, on one server, who gets which batch and in which order updates count. Bounded: in the
/// order of batches, and batch n is handed out once all batches before n - bound count. Else in the
/// order in which they have reached all who hold them; a worker gets its next batch once its last
/// one counts.
/// No messages: what it decides it calls.
class Sequencer {
 public:
  struct Ask {
    int worker = 0;
    uint64_t since = 0;  // the version that the worker has
    int64_t after = -1;  // the worker's newest update
  };
  struct Decisions {
    std::function<void(const Commit&)> commit;
    /// The worker gets the values as they are now, and batch `batch`.
    std::function<void(const Ask&, int64_t batch)> serve;
    std::function<void()> end;
  };
  /// `ledger` is what counts already; it lasts as long, and `commit` adds to it.
  Sequencer(const SequencerOptions& options, const Ledger& ledger, Decisions decisions);

  /// A worker has computed this batch, and pushes it, from before the sequencer began.
  void Expect(int64_t batch);
  void OnAsk(const Ask& ask);
  /// One more holds the update of `batch`, made from version `pulled`.
  void OnHeld(int64_t batch, uint64_t pulled);
  /// No batch is handed out for the first time any more.
  void Stop();
  void MaybeEnd();

 private:
  struct Update {
    uint64_t pulled = 0;
    int held = 0;
  };
  void Commit(int64_t batch, uint64_t pulled);
  void Serve();
  int64_t Upcoming() const;

  const SequencerOptions options_;
  const Ledger& ledger_;
  const Decisions decisions_;
  int64_t batches_;
  int64_t next_ = 0;         // never handed out, as all from here on
  std::set<int64_t> again_;  // before that, to be handed out once more
  std::map<int64_t, Update> updates_;
  std::deque<Ask> asks_;
  bool ended_ = false;
};

}  // namespace lockstep::distribute
