// Replicas of a traced run, divided over workers: the bits of one process.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "base/error_of_test.h"
#include "distribute/programs/divided_replicas.h"
#include "distribute/workers/worker_threads_test.h"
#include "lockstep/distribute/parameter_server.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/function.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using Bodies = std::vector<std::vector<Tensor>>;

constexpr int kReplicas = 8;

Tensor Awkward(int64_t rows, int64_t columns) {
  std::vector<float> values(static_cast<size_t>(rows * columns));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::ldexp(std::sin(0.7f * static_cast<float>(i)), static_cast<int>(i % 23) - 11);
  return Tensor::FromVector(values, Shape{rows, columns});
}

std::string Bytes(const std::vector<Tensor>& values) {
  std::string bytes;
  for (const Tensor& value : values)
    bytes += value.shape().ToString() +
             std::string(static_cast<const char*>(value.raw_data()), value.num_bytes());
  return bytes;
}

// What a program gives, in one process and on every worker of each number of workers.
using Program = std::function<std::vector<Tensor>(Strategy&)>;
void ExpectSameBits(const Program& program) {
  std::string expected;
  {
    MirroredStrategy alone({.devices = 2, .replicas = kReplicas});
    auto scope = alone.scope();
    expected = Bytes(program(alone));
  }
  ASSERT_FALSE(expected.empty());
  for (int workers : {1, 2, 3, 5, 8, 11}) {
    std::vector<std::string> got(static_cast<size_t>(workers));
    distribute::RunWorkers(workers, [&](std::shared_ptr<distribute::Communicator> ranks) {
      const int rank = ranks->rank();
      MultiWorkerMirroredStrategy strategy(ranks, {.devices = 1 + rank % 2, .replicas = kReplicas});
      auto scope = strategy.scope();
      got[static_cast<size_t>(rank)] = Bytes(program(strategy));
    });
    for (int rank = 0; rank < workers; ++rank)
      EXPECT_EQ(got[static_cast<size_t>(rank)], expected) << "worker " << rank << " of " << workers;
  }
  for (const auto& roles : {distribute::Roles::Of(2, 1), distribute::Roles::Of(3, 2),
                            distribute::Roles({true, false, true, false})}) {
    std::vector<std::string> got(static_cast<size_t>(roles.num_ranks()));
    distribute::RunTasks(roles, [&](std::shared_ptr<distribute::Communicator> ranks) {
      const int rank = ranks->rank();
      ParameterServerStrategy strategy(ranks, {.devices = 2, .replicas = kReplicas});
      auto scope = strategy.scope();
      got[static_cast<size_t>(rank)] = Bytes(program(strategy));
    });
    for (int rank = 0; rank < roles.num_ranks(); ++rank)
      EXPECT_EQ(got[static_cast<size_t>(rank)], expected)
          << (roles.IsServer(rank) ? "server at rank " : "worker at rank ") << rank << " of "
          << roles.num_ranks();
  }
}

// Calls a replica's body for the shares of a batch, inside of a traced function, twice.
std::vector<Tensor> Traced(Strategy& strategy, const Tensor& batch,
                           const std::function<Tensor(const Tensor&)>& body) {
  const Function traced([&](const std::vector<Tensor>& arguments) {
    return strategy.Run(body, strategy.Split({arguments[0]})[0]).values();
  });
  traced.Call({batch});
  return traced.Call({batch});
}

TEST(DividedRun, MeetsInBranchesAndLoops) {
  ExpectSameBits([](Strategy& strategy) {
    return Traced(strategy, Awkward(37, 5), [](const Tensor& x) {
      ReplicaContext* context = GetReplicaContext();
      const Tensor id = Cast(context->replica_id_in_sync_group(), DType::kFloat32);
      Tensor y = context->AllReduce(ReduceOp::kMean, ReduceSum(x * (id + 0.1), 0));
      const Tensor total = context->AllReduce(ReduceOp::kSum, ReduceSum(y));
      y = Cond(
          Greater(total, -1e30), [&] { return y + context->AllReduce(ReduceOp::kSum, y * 0.3); },
          [&] { return y; });
      return WhileLoop([](const Tensors& v) { return Less(v[0], 3); },
                       [&](const Tensors& v) {
                         const Tensor sum = context->AllReduce(ReduceOp::kSum, v[1] * (id + 0.7));
                         return Tensors{v[0] + 1, v[1] * 0.1 + sum * 0.01};
                       },
                       {Scalar<int32_t>(0), y})[1];
    });
  });
}

TEST(DividedRun, GathersUnevenSharesAndMerges) {
  ExpectSameBits([](Strategy& strategy) {
    return Traced(strategy, Awkward(13, 3), [](const Tensor& x) {
      ReplicaContext* context = GetReplicaContext();
      const Tensor all = context->AllGather(x * 1.1, 0);
      const auto merged = context->MergeCall(
          [](Strategy& inside, const std::vector<PerReplica>& arguments) {
            return std::vector<PerReplica>{inside.Reduce(ReduceOp::kSum, arguments[0], {})};
          },
          {ReduceSum(x, 0)});
      return ReduceSum(all, 0) + merged[0];
    });
  });
}

// Large ones are added where they are, by the collective.
TEST(DividedRun, SumsLargeTensorsOverRanks) {
  ExpectSameBits([](Strategy& strategy) {
    return Traced(strategy, Awkward(24, 30011), [](const Tensor& x) {
      const auto sums = GetReplicaContext()->AllReduce(
          ReduceOp::kMean, {ReduceSum(x, 0), Cast(ReduceSum(x, 0), DType::kFloat64)});
      return sums[0] + Cast(sums[1], DType::kFloat32);
    });
  });
}

TEST(DividedRun, KeepsVariablesAlike) {
  ExpectSameBits([](Strategy& strategy) {
    const Variable shared(Scalar<float>(1),
                          {.name = "shared", .aggregation = VariableAggregation::kMean});
    const Variable own(Scalar<float>(0), {.name = "own",
                                          .trainable = false,
                                          .synchronization = VariableSynchronization::kOnRead,
                                          .aggregation = VariableAggregation::kSum});
    const Function traced([&](const std::vector<Tensor>& arguments) {
      return strategy
          .Run(
              [&](const Tensor& x) {
                shared.AssignAdd(ReduceSum(x) * 0.01);
                own.AssignAdd(ReduceSum(x));
                return own.value() + shared.value();
              },
              strategy.Split({arguments[0]})[0])
          .values();
    });
    traced.Call({Awkward(19, 2)});
    std::vector<Tensor> results = traced.Call({Awkward(19, 2)});
    results.push_back(shared.value());
    results.push_back(own.value());  // the sum of all copies, of which one worker made some
    return results;
  });
}

// Replicas that change what all of them see are carried out by every worker.
TEST(DividedRun, LeavesCommonWritesToEveryWorker) {
  ExpectSameBits([](Strategy& strategy) {
    std::optional<Variable> counter;
    // Made outside of any scope, on another thread, so that each replica's update is applied.
    base::Team two(2);
    two.Run([&](int lane) {
      if (lane == 1) counter.emplace(Scalar<float>(0));
    });
    return Traced(strategy, Awkward(16, 2), [&](const Tensor& x) {
      counter->AssignAdd(ReduceSum(x));
      return counter->value();
    });
  });
}

TEST(DividedRun, AnErrorOfOneWorkerReachesAll) {
  std::vector<Status> statuses(3);
  distribute::RunWorkers(3, [&](std::shared_ptr<distribute::Communicator> ranks) {
    const int rank = ranks->rank();
    MultiWorkerMirroredStrategy strategy(ranks, {.devices = 1, .replicas = 6});
    auto scope = strategy.scope();
    // Label 9 is out of range, on one replica.
    std::vector<int32_t> labels(6, 1);
    labels[4] = 9;
    const Function traced([&](const std::vector<Tensor>& arguments) {
      return strategy
          .Run([](const Tensor& x) { return Gather(Awkward(3, 2), x); },
               strategy.Split({arguments[0]})[0])
          .values();
    });
    statuses[static_cast<size_t>(rank)] =
        ErrorOf([&] { traced.Call({Constant<int32_t>(labels)}); }).status();
  });
  for (const Status& status : statuses) {
    EXPECT_EQ(status.code(), statuses[0].code());
    EXPECT_THAT(status.message(), HasSubstr("(worker 2)"));
  }
}

TEST(EncodeTensors, ComesBackAndRefusesStrangers) {
  const std::vector<Tensor> tensors = {Awkward(3, 4), Tensor(), Scalar<int64_t>(5),
                                       Tensor::FromVector<float>({}, Shape{0, 7})};
  const std::string bytes = distribute::EncodeTensors(tensors, false);
  const auto back = distribute::DecodeTensors(bytes, {});
  ASSERT_EQ(back.size(), 4u);
  EXPECT_EQ(Bytes({back[0], back[2], back[3]}), Bytes({tensors[0], tensors[2], tensors[3]}));
  EXPECT_FALSE(back[1].defined());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(distribute::DecodeTensors(bytes.substr(0, size), {}), Error) << size;
  std::string bent = bytes;
  bent[10] = static_cast<char>(0xff);  // a size
  EXPECT_THROW(distribute::DecodeTensors(bent, {}), Error);
}

}  // namespace
}  // namespace lockstep
