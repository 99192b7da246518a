#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/flat_graph.h"
#include "check/values.h"
#include "graph/graph_def.pb.h"

namespace lockstep::check {

/// The value of a constant; null for other nodes.
const graph_def::TensorProto* ConstantOf(const FlatNode& node);

/// What tells the value of a constant of one element from others of its type: equal values give
/// equal text. Nothing for a NaN and for types that are not known.
std::optional<std::string> ScalarOf(const graph_def::TensorProto& tensor);

/// An integer attribute.
int64_t NumberOf(const graph_def::NodeDef& node, const char* name, int64_t otherwise);

/// Whether it casts an integer to another type of integers.
bool CastsInteger(const FlatNode& node);

/// The integers that an edge brings, in their order, where they are made of constants alone.
std::optional<std::vector<int64_t>> NumbersOf(const FlatGraph& flat, const Conditions& conditions,
                                              const Edge& edge);

}  // namespace lockstep::check
