#include "lockstep/nn/layers/core.h"

namespace lockstep {

namespace {

class LambdaLayer : public Layer {
 public:
  LambdaLayer(std::function<Tensor(const Tensor&)> function, const std::string& name)
      : Layer("lambda"), function_(std::move(function)) {
    if (!name.empty()) set_name(name);
  }

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override { return function_(inputs[0]); }

 private:
  std::function<Tensor(const Tensor&)> function_;
};

}  // namespace

LayerPtr Lambda(std::function<Tensor(const Tensor&)> function, const std::string& name) {
  return std::make_shared<LambdaLayer>(std::move(function), name);
}

}  // namespace lockstep
