#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/executor.h"
#include "base/file_watch.h"
#include "base/own_thread.h"

namespace lockstep::base {

/// A source of work outside of a loop's queue, such as memory that other processes write: the loop
/// asks it while it has nothing else to do, and now and then while it has.
class Poller {
 public:
  virtual ~Poller() = default;
  /// Does what there is to do, on the loop's thread; false if there was nothing. Never blocks.
  virtual bool Poll() = 0;
  /// The loop is about to block and polls once more: who brings work after that must wake it,
  /// through a watched file or `EventLoop::Wake`.
  virtual void BeforeBlocking() {}
  virtual void AfterBlocking() {}
  /// The loop has yielded its core and still has nothing to do.
  virtual void AfterYield() {}
  /// The loop is about to leave its core, for a nap or until somebody wakes it.
  virtual void BeforeSleep() {}
};

/// How a loop with pollers or files waits: it spins so many rounds, yields the core for so long,
/// then blocks.
struct Patience {
  int spins = 1500;
  Duration yielding = std::chrono::milliseconds(1);

  /// For a loop that waits for others on the same machine, with so many threads at work in all:
  /// where they are more than cores, who is waited for may need this core, so it is left soon.
  static Patience Among(int threads);
};

/// The real executor: a queue in the order of time that its owner runs on a thread of their choice.
/// Threads: those of `Executor`, Stop and Wake from any; one thread at a time may run the loop, and
/// pollers, files and patience are changed by that thread, or while no thread runs it.
class EventLoop final : public Executor {
 public:
  EventLoop();
  ~EventLoop() override;

  Time Now() const override { return clock_.Now(); }
  void Post(Work work) override;
  TimerId PostAt(Time when, Work work) override;
  bool Cancel(TimerId timer) override;

  /// Runs work as it becomes due until `Stop`.
  void Run();
  /// Runs work until `done` (asked after each piece) or `limit` has passed; says whether `done`.
  bool RunUntil(const std::function<bool()>& done, Duration limit);
  /// Lets `Run` return after the piece of work that it is in; a later `Run` returns at once.
  void Stop();

  /// `poller` stays until it is removed.
  void AddPoller(Poller& poller);
  void RemovePoller(Poller& poller);
  /// Calls `on_ready` as long as `fd` is ready for what is asked; false: it cannot be watched.
  bool WatchFile(int fd, bool readable, bool writable, OnFile on_ready);
  void UnwatchFile(int fd);
  void set_patience(const Patience& patience) { patience_ = patience; }
  void set_nap(Duration nap) override { nap_ = nap; }
  /// Waits for so many more threads of this machine, or fewer; patience is that among all.
  void AddNeighbours(int more) { patience_ = Patience::Among(1 + (neighbours_ += more)); }
  /// Lets a blocked loop poll again.
  void Wake();

 private:
  enum class Step { kWork, kPolled, kEnd };
  struct Posted {
    TimerId id;
    Work work;
  };

  // Takes the first due piece of work or lets pollers and files do theirs, waiting no longer than
  // `until` or `Stop`.
  Step Take(Time until, Work* work);
  // Needs mutex_.
  bool TakeDue(Work* work);
  Time NextTime(Time until) const;
  // One round of waiting for pollers, files, posts or `until`; true if a poller or file had work.
  bool WaitOutside(Time until, uint32_t seen_posts);
  bool PollAll();
  bool Block(Time until, uint32_t seen_posts);
  bool Nap(Time until, uint32_t seen_posts);
  bool Sleep(Duration limit, uint32_t seen_posts);
  void NoteNewWork();

  MonotonicClock clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<TimerId, Work> queue_;  // guarded by mutex_
  std::deque<Posted> posted_;      // guarded by mutex_; in the order of their ids
  uint64_t sequence_ = 0;          // guarded by mutex_
  bool stopped_ = false;           // guarded by mutex_
  bool waiting_ = false;           // guarded by mutex_: a thread waits for changed_

  // Only with pollers or files.
  std::unique_ptr<FileWatch> files_;
  std::vector<Poller*> pollers_;
  size_t watched_files_ = 0;
  int neighbours_ = 0;
  Patience patience_;
  Duration nap_{};
  uint32_t takes_ = 0;
  std::atomic<bool> watches_{false};  // files_ is there
  std::atomic<uint32_t> posts_{0};
  std::atomic<bool> blocked_{false};
};

/// An event loop with a thread of its own, joined by the destructor. Work still queued is dropped.
class EventThread {
 public:
  EventThread() : thread_(StartThread([this] { loop_.Run(); })) {}
  ~EventThread() {
    loop_.Stop();
    if (thread_.joinable()) thread_.join();
  }
  /// Waits for the thread to end, after work of its own has stopped the loop.
  void Join() { thread_.join(); }
  Executor& executor() { return loop_; }
  EventLoop& loop() { return loop_; }

 private:
  EventLoop loop_;
  std::thread thread_;
};

}  // namespace lockstep::base
