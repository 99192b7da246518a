#include <numeric>

#include "distribute/leaves.h"
#include "lockstep/distribute/replica_context.h"
#include "lockstep/nn/layers/normalization.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "nn/layers/gamma_and_beta.h"
#include "ops/batch_statistics.h"
#include "runtime/autocast.h"

namespace lockstep {

namespace {

class BatchNormalizationLayer : public Layer {
 public:
  explicit BatchNormalizationLayer(const BatchNormalizationOptions& options)
      : Layer("batch_normalization"), options_(options) {
    if (!options.name.empty()) set_name(options.name);
  }

 protected:
  void Build(const std::vector<Shape>& inputs) override {
    const Shape& shape = inputs[0];
    if (shape.rank() < 2) Refuse("the input needs an axis of examples and one of channels", shape);
    channels_ = shape[Axis(shape)];
    const Shape vector{channels_};
    if (options_.scale) gamma_ = AddWeight("gamma", vector, GammaOf(options_));
    if (options_.center) beta_ = AddWeight("beta", vector, BetaOf(options_));
    moving_mean_ = AddWeight(
        "moving_mean", vector,
        {.initializer = options_.moving_mean_initializer, .trainable = false, .autocast = false});
    moving_variance_ = AddWeight("moving_variance", vector,
                                 {.initializer = options_.moving_variance_initializer,
                                  .trainable = false,
                                  .autocast = false});
  }

  Tensor Call(const std::vector<Tensor>& inputs, bool training) override {
    const Shape& shape = inputs[0].shape();
    if (shape.rank() < 2 || shape[Axis(shape)] != channels_) {
      Refuse("axis " + std::to_string(options_.axis) + " must have the " +
                 std::to_string(channels_) + " channels that the layer was built for",
             shape);
    }
    const Tensor input = runtime::WholeToFloating(inputs[0], dtype_policy().compute);
    const Tensor x = AxisSwapped(input);
    const Tensor y = training && trainable() ? Train(x) : Infer(x);
    return AxisSwapped(Cast(y, input.dtype()));
  }

 private:
  int Axis(const Shape& shape) const {
    const int axis = NormalizeAxis(options_.axis, shape.rank(), name().c_str());
    if (axis == 0) Refuse("the axis of channels must not be that of examples", shape);
    return axis;
  }

  // The tensor with the channels' axis and the last one exchanged.
  Tensor AxisSwapped(const Tensor& x) const {
    const int axis = Axis(x.shape());
    if (axis == x.rank() - 1) return x;
    std::vector<int64_t> order(x.rank());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[axis], order.back());
    return Transpose(x, order);
  }

  Tensor Train(const Tensor& input) const {
    const Tensor x = runtime::WidenHalf(input);
    const auto replicas =
        options_.synchronized ? std::vector<int64_t>() : distribute::ReplicaRowsOf(x.shape()[0]);
    ops::BatchMomentsResult own = ops::BatchMoments(x, replicas);
    const ReplicaContext* context = GetReplicaContext();
    ops::BatchMomentsResult followed = own;
    if (context != nullptr && context->num_replicas_in_sync() > 1) {
      followed = OverReplicas(*context, own, Cast(SizeOf(x), own.mean.dtype()) / channels_);
      if (options_.synchronized) own = followed;
    }
    Follow(moving_mean_, followed.mean, replicas);
    Follow(moving_variance_, followed.variance, replicas);
    const auto& [mean, variance] = own;
    Tensor scale = Rsqrt(variance + options_.epsilon);
    if (options_.scale) scale = scale * ExpandDims(runtime::WidenHalf(gamma_), 1);
    const Tensor shift = mean * scale;
    const Tensor offset =
        options_.center ? ExpandDims(runtime::WidenHalf(beta_), 1) - shift : -shift;
    return ops::BatchAffine(x, scale, offset, replicas);
  }

  // In the code of one of several replicas: the statistics of all examples where they are
  // synchronized, else the mean of those of the replicas that have examples.
  ops::BatchMomentsResult OverReplicas(const ReplicaContext& context,
                                       const ops::BatchMomentsResult& own,
                                       const Tensor& elements) const {
    const Tensor weight = options_.synchronized ? elements : Minimum(elements, 1.0f);
    if (!options_.synchronized) {
      const std::vector<Tensor> sums =
          context.AllReduce(ReduceOp::kSum, {own.mean * weight, own.variance * weight, weight});
      const Tensor present = Maximum(sums[2], 1.0f);
      return {sums[0] / present, sums[1] / present};
    }
    const std::vector<Tensor> sums = context.AllReduce(ReduceOp::kSum, {own.mean * weight, weight});
    const Tensor total = Maximum(sums[1], 1.0f);
    const Tensor mean = sums[0] / total;
    const Tensor apart = own.mean - mean;
    const Tensor square = (own.variance + apart * apart) * weight;
    return {mean, context.AllReduce(ReduceOp::kSum, square) / total};
  }

  Tensor Infer(const Tensor& input) const {
    const Tensor x = runtime::WidenHalf(input);
    Tensor scale = Rsqrt(runtime::WidenHalf(moving_variance_) + options_.epsilon);
    if (options_.scale) scale = scale * runtime::WidenHalf(gamma_);
    const Tensor shift = runtime::WidenHalf(moving_mean_) * scale;
    return x * scale + (options_.center ? runtime::WidenHalf(beta_) - shift : -shift);
  }

  // moving = moving * momentum + (the mean over replicas that have examples) * (1 - momentum).
  void Follow(const Variable& moving, const Tensor& statistic,
              const std::vector<int64_t>& replicas) const {
    Tensor mean;
    if (replicas.empty()) {
      mean = Squeeze(statistic, {1});
    } else {
      float present = 0;
      for (size_t r = 1; r < replicas.size(); ++r) present += replicas[r] > replicas[r - 1];
      mean = ReduceSum(statistic, 1) / std::max(present, 1.0f);  // the others' are zero
    }
    const Tensor next =
        runtime::WidenHalf(moving) * options_.momentum + mean * (1 - options_.momentum);
    moving.Assign(runtime::CastFloating(next, moving.dtype()));
  }

  BatchNormalizationOptions options_;
  int64_t channels_ = 0;
  Variable gamma_, beta_, moving_mean_, moving_variance_;
};

}  // namespace

LayerPtr BatchNormalization(const BatchNormalizationOptions& options) {
  return std::make_shared<BatchNormalizationLayer>(options);
}

}  // namespace lockstep
