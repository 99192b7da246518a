#pragma once

#include <map>
#include <string>

#include "case.h"
#include "lockstep/nn/layer.h"

namespace golden {

/// A layer's weights by the golden file's paths: "kernel", "query.kernel".
std::map<std::string, lockstep::Variable> WeightsByPath(const lockstep::Layer& layer);
/// Gives each weight the value "w:PATH"; throws std::runtime_error when the case lacks one or has
/// one that the layer lacks.
void AssignWeights(const Case& golden, const std::map<std::string, lockstep::Variable>& weights);

}  // namespace golden
