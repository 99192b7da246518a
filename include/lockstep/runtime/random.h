#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "lockstep/ops/random.h"
#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// Sets the seed from which random ops follow that have no seed of their own, and starts their
/// streams again, also those of functions that were traced before, which keep the seeds of their
/// trace. Where a graph is the default it sets the graph's own seed alone. Source:
/// tf.random.set_seed.
void SetSeed(int64_t seed);
/// The seed set last; none at the start of the process.
std::optional<int64_t> GlobalSeed();

// Random ops with a state: every call continues a stream. Eagerly each (op, seeds, dtype) has a
// stream, and an op without a seed takes the next of the sequence that follows from the global
// seed; in a traced function each op has a stream of its own, numbered in trace order.
// In the function of a data set an op draws what follows from the element's number in the iterator,
// whichever thread or task computes it: each iterator begins anew, a repeat in it goes on.
// Without any seed the results follow from the order of the calls in the program (in TensorFlow
// they differ from run to run). Source: tf.random.uniform and its relatives.

struct RandomOptions {
  DType dtype = DType::kFloat32;
  std::optional<int64_t> seed = {};
};
/// Numbers in [low, high). Dtypes: as StatelessRandomUniform.
Tensor RandomUniform(const RandomSizes& shape, double low = 0, double high = 1,
                     const RandomOptions& options = {});
/// Integers in [low, high). Dtypes: int32, int64.
Tensor RandomUniformInt(const RandomSizes& shape, int64_t low, int64_t high,
                        const RandomOptions& options = {.dtype = DType::kInt32});
Tensor RandomNormal(const RandomSizes& shape, double mean = 0, double deviation = 1,
                    const RandomOptions& options = {});
Tensor RandomTruncatedNormal(const RandomSizes& shape, double mean = 0, double deviation = 1,
                             const RandomOptions& options = {});
/// `samples` class numbers a row. Shapes and dtypes: as StatelessCategorical. Source:
/// tf.random.categorical.
Tensor RandomCategorical(const Tensor& logits, int64_t samples,
                         const RandomOptions& options = {.dtype = DType::kInt64});
/// The rows of `value` in random order. Source: tf.random.shuffle.
Tensor RandomShuffle(const Tensor& value, std::optional<int64_t> seed = {});
/// `samples` numbers of each parameter, float64. Shapes: as StatelessGamma; `options.dtype` is that
/// of TensorFlow's op, whose stream is its own. Source: tf.random.gamma, tf.random.poisson.
Tensor RandomGamma(int64_t samples, const Tensor& alphas, const RandomOptions& options = {});
Tensor RandomPoisson(int64_t samples, const Tensor& rates, double highest,
                     const RandomOptions& options = {});

/// A stream of random numbers whose place is a variable: it can be saved, and draws in traced
/// functions advance it. A draw of n elements advances the counter by 256 n. Copies share the
/// state. Source: tf.random.Generator with the algorithm Philox.
class Generator {
 public:
  /// `state`: int64[3], counter (low, high) and key.
  explicit Generator(const std::array<int64_t, 3>& state);
  static Generator FromSeed(int64_t seed);
  /// Up to three 64-bit digits, padded with zeros on the left.
  static Generator FromSeed(const std::vector<int64_t>& digits);
  static Generator FromKeyCounter(int64_t key, const std::array<int64_t, 2>& counter);

  Tensor Uniform(const RandomSizes& shape, double low = 0, double high = 1,
                 DType dtype = DType::kFloat32) const;
  Tensor UniformInt(const RandomSizes& shape, int64_t low, int64_t high,
                    DType dtype = DType::kInt32) const;
  Tensor UniformFullInt(const RandomSizes& shape, DType dtype = DType::kInt32) const;
  Tensor Normal(const RandomSizes& shape, double mean = 0, double deviation = 1,
                DType dtype = DType::kFloat32) const;
  Tensor TruncatedNormal(const RandomSizes& shape, double mean = 0, double deviation = 1,
                         DType dtype = DType::kFloat32) const;
  /// Shapes: as StatelessBinomial.
  Tensor Binomial(int64_t samples, const Tensor& counts, const Tensor& probabilities) const;

  /// int64 [2, count]: seeds for stateless ops in its columns.
  Tensor MakeSeeds(int64_t count) const;
  /// `count` independent generators. Eager only.
  std::vector<Generator> Split(int64_t count) const;
  /// Advances as a draw of `elements` elements does.
  void Skip(int64_t elements) const;
  void ResetFromSeed(int64_t seed) const;
  void ResetFromKeyCounter(int64_t key, const std::array<int64_t, 2>& counter) const;
  /// int64[3].
  const Variable& state() const { return state_; }

 private:
  Variable state_;
};

}  // namespace lockstep
