// Layers around others that meet sequences: Bidirectional, TimeDistributed, StepMask.

#include "lockstep/nn/layers/recurrent.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"

namespace lockstep {

namespace {

class BidirectionalLayer : public StatefulLayer {
 public:
  BidirectionalLayer(const RecurrentPtr& layer, MergeMode merge_mode)
      : StatefulLayer("bidirectional"),
        forward_(layer),
        backward_(layer->Turned()),
        merge_mode_(merge_mode) {
    const std::string name = layer->name().empty() ? layer->type() : layer->name();
    forward_->set_name("forward_" + name);
    backward_->set_name("backward_" + name);
    for (const RecurrentPtr& one : {forward_, backward_})
      one->set_zero_output_for_mask(one->return_sequences());
    Track(LayerPtr(forward_));
    Track(LayerPtr(backward_));
  }

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool training) override {
    if (merge_mode_ == MergeMode::kNone)
      Refuse("results that are not merged are two: use CallWithStates", inputs[0].shape());
    return StatefulLayer::Call(inputs, training);
  }

  std::vector<Tensor> Steps(const std::vector<Tensor>& inputs, bool training) override {
    std::vector<Tensor> ahead{inputs[0]}, back{inputs[0]};
    std::vector<Tensor> states(inputs.begin() + 1, inputs.end());
    const bool masked = !states.empty() && states.back().dtype() == DType::kBool;
    const size_t half = (states.size() - (masked ? 1 : 0)) / 2;
    if (states.size() != 2 * half + (masked ? 1 : 0))
      Refuse("first states come in pairs, the forward layer's first", inputs[0].shape());
    ahead.insert(ahead.end(), states.begin(), states.begin() + half);
    back.insert(back.end(), states.begin() + half, states.begin() + 2 * half);
    if (masked) {
      ahead.push_back(states.back());
      back.push_back(states.back());
    }
    std::vector<Tensor> results = forward_->CallWithStates(ahead, training);
    std::vector<Tensor> others = backward_->CallWithStates(back, training);
    if (backward_->return_sequences()) others[0] = Reverse(others[0], {1});
    if (merge_mode_ == MergeMode::kNone) {
      results.insert(results.begin() + 1, others[0]);
    } else {
      results[0] = Merge(results[0], others[0]);
    }
    results.insert(results.end(), others.begin() + 1, others.end());
    return results;
  }

 private:
  Tensor Merge(const Tensor& a, const Tensor& b) const {
    switch (merge_mode_) {
      case MergeMode::kSum:
        return a + b;
      case MergeMode::kMultiply:
        return a * b;
      case MergeMode::kAverage:
        return (a + b) / 2.0;
      default:
        return Concat({a, b}, -1);
    }
  }

  RecurrentPtr forward_, backward_;
  MergeMode merge_mode_;
};

class TimeDistributedLayer : public Layer {
 public:
  explicit TimeDistributedLayer(const LayerPtr& layer)
      : Layer("time_distributed"), layer_(Track(layer)) {}
  std::string output_activation() const override { return layer_->output_activation(); }

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool training) override {
    const Tensor& x = inputs[0];
    if (x.rank() < 3) Refuse("the input must be [examples, steps, ...]", x.shape());
    const int64_t steps = x.shape()[1];
    std::vector<int64_t> joined{-1};
    for (int i = 2; i < x.rank(); ++i) joined.push_back(x.shape()[i]);
    const Tensor y = layer_(Reshape(x, joined), training);
    std::vector<int64_t> apart{-1, steps};
    for (int i = 1; i < y.rank(); ++i) apart.push_back(y.shape()[i]);
    return Reshape(y, apart);
  }

 private:
  LayerPtr layer_;
};

class StepMaskLayer : public Layer {
 public:
  explicit StepMaskLayer(double padding) : Layer("step_mask"), padding_(padding) {}

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor& x = inputs[0];
    if (x.rank() != 2 && x.rank() != 3)
      Refuse("the input must be [examples, steps] or [examples, steps, features]", x.shape());
    const Tensor counts =
        IsInteger(x.dtype()) ? NotEqual(x, static_cast<int64_t>(padding_)) : NotEqual(x, padding_);
    return x.rank() == 2 ? counts : ReduceAny(counts, -1);
  }

 private:
  double padding_;
};

}  // namespace

StatefulPtr<StatefulLayer> Bidirectional(const RecurrentPtr& layer, MergeMode merge_mode) {
  return std::shared_ptr<StatefulLayer>(std::make_shared<BidirectionalLayer>(layer, merge_mode));
}
LayerPtr TimeDistributed(const LayerPtr& layer) {
  return std::make_shared<TimeDistributedLayer>(layer);
}
LayerPtr StepMask(double padding) { return std::make_shared<StepMaskLayer>(padding); }

}  // namespace lockstep
