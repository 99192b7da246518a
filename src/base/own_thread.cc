#include "base/own_thread.h"

#include <cxxabi.h>

#include <exception>
#include <utility>

#include "base/end_task.h"
#include "base/thread_watch.h"

namespace lockstep::base {

std::thread StartThread(std::function<void()> body) {
  const OwnThreads own;
  try {
    return std::thread([body = std::move(body)] {
      try {
        body();
      } catch (const abi::__forced_unwind&) {
        throw;  // the interpreter of Python ends the thread in this way
      } catch (...) {
        EndTask(std::current_exception());
      }
    });
  } catch (const std::system_error&) {
    throw Error(StatusOf(std::current_exception()));
  }
}

}  // namespace lockstep::base
