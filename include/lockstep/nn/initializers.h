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

// Seeds: with one of its own an initializer gives the same values at every call. Errors of all:
// InvalidArgument for a dtype that is not floating. Source: keras.initializers.
namespace initializers {
InitializerPtr Zeros();
InitializerPtr Ones();
InitializerPtr Constant(double value = 0);
/// `gain` on the diagonal, else 0; also for matrices that are not square. InvalidArgument for
/// another rank than 2.
InitializerPtr Identity(double gain = 1);

InitializerPtr RandomUniform(double minval = -0.05, double maxval = 0.05,
                             std::optional<int64_t> seed = {});
InitializerPtr RandomNormal(double mean = 0, double stddev = 0.05,
                            std::optional<int64_t> seed = {});
/// Normals drawn again until they lie within two deviations.
InitializerPtr TruncatedNormal(double mean = 0, double stddev = 0.05,
                               std::optional<int64_t> seed = {});

enum class FanMode { kIn, kOut, kAverage };
enum class Distribution { kUniform, kTruncatedNormal, kUntruncatedNormal };
struct VarianceScalingOptions {
  double scale = 1;
  FanMode mode = FanMode::kIn;
  Distribution distribution = Distribution::kTruncatedNormal;
  std::optional<int64_t> seed = {};
};
/// Values of variance scale / fan, where the fan is how many inputs or outputs a unit has:
/// the last two axes times the product of the others.
InitializerPtr VarianceScaling(const VarianceScalingOptions& options = {});
InitializerPtr GlorotUniform(std::optional<int64_t> seed = {});
InitializerPtr GlorotNormal(std::optional<int64_t> seed = {});
InitializerPtr HeUniform(std::optional<int64_t> seed = {});
InitializerPtr HeNormal(std::optional<int64_t> seed = {});
InitializerPtr LecunUniform(std::optional<int64_t> seed = {});
InitializerPtr LecunNormal(std::optional<int64_t> seed = {});

/// `gain` times a matrix with orthonormal columns (rows where there are fewer), from the QR
/// decomposition of normals with a positive diagonal of R; all axes but the last count as rows.
/// InvalidArgument for a rank below 2.
InitializerPtr Orthogonal(double gain = 1, std::optional<int64_t> seed = {});
}  // namespace initializers

/// Sets the seed from which everything random follows that has no seed of its own; `SetSeed` for
/// ops included. Source: keras.utils.set_random_seed.
void SetRandomSeed(int64_t seed);
int64_t RandomSeed();
/// The next seed of the sequence that Keras gives to layers and initializers without a seed, in the
/// order of their construction, after SetRandomSeed. Lockstep's own layers take their seeds from
/// their names instead; pass this one to an initializer to have Keras's weights.
int64_t NextDefaultSeed();

}  // namespace lockstep
