#pragma once

#include <cstdint>
#include <initializer_list>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

// Random tensors that follow from a seed and a shape alone, TensorFlow's bits. `seed` holds two
// int32 or int64 (a stateless seed) or three int64 (the state of a `Generator`). Any element can be
// made without the others, so a part of a batch gets its part of the stream. Errors:
// InvalidArgument for another seed, dtype or an empty range. Source: tf.random.stateless_*.

/// The shape of random numbers: sizes, or where a program is traced a tensor that tells them when
/// it runs.
class RandomSizes {
 public:
  RandomSizes(const Shape& shape = {}) : known_(shape) {}
  RandomSizes(std::initializer_list<int64_t> sizes) : known_(sizes) {}
  /// `values`: int64 [axes]. `known`: what is known of them before, -1 for the rest.
  RandomSizes(const Shape& known, const Tensor& values) : known_(known), values_(values) {}

  const Shape& known() const { return known_; }
  /// Undefined where the sizes are known.
  const Tensor& values() const { return values_; }

 private:
  Shape known_;
  Tensor values_;
};

/// low + u * (high - low), u in [0, 1). Dtypes: float32, float64, float16, bfloat16.
Tensor StatelessRandomUniform(const RandomSizes& shape, const Tensor& seed, double low = 0,
                              double high = 1, DType dtype = DType::kFloat32);
/// Integers in [low, high), slightly biased as TensorFlow's. Dtypes: int32, int64.
Tensor StatelessRandomUniformInt(const RandomSizes& shape, const Tensor& seed, int64_t low,
                                 int64_t high, DType dtype = DType::kInt32);
/// Integers of the whole range. Dtypes: int32, int64.
Tensor StatelessRandomUniformFullInt(const RandomSizes& shape, const Tensor& seed,
                                     DType dtype = DType::kInt32);
/// Normals; equal to TensorFlow's within 1e-6 (float32). Dtypes: float32, float64, float16,
/// bfloat16 (rounded from float32).
Tensor StatelessRandomNormal(const RandomSizes& shape, const Tensor& seed, double mean = 0,
                             double deviation = 1, DType dtype = DType::kFloat32);
/// Normals drawn again until they lie within two deviations. Dtypes: as the normals.
Tensor StatelessTruncatedNormal(const RandomSizes& shape, const Tensor& seed, double mean = 0,
                                double deviation = 1, DType dtype = DType::kFloat32);

// Numbers that are tried until one is accepted, `samples` of each parameter, in float64. Shapes:
// parameters [p] of float64; result [samples, p]. No gradient.

/// Gamma distributions of these shapes, all above 0, and rate 1. Source: tf.random.stateless_gamma.
Tensor StatelessGamma(int64_t samples, const Tensor& seed, const Tensor& alphas);
/// Poisson distributions; no number is above `highest`. Source: tf.random.stateless_poisson.
Tensor StatelessPoisson(int64_t samples, const Tensor& seed, const Tensor& rates, double highest);
/// How many of `counts` trials succeed. Source: tf.random.stateless_binomial.
Tensor StatelessBinomial(int64_t samples, const Tensor& seed, const Tensor& counts,
                         const Tensor& probabilities);

/// `count` new seeds. Shapes: seed [2], result [count, 2] of the same dtype. Source:
/// tf.random.split.
Tensor RandomSplit(const Tensor& seed, int64_t count = 2);
/// A new seed made of `seed` and an integer, whose dtype is the result's; a bare number has that of
/// the seed. Shapes: seed [2], data []; result [2]. Source: tf.random.fold_in.
Tensor RandomFoldIn(const Tensor& seed, const Tensor& data);

/// x / (1 - rate) where a uniform number of the element's place in the stream is at least `rate`,
/// else 0; all 0 for rate 1. `seed` is Keras's: two int64, each taken modulo 2^31 - 2. Axis 0 holds
/// the examples. The gradient makes the same mask again. Dtypes: float32, float64.
/// Errors: InvalidArgument for a rate outside of [0, 1]. Source: keras.layers.Dropout.
Tensor StatelessDropout(const Tensor& x, double rate, const Tensor& seed);

/// Normals in the shape of `x`, whose axis 0 holds the examples and whose values don't matter: the
/// element at a place is that number of the stream. `seed` is Keras's, as of `StatelessDropout`. No
/// gradient flows. Dtypes: float32, float64. Source: keras.random.normal.
Tensor StatelessNormalLike(const Tensor& x, const Tensor& seed, double mean = 0,
                           double deviation = 1);

/// `samples` class numbers of each row, drawn with unnormalised log probabilities; a class whose
/// logit is not finite is never drawn. Shapes: logits [rows, classes], result [rows, samples].
/// Dtypes: logits floating, result int32 or int64. Source: tf.random.stateless_categorical.
Tensor StatelessCategorical(const Tensor& logits, int64_t samples, const Tensor& seed,
                            DType dtype = DType::kInt64);

/// The order of `size` rows after a shuffle: row i of the result is row p[i]. int64 [size].
/// Source: tf.random.shuffle.
Tensor RandomPermutation(int64_t size, const Tensor& seed);
/// The same for as many rows as `rows` has, which a run tells where the shape does not.
Tensor RandomPermutationLike(const Tensor& rows, const Tensor& seed);

}  // namespace lockstep
