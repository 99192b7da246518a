#pragma once

#include <string>

#include "lockstep/checkpoint/save.h"

namespace lockstep::checkpoint {

/// A save as bytes, for a worker that comes. Errors: thrown, those of SaveState and LoadState.
std::string PackState(const SavedState& state);
SavedState UnpackState(const std::string& bytes);

}  // namespace lockstep::checkpoint
