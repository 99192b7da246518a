#include "base/end_task.h"

#include <gtest/gtest.h>

#include <limits>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "base/event_loop.h"
#include "base/own_thread.h"
#include "base/requested_memory.h"

namespace lockstep::base {
namespace {

constexpr size_t kTooMuch = size_t{1} << 60;

void AllocateTooMuch() {
  volatile size_t bytes = kTooMuch;
  ::operator delete(::operator new(bytes));
}

template <typename Function>
std::exception_ptr Thrown(const Function& function) {
  try {
    function();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

// The sanitizers' operator new ends the process instead of throwing.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kRefusesTooMuch = false;
#else
constexpr bool kRefusesTooMuch = true;
#endif

TEST(EndTask, DescribesExhaustedMemory) {
  if (!kRefusesTooMuch) GTEST_SKIP() << "the sanitizer ends the process";
  const Status status = StatusOf(Thrown(AllocateTooMuch));
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_TRUE(status.message().starts_with("[memory] memory is needed; got none"))
      << status.message();
  if (LastRefusedRequest() > 0) {
    EXPECT_EQ(LastRefusedRequest(), kTooMuch);
    EXPECT_NE(status.message().find("1152921504606846976 bytes"), std::string::npos);
  }
}

TEST(EndTask, GivesEveryExceptionAStatus) {
  const auto code = [](auto error) { return StatusOf(Thrown([&] { throw error; })).code(); };
  EXPECT_EQ(code(Error(Code::kNotFound, "[x] y")), Code::kNotFound);
  EXPECT_EQ(code(std::length_error("vector")), Code::kResourceExhausted);
  EXPECT_EQ(code(std::system_error(EAGAIN, std::generic_category())), Code::kResourceExhausted);
  EXPECT_EQ(code(std::system_error(EIO, std::generic_category())), Code::kInternal);
  EXPECT_EQ(code(std::runtime_error("text")), Code::kInternal);
  EXPECT_EQ(code(3), Code::kInternal);
  EXPECT_EQ(StatusOf(Thrown([] { throw Error(Code::kNotFound, "[x] y"); })).message(), "[x] y");
}

TEST(EndTaskDeathTest, EndsTheProcessWithTheTextOfAnyThread) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        NameTask("worker 7");
        StartThread([] { throw std::bad_alloc(); }).join();
      },
      testing::ExitedWithCode(1),
      "lockstep: worker 7: ResourceExhausted: .memory. memory is needed");
  EXPECT_EXIT(
      {
        EventThread thread;
        thread.executor().Post([] { throw Error(Code::kInternal, "[x] a fault of a loop"); });
        thread.Join();
      },
      testing::ExitedWithCode(1), "lockstep: Internal: .x. a fault of a loop");
  EXPECT_EXIT(
      {
        EndTaskOnTerminate();
        []() noexcept { throw std::bad_alloc(); }();
      },
      testing::ExitedWithCode(1), "lockstep: ResourceExhausted");
}

}  // namespace
}  // namespace lockstep::base
