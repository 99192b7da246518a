#include "case.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "make_optimizer.h"

namespace golden {
namespace {

using lockstep::OptimizerPtr;
using lockstep::Tensor;
using lockstep::Variable;

OptimizerPtr Make(const Case& golden) { return MakeOptimizer(golden); }

// Keras names the means of rows and those of columns like the weight itself, so that a case has the
// columns' alone (0 where there are none), and keeps the velocity that follows from them.
void NameAsAdafactor(const std::vector<Variable>& weights, Produced& produced) {
  for (const Variable& weight : weights) {
    const std::string name = "slots/" + weight.name();
    if (!produced.contains(name + "_column_means")) {
      produced[name] = lockstep::Scalar<int32_t>(0);
      continue;
    }
    const Tensor rows = std::get<Tensor>(produced[name + "_row_means"]);
    const Tensor columns = std::get<Tensor>(produced[name + "_column_means"]);
    produced[name] = columns;
    const Tensor shares = rows / lockstep::ReduceMean(rows, -1, true);
    produced[name + "_velocity"] =
        lockstep::ExpandDims(shares, -1) * lockstep::ExpandDims(columns, -2);
  }
}

// Slots by the name that follows the optimizer's; the optimizer's own numbers left out. Keras
// numbers what has no name ("variable", "variable_1") over all optimizers of the process.
void ProduceSlots(const Case& golden, const OptimizerPtr& optimizer,
                  const std::vector<Variable>& weights, Produced& produced) {
  for (const Variable& variable : optimizer->variables()) {
    std::string name = variable.name().substr(variable.name().rfind('/') + 1);
    if (name == "variable") {
      const Json slots = golden.outputs().value("slots", Json::object());
      for (const auto& [wanted, value] : slots.items()) {
        if (wanted.starts_with("variable_")) name = wanted;
      }
    }
    produced["slots/" + name] = variable.value();
  }
  if (golden.Get<std::string>("class") == "Adafactor") NameAsAdafactor(weights, produced);
}

// Weights "a0", "b0", ... with the gradients of each step in "ga", "gb", ...
void Dense(const Case& golden, Produced& produced) {
  const OptimizerPtr optimizer = Make(golden);
  std::vector<std::string> names;
  std::vector<Variable> weights;
  std::vector<std::vector<Tensor>> gradients, steps;
  for (const auto& [key, value] : golden.inputs().items()) {
    if (key.back() != '0') continue;
    names.push_back(key.substr(0, key.size() - 1));
    weights.emplace_back(golden.Input(key), lockstep::VariableOptions{.name = names.back()});
    gradients.push_back(lockstep::Unstack(golden.Input("g" + names.back())));
  }
  steps.resize(weights.size());
  for (size_t step = 0; step < gradients.front().size(); ++step) {
    std::vector<Tensor> now;
    for (const auto& all : gradients) now.push_back(all[step]);
    optimizer->Apply(now, weights);
    for (size_t i = 0; i < weights.size(); ++i) steps[i].push_back(weights[i].value());
  }
  for (size_t i = 0; i < weights.size(); ++i)
    produced[names[i] + "_steps"] = lockstep::Stack(steps[i]);
  ProduceSlots(golden, optimizer, weights, produced);
}

// A table of rows whose gradient is given as slices.
void Sparse(const Case& golden, Produced& produced) {
  const OptimizerPtr optimizer = Make(golden);
  const Variable weight(golden.Input("w0"), {.name = "w"});
  std::vector<Tensor> steps;
  for (const Tensor& values : lockstep::Unstack(golden.Input("values"))) {
    const lockstep::IndexedSlices slices{values, golden.Input("indices"), weight.shape()};
    optimizer->Apply({slices.ToTensor()}, std::vector<Variable>{weight});
    steps.push_back(weight.value());
  }
  produced["w_steps"] = lockstep::Stack(steps);
  ProduceSlots(golden, optimizer, {weight}, produced);
}

const RegisterGroup kOptimizers("optimizers", {{"opt", Dense}, {"opt_sparse", Sparse}});

}  // namespace
}  // namespace golden
