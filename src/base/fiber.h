#pragma once

#include <functional>
#include <memory>

namespace lockstep::base {

/// Functions that take turns. Each one has a thread of its own, and so its own thread-local state,
/// but there is one baton: who resumes a fiber waits until the fiber suspends itself or ends.
/// Destroying the group unwinds the fibers that have not ended, in order, by an exception.
/// Threads: `Resume` and the destructor from the thread that made the group.
class FiberGroup {
 public:
  using Body = std::function<void(int fiber)>;
  /// `count` fibers; none runs yet. The body must let exceptions that it does not know pass.
  FiberGroup(int count, Body body);
  ~FiberGroup();
  FiberGroup(const FiberGroup&) = delete;
  FiberGroup& operator=(const FiberGroup&) = delete;

  /// Lets `fiber`, which must not have ended, run until it suspends itself or ends; false when it
  /// has ended. Rethrows the exception by which it ended.
  bool Resume(int fiber);
  /// Called by `fiber`: gives the baton back; returns at its next turn.
  void Suspend(int fiber);
  /// The same for who must not throw: false, perhaps at once, when the fiber is to end.
  bool TrySuspend(int fiber);
  bool ended(int fiber) const;

 private:
  struct Fiber;
  struct Unwind {};
  void Start(int index);

  Body body_;
  std::unique_ptr<Fiber[]> fibers_;
  const int count_;
};

}  // namespace lockstep::base
