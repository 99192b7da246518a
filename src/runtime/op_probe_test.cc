#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "graph/graph.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/gradient_tape.h"
#include "runtime/op_probe.h"
#include "tensor/buffer.h"

namespace lockstep::runtime::testing {

Tensor Counting(const Shape& shape) {
  std::vector<float> values;
  for (int64_t i = 0; i < shape.num_elements(); ++i) values.push_back(static_cast<float>(i));
  return Tensor::FromVector(values, shape);
}

Tensor Random(const Shape& shape, uint64_t seed, DType dtype) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values;
  for (int64_t i = 0; i < shape.num_elements(); ++i) values.push_back(uniform(random));
  if (dtype == DType::kFloat64) return Tensor::FromVector(values, shape);
  return Tensor::FromVector(std::vector<float>(values.begin(), values.end()), shape);
}

namespace {

struct Prepared {
  std::unique_ptr<kernels::Kernel> kernel;
  std::vector<ops::TensorType> types;
  std::vector<std::shared_ptr<tensor::Buffer>> buffers;
  std::vector<const void*> inputs;
  std::vector<void*> outputs;

  Prepared(std::string_view op, const std::vector<Tensor>& tensors,
           const ops::Attributes& attributes, const kernels::LeafTable& leaves) {
    const ops::OpSpec& spec = ops::OpRegistry::Global().Find(op);
    std::vector<ops::TensorType> input_types;
    for (const Tensor& tensor : tensors) {
      input_types.push_back(ops::TensorType::Of(tensor));
      inputs.push_back(tensor.raw_data());
    }
    types = graph::InferTypes(spec, attributes, input_types);
    kernel = kernels::KernelRegistry::Cpu().Make({spec, attributes, input_types, types, leaves});
    for (const auto& type : types) {
      buffers.push_back(tensor::Buffer::Allocate(type.dtype, type.shape.num_elements()));
      outputs.push_back(buffers.back()->data());
    }
  }
  void Run(int64_t begin, int64_t end) { kernel->Run({inputs.data(), outputs.data()}, begin, end); }
};

}  // namespace

Tensor RunWithLeaves(std::string_view op, const std::vector<Tensor>& inputs,
                     const ops::Attributes& attributes, const kernels::LeafTable& leaves) {
  Prepared run(op, inputs, attributes, leaves);
  run.Run(0, run.kernel->rows());
  return Tensor::FromBuffer(run.buffers[0], run.types[0].dtype, run.types[0].shape);
}

bool RunSplit(std::string_view op, const std::vector<Tensor>& inputs,
              const ops::Attributes& attributes, const kernels::LeafTable& leaves) {
  Prepared whole(op, inputs, attributes, leaves);
  const int64_t rows = whole.kernel->rows();
  whole.Run(0, rows);
  for (int64_t piece : {1, 2, 3, 7}) {
    Prepared parts(op, inputs, attributes, leaves);
    for (int64_t begin = (rows - 1) / piece * piece; begin >= 0 && rows > 0; begin -= piece) {
      parts.Run(begin, std::min(rows, begin + piece));
    }
    for (size_t i = 0; i < whole.types.size(); ++i) {
      const size_t bytes = whole.types[i].shape.num_elements() * DTypeSize(whole.types[i].dtype);
      if (bytes > 0 && std::memcmp(whole.outputs[i], parts.outputs[i], bytes) != 0) return false;
    }
  }
  return true;
}

std::vector<Tensor> TapeGradients(const TensorFunction& function, const std::vector<Tensor>& inputs,
                                  const Tensor& weights) {
  GradientTape tape;
  for (const Tensor& input : inputs) tape.Watch(input);
  const Tensor result = function(inputs);
  std::vector<Tensor> gradients =
      tape.Gradient(std::vector<Tensor>{result}, inputs, {.output_gradients = {weights}});
  for (Tensor& gradient : gradients) {
    if (const IndexedSlices* slices = IndexedSlices::Of(gradient)) gradient = slices->ToDense();
  }
  return gradients;
}

namespace {

double WeightedSum(const Tensor& values, const Tensor& weights) {
  double sum = 0;
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    sum += values.data<double>()[i] * weights.data<double>()[i];
  }
  return sum;
}

// The derivative of the weighted sum with respect to element i of input k.
double CentralDifference(const TensorFunction& function, std::vector<Tensor> inputs, size_t k,
                         int64_t i, const Tensor& weights) {
  constexpr double kStep = 1e-5;
  std::vector<double> values = inputs[k].ToVector<double>();
  const Shape shape = inputs[k].shape();
  const double middle = values[i];
  values[i] = middle + kStep;
  inputs[k] = Tensor::FromVector(values, shape);
  const double above = WeightedSum(function(inputs), weights);
  values[i] = middle - kStep;
  inputs[k] = Tensor::FromVector(values, shape);
  return (above - WeightedSum(function(inputs), weights)) / (2 * kStep);
}

}  // namespace

double GradientError(const TensorFunction& function, const std::vector<Tensor>& inputs, int order) {
  const Tensor weights = Random(function(inputs).shape(), 99, DType::kFloat64);
  const auto gradients = TapeGradients(function, inputs, weights);
  double worst = 0;
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (!gradients[k].defined() || gradients[k].shape() != inputs[k].shape()) return INFINITY;
    for (int64_t i = 0; i < inputs[k].num_elements(); ++i) {
      const double found = gradients[k].data<double>()[i];
      const double wanted = CentralDifference(function, inputs, k, i, weights);
      const double error = std::abs(found - wanted) / (1 + std::abs(wanted));
      worst = error <= worst ? worst : error;
    }
    if (order == 1) continue;
    // The gradient as a function of all inputs and of the weights.
    std::vector<Tensor> all = inputs;
    all.push_back(weights);
    const auto gradient = [&](const std::vector<Tensor>& at) {
      const std::vector<Tensor> own(at.begin(), at.end() - 1);
      const Tensor result = TapeGradients(function, own, at.back())[k];
      return result;
    };
    const double error = GradientError(
        [&](const std::vector<Tensor>& at) {
          // Without curvature some gradients do not depend on the inputs at all.
          Tensor sum = gradient(at);
          for (const Tensor& tensor : at) sum = sum + ReduceSum(tensor) * 0.5;
          return sum;
        },
        all);
    worst = error <= worst ? worst : error;
  }
  return worst;
}

Code CodeOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return Code::kOk;
}

std::string MessageOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.status().message();
  }
  return "";
}

TEST(OpProbeTest, SeesAWrongGradientAndAWrongSecondGradient) {
  const Tensor x = Random({3}, 1, DType::kFloat64);
  const auto half_missing = [](const std::vector<Tensor>& t) { return StopGradient(t[0]) * t[0]; };
  EXPECT_GT(GradientError(half_missing, {x}), 0.01);
  const auto right = [](const std::vector<Tensor>& t) { return t[0] * t[0] * t[0]; };
  EXPECT_LT(GradientError(right, {x}, 2), 1e-8);
}

}  // namespace lockstep::runtime::testing
