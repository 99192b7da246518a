"""Layers that go through steps."""

from ... import _native, nest
from ..._tensor import convert_to_tensor
from .. import initializers, regularizers
from .._native_layer import NativeLayer


class _Recurrent(NativeLayer):
    """What recurrent layers share."""

    def __init__(self, units, activation="tanh", recurrent_activation="sigmoid", use_bias=True,
                 kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal",
                 bias_initializer="zeros", unit_forget_bias=True, kernel_regularizer=None,
                 recurrent_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, dropout=0.0,
                 recurrent_dropout=0.0, seed=None, return_sequences=False, return_state=False,
                 go_backwards=False, stateful=False, unroll=False, use_cudnn="auto", reset_after=True,
                 zero_output_for_mask=False, **kwargs):
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        if dropout or recurrent_dropout or stateful:
            raise NotImplementedError("recurrent layers have no dropout inside and are not stateful; put "
                                      "a Dropout layer before them")
        self.units = units
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards = go_backwards
        from .. import activations
        self.activation = activations.get(activation)
        self.recurrent_activation = activations.get(recurrent_activation)
        self._plain = {"use_bias": use_bias, "unit_forget_bias": unit_forget_bias,
                       "reset_after": reset_after, "zero_output_for_mask": zero_output_for_mask}
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self._regularizers = {"kernel_regularizer": kernel_regularizer,
                              "recurrent_regularizer": recurrent_regularizer,
                              "bias_regularizer": bias_regularizer}

    def _options(self):
        from .. import activations
        made = dict(self._plain, units=self.units, return_sequences=self.return_sequences,
                    go_backwards=self.go_backwards,
                    kernel_initializer=initializers.native(self.kernel_initializer),
                    recurrent_initializer=initializers.native(self.recurrent_initializer),
                    bias_initializer=initializers.native(self.bias_initializer),
                    activation=activations.native_name(self.activation) or "tanh",
                    recurrent_activation=activations.native_name(self.recurrent_activation)
                    or "sigmoid")
        made.update({key: regularizers.native(one) for key, one in self._regularizers.items()
                     if one is not None})
        return made

    def get_config(self):
        config = super().get_config()
        for key in {"LSTM": ("reset_after",), "GRU": ("unit_forget_bias",)}.get(self._kind, (
                "reset_after", "unit_forget_bias", "recurrent_activation")):
            config.pop(key, None)  # what Keras's layer of this kind does not take
        return config

    def call(self, sequences, initial_state=None, mask=None, training=False):
        inputs = [convert_to_tensor(one) for one in (
            sequences if isinstance(sequences, (list, tuple)) else [sequences])]
        if initial_state is not None:
            inputs.extend(convert_to_tensor(one) for one in nest.flatten(initial_state))
        if mask is not None:
            inputs.append(convert_to_tensor(mask))
        if self.return_state:
            return list(self._impl.call_with_states(inputs, bool(training)))
        return self._run(inputs, training)


class LSTM(_Recurrent):
    """Long short-term memory. Shapes: x [n, t, features]; result [n, units] or [n, t, units]."""

    _kind = "LSTM"


class GRU(_Recurrent):
    """Gated recurrent units."""

    _kind = "GRU"


class SimpleRNN(_Recurrent):
    """h = activation(x W + h U + b)."""

    _kind = "SimpleRNN"


class Bidirectional(NativeLayer):
    """A recurrent layer and a second one that goes the other way."""

    def __init__(self, layer, merge_mode="concat", weights=None, backward_layer=None, **kwargs):
        super().__init__(**kwargs)
        object.__setattr__(self, "forward_layer", layer)
        self.merge_mode = merge_mode

    def _make(self):
        modes = {"concat": 0, "sum": 1, "mul": 2, "ave": 3, None: 4}
        layer = self.forward_layer
        inner = _native.make_layer(layer._kind, layer._options())
        inner.set_name(layer.name)
        return _native.make_bidirectional(inner, modes[self.merge_mode])


class TimeDistributed(NativeLayer):
    """A layer at each step apart."""

    def __init__(self, layer, **kwargs):
        super().__init__(**kwargs)
        object.__setattr__(self, "layer", layer)

    def _make(self):
        return _native.make_time_distributed(self.layer._impl)
