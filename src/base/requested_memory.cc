#include "base/requested_memory.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LOCKSTEP_OWN_OPERATOR_NEW 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LOCKSTEP_OWN_OPERATOR_NEW 0
#endif
#endif
#ifndef LOCKSTEP_OWN_OPERATOR_NEW
#define LOCKSTEP_OWN_OPERATOR_NEW 1
#endif

namespace lockstep::base {

namespace {

// Not per thread, because a thread's first access to such a variable may itself allocate.
std::atomic<uint64_t> last_refused{0};

}  // namespace

uint64_t LastRefusedRequest() { return last_refused.load(std::memory_order_relaxed); }

AddressSpace ReadAddressSpace() {
  AddressSpace space{.used = 0, .limit = std::numeric_limits<uint64_t>::max()};
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    space.limit = limit.rlim_cur;
  // The first number of this file is the size of the address space in pages.
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return space;
  char text[64];
  const ssize_t length = read(file, text, sizeof text);
  close(file);
  uint64_t pages = 0;
  for (ssize_t i = 0; i < length && text[i] >= '0' && text[i] <= '9'; ++i)
    pages = pages * 10 + static_cast<uint64_t>(text[i] - '0');
  space.used = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return space;
}

}  // namespace lockstep::base

#if LOCKSTEP_OWN_OPERATOR_NEW

// The standard library's, except that it records the size of a request that fails, which the
// exception does not carry. The forms of `operator new[]` and those that do not throw call it.
void* operator new(size_t bytes) {
  while (true) {
    if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) break;
    handler();
  }
  lockstep::base::last_refused.store(bytes, std::memory_order_relaxed);
  throw std::bad_alloc();
}

#endif
