#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "distribute/workers/flight.h"
#include "net/rpc.h"

namespace lockstep::distribute {

struct FlightOptions {
  /// How long to wait for another task's records, and how often to ask for them.
  base::Duration limit = std::chrono::milliseconds(300);
  int tries = 3;
  /// Records of each task that are asked for.
  size_t most = 256;
  /// Where this task's records go when an epoch is aborted, and at SIGUSR1, with ".RANK" behind
  /// it; empty: nowhere. LOCKSTEP_FLIGHT_RECORDER.
  std::string file;
  base::FileSystem* files = nullptr;  // null: this machine's
  /// Whether SIGUSR1 counts; it does nothing else from then on.
  bool at_signal = false;
};

/// When a collective stalls or an epoch is aborted, asks all tasks for their last records, and logs
/// where they part, once for all: the lowest rank that waits does. Answers the others' questions.
/// The recorder is read while the task's own thread does anything else.
/// Threads: everything on the executor of `rpc`; the flight's tasks have other ones.
class FlightReporter {
 public:
  /// `rpc` and `flight` outlive it.
  FlightReporter(net::Rpc& rpc, std::shared_ptr<Flight> flight, FlightOptions options);
  ~FlightReporter();
  FlightReporter(const FlightReporter&) = delete;
  FlightReporter& operator=(const FlightReporter&) = delete;

  /// Where the tasks of an epoch are called, by rank.
  void Enter(uint64_t epoch, std::vector<std::string> addresses);
  /// Asks now; `done` gets where ranks part in `epoch` (empty: nobody waits), and all logs.
  struct Finding {
    std::string difference;
    std::vector<std::optional<collectives::FlightLog>> logs;
  };
  void Inquire(uint64_t epoch, std::function<void(const Finding&)> done);
  /// Called with what was found besides being logged, also where another rank logs it.
  void OnFinding(std::function<void(const Finding&)> callback) { on_finding_ = callback; }
  /// Whether answers are being waited for.
  bool asks() const { return asking_ > 0; }
  /// Writes this task's records to the file.
  Status Dump(const std::string& difference);

 private:
  // Asks again those who have not answered in time.
  void Ask(const std::string& address, int tries,
           std::function<void(const Result<std::string>&)> done);
  void Report(uint64_t epoch, bool aborted);
  void WatchSignal();
  base::Time Now() const { return rpc_.executor().Now(); }

  net::Rpc& rpc_;
  const std::shared_ptr<Flight> flight_;
  const FlightOptions options_;
  std::map<uint64_t, std::vector<std::string>> addresses_;  // of the last epochs
  std::function<void(const Finding&)> on_finding_;
  int asking_ = 0;
  uint64_t signals_ = 0;
  base::Timer signal_;
  const std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace lockstep::distribute
