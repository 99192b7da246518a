#include "ops/training.h"

#include <string>

#include "ops/op.h"

namespace lockstep::ops {

namespace {

std::vector<TensorType> InferUpdate(const InferenceContext& context) {
  const TensorType& weight = context.inputs[0];
  for (const TensorType& input : context.inputs) {
    if (input.dtype == DType::kResource ? !(input == weight) : input.element != weight.element) {
      throw Error(Code::kInvalidArgument,
                  "[" + context.spec.name +
                      "] slots, gradient and scalars must fit the weight; got " + input.ToString() +
                      " for a weight of " + std::string(DTypeName(weight.element)) +
                      weight.shape.ToString());
    }
    if (input.dtype != DType::kResource && input.shape.rank() > 0 &&
        !input.shape.CompatibleWith(weight.shape)) {
      throw Error(Code::kInvalidArgument,
                  "[" + context.spec.name + "] the gradient must have the weight's shape; got " +
                      input.shape.ToString() + " and " + weight.shape.ToString());
    }
  }
  return {};
}

bool RegisterAll() {
  for (const UpdateRule& rule : kUpdateRules) {
    OpSpec spec{.name = rule.op, .infer = InferUpdate};
    spec.effects.writes = (2u << rule.slots) - 1;
    OpRegistry::Global().Register(std::move(spec));
  }
  return true;
}

const bool kRegistered = RegisterAll();

}  // namespace

}  // namespace lockstep::ops
