#include "kernels/cpu/widened.h"

#include <algorithm>

#include "kernels/cpu/widen.h"

namespace lockstep::kernels {
namespace {

struct Operand {
  DType dtype = DType::kInvalid;
  int64_t elements = 0;
};

class WidenedKernel : public Kernel {
 public:
  WidenedKernel(const KernelSpec& spec, std::unique_ptr<Kernel> wide) : wide_(std::move(wide)) {
    for (const auto& type : spec.inputs) inputs_.push_back(OperandOf(type));
    for (const auto& type : spec.outputs) outputs_.push_back(OperandOf(type));
  }

  int64_t rows() const override { return wide_->rows(); }
  int64_t row_grain() const override { return wide_->row_grain(); }
  int64_t min_rows() const override { return wide_->min_rows(); }
  uint32_t aligned_inputs() const override { return wide_->aligned_inputs(); }
  double cost_per_row() const override { return wide_->cost_per_row(); }

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    thread_local std::vector<std::vector<float>> scratch;
    thread_local std::vector<const void*> inputs;
    thread_local std::vector<void*> outputs;
    scratch.resize(std::max(scratch.size(), inputs_.size() + outputs_.size()));
    inputs.clear();
    outputs.clear();
    for (size_t i = 0; i < inputs_.size(); ++i) {
      inputs.push_back(WideInput(memory.inputs[i], i, begin, end, scratch[i]));
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      std::vector<float>& own = scratch[inputs_.size() + i];
      outputs.push_back(IsHalf(outputs_[i].dtype) ? Room(own, outputs_[i].elements)
                                                  : memory.outputs[i]);
    }
    wide_->Run({inputs.data(), outputs.data()}, begin, end);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (!IsHalf(outputs_[i].dtype)) continue;
      const int64_t first = Part(outputs_[i], begin), last = Part(outputs_[i], end);
      Narrow(outputs_[i].dtype, static_cast<const float*>(outputs[i]) + first,
             static_cast<uint16_t*>(memory.outputs[i]) + first, last - first);
    }
  }

 private:
  static Operand OperandOf(const ops::TensorType& type) {
    return {type.dtype, type.shape.num_elements()};
  }
  static float* Room(std::vector<float>& memory, int64_t elements) {
    if (static_cast<int64_t>(memory.size()) < elements) memory.resize(elements);
    return memory.data();
  }
  int64_t Part(const Operand& operand, int64_t row) const {
    return rows() == 0 ? 0 : operand.elements / rows() * row;
  }
  const void* WideInput(const void* input, size_t i, int64_t begin, int64_t end,
                        std::vector<float>& scratch) const {
    const Operand& operand = inputs_[i];
    if (!IsHalf(operand.dtype) || input == nullptr) return input;
    const bool aligned = ops::HasBit(wide_->aligned_inputs(), i);
    const int64_t first = aligned ? Part(operand, begin) : 0;
    const int64_t last = aligned ? Part(operand, end) : operand.elements;
    float* wide = Room(scratch, operand.elements);
    Widen(operand.dtype, static_cast<const uint16_t*>(input) + first, wide + first, last - first);
    return wide;
  }

  std::unique_ptr<Kernel> wide_;
  std::vector<Operand> inputs_, outputs_;
};

std::vector<ops::TensorType> WideTypes(std::span<const ops::TensorType> types) {
  std::vector<ops::TensorType> wide(types.begin(), types.end());
  for (ops::TensorType& type : wide) {
    if (IsHalf(type.dtype)) type.dtype = type.element = DType::kFloat32;
  }
  return wide;
}

}  // namespace

std::unique_ptr<Kernel> MakeWidened(const KernelSpec& spec, KernelFactory factory) {
  const std::vector<ops::TensorType> inputs = WideTypes(spec.inputs);
  const std::vector<ops::TensorType> outputs = WideTypes(spec.outputs);
  auto wide = factory({spec.op, spec.attributes, inputs, outputs, spec.leaves});
  if (wide == nullptr) return nullptr;
  return std::make_unique<WidenedKernel>(spec, std::move(wide));
}

}  // namespace lockstep::kernels
