// Ranks that rest are told what a step writes, where that is all they need.

#include "distribute/programs/told_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "distribute/leaves.h"
#include "distribute/programs/spread_sums.h"
#include "graph/passes.h"
#include "graph/rows.h"
#include "graph/tracer.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/variable.h"
#include "ops/builder.h"

namespace lockstep::distribute {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr int64_t kExamples = 8;

// A step that adds the sum over a batch to `total`, and doubles a count.
graph::Graph CountedStep(const Variable& total, const Variable& count, bool gives_total = false) {
  graph::Tracer tracer;
  const Tensor x = tracer.AddParameter({DType::kFloat32, Shape{kExamples, 4}, DType::kFloat32});
  {
    ops::BuilderScope scope(&tracer);
    total.AssignAdd(ReduceSum(x, 0));
    count.AssignAdd(count.value());
    if (gives_total) tracer.graph()->results() = {tracer.EndpointOf(total.value())};
  }
  graph::Graph graph = graph::Prune(*tracer.graph());
  graph::CutIntoLeaves(graph, graph::AnalyzeRows(graph, kExamples, {true}),
                       MakeLeaves(kExamples, 1, 2).offsets);
  return graph;
}

// The programs of two ranks that work and one that rests.
std::vector<SpreadProgram> Programs(const graph::Graph& step) {
  const Roles roles = Roles(3).WithResting({false, false, true});
  return SpreadSumsOverAll(step,
                           {.examples = kExamples,
                            .has_rows = {true},
                            .offsets = {0, 4, 8},
                            .division = collectives::Division::FromBorders({0, 1, 2, 2}).OrThrow(),
                            .roles = roles});
}

std::multiset<std::string> OpsOf(const SpreadProgram& program) {
  std::multiset<std::string> ops;
  for (const graph::Node& node : program.graph.nodes())
    if (node.spec->name != "Const" && node.spec->name != "Arg") ops.insert(node.spec->name);
  return ops;
}

std::vector<int64_t> SentTo(int rank, const SpreadProgram& program) {
  std::vector<int64_t> bytes;
  for (const graph::Node& node : program.graph.nodes()) {
    if (node.spec->name != "_Exchange") continue;
    const auto& send = node.attributes.Get<std::vector<int64_t>>("send");
    for (size_t i = 0; i < send.size(); i += 4)
      if (send[i] == rank) bytes.push_back(send[i + 3]);
  }
  return bytes;
}

TEST(ToldValues, WhoRestsComputesNothing) {
  const Variable total(Tensor::FromVector<float>({0, 0, 0, 0}, {4}), {.name = "total"});
  const Variable count(Tensor(int64_t{0}), {.name = "count"});
  const auto programs = Programs(CountedStep(total, count));
  for (const SpreadProgram& program : programs) EXPECT_TRUE(program.resting_are_told);
  EXPECT_THAT(OpsOf(programs[2]), UnorderedElementsAre("_GatherVariables"));
  EXPECT_THAT(SentTo(1, programs[0]), ElementsAre(16));
  EXPECT_THAT(SentTo(2, programs[0]), IsEmpty()) << "no part of a sum";
  const graph::Node& gather = programs[2].graph.nodes().back();
  EXPECT_TRUE(TellsResting(gather));
  EXPECT_THAT(gather.attributes.Get<std::vector<int64_t>>("borders"),
              ElementsAre(0, 4, 4, 4, 0, 1, 1, 1))
      << "all is the chief's";
}

TEST(ToldValues, AllRanksTakeTheSameVariablesWhole) {
  const Variable total(Tensor::FromVector<float>({0, 0, 0, 0}, {4}), {.name = "total"});
  const Variable count(Tensor(int64_t{0}), {.name = "count"});
  const auto programs = Programs(CountedStep(total, count));
  EXPECT_EQ(programs[2].taken_whole.size(), 2u);
  EXPECT_EQ(programs[2].taken_whole, programs[0].taken_whole);
}

TEST(ToldValues, WhoNeedsResultsComputesThem) {
  const Variable total(Tensor::FromVector<float>({0, 0, 0, 0}, {4}), {.name = "total"});
  const Variable count(Tensor(int64_t{0}), {.name = "count"});
  const auto programs = Programs(CountedStep(total, count, /*gives_total=*/true));
  EXPECT_FALSE(programs[2].resting_are_told);
  EXPECT_GT(OpsOf(programs[2]).count("AssignAddVariableOp"), 0u);
  EXPECT_THAT(SentTo(2, programs[0]), ElementsAre(16));
}

TEST(ToldValues, WhatIsLargeIsNotSent) {
  const Variable total(Tensor::FromVector<float>({0, 0, 0, 0}, {4}), {.name = "total"});
  const Variable count(Tensor::FromVector(std::vector<int64_t>(40000), {40000}), {.name = "count"});
  EXPECT_FALSE(Programs(CountedStep(total, count))[2].resting_are_told);
}

}  // namespace
}  // namespace lockstep::distribute
