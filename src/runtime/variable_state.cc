#include "runtime/variable_state.h"

#include "ops/builder.h"
#include "runtime/variable_cell.h"

namespace lockstep::runtime {

VariableState::VariableState(const Tensor& initial, VariableOptions options)
    : options_(std::move(options)) {
  auto cell = std::make_shared<VariableCell>(options_.name, initial, trainable());
  first_ = Tensor::FromObject(std::move(cell), DType::kResource, initial.shape(), initial.dtype());
}

bool VariableState::trainable() const {
  return options_.trainable.value_or(options_.synchronization != VariableSynchronization::kOnRead);
}

Tensor VariableState::Read() const { return ops::Emit1("ReadVariableOp", {Handle()}); }

std::vector<Tensor> VariableState::Strong(std::vector<Tensor> inputs) const {
  for (Tensor& input : inputs) {
    if (!input.is_weak()) continue;
    const DType own = first_.element_dtype();
    if (input.dtype() == DType::kFloat64 && !IsFloating(own)) {
      throw Error(Code::kInvalidArgument,
                  "[variable] a real number needs a floating variable; got " + input.ToString() +
                      " for " + NameAndType() + "; round it first");
    }
    input = ops::CastScalar(input, own);
  }
  return inputs;
}

std::vector<Tensor> VariableState::Update(std::string_view op, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> all = Strong(inputs);
  all.insert(all.begin(), Handle());
  return ops::Emit(op, std::move(all));
}

std::string VariableState::NameAndType() const {
  return "'" + options_.name + "' " + std::string(DTypeName(first_.element_dtype())) +
         first_.shape().ToString();
}

std::string VariableState::Describe() const {
  return "Variable " + NameAndType() +
         ": one copy in this process, since it was made outside of a strategy's scope";
}

}  // namespace lockstep::runtime
