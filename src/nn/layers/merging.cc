// Layers that join several inputs.

#include "lockstep/nn/layers/merging.h"

#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"

namespace lockstep {

namespace {

using Join = Tensor (*)(const Tensor&, const Tensor&);

// Joins inputs from left to right; `mean` divides by their number.
class JoinLayer : public Layer {
 public:
  JoinLayer(const char* type, Join join, bool mean = false, size_t most = SIZE_MAX)
      : Layer(type), join_(join), mean_(mean), most_(most) {}

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    if (inputs.size() < 2 || inputs.size() > most_) {
      throw Error(Code::kInvalidArgument,
                  "[" + name() + "] " + (most_ == 2 ? "two" : "at least two") +
                      " inputs are needed; got " + std::to_string(inputs.size()));
    }
    Tensor result = inputs[0];
    for (size_t i = 1; i < inputs.size(); ++i) result = join_(result, inputs[i]);
    return mean_ ? result / static_cast<double>(inputs.size()) : result;
  }

 private:
  Join join_;
  bool mean_;
  size_t most_;
};

class ConcatenateLayer : public Layer {
 public:
  explicit ConcatenateLayer(int axis) : Layer("concatenate"), axis_(axis) {}

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    if (inputs[0].rank() > 0 && NormalizeAxis(axis_, inputs[0].rank(), name().c_str()) == 0) {
      Refuse("examples are not joined: the axis must not be 0", inputs[0].shape());
    }
    return Concat(inputs, axis_);
  }

 private:
  int axis_;
};

}  // namespace

LayerPtr Add() {
  return std::make_shared<JoinLayer>("add",
                                     [](const Tensor& a, const Tensor& b) { return Add(a, b); });
}
LayerPtr Subtract() {
  return std::make_shared<JoinLayer>(
      "subtract", [](const Tensor& a, const Tensor& b) { return Subtract(a, b); }, false, 2);
}
LayerPtr Multiply() {
  return std::make_shared<JoinLayer>(
      "multiply", [](const Tensor& a, const Tensor& b) { return Multiply(a, b); });
}
LayerPtr Average() {
  return std::make_shared<JoinLayer>(
      "average", [](const Tensor& a, const Tensor& b) { return Add(a, b); }, true);
}
LayerPtr Maximum() {
  return std::make_shared<JoinLayer>(
      "maximum", [](const Tensor& a, const Tensor& b) { return Maximum(a, b); });
}
LayerPtr Minimum() {
  return std::make_shared<JoinLayer>(
      "minimum", [](const Tensor& a, const Tensor& b) { return Minimum(a, b); });
}
LayerPtr Concatenate(int axis) { return std::make_shared<ConcatenateLayer>(axis); }

}  // namespace lockstep
