#pragma once

#include <memory>

#include "base/executor.h"
#include "data/dataset_node.h"

namespace lockstep::data {

/// Reads up to `elements` of `input` ahead on a thread of `executor`, in the same order. With
/// kAutotune few at first, and twice as many whenever the reader had to wait though it had not
/// waited for the first ones. `node` is kept alive while `input` lives, which may end on that
/// thread.
std::unique_ptr<ElementReader> ReadAhead(std::unique_ptr<ElementReader> input, NodePtr node,
                                         int64_t elements, base::Executor& executor);

}  // namespace lockstep::data
