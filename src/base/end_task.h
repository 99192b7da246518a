#pragma once

#include <exception>
#include <string_view>

#include "lockstep/base/status.h"

/// How a task of a job ends after an exception that no caller receives: one that leaves a thread's
/// first function or a function that must not throw. The process prints one line,
///   lockstep: worker 1: ResourceExhausted: [memory] ...
/// and exits with status 1. So the launcher can end the job and the other tasks lose a peer,
/// instead of waiting for a thread that no longer works.

namespace lockstep::base {

/// Sets the task's name, as "worker 1", for the line above. At most 63 bytes are kept.
void NameTask(std::string_view name);

/// The status of an exception. `std::bad_alloc` and `std::length_error` become ResourceExhausted
/// with the number of bytes that were requested, the address space in use and its limit;
/// `std::system_error` of a thread that could not be started becomes ResourceExhausted too. Other
/// exceptions become Internal.
Status StatusOf(const std::exception_ptr& error);

/// Whether the exception says that memory or threads are exhausted.
bool IsExhaustion(const std::exception_ptr& error);

/// Ends the process as described above. It allocates no memory.
[[noreturn]] void EndTask(const std::exception_ptr& error) noexcept;

/// Makes `std::terminate` call `EndTask` if an exception is being handled.
void EndTaskOnTerminate();

/// Writes ResourceExhausted and the text of `StatusOf` for a `std::bad_alloc` to `text`, which ends
/// with a zero byte.
void DescribeExhaustedMemory(char* text, size_t size);

}  // namespace lockstep::base
