#include "base/file_watch.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/check.h"
#include "lockstep/base/status.h"

namespace lockstep::base {
namespace {

// The wake-up's own entry; files have their descriptor in the lower half.
constexpr uint64_t kWake = ~uint64_t{0};

timespec ToTimespec(Duration duration) {
  const auto count = duration.count();
  return {static_cast<time_t>(count / 1'000'000'000), static_cast<long>(count % 1'000'000'000)};
}

}  // namespace

FileWatch::FileWatch()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (epoll_ < 0 || wake_ < 0) {
    const int error = errno;
    if (epoll_ >= 0) close(epoll_);
    throw Error(Code::kResourceExhausted,
                std::string("[event_loop] files must be there to wait by; got ") +
                    std::strerror(error) + "; let this process open more (ulimit -n)");
  }
  epoll_event event{EPOLLIN, {.u64 = kWake}};
  LOCKSTEP_CHECK_EQ(epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event), 0);
}

FileWatch::~FileWatch() {
  close(epoll_);
  close(wake_);
}

bool FileWatch::Set(int fd, bool readable, bool writable, OnFile on_ready) {
  const bool is_new = !entries_.contains(fd);
  const uint32_t generation = is_new ? ++generation_ : entries_.at(fd).generation;
  epoll_event event{};
  event.events = (readable ? EPOLLIN : 0u) | (writable ? EPOLLOUT : 0u);
  event.data.u64 = (uint64_t{generation} << 32) | static_cast<uint32_t>(fd);
  if (epoll_ctl(epoll_, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event) != 0) return false;
  entries_[fd] = {generation, std::make_shared<const OnFile>(std::move(on_ready))};
  return true;
}

void FileWatch::Remove(int fd) {
  if (entries_.erase(fd) > 0) epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
}

bool FileWatch::Handle(Duration limit) {
  epoll_event events[32];
  const timespec wait = ToTimespec(limit);
  const int count = epoll_pwait2(epoll_, events, 32, &wait, nullptr);
  for (int i = 0; i < count; ++i) {
    if (events[i].data.u64 == kWake) {
      uint64_t drained = 0;
      while (read(wake_, &drained, sizeof(drained)) < 0 && errno == EINTR) {
      }
      continue;
    }
    // An earlier handler of this round may have removed the file, or set another one in its place.
    const auto found = entries_.find(static_cast<int>(events[i].data.u64 & 0xffffffffu));
    if (found == entries_.end() || found->second.generation != events[i].data.u64 >> 32) continue;
    const auto on_ready = found->second.on_ready;
    const uint32_t ready = events[i].events;
    (*on_ready)(
        {(ready & EPOLLIN) != 0, (ready & EPOLLOUT) != 0, (ready & (EPOLLERR | EPOLLHUP)) != 0});
  }
  return count > 0;
}

void FileWatch::Wake() {
  const uint64_t one = 1;
  while (write(wake_, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
}

}  // namespace lockstep::base
