// Layers that move the elements of each example.

#include "lockstep/nn/layers/reshaping.h"

#include <algorithm>

#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"

namespace lockstep {

namespace {

class FlattenLayer : public Layer {
 public:
  FlattenLayer() : Layer("flatten") {}

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Shape& shape = inputs[0].shape();
    if (shape.rank() == 0) Refuse("the input needs an axis of examples", shape);
    return Reshape(inputs[0], {shape[0], shape.product(1, shape.rank())});
  }
};

class ReshapeLayer : public Layer {
 public:
  explicit ReshapeLayer(std::vector<int64_t> target)
      : Layer("reshape"), target_(std::move(target)) {
    if (std::count(target_.begin(), target_.end(), -1) > 1) {
      throw Error(Code::kInvalidArgument,
                  "[reshape] at most one size may be -1; got " + Shape(target_).ToString());
    }
  }

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Shape& shape = inputs[0].shape();
    if (shape.rank() == 0) Refuse("the input needs an axis of examples", shape);
    const int64_t elements = shape.product(1, shape.rank());
    std::vector<int64_t> sizes{shape[0]};
    int64_t known = 1;
    for (int64_t size : target_) known *= size < 0 ? 1 : size;
    const bool follows = std::count(target_.begin(), target_.end(), -1) > 0;
    if (follows ? known == 0 || elements % known != 0 : known != elements) {
      Refuse("each example must have as many elements as " + Shape(target_).ToString(), shape);
    }
    for (int64_t size : target_) sizes.push_back(size < 0 ? elements / known : size);
    return Reshape(inputs[0], sizes);
  }

 private:
  std::vector<int64_t> target_;
};

class PermuteLayer : public Layer {
 public:
  explicit PermuteLayer(std::vector<int64_t> dims) : Layer("permute"), dims_(std::move(dims)) {
    std::vector<int64_t> sorted = dims_;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i] == static_cast<int64_t>(i) + 1) continue;
      throw Error(
          Code::kInvalidArgument,
          "[permute] dims must be a permutation of 1, 2, ...; got " + Shape(dims_).ToString());
    }
  }

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    if (inputs[0].rank() != static_cast<int>(dims_.size()) + 1) {
      Refuse("the input needs rank " + std::to_string(dims_.size() + 1), inputs[0].shape());
    }
    std::vector<int64_t> permutation{0};
    permutation.insert(permutation.end(), dims_.begin(), dims_.end());
    return Transpose(inputs[0], permutation);
  }

 private:
  std::vector<int64_t> dims_;
};

class RepeatVectorLayer : public Layer {
 public:
  explicit RepeatVectorLayer(int64_t times) : Layer("repeat_vector"), times_(times) {
    if (times < 1) {
      throw Error(
          Code::kInvalidArgument,
          "[repeat_vector] it must be repeated at least once; got " + std::to_string(times));
    }
  }

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    if (inputs[0].rank() != 2) Refuse("the input must be [n, c]", inputs[0].shape());
    return Tile(ExpandDims(inputs[0], 1), {1, times_, 1});
  }

 private:
  int64_t times_;
};

class RescalingLayer : public Layer {
 public:
  RescalingLayer(double scale, double offset)
      : Layer("rescaling"), scale_(scale), offset_(offset) {}

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor x = Cast(inputs[0], dtype_policy().compute);
    return offset_ == 0 ? x * scale_ : x * scale_ + offset_;
  }

 private:
  double scale_, offset_;
};

void RequireNotNegative(const Borders& borders, const char* where) {
  if (std::all_of(borders.begin(), borders.end(), [](int64_t size) { return size >= 0; })) return;
  throw Error(Code::kInvalidArgument,
              "[" + std::string(where) + "] no border may be negative; got " +
                  Shape({borders[0], borders[1], borders[2], borders[3]}).ToString());
}

// One size for all borders, one for rows and one for columns, or all four.
Borders BordersOf(std::initializer_list<int64_t> sizes, const char* where) {
  const int64_t* size = sizes.begin();
  if (sizes.size() == 1) return {size[0], size[0], size[0], size[0]};
  if (sizes.size() == 2) return {size[0], size[0], size[1], size[1]};
  if (sizes.size() == 4) return {size[0], size[1], size[2], size[3]};
  throw Error(
      Code::kInvalidArgument,
      "[" + std::string(where) +
          "] there must be 1, 2 (rows, columns) or 4 (top, bottom, left, right) sizes; got " +
          Shape(std::vector<int64_t>(sizes)).ToString());
}

class ZeroPaddingLayer : public Layer {
 public:
  explicit ZeroPaddingLayer(const Borders& padding) : Layer("zero_padding2d"), padding_(padding) {
    RequireNotNegative(padding, "zero_padding2d");
  }

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    if (inputs[0].rank() != 4) Refuse("the input must be [n, h, w, c]", inputs[0].shape());
    return Pad(inputs[0], {{0, 0}, {padding_[0], padding_[1]}, {padding_[2], padding_[3]}, {0, 0}});
  }

 private:
  Borders padding_;
};

// Cuts a pair of borders for each axis after the first.
class CroppingLayer : public Layer {
 public:
  CroppingLayer(const char* type, std::vector<std::array<int64_t, 2>> borders)
      : Layer(type), borders_(std::move(borders)) {}

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Shape& shape = inputs[0].shape();
    const int axes = static_cast<int>(borders_.size());
    if (shape.rank() != axes + 2) {
      Refuse("the input needs rank " + std::to_string(axes + 2), shape);
    }
    std::vector<int64_t> begin(shape.rank(), 0), size(shape.rank(), -1);
    for (int i = 0; i < axes; ++i) {
      begin[i + 1] = borders_[i][0];
      size[i + 1] = shape[i + 1] - borders_[i][0] - borders_[i][1];
      if (size[i + 1] <= 0) {
        Refuse("something must be left of axis " + std::to_string(i + 1) + " without borders of " +
                   std::to_string(borders_[i][0]) + " and " + std::to_string(borders_[i][1]),
               shape);
      }
    }
    return Slice(inputs[0], begin, size);
  }

 private:
  std::vector<std::array<int64_t, 2>> borders_;
};

}  // namespace

LayerPtr Flatten() { return std::make_shared<FlattenLayer>(); }
LayerPtr Reshape(const std::vector<int64_t>& target_shape) {
  return std::make_shared<ReshapeLayer>(target_shape);
}
LayerPtr Permute(const std::vector<int64_t>& dims) { return std::make_shared<PermuteLayer>(dims); }
LayerPtr RepeatVector(int64_t times) { return std::make_shared<RepeatVectorLayer>(times); }
LayerPtr ZeroPadding2D(Size2D padding) {
  return ZeroPadding2D(Borders{padding.height, padding.height, padding.width, padding.width});
}
LayerPtr ZeroPadding2D(const Borders& padding) {
  return std::make_shared<ZeroPaddingLayer>(padding);
}
LayerPtr ZeroPadding2D(std::initializer_list<int64_t> padding) {
  return ZeroPadding2D(BordersOf(padding, "zero_padding2d"));
}
LayerPtr Cropping2D(Size2D cropping) {
  return Cropping2D(Borders{cropping.height, cropping.height, cropping.width, cropping.width});
}
LayerPtr Cropping2D(const Borders& cropping) {
  RequireNotNegative(cropping, "cropping2d");
  return std::make_shared<CroppingLayer>(
      "cropping2d",
      std::vector<std::array<int64_t, 2>>{{cropping[0], cropping[1]}, {cropping[2], cropping[3]}});
}
LayerPtr Cropping2D(std::initializer_list<int64_t> cropping) {
  return Cropping2D(BordersOf(cropping, "cropping2d"));
}
LayerPtr Cropping1D(int64_t before, int64_t after) {
  RequireNotNegative({before, after, 0, 0}, "cropping1d");
  return std::make_shared<CroppingLayer>("cropping1d",
                                         std::vector<std::array<int64_t, 2>>{{before, after}});
}
LayerPtr Rescaling(double scale, double offset) {
  return std::make_shared<RescalingLayer>(scale, offset);
}

}  // namespace lockstep
