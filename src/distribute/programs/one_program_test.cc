#include "distribute/programs/one_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_of_test.h"
#include "distribute/workers/worker_threads_test.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/function.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using Body = std::function<Tensor(int rank, const Tensor& x)>;

Tensor Numbers() { return Tensor::FromVector(std::vector<float>(12, 0.5f), Shape{6, 2}); }

// What workers get whose replicas run `body`, traced.
std::vector<Status> RunTraced(const Body& body) {
  std::vector<Status> statuses(3);
  distribute::RunWorkers(3, [&](std::shared_ptr<distribute::Communicator> ranks) {
    const int rank = ranks->rank();
    MultiWorkerMirroredStrategy strategy(ranks, {.devices = 1, .replicas = 3});
    auto scope = strategy.scope();
    const Function traced([&](const std::vector<Tensor>& arguments) {
      return strategy
          .Run([&](const Tensor& x) { return body(rank, x); }, strategy.Split({arguments[0]})[0])
          .values();
    });
    try {
      traced.Call({Numbers()});
      traced.Call({Numbers()});
    } catch (const Error& error) {
      statuses[static_cast<size_t>(rank)] = error.status();
    }
  });
  return statuses;
}

void ExpectDifference(const Body& body, const std::string& one, const std::string& other) {
  for (const Status& status : RunTraced(body)) {
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_THAT(status.message(),
                HasSubstr("[multi_worker] all workers must run the same program"));
    EXPECT_THAT(status.message(), HasSubstr(one));
    EXPECT_THAT(status.message(), HasSubstr(other));
  }
}

TEST(OneProgram, EqualProgramsRun) {
  for (const Status& status : RunTraced([](int, const Tensor& x) { return ReduceSum(x * 2.0); }))
    EXPECT_EQ(status, Status::Ok());
}

TEST(OneProgram, NamesTheFirstOpThatDiffers) {
  ExpectDifference(
      [](int rank, const Tensor& x) { return rank == 2 ? Exp(x * 2.0) : Log(x * 2.0); },
      ": Log Log", ": Exp Exp");
}

TEST(OneProgram, SeesConstantsAndAttributes) {
  ExpectDifference([](int rank, const Tensor& x) { return x * (rank == 1 ? 2.0 : 3.0); },
                   "float32[] 3", "float32[] 2");
  ExpectDifference([](int rank, const Tensor& x) { return ReduceSum(x, rank == 1 ? 0 : 1); },
                   "on worker 0, and op ", "on worker 1, as the first difference");
}

TEST(OneProgram, SeesBodiesOfBranches) {
  ExpectDifference(
      [](int rank, const Tensor& x) {
        const Tensor flag = Scalar<bool>(true);
        return Cond(
            flag, [&] { return x + (rank == 2 ? 1.0 : 2.0); }, [&] { return x; });
      },
      "on worker 0, and op ", "on worker 2, as the first difference");
}

TEST(OneProgram, NamesWhoseProgramIsLonger) {
  ExpectDifference([](int rank, const Tensor& x) { return rank == 1 ? Exp(Log(x)) : Log(x); },
                   "results:", ": Exp Exp");
}

}  // namespace
}  // namespace lockstep
