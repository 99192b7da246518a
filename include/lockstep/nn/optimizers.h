#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/nn/optimizer.h"

/// Optimizers by Keras's names and with its defaults. Each takes the numbers of its rule, then what
/// all have in common: `Adam({.learning_rate = 0.01}, {.clipnorm = 1})`; a rate or a schedule may
/// stand alone: `Adam(0.01, {.clipnorm = 1})`. Dtypes of weights: float32, float64. g is the
/// gradient, w the weight, t counts the updates from one. Errors: InvalidArgument for a negative
/// rate and for options out of range.
namespace lockstep::optimizers {

/// A rate as such: a number or a schedule.
template <typename T>
concept RateArgument = std::convertible_to<T, LearningRate> && !std::same_as<T, bool>;

struct SgdOptions {
  LearningRate learning_rate = 0.01;
  double momentum = 0;
  bool nesterov = false;
};
/// w -= rate * g; with momentum m = momentum * m - rate * g, w += m, or with nesterov
/// w += momentum * m - rate * g. Source: keras.optimizers.SGD.
OptimizerPtr Sgd(const SgdOptions& options = {}, const UpdateOptions& update = {});
template <RateArgument T>
OptimizerPtr Sgd(const T& learning_rate, const UpdateOptions& update = {}) {
  return Sgd(SgdOptions{.learning_rate = learning_rate}, update);
}
template <RateArgument T, std::floating_point Momentum>
OptimizerPtr Sgd(const T& learning_rate, Momentum momentum, bool nesterov = false) {
  return Sgd(SgdOptions{learning_rate, momentum, nesterov});
}
/// `Sgd`, as Keras spells it.
inline OptimizerPtr SGD(const SgdOptions& options = {}, const UpdateOptions& update = {}) {
  return Sgd(options, update);
}
template <RateArgument T>
OptimizerPtr SGD(const T& learning_rate, const UpdateOptions& update = {}) {
  return Sgd(learning_rate, update);
}
template <RateArgument T, std::floating_point Momentum>
OptimizerPtr SGD(const T& learning_rate, Momentum momentum, bool nesterov = false) {
  return Sgd(learning_rate, momentum, nesterov);
}

struct RmspropOptions {
  LearningRate learning_rate = 0.001;
  double rho = 0.9;
  double momentum = 0;
  double epsilon = 1e-7;
  bool centered = false;
};
/// w -= rate * g / sqrt(v + epsilon), v a running mean of g^2, or with centered of g's variance.
/// Source: keras.optimizers.RMSprop.
OptimizerPtr Rmsprop(const RmspropOptions& options = {}, const UpdateOptions& update = {});
template <RateArgument T>
OptimizerPtr Rmsprop(const T& learning_rate, const UpdateOptions& update = {}) {
  return Rmsprop(RmspropOptions{.learning_rate = learning_rate}, update);
}
/// `Rmsprop`, as Keras spells it.
inline OptimizerPtr RMSprop(const RmspropOptions& options = {}, const UpdateOptions& update = {}) {
  return Rmsprop(options, update);
}
template <RateArgument T>
OptimizerPtr RMSprop(const T& learning_rate, const UpdateOptions& update = {}) {
  return Rmsprop(learning_rate, update);
}

struct AdagradOptions {
  LearningRate learning_rate = 0.001;
  double initial_accumulator_value = 0.1;
  double epsilon = 1e-7;
};
/// w -= rate * g / sqrt(a + epsilon), a the sum of g^2. Source: keras.optimizers.Adagrad.
OptimizerPtr Adagrad(const AdagradOptions& options = {}, const UpdateOptions& update = {});
template <RateArgument T>
OptimizerPtr Adagrad(const T& learning_rate, const UpdateOptions& update = {}) {
  return Adagrad(AdagradOptions{.learning_rate = learning_rate}, update);
}

struct AdadeltaOptions {
  LearningRate learning_rate = 0.001;
  double rho = 0.95;
  double epsilon = 1e-7;
};
/// Steps as long as the last ones were, over the root of g's running square. Source:
/// keras.optimizers.Adadelta.
OptimizerPtr Adadelta(const AdadeltaOptions& options = {}, const UpdateOptions& update = {});
template <RateArgument T>
OptimizerPtr Adadelta(const T& learning_rate, const UpdateOptions& update = {}) {
  return Adadelta(AdadeltaOptions{.learning_rate = learning_rate}, update);
}

struct AdamOptions {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  bool amsgrad = false;
};
/// w -= a * m / (sqrt(v) + epsilon), m and v running means of g and g^2, a the rate with the bias
/// of both corrected. Source: keras.optimizers.Adam (epsilon is added to the uncorrected root).
OptimizerPtr Adam(const AdamOptions& options = {}, const UpdateOptions& update = {});
template <RateArgument T>
OptimizerPtr Adam(const T& learning_rate, const UpdateOptions& update = {}) {
  return Adam(AdamOptions{.learning_rate = learning_rate}, update);
}
/// Adam with a weight decay, 0.004 unless it is given. Source: keras.optimizers.AdamW.
OptimizerPtr AdamW(const AdamOptions& options = {}, const UpdateOptions& update = {});
template <RateArgument T>
OptimizerPtr AdamW(const T& learning_rate, const UpdateOptions& update = {}) {
  return AdamW(AdamOptions{.learning_rate = learning_rate}, update);
}

struct NadamOptions {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
};
/// Adam with Nesterov's momentum. Source: keras.optimizers.Nadam.
OptimizerPtr Nadam(const NadamOptions& options = {}, const UpdateOptions& update = {});
template <RateArgument T>
OptimizerPtr Nadam(const T& learning_rate, const UpdateOptions& update = {}) {
  return Nadam(NadamOptions{.learning_rate = learning_rate}, update);
}

struct AdamaxOptions {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
};
/// Adam with the decaying largest |g| instead of the root. Source: keras.optimizers.Adamax.
OptimizerPtr Adamax(const AdamaxOptions& options = {}, const UpdateOptions& update = {});
template <RateArgument T>
OptimizerPtr Adamax(const T& learning_rate, const UpdateOptions& update = {}) {
  return Adamax(AdamaxOptions{.learning_rate = learning_rate}, update);
}

struct FtrlOptions {
  LearningRate learning_rate = 0.001;
  double learning_rate_power = -0.5;
  double initial_accumulator_value = 0.1;
  double l1_regularization_strength = 0;
  double l2_regularization_strength = 0;
  double l2_shrinkage_regularization_strength = 0;
  double beta = 0;
};
/// Follow the regularized leader. InvalidArgument for a positive learning_rate_power or a negative
/// accumulator or strength. Source: keras.optimizers.Ftrl.
OptimizerPtr Ftrl(const FtrlOptions& options = {}, const UpdateOptions& update = {});
template <RateArgument T>
OptimizerPtr Ftrl(const T& learning_rate, const UpdateOptions& update = {}) {
  return Ftrl(FtrlOptions{.learning_rate = learning_rate}, update);
}

struct LionOptions {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.99;
};
/// w -= rate * the sign of a running mean of g. Source: keras.optimizers.Lion.
OptimizerPtr Lion(const LionOptions& options = {}, const UpdateOptions& update = {});
template <RateArgument T>
OptimizerPtr Lion(const T& learning_rate, const UpdateOptions& update = {}) {
  return Lion(LionOptions{.learning_rate = learning_rate}, update);
}

struct LambOptions {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
};
/// Adam's direction, as long as rate times the weight. Source: keras.optimizers.Lamb.
OptimizerPtr Lamb(const LambOptions& options = {}, const UpdateOptions& update = {});
template <RateArgument T>
OptimizerPtr Lamb(const T& learning_rate, const UpdateOptions& update = {}) {
  return Lamb(LambOptions{.learning_rate = learning_rate}, update);
}

struct AdafactorOptions {
  LearningRate learning_rate = 0.001;
  double beta_2_decay = -0.8;
  double epsilon_1 = 1e-30;
  double epsilon_2 = 1e-3;
  double clip_threshold = 1;
};
/// The running square of a matrix as means of its rows and columns; the rate is at most 1/sqrt(t).
/// Source: keras.optimizers.Adafactor (whose relative_step changes nothing either).
OptimizerPtr Adafactor(const AdafactorOptions& options = {}, const UpdateOptions& update = {});
template <RateArgument T>
OptimizerPtr Adafactor(const T& learning_rate, const UpdateOptions& update = {}) {
  return Adafactor(AdafactorOptions{.learning_rate = learning_rate}, update);
}

struct MuonOptions {
  LearningRate learning_rate = 0.001;
  double adam_beta_1 = 0.9;
  double adam_beta_2 = 0.999;
  double adam_weight_decay = 0.004;
  double epsilon = 1e-7;
  /// Weights with one of these in their name are updated by Adam.
  std::vector<std::string> exclude_layers = {};
  bool exclude_embeddings = true;
  double muon_a = 3.4445;
  double muon_b = -4.7750;
  double muon_c = 2.0315;
  double adam_lr_ratio = 1;
  double momentum = 0.95;
  int ns_steps = 5;
  bool nesterov = true;
  /// Scales an update by this and the root of the longer axis; 0: off.
  double rms_rate = 0.2;
};
/// Momentum made orthogonal by Newton and Schulz's iteration for matrices, Adam for other weights
/// and embeddings; weight decay 0.004 unless it is given. Source: keras.optimizers.Muon.
OptimizerPtr Muon(const MuonOptions& options = {}, const UpdateOptions& update = {});
template <RateArgument T>
OptimizerPtr Muon(const T& learning_rate, const UpdateOptions& update = {}) {
  return Muon(MuonOptions{.learning_rate = learning_rate}, update);
}

struct LossScaleOptions {
  double initial_scale = 32768;
  int64_t dynamic_growth_steps = 2000;
};
/// Wraps an optimizer for losses in half precision: the loss is scaled; gradients that are not
/// finite are skipped and halve the scale, `dynamic_growth_steps` good ones double it. Variables:
/// step_counter, dynamic_scale, then those inside. InvalidArgument without an optimizer, or for one
/// that scales the loss itself. Source: keras.optimizers.LossScaleOptimizer.
OptimizerPtr LossScaleOptimizer(OptimizerPtr inner, const LossScaleOptions& options = {});

/// The names that `Get` knows: sgd, momentum, nesterov, rmsprop, adagrad, adadelta, adam, adamw,
/// amsgrad, nadam, adamax, ftrl, lion, lamb, adafactor, muon.
const std::vector<std::string>& Names();
/// The optimizer of that name with its defaults (momentum and nesterov: 0.9), and perhaps another
/// rate. NotFound, with all names, for another one.
OptimizerPtr Get(const std::string& name, const std::optional<LearningRate>& learning_rate = {},
                 const UpdateOptions& update = {});

}  // namespace lockstep::optimizers
