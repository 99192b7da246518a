// Whole networks: compiled for any number of lanes they give the bits of their leaves, or without
// leaves those of eager execution; and their batches can be cut.

#include <cmath>
#include <cstring>

#include "graph/passes.h"
#include "graph/rows.h"
#include "graph/tracer.h"
#include "lockstep/ops/activation.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/attention.h"
#include "lockstep/ops/convolution.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/nn.h"
#include "lockstep/ops/normalization.h"
#include "lockstep/ops/pooling.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "runtime/gradient_check_test.h"
#include "runtime/plan.h"

namespace lockstep::runtime {
namespace {

constexpr int64_t kExamples = 10;

// The losses of the examples, and the gradients of their sum.
using Losses = Tensor (*)(const std::vector<Tensor>& arguments);

std::vector<Tensor> LossAndGradients(Losses losses, const std::vector<Tensor>& arguments) {
  GradientTape tape;
  for (size_t i = 2; i < arguments.size(); ++i) tape.Watch(arguments[i]);
  const Tensor loss = losses(arguments);
  std::vector<Tensor> results =
      tape.Gradient(std::vector<Tensor>{loss}, {arguments.begin() + 2, arguments.end()});
  results.push_back(loss);
  return results;
}

// Arguments: images, labels, two filters with biases, a matrix and its bias.
Tensor ConvolutionalNetwork(const std::vector<Tensor>& a) {
  Tensor x = Relu(BiasAdd(Conv2D(a[0], a[2], {.padding = Padding::kSame}), a[3]));
  x = MaxPool(x, {2, 2}, {.strides = {2, 2}});
  x = Relu(BiasAdd(Conv2D(x, a[4]), a[5]));
  x = AvgPool(x, {2, 2});
  x = BiasAdd(MatMul(Reshape(x, {-1, 8}), a[6]), a[7]);
  return SparseSoftmaxCrossEntropyWithLogits(a[1], x);
}

// Arguments: sequences [n, 6, 8], labels [n, 6], scale and offset, three projections [8, 8], the
// output's matrix.
Tensor Transformer(const std::vector<Tensor>& a) {
  const Tensor x = LayerNormalization(a[0], a[2], a[3]);
  auto heads = [&](const Tensor& w) {
    return Transpose(Reshape(MatMul(x, w), {-1, 6, 2, 4}), {0, 2, 1, 3});
  };
  const Tensor mixed =
      ScaledDotProductAttention(heads(a[4]), heads(a[5]), heads(a[6]), {.causal = true});
  const Tensor joined = Reshape(Transpose(mixed, {0, 2, 1, 3}), {-1, 6, 8});
  return SparseSoftmaxCrossEntropyWithLogits(a[1], MatMul(Add(a[0], joined), a[7]));
}

// Windows that overlap, over what a rectifier gives. Arguments: images, labels, a bias.
Tensor PooledRectifier(const std::vector<Tensor>& a) {
  const Tensor pooled = MaxPool(Relu(BiasAdd(a[0], a[2])), {3, 3}, {.strides = {2, 2}});
  return ReduceSum(pooled * pooled, {1, 2, 3});
}

Tensor Labels(const Shape& shape, int32_t classes) {
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    labels.push_back(static_cast<int32_t>(i * 5 % classes));
  }
  return Tensor::FromVector(labels, shape);
}

std::vector<Tensor> ConvolutionalArguments() {
  return {RandomTensor<float>({kExamples, 8, 8, 3}, 1),
          Labels({kExamples}, 5),
          RandomTensor<float>({3, 3, 3, 6}, 2),
          RandomTensor<float>({6}, 3),
          RandomTensor<float>({2, 2, 6, 2}, 4),
          RandomTensor<float>({2}, 5),
          RandomTensor<float>({8, 5}, 6),
          RandomTensor<float>({5}, 7)};
}

std::vector<Tensor> TransformerArguments() {
  return {RandomTensor<float>({kExamples, 6, 8}, 1),
          Labels({kExamples, 6}, 7),
          RandomTensor<float>({8}, 2),
          RandomTensor<float>({8}, 3),
          RandomTensor<float>({8, 8}, 4),
          RandomTensor<float>({8, 8}, 5),
          RandomTensor<float>({8, 8}, 6),
          RandomTensor<float>({8, 7}, 7)};
}

// Traced with an unknown number of examples, then made for this one.
graph::Graph Traced(Losses losses, const std::vector<Tensor>& arguments) {
  graph::Tracer tracer;
  std::vector<Tensor> parameters;
  std::vector<ops::TensorType> types;
  for (size_t i = 0; i < arguments.size(); ++i) {
    types.push_back(ops::TensorType::Of(arguments[i]));
    ops::TensorType open = types.back();
    if (i < 2) open.shape.set_dim(0, Shape::kUnknown);
    parameters.push_back(tracer.AddParameter(open));
  }
  {
    ops::BuilderScope scope(&tracer);
    for (const Tensor& result : LossAndGradients(losses, parameters)) {
      tracer.graph()->results().push_back(tracer.EndpointOf(result));
    }
  }
  return graph::Specialize(*tracer.graph(), types);
}

void ExpectSameBytes(const std::vector<Tensor>& got, const std::vector<Tensor>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].shape(), want[i].shape());
    EXPECT_EQ(std::memcmp(got[i].raw_data(), want[i].raw_data(), want[i].num_bytes()), 0)
        << "result " << i;
  }
}

void ExpectBitsHold(Losses losses, const std::vector<Tensor>& arguments) {
  graph::Graph graph = Traced(losses, arguments);
  auto run = [&](const graph::Graph& program, int lanes, bool fuse) {
    base::Team team(lanes);
    return Plan::Compile(program, {.fuse = fuse})->Run(arguments, team);
  };
  auto expect_everywhere = [&](const std::vector<Tensor>& want) {
    const graph::Graph fused =
        graph::MaskBeforeUnpooling(graph::FuseHeads(graph::FuseProducts(graph)));
    for (const int lanes : {1, 2, 3, 8}) {
      for (const bool fuse : {false, true}) {
        SCOPED_TRACE(std::to_string(lanes) + " lanes" + (fuse ? ", fused" : ""));
        ExpectSameBytes(run(graph, lanes, fuse), want);
        ExpectSameBytes(run(fused, lanes, fuse), want);
      }
    }
  };
  expect_everywhere(LossAndGradients(losses, arguments));
  std::vector<bool> rows(arguments.size(), false);
  rows[0] = rows[1] = true;
  const graph::RowAnalysis analysis = graph::AnalyzeRows(graph, kExamples, rows);
  ASSERT_TRUE(analysis.can_cut()) << graph.node(analysis.mixing_node).name;
  EXPECT_EQ(analysis.rows_per_example.size(), arguments.size() - 2);  // one sum for each weight
  graph::CutIntoLeaves(graph, analysis, {0, 3, 6, 10});
  expect_everywhere(run(graph, 1, false));
}

TEST(Compiled, ConvolutionalNetworkKeepsItsBits) {
  ExpectBitsHold(ConvolutionalNetwork, ConvolutionalArguments());
}

TEST(Compiled, PooledRectifierKeepsItsBitsWithTiesAndNotANumber) {
  std::vector<Tensor> arguments = {RandomTensor<float>({kExamples, 7, 9, 5}, 1),
                                   Labels({kExamples}, 5), RandomTensor<float>({5}, 2)};
  std::vector<float> pixels = arguments[0].ToVector<float>();
  for (size_t i = 0; i < pixels.size(); i += 3) pixels[i] = -1;  // zeros behind the rectifier
  for (size_t i = 0; i < pixels.size(); i += 97) pixels[i] = std::nanf("");
  arguments[0] = Tensor::FromVector(pixels, arguments[0].shape());
  ExpectBitsHold(PooledRectifier, arguments);
}

TEST(Compiled, TransformerKeepsItsBits) { ExpectBitsHold(Transformer, TransformerArguments()); }

// A replica may get no example at all: its sums are zeros, never NaN.
TEST(Compiled, NoExamplesGiveZeroGradients) {
  for (const bool convolutional : {true, false}) {
    std::vector<Tensor> arguments =
        convolutional ? ConvolutionalArguments() : TransformerArguments();
    for (size_t i = 0; i < 2; ++i) {
      Shape none = arguments[i].shape();
      none.set_dim(0, 0);
      arguments[i] = i == 0 ? Tensor::FromVector(std::vector<float>(), none)
                            : Tensor::FromVector(std::vector<int32_t>(), none);
    }
    const auto results =
        LossAndGradients(convolutional ? ConvolutionalNetwork : Transformer, arguments);
    EXPECT_EQ(results.back().num_elements(), 0);
    for (size_t i = 0; i + 1 < results.size(); ++i) {
      EXPECT_EQ(results[i].shape(), arguments[i + 2].shape());
      for (const float value : results[i].data<float>()) EXPECT_EQ(value, 0) << "weight " << i;
    }
  }
}

}  // namespace
}  // namespace lockstep::runtime
