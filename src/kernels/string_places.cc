#include "kernels/string_places.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lockstep::kernels {
namespace {

// Ops whose output's elements are elements of their inputs, or that ask whether two are equal.
constexpr std::string_view kOps[] = {
    "BroadcastTo", "ConcatV2",  "Equal",        "Fill",
    "GatherNd",    "GatherV2",  "NotEqual",     "Pack",
    "ReverseV2",   "SelectV2",  "Slice",        "Split",
    "SplitV",      "SplitLike", "StridedSlice", "TensorScatterUpdate",
    "Tile",        "Transpose", "Unpack"};

// Equal and NotEqual of strings of one shape, or with a scalar.
class CompareStrings : public Kernel {
 public:
  explicit CompareStrings(const KernelSpec& spec)
      : equal_(spec.op.name == "Equal"),
        rows_(spec.outputs[0].shape.num_elements()),
        first_step_(spec.inputs[0].shape.rank() == 0 ? 0 : 1),
        second_step_(spec.inputs[1].shape.rank() == 0 ? 0 : 1) {}

  static bool Fits(const KernelSpec& spec) {
    if (!Compares(spec)) return false;
    const Shape &a = spec.inputs[0].shape, &b = spec.inputs[1].shape;
    return a == b || a.rank() == 0 || b.rank() == 0;
  }
  static bool Compares(const KernelSpec& spec) {
    return spec.op.name == "Equal" || spec.op.name == "NotEqual";
  }
  int64_t rows() const override { return rows_; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const auto* first = memory.in<std::string>(0);
    const auto* second = memory.in<std::string>(1);
    bool* out = memory.out<bool>(0);
    for (int64_t i = begin; i < end; ++i)
      out[i] = (first[i * first_step_] == second[i * second_step_]) == equal_;
  }

 private:
  bool equal_;
  int64_t rows_, first_step_, second_step_;
};

class StringKernel : public Kernel {
 public:
  StringKernel(const KernelSpec& spec, std::unique_ptr<Kernel> numbers)
      : numbers_(std::move(numbers)), compares_(CompareStrings::Compares(spec)) {
    for (const auto& type : spec.inputs) inputs_.push_back(ElementsOf(type));
    for (const auto& type : spec.outputs) outputs_.push_back(ElementsOf(type));
  }

  // One row: the numbers are those of a whole run.
  int64_t rows() const override { return 1; }

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (begin >= end) return;
    std::unordered_map<std::string_view, int64_t> numbers;
    std::vector<std::string_view> strings;
    std::vector<std::vector<int64_t>> input_numbers(inputs_.size()),
        output_numbers(outputs_.size());
    std::vector<const void*> inputs(memory.inputs, memory.inputs + inputs_.size());
    std::vector<void*> outputs(memory.outputs, memory.outputs + outputs_.size());
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i] < 0 || inputs[i] == nullptr) continue;
      const std::string* values = memory.in<std::string>(static_cast<int>(i));
      input_numbers[i].reserve(inputs_[i]);
      for (int64_t e = 0; e < inputs_[i]; ++e) {
        auto number = static_cast<int64_t>(strings.size());
        if (compares_) number = numbers.try_emplace(values[e], number).first->second;
        if (number == static_cast<int64_t>(strings.size())) strings.push_back(values[e]);
        input_numbers[i].push_back(number);
      }
      inputs[i] = input_numbers[i].data();
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i] < 0) continue;
      output_numbers[i].resize(outputs_[i]);
      outputs[i] = output_numbers[i].data();
    }
    numbers_->Run({inputs.data(), outputs.data()}, 0, numbers_->rows());
    for (size_t i = 0; i < outputs_.size(); ++i) {
      for (int64_t e = 0; e < outputs_[i]; ++e)
        memory.out<std::string>(static_cast<int>(i))[e] =
            output_numbers[i][e] < static_cast<int64_t>(strings.size())
                ? strings[output_numbers[i][e]]
                : std::string_view();
    }
  }

 private:
  // -1 for what holds no strings.
  static int64_t ElementsOf(const ops::TensorType& type) {
    return type.dtype == DType::kString ? type.shape.num_elements() : -1;
  }

  std::unique_ptr<Kernel> numbers_;
  bool compares_;  // then equal strings have equal numbers
  std::vector<int64_t> inputs_, outputs_;
};

std::vector<ops::TensorType> Numbered(std::span<const ops::TensorType> types) {
  std::vector<ops::TensorType> numbered(types.begin(), types.end());
  for (ops::TensorType& type : numbered) {
    if (type.dtype == DType::kString) type.dtype = type.element = DType::kInt64;
  }
  return numbered;
}

}  // namespace

std::unique_ptr<Kernel> MakeOnStrings(const KernelSpec& spec, KernelFactory factory) {
  const auto is_string = [](const ops::TensorType& type) { return type.dtype == DType::kString; };
  if (std::none_of(spec.inputs.begin(), spec.inputs.end(), is_string)) return nullptr;
  if (std::find(std::begin(kOps), std::end(kOps), spec.op.name) == std::end(kOps)) return nullptr;
  const std::vector<ops::TensorType> inputs = Numbered(spec.inputs),
                                     outputs = Numbered(spec.outputs);
  auto numbers = factory({spec.op, spec.attributes, inputs, outputs, spec.leaves});
  if (numbers == nullptr) return nullptr;
  if (CompareStrings::Fits(spec)) return std::make_unique<CompareStrings>(spec);
  return std::make_unique<StringKernel>(spec, std::move(numbers));
}

}  // namespace lockstep::kernels
