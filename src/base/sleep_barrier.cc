#include "base/sleep_barrier.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockstep::base {

SleepBarrier::SleepBarrier()
    : works_(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0) {}

void SleepBarrier::BeforeLooking() const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (works_) syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

}  // namespace lockstep::base
