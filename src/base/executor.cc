#include "base/executor.h"

#include <utility>

namespace lockstep::base {

void Timer::StartAt(Executor& executor, Time when, Work work) {
  Stop();
  executor_ = &executor;
  id_ = executor.PostAt(when, std::move(work));
}

void Timer::Stop() {
  if (executor_ != nullptr) executor_->Cancel(id_);
  executor_ = nullptr;
}

}  // namespace lockstep::base
