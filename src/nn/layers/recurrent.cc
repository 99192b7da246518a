// SimpleRNN, LSTM and GRU.

#include "lockstep/nn/layers/recurrent.h"

#include <algorithm>

#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"
#include "runtime/autocast.h"

namespace lockstep {

std::vector<Tensor> StatefulLayer::CallWithStates(const std::vector<Tensor>& inputs,
                                                  bool training) {
  const runtime::AutocastScope computes(dtype_policy().compute);
  std::vector<Tensor> cast = CastInputs(inputs);
  BuildFor(cast);
  cast[0] = runtime::WholeToFloating(cast[0], dtype_policy().compute);
  return Steps(cast, training);
}

Tensor StatefulLayer::Call(const std::vector<Tensor>& inputs, bool training) {
  std::vector<Tensor> floating = inputs;
  floating[0] = runtime::WholeToFloating(inputs[0], dtype_policy().compute);
  return Steps(floating, training).front();
}

namespace {

// Zeros, but ones for the forget gate. Shape: [4 units].
class ForgetBias : public Initializer {
 public:
  Tensor Make(const Shape& shape, DType dtype, int64_t) const override {
    const int64_t units = shape[0] / 4;
    std::vector<float> values(shape.num_elements(), 0.0f);
    std::fill_n(values.begin() + units, units, 1.0f);
    const Tensor bias = Tensor::FromVector(values, shape);
    return dtype == DType::kFloat32 ? bias : Cast(bias, dtype);
  }
  std::string name() const override { return "zeros"; }
};

// The steps; what a cell does is its class's.
class CellLayer : public RecurrentLayer {
 public:
  CellLayer(const char* type, const char* class_name, int64_t units, int64_t gates,
            const RecurrentOptions& options)
      : RecurrentLayer(type, class_name), units_(units), options_(options), gates_(gates) {
    if (units <= 0) {
      throw Error(
          Code::kInvalidArgument,
          "[" + std::string(type) + "] units must be positive; got " + std::to_string(units));
    }
    if (!options_.name.empty()) set_name(options_.name);
  }
  bool return_sequences() const override { return options_.return_sequences; }
  void set_zero_output_for_mask(bool zero) override { options_.zero_output_for_mask = zero; }

 protected:
  // The next states of one step, first the one that is the output.
  virtual std::vector<Tensor> Step(const Tensor& from_input,
                                   const std::vector<Tensor>& states) const = 0;
  virtual int64_t num_states() const { return 1; }
  virtual Shape bias_shape() const { return Shape{gates_ * units_}; }
  virtual InitializerPtr bias_initializer() const { return options_.bias_initializer; }
  // The bias that is added to the input's product.
  virtual Tensor InputBias() const { return bias_; }

  void Build(const std::vector<Shape>& inputs) override {
    const Shape& x = inputs[0];
    if (x.rank() != 3) Refuse("the input must be [examples, steps, features]", x);
    features_ = x[2];
    const std::string cell = type() + "_cell/";
    kernel_ = AddWeight(
        cell + "kernel", Shape{features_, gates_ * units_},
        {.initializer = options_.kernel_initializer, .regularizer = options_.kernel_regularizer});
    recurrent_kernel_ = AddWeight(cell + "recurrent_kernel", Shape{units_, gates_ * units_},
                                  {.initializer = options_.recurrent_initializer,
                                   .regularizer = options_.recurrent_regularizer});
    if (options_.use_bias) {
      bias_ =
          AddWeight(cell + "bias", bias_shape(),
                    {.initializer = bias_initializer(), .regularizer = options_.bias_regularizer});
    }
  }

  std::vector<Tensor> Steps(const std::vector<Tensor>& inputs, bool) override {
    Tensor mask;
    std::vector<Tensor> states = FirstStates(inputs, mask);
    std::vector<Tensor> from_inputs = FromInputs(inputs[0]);
    std::vector<Tensor> masks;
    if (mask.defined()) masks = Unstack(ExpandDims(mask, -1), 1);
    if (options_.go_backwards) {
      std::reverse(from_inputs.begin(), from_inputs.end());
      std::reverse(masks.begin(), masks.end());
    }
    const Tensor zeros = ZerosLike(Split(from_inputs[0], gates_, -1)[0]);
    if (states.empty()) states.assign(num_states(), zeros);
    std::vector<Tensor> outputs;
    for (size_t step = 0; step < from_inputs.size(); ++step) {
      std::vector<Tensor> next = Step(from_inputs[step], states);
      Tensor output = next[0];
      if (!masks.empty()) {
        const bool keeps = !options_.zero_output_for_mask && !outputs.empty();
        output = Where(masks[step], output, keeps ? outputs.back() : zeros);
        for (size_t i = 0; i < next.size(); ++i) next[i] = Where(masks[step], next[i], states[i]);
      }
      states = std::move(next);
      outputs.push_back(output);
    }
    std::vector<Tensor> results{options_.return_sequences ? Stack(outputs, 1) : outputs.back()};
    results.insert(results.end(), states.begin(), states.end());
    return results;
  }

  // The product of a state and `columns` of the recurrent kernel from gate `first` on.
  Tensor FromState(const Tensor& state, int64_t first, int64_t count) const {
    if (first == 0 && count == gates_) return MatMul(state, recurrent_kernel_);
    return MatMul(state, Slice(recurrent_kernel_, {0, first * units_}, {-1, count * units_}));
  }

  RecurrentOptions TurnedOptions() const {
    RecurrentOptions options = options_;
    options.go_backwards = !options.go_backwards;
    return options;
  }

  int64_t units_;
  RecurrentOptions options_;
  Variable bias_;

 private:
  // Takes states and mask out of the inputs.
  std::vector<Tensor> FirstStates(const std::vector<Tensor>& inputs, Tensor& mask) const {
    const Shape& x = inputs[0].shape();
    if (x.rank() != 3 || x[2] != features_ || x[1] < 1) {
      Refuse("the input must be [examples, steps, " + std::to_string(features_) +
                 "] with at least one step, as the kernel was built for",
             x);
    }
    std::vector<Tensor> states(inputs.begin() + 1, inputs.end());
    if (!states.empty() && states.back().dtype() == DType::kBool) {
      mask = states.back();
      states.pop_back();
      if (mask.rank() != 2 || mask.shape()[1] != x[1])
        Refuse("the mask must be [examples, " + std::to_string(x[1]) + "]", mask.shape());
    }
    if (!states.empty() && static_cast<int64_t>(states.size()) != num_states()) {
      Refuse("the first states must be " + std::to_string(num_states()) + " tensors, not " +
                 std::to_string(states.size()) + ", for the input",
             x);
    }
    for (const Tensor& state : states) {
      if (state.rank() != 2 || state.shape()[1] != units_)
        Refuse("a state must be [examples, " + std::to_string(units_) + "]", state.shape());
    }
    return states;
  }

  // x W + b of each step: one product for all of them.
  std::vector<Tensor> FromInputs(const Tensor& x) const {
    const int64_t steps = x.shape()[1], width = gates_ * units_;
    Tensor all = MatMul(Reshape(x, {-1, features_}), kernel_);
    if (options_.use_bias) all = BiasAdd(all, InputBias());
    return Unstack(Reshape(all, {-1, steps, width}), 1);
  }

  int64_t gates_;
  int64_t features_ = 0;
  Variable kernel_, recurrent_kernel_;
};

class SimpleRnnLayer : public CellLayer {
 public:
  SimpleRnnLayer(int64_t units, const RecurrentOptions& options)
      : CellLayer("simple_rnn", "SimpleRNN", units, 1, options) {}
  std::shared_ptr<RecurrentLayer> Turned() const override {
    return std::make_shared<SimpleRnnLayer>(units_, TurnedOptions());
  }

 protected:
  std::vector<Tensor> Step(const Tensor& from_input,
                           const std::vector<Tensor>& states) const override {
    return {options_.activation(from_input + FromState(states[0], 0, 1))};
  }
};

class LstmLayer : public CellLayer {
 public:
  LstmLayer(int64_t units, const RecurrentOptions& options)
      : CellLayer("lstm", "LSTM", units, 4, options) {}
  std::shared_ptr<RecurrentLayer> Turned() const override {
    return std::make_shared<LstmLayer>(units_, TurnedOptions());
  }

 protected:
  int64_t num_states() const override { return 2; }
  InitializerPtr bias_initializer() const override {
    return options_.unit_forget_bias ? std::make_shared<ForgetBias>() : options_.bias_initializer;
  }
  std::vector<Tensor> Step(const Tensor& from_input,
                           const std::vector<Tensor>& states) const override {
    const std::vector<Tensor> z = Split(from_input + FromState(states[0], 0, 4), 4, -1);
    const auto gate = [this](const Tensor& x) { return options_.recurrent_activation(x); };
    const Tensor carry = gate(z[1]) * states[1] + gate(z[0]) * options_.activation(z[2]);
    return {gate(z[3]) * options_.activation(carry), carry};
  }
};

class GruLayer : public CellLayer {
 public:
  GruLayer(int64_t units, const RecurrentOptions& options)
      : CellLayer("gru", "GRU", units, 3, options) {}
  std::shared_ptr<RecurrentLayer> Turned() const override {
    return std::make_shared<GruLayer>(units_, TurnedOptions());
  }

 protected:
  Shape bias_shape() const override {
    return options_.reset_after ? Shape{2, 3 * units_} : Shape{3 * units_};
  }
  Tensor InputBias() const override { return options_.reset_after ? BiasRow(0) : bias_.value(); }

  std::vector<Tensor> Step(const Tensor& from_input,
                           const std::vector<Tensor>& states) const override {
    const std::vector<Tensor> x = Split(from_input, 3, -1);
    const Tensor& state = states[0];
    const auto gate = [this](const Tensor& value) { return options_.recurrent_activation(value); };
    Tensor z, candidate;
    if (options_.reset_after) {
      Tensor inner = FromState(state, 0, 3);
      if (options_.use_bias) inner = BiasAdd(inner, BiasRow(1));
      const std::vector<Tensor> h = Split(inner, 3, -1);
      z = gate(x[0] + h[0]);
      candidate = options_.activation(x[2] + gate(x[1] + h[1]) * h[2]);
    } else {
      const std::vector<Tensor> h = Split(FromState(state, 0, 2), 2, -1);
      z = gate(x[0] + h[0]);
      const Tensor reset = gate(x[1] + h[1]);
      candidate = options_.activation(x[2] + FromState(reset * state, 2, 1));
    }
    return {z * state + (1.0 - z) * candidate};
  }

 private:
  Tensor BiasRow(int64_t row) const {
    return Reshape(Slice(bias_, {row, 0}, {1, -1}), {3 * units_});
  }
};

}  // namespace

RecurrentPtr SimpleRNN(int64_t units, const RecurrentOptions& options) {
  return std::shared_ptr<RecurrentLayer>(std::make_shared<SimpleRnnLayer>(units, options));
}
RecurrentPtr LSTM(int64_t units, const RecurrentOptions& options) {
  return std::shared_ptr<RecurrentLayer>(std::make_shared<LstmLayer>(units, options));
}
RecurrentPtr GRU(int64_t units, const RecurrentOptions& options) {
  return std::shared_ptr<RecurrentLayer>(std::make_shared<GruLayer>(units, options));
}

}  // namespace lockstep
