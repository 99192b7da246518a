#pragma once

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/randomness.h"
#include "ops/source_site.h"

namespace lockstep::runtime {

class VariableCell;

/// An access of a variable by a thread, as schedules are compared.
struct ScheduledAccess {
  std::string variable;
  bool writes = false;
  ops::SourceSite site;
};

/// An access of a variable by an op of a graph.
struct ScheduledOp {
  std::string variable;
  bool writes = false;
  std::string node;
};

/// Runs the program under one of its legal orders, that of a seed: the threads that the program
/// starts take turns, from one access of variables to the next, and who goes on at each is drawn
/// from the seed. A thread that holds variables keeps its turn, so nobody waits for a lock. Where
/// threads wait for each other in ways that the library does not see (a mutex, a queue), the others
/// go on after a while, and the schedule is not exact: its seed may not replay it. Before each turn
/// is drawn, those who wait so have gone on to their next access, or wait still, so mostly it does.
/// LOCKSTEP_SCHEDULE=seed switches it on, for `lockstep race`; LOCKSTEP_SCHEDULE_TURNS names the
/// threads that get the first turns, as "1,3,2"; LOCKSTEP_SCHEDULE_TRACE names a file for what
/// happened: one line a fact, see `Write`.
/// Threads: any.
class Schedule {
 public:
  /// nullptr: threads run as they like.
  static Schedule* Active();
  Schedule(uint64_t seed, std::vector<int> turns, std::string trace);

  /// What a thread lets go of while it waits for its turn, such as an interpreter's lock: `leave`
  /// says what `enter` gets later.
  struct LetGo {
    void* (*leave)() = nullptr;
    void (*enter)(void* left) = nullptr;
  };
  static void SetLetGo(LetGo functions);

  /// The calling thread is about to touch variables; returns when it is its turn.
  void Touch(std::vector<ScheduledAccess> accesses);
  /// The calling thread has tried to get something that another one has, and will try again when it
  /// is its turn: after the others, where they can go on. `place` ("file.py:12") is empty where it
  /// has done nothing else in this turn. False, at once, where it is none of the threads that take
  /// turns.
  bool Yield(const std::string& place);
  /// It has got it.
  void Got();
  /// Which of `count` things that may come next comes next; 0 for one.
  int Choose(int count);
  /// Ops of a graph that the calling thread will run, in their order.
  void Note(const std::vector<ScheduledOp>& ops);
  /// The calling thread ends by an exception, which the program goes on without; of one line.
  void Fail(const std::string& what);
  /// A variable ends with this value: a part of the state's digest.
  void End(const std::string& variable, const void* data, size_t bytes);

  // Of the threads of the program, as base::ThreadWatcher tells.
  struct Runner;
  std::shared_ptr<Runner> Starting();
  void Started(const std::shared_ptr<Runner>& runner);
  void Ending(Runner& runner);
  void Joining(Runner& runner);
  void Joined();

  /// Writes the trace: "digest HEX", "exact 0|1", then "turn THREAD",
  /// "access THREAD r|w FILE:LINE VARIABLE", "op THREAD r|w NODE VARIABLE", "waits THREAD
  /// FILE:LINE", "got THREAD" and "failed THREAD WHAT". A program that does not come to its end
  /// leaves the lines behind the first two.
  void Write();

 private:
  void Stream();
  void WaitNoMore();
  void Pick(std::unique_lock<std::mutex>& lock);
  void Settle(std::unique_lock<std::mutex>& lock);
  void AwaitTurn(Runner& runner, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  base::SeededRandomness randomness_;  // for turns
  base::SeededRandomness choices_;
  std::vector<int> given_;  // turns that are said; those taken are gone
  const std::string trace_;
  std::vector<std::shared_ptr<Runner>> runners_;  // those that have not ended
  int next_number_ = 1;
  uint64_t turns_ = 0;
  bool picking_ = false;
  std::condition_variable look_;
  bool exact_ = true;
  uint64_t digest_ = 0;
  std::string lines_;
  std::FILE* stream_ = nullptr;
  size_t streamed_ = 0;  // bytes of the lines
};

/// Whether the calling thread may lose its turn here: a schedule is active, and the thread holds no
/// variables.
bool IsScheduled();
/// A place where another thread may get its turn, before locks are taken.
void ScheduleTouch(const VariableCell& cell, bool writes);

}  // namespace lockstep::runtime
