// All ops with random and extreme arguments: each call must give a result or an Error, in a few
// seconds and with little memory. A crash prints the call and its seed, which gives the same call
// again:
//   LOCKSTEP_OP_FUZZ_SEED=SEED LOCKSTEP_OP_FUZZ_CALLS=1 runtime_test --gtest_filter='OpFuzz*'
// LOCKSTEP_OP_FUZZ_SECONDS makes the test go on for so long. Under the address sanitizer set
// ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=4096.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "base/environment.h"
#include "base/memory_limit.h"
#include "ops/builder.h"
#include "runtime/op_draws_test.h"

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif

namespace lockstep::runtime {
namespace {

using testing::OpCall;
using testing::OpDraws;

constexpr unsigned kMostSecondsOfCall = 5;
constexpr uint64_t kMostBytes = uint64_t{1} << 30;

// The call that runs, for a handler that may use nothing but write().
char running_call[4096];

void WriteRunningCall() {
  const auto written = write(STDERR_FILENO, running_call, std::strlen(running_call));
  (void)written;
}

void OnSignal(int number) {
  WriteRunningCall();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

// While one lives, a crash or a call that takes too long prints the call.
class CrashReports {
 public:
  CrashReports() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(WriteRunningCall);
    previous_[SIGALRM] = std::signal(SIGALRM, OnSignal);
#else
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM})
      previous_[number] = std::signal(number, OnSignal);
#endif
  }
  ~CrashReports() {
    alarm(0);
    for (const auto& [number, handler] : previous_) std::signal(number, handler);
  }

 private:
  std::map<int, void (*)(int)> previous_;
};

// While one lives, this process gets little memory.
class LittleMemory {
 public:
  LittleMemory() {
    base::LimitMemoryTo(kMostBytes);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    getrlimit(RLIMIT_AS, &before_);
    rlimit less = before_;
    less.rlim_cur = std::min<rlim_t>(AddressSpace() + 4 * kMostBytes, before_.rlim_max);
    setrlimit(RLIMIT_AS, &less);
#endif
  }
  ~LittleMemory() {
    base::LimitMemoryTo(~uint64_t{0});
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    setrlimit(RLIMIT_AS, &before_);
#endif
  }

 private:
  static uint64_t AddressSpace() {
    unsigned long pages = 0;
    if (FILE* file = std::fopen("/proc/self/statm", "r"); file != nullptr) {
      if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
      std::fclose(file);
    }
    return static_cast<uint64_t>(pages) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  }
  rlimit before_{};
};

// Ops that a single thread can run at once: not those that wait for others, print or trace.
std::vector<const ops::OpSpec*> OpsToTry() {
  std::vector<const ops::OpSpec*> specs;
  for (const ops::OpSpec* spec : ops::OpRegistry::Global().All()) {
    const bool alone = !spec->asynchronous && !spec->meets && spec->name != "PrintV2";
    if (alone && spec->signature != nullptr) specs.push_back(spec);
  }
  return specs;
}

enum class Outcome { kNone, kError, kResult };

Outcome Try(uint64_t seed, const std::vector<const ops::OpSpec*>& specs,
            std::set<std::string>* given) {
  std::snprintf(running_call, sizeof running_call, "seed %llu: the inputs\n",
                static_cast<unsigned long long>(seed));
  const std::optional<OpCall> call = OpDraws(seed).Draw(specs);
  if (!call.has_value()) return Outcome::kNone;
  std::snprintf(running_call, sizeof running_call, "seed %llu: %s\n",
                static_cast<unsigned long long>(seed), call->ToString().c_str());
  try {
    for (const Tensor& result : ops::Emit(call->spec->name, call->inputs, call->attributes)) {
      if (result.dtype() != DType::kResource && result.buffer() != nullptr &&
          result.num_bytes() > kMostBytes) {
        ADD_FAILURE() << running_call << "a result of " << result.num_bytes() << " bytes";
      }
    }
    given->insert(call->spec->name);
    return Outcome::kResult;
  } catch (const Error&) {
    return Outcome::kError;
  } catch (const std::exception& error) {
    ADD_FAILURE() << running_call << error.what();
    return Outcome::kError;
  }
}

TEST(OpFuzzTest, EachCallGivesAResultOrAnError) {
  const auto first = static_cast<uint64_t>(
      base::EnvironmentNumber("LOCKSTEP_OP_FUZZ_SEED", 0, INT64_MAX).value_or(20261128));
  const int64_t calls =
      base::EnvironmentNumber("LOCKSTEP_OP_FUZZ_CALLS", 1, INT64_MAX).value_or(20000);
  const int64_t seconds =
      base::EnvironmentNumber("LOCKSTEP_OP_FUZZ_SECONDS", 1, 1 << 20).value_or(0);
  const std::vector<const ops::OpSpec*> specs = OpsToTry();
  ASSERT_GT(specs.size(), 200u);
  const CrashReports reports;
  const LittleMemory memory;
  std::map<Outcome, int64_t> outcomes;
  std::set<std::string> given;  // ops that gave a result
  const auto start = std::chrono::steady_clock::now();
  const auto lasts = [&](int64_t call) {
    if (seconds == 0) return call < calls;
    return std::chrono::steady_clock::now() - start < std::chrono::seconds(seconds);
  };
  int64_t call = 0;
  for (; lasts(call) && !HasFailure(); ++call) {
    alarm(kMostSecondsOfCall);
    ++outcomes[Try(first + static_cast<uint64_t>(call), specs, &given)];
  }
  std::printf("seeds %llu to %llu: %lld results, %lld errors\n",
              static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + static_cast<uint64_t>(call) - 1),
              static_cast<long long>(outcomes[Outcome::kResult]),
              static_cast<long long>(outcomes[Outcome::kError]));
  std::string refused;
  for (const ops::OpSpec* spec : specs)
    refused += given.contains(spec->name) ? "" : " " + spec->name;
  std::printf("ops without a result:%s\n", refused.c_str());
  // Calls that are all refused would test nothing.
  if (call > 1000) {
    EXPECT_GT(outcomes[Outcome::kResult], call / 20);
  }
}

}  // namespace
}  // namespace lockstep::runtime
