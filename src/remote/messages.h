#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/base/status.h"
#include "lockstep/tensor/tensor.h"
#include "net/parcel.h"
#include "remote/asker.h"

/// What a session and its servers say to each other. An attempt at a run has a number of its own,
/// by which all tasks name it; its age stays the same from attempt to attempt.

namespace lockstep::remote {

inline constexpr char kHello[] = "remote.hello";
inline constexpr char kRegister[] = "remote.register";
inline constexpr char kRun[] = "remote.run";
inline constexpr char kPut[] = "remote.put";
inline constexpr char kFinish[] = "remote.finish";
inline constexpr char kFate[] = "remote.fate";
/// With the name of an owner: who it names lives, or goes.
inline constexpr char kKeep[] = "remote.keep";
inline constexpr char kRelease[] = "remote.release";
/// Forgets all graphs, variables, queues and accumulators, whose they are.
inline constexpr char kReset[] = "remote.reset";

/// The age of a run: the smaller one is older, and has its way.
struct RunOrder {
  uint64_t timestamp = 0;
  uint64_t number = 0;
  auto operator<=>(const RunOrder&) const = default;
};

/// Which task a server is, and all tasks there are.
struct HelloAnswer {
  struct Task {
    std::string job;
    int index = 0;
    std::string address;
  };
  std::string job;
  int index = 0;
  /// Another one for each process of the task.
  uint64_t incarnation = 0;
  std::vector<Task> tasks;

  std::string Write() const;
  static Result<HelloAnswer> Read(std::string_view text);
};

/// The end of an attempt, as its client tells it to all tasks.
struct Finish {
  uint64_t number = 0;
  bool commits = false;
};

struct RunRequest {
  uint64_t graph = 0;
  uint64_t number = 0;
  RunOrder order;
  /// No other task takes part: it ends by itself.
  bool alone = true;
  /// No other task that takes part holds variables, so this one may let the run wait.
  bool holds_alone = false;
  /// Each op is atomic, the run is not.
  bool relaxed = false;
  /// Variables are held from the first write on, not from the beginning.
  bool late = false;
  std::vector<std::string> others;  // addresses of the other tasks that take part
  std::vector<Finish> finishes;     // of earlier runs
  Asker asker;
  std::vector<Tensor> feeds;

  net::Parcel Write() const;
  static Result<RunRequest> Read(const net::Parcel& parcel);
};

struct RunAnswer {
  uint64_t timestamp = 0;  // the latest that the server has seen
  Status status;
  /// Another run is older: try again, as the same run.
  bool again = false;
  /// The task does not know the graph: it has been started again.
  bool forgotten = false;
  /// The task has freed the graph, as nothing was heard of its client: register it, and try again.
  bool released = false;
  std::vector<runtime::RaceFinding> findings;
  bool tells_origins = false;  // of the results
  std::vector<Tensor> results;

  net::Parcel Write() const;
  static Result<RunAnswer> Read(const net::Parcel& parcel);
};

/// Values that another part of a run receives, each by its key.
struct PutRequest {
  uint64_t number = 0;
  std::vector<std::string> keys;
  std::vector<Tensor> values;
  bool tells_origins = false;

  net::Parcel Write() const;
  static Result<PutRequest> Read(const net::Parcel& parcel);
};

/// What a task knows of an attempt.
enum class Fate : uint8_t { kNone, kDone, kCommitted, kRunning };
/// Of each of a message's attempts, in their order.
std::string WriteFates(const std::vector<Fate>& fates);
Result<std::vector<Fate>> ReadFates(std::string_view text);
std::string WriteNumber(uint64_t number);
Result<uint64_t> ReadNumber(std::string_view text);

std::string WriteFinishes(const std::vector<Finish>& finishes);
Result<std::vector<Finish>> ReadFinishes(std::string_view text);

/// "/job:ps/replica:0/task:1"
std::string TaskName(const std::string& job, int index);
/// What follows it in the name of a task's processor.
inline constexpr char kDevice[] = "/device:CPU:0";

}  // namespace lockstep::remote
