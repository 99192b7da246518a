#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// Makes the first value of a weight. Without a seed of its own, the value follows from the global
/// seed and the weight's name, so that every worker makes the same bits in any order of creation.
/// Source: keras.initializers.
class Initializer {
 public:
  virtual ~Initializer() = default;
  /// A tensor of `shape`. `drawn_seed` is used where the initializer has no seed of its own.
  virtual Tensor Make(const Shape& shape, DType dtype, int64_t drawn_seed) const = 0;
  virtual std::string name() const = 0;
};
using InitializerPtr = std::shared_ptr<const Initializer>;

namespace initializers {
InitializerPtr Zeros();
InitializerPtr Ones();
InitializerPtr GlorotUniform(std::optional<int64_t> seed = {});
}  // namespace initializers

/// Sets the seed from which everything random follows that has no seed of its own.
/// Source: keras.utils.set_random_seed.
void SetRandomSeed(int64_t seed);
int64_t RandomSeed();

}  // namespace lockstep
