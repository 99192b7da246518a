#pragma once

namespace lockstep::ops {

/// Whether every op with floating results, called or traced from now on, is followed by one that
/// throws InvalidArgument for NaN and infinity, naming the op. Source:
/// tf.debugging.enable_check_numerics.
void SetCheckNumerics(bool on);

}  // namespace lockstep::ops
