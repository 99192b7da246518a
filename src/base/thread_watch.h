#pragma once

#include <memory>

namespace lockstep::base {

/// Is told of the threads that the process starts and joins, so that it knows what happens before
/// what. Sees every thread that the program makes by pthread_create, std::thread included, as the
/// library stands before the C library; where it does not (see `WatchesThreads`), nothing is told.
class ThreadWatcher {
 public:
  virtual ~ThreadWatcher() = default;
  /// In the thread that starts another, before: what the other one gets. `own`: a thread of the
  /// library's.
  virtual std::shared_ptr<void> Starting(bool own) = 0;
  /// In the new thread, as the first and the last thing.
  virtual void Started(const std::shared_ptr<void>& thread) = 0;
  virtual void Ending(const std::shared_ptr<void>& thread) = 0;
  /// In a thread that joins another, before and after.
  virtual void Joining(const std::shared_ptr<void>& thread) = 0;
  virtual void Joined(const std::shared_ptr<void>& thread) = 0;
};

/// At most one, for ever; called while the library is loaded.
void SetThreadWatcher(ThreadWatcher* watcher);
/// Whether a watcher is told of the program's threads. Not under a sanitizer, which does the same,
/// and not where the library is loaded late, by a plug-in of another program.
bool WatchesThreads();

/// Threads that are started while one lives, by the thread that made it, are the library's own.
class OwnThreads {
 public:
  OwnThreads();
  ~OwnThreads();
  OwnThreads(const OwnThreads&) = delete;
  OwnThreads& operator=(const OwnThreads&) = delete;
};

}  // namespace lockstep::base
