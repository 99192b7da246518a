#pragma once

#include "lockstep/nn/layer.h"

namespace lockstep {

// How the weights of a layer that normalises are made; `Options`: of any such layer.
template <typename Options>
WeightOptions GammaOf(const Options& options) {
  return {.initializer = options.gamma_initializer,
          .autocast = false,
          .regularizer = options.gamma_regularizer,
          .constraint = options.gamma_constraint};
}

template <typename Options>
WeightOptions BetaOf(const Options& options) {
  return {.initializer = options.beta_initializer,
          .autocast = false,
          .regularizer = options.beta_regularizer,
          .constraint = options.beta_constraint};
}

}  // namespace lockstep
