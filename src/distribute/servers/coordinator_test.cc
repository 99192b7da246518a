// Functions on workers, by calls on this machine.

#include "lockstep/distribute/coordinator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_of_test.h"
#include "base/event_loop.h"
#include "distribute/servers/served_cluster_test.h"
#include "lockstep/graph/device.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/gradients.h"
#include "lockstep/runtime/lock.h"
#include "runtime/await.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

float Value(const Tensor& tensor) { return tensor.scalar<float>(); }

class Coordinator : public ServedCluster {};

TEST_F(Coordinator, SchedulesFunctionsOnWorkers) {
  const ClusterCoordinator coordinator(cluster);
  EXPECT_EQ(coordinator.num_workers(), 2);
  EXPECT_EQ(coordinator.num_servers(), 2);
  Variable a, b;
  {
    const auto scope = coordinator.scope();
    a = Variable(Tensor({1, 2}), {.name = "a"});
    b = Variable([] { return Scalar(10.f); }, {.name = "b"});
  }
  EXPECT_THAT(a.ToString(), HasSubstr("/job:ps/replica:0/task:0/device:CPU:0"));
  EXPECT_THAT(b.ToString(), HasSubstr("/job:ps/replica:0/task:1/device:CPU:0"));
  EXPECT_THAT(a.value().data<float>(), ElementsAre(1, 2));
  EXPECT_THAT(a.AssignAdd(Tensor({1, 1})).data<float>(), ElementsAre(2, 3));

  const Function step(
      [&](const Tensor& x) {
        b.AssignAdd(ReduceSum(x * a.value()));
        return x + b.value();
      },
      "step");
  std::vector<RemoteValue> values;
  for (int i = 0; i < 20; ++i) values.push_back(coordinator.Schedule(step, {Tensor({1, 1})}));
  coordinator.Join();
  EXPECT_TRUE(coordinator.Done());
  EXPECT_EQ(Value(b.value()), 10 + 20 * 5);
  for (const auto& results : ClusterCoordinator::Fetch(values)) {
    EXPECT_EQ(results[0].shape(), Shape({2}));
  }
  EXPECT_EQ(values[0].state(), RemoteValue::State::kReady);
  // In which order they have come is the workers' race.
  EXPECT_EQ(static_cast<int>(Value(ReduceSum(values[0].Get())) - 2) % 10, 0);
  // The chief's own calls of functions run beside the variables.
  EXPECT_EQ(step(Tensor({0, 1})).data<float>()[0], 113);
}

TEST_F(Coordinator, UpdatesAreWhole) {
  const ClusterCoordinator coordinator(cluster);
  Variable x, y;
  {
    const auto scope = coordinator.scope();
    x = Variable(1.f, {.name = "x"});
    y = Variable(0.f, {.name = "y"});
  }
  // Each overwrites what it has read.
  const Function swap(
      [&](const std::vector<Tensor>&) {
        const Tensor sum = x.value() + 1.f;
        y.Assign(y.value() + 1.f);
        x.Assign(sum);
        return std::vector<Tensor>{x.value() - y.value()};
      },
      "swap");
  std::vector<RemoteValue> values;
  for (int i = 0; i < 40; ++i) values.push_back(coordinator.Schedule(swap));
  std::vector<std::unique_ptr<base::EventThread>> threads;
  for (int t = 0; t < 2; ++t) {
    threads.push_back(std::make_unique<base::EventThread>());
    threads.back()->executor().Post([&] {
      for (int i = 0; i < 10; ++i) {
        x.Update([](const Tensor& value) { return value + 1.f; });
        Update({x, y}, [](const std::vector<Tensor>& both) {
          return std::vector<Tensor>{both[0] - 1.f, both[1] * 1.f};
        });
        x.AssignAdd(0.f);
      }
    });
  }
  for (const auto& thread : threads) runtime::RunOn(thread->executor(), [] {});
  coordinator.Join();
  EXPECT_EQ(Value(x.value()), 41);
  EXPECT_EQ(Value(y.value()), 40);
  ExpectError(Code::kFailedPrecondition, "can't hold variables of servers; got x",
              [&] { const Lock lock(x); });
}

TEST_F(Coordinator, ErrorsComeBackWithThePlace) {
  const ClusterCoordinator coordinator(cluster);
  Variable x;
  {
    const auto scope = coordinator.scope();
    x = Variable(0.f, {.name = "x"});
  }
  const Function row(
      [&](const Tensor& index) {
        x.AssignAdd(1.f);
        return Gather(Constant<float>({1, 2}), index);
      },
      "row");
  const RemoteValue wrong = coordinator.Schedule(row, {Constant<int32_t>({9})});
  try {
    wrong.Get();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr("(op 'GatherV2"));
    EXPECT_THAT(error.what(), HasSubstr("(in function 'row' scheduled at "));
    EXPECT_THAT(error.what(), HasSubstr("coordinator_test.cc:"));
    EXPECT_THAT(error.what(), HasSubstr("on /job:worker/replica:0/task:"));
  }
  EXPECT_EQ(wrong.state(), RemoteValue::State::kAborted);
  ExpectError(Code::kInvalidArgument, "in function 'row'", [&] { coordinator.Join(); });
  // Once; then the coordinator goes on. What has failed has written nothing.
  coordinator.Join();
  EXPECT_EQ(coordinator.Schedule(row, {Constant<int32_t>({1})}).Get().data<float>()[0], 2);
  EXPECT_EQ(Value(x.value()), 1);
  const Variable local(0.f, {.name = "local"});
  const Function uses_local([&](const Tensor& value) { return value + local.value(); });
  ExpectError(Code::kInvalidArgument, "got 'local', which is a variable of this process",
              [&] { coordinator.Schedule(uses_local, {Scalar(1.f)}).Get(); });
}

TEST_F(Coordinator, DataAndValuesOfWorkers) {
  const ClusterCoordinator coordinator(cluster);
  Variable sum, steps;
  {
    const auto scope = coordinator.scope();
    sum = Variable(0.f, {.name = "sum"});
    steps = Variable(0.f, {.name = "steps"});
  }
  // Batches of 2, 2 and 1: two traces.
  const Dataset data = Dataset::FromTensorSlices(Tensor({1, 2, 3, 4, 5})).Batch(2).Repeat(100);
  const PerWorkerIterator iterator = coordinator.CreatePerWorkerDataset(data).Iterator();
  const PerWorkerValues scale = coordinator.CreatePerWorkerValues(
      Function([](const std::vector<Tensor>&) { return std::vector<Tensor>{Scalar(2.f) * 1.f}; }));
  const Function step(
      [&](const Tensor& factor) {
        const Element batch = iterator.Next();
        sum.AssignAdd(ReduceSum(batch[0]) * factor);
        steps.AssignAdd(1.f);
        return ReduceMean(batch[0]);
      },
      "step");
  ExpectError(Code::kFailedPrecondition, "got a call outside of one", [&] { iterator.Next(); });
  for (int i = 0; i < 3; ++i) coordinator.Schedule(step, {scale}).Get();  // whoever takes them
  for (int i = 0; i < 30; ++i) coordinator.Schedule(step, {scale});
  coordinator.Join();
  EXPECT_EQ(Value(steps.value()), 33);
  EXPECT_GT(Value(sum.value()), 0);
  const PerWorkerIterator ends = coordinator.CreatePerWorkerDataset(Dataset::Range(1)).Iterator();
  const Function take([&](const std::vector<Tensor>&) { return ends.Next(); });
  for (int i = 0; i < 2; ++i) coordinator.Schedule(take).Fetch();
  coordinator.Schedule(take);
  ExpectError(Code::kOutOfRange, "a worker's dataset has ended", [&] { coordinator.Join(); });
}

Variable VariableOf(const ClusterCoordinator& coordinator) {
  const auto scope = coordinator.scope();
  return Variable(0.f, {.name = "x"});
}

// Adds to `x` what the worker makes of its argument, and gives that.
Function Adder(const Variable& x) {
  return Function(
      [x](const Tensor& one) {
        const Tensor made = one * 1.f;
        x.AssignAdd(made);
        return made;
      },
      "step");
}

TEST_F(Coordinator, WorkersComeAndGo) {
  CoordinatorOptions options;
  options.queue_bound = 8;
  options.patience = std::chrono::seconds(30);
  const ClusterCoordinator coordinator(cluster, options);
  const Variable x = VariableOf(coordinator);
  const Function step = Adder(x);
  for (int i = 0; i < 20; ++i) coordinator.Schedule(step, {Scalar(1.f)});
  coordinator.Join();
  for (int i = 0; i < 30; ++i) coordinator.Schedule(step, {Scalar(1.f)});
  workers[0].reset();
  for (int i = 0; i < 50; ++i) coordinator.Schedule(step, {Scalar(1.f)});
  coordinator.Join();
  workers[0] = std::make_unique<Server>(cluster, "worker", 0);
  workers[1].reset();
  for (int i = 0; i < 50; ++i) coordinator.Schedule(step, {Scalar(1.f)});
  coordinator.Join();
  EXPECT_EQ(Value(x.value()), 150);
}

TEST_F(Coordinator, WithoutWorkersJoinNamesThem) {
  CoordinatorOptions options;
  options.patience = std::chrono::milliseconds(200);
  const ClusterCoordinator coordinator(cluster, options);
  const Variable x = VariableOf(coordinator);
  const Function step = Adder(x);
  coordinator.Schedule(step, {Scalar(1.f)}).Get();
  for (auto& worker : workers) worker.reset();
  const RemoteValue value = coordinator.Schedule(step, {Scalar(1.f)});
  ExpectError(Code::kUnavailable, "functions need a worker; got none for 0.2 s of /job:worker/",
              [&] { coordinator.Join(); });
  ExpectError(Code::kCancelled, "is cancelled where another one has failed",
              [&] { value.Fetch(); });
  EXPECT_EQ(Value(x.value()), 1);
}

TEST_F(Coordinator, RowsOfShardedVariablesAreWhereTheyAre) {
  CoordinatorOptions options;
  options.partitioner = partitioners::FixedShards(2);
  const ClusterCoordinator coordinator(cluster, options);
  ShardedVariable table;
  {
    const auto scope = coordinator.scope();
    table = ShardedVariable(Reshape(Range(Scalar(0.f), Scalar(10.f)), {5, 2}), {.name = "table"});
  }
  ASSERT_EQ(table.shards().size(), 2u);
  EXPECT_EQ(table.shape(), Shape({5, 2}));
  EXPECT_EQ(table.shards()[0].name(), "table/part_0");
  EXPECT_EQ(table.shards()[0].shape(), Shape({3, 2}));
  EXPECT_THAT(table.shards()[1].ToString(), HasSubstr("/task:1/"));
  const Tensor ids = Constant<int64_t>({4, 0, 4, 2});
  EXPECT_THAT(table.Lookup(ids).data<float>(), ElementsAre(8, 9, 0, 1, 8, 9, 4, 5));
  // Twice the same row: one update after the other.
  const Function step(
      [&](const Tensor& which) {
        const Tensor rows = table.Lookup(which);
        const std::vector<Tensor> gradients = Gradients(ReduceSum(rows * rows), table.shards());
        for (size_t i = 0; i < gradients.size(); ++i) {
          table.shards()[i].AssignSub(gradients[i] * 0.25f);
        }
        table.Scatter(ScatterKind::kAdd, which, ZerosLike(rows) + 1.f);
        return rows;
      },
      "step");
  EXPECT_THAT(coordinator.Schedule(step, {ids}).Get().data<float>(),
              ElementsAre(8, 9, 0, 1, 8, 9, 4, 5));
  EXPECT_THAT(table.value().data<float>(), ElementsAre(1, 1.5, 2, 3, 3, 3.5, 6, 7, 2, 2));
  ExpectError(Code::kInvalidArgument, "", [&] { table.Lookup(Constant<int64_t>({5})); });
  ExpectError(Code::kInvalidArgument, "", [&] { table.Lookup(Constant<int64_t>({-1})); });
}

TEST_F(Coordinator, ServersFreeWhatAChiefHasMade) {
  Variable kept;
  {
    const ClusterCoordinator coordinator(cluster);
    const auto scope = coordinator.scope();
    kept = Variable(Tensor({1, 2}), {.name = "kept"});
    EXPECT_THAT(kept.value().data<float>(), ElementsAre(1, 2));
  }
  ExpectError(Code::kFailedPrecondition, "whose coordinator has gone", [&] { kept.value(); });
  ExpectError(Code::kInvalidArgument, "got 0 and 0",
              [&] { ClusterCoordinator none((ClusterSpec())); });
}

}  // namespace
}  // namespace lockstep
