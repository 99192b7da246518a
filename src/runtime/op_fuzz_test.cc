// All ops with random and extreme arguments: each call must give a result or an Error, in a few
// seconds and with little memory. A crash prints the call and its seed, which gives the same call
// again:
//   LOCKSTEP_OP_FUZZ_SEED=SEED LOCKSTEP_OP_FUZZ_CALLS=1 runtime_test --gtest_filter='OpFuzz*'
// LOCKSTEP_OP_FUZZ_SECONDS makes the test go on for so long. Under the address sanitizer set
// ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=4096 and, for the seed of an
// undefined operation, UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "base/environment.h"
#include "base/fuzz_case_test.h"
#include "ops/builder.h"
#include "runtime/op_draws_test.h"

namespace lockstep::runtime {
namespace {

using testing::OpCall;
using testing::OpDraws;
using Reports = base::FuzzCaseReports;

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
  Reports::Begin("seed " + std::to_string(seed) + ": the inputs");
  const std::optional<OpCall> call = OpDraws(seed).Draw(specs);
  if (!call.has_value()) return Outcome::kNone;
  Reports::Describe("seed " + std::to_string(seed) + ": " + call->ToString());
  try {
    for (const Tensor& result : ops::Emit(call->spec->name, call->inputs, call->attributes)) {
      if (result.dtype() != DType::kResource && result.buffer() != nullptr &&
          result.num_bytes() > base::kMostBytesOfCase) {
        ADD_FAILURE() << Reports::running() << "a result of " << result.num_bytes() << " bytes";
      }
    }
    given->insert(call->spec->name);
    return Outcome::kResult;
  } catch (const Error&) {
    return Outcome::kError;
  } catch (const std::exception& error) {
    ADD_FAILURE() << Reports::running() << error.what();
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
  const Reports reports;
  const base::FuzzMemoryLimit memory;
  std::map<Outcome, int64_t> outcomes;
  std::set<std::string> given;  // ops that gave a result
  const auto start = std::chrono::steady_clock::now();
  const auto lasts = [&](int64_t call) {
    if (seconds == 0) return call < calls;
    return std::chrono::steady_clock::now() - start < std::chrono::seconds(seconds);
  };
  int64_t call = 0;
  for (; lasts(call) && !HasFailure(); ++call)
    ++outcomes[Try(first + static_cast<uint64_t>(call), specs, &given)];
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
