#include "weights.h"

#include <algorithm>
#include <stdexcept>

namespace golden {

std::map<std::string, lockstep::Variable> WeightsByPath(const lockstep::Layer& layer) {
  std::map<std::string, lockstep::Variable> weights;
  for (const lockstep::Weight& weight : layer.weights()) {
    std::string path = weight.variable.name().substr(layer.name().size() + 1);
    std::replace(path.begin(), path.end(), '/', '.');
    weights.emplace(path, weight.variable);
  }
  return weights;
}

void AssignWeights(const Case& golden, const std::map<std::string, lockstep::Variable>& weights) {
  for (const auto& [name, value] : golden.inputs().items()) {
    if (!name.starts_with("w:")) continue;
    const auto place = weights.find(name.substr(2));
    if (place == weights.end()) throw std::runtime_error("the layer lacks the weight " + name);
    place->second.Assign(golden.Input(name));
  }
  for (const auto& [path, weight] : weights) {
    if (!golden.HasInput("w:" + path)) throw std::runtime_error("the case lacks w:" + path);
  }
}

}  // namespace golden
