#pragma once

#include <functional>
#include <memory>
#include <source_location>
#include <vector>

#include "lockstep/runtime/variable.h"

namespace lockstep {

/// Assigns to `variables` what `function` makes of their values, in one step that nothing can come
/// between; the new values. The function may run ops, functions and gradients, eagerly or traced,
/// and is called once. Where it throws, or gives what does not fit, nothing is assigned. In a
/// function that is traced it becomes reads and assignments, as a run is one step anyway.
/// Dtypes, shapes: each result as its variable; C++ numbers take its dtype.
/// Errors: InvalidArgument (a variable named twice; another number of results; dtype or shape),
/// FailedPrecondition (`function` assigns something, or touches a variable that is not named),
/// Unimplemented (inside of a replica, where replicas assign the variable together).
/// Threads: locks are taken in one order, so two updates never wait for each other.
std::vector<Tensor> Update(
    const std::vector<Variable>& variables,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& function,
    std::source_location where = std::source_location::current());

/// Holds variables while it lives: what its thread reads and assigns in between is one step to all
/// others, who wait. The thread may touch only what is named here (FailedPrecondition), so that no
/// two threads can wait for each other; a lock inside of a lock may name only what that one has.
/// While a function is traced it does nothing, as a run is one step anyway.
/// Errors: FailedPrecondition (inside of another lock or of an update that lacks a variable),
/// Unimplemented (inside of a replica, where replicas assign a variable together).
/// Threads: ends on the thread that made it.
class Lock {
 public:
  explicit Lock(const Variable& variable) : Lock(std::vector<Variable>{variable}) {}
  /// `assigned` may be read, too; `read` only read, by other holders at the same time.
  explicit Lock(const std::vector<Variable>& assigned, const std::vector<Variable>& read = {});
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  static void* operator new(size_t) = delete;

 private:
  struct Holding;
  std::unique_ptr<Holding> holding_;
};

}  // namespace lockstep
