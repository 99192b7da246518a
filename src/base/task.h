#pragma once

#include <coroutine>
#include <exception>
#include <list>
#include <memory>
#include <optional>
#include <utility>

#include "base/executor.h"

/// C++20 coroutines on an executor: `Task<T>`, `Sleep`, `Eventual<T>` (a value set by an event
/// handler) and `TaskScope`, which owns running tasks and ends them with itself.
/// Threads: a task, what it awaits and its scope live on one executor.

namespace lockstep::base {

template <typename T>
class Task;

namespace internal {

struct TaskPromiseBase {
  std::coroutine_handle<> waiter = std::noop_coroutine();
  std::exception_ptr error;

  struct Final {
    bool await_ready() noexcept { return false; }
    template <typename P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> self) noexcept {
      return self.promise().waiter;
    }
    void await_resume() noexcept {}
  };
  std::suspend_always initial_suspend() noexcept { return {}; }
  Final final_suspend() noexcept { return {}; }
  void unhandled_exception() { error = std::current_exception(); }
};

template <typename T>
struct TaskPromise : TaskPromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  void return_value(T result) { value.emplace(std::move(result)); }
  T Take() {
    if (error) std::rethrow_exception(error);
    return std::move(*value);
  }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  Task<void> get_return_object();
  void return_void() {}
  void Take() {
    if (error) std::rethrow_exception(error);
  }
};

}  // namespace internal

/// A coroutine that starts when awaited and gives its value, or its exception, to who awaits it.
/// Destroying an unfinished task destroys its frame and all that the frame awaits.
template <typename T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::TaskPromise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) noexcept {
    handle_.promise().waiter = waiter;
    return handle_;
  }
  T await_resume() { return handle_.promise().Take(); }

 private:
  friend class TaskScope;
  Handle handle_;
};

template <typename T>
Task<T> internal::TaskPromise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<TaskPromise<T>>::from_promise(*this));
}
inline Task<void> internal::TaskPromise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<TaskPromise<void>>::from_promise(*this));
}

/// `co_await Sleep(executor, 5ms)` continues that much later on the executor's timeline.
class Sleep {
 public:
  Sleep(Executor& executor, Duration delay) : executor_(executor), delay_(delay) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) {
    timer_.StartAfter(executor_, delay_, [waiter] { waiter.resume(); });
  }
  void await_resume() const noexcept {}

 private:
  Executor& executor_;
  Duration delay_;
  Timer timer_;
};

/// A value that an event handler sets once and one task awaits; the task continues as new work of
/// the executor. The setter may outlive the `Eventual`.
template <typename T>
class Eventual {
  struct State;

 public:
  explicit Eventual(Executor& executor) : state_(std::make_shared<State>(executor)) {}

  /// What hands the value over; a second call changes nothing.
  std::function<void(T)> Setter() const {
    return [state = state_](T value) {
      if (state->value) return;
      state->value.emplace(std::move(value));
      if (state->waiter) state->Wake();
    };
  }
  bool has_value() const { return state_->value.has_value(); }

  class Awaiter {
   public:
    explicit Awaiter(std::shared_ptr<State> state) : state_(std::move(state)) {}
    ~Awaiter() {
      state_->waiter = {};
      state_->wake.Stop();
    }
    bool await_ready() const noexcept { return state_->value.has_value(); }
    void await_suspend(std::coroutine_handle<> waiter) { state_->waiter = waiter; }
    T await_resume() { return std::move(*state_->value); }

   private:
    std::shared_ptr<State> state_;
  };
  Awaiter operator co_await() const { return Awaiter(state_); }

 private:
  friend class Awaiter;
  struct State {
    explicit State(Executor& runs_on) : executor(runs_on) {}
    void Wake() {
      wake.StartAt(executor, executor.Now(), [waiter = waiter] { waiter.resume(); });
    }
    Executor& executor;
    std::optional<T> value;
    std::coroutine_handle<> waiter;
    Timer wake;
  };
  std::shared_ptr<State> state_;
};

/// Owns tasks that run side by side; its destructor destroys those that are not done.
class TaskScope {
 public:
  explicit TaskScope(Executor& executor) : executor_(executor) {}

  /// Starts `task` as new work. An exception that leaves it ends the program: tasks of a scope
  /// report through what they were given.
  void Spawn(Task<void> task);
  /// How many tasks are not done.
  size_t unfinished() const;

 private:
  struct Running {
    explicit Running(Task<void> started) : task(std::move(started)) {}
    Task<void> task;
    Timer start;
  };
  Executor& executor_;
  std::list<Running> running_;
};

}  // namespace lockstep::base
