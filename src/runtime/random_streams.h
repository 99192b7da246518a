#pragma once

#include <string_view>

#include "runtime/variable_cell.h"

namespace lockstep::runtime {

/// The name of the variables that hold how far a random op's stream has come.
inline constexpr std::string_view kRandomStreamName = "random_stream";

/// Whether a cell is the place of a random op's stream. Each session has its own copy, which begins
/// where the op was made: two sessions of one graph draw the same numbers. Source: the state of
/// TensorFlow's stateful random ops lives in a session's kernels.
inline bool IsRandomStream(const VariableCell& cell) {
  return cell.name() == kRandomStreamName && !cell.trainable();
}

}  // namespace lockstep::runtime
