// Sessions over servers, by calls on this machine.

#include "lockstep/runtime/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <thread>

#include "base/error_of_test.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/remote/server.h"
#include "lockstep/runtime/random.h"
#include "net/grpc_test.h"
#include "ops/builder.h"
#include "runtime/element_types.h"
#include "runtime/host_ops.h"
#include "runtime/shared_object.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

float Value(const Tensor& tensor) { return tensor.scalar<float>(); }

// Two servers of variables and a worker.
class RemoteSession : public testing::Test {
 protected:
  void SetUp() override {
    LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
    const std::string folder = testing::TempDir() + "lockstep-remote-" +
                               std::to_string(static_cast<unsigned long long>(getpid()));
    cluster = ClusterSpec({{"ps", {"unix:" + folder + "-ps0", "unix:" + folder + "-ps1"}},
                           {"worker", {"unix:" + folder + "-worker"}}});
    for (int task = 0; task < 2; ++task) {
      servers.push_back(std::make_unique<Server>(cluster, "ps", task));
    }
    worker = std::make_unique<Server>(cluster, "worker", 0);
  }
  Session Open(const Graph& graph) const {
    return Session(worker->target(), {.graph = std::make_shared<Graph>(graph)});
  }

  static Variable FourOnTask1() {
    const Device placed("/job:ps/task:1");
    return Variable(4.f, {.name = "v"});
  }

  ClusterSpec cluster;
  std::vector<std::unique_ptr<Server>> servers;
  std::unique_ptr<Server> worker;
};

TEST_F(RemoteSession, RunsAGraphOverTasks) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  Variable a, b;
  {
    const Device placed(RoundRobinVariables(2));
    a = Variable(Tensor({{1, 2}, {3, 4}}), {.name = "a"});
    b = Variable(Tensor({{1, 0}, {0, 1}}), {.name = "b"});
  }
  const Tensor x = Placeholder(DType::kFloat32, {-1, 2}, "x");
  const Tensor y = MatMul(MatMul(x, a.value()), b.value());
  const Tensor gradient = Gradients(ReduceSum(y), a);
  const Operation step = graph.Group({a.AssignSub(gradient), b.AssignAdd(b.value())});
  const Session session = Open(graph);
  EXPECT_THAT(session.UninitializedVariables(), ElementsAre("a", "b"));
  ExpectError(Code::kFailedPrecondition, "got 'a', which no run", [&] { session.Run({a}); });
  session.Run({graph.GlobalVariablesInitializer()});
  EXPECT_TRUE(session.UninitializedVariables().empty());
  const Feeds feeds{{x, Tensor({{1, 1}})}};
  EXPECT_THAT(session.Eval(y, feeds).data<float>(), ElementsAre(4, 6));
  RunMetadata metadata;
  session.Run({step}, feeds, {}, {.partition_graphs = true}, &metadata);
  EXPECT_GE(metadata.partition_graphs.size(), 2u);
  EXPECT_THAT(session.Eval(b).data<float>(), ElementsAre(2, 0, 0, 2));
  EXPECT_THAT(session.Eval(a).data<float>(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(session.PlacementLog(),
              testing::Contains("a (VarHandleOp) on /job:ps/replica:0/task:0/device:CPU:0: its "
                                "device scope says /job:ps/task:0"));
  // Another session sees the same variables, as they live on the servers.
  const Session other = Open(graph);
  EXPECT_THAT(other.Eval(b).data<float>(), ElementsAre(2, 0, 0, 2));
}

TEST_F(RemoteSession, UsesTheDevicesThatFiltersName) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Tensor x = Placeholder(DType::kFloat32, {}, "x");
  const Feeds feeds{{x, Tensor(1.f)}};
  Tensor there;
  {
    const Device placed("/job:ps/task:1");
    there = x + x;
  }
  const auto open = [&](std::vector<std::string> filters, bool soft) {
    return Session(worker->target(), {.graph = std::make_shared<Graph>(graph),
                                      .soft_placement = soft,
                                      .device_filters = std::move(filters)});
  };
  EXPECT_EQ(Value(open({"/job:ps"}, false).Eval(there, feeds)), 2);
  // Soft placement moves an op to another device of its task, not to another task.
  for (bool soft : {false, true}) {
    const Session refused = open({"/job:ps/task:0", "/job:worker"}, soft);
    ExpectError(Code::kInvalidArgument, "/job:ps/task:1", [&] { refused.Eval(there, feeds); });
  }
}

TEST_F(RemoteSession, ControlFlowAndDependenciesAcrossTasks) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  Variable there, here;
  {
    const Device ps("/job:ps/task:1");
    there = Variable(1.f, {.name = "there"});
  }
  {
    const Device own("/job:worker/task:0");
    here = Variable(0.f, {.name = "here"});
  }
  const Tensor n = Placeholder(DType::kFloat32, {}, "n");
  const Tensor update = there.AssignAdd(n);
  Tensor seen;
  {
    const ControlDependencies after({update});
    seen = here.Assign(there.value() * 10.f);
  }
  Tensor looped;
  {
    const Device ps("/job:ps/task:0");
    looped = WhileLoop([&](const Tensors& i) { return Less(i[0], n); },
                       [&](const Tensors& i) { return Tensors{i[0] + there.value()}; },
                       {Scalar(0.f)})[0];
  }
  const Tensor slope = Gradients(looped * n, n);
  const Session session = Open(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  EXPECT_EQ(Value(session.Eval(seen, {{n, 2}})), 30);
  EXPECT_EQ(Value(session.Eval(here)), 30);
  EXPECT_EQ(Value(session.Eval(there)), 3);
  EXPECT_EQ(Value(session.Eval(looped, {{n, 7}})), 9);
  EXPECT_EQ(Value(session.Eval(slope, {{n, 7}})), 9);  // the trip count has no gradient
}

TEST_F(RemoteSession, BranchesAndLoopsWriteVariablesOfSeveralTasks) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  Variable small, large, own;
  {
    const Device ps("/job:ps/task:0");
    small = Variable(1.f, {.name = "small"});
  }
  {
    const Device ps("/job:ps/task:1");
    large = Variable(Tensor({0, 0, 0}), {.name = "large"});
  }
  {
    const Device worker("/job:worker/task:0");
    own = Variable(0.f, {.name = "own"});
  }
  const Tensor n = Placeholder(DType::kFloat32, {}, "n");
  const Tensor before = small.AssignAdd(1.f);
  Tensor looped, after;
  {
    const ControlDependencies first({before});
    looped = WhileLoop([&](const Tensors& i) { return Less(i[0], n); },
                       [&](const Tensors& i) {
                         small.AssignAdd(i[0]);
                         large.AssignAdd(small.value() * Tensor({1, 10, 100}));
                         return Tensors{i[0] + 1.f};
                       },
                       {Scalar(0.f)})[0];
  }
  {
    const ControlDependencies then({looped});
    after = small.value() * 1.f;
  }
  const Tensor branch = Cond(
      Less(n, 3.f),
      [&] {
        own.AssignAdd(1.f);
        return Tensors{large.AssignSub(Tensor({1, 1, 1}))};
      },
      [&] { return Tensors{large.value()}; })[0];
  const Session session = Open(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  const std::vector<Tensor> results = session.Run({looped, after}, {{n, 4}});
  EXPECT_EQ(Value(results[0]), 4);
  EXPECT_EQ(Value(results[1]), 8);  // 1 + 1 + 0 + 1 + 2 + 3
  EXPECT_EQ(Value(session.Eval(small)), 8);
  EXPECT_THAT(session.Eval(large).ToVector<float>(), ElementsAre(18, 180, 1800));
  session.Eval(branch, {{n, 2}});
  EXPECT_EQ(Value(session.Eval(own)), 1);
  EXPECT_THAT(session.Eval(large).ToVector<float>(), ElementsAre(17, 179, 1799));
  session.Eval(branch, {{n, 5}});
  EXPECT_EQ(Value(session.Eval(own)), 1);
  EXPECT_TRUE(session.UninitializedVariables().empty());
  ExpectError(Code::kFailedPrecondition, "a branch or loop writes variables of one task; got", [&] {
    session.Run({looped}, {{n, 4}}, {}, {.consistency = Consistency::kRelaxed});
  });
  EXPECT_EQ(Value(session.Eval(small)), 8);
}

TEST_F(RemoteSession, ALoopIsWhereItsVariablesAre) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  Variable v;
  {
    const Device ps("/job:ps/task:1");
    v = Variable(1.f, {.name = "v"});
  }
  const Device elsewhere("/job:ps/task:0");
  const Tensor looped = WhileLoop([&](const Tensors& i) { return Less(i[0], 3.f); },
                                  [&](const Tensors& i) {
                                    v.AssignAdd(v.value());
                                    return Tensors{i[0] + 1.f};
                                  },
                                  {Scalar(0.f)})[0];
  const Session session = Open(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  EXPECT_EQ(Value(session.Eval(looped)), 3);  // which is all that names v
  EXPECT_EQ(Value(session.Eval(v)), 8);
}

TEST_F(RemoteSession, RunsOfManyClientsAreWhole) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  Variable x, y;
  {
    const Device placed(RoundRobinVariables(2));
    x = Variable(0.f, {.name = "x"});
    y = Variable(0.f, {.name = "y"});
  }
  const Operation both = graph.Group({x.Assign(x.value() + 1.f), y.Assign(y.value() + 1.f)});
  const Tensor difference = x.value() - y.value();
  const Session first = Open(graph);
  first.Run({graph.GlobalVariablesInitializer()});
  constexpr int kClients = 3, kRuns = 20;
  std::vector<std::thread> threads;
  for (int t = 0; t < kClients; ++t) {
    threads.emplace_back([&, t] {
      const Session own = t == 0 ? first : Open(graph);
      for (int i = 0; i < kRuns; ++i) {
        own.Run({both});
        EXPECT_EQ(Value(own.Eval(difference)), 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Value(first.Eval(x)), kClients * kRuns);
}

TEST_F(RemoteSession, ATaskThatIsLostIsNamedToAll) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  Variable x, y;
  {
    const Device placed(RoundRobinVariables(2));
    x = Variable(0.f, {.name = "x"});
    y = Variable(0.f, {.name = "y"});
  }
  const Operation both = graph.Group({x.AssignAdd(1.f), y.AssignAdd(1.f)});
  const Session one = Open(graph), other = Open(graph);
  one.Run({graph.GlobalVariablesInitializer()});
  one.Run({both});
  other.Run({both});
  servers[1].reset();
  std::vector<std::string> texts;
  for (const Session& session : {one, other}) {
    try {
      session.Run({both});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kUnavailable);
      texts.push_back(error.status().message());
    }
  }
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_THAT(texts[0], HasSubstr("got /job:ps/replica:0/task:1 at unix:"));
  // What is written elsewhere is taken back.
  EXPECT_EQ(Value(one.Eval(x)), 2);
  servers[1] = std::make_unique<Server>(cluster, "ps", 1);
  // It takes calls a moment to find the new process.
  Status status(Code::kUnavailable, "");
  for (int i = 0; i < 200 && status.code() == Code::kUnavailable; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    try {
      one.Run({both});
    } catch (const Error& error) {
      status = error.status();
    }
  }
  EXPECT_EQ(status.code(), Code::kAborted);
  EXPECT_THAT(status.message(), HasSubstr("it was started again"));
  const Session anew = Open(graph);
  ExpectError(Code::kFailedPrecondition, "got 'y'", [&] { anew.Run({both}); });
  anew.Run({InitializerOf(y)});
  anew.Run({both});
  EXPECT_EQ(Value(anew.Eval(x)), 3);
  EXPECT_EQ(Value(anew.Eval(y)), 1);
}

TEST_F(RemoteSession, EndsInTimeAndRefuses) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable v(0.f, {.name = "v"});
  Tensor far;
  {
    const Device nowhere("/job:ps/task:5");
    far = v.value() + 1.f;
  }
  const Tensor update = v.AssignAdd(1.f);
  const Tensor index = Placeholder(DType::kInt32, {1}, "index");
  const Tensor row = Gather(Constant<float>({1, 2}), index);
  const Session session = Open(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  ExpectError(Code::kInvalidArgument, "on /job:ps/task:5, where there are /job:ps/replica:0/task:0",
              [&] { session.Run({far}); });
  ExpectError(Code::kFailedPrecondition, "a snapshot run writes nothing; got one that writes 'v'",
              [&] { session.Run({update}, {}, {}, {.consistency = Consistency::kSnapshot}); });
  ExpectError(Code::kInvalidArgument, "(op 'GatherV2')", [&] {
    session.Run({row}, {{index, Constant<int32_t>({9})}});
  });
  EXPECT_EQ(Value(session.Run({update}, {}, {}, {.consistency = Consistency::kRelaxed})[0]), 1);
  worker.reset();
  ExpectError(Code::kUnavailable, "a server must be there; got none at", [&] {
    Session("lockstep://127.0.0.1:1", {.graph = std::make_shared<Graph>(graph), .patience = {}});
  });
}

TEST_F(RemoteSession, WaitsForTasksThatStartLater) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable v = FourOnTask1();
  servers[1].reset();
  const Session session = Open(graph);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    servers[1] = std::make_unique<Server>(cluster, "ps", 1);
  });
  session.Run({graph.GlobalVariablesInitializer()});
  later.join();
  EXPECT_EQ(Value(session.Eval(v)), 4);
  const Session hasty(worker->target(), {.graph = std::make_shared<Graph>(graph), .patience = {}});
  servers[1].reset();
  ExpectError(Code::kUnavailable, "/job:ps/replica:0/task:1 at unix:", [&] { hasty.Eval(v); });
  ExpectError(Code::kUnavailable, "which has not been there yet", [&] { hasty.Eval(v); });
}

TEST_F(RemoteSession, ARunsTimeoutHoldsWhileItWaitsForTasks) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable v = FourOnTask1();
  servers[1].reset();
  const Session session = Open(graph);
  ExpectError(Code::kDeadlineExceeded, "got 200 ms",
              [&] { session.Run({v}, {}, {}, {.timeout = std::chrono::milliseconds(200)}); });
  const auto cancellation = std::make_shared<Cancellation>();
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cancellation->Cancel();
  });
  ExpectError(Code::kCancelled, "got Cancel",
              [&] { session.Run({v}, {}, {}, {.cancellation = cancellation}); });
  later.join();
}

TEST_F(RemoteSession, ForgetsAllWhenReset) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable v = FourOnTask1();
  const Session session = Open(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  EXPECT_EQ(Value(session.Eval(v)), 4);
  Session::Reset(worker->target());
  ExpectError(Code::kFailedPrecondition, "must have a value before it is read; got 'v'",
              [&] { session.Eval(v); });
  session.Run({graph.GlobalVariablesInitializer()});
  EXPECT_EQ(Value(session.Eval(v)), 4);
}

// A server keeps 2048 graphs. A client that asks for an older one registers it again.
TEST_F(RemoteSession, RunsAGraphThatItsServerHasRemoved) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Tensor x = Placeholder(DType::kFloat32, {-1});
  Tensor y;
  {
    const Device placed("/job:ps/task:0");
    y = ReduceSum(x);
  }
  const Session session = Open(graph);
  const auto first = session.MakeCallable({y}, {x});
  const auto ones = [](int size) {
    return Tensor::FromVector(std::vector<float>(static_cast<size_t>(size), 1.F), {size});
  };
  EXPECT_EQ(Value(first(std::vector<Tensor>{ones(1)})[0]), 1);
  for (int size = 2; size < 2100; ++size)
    ASSERT_EQ(Value(session.Eval(y, {{x, ones(size)}})), size);
  EXPECT_EQ(Value(first(std::vector<Tensor>{ones(1)})[0]), 1);
}

TEST_F(RemoteSession, SharesQueues) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  ops::Attributes element;
  runtime::SetElementTypes({{DType::kFloat32, {}, DType::kFloat32}}, &element);
  Variable w;
  Tensor queue;
  {
    const Device placed("/job:ps/task:0");
    w = Variable(2.f, {.name = "w"});
    queue = runtime::MakeNamedObject("queue", "shared", element);
  }
  const Tensor taken = ops::Emit1("QueueDequeue", {queue}, element);
  const Tensor product = taken * w;
  const Tensor put = ops::Emit1("QueueEnqueue", {queue, w.Assign(5.f)});
  const Session one = Open(graph), other = Open(graph);
  one.Run({graph.GlobalVariablesInitializer()});
  // Who waits keeps nobody from the variables, and one that gives up takes nothing.
  ExpectError(Code::kDeadlineExceeded, "",
              [&] { one.Run({taken}, {}, {}, {.timeout = std::chrono::milliseconds(50)}); });
  std::thread waits([&] { EXPECT_EQ(Value(one.Eval(product)), 25); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  other.Run({put});
  waits.join();
  EXPECT_EQ(other.Eval(ops::Emit1("QueueSize", {queue})).scalar<int32_t>(), 0);
}

// A session's own stream of numbers, on the server that draws them.
TEST_F(RemoteSession, DrawsOnServers) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Tensor drawn_here = RandomNormal({2}, 0, 1, {.seed = 7});
  Tensor drawn;
  {
    const Device placed("/job:ps/task:0");
    drawn = RandomNormal({2}, 0, 1, {.seed = 7});
  }
  const Session here(graph), there = Open(graph), again = Open(graph);
  for (int i = 0; i < 3; ++i) {
    const Tensor expected = here.Eval(drawn_here);
    for (const Session& session : {there, again}) {
      EXPECT_THAT(session.Eval(drawn).ToVector<float>(),
                  testing::ElementsAreArray(expected.ToVector<float>()));
    }
  }
}

class Counting : public TensorObject {
 public:
  int calls = 0;
};

// Adds one in this process, and counts how often.
std::vector<Tensor> CountHere(const ops::OpSpec&, const ops::Attributes& attributes,
                              const std::vector<Tensor>& inputs) {
  auto& object = *attributes.Get<std::shared_ptr<TensorObject>>("counting");
  ++dynamic_cast<Counting&>(object).calls;
  return {inputs[0] + 1.f};
}
const ops::RegisterOp kCountHere({.name = "CountHere",
                                  .infer = ops::SameAsFirstInput,
                                  .effects = {.external = true}});
const runtime::RegisterHostOp kRunCountHere("CountHere", {.function = CountHere});

TEST_F(RemoteSession, CallsThisProcessBetweenStages) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const auto counting = std::make_shared<Counting>();
  const auto here = [&](const Tensor& value) {
    return ops::Emit1("CountHere", {value},
                      {{"counting", std::shared_ptr<TensorObject>(counting)}});
  };
  Variable v, w;
  {
    const Device placed(RoundRobinVariables(2));
    v = Variable(1.f, {.name = "v"});
    w = Variable(10.f, {.name = "w"});
  }
  const Tensor fed = Placeholder(DType::kFloat32, {}, "fed");
  const Tensor once = here(v.value() * fed);       // 2 * 3 + 1
  const Tensor twice = here(here(once + w));       // 7 + 10 + 2
  const Tensor assigned = v.Assign(twice - once);  // 19 - 7
  const Session session = Open(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  session.Run({v.Assign(2.f)});
  const std::vector<Tensor> got = session.Run({twice, assigned, once, fed}, {{fed, Tensor(3.f)}});
  EXPECT_EQ(Value(got[0]), 19);
  EXPECT_EQ(Value(got[2]), 7);
  EXPECT_EQ(Value(got[3]), 3);
  EXPECT_EQ(counting->calls, 3);
  EXPECT_EQ(Value(session.Eval(v)), 12);
  // A fetch of a server's alone calls nothing here.
  EXPECT_EQ(Value(session.Eval(w)), 10);
  EXPECT_EQ(counting->calls, 3);
}

}  // namespace
}  // namespace lockstep
