#pragma once

namespace lockstep::base {

/// How many hardware threads this process may use, at least one.
int Cores();

}  // namespace lockstep::base
