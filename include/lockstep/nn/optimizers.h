#pragma once

#include "lockstep/nn/optimizer.h"

namespace lockstep::optimizers {

struct SgdOptions {
  double learning_rate = 0.01;
  double momentum = 0;
  bool nesterov = false;
};
/// w -= rate * g; with momentum m = momentum * m - rate * g, w += m. Source: keras.optimizers.SGD.
OptimizerPtr Sgd(const SgdOptions& options = {});

struct AdamOptions {
  double learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
};
/// Source: keras.optimizers.Adam (epsilon outside of the root, bias corrected in the rate).
OptimizerPtr Adam(const AdamOptions& options = {});

}  // namespace lockstep::optimizers
