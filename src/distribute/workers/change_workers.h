#pragma once

#include <cstdint>
#include <functional>

#include "distribute/workers/journal.h"
#include "lockstep/checkpoint/save.h"

namespace lockstep::distribute {

/// At the end of a step, when all have heard kChangeNote: lets workers come and go. `snapshot`
/// gives all that a joiner needs, and makes it whole on every rank. False: all want to leave, and
/// so the training ends. Throws `Left` on those that leave, `AllLeft` where all leave as signals
/// have told them to end, and what calls of the journal do.
bool ChangeWorkers(Communicator& ranks, int64_t steps, const std::function<SavedState()>& snapshot);

}  // namespace lockstep::distribute
