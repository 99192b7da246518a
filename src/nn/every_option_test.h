#pragma once

#include <vector>

#include "lockstep/nn/optimizer.h"

namespace lockstep {

/// Options of an optimizer, of which each kind is in one of them.
inline std::vector<UpdateOptions> EveryUpdateOption() {
  return {
      {.clipnorm = 0.05},
      {.clipvalue = 0.01},
      {.global_clipnorm = 0.1},
      {.weight_decay = 0.01, .use_ema = true, .ema_momentum = 0.9, .ema_overwrite_frequency = 3},
      {.loss_scale_factor = 1024, .gradient_accumulation_steps = 3}};
}

}  // namespace lockstep
