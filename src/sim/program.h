#pragma once

#include <functional>

#include "base/executor.h"
#include "base/fiber.h"
#include "sim/world.h"

namespace lockstep::sim {

/// The thread that a rank's program runs on: code that waits and computes, on a fiber, while the
/// world's time goes by. The program is begun by the rank's first lane, whose work goes on while it
/// waits, and stands still while it computes.
/// Threads: `Wait` and `Compute` from the program, all else from the world's.
class Program {
 public:
  using Body = std::function<void(Program&)>;

  /// `ended` is called when the body has returned. An exception that leaves it ends the test.
  Program(World& world, int rank, Body body, std::function<void()> ended);
  /// Kills the rank, if it lives and the program has not ended, and unwinds the program: nothing
  /// that it does meanwhile has an effect.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  int rank() const { return rank_; }
  World& world() { return world_; }

  /// As base::EventLoop::RunUntil.
  bool Wait(const std::function<bool()>& done, base::Duration limit);
  /// From now on no wait throws; when the program dies, waits end at once. For destructors.
  void BeginToEnd() { ending_ = true; }
  /// Returns so much later, with nothing else done on the lane meanwhile.
  void Compute(base::Duration time);
  /// Each wait begins after a time of computing up to this, drawn anew.
  void set_longest_compute(base::Duration longest) { longest_compute_ = longest; }
  /// What it does when it stands still, for reports.
  bool waits() const { return done_ != nullptr; }

 private:
  void Suspend();
  void Turn();
  void Look();

  World& world_;
  const int rank_;
  const std::function<void()> ended_;
  base::Duration longest_compute_{};
  const std::function<bool()>* done_ = nullptr;  // what it waits for
  base::Time deadline_{};
  base::Timer wake_;
  bool ending_ = false;
  bool dying_ = false;
  base::FiberGroup fiber_;  // last: it goes first
};

}  // namespace lockstep::sim
