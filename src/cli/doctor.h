#pragma once

namespace lockstep::cli {

/// `lockstep doctor`: what was found where, what contradicts, and whether this machine fits.
/// Returns 0 if all is fine, 1 if there are problems.
int Doctor(bool json);

}  // namespace lockstep::cli
