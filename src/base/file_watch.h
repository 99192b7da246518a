#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "base/clock.h"

namespace lockstep::base {

/// What a watched file descriptor is ready for. `broken`: an error, or the other side is gone.
struct FileEvents {
  bool readable = false;
  bool writable = false;
  bool broken = false;
};
using OnFile = std::function<void(FileEvents)>;

/// Blocks until one of some file descriptors is ready, or somebody wakes it: epoll and an eventfd.
/// Threads: Wake from any, the rest from one at a time.
class FileWatch {
 public:
  FileWatch();
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;

  /// Calls `on_ready` whenever `fd` is ready, as long as it is: nothing is lost by reading only a
  /// part. Replaces what was set for it. False: it cannot be watched.
  bool Set(int fd, bool readable, bool writable, OnFile on_ready);
  void Remove(int fd);
  /// Handles what is ready, after waiting for it for at most `limit` (nothing at all: does not
  /// block); true if there was anything, a wake-up included.
  bool Handle(Duration limit);
  void Wake();
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    uint32_t generation;
    std::shared_ptr<const OnFile> on_ready;
  };
  int epoll_;
  int wake_;
  uint32_t generation_ = 0;
  std::map<int, Entry> entries_;
};

}  // namespace lockstep::base
