#include "base/end_task.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <system_error>

#include "base/requested_memory.h"

namespace lockstep::base {

namespace {

constexpr size_t kLineBytes = 2048;
constexpr int kStatusOfErrors = 1;

char task_name[64] = "";
std::atomic_flag task_ends = ATOMIC_FLAG_INIT;

void DescribeExhaustedThreads(const std::system_error& error, char* text, size_t size) {
  std::snprintf(
      text, size,
      "[thread] a thread must be started; got \"%s\", with %llu bytes of address space in "
      "use; ask for fewer devices or threads, or raise the limits (ulimit -u, ulimit -v, a "
      "control group's pids.max)",
      error.what(), (unsigned long long)ReadAddressSpace().used);
}

bool IsOfThread(const std::system_error& error) {
  return error.code() == std::errc::resource_unavailable_try_again ||
         error.code() == std::errc::not_enough_memory;
}

// Writes the text of an exception without allocating memory.
Code Describe(const std::exception_ptr& error, char* text, size_t size) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    std::snprintf(text, size, "%s", known.status().message().c_str());
    return known.code();
  } catch (const std::bad_alloc&) {
    DescribeExhaustedMemory(text, size);
    return Code::kResourceExhausted;
  } catch (const std::length_error& large) {
    std::snprintf(text, size,
                  "[memory] a size must be one that memory can have; got more (%s); use smaller "
                  "tensors",
                  large.what());
    return Code::kResourceExhausted;
  } catch (const std::system_error& system) {
    if (IsOfThread(system)) {
      DescribeExhaustedThreads(system, text, size);
      return Code::kResourceExhausted;
    }
    std::snprintf(text, size, "%s", system.what());
  } catch (const std::exception& other) {
    std::snprintf(text, size, "%s", other.what());
  } catch (...) {
    std::snprintf(text, size, "an exception of an unknown class");
  }
  return Code::kInternal;
}

void EndUncaught() {
  if (const std::exception_ptr error = std::current_exception()) EndTask(error);
  std::abort();
}

}  // namespace

void NameTask(std::string_view name) {
  const size_t length = std::min(name.size(), sizeof task_name - 1);
  std::memcpy(task_name, name.data(), length);
  task_name[length] = '\0';
}

void DescribeExhaustedMemory(char* text, size_t size) {
  const AddressSpace space = ReadAddressSpace();
  char limit[64] = "no limit of its own";
  if (space.limit != std::numeric_limits<uint64_t>::max())
    std::snprintf(limit, sizeof limit, "a limit of %llu", (unsigned long long)space.limit);
  char requested[64] = "none from the system";
  if (const uint64_t bytes = LastRefusedRequest(); bytes > 0)
    std::snprintf(requested, sizeof requested, "none for %llu bytes", (unsigned long long)bytes);
  std::snprintf(
      text, size,
      "[memory] memory is needed; got %s, with %llu bytes of address space in use and %s; "
      "use smaller tensors, batches or fewer replicas, or give this process more (ulimit "
      "-v, a control group's memory.max)",
      requested, (unsigned long long)space.used, limit);
}

Status StatusOf(const std::exception_ptr& error) {
  char text[kLineBytes];
  const Code code = Describe(error, text, sizeof text);
  return Status(code, text);
}

bool IsExhaustion(const std::exception_ptr& error) {
  char text[kLineBytes];
  return Describe(error, text, sizeof text) == Code::kResourceExhausted;
}

void EndTask(const std::exception_ptr& error) noexcept {
  // The first thread ends the process; others wait for that.
  while (task_ends.test_and_set()) pause();
  char text[kLineBytes], line[kLineBytes + 128];
  const Code code = Describe(error, text, sizeof text);
  const std::string_view name = CodeName(code);
  const int length = std::snprintf(line, sizeof line, "lockstep: %s%s%.*s: %s\n", task_name,
                                   *task_name != '\0' ? ": " : "", static_cast<int>(name.size()),
                                   name.data(), text);
  // Nothing can be done about an output that takes nothing.
  if (length > 0) (void)!write(STDERR_FILENO, line, std::min<size_t>(length, sizeof line - 1));
  _exit(kStatusOfErrors);
}

void EndTaskOnTerminate() { std::set_terminate(&EndUncaught); }

}  // namespace lockstep::base
