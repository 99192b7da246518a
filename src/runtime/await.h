#pragma once

#include <functional>

#include "base/executor.h"
#include "lockstep/base/status.h"

namespace lockstep::runtime {

struct RunControl;

/// Carries out `work` on `executor`, which another thread runs, and waits for its end.
void RunOn(base::Executor& executor, const std::function<void()>& work);

/// Calls `start` on `executor`, and waits until somebody calls what it was given. When `control`
/// says that the run must end, `end` is called there with the reason, once; then the wait goes on.
using OnDone = std::function<void()>;
void AwaitOn(base::Executor& executor, const std::function<void(OnDone)>& start,
             const RunControl* control = nullptr,
             const std::function<void(const Status&)>& end = nullptr);

}  // namespace lockstep::runtime
