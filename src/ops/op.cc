#include "ops/op.h"

#include <algorithm>

#include "base/check.h"
#include "ops/signature.h"

namespace lockstep::ops {

std::vector<TensorType> TypesOf(std::span<const Tensor> tensors) {
  std::vector<TensorType> types;
  types.reserve(tensors.size());
  for (const Tensor& tensor : tensors) types.push_back(TensorType::Of(tensor));
  return types;
}

std::string TensorType::ToString() const {
  return std::string(DTypeName(dtype)) + shape.ToString();
}

OpRegistry& OpRegistry::Global() {
  static OpRegistry registry;
  return registry;
}

void OpRegistry::Register(OpSpec spec) {
  auto place =
      std::lower_bound(specs_.begin(), specs_.end(), spec.name,
                       [](const auto& a, const std::string& name) { return a->name < name; });
  if (place != specs_.end() && (*place)->name == spec.name) {
    base::CheckFailed(__FILE__, __LINE__, "an op is registered once; got twice " + spec.name);
  }
  spec.signature = FindSignature(spec.name);
  specs_.insert(place, std::make_unique<OpSpec>(std::move(spec)));
}

const OpSpec& OpRegistry::Find(std::string_view name) const {
  auto place = std::lower_bound(specs_.begin(), specs_.end(), name,
                                [](const auto& a, std::string_view n) { return a->name < n; });
  if (place == specs_.end() || (*place)->name != name) {
    throw Error(Code::kNotFound, "[ops] an op must be registered; got " + std::string(name));
  }
  return **place;
}

std::vector<const OpSpec*> OpRegistry::All() const {
  std::vector<const OpSpec*> all;
  for (const auto& spec : specs_) all.push_back(spec.get());
  return all;
}

std::vector<TensorType> SameAsFirstInput(const InferenceContext& context) {
  return {context.inputs[0]};
}

std::vector<TensorType> BroadcastInputs(const InferenceContext& context) {
  TensorType result = context.inputs[0];
  for (size_t i = 1; i < context.inputs.size(); ++i) {
    if (context.inputs[i].dtype != result.dtype) {
      throw Error(Code::kInvalidArgument, "[" + context.spec.name + "] dtypes must agree; got " +
                                              result.ToString() + " and " +
                                              context.inputs[i].ToString() + "; cast one of them");
    }
    result.shape =
        BroadcastShapes(result.shape, context.inputs[i].shape, context.spec.name.c_str());
  }
  return {result};
}

RowEffect RowsStay(const RowContext& context) {
  if (context.outputs.empty()) return RowEffect::kMixes;
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    if (!context.has_rows[i]) {
      // Without rows it must not vary along axis 0 of the output, else rows would be cut wrongly.
      const Shape& shape = context.inputs[i].shape;
      if (context.inputs[i].dtype != DType::kResource &&
          shape.rank() == context.outputs[0].shape.rank() && shape.rank() > 0 && shape[0] != 1) {
        return RowEffect::kMixes;
      }
      continue;
    }
    if (context.inputs[i].shape.rank() != context.outputs[0].shape.rank()) return RowEffect::kMixes;
  }
  return RowEffect::kRows;
}

RowEffect RowsMix(const RowContext&) { return RowEffect::kMixes; }

}  // namespace lockstep::ops
