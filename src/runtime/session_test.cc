#include "lockstep/runtime/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "base/error_of_test.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/lock.h"
#include "lockstep/runtime/random.h"
#include "ops/builder.h"
#include "runtime/eager.h"
#include "runtime/variable_state.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

float Value(const Tensor& tensor) { return tensor.scalar<float>(); }

TEST(Session, RunsWhatIsAskedFor) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Tensor x = Placeholder(DType::kFloat32, {2});
  const Tensor y = x * 2;
  const Tensor never = Placeholder(DType::kFloat32, {}, "never");
  const Tensor z = y + never;
  const Session session(graph);
  const auto results = session.Run({y, x, y}, {{x, Tensor({1, 2})}});
  EXPECT_THAT(results[0].data<float>(), ElementsAre(2, 4));
  EXPECT_THAT(results[1].data<float>(), ElementsAre(1, 2));
  EXPECT_THAT(results[2].data<float>(), ElementsAre(2, 4));
  ExpectError(Code::kInvalidArgument, "got no value for 'never' of float32[]", [&] {
    session.Run({z}, {{x, Tensor({1, 2})}});
  });
  EXPECT_EQ(Value(session.Eval(ReduceSum(z), {{y, Tensor({1, 2})}, {"never:0", 10}})), 23);
}

TEST(Session, CompilesOncePerQuestion) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Tensor x = Placeholder(DType::kFloat32, {-1});
  const Tensor y = ReduceSum(x);
  const Session session(graph);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Value(session.Eval(y, {{x, Tensor({1, 2})}})), 3);
  EXPECT_EQ(session.num_compiled(), 1);
  EXPECT_EQ(Value(session.Eval(y, {{x, Tensor({1, 2, 3})}})), 6);
  EXPECT_EQ(session.num_compiled(), 2);
  const auto callable = session.MakeCallable({y}, {x});
  EXPECT_EQ(Value(callable(std::vector<Tensor>{Tensor({5})})[0]), 5);
  EXPECT_EQ(Value(callable(std::vector<Tensor>{Tensor({6})})[0]), 6);
  EXPECT_EQ(session.num_compiled(), 3);
  ExpectError(Code::kInvalidArgument, "a value for each of its feeds; got 0 for 1",
              [&] { callable(); });
}

// A vector of `size` ones, whose sum is `size`.
Tensor OnesOf(int size) {
  return Tensor::FromVector(std::vector<float>(static_cast<size_t>(size), 1.0F), {size});
}

TEST(Session, KeepsALimitedNumberOfPlans) {
  constexpr int kMost = 256;
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Tensor x = Placeholder(DType::kFloat32, {-1});
  const Tensor y = ReduceSum(x);
  const Session session(graph);
  const auto first = session.MakeCallable({y}, {x});
  EXPECT_EQ(Value(first(std::vector<Tensor>{OnesOf(1)})[0]), 1);
  for (int round = 0; round < 2; ++round) {
    for (int size = 1; size <= 2 * kMost; ++size) {
      ASSERT_EQ(Value(session.Eval(y, {{x, OnesOf(size)}})), size);
      ASSERT_LE(session.num_compiled(), kMost);
    }
  }
  EXPECT_EQ(session.num_compiled(), kMost);
  EXPECT_EQ(Value(first(std::vector<Tensor>{OnesOf(1)})[0]), 1) << "a callable keeps its plan";
}

TEST(Session, PlansThatRunOutliveTheirPlaceInTheCache) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Tensor x = Placeholder(DType::kFloat32, {-1});
  const Tensor y = ReduceSum(x);
  const Session session(graph);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 600; ++i) {
        const int size = (i * 7 + t * 150) % 600 + 1;
        wrong += Value(session.Eval(y, {{x, OnesOf(size)}})) != size;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Session, LimitsTheThreadsOfItsRuns) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Tensor x = Placeholder(DType::kFloat32, {256, 256});
  const Tensor y = MatMul(x, x);
  const Tensor value = Tensor::FromVector(std::vector<float>(256 * 256, 0.5F), {256, 256});
  const Session all(graph), one("", {.graph = std::make_shared<Graph>(graph), .threads = 1});
  EXPECT_THAT(one.Eval(y, {{x, value}}).data<float>(),
              testing::ElementsAreArray(all.Eval(y, {{x, value}}).data<float>()));
}

TEST(Session, VariablesBelongToTheSession) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable v(Tensor({1, 2}), {.name = "v"});
  const Tensor added = v.AssignAdd(Tensor({10, 10}));
  const Operation init = graph.GlobalVariablesInitializer();
  const Session one(graph), other(graph);
  EXPECT_THAT(one.UninitializedVariables(), ElementsAre("v"));
  ExpectError(Code::kFailedPrecondition, "got 'v', which no run of this session has assigned",
              [&] { one.Run({v}); });
  ExpectError(Code::kFailedPrecondition, "got 'v'", [&] { one.Run({added}); });
  EXPECT_FALSE(one.Run({init})[0].defined());
  EXPECT_TRUE(one.UninitializedVariables().empty());
  EXPECT_THAT(one.Eval(added).data<float>(), ElementsAre(11, 12));
  EXPECT_THAT(one.Eval(added).data<float>(), ElementsAre(21, 22));
  EXPECT_THAT(one.Eval(v).data<float>(), ElementsAre(21, 22));
  ExpectError(Code::kFailedPrecondition, "got 'v'", [&] { other.Run({v}); });
  other.Run({"init"});
  EXPECT_THAT(other.Eval("v/Read:0").data<float>(), ElementsAre(1, 2));
}

TEST(Session, WhatAnUpdateOfRowsGivesCarriesItOut) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable v(Tensor({1, 2}), {.name = "v"});
  const Tensor changed = v.Scatter(ScatterKind::kAdd, Constant<int32_t>({1}), Tensor({5}));
  const Session session(graph);
  session.Run({}, {}, {graph.GlobalVariablesInitializer()});
  EXPECT_THAT(session.Run({changed})[0].data<float>(), ElementsAre(1, 7));
  EXPECT_THAT(session.Run({v})[0].data<float>(), ElementsAre(1, 7));
}

TEST(Session, DrawsAsEachOtherSessionOfTheGraph) {
  SetSeed(1);
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Tensor a = RandomUniform({3}), b = RandomNormal({3}, 0, 1, {.seed = 4});
  const Session first, second;
  const std::vector<Tensor> one = first.Run({a, b}), two = first.Run({a, b});
  EXPECT_NE(one[0].ToVector<float>(), two[0].ToVector<float>());
  const std::vector<Tensor> again = second.Run({a, b}), further = second.Run({a, b});
  EXPECT_EQ(one[0].ToVector<float>(), again[0].ToVector<float>());
  EXPECT_EQ(one[1].ToVector<float>(), again[1].ToVector<float>());
  EXPECT_EQ(two[0].ToVector<float>(), further[0].ToVector<float>());
}

TEST(Session, AVariableMayAskWhetherItHasAValue) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable v(3.f, {.name = "v"});
  const Tensor has = IsVariableInitialized(v);
  const Tensor value = Cond(
      has, [&] { return v.value(); }, [&] { return v.Assign(7.f); });
  const Session session(graph);
  EXPECT_FALSE(session.Eval(has).scalar<bool>());
  EXPECT_EQ(Value(session.Eval(value)), 7);
  EXPECT_TRUE(session.Eval(has).scalar<bool>());
  session.Run({}, {}, {graph.GlobalVariablesInitializer()});
  EXPECT_EQ(Value(session.Eval(value)), 3);
}

TEST(Session, ControlDependenciesDecideWhatRuns) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable x(1.f, {.name = "x"});
  const Tensor update = x.AssignAdd(0.5f);
  Tensor gradient, before, aside;
  {
    const ControlDependencies after({update});
    gradient = Gradients(Square(x), x);
    const ControlDependencies none(nullptr);
    aside = Identity(x.value()) + 0.f;
  }
  before = x.value() * 1.f;
  const Session session(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  EXPECT_EQ(Value(session.Eval(before)), 1);
  EXPECT_EQ(Value(session.Eval(aside)), 1);
  EXPECT_EQ(Value(session.Eval(gradient)), 3);
  EXPECT_EQ(Value(session.Eval(before)), 1.5);
  const Operation group = graph.Group({gradient, update});
  EXPECT_EQ(group.name(), "group_deps");
  session.Run({group});
  EXPECT_EQ(Value(session.Eval(x)), 2);
}

TEST(Session, GroupsWaitForTheirScopes) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable v(0.0f, {.name = "v"}), w(0.0f, {.name = "w"});
  const Tensor first = v.AssignAdd(1.0f);
  const Tensor second = w.AssignAdd(10.0f);
  std::optional<Operation> both, nothing;
  {
    const ControlDependencies after({first});
    both = graph.Group({second});
    nothing = graph.Group({});
  }
  const Session session(graph);
  session.Run({}, {}, {graph.GlobalVariablesInitializer()});
  session.Run({}, {}, {*both});
  EXPECT_EQ(Value(session.Run({v})[0]), 1);
  EXPECT_EQ(Value(session.Run({w})[0]), 10);
  session.Run({}, {}, {*nothing});
  EXPECT_EQ(Value(session.Run({v})[0]), 2);
  EXPECT_EQ(Value(session.Run({w})[0]), 10);
}

TEST(Session, AnOpRunsOnceForAllFetches) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable x(0.f, {.name = "x"});
  const Tensor update = x.AssignAdd(1.f);
  const Tensor twice = update * 2;
  const Session session(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  const auto values = session.Run({update, twice, update}, {}, {update});
  EXPECT_EQ(Value(values[0]), 1);
  EXPECT_EQ(Value(values[1]), 2);
  EXPECT_EQ(Value(session.Eval(x)), 1);
}

TEST(Session, ControlFlowAndItsGradient) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Tensor n = Placeholder(DType::kInt32, {}, "n");
  const Tensor x = Placeholder(DType::kFloat32, {}, "x");
  const Tensors loop = WhileLoop([&](const Tensors& v) { return Less(v[0], n); },
                                 [&](const Tensors& v) {
                                   return Tensors{v[0] + 1, v[1] * x};
                                 },
                                 {Scalar(0), x}, {.maximum_iterations = 5});
  const Tensor slope = Gradients(loop[1], x);
  const Tensor big = Cond(
      Greater(loop[1], 10.f), [&] { return loop[1]; }, [&] { return loop[1] * -1.f; });
  const Session session(graph);
  EXPECT_EQ(Value(session.Eval(loop[1], {{n, 3}, {x, 2}})), 16);
  EXPECT_EQ(Value(session.Eval(slope, {{n, 3}, {x, 2}})), 32);
  EXPECT_EQ(Value(session.Eval(loop[1], {{n, 100}, {x, 2}})), 64);
  EXPECT_EQ(Value(session.Eval(big, {{n, 0}, {x, 2}})), -2);
  EXPECT_EQ(Value(session.Eval(big, {{n, 3}, {x, 2}})), 16);
}

TEST(Session, FunctionsAndEffectsBecomePartOfTheGraph) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable v(1.f, {.name = "v"});
  const Function step([&](const Tensor& by) {
    v.AssignAdd(by);
    return by * 10;
  });
  const Tensor result = step(Scalar(2.f));
  const Operation reset = graph.GroupEffects([&] { v.Assign(0.f); }, "reset");
  const Session session(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  EXPECT_EQ(Value(session.Eval(result)), 20);
  EXPECT_EQ(Value(session.Eval(v)), 3);
  session.Run({reset});
  EXPECT_EQ(Value(session.Eval(v)), 0);
}

TEST(Session, VariablesThatEffectsMakeKeepTheirValues) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable v(1.f, {.name = "v"});
  Variable slot;
  const Operation step = graph.GroupEffects([&] {
    slot = Variable(5.f, {.name = "slot"});
    slot.AssignAdd(1.f);
    v.AssignAdd(slot.value());
  });
  const Session session(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  session.Run({step});
  session.Run({step});
  EXPECT_EQ(Value(session.Eval(slot)), 7);
  EXPECT_EQ(Value(session.Eval(v)), 14);  // 1 + 6 + 7
}

TEST(Session, NamesAsInVersionOne) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable v(1.f, {.name = "w"});
  const Variable u(1.f, {.name = "w"});
  EXPECT_EQ(v.name(), "w");
  EXPECT_EQ(u.name(), "w_1");
  const Tensor a = Placeholder(DType::kFloat32, {});
  const Tensor b = Placeholder(DType::kFloat32, {});
  EXPECT_EQ(NameOf(a), "Placeholder:0");
  EXPECT_EQ(NameOf(b), "Placeholder_1:0");
  {
    const NameScope outer("layer");
    EXPECT_EQ(NameOf(Named(a + b, "sum")), "layer/sum:0");
    const NameScope inner("part");
    EXPECT_EQ(NameOf(a * b), "layer/part/Mul:0");
    EXPECT_EQ(NameOf(a * b), "layer/part/Mul_1:0");
  }
  const NameScope again("layer");
  EXPECT_EQ(again.prefix(), "layer_1/");
  EXPECT_EQ(Operation(b).type(), "Placeholder");
  EXPECT_EQ(graph.OperationByName("layer/sum").inputs().size(), 2u);
  EXPECT_EQ(InitializerOf(u).name(), "w_1/Assign");
  ExpectError(Code::kNotFound, "got 'nobody'", [&] { graph.OperationByName("nobody"); });
  ExpectError(Code::kNotFound, "got 1 of 'Placeholder', which has 1",
              [&] { graph.TensorByName("Placeholder:1"); });
  ExpectError(Code::kInvalidArgument, "write \"Placeholder:0\"",
              [&] { graph.TensorByName("Placeholder"); });
}

TEST(Session, RefusesWhatDoesNotFit) {
  const Graph graph;
  Tensor x, bad;
  Variable v;
  {
    const auto scope = graph.AsDefault();
    x = Placeholder(DType::kFloat32, {-1, 2}, "x");
    bad = MatMul(x, Placeholder(DType::kFloat32, {-1, 2}, "y"));
    v = Variable(1.f, {.name = "v"});
  }
  const Session session(graph);
  ExpectError(Code::kInvalidArgument,
              "a feed has the shape of its tensor; got float32[3] for 'x:0' of float32[?,2]", [&] {
                session.Run({x}, {{x, Tensor({1, 2, 3})}});
              });
  ExpectError(Code::kInvalidArgument,
              "a feed has the dtype of its tensor; got int32[1,2] for 'x:0'", [&] {
                session.Run({x}, {{x, Constant<int32_t>({1, 2}, {1, 2})}});
              });
  ExpectError(Code::kInvalidArgument, "(op 'MatMul')", [&] {
    session.Run({bad}, {{x, Tensor({{1, 2}})}, {"y:0", Tensor({{1, 2}})}});
  });
  ExpectError(Code::kFailedPrecondition,
              "a graph's variable is read where the graph is the default", [&] { v.value(); });
  ExpectError(Code::kInvalidArgument, "a tensor of a graph is needed; got a value: float32[2]",
              [&] {
                session.Run({Tensor({1, 2})});
              });
  const Graph other;
  {
    const auto scope = other.AsDefault();
    ExpectError(Code::kInvalidArgument, "its own graph", [&] { x * 2; });
    const Tensor mine = Placeholder(DType::kFloat32, {}, "mine");
    ExpectError(Code::kInvalidArgument, "got 'mine:0' of another graph",
                [&] { session.Run({mine}); });
    other.Finalize();
    ExpectError(Code::kFailedPrecondition, "a finalized graph takes no more ops; got Mul",
                [&] { mine * 2; });
  }
  ExpectError(Code::kFailedPrecondition, "a graph must be the default; got none",
              [&] { Placeholder(DType::kFloat32, {}); });
}

TEST(Session, AClosedSessionSaysWhere) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Tensor x = Placeholder(DType::kFloat32, {});
  const Session session(graph);
  session.Close();
  const int line = __LINE__ - 1;
  EXPECT_TRUE(session.closed());
  ExpectError(Code::kFailedPrecondition,
              "which was closed at " + std::string(__FILE__) + ":" + std::to_string(line), [&] {
                session.Run({x}, {{x, 1}});
              });
}

TEST(Session, AFailureNamesTheOpAndLeavesVariables) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable v(Tensor({1, 2}), {.name = "v"});
  const Tensor index = Placeholder(DType::kInt32, {1}, "index");
  const Tensor update = v.AssignAdd(Tensor({1, 1}));
  const Tensor taken = Named(Gather(v.value(), index), "taken");
  const Tensor looped =
      WhileLoop([](const Tensors& i) { return Less(i[0], 3); },
                [&](const Tensors& i) {
                  v.AssignAdd(Tensor({1, 1}));
                  const Tensor row = Gather(v.value(), index + i[0]);
                  return Tensors{i[0] + 1 + Cast(ReduceSum(row * 0), DType::kInt32)};
                },
                {Scalar(0)})[0];
  const Session session(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  const Tensor seven = Constant<int32_t>({7});
  ExpectError(Code::kInvalidArgument, "(op 'taken')", [&] {
    session.Run({update, taken}, {{index, seven}});
  });
  EXPECT_THAT(session.Eval(v).data<float>(), ElementsAre(1, 2));
  ExpectError(Code::kInvalidArgument, "(op '", [&] {
    session.Run({looped}, {{index, Constant<int32_t>({1})}});
  });
  EXPECT_THAT(session.Eval(v).data<float>(), ElementsAre(1, 2));
}

TEST(Session, EndsWhenTimeIsUpOrSomebodyCancels) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable v(0.f, {.name = "v"});
  const Tensor forever = WhileLoop([](const Tensors& i) { return GreaterEqual(i[0], 0.f); },
                                   [&](const Tensors& i) {
                                     v.AssignAdd(1.f);
                                     return Tensors{i[0]};
                                   },
                                   {Scalar(0.f)})[0];
  const Session session(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  ExpectError(Code::kDeadlineExceeded, "a run must end within its timeout; got 20 ms",
              [&] { session.Run({forever}, {}, {}, {.timeout = std::chrono::milliseconds(20)}); });
  EXPECT_EQ(Value(session.Eval(v)), 0);
  const auto cancellation = std::make_shared<Cancellation>();
  std::thread other([&] {
    ExpectError(Code::kCancelled, "got Cancel",
                [&] { session.Run({forever}, {}, {}, {.cancellation = cancellation}); });
  });
  // Another run waits for the variable no longer than it may.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ExpectError(Code::kDeadlineExceeded, "waiting for 'v', which another run has",
              [&] { session.Run({v}, {}, {}, {.timeout = std::chrono::milliseconds(10)}); });
  cancellation->Cancel();
  other.join();
  std::thread last([&] {
    ExpectError(Code::kCancelled, "when the session was closed", [&] { session.Run({forever}); });
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  session.Close();
  last.join();
}

TEST(Session, RunsOfManyThreadsAreWhole) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable x(0.f, {.name = "x"}), y(0.f, {.name = "y"});
  const Operation both = graph.Group({x.AssignAdd(1.f), y.AssignAdd(1.f)});
  const Tensor difference = x.value() - y.value();
  // Read, add, assign: whole, too, as it is one run.
  const Tensor slow = x.Assign(x.value() + 1.f);
  const Operation slow_both = graph.Group({slow, y.Assign(y.value() + 1.f)});
  const Session session(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        session.Run({t % 2 == 0 ? both : slow_both});
        const auto mode = t % 2 == 0 ? Consistency::kSnapshot : Consistency::kSerializable;
        EXPECT_EQ(Value(session.Run({difference}, {}, {}, {.consistency = mode})[0]), 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Value(session.Eval(x)), 800);
}

TEST(Session, ConsistencyIsAskedFor) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable x(0.f, {.name = "x"});
  const Tensor update = x.AssignAdd(1.f);
  const Session session(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  ExpectError(Code::kFailedPrecondition, "a snapshot run writes nothing; got one that writes 'x'",
              [&] { session.Run({update}, {}, {}, {.consistency = Consistency::kSnapshot}); });
  EXPECT_EQ(Value(session.Run({update}, {}, {}, {.consistency = Consistency::kRelaxed})[0]), 1);
  {
    const ops::BuilderScope eager(&runtime::EagerBuilder::Instance());
    const Variable elsewhere(
        std::make_shared<runtime::VariableState>(Scalar(0.f), VariableOptions{}));
    const Lock lock(elsewhere);
    ExpectError(Code::kFailedPrecondition, "got one inside of a Lock or an Update",
                [&] { session.Run({x}); });
  }
  RunMetadata metadata;
  session.Run({x}, {}, {}, {}, &metadata);
  ASSERT_EQ(metadata.versions_read.size(), 1u);
  EXPECT_EQ(metadata.versions_read[0].variable, "x");
  EXPECT_EQ(metadata.versions_read[0].version, 2u);
}

TEST(Session, TellsWhatARunDid) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Tensor x = Placeholder(DType::kFloat32, {2, 2}, "x");
  const Tensor y = ReduceSum(MatMul(x, x));
  const Session session(graph);
  const Feeds feeds{{x, Tensor({{1, 0}, {0, 1}})}};
  RunMetadata metadata;
  const Tensor traced =
      session.Run({y}, feeds, {}, {.trace = true, .partition_graphs = true}, &metadata)[0];
  EXPECT_EQ(Value(traced), Value(session.Eval(y, feeds)));
  ASSERT_EQ(metadata.ops.size(), 2u);
  EXPECT_EQ(metadata.ops[0].name, "MatMul");
  EXPECT_EQ(metadata.ops[0].output_bytes, 16);
  EXPECT_EQ(metadata.peak_bytes, 20);
  EXPECT_THAT(metadata.TimelineJson(), HasSubstr("\"name\": \"MatMul\", \"output_bytes\": 16"));
  ASSERT_EQ(metadata.partition_graphs.size(), 1u);
  EXPECT_THAT(metadata.partition_graphs[0].dot, HasSubstr("MatMul"));
  EXPECT_THAT(metadata.partition_graphs[0].graph_def, HasSubstr("MatMul"));
  EXPECT_THAT(graph.ToDot(), HasSubstr("float32[2,2]"));
}

TEST(Session, SaysWhereOpsAreAndWhy) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  Variable v;
  Tensor sum;
  {
    const Device outer("/job:localhost");
    const Device inner("/device:CPU:1");
    v = Variable(1.f, {.name = "v"});
    const Device none(nullptr);
    sum = Named(v.value() + 1.f, "sum");
  }
  Tensor gpu;
  {
    const Device wished("/gpu:0");
    gpu = Named(sum * 2.f, "gpu");
  }
  Tensor beside;
  {
    const ColocateWith with{Operation(v.value())};
    beside = Named(sum + 1.f, "beside");
  }
  EXPECT_THAT(v.ToString(), HasSubstr("on /job:localhost/device:CPU:1, as a device scope says"));
  const Session session("", {.graph = std::make_shared<Graph>(graph), .devices = 2});
  session.Run({graph.GlobalVariablesInitializer()});
  RunMetadata metadata;
  EXPECT_EQ(Value(session.Run({gpu, beside}, {}, {}, {.partition_graphs = true}, &metadata)[0]), 4);
  const auto log = session.PlacementLog();
  const std::string cpu = "/job:localhost/replica:0/task:0/device:CPU:";
  EXPECT_THAT(log, testing::Contains("v (VarHandleOp) on " + cpu +
                                     "1: its device scope says /job:localhost/device:CPU:1"));
  EXPECT_THAT(log, testing::Contains(HasSubstr("gpu (Mul) on " + cpu + "0")));
  EXPECT_THAT(log, testing::Contains(HasSubstr("/device:GPU:0 is not there")));
  EXPECT_THAT(log, testing::Contains(HasSubstr("beside (AddV2) on " + cpu + "1: ")));
  ASSERT_EQ(metadata.partition_graphs.size(), 2u);
  EXPECT_THAT(metadata.partition_graphs[1].dot, HasSubstr("_Recv"));
  const Session strict(
      "", {.graph = std::make_shared<Graph>(graph), .devices = 2, .soft_placement = false});
  ExpectError(Code::kInvalidArgument, "got 'gpu' on /device:GPU:0, where there are " + cpu + "0",
              [&] { strict.Run({gpu}); });
  {
    const Device elsewhere("/job:ps/task:0");
    const Tensor far = Named(sum * 3.f, "far");
    ExpectError(Code::kInvalidArgument, "got 'far' on /job:ps/task:0", [&] { session.Run({far}); });
  }
  ExpectError(Code::kInvalidArgument, "a target is \"\", for this process",
              [&] { Session("grpc://here", {}); });
  ExpectError(Code::kInvalidArgument, "got \"x\" in \"/x\"", [] { const Device wrong("/x"); });
}

}  // namespace
}  // namespace lockstep
