#include "base/fiber.h"

#include <exception>
#include <semaphore>
#include <thread>
#include <utility>

#include "base/own_thread.h"

namespace lockstep::base {

struct FiberGroup::Fiber {
  std::thread thread;
  std::binary_semaphore turn{0};    // the fiber may run
  std::binary_semaphore paused{0};  // it has suspended itself or ended
  std::exception_ptr error;
  bool ended = false;
  bool unwinding = false;
};

FiberGroup::FiberGroup(int count, Body body)
    : body_(std::move(body)), fibers_(std::make_unique<Fiber[]>(count)), count_(count) {}

FiberGroup::~FiberGroup() {
  for (int i = 0; i < count_; ++i) {
    Fiber& fiber = fibers_[i];
    if (!fiber.thread.joinable()) continue;
    if (!fiber.ended) {
      fiber.unwinding = true;
      fiber.turn.release();
    }
    fiber.thread.join();
  }
}

bool FiberGroup::ended(int fiber) const { return fibers_[fiber].ended; }

void FiberGroup::Start(int index) {
  fibers_[index].thread = StartThread([this, index] {
    Fiber& fiber = fibers_[index];
    fiber.turn.acquire();
    try {
      if (!fiber.unwinding) body_(index);
    } catch (const Unwind&) {
    } catch (...) {
      fiber.error = std::current_exception();
    }
    fiber.ended = true;
    fiber.paused.release();
  });
}

bool FiberGroup::Resume(int index) {
  Fiber& fiber = fibers_[index];
  if (!fiber.thread.joinable()) Start(index);
  fiber.turn.release();
  fiber.paused.acquire();
  if (fiber.error != nullptr) std::rethrow_exception(std::exchange(fiber.error, nullptr));
  return !fiber.ended;
}

void FiberGroup::Suspend(int index) {
  if (!TrySuspend(index)) throw Unwind{};
}

bool FiberGroup::TrySuspend(int index) {
  Fiber& fiber = fibers_[index];
  // Code that runs while the fiber is unwound must not suspend it again.
  if (fiber.unwinding) return false;
  fiber.paused.release();
  fiber.turn.acquire();
  return !fiber.unwinding;
}

}  // namespace lockstep::base
