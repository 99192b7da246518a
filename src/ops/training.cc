#include "ops/training.h"

#include <bit>
#include <string>

#include "ops/op.h"

namespace lockstep::ops {

const UpdateRule* FindRule(std::string_view op) {
  constexpr std::string_view kProduct = "_Product";
  const std::string_view name = op.starts_with(kProduct) ? op.substr(kProduct.size()) : op;
  for (const UpdateRule& rule : kUpdateRules) {
    if (name == rule.op) return &rule;
  }
  return nullptr;
}

const UpdateRule& RuleOf(std::string_view op) {
  if (const UpdateRule* rule = FindRule(op)) return *rule;
  throw Error(Code::kInternal, "[" + std::string(op) + "] is no rule");
}

namespace {

[[noreturn]] void RejectInput(const OpSpec& spec, const char* text, const TensorType& input,
                              const TensorType& weight) {
  throw Error(Code::kInvalidArgument,
              "[" + spec.name + "] " + text + "; got " + input.ToString() + " for a weight of " +
                  std::string(DTypeName(weight.element)) + weight.shape.ToString());
}

std::vector<TensorType> InferUpdate(const InferenceContext& context) {
  const UpdateRule& rule = RuleOf(context.spec.name);
  const int64_t extras = context.attributes.GetOr<int64_t>("extras", 0);
  const size_t expected =
      2 + rule.slots + rule.scalars + std::popcount(static_cast<uint64_t>(extras));
  if (context.inputs.size() != expected) {
    throw Error(Code::kInvalidArgument, "[" + context.spec.name + "] takes " +
                                            std::to_string(expected) + " inputs; got " +
                                            std::to_string(context.inputs.size()));
  }
  const TensorType& weight = context.inputs[0];
  const size_t gradient = 1 + rule.slots;
  const size_t moment =
      (extras & kUpdateMoment) != 0 ? gradient + 1 + rule.scalars : context.inputs.size();
  const size_t enabled =
      (extras & kUpdateEnabled) != 0 ? context.inputs.size() - 1 : context.inputs.size();
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    const TensorType& input = context.inputs[i];
    if (i < gradient) {
      if (!(input == weight)) {
        RejectInput(context.spec, "slots must be like the weight", input, weight);
      }
    } else if (input.dtype != (i == enabled ? DType::kBool : weight.element)) {
      RejectInput(context.spec, "gradient and scalars must have the weight's dtype", input, weight);
    } else if (i == gradient || i == moment) {
      if (!input.shape.CompatibleWith(weight.shape)) {
        RejectInput(context.spec, "the gradient must have the weight's shape", input, weight);
      }
    } else if (input.shape.rank() != 0) {
      RejectInput(context.spec, "a rate must be a scalar", input, weight);
    }
  }
  if (rule.direction) return {{weight.element, weight.shape, weight.element}};
  return {};
}

std::vector<TensorType> InferProductUpdate(const InferenceContext& context) {
  std::vector<TensorType> inputs = {context.inputs.begin(), context.inputs.end()};
  TensorType& a = inputs[1 + RuleOf(context.spec.name).slots];
  if (a.dtype == DType::kUInt8) {
    a.dtype = a.element = inputs.back().dtype;
    inputs.pop_back();
  }
  const TensorType g = inputs.back();
  inputs.pop_back();
  if (a.shape.rank() != 2 || g.shape.rank() != 2 || a.dtype != g.dtype) {
    RejectInput(context.spec, "the factors of the gradient must be matrices", g, inputs[0]);
  }
  a.shape = Shape({a.shape[1], g.shape[1]});
  return InferUpdate({context.spec, context.attributes, inputs});
}

bool RegisterAll() {
  for (const UpdateRule& rule : kUpdateRules) {
    OpSpec spec{.name = rule.op, .infer = InferUpdate};
    spec.effects.writes = (2u << rule.slots) - 1;
    OpSpec product{.name = std::string("_Product") + rule.op, .infer = InferProductUpdate};
    product.effects = spec.effects;
    OpRegistry::Global().Register(std::move(spec));
    if (!rule.direction) OpRegistry::Global().Register(std::move(product));
  }
  return true;
}

const bool kRegistered = RegisterAll();

}  // namespace

}  // namespace lockstep::ops
