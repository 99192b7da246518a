#pragma once

#include <cstdint>
#include <vector>

#include "collectives/all_to_all.h"
#include "distribute/workers/communicator.h"
#include "lockstep/tensor/tensor.h"
#include "runtime/segmented_program.h"

namespace lockstep::distribute {

/// Sends this rank's rows of the variables `handles` to all others and takes theirs, which are
/// written into the variables. `borders`: for each variable, where the ranks' rows begin, and their
/// end. Those who are `left_out` by rank, if any, get and give nothing. `request` says all but the
/// pieces; `last_from` becomes who was waited for last. `done` gets nothing, or the error. Errors:
/// of collectives.
void ExchangeRows(Communicator& ranks, collectives::AllToAllRequest request,
                  const std::vector<Tensor>& handles, const std::vector<int64_t>& borders,
                  const std::vector<bool>& left_out, int* last_from, runtime::OnTensors done);

/// Lets the next update of the variable write this rank's rows to memory that peers read, if they
/// share some: the next `ExchangeRows` sends them from there.
void MirrorOwnRows(collectives::Group& group, const Tensor& handle,
                   const std::vector<int64_t>& borders);

/// The same as ExchangeRows for a rank without rows: those of the others stay in their memory until
/// somebody wants the variable's value here, or the next one comes.
void TakeRowsForLater(Communicator& ranks, collectives::AllToAllRequest request,
                      const std::vector<Tensor>& handles, const std::vector<int64_t>& borders,
                      int* last_from, runtime::OnTensors done);

}  // namespace lockstep::distribute
