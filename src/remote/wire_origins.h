#pragma once

#include <vector>

#include "cluster/fields.h"
#include "lockstep/tensor/tensor.h"

/// From which versions of servers' variables values were computed, as messages tell it.

namespace lockstep::remote {

/// From now on messages tell of the variable with this number of a cell.
void TellOfVariable(uint64_t number);

/// `tells`: else nothing is told.
void PutOrigins(const std::vector<Tensor>& tensors, bool tells, cluster::FieldWriter* writer);
/// To tensors that nobody else has yet.
void TakeOrigins(cluster::FieldReader* reader, const std::vector<Tensor>& tensors);

}  // namespace lockstep::remote
