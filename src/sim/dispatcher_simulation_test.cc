// Functions on workers over the simulated wire: workers die in the middle of them, come back as new
// processes, messages come late. What a function writes takes place once.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "graph/tracer.h"
#include "lockstep/ops/math.h"
#include "ops/builder.h"
#include "remote/beside_variables.h"
#include "remote/dispatcher.h"
#include "remote/worker.h"
#include "runtime/graph_builder.h"
#include "sim/world.h"

namespace lockstep::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Ranks 0 and 1 are servers of variables, then come the workers, and last the chief.
class Cluster {
 public:
  explicit Cluster(uint64_t seed, int workers, const remote::DispatcherOptions& options = {})
      : world(seed, {.num_ranks = 3 + workers}), chief(2 + workers), randomness(seed * 100) {
    for (int rank = 0; rank < chief; ++rank) {
      tasks.push_back(
          {rank < 2 ? "ps" : "worker", rank < 2 ? rank : rank - 2, "rank:" + std::to_string(rank)});
    }
    servers.resize(chief);
    for (int rank = 0; rank < chief; ++rank) Serve(rank);
    client = std::make_unique<remote::Client>(world.rpc(chief), randomness);
    client->SetCluster(Hello());
    for (int task = 0; task < 2; ++task) MakeVariable(task);
    dispatcher = std::make_unique<remote::Dispatcher>(world.rpc(chief), *client, Hello(), options);
  }

  remote::HelloAnswer Hello() const {
    return {.job = tasks[0].job, .index = tasks[0].index, .tasks = tasks};
  }
  void Serve(int rank) {
    servers[rank] = std::make_unique<remote::Worker>(
        world.rpc(rank), world.randomness(),
        remote::WorkerOptions{.job = tasks[rank].job, .index = tasks[rank].index, .tasks = tasks});
  }
  // A worker's process ends, and another one begins after a while.
  void KillFor(int worker, base::Duration time) {
    const int rank = 2 + worker;
    if (!world.alive(rank)) return;
    world.Kill(rank);
    world.After(time, [this, rank] {
      servers[rank].reset();
      world.Restart(rank);
      Serve(rank);
    });
  }

  void MakeVariable(int task) {
    auto variable = std::make_shared<runtime::GraphVariable>();
    variable->name = task == 0 ? "x" : "y";
    variable->device = "/job:ps/replica:0/task:" + std::to_string(task) + "/device:CPU:0";
    handles[task] =
        Tensor::FromObject(std::move(variable), DType::kResource, Shape{}, DType::kFloat32);
    const auto first = Trace(0, [&](const std::vector<Tensor>&) {
      ops::Emit("AssignVariableOp", {handles[task], Scalar(0.f)});
      return std::vector<Tensor>();
    });
    Run(first->graph, {});
  }

  using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  std::shared_ptr<remote::DispatchedFunction> Trace(int parameters, const Body& body) {
    graph::Tracer tracer;
    std::vector<Tensor> arguments;
    for (int i = 0; i < parameters; ++i) {
      arguments.push_back(tracer.AddParameter({DType::kFloat32, Shape{}, DType::kFloat32}));
    }
    const ops::BuilderScope scope(&tracer);
    for (const Tensor& result : body(arguments)) {
      tracer.graph()->results().push_back(tracer.EndpointOf(result));
    }
    auto function = std::make_shared<remote::DispatchedFunction>();
    function->graph = *tracer.graph();
    function->name = "step";
    remote::PlaceBesideVariables(&function->graph);
    function->mode = remote::HoldingOf(function->graph);
    return function;
  }

  // The chief's own run: what is read and written there and then.
  std::vector<Tensor> Run(const graph::Graph& graph, const std::vector<Tensor>& feeds) {
    graph::Graph placed = graph;
    for (int id = 0; id < placed.num_nodes(); ++id) {
      if (placed.node(id).device.empty()) {
        placed.node(id).device = "/job:ps/replica:0/task:0/device:CPU:0";
      }
    }
    std::optional<Result<std::vector<Tensor>>> done;
    client->Register(placed, remote::RunMode::kSerializable, [&](const auto& registered) {
      if (!registered.ok()) {
        done = registered.status();
        return;
      }
      client->Start(*registered, feeds, [&](const auto& given) { done = given; });
    });
    EXPECT_TRUE(world.RunUntil([&] { return done.has_value(); }, seconds(60)));
    return done->OrThrow();
  }
  std::vector<float> Values() {
    const auto both = Trace(0, [&](const std::vector<Tensor>&) {
      return std::vector<Tensor>{ops::Emit1("ReadVariableOp", {handles[0]}),
                                 ops::Emit1("ReadVariableOp", {handles[1]})};
    });
    const std::vector<Tensor> values = Run(both->graph, {});
    return {values[0].scalar<float>(), values[1].scalar<float>()};
  }

  World world;
  const int chief;
  base::SeededRandomness randomness;
  std::vector<remote::HelloAnswer::Task> tasks;
  std::vector<std::unique_ptr<remote::Worker>> servers;
  std::unique_ptr<remote::Client> client;
  std::unique_ptr<remote::Dispatcher> dispatcher;
  Tensor handles[2];
};

// What is added is made on the worker from what the servers have: an update of both variables, or
// an assignment of what was read.
std::shared_ptr<remote::DispatchedFunction> Increment(Cluster& cluster, bool overwrites) {
  return cluster.Trace(1, [&](const std::vector<Tensor>& parameters) {
    std::vector<Tensor> seen;
    for (const Tensor& handle : cluster.handles) {
      seen.push_back(ops::Emit1("ReadVariableOp", {handle}));
    }
    const Tensor one = parameters[0] + 0.f * (seen[0] + seen[1]);
    for (int task = 0; task < 2; ++task) {
      const Tensor& handle = cluster.handles[task];
      if (overwrites) {
        ops::Emit("AssignVariableOp", {handle, seen[task] + one});
      } else {
        ops::Emit("AssignAddVariableOp", {handle, one});
      }
    }
    return std::vector<Tensor>{one};
  });
}

constexpr int kWorkers = 3, kCalls = 24;

// What the variables are after the calls, while workers die and come back.
std::vector<float> Count(uint64_t seed, bool overwrites, bool immediate, int* repeats) {
  Cluster cluster(seed, kWorkers);
  const auto step = Increment(cluster, overwrites);
  EXPECT_EQ(step->mode, overwrites ? remote::RunMode::kSerializable : remote::RunMode::kLate);
  if (immediate) step->mode = remote::RunMode::kRelaxed;
  int done = 0;
  for (int i = 0; i < kCalls; ++i) {
    cluster.dispatcher->Schedule({.function = step,
                                  .arguments = {Scalar(1.f)},
                                  .done = [&](const remote::Dispatcher::Results& results) {
                                    ASSERT_TRUE(results.ok()) << results.status().ToString();
                                    EXPECT_EQ((*results)[0].scalar<float>(), 1);
                                    ++done;
                                  }});
  }
  base::Randomness& draws = cluster.world.randomness();
  for (int worker = 0; worker < kWorkers; ++worker) {
    const auto when = base::Duration(static_cast<int64_t>(draws.Below(20'000'000)));
    const auto away = base::Duration(static_cast<int64_t>(draws.Below(400'000'000)));
    cluster.world.After(when, [&cluster, worker, away] { cluster.KillFor(worker, away); });
  }
  EXPECT_TRUE(cluster.world.RunUntil([&] { return done == kCalls; }, seconds(120)))
      << "seed " << seed << ", " << done << " are done";
  EXPECT_TRUE(cluster.dispatcher->error().ok());
  *repeats += cluster.dispatcher->num_repeats();
  return cluster.Values();
}

TEST(DispatcherSimulation, WhatIsWrittenTakesPlaceOnce) {
  for (bool overwrites : {false, true}) {
    int repeats = 0;
    for (uint64_t seed = 1; seed <= 16; ++seed) {
      EXPECT_EQ(Count(seed, overwrites, false, &repeats), (std::vector<float>{kCalls, kCalls}))
          << "seed " << seed;
    }
    EXPECT_GT(repeats, 0) << "no worker has died in a function";
  }
}

// TensorFlow's way counts some calls twice: so the test above can fail.
TEST(DispatcherSimulation, ImmediateEffectsTakePlaceAtLeastOnce) {
  int repeats = 0, over = 0;
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    for (float value : Count(seed, false, true, &repeats)) {
      EXPECT_GE(value, kCalls);
      over += value > kCalls;
    }
  }
  EXPECT_GT(over, 0);
}

TEST(DispatcherSimulation, ServersFreeWhatASilentChiefHasMade) {
  Cluster cluster(1, 1);
  const std::string owner = "chief";
  auto variable = std::make_shared<runtime::GraphVariable>();
  variable->name = "@" + owner + "/0/own";
  variable->device = "/job:ps/replica:0/task:0/device:CPU:0";
  const Tensor handle =
      Tensor::FromObject(std::move(variable), DType::kResource, Shape{}, DType::kFloat32);
  const auto assign = cluster.Trace(0, [&](const std::vector<Tensor>&) {
    ops::Emit("AssignVariableOp", {handle, Scalar(1.f)});
    return std::vector<Tensor>();
  });
  cluster.Run(assign->graph, {});
  remote::Worker& server = *cluster.servers[0];
  EXPECT_EQ(server.num_variables(), 2);
  net::Rpc& rpc = cluster.world.rpc(cluster.chief);
  int heard = 0;
  const auto keep = [&] {
    rpc.Call("rank:0", remote::kKeep, owner, seconds(5), [&](const auto&) { ++heard; });
  };
  keep();
  base::Timer again;
  again.StartAfter(rpc.executor(), std::chrono::minutes(8), keep);
  ASSERT_TRUE(cluster.world.RunUntil([&] { return heard == 2; }, std::chrono::minutes(9)));
  bool later = false;
  again.StartAfter(rpc.executor(), std::chrono::minutes(9), [&] { later = true; });
  ASSERT_TRUE(cluster.world.RunUntil([&] { return later; }, std::chrono::minutes(20)));
  EXPECT_EQ(server.num_variables(), 2);
  later = false;
  again.StartAfter(rpc.executor(), std::chrono::minutes(2), [&] { later = true; });
  ASSERT_TRUE(cluster.world.RunUntil([&] { return later; }, std::chrono::minutes(20)));
  EXPECT_EQ(server.num_variables(), 1);
}

TEST(DispatcherSimulation, WithoutWorkersFunctionsFailByName) {
  Cluster cluster(1, 2, {.patience = seconds(5)});
  const auto step = Increment(cluster, false);
  std::vector<Status> ends;
  const auto note = [&](const remote::Dispatcher::Results& results) {
    ends.push_back(results.status());
  };
  cluster.dispatcher->Schedule({.function = step, .arguments = {Scalar(1.f)}, .done = note});
  ASSERT_TRUE(cluster.world.RunUntil([&] { return ends.size() == 1; }, seconds(60)));
  EXPECT_TRUE(ends[0].ok());
  for (int worker = 0; worker < 2; ++worker) cluster.world.Kill(2 + worker);
  for (int i = 0; i < 3; ++i) {
    cluster.dispatcher->Schedule({.function = step, .arguments = {Scalar(1.f)}, .done = note});
  }
  bool idle = false;
  cluster.dispatcher->WhenIdle([&] { idle = true; });
  ASSERT_TRUE(cluster.world.RunUntil([&] { return idle; }, seconds(60)));
  ASSERT_EQ(ends.size(), 4u);
  EXPECT_EQ(ends[1].code(), Code::kCancelled);
  const Status error = cluster.dispatcher->TakeError();
  EXPECT_EQ(error.code(), Code::kUnavailable);
  for (const char* part :
       {"functions need a worker; got none for 5 s", "/job:worker/replica:0/task:0 at rank:2",
        "/job:worker/replica:0/task:1 at rank:3"}) {
    EXPECT_NE(error.message().find(part), std::string::npos) << error.message();
  }
  EXPECT_EQ(cluster.Values(), (std::vector<float>{1, 1}));
  for (int worker = 0; worker < 2; ++worker) cluster.servers[2 + worker].reset();
}

TEST(DispatcherSimulation, ALostServerEndsWhatNeedsIt) {
  Cluster cluster(3, 2);
  const auto step = Increment(cluster, false);
  std::vector<Status> ends;
  for (int i = 0; i < 40; ++i) {
    cluster.dispatcher->Schedule({.function = step,
                                  .arguments = {Scalar(1.f)},
                                  .done = [&](const remote::Dispatcher::Results& results) {
                                    ends.push_back(results.status());
                                  }});
  }
  ASSERT_TRUE(cluster.world.RunUntil([&] { return ends.size() > 3; }, seconds(60)));
  cluster.world.Kill(1);
  ASSERT_TRUE(cluster.world.RunUntil([&] { return ends.size() == 40; }, seconds(60)));
  const Status error = cluster.dispatcher->TakeError();
  EXPECT_EQ(error.code(), Code::kUnavailable);
  EXPECT_NE(error.message().find("servers of variables must live; got /job:ps/replica:0/task:1"),
            std::string::npos)
      << error.message();
  cluster.servers[1].reset();
}

}  // namespace
}  // namespace lockstep::sim
