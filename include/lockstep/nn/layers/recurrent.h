#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/nn/layer.h"

namespace lockstep {

// Layers that go through a sequence step by step and carry states from one step to the next.
// Inputs: x [n, t, features]; then, where wanted, the first states [n, units] each (zeros where not
// given); then, as the last one, a mask (bool [n, t]): a step whose mask is false repeats the
// output and the states of the step before it (zeros at first). Result: the last output [n, units],
// or with return_sequences the outputs of all steps [n, t, units] in the order in which they were
// computed. The steps are unrolled, so their number must be known. Examples are kept apart.

/// A layer whose states can be seen.
class StatefulLayer : public Layer {
 public:
  using Layer::Layer;
  /// What a call gives, and then the last states. In place of Keras's return_state, as a layer here
  /// has one result.
  std::vector<Tensor> CallWithStates(const std::vector<Tensor>& inputs, bool training = false);

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool training) override;
  /// Result and states.
  virtual std::vector<Tensor> Steps(const std::vector<Tensor>& inputs, bool training) = 0;
};

/// SimpleRNN, LSTM or GRU.
class RecurrentLayer : public StatefulLayer {
 public:
  using StatefulLayer::StatefulLayer;
  virtual bool return_sequences() const = 0;
  /// A new layer, without weights, that goes the other way.
  virtual std::shared_ptr<RecurrentLayer> Turned() const = 0;
  /// As RecurrentOptions::zero_output_for_mask.
  virtual void set_zero_output_for_mask(bool zero) = 0;
};

/// A recurrent layer that several places share; it can be called like the layer itself.
template <typename Type>
class StatefulPtr : public std::shared_ptr<Type> {
 public:
  using std::shared_ptr<Type>::shared_ptr;
  StatefulPtr(std::shared_ptr<Type> layer)  // NOLINT: the same thing
      : std::shared_ptr<Type>(std::move(layer)) {}
  Tensor operator()(const Tensor& input, bool training = false) const {
    return (*this->get())(input, training);
  }
  Tensor operator()(const std::vector<Tensor>& inputs, bool training = false) const {
    return (*this->get())(inputs, training);
  }
};
using RecurrentPtr = StatefulPtr<RecurrentLayer>;

struct RecurrentOptions {
  Activation activation = activations::tanh;
  /// Of the gates; SimpleRNN has none.
  Activation recurrent_activation = activations::sigmoid;
  bool use_bias = true;
  bool return_sequences = false;
  /// From the last step to the first; the outputs come in that order, too.
  bool go_backwards = false;
  /// LSTM: the forget gate's bias begins with 1.
  bool unit_forget_bias = true;
  /// GRU: the reset gate acts on the product of the states, not on the states.
  bool reset_after = true;
  /// Steps that are masked out give zeros, not the output before them; their states stay anyway.
  bool zero_output_for_mask = false;
  InitializerPtr kernel_initializer = initializers::GlorotUniform();
  InitializerPtr recurrent_initializer = initializers::Orthogonal();
  InitializerPtr bias_initializer = initializers::Zeros();
  std::shared_ptr<const Regularizer> kernel_regularizer = {};
  std::shared_ptr<const Regularizer> recurrent_regularizer = {};
  std::shared_ptr<const Regularizer> bias_regularizer = {};
  std::string name = {};
};
/// h = activation(x W + h U + b). Weights: "simple_rnn_cell/kernel" [features, units],
/// "simple_rnn_cell/recurrent_kernel" [units, units], "simple_rnn_cell/bias" [units]. State: h.
/// Source: keras.layers.SimpleRNN.
RecurrentPtr SimpleRNN(int64_t units, const RecurrentOptions& options = {});
/// Gates i, f and o, candidate c~, in the order i, f, c~, o along the columns of the weights:
/// c = f c + i activation(c~); h = o activation(c). Weights: "lstm_cell/kernel" [features, 4
/// units], "lstm_cell/recurrent_kernel" [units, 4 units], "lstm_cell/bias" [4 units]. States: h, c.
/// Source: keras.layers.LSTM.
RecurrentPtr LSTM(int64_t units, const RecurrentOptions& options = {});
/// Gates z and r, candidate h~, in this order along the columns: h = z h + (1 - z) h~. Weights:
/// "gru_cell/kernel" [features, 3 units], "gru_cell/recurrent_kernel" [units, 3 units],
/// "gru_cell/bias" [2, 3 units] (of the input, of the state), or without reset_after [3 units].
/// State: h. Source: keras.layers.GRU.
RecurrentPtr GRU(int64_t units, const RecurrentOptions& options = {});

/// How Bidirectional joins the two results. With kNone CallWithStates gives both, and a plain call
/// is refused.
enum class MergeMode { kConcat, kSum, kMultiply, kAverage, kNone };
/// The layer and a second one that goes the other way, whose outputs are turned round before they
/// are joined. Weights: those of "forward_<name>" and "backward_<name>". States: first the
/// forward layer's. Masked steps of sequences give zeros. Source: keras.layers.Bidirectional.
StatefulPtr<StatefulLayer> Bidirectional(const RecurrentPtr& layer,
                                         MergeMode merge_mode = MergeMode::kConcat);

/// `layer` at each step apart. Shapes: x [n, t, ...] to [n, t, ...].
/// Source: keras.layers.TimeDistributed.
LayerPtr TimeDistributed(const LayerPtr& layer);

/// Which steps count, bool [n, t], for the masks of layers: where the numbers [n, t] are not
/// `padding`, or where of the features [n, t, features] any is not.
/// Source: the masks of keras.layers.Embedding and Masking.
LayerPtr StepMask(double padding = 0);

}  // namespace lockstep
