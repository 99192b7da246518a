// Pooling, and its opposite.

#include "lockstep/nn/layers/pooling.h"

#include <algorithm>

#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/pooling.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "nn/layers/window_options.h"
#include "runtime/autocast.h"

namespace lockstep {

namespace {

enum class PoolKind { kMax, kAverage };

// What is pooled: images (rank 4), or steps (rank 3), which count as images of one row.
struct Pooling {
  const char* type;
  PoolKind kind;
  int rank;
};

class AnyPooling : public Layer {
 public:
  explicit AnyPooling(const Pooling& pooling)
      : Layer(pooling.type), kind_(pooling.kind), rank_(pooling.rank) {}

 protected:
  void RequireRank(const Shape& shape) const {
    if (shape.rank() == rank_) return;
    Refuse(rank_ == 4 ? "the input must be images [n, h, w, channels]"
                      : "the input must be [n, steps, channels]",
           shape);
  }

  const PoolKind kind_;
  const int rank_;
};

class PoolingLayer : public AnyPooling {
 public:
  PoolingLayer(const Pooling& pooling, Size2D size, Size2D strides, const std::string& padding,
               const std::string& name)
      : AnyPooling(pooling), size_(size) {
    nn::RequirePositive(size, "pool_size", pooling.type);
    nn::RequirePositive(strides, "strides", pooling.type);
    options_.strides = strides;
    options_.padding = nn::PaddingOf(padding, pooling.type);
    if (!name.empty()) set_name(name);
  }

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    RequireRank(inputs[0].shape());
    const Tensor x = rank_ == 4 ? inputs[0] : ExpandDims(inputs[0], 1);
    for (int axis : {1, 2}) {
      if (nn::WindowsAlong(x.shape()[axis], axis == 1 ? size_.height : size_.width, 1, 1,
                           options_.padding) <= 0) {
        Refuse("the pool must fit into the input", inputs[0].shape());
      }
    }
    const Tensor y =
        kind_ == PoolKind::kMax ? MaxPool(x, size_, options_) : AvgPool(x, size_, options_);
    return rank_ == 4 ? y : Squeeze(y, {1});
  }

 private:
  Size2D size_;
  PoolingOptions options_;
};

class GlobalPoolingLayer : public AnyPooling {
 public:
  GlobalPoolingLayer(const Pooling& pooling, bool keepdims)
      : AnyPooling(pooling), keepdims_(keepdims) {}

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    RequireRank(inputs[0].shape());
    const Axes axes = rank_ == 4 ? Axes{1, 2} : Axes{1};
    if (kind_ == PoolKind::kMax) return ReduceMax(inputs[0], axes, keepdims_);
    const Tensor x = runtime::WholeToFloating(inputs[0], dtype_policy().compute);
    return ReduceMean(x, axes, keepdims_);
  }

 private:
  bool keepdims_;
};

class UpSamplingLayer : public Layer {
 public:
  explicit UpSamplingLayer(Size2D size) : Layer("up_sampling2d"), size_(size) {
    nn::RequirePositive(size, "size", "up_sampling2d");
  }

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Shape& shape = inputs[0].shape();
    if (shape.rank() != 4) Refuse("the input must be images [n, h, w, channels]", shape);
    const Tensor apart = Reshape(inputs[0], {shape[0], shape[1], 1, shape[2], 1, shape[3]});
    // Broadcast by a product, as the number of images may not be known.
    const Tensor repeated =
        apart * Ones(Shape{1, 1, size_.height, 1, size_.width, 1}, inputs[0].dtype());
    return Reshape(repeated, {shape[0], shape[1] * size_.height, shape[2] * size_.width, shape[3]});
  }

 private:
  Size2D size_;
};

// The weights of `size` old places, by rows, in the size * times new ones.
Tensor BilinearWeights(int64_t size, int64_t times, DType dtype) {
  const int64_t fresh = size * times;
  std::vector<float> weights(fresh * size, 0.0f);
  for (int64_t i = 0; i < fresh; ++i) {
    const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(times) - 0.5;
    const double below = place < 0 ? -1 : static_cast<double>(static_cast<int64_t>(place));
    const auto at = [&](double old) {
      return std::clamp<int64_t>(static_cast<int64_t>(old), 0, size - 1);
    };
    weights[i * size + at(below)] += static_cast<float>(1 - (place - below));
    weights[i * size + at(below + 1)] += static_cast<float>(place - below);
  }
  return Cast(Constant(weights, {fresh, size}), dtype);
}

// A product with the weights of the rows, then one with those of the columns.
class BilinearLayer : public Layer {
 public:
  explicit BilinearLayer(Size2D size) : Layer("up_sampling2d", "UpSampling2D"), size_(size) {
    nn::RequirePositive(size, "size", "up_sampling2d");
  }

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor x = runtime::WholeToFloating(inputs[0], DType::kFloat32);
    const Shape& s = x.shape();
    if (s.rank() != 4) Refuse("the input must be [examples, height, width, channels]", s);
    const Tensor rows = MatMul(BilinearWeights(s[1], size_.height, x.dtype()),
                               lockstep::Reshape(x, {-1, s[1], s[2] * s[3]}));
    const int64_t height = s[1] * size_.height;
    const Tensor y = MatMul(BilinearWeights(s[2], size_.width, x.dtype()),
                            lockstep::Reshape(rows, {-1, height, s[2], s[3]}));
    const Tensor larger = lockstep::Reshape(y, {-1, height, s[2] * size_.width, s[3]});
    // Whole numbers stay whole, as in Keras.
    return IsInteger(inputs[0].dtype()) ? Cast(Round(larger), inputs[0].dtype()) : larger;
  }

 private:
  Size2D size_;
};

LayerPtr Pooling2D(const char* type, PoolKind kind, Size2D size, const Pooling2DOptions& options) {
  return std::make_shared<PoolingLayer>(
      Pooling{type, kind, 4}, size, options.strides.value_or(size), options.padding, options.name);
}
LayerPtr Pooling1D(const char* type, PoolKind kind, int64_t size, const Pooling1DOptions& options) {
  return std::make_shared<PoolingLayer>(Pooling{type, kind, 3}, Size2D(1, size),
                                        Size2D(1, options.strides.value_or(size)), options.padding,
                                        options.name);
}
LayerPtr GlobalPooling(const Pooling& pooling, bool keepdims) {
  return std::make_shared<GlobalPoolingLayer>(pooling, keepdims);
}

}  // namespace

LayerPtr MaxPooling2D(Size2D pool_size, const Pooling2DOptions& options) {
  return Pooling2D("max_pooling2d", PoolKind::kMax, pool_size, options);
}
LayerPtr AveragePooling2D(Size2D pool_size, const Pooling2DOptions& options) {
  return Pooling2D("average_pooling2d", PoolKind::kAverage, pool_size, options);
}
LayerPtr MaxPooling1D(int64_t pool_size, const Pooling1DOptions& options) {
  return Pooling1D("max_pooling1d", PoolKind::kMax, pool_size, options);
}
LayerPtr AveragePooling1D(int64_t pool_size, const Pooling1DOptions& options) {
  return Pooling1D("average_pooling1d", PoolKind::kAverage, pool_size, options);
}
LayerPtr GlobalAveragePooling2D(bool keepdims) {
  return GlobalPooling({"global_average_pooling2d", PoolKind::kAverage, 4}, keepdims);
}
LayerPtr GlobalMaxPooling2D(bool keepdims) {
  return GlobalPooling({"global_max_pooling2d", PoolKind::kMax, 4}, keepdims);
}
LayerPtr GlobalAveragePooling1D(bool keepdims) {
  return GlobalPooling({"global_average_pooling1d", PoolKind::kAverage, 3}, keepdims);
}
LayerPtr GlobalMaxPooling1D(bool keepdims) {
  return GlobalPooling({"global_max_pooling1d", PoolKind::kMax, 3}, keepdims);
}
LayerPtr UpSampling2D(Size2D size) { return std::make_shared<UpSamplingLayer>(size); }
LayerPtr BilinearUpSampling2D(Size2D size) { return std::make_shared<BilinearLayer>(size); }

}  // namespace lockstep
