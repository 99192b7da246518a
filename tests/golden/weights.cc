#include "weights.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

namespace golden {

namespace {

// "lstm_11" as "lstm" and 11, "lstm" as "lstm" and 0.
std::pair<std::string, int64_t> WithoutNumber(const std::string& name) {
  size_t digits = name.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1]))) --digits;
  if (digits == name.size() || digits < 2 || name[digits - 1] != '_') return {name, 0};
  return {name.substr(0, digits - 1), std::stoll(name.substr(digits))};
}

std::string LayerOf(const std::string& path) { return path.substr(0, path.find('.')); }

// The paths, numbered as if Keras had made no layers before: it counts those of a kind through the
// whole process, so that a case's numbers tell of the cases before it.
std::map<std::string, std::string> Renumbered(const std::vector<std::string>& paths) {
  std::map<std::string, std::set<int64_t>> numbers;
  for (const std::string& path : paths) {
    const auto [kind, number] = WithoutNumber(LayerOf(path));
    numbers[kind].insert(number);
  }
  std::map<std::string, std::string> renumbered;
  for (const std::string& path : paths) {
    const std::string layer = LayerOf(path);
    const auto [kind, number] = WithoutNumber(layer);
    const auto place = std::distance(numbers[kind].begin(), numbers[kind].find(number));
    const std::string name = place == 0 ? kind : kind + "_" + std::to_string(place);
    renumbered[path] = name + path.substr(layer.size());
  }
  return renumbered;
}

// "kernel", "query.kernel".
std::map<std::string, lockstep::Variable> WeightsByPath(const lockstep::Layer& layer) {
  std::map<std::string, lockstep::Variable> weights;
  for (const lockstep::Weight& weight : layer.weights()) {
    std::string path = weight.variable.name().substr(layer.name().size() + 1);
    std::replace(path.begin(), path.end(), '/', '.');
    weights.emplace(path, weight.variable);
  }
  return weights;
}

}  // namespace

std::map<std::string, lockstep::Variable> AssignWeights(const Case& golden,
                                                        const lockstep::Layer& layer) {
  const auto weights = WeightsByPath(layer);
  std::vector<std::string> given, made;
  for (const auto& [name, value] : golden.inputs().items()) {
    if (name.starts_with("w:")) given.push_back(name.substr(2));
  }
  for (const auto& [path, weight] : weights) made.push_back(path);
  std::map<std::string, lockstep::Variable> left, assigned;
  for (const auto& [path, name] : Renumbered(made)) left.emplace(name, weights.at(path));
  for (const auto& [path, name] : Renumbered(given)) {
    const auto place = left.find(name);
    if (place == left.end()) throw std::runtime_error("the layer lacks the weight w:" + path);
    place->second.Assign(golden.Input("w:" + path));
    assigned.emplace(path, place->second);
    left.erase(place);
  }
  if (!left.empty()) throw std::runtime_error("the case lacks w:" + left.begin()->first);
  return assigned;
}

}  // namespace golden
