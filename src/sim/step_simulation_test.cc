#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "base/randomness.h"
#include "base/team.h"
#include "distribute/leaves.h"
#include "distribute/programs/rank_program.h"
#include "distribute/programs/spread_sums.h"
#include "graph/passes.h"
#include "graph/rows.h"
#include "graph/tracer.h"
#include "lockstep/ops/activation.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/nn.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/gradient_tape.h"
#include "runtime/segmented_program.h"
#include "sim/world.h"
#include "tensor/buffer.h"

/// One training step over ranks of a simulated cluster: the road that Mirrored takes in one
/// process, cut at its collectives, over a wire that loses messages.

namespace lockstep::sim {
namespace {

using collectives::Division;
using runtime::SegmentedProgram;

Tensor Random(const Shape& shape, uint64_t seed) {
  base::SeededRandomness randomness(seed);
  std::vector<float> values(shape.num_elements());
  for (float& value : values) value = static_cast<float>(randomness.Below(2001)) / 1000.0f - 1.0f;
  return Tensor::FromVector(values, shape);
}

constexpr int64_t kExamples = 50;
const std::vector<bool> kHasRows{true, true, false, false, false};

// Gradients of a small network and its loss: sums over examples of each kind.
std::vector<Tensor> Step(const std::vector<Tensor>& a) {
  GradientTape tape;
  for (int i = 2; i < 5; ++i) tape.Watch(a[i]);
  const Tensor hidden = Relu(BiasAdd(MatMul(a[0], a[2]), a[3]));
  const Tensor loss = ReduceMean(SparseSoftmaxCrossEntropyWithLogits(a[1], MatMul(hidden, a[4])));
  auto results = tape.Gradient(std::vector<Tensor>{loss}, {a[2], a[3], a[4]});
  results.push_back(loss);
  // Something that needs the sum: a second round of collectives.
  results.push_back(ReduceSum(Square(hidden) * loss, {0}));
  // Ones in a shape that only the run tells.
  results.push_back(ReduceSum(OnesLike(BooleanMask(a[3], Greater(a[3], Scalar<float>(0))))));
  return results;
}

std::vector<Tensor> Arguments() {
  std::vector<int32_t> labels;
  for (int i = 0; i < kExamples; ++i) labels.push_back(i * 7 % 5);
  return {Random({kExamples, 12}, 1), Constant<int32_t>(labels), Random({12, 9}, 2), Random({9}, 3),
          Random({9, 5}, 4)};
}

graph::Graph TracedStep(const std::vector<Tensor>& arguments, const std::vector<int64_t>& offsets) {
  graph::Tracer tracer;
  std::vector<Tensor> parameters;
  for (const Tensor& argument : arguments)
    parameters.push_back(tracer.AddParameter(ops::TensorType::Of(argument)));
  {
    ops::BuilderScope scope(&tracer);
    for (const Tensor& result : Step(parameters))
      tracer.graph()->results().push_back(tracer.EndpointOf(result));
  }
  graph::Graph graph = graph::Prune(*tracer.graph());
  graph::CutIntoLeaves(graph, graph::AnalyzeRows(graph, kExamples, kHasRows), offsets);
  return graph;
}

Tensor RowsOf(const Tensor& value, int64_t begin, int64_t end) {
  const int64_t row = value.num_elements() / value.shape()[0];
  Shape shape = value.shape();
  shape.set_dim(0, end - begin);
  if (value.dtype() == DType::kInt32) {
    return Tensor::FromHost(value.data<int32_t>().subspan(begin * row, (end - begin) * row), shape);
  }
  return Tensor::FromHost(value.data<float>().subspan(begin * row, (end - begin) * row), shape);
}

std::string BytesOf(const std::vector<Tensor>& values) {
  std::string bytes;
  for (const Tensor& value : values)
    bytes.append(static_cast<const char*>(value.raw_data()), value.num_bytes());
  return bytes;
}

struct Outcome {
  std::vector<Result<std::vector<Tensor>>> results;
  uint64_t trace = 0;
};

// Runs the step over `division` of the leaves; `disturb` may arrange faults.
Outcome RunOverRanks(uint64_t seed, const Division& division, const std::vector<int64_t>& offsets,
                     const std::function<void(World&)>& disturb) {
  const auto arguments = Arguments();
  World world(seed, {.num_ranks = division.num_ranks()});
  base::Team team(1);
  std::vector<std::unique_ptr<distribute::Communicator>> ranks;
  std::vector<std::unique_ptr<distribute::RankProgram>> programs;
  Outcome outcome;
  std::vector<std::optional<Result<std::vector<Tensor>>>> results(division.num_ranks());
  disturb(world);
  for (int rank = 0; rank < division.num_ranks(); ++rank) {
    ranks.push_back(std::make_unique<distribute::Communicator>(
        world.transport(rank),
        [](const std::function<bool()>&) { FAIL() << "nobody waits here"; }));
    distribute::SpreadOptions options{.examples = kExamples,
                                      .has_rows = kHasRows,
                                      .offsets = offsets,
                                      .division = division,
                                      .rank = rank};
    programs.push_back(std::make_unique<distribute::RankProgram>(
        distribute::SpreadSums(TracedStep(arguments, offsets), options), *ranks[rank],
        ExecutionOptions()));
    const auto block = division.block(rank);
    auto local = arguments;
    for (int i = 0; i < 2; ++i)
      local[i] = RowsOf(arguments[i], offsets[block.begin], offsets[block.end]);
    programs[rank]->Start(local, team, [&results, rank](Result<std::vector<Tensor>> result) {
      results[rank] = std::move(result);
    });
  }
  const auto all_done = [&] {
    return std::all_of(results.begin(), results.end(),
                       [](const auto& result) { return result.has_value(); });
  };
  EXPECT_TRUE(world.RunUntil(all_done, std::chrono::minutes(5)));
  for (auto& result : results) {
    outcome.results.push_back(result.has_value() ? *result
                                                 : Status(Code::kInternal, "[test] never done"));
  }
  outcome.trace = world.trace().hash();
  ranks.clear();
  return outcome;
}

// A gradient begins with ones in the shape of the loss, not with the loss: all sums but the last,
// which needs another, go in one round.
TEST(StepSimulation, GradientsTravelWithTheLoss) {
  const std::vector<int64_t> offsets{0, 16, 32, 50};
  const distribute::SpreadProgram program =
      distribute::SpreadSums(TracedStep(Arguments(), offsets), {.examples = kExamples,
                                                                .has_rows = kHasRows,
                                                                .offsets = offsets,
                                                                .division = Division::Even(3, 2)});
  int exchanges = 0;
  for (const graph::Node& node : program.graph.nodes())
    exchanges += node.spec->name == "_Exchange" ? 1 : 0;
  EXPECT_EQ(exchanges, 2);
  // Constants have all their elements, also those that stand for a shape: a graph may be sent.
  for (const graph::Node& node : program.graph.nodes()) {
    const Tensor* constant = program.graph.constant({node.id, 0});
    if (constant != nullptr && constant->dtype() != DType::kResource) {
      EXPECT_EQ(constant->buffer()->num_bytes(), constant->num_bytes()) << node.name;
    }
  }
}

TEST(StepSimulation, EveryDivisionGivesTheBitsOfOneProcess) {
  for (int leaves : {1, 2, 4, 5, 8}) {
    const auto offsets = distribute::MakeLeaves(kExamples, 1, leaves).offsets;
    SegmentedProgram whole(TracedStep(Arguments(), offsets));
    ASSERT_EQ(whole.num_segments(), 1);
    base::Team team(3);
    const std::string expected = BytesOf(whole.Run(Arguments(), team));
    for (int ranks : {1, 2, 3, 4}) {
      const auto division = Division::Even(leaves, ranks);
      const Outcome outcome = RunOverRanks(7, division, offsets, [](World&) {});
      for (const auto& result : outcome.results) {
        ASSERT_TRUE(result.ok()) << result.status().ToString();
        EXPECT_EQ(BytesOf(*result), expected) << leaves << " leaves over " << ranks << " ranks";
      }
    }
  }
}

TEST(StepSimulation, TwoRanksAndOneLostMessage) {
  const auto offsets = distribute::MakeLeaves(kExamples, 1, 4).offsets;
  base::Team team(1);
  const std::string expected =
      BytesOf(SegmentedProgram(TracedStep(Arguments(), offsets)).Run(Arguments(), team));
  const auto lose_one = [](World& world) { world.network().LoseNext(0, 1, 1); };
  const Outcome first = RunOverRanks(11, Division::Even(4, 2), offsets, lose_one);
  const Outcome again = RunOverRanks(11, Division::Even(4, 2), offsets, lose_one);
  const Outcome undisturbed = RunOverRanks(11, Division::Even(4, 2), offsets, [](World&) {});
  for (const auto& result : first.results) {
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    EXPECT_EQ(BytesOf(*result), expected);
  }
  EXPECT_EQ(first.trace, again.trace) << "equal seeds give equal traces";
  EXPECT_NE(first.trace, undisturbed.trace) << "the message was really lost";
}

TEST(StepSimulation, ADeadRankEndsTheStepOnTheSurvivorWithANamedCause) {
  const auto offsets = distribute::MakeLeaves(kExamples, 1, 4).offsets;
  const Outcome outcome = RunOverRanks(13, Division::Even(4, 2), offsets, [&](World& world) {
    world.network().CutOneWay(0, 1);
    world.network().CutOneWay(1, 0);
  });
  for (const auto& result : outcome.results) {
    ASSERT_FALSE(result.ok());
    EXPECT_TRUE(result.status().code() == Code::kUnavailable ||
                result.status().code() == Code::kDeadlineExceeded ||
                result.status().code() == Code::kAborted)
        << result.status().ToString();
  }
}

}  // namespace
}  // namespace lockstep::sim
