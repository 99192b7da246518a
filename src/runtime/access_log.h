#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ops/source_site.h"
#include "runtime/actor.h"

namespace lockstep::runtime {

/// One access of a variable, as far as reports need it.
struct Access {
  std::shared_ptr<Actor> actor;
  uint64_t version = 0;  // that was read, or made
  uint64_t epoch = 0;    // of the actor
  ops::SourceSite site;
};

/// Where an access was, in a finding.
struct AccessPlace {
  uint64_t version = 0;
  int thread = 0;  // 0: not known
  ops::SourceSite site;
  uint64_t process = 0;  // 0: this one
  std::string who = {};  // of another process, with its thread
};

/// A race that has just been seen.
struct RaceFinding {
  enum class Kind {
    kLostUpdate,     // what was written is overwritten by what was computed from an older version
    kMixedGradient,  // a gradient was computed from two versions of a variable
  };
  Kind kind = Kind::kLostUpdate;
  bool certain = true;     // else the value went through the host, where it is not followed
  bool on_server = false;  // the variable is another task's
  std::string variable;
  AccessPlace read;
  AccessPlace written;   // by whom the reader does not know
  AccessPlace assigned;  // for a lost update: what is going to happen; else the later read
};

/// Is called for each finding, in the thread that makes it and before its assignment; what it
/// throws is thrown there. nullptr: accesses are not followed, and cost nothing.
using RaceHook = void (*)(const RaceFinding& finding);
/// `refuses`: it throws, so that no assignment takes place that it is called for.
void SetRaceHook(RaceHook hook, bool refuses = false);
/// The calling thread's, where a `RaceHookScope` has said so.
RaceHook CurrentRaceHook();
bool RaceHookRefuses();
inline bool FollowsAccesses() { return CurrentRaceHook() != nullptr; }

/// While it lives, the calling thread's findings go to `hook`.
class RaceHookScope {
 public:
  explicit RaceHookScope(RaceHook hook);
  ~RaceHookScope();
  RaceHookScope(const RaceHookScope&) = delete;
  RaceHookScope& operator=(const RaceHookScope&) = delete;

 private:
  const bool outer_has_;
  const RaceHook outer_;
};

/// The last accesses of one variable, of each actor; where no site is given, it is the thread's.
/// Threads: any.
class AccessLog {
 public:
  AccessLog() = default;
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  void Read(uint64_t version, const ops::SourceSite& site);
  void Write(uint64_t version, const ops::SourceSite& site);
  /// What was later than `version` has never been.
  void TakeBack(uint64_t version);

  /// The calling actor's last read, if there was one.
  std::optional<Access> LastRead() const;
  /// Somebody's read of `version`, if it is still known; the calling actor's before others'.
  std::optional<Access> ReadOf(uint64_t version) const;
  /// The last write of others after `version` that did not happen before now, as sure as `order`.
  std::optional<Access> UnorderedWriteAfter(uint64_t version, Order order) const;
  /// The last write of others after version `from` that did not certainly happen before the calling
  /// actor's read of `to`: it stands for its actor's earlier ones, too, such as the one of `to`.
  std::optional<Access> UnorderedWriteBetween(uint64_t from, uint64_t to) const;

 private:
  static constexpr size_t kMost = 32;  // of reads, and of writes
  static void Put(std::vector<Access>* list, uint64_t version, const ops::SourceSite& site,
                  size_t own_entries);
  template <typename IsOrdered>
  std::optional<Access> LastWriteAfter(uint64_t version, const IsOrdered& is_ordered) const;

  mutable std::mutex mutex_;
  std::vector<Access> reads_;   // of each actor the last two versions
  std::vector<Access> writes_;  // of each actor the last one
};

}  // namespace lockstep::runtime
