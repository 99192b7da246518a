#include "lockstep/nn/optimizer.h"

#include <algorithm>

#include "lockstep/ops/math.h"
#include "ops/builder.h"

namespace lockstep {

Optimizer::Optimizer(std::string name, double learning_rate)
    : name_(std::move(name)),
      iterations_(Scalar<int64_t>(0), {.name = name_ + "/iterations", .trainable = false}),
      learning_rate_(Scalar<float>(static_cast<float>(learning_rate)),
                     {.name = name_ + "/learning_rate", .trainable = false}) {}

Tensor Optimizer::InitialSlot(const std::string&, const Variable& weight) const {
  return ops::Emit1("ZerosLike", {weight.value()});
}

void Optimizer::Build(const std::vector<Variable>& weights) {
  for (const Variable& weight : weights) {
    const bool known = std::any_of(slots_.begin(), slots_.end(), [&](const Slots& slots) {
      return slots.weight.handle().id() == weight.handle().id();
    });
    if (known) continue;
    Slots slots{weight, {}};
    for (const std::string& slot : SlotNames(weight)) {
      std::string name = weight.name();
      std::replace(name.begin(), name.end(), '/', '_');
      slots.slots.emplace_back(
          [&] { return InitialSlot(slot, weight); },
          VariableOptions{.name = name_ + "/" + name + "_" + slot, .trainable = false});
    }
    slots_.push_back(std::move(slots));
  }
}

void Optimizer::Apply(const std::vector<Tensor>& gradients, const std::vector<Variable>& weights) {
  if (std::none_of(gradients.begin(), gradients.end(),
                   [](const Tensor& g) { return g.defined(); })) {
    throw Error(Code::kInvalidArgument,
                "[" + name_ + "] at least one weight needs a gradient; got none for " +
                    std::to_string(weights.size()) +
                    " weights; does the loss depend on the model's weights?");
  }
  Build(weights);
  const Tensor step = ops::Emit1("Cast", {iterations_.value() + 1}, {{"DstT", DType::kFloat32}});
  const std::vector<Tensor> shared = SharedValues(step, learning_rate_.value());
  for (size_t i = 0; i < weights.size(); ++i) {
    if (!gradients[i].defined()) continue;
    const auto slots = std::find_if(slots_.begin(), slots_.end(), [&](const Slots& s) {
      return s.weight.handle().id() == weights[i].handle().id();
    });
    Update(weights[i], gradients[i], slots->slots, shared);
  }
  iterations_.AssignAdd(1);
}

std::vector<Variable> Optimizer::variables() const {
  std::vector<Variable> all{iterations_, learning_rate_};
  for (const Slots& slots : slots_) all.insert(all.end(), slots.slots.begin(), slots.slots.end());
  return all;
}

}  // namespace lockstep
