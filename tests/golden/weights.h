#pragma once

#include <map>
#include <string>

#include "case.h"
#include "lockstep/nn/layer.h"

namespace golden {

/// Gives each weight of the layer the case's value "w:PATH", whatever numbers Keras gave to layers;
/// the weights by the case's paths: "kernel", "forward_lstm_3.lstm_cell.kernel". Throws
/// std::runtime_error when the case lacks one or has one that the layer lacks.
std::map<std::string, lockstep::Variable> AssignWeights(const Case& golden,
                                                        const lockstep::Layer& layer);

}  // namespace golden
