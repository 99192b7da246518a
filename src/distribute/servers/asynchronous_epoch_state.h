#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "distribute/servers/asynchronous_run.h"

namespace lockstep::distribute {

/// What an asynchronous run knows while an epoch lasts.
struct AsynchronousRun::Epoch {
  enum class Stage { kMeeting, kInstalling, kRunning, kOver };
  struct Early {
    int from;
    std::string header;
    net::Payload body;
  };

  net::Transport* transport = nullptr;
  Ranks ranks;
  std::vector<int> present;
  OnDone done;
  Stage stage = Stage::kMeeting;
  std::map<int, Header> headers;
  std::vector<Early> early;            // came before its stage
  std::vector<int> primaries, copies;  // by shard; -1: none
  std::set<int> holders;

  // The first shard's primary.
  std::unique_ptr<Sequencer> sequencer;
  std::map<int, uint64_t> known;  // which commits each holder knows of at least
  std::map<int, uint64_t> sent;   // entries, by holder
  // Entries that have come, and how many have been carried out.
  std::map<uint64_t, std::string> entries;
  uint64_t carried = 0;
  uint64_t stable = 0;  // all holders know all commits up to this one

  // A worker's.
  uint64_t version = 0;  // of its values
  std::map<int, net::Payload> values;

  bool IsWorker() const { return Contains(ranks.workers, transport->rank()); }
  static bool Contains(const std::vector<int>& list, int rank) {
    for (int each : list)
      if (each == rank) return true;
    return false;
  }
};

// Does `work` while the epoch lasts; what it throws ends the epoch.
template <typename Work>
void AsynchronousRun::Guard(const Work& work) {
  const std::shared_ptr<Epoch> keeps = epoch_;
  if (keeps->stage == Epoch::Stage::kOver || transport().aborted() != nullptr) return;
  try {
    work();
  } catch (const Error& error) {
    Fail(error.status());
  }
}

}  // namespace lockstep::distribute
