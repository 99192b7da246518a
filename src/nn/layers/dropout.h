#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lockstep/nn/layer.h"
#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep::nn {

/// Drops elements with probability `rate` by the seed that `counter` holds ([seed, call]), and
/// counts the call.
Tensor DropAndCount(const Tensor& x, const Variable& counter, double rate);
/// Ones in the shape of a mask for `x` (-1: the size of x; x's shape where empty), which follow the
/// examples of `x` where the mask has an axis of them.
Tensor MaskOnes(const Tensor& x, const std::vector<int64_t>& noise_shape);
/// Normals in x's shape by the same seed, in x's dtype, and counts the call.
Tensor NormalAndCount(const Tensor& x, const Variable& counter, double mean, double deviation);
/// InvalidArgument, starting with `[where]`, unless `rate` is in [0, 1].
void RequireRate(double rate, const char* where);

/// A layer that gives its input as it is, but while training: then `Draw` makes it of random
/// numbers.
class RandomLayer : public Layer {
 public:
  /// Neither draws nor has a counter unless `active`.
  RandomLayer(const char* type, bool active, std::optional<int64_t> seed, const std::string& name);

 protected:
  /// Draws by `counter` ([seed, call]), and counts the call.
  virtual Tensor Draw(const Tensor& x, const Variable& counter) = 0;
  /// InvalidArgument, naming the layer, unless `noise_shape` is empty or of x's rank.
  void RequireRank(const std::vector<int64_t>& noise_shape, const Tensor& x) const;

 private:
  void Build(const std::vector<Shape>&) final;
  Tensor Call(const std::vector<Tensor>& inputs, bool training) final;

  bool active_;
  std::optional<int64_t> seed_;
  Variable counter_;
};

}  // namespace lockstep::nn
