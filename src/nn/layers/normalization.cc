// Normalisations of each example on its own; of half precision in float32, as Keras does.

#include "lockstep/nn/layers/normalization.h"

#include <numeric>

#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/normalization.h"
#include "lockstep/ops/structure.h"
#include "nn/layers/gamma_and_beta.h"
#include "runtime/autocast.h"

namespace lockstep {

namespace {

class LayerNormalizationLayer : public Layer {
 public:
  explicit LayerNormalizationLayer(const LayerNormalizationOptions& options)
      : Layer("layer_normalization"), options_(options) {
    if (options.axis.empty()) {
      throw Error(Code::kInvalidArgument,
                  "[layer_normalization] at least one axis is needed; got none");
    }
    if (!options.name.empty()) set_name(options.name);
  }

 protected:
  void Build(const std::vector<Shape>& inputs) override {
    for (int64_t axis : AxesOf(inputs[0])) sizes_.push_back(inputs[0][static_cast<int>(axis)]);
    const Shape shape(sizes_);
    if (options_.scale) gamma_ = AddWeight("gamma", shape, GammaOf(options_));
    if (options_.center) beta_ = AddWeight("beta", shape, BetaOf(options_));
  }

  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor input = runtime::WholeToFloating(inputs[0], dtype_policy().compute);
    const Tensor x = runtime::WidenHalf(input);
    const std::vector<int64_t> axes = AxesOf(x.shape());
    for (size_t i = 0; i < axes.size(); ++i) {
      if (x.shape()[static_cast<int>(axes[i])] == sizes_[i]) continue;
      Refuse("the normalised axes must have the sizes " + Shape(sizes_).ToString() +
                 " that the layer was built for",
             x.shape());
    }
    const bool last = axes.front() == x.rank() - static_cast<int64_t>(axes.size());
    return runtime::CastFloating(last ? CallLast(x) : CallAnywhere(x, axes), input.dtype());
  }

 private:
  std::vector<int64_t> AxesOf(const Shape& shape) const {
    std::vector<int64_t> axes = Axes(options_.axis).Resolve(shape.rank(), name().c_str());
    if (axes.front() == 0) Refuse("examples must not be normalised together: axis 0", shape);
    return axes;
  }

  // The last axes count as one.
  Tensor CallLast(const Tensor& x) const {
    const int64_t size = Shape(sizes_).num_elements();
    const Tensor gamma =
        options_.scale ? Reshape(runtime::WidenHalf(gamma_), {size}) : Ones(Shape{size}, x.dtype());
    const Tensor beta = options_.center ? Reshape(runtime::WidenHalf(beta_), {size})
                                        : Zeros(Shape{size}, x.dtype());
    if (sizes_.size() == 1) return LayerNormalization(x, gamma, beta, options_.epsilon);
    std::vector<int64_t> joined = x.shape().vector();
    joined.resize(joined.size() - sizes_.size());
    joined.push_back(size);
    return Reshape(LayerNormalization(Reshape(x, joined), gamma, beta, options_.epsilon),
                   x.shape().vector());
  }

  Tensor CallAnywhere(const Tensor& x, const std::vector<int64_t>& axes) const {
    std::vector<int64_t> shape(x.rank(), 1);
    for (size_t i = 0; i < axes.size(); ++i) shape[axes[i]] = sizes_[i];
    const auto [mean, variance] = Moments(x, Axes(axes), true);
    return BatchNormalization(
        x, mean, variance, options_.center ? Reshape(runtime::WidenHalf(beta_), shape) : Tensor(),
        options_.scale ? Reshape(runtime::WidenHalf(gamma_), shape) : Tensor(), options_.epsilon);
  }

  LayerNormalizationOptions options_;
  std::vector<int64_t> sizes_;
  Variable gamma_, beta_;
};

class GroupNormalizationLayer : public Layer {
 public:
  explicit GroupNormalizationLayer(const GroupNormalizationOptions& options)
      : Layer("group_normalization"), options_(options) {
    if (!options.name.empty()) set_name(options.name);
  }

 protected:
  void Build(const std::vector<Shape>& inputs) override {
    const Shape& shape = inputs[0];
    if (shape.rank() < 2) Refuse("the input needs an axis of examples and one of channels", shape);
    channels_ = shape.dim(options_.axis);
    groups_ = options_.groups == -1 ? channels_ : options_.groups;
    if (groups_ < 1 || channels_ % groups_ != 0) {
      Refuse(std::to_string(groups_) + " groups must divide the " + std::to_string(channels_) +
                 " channels",
             shape);
    }
    if (options_.scale) gamma_ = AddWeight("gamma", Shape{channels_}, GammaOf(options_));
    if (options_.center) beta_ = AddWeight("beta", Shape{channels_}, BetaOf(options_));
  }

  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Shape& shape = inputs[0].shape();
    if (shape.rank() < 2 || shape.dim(options_.axis) != channels_) {
      Refuse("axis " + std::to_string(options_.axis) + " must have the " +
                 std::to_string(channels_) + " channels that the layer was built for",
             shape);
    }
    const Tensor input = runtime::WholeToFloating(inputs[0], dtype_policy().compute);
    const Tensor x = ChannelsLast(runtime::WidenHalf(input));
    const std::vector<int64_t> apart{1, 1, groups_, channels_ / groups_};
    const Tensor grouped =
        Reshape(x, {shape[0], x.shape().product(1, x.rank() - 1), apart[2], apart[3]});
    const auto [mean, variance] = Moments(grouped, Axes{1, 3}, true);
    const Tensor y = BatchNormalization(
        grouped, mean, variance,
        options_.center ? Reshape(runtime::WidenHalf(beta_), apart) : Tensor(),
        options_.scale ? Reshape(runtime::WidenHalf(gamma_), apart) : Tensor(), options_.epsilon);
    return runtime::CastFloating(ChannelsLast(Reshape(y, x.shape().vector())), input.dtype());
  }

 private:
  // Exchanges the channels' axis and the last one.
  Tensor ChannelsLast(const Tensor& x) const {
    const int axis = NormalizeAxis(options_.axis, x.rank(), name().c_str());
    if (axis == x.rank() - 1) return x;
    std::vector<int64_t> order(x.rank());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[axis], order.back());
    return Transpose(x, order);
  }

  GroupNormalizationOptions options_;
  int64_t channels_ = 0, groups_ = 0;
  Variable gamma_, beta_;
};

class RmsNormalizationLayer : public Layer {
 public:
  RmsNormalizationLayer(std::vector<int64_t> axis, double epsilon)
      : Layer("rms_normalization", "RMSNormalization"), axis_(std::move(axis)), epsilon_(epsilon) {}

 protected:
  void Build(const std::vector<Shape>& inputs) override {
    sizes_.clear();
    for (const int64_t axis : Axes(axis_).Resolve(inputs[0].rank(), name().c_str()))
      sizes_.push_back(inputs[0][static_cast<int>(axis)]);
    scale_ =
        AddWeight("scale", Shape(sizes_), {.initializer = initializers::Ones(), .autocast = false});
  }
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor x = runtime::WidenHalf(inputs[0]);
    const std::vector<int64_t> axes = Axes(axis_).Resolve(x.rank(), name().c_str());
    std::vector<int64_t> shape(x.rank(), 1);
    for (size_t i = 0; i < axes.size(); ++i) {
      const int axis = static_cast<int>(axes[i]);
      if (axis == 0 || i >= sizes_.size() || x.shape()[axis] != sizes_[i]) {
        Refuse("axis " + std::to_string(axis) + " must not be 0 and have the size " +
                   std::to_string(i < sizes_.size() ? sizes_[i] : 0) +
                   " that the layer was built for",
               x.shape());
      }
      shape[axis] = sizes_[i];
    }
    const Tensor y = x * Rsqrt(ReduceMean(Square(x), Axes(axes), true) + epsilon_) *
                     Reshape(runtime::WidenHalf(scale_), shape);
    return runtime::CastFloating(y, inputs[0].dtype());
  }

 private:
  std::vector<int64_t> axis_;
  double epsilon_;
  std::vector<int64_t> sizes_;
  Variable scale_;
};

class UnitNormalizationLayer : public Layer {
 public:
  explicit UnitNormalizationLayer(std::vector<int64_t> axis)
      : Layer("unit_normalization"), axis_(std::move(axis)) {}

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    return L2Normalize(inputs[0], Axes(axis_), kFloor * kFloor);
  }

 private:
  static constexpr double kFloor = 1e-12;  // of the length that is divided by
  std::vector<int64_t> axis_;
};

}  // namespace

LayerPtr LayerNormalization(const LayerNormalizationOptions& options) {
  return std::make_shared<LayerNormalizationLayer>(options);
}
LayerPtr GroupNormalization(const GroupNormalizationOptions& options) {
  return std::make_shared<GroupNormalizationLayer>(options);
}
LayerPtr RMSNormalization(const std::vector<int64_t>& axis, double epsilon) {
  return std::make_shared<RmsNormalizationLayer>(axis, epsilon);
}
LayerPtr RMSNormalization(int axis, double epsilon) {
  return RMSNormalization(std::vector<int64_t>{axis}, epsilon);
}
LayerPtr UnitNormalization(const std::vector<int64_t>& axis) {
  return std::make_shared<UnitNormalizationLayer>(axis);
}

}  // namespace lockstep
