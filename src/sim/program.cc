#include "sim/program.h"

#include <exception>
#include <utility>

namespace lockstep::sim {

Program::Program(World& world, int rank, Body body, std::function<void()> ended)
    : world_(world),
      rank_(rank),
      ended_(std::move(ended)),
      fiber_(1, [this, body = std::move(body)](int) { body(*this); }) {
  world_.scheduler().AfterWork(rank_, [this] { Look(); });
  world_.executor(rank_).Post([this] { Turn(); });
}

Program::~Program() {
  if (!fiber_.ended(0) && world_.alive(rank_)) world_.Kill(rank_);
  dying_ = true;
  world_.scheduler().AfterWork(rank_, nullptr);
  wake_.Stop();
}

void Program::Suspend() {
  if (!ending_) return fiber_.Suspend(0);
  (void)fiber_.TrySuspend(0);
}

void Program::Turn() {
  if (fiber_.Resume(0)) return;
  ended_();
}

void Program::Look() {
  if (done_ == nullptr || !((*done_)() || world_.executor(rank_).Now() >= deadline_)) return;
  done_ = nullptr;
  Turn();
}

bool Program::Wait(const std::function<bool()>& done, base::Duration limit) {
  if (done()) return true;
  // Destructors that wait while the program is unwound find nothing done.
  if (dying_ && (ending_ || std::uncaught_exceptions() > 0)) return false;
  base::Executor& executor = world_.executor(rank_);
  if (longest_compute_ > base::Duration(0)) {
    Compute(base::Duration(world_.randomness().Between(0, longest_compute_.count())));
    if (done()) return true;
  }
  if (dying_) {
    Suspend();  // throws, if it may
    return false;
  }
  deadline_ = executor.Now() + limit;
  wake_.StartAt(executor, deadline_, [] {});
  done_ = &done;
  Suspend();
  wake_.Stop();
  return done();
}

void Program::Compute(base::Duration time) {
  if (dying_ && (ending_ || std::uncaught_exceptions() > 0)) return;
  if (!dying_) world_.scheduler().Busy(rank_, time, [this] { Turn(); });
  Suspend();
}

}  // namespace lockstep::sim
