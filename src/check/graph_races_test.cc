#include "lockstep/check/graph_races.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/graph_def.h"
#include "graph/graph_def.pb.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/graph_def.h"

namespace lockstep {

namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(GraphRacesTest, TellsOfAFetchBesideItsUpdate) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable x(Tensor(1.0f), {.name = "x"});
  const Tensor read = Named(x.value(), "fetched");
  const Operation update = graph.GroupEffects([&] { x.AssignAdd(0.5f); }, "update");
  const auto races = FindRaces(graph, {.runs = {{NameOf(read), update.name()}}}).value();
  ASSERT_THAT(races, SizeIs(1));
  EXPECT_EQ(races[0].variable, "x");
  EXPECT_EQ(races[0].first.node, "fetched");
  EXPECT_EQ(races[0].second.op, "AssignAddVariableOp");
  EXPECT_EQ(races[0].effect, RaceEffect::kStaleRead);
  EXPECT_THAT(FindRaces(graph, {.runs = {{NameOf(read)}, {update.name()}}}).value(), IsEmpty());
}

TEST(GraphRacesTest, ControlDependenciesAndInitializersRaiseNoAlarm) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable x(Tensor(1.0f), {.name = "x"});
  const Variable y(Tensor(2.0f), {.name = "y"});
  GlobalVariablesInitializer();
  const Tensor updated = x.AssignAdd(0.5f);
  const ControlDependencies after({updated});
  Named(x.value() * y.value(), "product");
  const auto races = FindRaces(graph).value();
  EXPECT_THAT(races, IsEmpty());
}

// What a function leaves to its automatic control dependencies is told where they are off.
TEST(GraphRacesTest, FunctionsAreOrderedUnlessTheyAreToldNotToBe) {
  const Variable v(Tensor(1.0f), {.name = "v"});
  const Function step(
      [&](const Tensor& by) {
        v.Assign(v.value() * by);
        return v.value() + 1.0f;
      },
      "step");
  const Tensor by = Tensor::FromVector<float>({2}, {});
  EXPECT_THAT(FindRaces(step, {by}).value(), IsEmpty());
  const auto races = FindRaces(step, {by}, false).value();
  ASSERT_THAT(races, SizeIs(1));
  EXPECT_EQ(races[0].variable, "v");
  EXPECT_EQ(races[0].first.op, "AssignVariableOp");
  EXPECT_EQ(races[0].second.op, "ReadVariableOp");
}

TEST(GraphRacesTest, LoopsAndBranchesOfFunctionsAreOrdered) {
  const Variable v(Tensor(1.0f), {.name = "v"});
  const Variable w(Tensor(1.0f), {.name = "v"});  // another one of that name
  const Function step(
      [&](const Tensor& count) {
        return WhileLoop([&](const Tensors& i) { return Less(i[0], count); },
                         [&](const Tensors& i) {
                           v.Assign(v.value() * 2.0f);
                           Cond(
                               Less(v.value(), Tensor(100.0f)),
                               [&] { return Tensors{w.Assign(v.value())}; },
                               [&] { return Tensors{w.AssignAdd(1.0f)}; });
                           return Tensors{i[0] + 1.0f};
                         },
                         {Tensor::FromVector<float>({0}, {})})[0];
      },
      "loop");
  const Tensor count = Tensor::FromVector<float>({5}, {});
  EXPECT_THAT(FindRaces(step, {count}).value(), IsEmpty());
  const auto races = FindRaces(step, {count}, false).value();
  EXPECT_THAT(races, testing::Contains(testing::Field(&StaticRace::over, RaceScope::kIterations)));
  EXPECT_THAT(races, testing::Contains(testing::Field(&StaticRace::variable, "v_1")));
}

TEST(GraphRacesTest, OneEnumSaysWhatIsDone) {
  const Variable v(Tensor(1.0f), {.name = "v"});
  const Function step(
      [&] {
        v.Assign(Tensor::FromVector<float>({3}, {}));
        return v.value() + 1.0f;
      },
      "step");
  const auto races = FindRaces(step, {}, false).value();
  ASSERT_THAT(races, SizeIs(1));
  Report(races, RaceCheck::kIgnore);
  Report(races, RaceCheck::kWarn);
  try {
    Report(races, RaceCheck::kRaise);
    FAIL() << "nothing was raised";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kFailedPrecondition);
    EXPECT_THAT(error.status().message(), HasSubstr("variable \"v\": AssignVariableOp"));
  }
}

TEST(GraphDefOfTest, BothFormsHoldTheGraph) {
  const Variable v(Tensor(1.0f), {.name = "v"});
  const Function step([&](const Tensor& x) { return v.AssignAdd(x) * 2.0f; }, "step");
  const Tensor x = Tensor::FromVector<float>({1}, {});
  const auto text = graph::ReadGraphDefText(ToGraphDef(step, {x}), "text").value();
  const auto binary =
      graph::ReadGraphDefBinary(ToGraphDef(step, {x}, GraphForm::kBinary), "binary").value();
  EXPECT_EQ(graph::GraphDefText(*text.graph), graph::GraphDefText(*binary.graph));
  std::vector<std::string> ops;
  for (const auto& node : text.graph->node()) ops.push_back(node.op());
  EXPECT_THAT(ops, testing::IsSupersetOf({"Placeholder", "VarHandleOp", "AssignAddVariableOp",
                                          "ReadVariableOp", "Const", "Mul"}));
  const auto& constant = *std::find_if(text.graph->node().begin(), text.graph->node().end(),
                                       [](const auto& node) { return node.op() == "Const"; });
  EXPECT_EQ(constant.attr().at("value").tensor().tensor_content(), std::string("\0\0\0@", 4));
}

}  // namespace

}  // namespace lockstep
