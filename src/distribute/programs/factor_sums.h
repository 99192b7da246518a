#pragma once

#include <optional>

#include "graph/scaled_bytes.h"

namespace lockstep::distribute {

/// Whether ranks that share out a sum over examples by rows had better exchange what it is made of
/// than what they have summed. A weight's gradient [K, N] is a product of an input [n, K] and a
/// gradient [n, N] over n examples: with few of them the factors are smaller. Each rank then gets
/// its columns of all inputs and all of the gradients, and makes its rows of the product, whose
/// leaves meet in registers, and which its update may take without a gradient in memory. The bits
/// are those of the sum over ranks.
bool TravelsAsFactors(const graph::Graph& graph, const graph::Node& sum, int ranks);

/// The same for a worker that pushes a whole sum to servers, by rows: each server gets both factors
/// of all rows.
bool IsPushedAsFactors(const graph::Graph& graph, const graph::Node& sum, int servers);

/// What the input of a sum as above was made of, reshaped or not, if it is bytes: as these it
/// travels.
std::optional<graph::ScaledBytes> BytesOfFactor(const graph::Graph& graph, const graph::Node& sum);

}  // namespace lockstep::distribute
