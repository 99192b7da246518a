// Eager replicas of programs that know which worker they are on.

#include "distribute/workers/owners_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_of_test.h"
#include "distribute/workers/communicator.h"
#include "distribute/workers/worker_threads_test.h"
#include "lockstep/distribute/replica_context.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/ops/indexed_slices.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

constexpr int kReplicas = 8;

// What worker `worker` makes of replica `replica`.
float ValueOf(int worker, int replica) { return static_cast<float>(100 * worker + replica); }

// The values of the workers whose replicas they are.
std::vector<float> Owners(int workers) {
  std::vector<float> values;
  for (int worker = 0; worker < workers; ++worker) {
    for (int r = kReplicas * worker / workers; r < kReplicas * (worker + 1) / workers; ++r)
      values.push_back(ValueOf(worker, r));
  }
  return values;
}

TEST(OwnersValues, AreWhatEagerReplicasBringEverywhere) {
  for (const int workers : {1, 2, 3, 5, 8, 11}) {
    const std::vector<float> owners = Owners(workers);
    float total = 0;
    for (const float one : owners) total += one;
    distribute::RunWorkers(workers, [&](std::shared_ptr<distribute::Communicator> ranks) {
      const int rank = ranks->rank();
      MultiWorkerMirroredStrategy strategy(ranks, {.devices = 2, .replicas = kReplicas});
      auto scope = strategy.scope();
      const Variable sum(Scalar(0.0f), {.name = "sum",
                                        .synchronization = VariableSynchronization::kOnRead,
                                        .aggregation = VariableAggregation::kSum});
      const Variable together(Scalar(0.0f),
                              {.name = "together", .aggregation = VariableAggregation::kMean});
      const auto results = strategy.Run([&] {
        const ReplicaContext* context = GetReplicaContext();
        const Tensor own =
            Scalar(ValueOf(rank, context->replica_id_in_sync_group().scalar<int32_t>()));
        const Tensor all = context->AllReduce(ReduceOp::kSum, own);
        sum.AssignAdd(own);
        together.Assign(own);
        return std::vector<Tensor>{own, all};
      });
      const std::string where = std::to_string(rank) + " of " + std::to_string(workers);
      for (int r = 0; r < kReplicas; ++r) {
        EXPECT_EQ(results[0].value(r).scalar<float>(), owners[r]) << where;
        EXPECT_EQ(results[1].value(r).scalar<float>(), total) << where;
      }
      EXPECT_EQ(strategy.Reduce(ReduceOp::kSum, results[0], {}).scalar<float>(), total) << where;
      EXPECT_EQ(sum.value().scalar<float>(), total) << where;
      EXPECT_EQ(together.value().scalar<float>(), total / kReplicas) << where;
    });
  }
}

TEST(OwnersValues, OfReplicasElsewhereMayBeLeftOut) {
  distribute::RunWorkers(3, [&](std::shared_ptr<distribute::Communicator> ranks) {
    MultiWorkerMirroredStrategy strategy(ranks, {.devices = 1, .replicas = kReplicas});
    auto scope = strategy.scope();
    const auto [first, last] = strategy.LocalReplicas();
    std::vector<std::vector<Tensor>> values(kReplicas);
    for (int r = first; r < last; ++r)  // of sizes of their own, with a text
      values[r] = {Tensor::FromVector(std::vector<int32_t>(r, r), Shape{r}),
                   Tensor::FromStrings({"at " + std::to_string(r)}, Shape{})};
    distribute::TakeOwnersValues(strategy, "values", &values);
    for (int r = 0; r < kReplicas; ++r) {
      ASSERT_EQ(values[r].size(), 2u);
      EXPECT_EQ(values[r][0].ToVector<int32_t>(), std::vector<int32_t>(r, r));
      EXPECT_THAT(values[r][1].ToString(), HasSubstr("at " + std::to_string(r)));
    }
  });
}

TEST(OwnersValues, MayBeSlices) {
  distribute::RunWorkers(2, [&](std::shared_ptr<distribute::Communicator> ranks) {
    const int rank = ranks->rank();
    MultiWorkerMirroredStrategy strategy(ranks, {.devices = 1, .replicas = 2});
    auto scope = strategy.scope();
    const auto results = strategy.Run([&] {
      const int replica = GetReplicaContext()->replica_id_in_sync_group().scalar<int32_t>();
      const Tensor own = IndexedSlices{
          Tensor::FromVector(std::vector<float>(2, ValueOf(rank, replica)), Shape{1, 2}),
          Tensor::FromVector(std::vector<int64_t>{replica + 1}, Shape{1}),
          Shape{3, 2}}.ToTensor();
      const Tensor all = GetReplicaContext()->AllReduce(ReduceOp::kSum, own);
      return std::vector<Tensor>{own, IndexedSlices::Of(all)->ToDense()};
    });
    EXPECT_EQ(
        results[1].value(0).ToVector<float>(),
        (std::vector<float>{0, 0, ValueOf(0, 0), ValueOf(0, 0), ValueOf(1, 1), ValueOf(1, 1)}));
    for (const int r : {0, 1}) {
      const IndexedSlices* slices = IndexedSlices::Of(results[0].value(r));
      ASSERT_NE(slices, nullptr);
      EXPECT_EQ(slices->values.ToVector<float>(), std::vector<float>(2, ValueOf(r, r)));
      EXPECT_EQ(slices->indices.ToVector<int64_t>(), std::vector<int64_t>{r + 1});
    }
  });
}

TEST(OwnersValues, OfCallsThatDependOnTheWorkerAreRefusedOnAll) {
  std::vector<std::string> told(3);
  distribute::RunWorkers(3, [&](std::shared_ptr<distribute::Communicator> ranks) {
    const int rank = ranks->rank();
    MultiWorkerMirroredStrategy strategy(ranks, {.devices = 1, .replicas = 3});
    auto scope = strategy.scope();
    told[rank] = ErrorOf([&] {
                   strategy.Run([&] {
                     const Tensor one = Scalar(1.0f);
                     return rank == 1 ? GetReplicaContext()->AllReduce(ReduceOp::kSum, one) : one;
                   });
                 }).what();
  });
  for (const std::string& text : told) {
    EXPECT_THAT(text,
                HasSubstr("all workers must make the same calls in replicas; got the results "
                          "of a run on worker 0 and ReplicaAllReduce, meeting 1 on worker 1"));
  }
}

TEST(OwnersValues, AnErrorOfOneWorkerIsToldOnAll) {
  std::vector<std::string> told(3);
  distribute::RunWorkers(3, [&](std::shared_ptr<distribute::Communicator> ranks) {
    const int rank = ranks->rank();
    MultiWorkerMirroredStrategy strategy(ranks, {.devices = 1, .replicas = 3});
    auto scope = strategy.scope();
    const auto run = [&](bool fails) -> std::string {
      return ErrorOf([&] {
               strategy.Run([&] {
                 const Tensor sum = GetReplicaContext()->AllReduce(ReduceOp::kSum, Scalar(1.0f));
                 if (fails) throw Error(Code::kInternal, "broken");
                 return sum;
               });
             })
          .what();
    };
    told[rank] = run(rank == 1);
    EXPECT_EQ(run(true), "Internal: broken");  // all have it: nobody waits
  });
  EXPECT_EQ(told[1], "Internal: broken");
  for (const int rank : {0, 2})
    EXPECT_THAT(told[rank], HasSubstr("the results of a run on worker 0 and an error on worker 1"));
}

}  // namespace
}  // namespace lockstep
