// Servers and their clients over the simulated wire: messages come late and in any order, servers
// die. A run takes place on all tasks or on none, and no client waits for ever.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "check/linearizability.h"
#include "graph/placement.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/graph.h"
#include "ops/builder.h"
#include "remote/client.h"
#include "remote/worker.h"
#include "runtime/element_types.h"
#include "runtime/graph_builder.h"
#include "runtime/shared_object.h"
#include "sim/world.h"

namespace lockstep::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Ranks 0 and 1 are servers, the others clients. x lives on the first, y on the second.
class Cluster {
 public:
  Cluster(uint64_t seed, int clients, const NetworkFaults& faults = {})
      : world(seed, {.num_ranks = 2 + clients, .network = faults}) {
    for (int rank = 0; rank < 2; ++rank) {
      options.tasks.push_back({"ps", rank, "rank:" + std::to_string(rank)});
    }
    for (int rank = 0; rank < 2; ++rank) Serve(rank);
    for (int client = 0; client < clients; ++client) {
      randomness.push_back(std::make_unique<base::SeededRandomness>(seed * 100 + client));
      this->clients.push_back(
          std::make_unique<remote::Client>(world.rpc(2 + client), *randomness.back()));
    }
    Build();
  }

  void Serve(int rank) {
    options.job = "ps";
    options.index = rank;
    servers[rank].reset();
    servers[rank] = std::make_unique<remote::Worker>(world.rpc(rank), world.randomness(), options);
  }

  void Build() {
    const auto scope = graph.AsDefault();
    std::optional<Variable> variables[2];
    for (int task = 0; task < 2; ++task) {
      const Device device("/job:ps/task:" + std::to_string(task));
      variables[task].emplace(0.f, VariableOptions{.name = task == 0 ? "x" : "y"});
    }
    const Variable &x = *variables[0], &y = *variables[1];
    init = graph.GlobalVariablesInitializer();
    // Each new value depends on the other variable: parts wait for each other.
    const Tensor sum = x.value() + y.value();
    step =
        graph.Group({x.Assign(x.value() + sum * 0.f + 1.f), y.Assign(y.value() + sum * 0.f + 1.f)});
    values = {x.value(), y.value()};
  }

  // The graph of a run, placed.
  graph::Graph Part(const std::vector<Tensor>& fetches, const Operation& target) {
    runtime::GraphState& state = *graph.state();
    graph::RunRequest request;
    for (const Tensor& fetch : fetches) request.fetches.push_back(state.EndpointOf(fetch));
    if (target.defined()) request.targets.push_back(target.id());
    graph::Graph part = graph::ExtractRun(state.graph(), request);
    const std::string own = "/job:ps/replica:0/task:0/device:CPU:0";
    graph::Place(
        &part, {.devices = {own, "/job:ps/replica:0/task:1/device:CPU:0"}, .default_device = own});
    return part;
  }

  std::shared_ptr<remote::RemoteGraph> Register(int client, const graph::Graph& part) {
    std::optional<Result<std::shared_ptr<remote::RemoteGraph>>> done;
    std::optional<Result<remote::HelloAnswer>> hello;
    clients[client]->Connect("rank:0", [&](const auto& answer) { hello = answer; });
    EXPECT_TRUE(world.RunUntil([&] { return hello.has_value(); }, seconds(10)));
    clients[client]->Register(part, remote::RunMode::kSerializable,
                              [&](const auto& given) { done = given; });
    EXPECT_TRUE(world.RunUntil([&] { return done.has_value(); }, seconds(10)));
    return done->OrThrow();
  }

  Result<std::vector<Tensor>> Run(int client, const std::shared_ptr<remote::RemoteGraph>& run) {
    std::optional<Result<std::vector<Tensor>>> done;
    clients[client]->Start(run, {}, [&](const auto& given) { done = given; });
    EXPECT_TRUE(world.RunUntil([&] { return done.has_value(); }, seconds(60)));
    return done.value_or(Status(Code::kInternal, "[test] the run did not end"));
  }

  World world;
  remote::WorkerOptions options;
  std::unique_ptr<remote::Worker> servers[2];
  std::vector<std::unique_ptr<base::SeededRandomness>> randomness;
  std::vector<std::unique_ptr<remote::Client>> clients;
  Graph graph;
  Operation init, step;
  std::vector<Tensor> values;
};

// Who ends without a word leaves nothing behind; who was silent goes on as if it had not been.
TEST(RemoteSimulation, GraphsOfWhoIsGoneAreFreed) {
  Cluster cluster(1, 2);
  const auto wait = [&](base::Duration time) {
    bool over = false;
    cluster.world.rpc(2).executor().PostAfter(time, [&over] { over = true; });
    ASSERT_TRUE(cluster.world.RunUntil([&over] { return over; }, 2 * time));
  };
  ASSERT_TRUE(cluster.Run(0, cluster.Register(0, cluster.Part({}, cluster.init))).ok());
  const auto read = cluster.Register(0, cluster.Part(cluster.values, {}));
  const auto step = cluster.Register(1, cluster.Part({}, cluster.step));
  ASSERT_TRUE(cluster.Run(1, step).ok());
  for (const auto& server : cluster.servers) EXPECT_EQ(server->num_graphs(), 3);
  cluster.clients[1].reset();
  for (int minute = 0; minute < 11; ++minute) {
    wait(std::chrono::minutes(1));
    EXPECT_EQ(cluster.Run(0, read).OrThrow()[0].scalar<float>(), 1);
  }
  for (const auto& server : cluster.servers) EXPECT_EQ(server->num_graphs(), 2);
  const int before = cluster.clients[0]->num_retries();
  wait(std::chrono::minutes(25));
  for (const auto& server : cluster.servers) {
    EXPECT_EQ(server->num_graphs(), 0);
    EXPECT_EQ(server->num_variables(), 1);  // which are all clients'
  }
  EXPECT_EQ(cluster.Run(0, read).OrThrow()[1].scalar<float>(), 1);
  EXPECT_GT(cluster.clients[0]->num_retries(), before);
  for (const auto& server : cluster.servers) EXPECT_EQ(server->num_graphs(), 1);
  EXPECT_EQ(cluster.Run(0, read).OrThrow()[1].scalar<float>(), 1);
}

// Who waits at a queue for long gets its element; who is gone takes none.
TEST(RemoteSimulation, WhoIsGoneTakesNothingFromAQueue) {
  Cluster cluster(2, 3);
  ops::Attributes element;
  runtime::SetElementTypes({{DType::kFloat32, {}, DType::kFloat32}}, &element);
  Tensor put, taken;
  {
    const auto scope = cluster.graph.AsDefault();
    const Device device("/job:ps/task:1");
    const Tensor queue = runtime::MakeNamedObject("queue", "shared", element);
    put = ops::Emit1("QueueEnqueue", {queue, Scalar(7.f)});
    taken = ops::Emit1("QueueDequeue", {queue}, element);
  }
  const auto take = [&](int client) { return cluster.Register(client, cluster.Part({taken}, {})); };
  std::optional<Result<std::vector<Tensor>>> given;
  cluster.clients[0]->Start(take(0), {}, [](const auto&) {});
  cluster.clients[1]->Start(take(1), {}, [&](const auto& result) { given = result; });
  bool over = false;
  cluster.world.rpc(2).executor().PostAfter(seconds(2), [&] { cluster.clients[0].reset(); });
  cluster.world.rpc(3).executor().PostAfter(seconds(60), [&over] { over = true; });
  ASSERT_TRUE(cluster.world.RunUntil([&over] { return over; }, seconds(120)));
  EXPECT_FALSE(given.has_value());
  EXPECT_EQ(cluster.servers[1]->num_runs(), 1);
  ASSERT_TRUE(cluster.Run(2, cluster.Register(2, cluster.Part({put}, {}))).ok());
  ASSERT_TRUE(cluster.world.RunUntil([&] { return given.has_value(); }, seconds(10)));
  EXPECT_EQ(given->OrThrow()[0].scalar<float>(), 7);
}

// A server that does one thing for long hears of nobody meanwhile: runs that wait there, or for
// what it gives, are not those of a client that is gone.
TEST(RemoteSimulation, RunsOutlastAServerThatIsBusyForLong) {
  Cluster cluster(3, 2);
  ops::Attributes element;
  runtime::SetElementTypes({{DType::kFloat32, {}, DType::kFloat32}}, &element);
  Tensor put, taken, twice;
  {
    const auto scope = cluster.graph.AsDefault();
    const Device device("/job:ps/task:1");
    const Tensor queue = runtime::MakeNamedObject("queue", "shared", element);
    put = ops::Emit1("QueueEnqueue", {queue, Scalar(7.f)});
    taken = ops::Emit1("QueueDequeue", {queue}, element);
    const Device other("/job:ps/task:0");
    twice = taken * 2.f;
  }
  std::optional<Result<std::vector<Tensor>>> given;
  cluster.clients[0]->Start(cluster.Register(0, cluster.Part({twice}, {})), {},
                            [&](const auto& result) { given = result; });
  bool over = false;
  cluster.world.rpc(2).executor().PostAfter(seconds(2),
                                            [&] { cluster.world.Pause(1, seconds(62)); });
  cluster.world.rpc(3).executor().PostAfter(seconds(90), [&over] { over = true; });
  ASSERT_TRUE(cluster.world.RunUntil([&over] { return over; }, seconds(180)));
  EXPECT_FALSE(given.has_value());
  ASSERT_TRUE(cluster.Run(1, cluster.Register(1, cluster.Part({put}, {}))).ok());
  ASSERT_TRUE(cluster.world.RunUntil([&] { return given.has_value(); }, seconds(10)));
  EXPECT_EQ(given->OrThrow()[0].scalar<float>(), 14);
}

TEST(RemoteSimulation, RunsOfManyClientsAreWholeInAnyOrderOfMessages) {
  int retries = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    constexpr int kClients = 4, kRuns = 8;
    Cluster cluster(seed, kClients);
    ASSERT_TRUE(cluster.Run(0, cluster.Register(0, cluster.Part({}, cluster.init))).ok());
    int over = 0;
    std::vector<std::shared_ptr<remote::RemoteGraph>> steps, reads;
    for (int c = 0; c < kClients; ++c) {
      steps.push_back(cluster.Register(c, cluster.Part({}, cluster.step)));
      reads.push_back(cluster.Register(c, cluster.Part(cluster.values, {})));
    }
    std::function<void(int, int)> next = [&](int c, int left) {
      if (left == 0) {
        ++over;
        return;
      }
      const auto& run = left % 2 == 0 ? steps[c] : reads[c];
      cluster.clients[c]->Start(run, {}, [&, c, left](const Result<std::vector<Tensor>>& results) {
        ASSERT_TRUE(results.ok()) << results.status().ToString();
        if (left % 2 == 1) {
          EXPECT_EQ((*results)[0].scalar<float>(), (*results)[1].scalar<float>());
        }
        next(c, left - 1);
      });
    };
    for (int c = 0; c < kClients; ++c) next(c, 2 * kRuns);
    ASSERT_TRUE(cluster.world.RunUntil([&] { return over == kClients; }, seconds(120)))
        << "seed " << seed;
    const auto values = cluster.Run(0, reads[0]).OrThrow();
    EXPECT_EQ(values[0].scalar<float>(), kClients * kRuns);
    EXPECT_EQ(values[1].scalar<float>(), kClients * kRuns);
    for (const auto& client : cluster.clients) retries += client->num_retries();
  }
  EXPECT_GT(retries, 0) << "no two runs have met";
}

TEST(RemoteSimulation, AServerThatDiesInARunLeavesNothingHalf) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Cluster cluster(seed, 2);
    ASSERT_TRUE(cluster.Run(0, cluster.Register(0, cluster.Part({}, cluster.init))).ok());
    std::vector<std::optional<Result<std::vector<Tensor>>>> done(2);
    std::vector<std::shared_ptr<remote::RemoteGraph>> steps;
    for (int c = 0; c < 2; ++c) {
      steps.push_back(cluster.Register(c, cluster.Part({}, cluster.step)));
    }
    const auto read = cluster.Register(0, cluster.Part({cluster.values[0]}, {}));
    ASSERT_TRUE(cluster.Run(0, steps[0]).ok());
    for (int c = 0; c < 2; ++c) {
      cluster.clients[c]->Start(steps[c], {}, [&done, c](const auto& given) { done[c] = given; });
    }
    cluster.world.After(
        base::Duration(static_cast<int64_t>(cluster.world.randomness().Below(2'000'000))),
        [&] { cluster.world.Kill(1); });
    ASSERT_TRUE(cluster.world.RunUntil([&] { return done[0] && done[1]; }, seconds(60)))
        << "seed " << seed;
    int whole = 0;
    for (int c = 0; c < 2; ++c) {
      whole += done[c]->ok();
      if (done[c]->ok()) continue;
      EXPECT_EQ(done[c]->status().code(), Code::kUnavailable);
      EXPECT_NE(done[c]->status().message().find("got /job:ps/replica:0/task:1 at rank:1"),
                std::string::npos)
          << done[c]->status().message();
    }
    // Of what failed, nothing is left on the server that lives.
    EXPECT_EQ(cluster.Run(0, read).OrThrow()[0].scalar<float>(), 1 + whole) << "seed " << seed;
    EXPECT_EQ(cluster.servers[0]->num_runs(), 0);
    cluster.servers[1].reset();
  }
}

// Clients add and read, some die in the middle of it. What each saw is an order of whole runs that
// keeps time: linearizability of both variables as one object.
TEST(RemoteSimulation, HistoriesAreLinearizable) {
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    constexpr int kClients = 4, kOperations = 6;
    Cluster cluster(seed, kClients);
    ASSERT_TRUE(cluster.Run(0, cluster.Register(0, cluster.Part({}, cluster.init))).ok());
    std::vector<std::shared_ptr<remote::RemoteGraph>> adds, reads;
    for (int c = 0; c < kClients; ++c) {
      adds.push_back(cluster.Register(c, cluster.Part({}, cluster.step)));
      reads.push_back(cluster.Register(c, cluster.Part(cluster.values, {})));
    }
    struct Seen {
      check::HistoryOperation operation;
      bool reads = false;
      std::vector<float> values;
    };
    std::vector<std::unique_ptr<Seen>> seen;
    const auto now = [&] { return cluster.world.executor(0).Now().time_since_epoch().count(); };
    int over = 0, dead = 0;
    std::function<void(int, int)> next = [&](int c, int left) {
      if (left == 0) {
        ++over;
        return;
      }
      seen.push_back(std::make_unique<Seen>());
      Seen& own = *seen.back();
      own.operation.invoked = now();
      own.reads = cluster.randomness[c]->Chance(0.5);
      cluster.clients[c]->Start(
          own.reads ? reads[c] : adds[c], {},
          [&, c, left](const Result<std::vector<Tensor>>& results) {
            ASSERT_TRUE(results.ok()) << results.status().ToString();
            own.operation.returned = now();
            for (const Tensor& value : own.reads ? *results : std::vector<Tensor>()) {
              own.values.push_back(value.scalar<float>());
            }
            next(c, left - 1);
          });
    };
    for (int c = 0; c < kClients; ++c) next(c, kOperations);
    // The last client dies while it runs.
    cluster.world.After(
        base::Duration(static_cast<int64_t>(cluster.world.randomness().Below(6'000'000))), [&] {
          if (over > 0) return;
          cluster.world.Kill(1 + kClients);
          dead = 1;
        });
    ASSERT_TRUE(cluster.world.RunUntil([&] { return over >= kClients - dead; }, seconds(300)))
        << "seed " << seed;
    std::vector<check::HistoryOperation> history;
    for (const auto& own : seen) {
      check::HistoryOperation operation = own->operation;
      const bool returned = operation.returned != check::HistoryOperation::kNever;
      if (own->reads) {
        operation.apply = [&values = own->values, returned](std::vector<float>* state) {
          return !returned || values == *state;
        };
      } else {
        operation.apply = [](std::vector<float>* state) {
          for (float& value : *state) ++value;
          return true;
        };
      }
      history.push_back(std::move(operation));
    }
    EXPECT_TRUE(check::IsLinearizable(history, {0, 0})) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lockstep::sim
