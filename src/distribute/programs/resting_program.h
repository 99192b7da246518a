#pragma once

#include "graph/graph.h"

namespace lockstep::distribute {

/// What is left of the program of a rank that rests, whose exchanges are joined: what it gets from
/// others, and what follows from that for whole variables and results. All that works on no rows,
/// and all exchanges in which it neither gets nor tells anything are gone. Where it `is_told` all
/// (told_values.h), gatherings alone are left.
graph::Graph RestingProgram(const graph::Graph& program, bool is_told);

}  // namespace lockstep::distribute
