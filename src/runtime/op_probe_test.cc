#include <cstring>
#include <random>

#include "graph/graph.h"
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

}  // namespace lockstep::runtime::testing
