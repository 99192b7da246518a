#include "base/thread_watch.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <new>
#include <string_view>
#include <system_error>

#include "base/end_task.h"

namespace lockstep::base {

namespace {

constinit ThreadWatcher* watcher = nullptr;
constinit thread_local int own_threads = 0;

using CreateFunction = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
using JoinFunction = int (*)(pthread_t, void**);

// The function that this library's one of the same name stands in front of.
template <typename F>
F Next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

// The threads that nobody has joined yet.
struct Threads {
  std::mutex mutex;
  std::map<pthread_t, std::shared_ptr<void>> running;
};
Threads& AllThreads() {
  static Threads* threads = new Threads;  // threads outlive the program's end
  return *threads;
}

struct Begin {
  void* (*routine)(void*);
  void* argument;
  std::shared_ptr<void> thread;
};

// Ends also where the thread leaves by pthread_exit.
class Life {
 public:
  explicit Life(std::shared_ptr<void> thread) : thread_(std::move(thread)) {
    watcher->Started(thread_);
  }
  ~Life() { watcher->Ending(thread_); }

 private:
  std::shared_ptr<void> thread_;
};

[[maybe_unused]] void* RunWatched(void* begin) {
  const std::unique_ptr<Begin> own(static_cast<Begin*>(begin));
  const Life life(own->thread);
  return own->routine(own->argument);
}

// gRPC ignores that a thread of its own could not be started, and never answers then.
[[maybe_unused]] void EndTaskOfGrpc(const void* caller, int error) {
  Dl_info library{};
  if (dladdr(caller, &library) == 0 || library.dli_fname == nullptr) return;
  const std::string_view name = library.dli_fname;
  if (name.find("libgrpc") == std::string_view::npos &&
      name.find("libgpr") == std::string_view::npos)
    return;
  EndTask(std::make_exception_ptr(std::system_error(error, std::generic_category())));
}

// Without memory for this, the watcher misses the join of the thread.
[[maybe_unused]] void Record(pthread_t thread, const std::shared_ptr<void>& started) {
  try {
    Threads& threads = AllThreads();
    const std::lock_guard lock(threads.mutex);
    threads.running[thread] = started;  // in the place of one that was detached
  } catch (const std::bad_alloc&) {
  }
}

// C code may call this, so no exception may leave it.
[[maybe_unused]] int CreateWatched(pthread_t* thread, const pthread_attr_t* attributes,
                                   void* (*routine)(void*), void* argument) try {
  static const auto create = Next<CreateFunction>("pthread_create");
  if (watcher == nullptr) return create(thread, attributes, routine, argument);
  auto begin =
      std::make_unique<Begin>(Begin{routine, argument, watcher->Starting(own_threads > 0)});
  const std::shared_ptr<void> started = begin->thread;
  if (started == nullptr) return create(thread, attributes, routine, argument);
  const int error = create(thread, attributes, RunWatched, begin.get());
  if (error != 0) return error;
  begin.release();
  Record(*thread, started);
  return 0;
} catch (const std::bad_alloc&) {
  return EAGAIN;
}

[[maybe_unused]] int JoinWatched(pthread_t thread, void** result) {
  static const auto join = Next<JoinFunction>("pthread_join");
  std::shared_ptr<void> joined;
  if (watcher != nullptr) {
    Threads& threads = AllThreads();
    const std::lock_guard lock(threads.mutex);
    if (auto node = threads.running.extract(thread)) joined = std::move(node.mapped());
  }
  if (joined == nullptr) return join(thread, result);
  watcher->Joining(joined);
  const int error = join(thread, result);
  watcher->Joined(joined);
  return error;
}

}  // namespace

void SetThreadWatcher(ThreadWatcher* one) { watcher = one; }

OwnThreads::OwnThreads() { ++own_threads; }
OwnThreads::~OwnThreads() { --own_threads; }

}  // namespace lockstep::base

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define LOCKSTEP_SANITIZER_WATCHES
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define LOCKSTEP_SANITIZER_WATCHES
#endif
#endif

#ifndef LOCKSTEP_SANITIZER_WATCHES

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*routine)(void*), void* argument) {
  const int error = lockstep::base::CreateWatched(thread, attributes, routine, argument);
  if (error != 0) lockstep::base::EndTaskOfGrpc(__builtin_return_address(0), error);
  return error;
}
extern "C" int pthread_join(pthread_t thread, void** result) {
  return lockstep::base::JoinWatched(thread, result);
}

bool lockstep::base::WatchesThreads() {
  return watcher != nullptr &&
         dlsym(RTLD_DEFAULT, "pthread_create") == reinterpret_cast<void*>(&pthread_create);
}

#else

bool lockstep::base::WatchesThreads() { return false; }

#endif
