#pragma once

#include <vector>

#include "graph/graph.h"

namespace lockstep::graph {

/// The graph that an attribute holds, such as a loop's body; nullptr for any other value.
const Graph* BodyIn(const ops::AttributeValue& value);
/// All graphs that an op with these attributes carries out: the branches of an `If`, condition and
/// body of a `While`, what a call calls.
std::vector<const Graph*> BodiesOf(const ops::Attributes& attributes);

}  // namespace lockstep::graph
