#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "lockstep/base/status.h"

/// What a task did, moment by moment, while it was profiled.

namespace lockstep::base {

/// Something with a beginning and an end on the clock of its host, in nanoseconds.
struct TraceEvent {
  enum class Kind : uint8_t {
    kStep = 0,        // a step of training; value: its number, from 1
    kPhase = 1,       // what the task was at: "input"
    kWait = 2,        // there was nothing to do until `peer` had sent something
    kOp = 3,          // a kernel on a lane
    kCollective = 4,  // from its call to its result; others may run at the same time
    kSend = 5,        // a message to `peer`; value: bytes, id: the same as where it is received
    kReceive = 6,
    kMemory = 7,  // value: bytes that the process has in memory
  };
  static constexpr uint32_t kNone = ~uint32_t{0};

  Kind kind = Kind::kStep;
  uint16_t lane = 0;      // of an op
  uint32_t name = kNone;  // of the trace's names, as the next
  uint32_t peer = kNone;  // a task
  int64_t begin = 0;
  int64_t length = 0;
  uint64_t value = 0;
  uint64_t id = 0;

  int64_t end() const { return begin + length; }
  bool operator==(const TraceEvent&) const = default;
};

/// What a task has recorded.
struct Trace {
  std::string task;  // "worker 1"
  std::string host;  // equal for tasks that share a clock
  int64_t process = 0;
  std::vector<std::string> names;
  std::vector<TraceEvent> events;
  uint64_t dropped = 0;  // events that there was no room for

  const std::string& NameOf(uint32_t name) const;
  bool operator==(const Trace&) const = default;
};
/// As bytes for another task. Errors of `DecodeTrace`: DataLoss.
std::string Encode(const Trace& trace);
Result<Trace> DecodeTrace(std::string_view bytes);

/// Names this machine's clock: tasks with the same one need no correction.
std::string ClockHost();
/// Bytes that this process has in memory; 0 where the system does not say.
uint64_t ResidentBytes();

/// Records while it is the current one of a thread: whoever has something to say asks for it, and
/// says nothing where there is none. Threads: the current thread's alone, but `Op`, which each lane
/// calls from its own thread.
class TraceRecorder {
 public:
  static constexpr size_t kMostEvents = size_t{1} << 18;  // of each lane, and of all else
  static constexpr int kMostLanes = 256;
  using Names = std::shared_ptr<const std::vector<std::string>>;

  explicit TraceRecorder(const Clock& clock);
  ~TraceRecorder();
  TraceRecorder(const TraceRecorder&) = delete;
  TraceRecorder& operator=(const TraceRecorder&) = delete;

  /// The one of this thread; null: nobody records.
  static TraceRecorder* Current() { return current_; }
  /// Becomes that, in the place of the one before.
  void Begin();
  /// Is it no more, and gives what was recorded; what goes on ends now.
  Trace End(std::string task);

  Time Now() const { return clock_.Now(); }
  uint32_t NameOf(std::string_view name);
  /// The number of the first of `names`; the others follow it.
  uint32_t NamesOf(const Names& names);
  /// The tasks of an epoch, by rank.
  void SetPeers(const std::vector<std::string>& tasks);

  void BeginStep(uint64_t step);
  void EndStep();
  /// There was none after all.
  void DropStep() { step_.id = 0; }
  /// From now on the task is at something else; empty: at nothing that has a name.
  void Enter(std::string_view phase);
  void Wait(std::string_view what, int peer, Time begin, Time end);
  void Op(int lane, uint32_t name, Time begin, Time end);
  void Collective(std::string_view name, Time begin, Time end);
  void Message(TraceEvent::Kind kind, int peer, uint64_t bytes, uint64_t id);
  /// Notes how much memory the process has.
  void Memory();

 private:
  struct alignas(64) Lane {
    std::vector<TraceEvent> events;
    uint64_t dropped = 0;
  };
  static void Add(Lane& lane, const TraceEvent& event);
  void Close(TraceEvent& open);
  uint32_t PeerOf(int rank);

  static thread_local TraceRecorder* current_;
  const Clock& clock_;
  std::vector<Lane> lanes_;  // of ops
  Lane own_;
  TraceEvent step_, phase_;  // open ones have an id
  std::vector<std::string> names_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<std::pair<Names, uint32_t>> tables_;
  std::vector<uint32_t> peers_;
};

}  // namespace lockstep::base
