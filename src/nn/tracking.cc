#include "lockstep/nn/tracking.h"

#include <algorithm>
#include <map>
#include <set>

#include "lockstep/nn/functional.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"

namespace lockstep {

namespace {

using Parts = std::vector<TrackedPart>;

// The layers of a model, which are for the models themselves.
class OpenModel : public Model {
 public:
  static const std::vector<LayerPtr>& LayersOf(const Model& model) {
    return (model.*&OpenModel::layers)();
  }
};

// What Keras's layers call the objects that hold a part of their weights.
std::string HolderName(const std::string& part) {
  static const std::map<std::string, std::string> names{{"query", "_query_dense"},
                                                        {"key", "_key_dense"},
                                                        {"value", "_value_dense"},
                                                        {"attention_output", "_output_dense"}};
  const auto known = names.find(part);
  if (known != names.end()) return known->second;
  return part.ends_with("_cell") ? "cell" : part;
}

// The parts of a layer by weights' names below the layer's: "kernel", "query/kernel".
struct Holder {
  std::vector<std::pair<std::string, Variable>> weights;
  std::vector<std::pair<std::string, Holder>> inner;

  Holder& At(const std::string& name) {
    for (auto& [known, holder] : inner) {
      if (known == name) return holder;
    }
    return inner.emplace_back(name, Holder()).second;
  }
  // Layers that share kernels by LoRA call them "_kernel"; others "kernel". Both names are there,
  // and lead to one object.
  Trackable Track() const {
    Trackable object;
    for (const auto& [name, variable] : weights) {
      const Trackable value(variable);
      if (name == "kernel" || name == "embeddings") object.Add("_" + name, value);
      object.Add(name, value);
    }
    for (const auto& [name, holder] : inner) object.Add(HolderName(name), holder.Track());
    return object;
  }
};

// Without the name of the layer in front of it.
std::string NameInLayer(const Layer& layer, const Variable& weight) {
  const std::string prefix = layer.name() + "/";
  return weight.name().starts_with(prefix) ? weight.name().substr(prefix.size()) : weight.name();
}

std::string InnerName(const Layer& layer, size_t place) {
  if (layer.type() == "bidirectional") return place == 0 ? "forward_layer" : "backward_layer";
  if (layer.inner_layers().size() == 1) return "layer";
  const std::string& name = layer.inner_layers()[place]->name();
  return name.substr(name.rfind('/') + 1);
}

Parts LayerParts(const Layer& layer) {
  std::set<const void*> inside;
  for (const LayerPtr& inner : layer.inner_layers()) {
    for (const Weight& weight : inner->weights()) inside.insert(&weight.variable.state());
  }
  Holder root;
  for (const Weight& weight : layer.weights()) {
    if (inside.count(&weight.variable.state()) > 0) continue;
    Holder* holder = &root;
    std::string name = NameInLayer(layer, weight.variable);
    for (size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/')) {
      holder = &holder->At(name.substr(0, slash));
      name = name.substr(slash + 1);
    }
    holder->weights.emplace_back(name, weight.variable);
  }
  Parts parts = root.Track().parts();
  for (size_t i = 0; i < layer.inner_layers().size(); ++i)
    parts.push_back({InnerName(layer, i), TrackLayer(*layer.inner_layers()[i])});
  return parts;
}

Trackable List(const std::vector<Variable>& variables) {
  Trackable list;
  for (size_t i = 0; i < variables.size(); ++i) list.Add(std::to_string(i), variables[i]);
  return list;
}

// A slot's weight, and its name without the optimizer's and the weight's in front; no name for what
// is no slot.
struct Slot {
  std::string weight, name;
};
Slot SlotOf(const std::string& name, const std::vector<Variable>& weights) {
  Slot slot;
  for (const Variable& weight : weights) {
    std::string stem = "/" + weight.name() + "_";
    std::replace(stem.begin() + 1, stem.end(), '/', '_');
    const size_t place = name.find(stem);
    // "a_kernel" ends with the name of "kernel", too: the longest stem leaves the shortest name.
    const std::string rest = place == std::string::npos ? "" : name.substr(place + stem.size());
    if (!rest.empty() && (slot.name.empty() || rest.size() < slot.name.size()))
      slot = {weight.name(), rest};
  }
  return slot;
}

// Keras makes some kinds of slots for all weights before the next kind, others weight by weight.
int StageOf(const std::string& slot, bool after_velocity) {
  if (slot.empty()) return 5;  // what the optimizer has of its own
  if (slot == "average") return 0;
  if (slot == "gradient_accumulator") return 1;
  if (slot == "velocity_hat" || (slot == "momentum" && after_velocity)) return 3;
  return slot == "average_gradient" ? 4 : 2;
}

// What Keras's Adafactor keeps beside, and reads as little as we do: of a matrix the matrix that
// its means make, of a vector two zeros in the places of means. Made anew for each save.
Variable Beside(const Tensor& value) {
  return Variable(value, VariableOptions{.name = "adafactor/beside", .trainable = false});
}
Variable MatrixOf(const Variable& row_means, const Variable& column_means) {
  const Tensor rows = row_means.value();
  const Tensor shares = DivideNoNan(rows, ReduceMean(rows, -1, true));
  return Beside(ExpandDims(shares, -1) * ExpandDims(column_means.value(), -2));
}

std::vector<Variable> OptimizerVariables(const Optimizer& optimizer,
                                         const std::vector<Variable>& weights) {
  const std::vector<Variable> all = optimizer.variables();
  const size_t counters = optimizer.has_schedule() ? 1 : 2;
  std::vector<Variable> stages[6];
  Slot before;
  for (size_t i = counters; i < all.size(); ++i) {
    const Slot slot = SlotOf(all[i].name(), weights);
    const bool after_velocity = before.weight == slot.weight && before.name == "velocity";
    std::vector<Variable>& stage = stages[StageOf(slot.name, after_velocity)];
    const bool factors = optimizer.name() == "adafactor";
    if (factors && slot.name == "velocity") {
      for (int k = 0; k < 2; ++k) stage.push_back(Beside(Scalar<int32_t>(0)));
    }
    stage.push_back(all[i]);
    if (factors && slot.name == "column_means") stage.push_back(MatrixOf(all[i - 1], all[i]));
    before = slot;
  }
  std::vector<Variable> ordered(all.begin(), all.begin() + static_cast<int64_t>(counters));
  for (const auto& stage : stages) ordered.insert(ordered.end(), stage.begin(), stage.end());
  return ordered;
}

}  // namespace

Trackable TrackLayer(const Layer& layer) {
  return Trackable([&layer] { return LayerParts(layer); }, &layer);
}

Trackable TrackModel(const Model& model, int inputs) {
  const auto operations = [&model, inputs] {
    Parts parts;
    for (int i = 0; i < inputs; ++i) parts.push_back({std::to_string(i), Trackable()});
    for (const LayerPtr& layer : OpenModel::LayersOf(model))
      parts.push_back({std::to_string(parts.size()), TrackLayer(*layer)});
    return parts;
  };
  Trackable functional;
  functional.Add("_operations", Trackable(operations));
  if (dynamic_cast<const Sequential*>(&model) != nullptr)
    return Trackable().Add("_functional", functional);
  if (dynamic_cast<const FunctionalModel*>(&model) != nullptr) return functional;
  const auto by_name = [&model] {
    Parts parts;
    for (const LayerPtr& layer : OpenModel::LayersOf(model))
      parts.push_back({layer->name(), TrackLayer(*layer)});
    return parts;
  };
  return Trackable(by_name, &model);
}

Trackable TrackOptimizer(const Model& model) {
  const OptimizerPtr optimizer = model.compiled().optimizer;
  return Trackable([&model, optimizer] {
    const std::vector<Variable> weights = model.trainable_variables();
    const std::vector<Variable> all = OptimizerVariables(*optimizer, weights);
    Parts parts{{"_iterations", optimizer->iterations()}};
    if (!optimizer->has_schedule()) parts.push_back({"_learning_rate", all[1]});
    parts.push_back({"_variables", List(all)});
    parts.push_back({"_trainable_variables", List(weights)});
    return parts;
  });
}

}  // namespace lockstep
