#include "runtime/plan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "graph/passes.h"
#include "graph/rows.h"
#include "graph/tracer.h"
#include "lockstep/ops/activation.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/nn.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/gradient_tape.h"
#include "lockstep/runtime/variable.h"
#include "runtime/fold.h"
#include "runtime/op_probe.h"
#include "runtime/variable_cell.h"

namespace lockstep::runtime {
namespace {

using testing::Random;

bool SameBytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.raw_data(), b.raw_data(), a.num_bytes()) == 0;
}

graph::Graph Traced(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
                    const std::vector<Tensor>& arguments) {
  graph::Tracer tracer;
  std::vector<Tensor> parameters;
  for (const Tensor& argument : arguments)
    parameters.push_back(tracer.AddParameter(ops::TensorType::Of(argument)));
  ops::BuilderScope scope(&tracer);
  for (const Tensor& result : body(parameters))
    tracer.graph()->results().push_back(tracer.EndpointOf(result));
  return *tracer.graph();
}

std::vector<Tensor> RunGraph(const graph::Graph& graph, const std::vector<Tensor>& arguments,
                             int lanes, const PlanOptions& options = {}) {
  base::Team team(lanes);
  return Plan::Compile(graph, options)->Run(arguments, team);
}

// A network with every way in which values meet: rows, sums over rows, small solo steps.
std::vector<Tensor> Network(const std::vector<Tensor>& a) {
  const Tensor hidden = Relu(BiasAdd(MatMul(a[0], a[1]), a[2]));
  const Tensor again = Relu(hidden * 0.5f + 1.0f);
  const Tensor gradient = MatMul(a[0], again, /*transpose_a=*/true);
  const Tensor mean = ReduceMean(again);
  return {hidden, gradient * mean, ReduceSum(again, {0}), mean, Reshape(hidden, {-1})};
}

TEST(Plan, PassesLanesAndChunksNeverChangeABit) {
  const std::vector<Tensor> arguments{Random({37, 53}, 1), Random({53, 29}, 2), Random({29}, 3)};
  const auto expected = Network(arguments);  // eager
  const graph::Graph plain = Traced(Network, arguments);
  const graph::Graph pruned = graph::Prune(plain);
  const graph::Graph variants[] = {plain,
                                   pruned,
                                   graph::RemoveDuplicates(plain),
                                   graph::FuseProducts(plain),
                                   FoldConstants(plain),
                                   graph::Simplify(FoldConstants(plain))};
  for (const graph::Graph& graph : variants) {
    for (int lanes : {1, 2, 3, 8}) {
      for (const PlanOptions& options :
           {PlanOptions{}, PlanOptions{.fuse = false}, PlanOptions{.bucket_bytes = 1}}) {
        const auto results = RunGraph(graph, arguments, lanes, options);
        ASSERT_EQ(results.size(), expected.size());
        for (size_t i = 0; i < results.size(); ++i) {
          EXPECT_TRUE(SameBytes(results[i], expected[i]))
              << "result " << i << " lanes " << lanes << "\n"
              << graph.ToString();
        }
      }
    }
  }
}

TEST(Plan, LeavesFixTheSumsWhateverTheLanes) {
  const std::vector<Tensor> arguments{Random({100, 40}, 4), Random({100, 24}, 5)};
  const auto body = [](const std::vector<Tensor>& a) {
    return std::vector<Tensor>{MatMul(a[0], a[1], true), ReduceSum(a[0], {0}), ReduceMean(a[1])};
  };
  graph::Graph graph = Traced(body, arguments);
  const graph::RowAnalysis analysis = graph::AnalyzeRows(graph, 100, {true, true});
  ASSERT_TRUE(analysis.can_cut());
  EXPECT_EQ(analysis.rows_per_example.size(), 3u);
  const auto uncut = RunGraph(graph, arguments, 1);
  graph::CutIntoLeaves(graph, analysis, {0, 13, 50, 77, 100});
  const auto expected = RunGraph(graph, arguments, 1);
  EXPECT_FALSE(SameBytes(uncut[0], expected[0])) << "the leaves must show in the bits";
  for (int lanes : {2, 3, 5}) {
    const auto results = RunGraph(graph, arguments, lanes);
    for (size_t i = 0; i < results.size(); ++i)
      EXPECT_TRUE(SameBytes(results[i], expected[i])) << i;
  }
}

TEST(Plan, AReadKeepsItsVersionAcrossALaterWrite) {
  Variable x(Random({64, 300}, 6), {.name = "x"});
  const Tensor before = x.value();
  Function f([&](const Tensor& delta) {
    const Tensor old = x.value();
    x.AssignAdd(delta);
    const Tensor fresh = x.value();
    x.Assign(fresh * 2.0f);
    return old + fresh;  // old is read before the write and used after it
  });
  const Tensor delta = Random({64, 300}, 7);
  const Tensor sum = f(delta);
  EXPECT_TRUE(SameBytes(sum, before + (before + delta)));
  EXPECT_TRUE(SameBytes(x.value(), (before + delta) * 2.0f));
  EXPECT_EQ(x.version(), 2u);
}

TEST(Plan, AnAssignedTensorThatWasReadOutsideDoesNotChange) {
  Variable x(Tensor{1, 2, 3});
  const Tensor read = x.value();
  Function f([&](const Tensor& delta) { return x.AssignAdd(delta); });
  const Tensor first = f(Tensor{1, 1, 1});
  const Tensor second = f(Tensor{1, 1, 1});
  EXPECT_EQ(read.ToVector<float>(), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(first.ToVector<float>(), (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(second.ToVector<float>(), (std::vector<float>{3, 4, 5}));
}

TEST(Plan, ResultsThatAreArgumentsConstantsAndViews) {
  const Tensor constant{5, 6};
  Function f(Function::Body([&](const std::vector<Tensor>& a) {
    return std::vector<Tensor>{a[0], constant, Reshape(a[0], {2, 1}), a[0] + constant, a[0]};
  }));
  const auto results = f.Call({Tensor{1, 2}});
  EXPECT_EQ(results[0].ToVector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(results[1].ToVector<float>(), (std::vector<float>{5, 6}));
  EXPECT_EQ(results[2].shape(), (Shape{2, 1}));
  EXPECT_EQ(results[3].ToVector<float>(), (std::vector<float>{6, 8}));
}

TEST(Plan, EmptyBatchesRun) {
  Function f([](const Tensor& x, const Tensor& w) { return ReduceSum(Relu(MatMul(x, w)), {0}); });
  const Tensor empty = f(Tensor::FromVector<float>({}, {0, 3}), Random({3, 2}, 8));
  EXPECT_EQ(empty.ToVector<float>(), (std::vector<float>{0, 0}));
}

TEST(Plan, OfSeveralErrorsTheFirstRowsIsTold) {
  const auto body = [](const std::vector<Tensor>& a) {
    return std::vector<Tensor>{SparseSoftmaxCrossEntropyWithLogits(a[1], MatMul(a[0], a[2]))};
  };
  std::vector<int32_t> labels(64, 1);
  labels[9] = 77;
  labels[50] = -3;
  const std::vector<Tensor> arguments{Random({64, 40}, 1), Constant<int32_t>(labels),
                                      Random({40, 30}, 2)};
  const graph::Graph graph = Traced(body, arguments);
  for (int lanes : {1, 2, 5}) {
    for (int time = 0; time < 20; ++time) {  // whichever lane is late
      const std::string text = testing::MessageOf([&] { RunGraph(graph, arguments, lanes); });
      EXPECT_NE(text.find("77"), std::string::npos) << text;
    }
  }
}

TEST(Plan, TwoThreadsThatWriteOneVariableLoseNothing) {
  Variable x(Scalar(0.0f));
  Function f([&](const Tensor& delta) { return x.Assign(x.value() + delta); });
  f(Scalar(0.0f));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 250; ++i) f(Scalar(1.0f));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(x.value().scalar<float>(), 1000.0f);
}

TEST(Function, TracesOncePerSignature) {
  int traces = 0;
  Function f([&](const Tensor& x) {
    ++traces;
    return x * 2.0f;
  });
  f(Tensor{1});
  f(Tensor{3});
  EXPECT_EQ(traces, 1);
  f(Tensor{1, 2});
  EXPECT_EQ(traces, 2);
  EXPECT_EQ(f.num_traces(), 2);
}

TEST(Function, ASymbolicTensorThatEscapesIsRefused) {
  Tensor kept;
  Function f([&](const Tensor& x) {
    kept = x + 1.0f;
    return kept;
  });
  f(Tensor{1});
  EXPECT_EQ(testing::CodeOf([&] { kept * 2.0f; }), Code::kFailedPrecondition);
  EXPECT_EQ(testing::CodeOf([&] { kept.ToVector<float>(); }), Code::kFailedPrecondition);
  Function g([&](const Tensor& x) { return x + kept; });
  EXPECT_EQ(testing::CodeOf([&] { g(Tensor{1}); }), Code::kFailedPrecondition);
}

// A weight of 200 rows, of which those from 100 on are somewhere else.
struct DistantWeight {
  static constexpr int64_t kRows = 200, kColumns = 40;
  DistantWeight() {
    const auto* from = reinterpret_cast<const std::byte*>(value.raw_data());
    cell.AssignDistantRows({{100, 100, value.buffer(), from + 100 * kColumns * sizeof(float)}});
    cell.distant_rows().set_are_finite(true);
  }
  bool IsThere(int64_t row) const {
    const size_t begin = static_cast<size_t>(row * kColumns) * sizeof(float);
    return std::memcmp(cell.data_beside_distant_rows() + begin,
                       static_cast<const std::byte*>(value.raw_data()) + begin,
                       kColumns * sizeof(float)) == 0;
  }

  const Tensor value = Random({kRows, kColumns}, 1);
  Variable variable{
      Concat({Slice(value, {0, 0}, {100, kColumns}), Zeros(Shape{100, kColumns})}, 0)};
  VariableCell& cell = CellOf(variable.handle());
};

// Of its columns those with an even number are zero.
Tensor EveryOther(int64_t rows, int64_t columns) {
  std::vector<float> values = Random({rows, columns}, 2).ToVector<float>();
  for (size_t i = 0; i < values.size(); ++i)
    if (i % static_cast<size_t>(columns) % 2 == 0) values[i] = 0;
  return Tensor::FromVector(values, Shape{rows, columns});
}

TEST(Plan, BringsOfDistantRowsThoseThatAProductReads) {
  for (const int lanes : {1, 2}) {
    DistantWeight w;
    const Tensor x = EveryOther(16, DistantWeight::kRows);
    const graph::Graph graph = Traced(
        [&](const auto& a) { return std::vector<Tensor>{MatMul(a[0], w.variable.value())}; }, {x});
    EXPECT_TRUE(SameBytes(RunGraph(graph, {x}, lanes)[0], MatMul(x, w.value)));
    EXPECT_EQ(w.IsThere(150), lanes > 1);
    EXPECT_TRUE(w.IsThere(151));
    EXPECT_EQ(w.cell.distant_rows().pay(), lanes == 1);
    EXPECT_TRUE(SameBytes(w.variable.value(), w.value));
  }
}

TEST(Plan, BringsAllDistantRowsForWhoDoesNotAsk) {
  const auto reads = [](const Tensor& x, const Tensor& weight) {
    return std::vector<std::vector<Tensor>>{
        {MatMul(x, weight)},                                         // dense
        {MatMul(weight, Ones(Shape{DistantWeight::kColumns, 32}))},  // the other factor
        {MatMul(x, weight * 2.0f)},
        {weight},
        {MatMul(x, Reshape(weight, {DistantWeight::kRows, -1})), ReduceSum(weight)}};
  };
  const Tensor x = Random({16, DistantWeight::kRows}, 3);
  for (size_t i = 0; i < 5; ++i) {
    DistantWeight w;
    const graph::Graph graph =
        Traced([&](const auto& a) { return reads(a[0], w.variable.value())[i]; }, {x});
    // Only what the results need is in the plan.
    const auto results = RunGraph(graph::Prune(graph), {x}, 1), expected = reads(x, w.value)[i];
    for (size_t k = 0; k < results.size(); ++k)
      EXPECT_TRUE(SameBytes(results[k], expected[k])) << i;
    EXPECT_FALSE(w.cell.distant_rows().any()) << i;
    EXPECT_FALSE(w.cell.distant_rows().pay()) << i;
  }
}

// Adds ones to the rows [begin, begin + 50) of a weight.
void AddToRows(const DistantWeight& w, int64_t begin) {
  graph::Graph graph;
  const graph::Endpoint handle = graph.AddConstant(w.variable.handle());
  const graph::Endpoint ones = graph.AddConstant(Ones(Shape{50, DistantWeight::kColumns}));
  const graph::Endpoint rows{
      graph.AddNode("_VariableRows", {handle}, {{"begin", begin}, {"size", int64_t{50}}}).id, 0};
  graph.AddNode("AssignAddVariableOp", {rows, ones});
  RunGraph(graph, {}, 1);
}

TEST(Plan, WritesRowsBesideDistantOnes) {
  for (const int64_t begin : {0, 50, 51, 75, 150}) {
    DistantWeight w;
    const uint64_t version = w.cell.version();
    AddToRows(w, begin);
    EXPECT_EQ(w.cell.distant_rows().any(), begin <= 50);
    EXPECT_FALSE(w.cell.distant_rows().AreFinite());
    EXPECT_EQ(w.cell.version(), version + 1);
    std::vector<float> expected = w.value.ToVector<float>();
    for (int64_t i = begin * DistantWeight::kColumns; i < (begin + 50) * DistantWeight::kColumns;
         ++i)
      expected[static_cast<size_t>(i)] += 1;
    EXPECT_EQ(w.variable.value().ToVector<float>(), expected);
  }
}

TEST(Function, GradientsInsideATraceEqualEagerOnes) {
  const Tensor x = Random({5, 4}, 9), w = Random({4, 3}, 10);
  const auto gradient = [](const Tensor& x, const Tensor& w) {
    GradientTape tape;
    tape.Watch(w);
    return tape.Gradient(ReduceSum(Square(MatMul(x, w))), w);
  };
  EXPECT_TRUE(SameBytes(Function(gradient)(x, w), gradient(x, w)));
}

TEST(GradientTape, SecondDerivativesAndPersistence) {
  const Tensor x = Scalar(3.0f);
  GradientTape outer;
  outer.Watch(x);
  Tensor first;
  {
    GradientTape inner;
    inner.Watch(x);
    first = inner.Gradient(x * x * x, x);
    EXPECT_EQ(testing::CodeOf([&] { inner.Gradient(x, x); }), Code::kFailedPrecondition);
  }
  EXPECT_EQ(first.scalar<float>(), 27.0f);
  EXPECT_EQ(outer.Gradient(first, x).scalar<float>(), 18.0f);
}

TEST(GradientTape, UsesTheValueThatWasReadNotTheOneAssignedLater) {
  Variable x(Scalar(3.0f));
  GradientTape tape;
  const Tensor y = Square(x.value());
  x.Assign(10.0f);
  EXPECT_EQ(tape.Gradient(y, x).scalar<float>(), 6.0f);
}

TEST(GradientTape, UnconnectedIsNoneOrZero) {
  Variable x(Tensor{1, 2}), z(Tensor{3, 4});
  GradientTape tape({.persistent = true});
  const Tensor y = ReduceSum(x.value());
  EXPECT_FALSE(tape.Gradient(y, z).defined());
  EXPECT_EQ(tape.Gradient(y, z, {.zero_unconnected = true}).ToVector<float>(),
            (std::vector<float>{0, 0}));
  EXPECT_FALSE(tape.Gradient(StopGradient(x.value()), x).defined());
}

TEST(Variable, WrongValuesAreRefusedAndNothingIsLost) {
  Variable x(Tensor{1, 2}, {.name = "weights/x"});
  EXPECT_EQ(testing::CodeOf([&] { x.Assign(Tensor{1, 2, 3}); }), Code::kInvalidArgument);
  EXPECT_EQ(testing::CodeOf([&] {
              x.AssignAdd(Constant<double>({1, 2}));
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(x.value().ToVector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(x.version(), 0u);
}

}  // namespace
}  // namespace lockstep::runtime
