#pragma once

#include <span>
#include <vector>

#include "graph/tracer.h"

namespace lockstep::runtime {

/// The gradients of the sum of `targets`, weighted by `output_gradients` (ones where an entry is
/// missing or empty), with respect to `sources`; an empty tensor where there is none. Follows the
/// nodes of the graphs of `tracers`, each of which is traced inside of the one before it, and emits
/// the gradients on the builder in force. No gradient flows into the ops that made `stops`. A loop
/// on the way is made to keep its history.
std::vector<Tensor> GraphGradient(std::span<graph::Tracer* const> tracers,
                                  const std::vector<Tensor>& targets,
                                  const std::vector<Tensor>& sources,
                                  const std::vector<Tensor>& output_gradients,
                                  const std::vector<Tensor>& stops = {});

}  // namespace lockstep::runtime
