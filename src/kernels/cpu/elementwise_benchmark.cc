// Element-wise kernels against memcpy, with operands in the first level of the cache, in the
// second, and in memory. usage: elementwise_benchmark

#include <cstring>

#include "kernels/cpu/benchmark_rounds.h"
#include "kernels/kernel.h"

namespace lockstep::kernels {
namespace {

struct Case {
  const char* op;
  std::vector<Shape> inputs;
  ops::Attributes attributes = {};
};

class Prepared {
 public:
  explicit Prepared(const Case& c) {
    const ops::OpSpec& spec = ops::OpRegistry::Global().Find(c.op);
    std::vector<ops::TensorType> types;
    for (const Shape& shape : c.inputs) {
      types.push_back({DType::kFloat32, shape, DType::kFloat32});
      inputs_.push_back(
          RandomFloats(shape.num_elements(), 1 + static_cast<uint32_t>(inputs_.size())));
    }
    const auto outputs = spec.infer({spec, c.attributes, types});
    static const LeafTable kNoLeaves;
    kernel_ = KernelRegistry::Cpu().Make({spec, c.attributes, types, outputs, kNoLeaves});
    output_.resize(static_cast<size_t>(outputs[0].shape.num_elements()));
    for (const Floats& input : inputs_) pointers_.push_back(input.data());
  }
  const Floats& output() const { return output_; }
  const Floats& input(size_t i) const { return inputs_[i]; }
  void Run() {
    void* out = output_.data();
    kernel_->Run({pointers_.data(), &out}, 0, kernel_->rows());
  }

 private:
  std::vector<Floats> inputs_;
  Floats output_;
  std::vector<const void*> pointers_;
  std::unique_ptr<Kernel> kernel_;
};

void Check() {
  Prepared add({"AddV2", {{3, 5}, {5}}});
  add.Run();
  for (size_t i = 0; i < 15; ++i) {
    Require(add.output()[i] == add.input(0)[i] + add.input(1)[i % 5], "AddV2");
  }
  Prepared grad({"ReluGrad", {{77}, {77}}});
  grad.Run();
  for (size_t i = 0; i < 77; ++i) {
    Require(grad.output()[i] == (grad.input(1)[i] > 0 ? grad.input(0)[i] : 0.0f), "ReluGrad");
  }
}

void Measure(int64_t rows, int64_t columns) {
  const Shape full{rows, columns};
  const std::vector<Case> cases = {{"Relu", {full}},
                                   {"AddV2", {full, full}},
                                   {"AddV2", {full, {columns}}},
                                   {"AddV2", {full, {rows, 1}}},
                                   {"Mul", {full, {}}},
                                   {"ReluGrad", {full, full}},
                                   {"Maximum", {full, full}},
                                   {"Sigmoid", {full}},
                                   {"Exp", {full}},
                                   {"Gelu", {full}, {{"approximate", false}}},
                                   {"GeluGrad", {full, full}, {{"approximate", false}}}};
  const int64_t count = rows * columns;
  const Floats from = RandomFloats(count, 9);
  Floats to(from.size());
  std::vector<std::unique_ptr<Prepared>> prepared;
  std::vector<Competitor> competitors = {
      {"memcpy", [&] { std::memcpy(to.data(), from.data(), from.size() * 4); }}};
  for (const Case& c : cases) {
    prepared.push_back(std::make_unique<Prepared>(c));
    std::string name = c.op;
    if (c.inputs.size() > 1) name += " " + c.inputs[1].ToString();
    competitors.push_back({name, [own = prepared.back().get()] { own->Run(); }});
  }
  RunRounds(full.ToString() + ", an element counted as one operation", static_cast<double>(count),
            competitors);
}

}  // namespace
}  // namespace lockstep::kernels

int main() {
  using namespace lockstep::kernels;
  PrintMachine();
  Check();
  Measure(32, 64);
  Measure(32, 1024);
  Measure(2048, 4096);
  return 0;
}
