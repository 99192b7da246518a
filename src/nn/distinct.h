#pragma once

#include <unordered_set>
#include <vector>

#include "lockstep/nn/layer.h"

namespace lockstep::nn {

/// Variables or weights in the order in which they come, each variable once: layers may be used
/// several times.
template <typename T>
class Distinct {
 public:
  void Add(const std::vector<T>& more) {
    for (const T& one : more) {
      if (seen_.insert(&VariableOf(one).state()).second) all_.push_back(one);
    }
  }
  std::vector<T> Take() { return std::move(all_); }

 private:
  static const Variable& VariableOf(const Variable& variable) { return variable; }
  static const Variable& VariableOf(const Weight& weight) { return weight.variable; }

  std::vector<T> all_;
  std::unordered_set<const void*> seen_;
};

}  // namespace lockstep::nn
