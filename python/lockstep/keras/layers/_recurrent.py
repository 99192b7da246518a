"""Layers that go through steps."""

from ... import nest
from ..._tensor import convert_to_tensor
from ..._variable import Variable
from .. import constraints, initializers, regularizers
from .._context import is_unknown
from .._names import to_snake_case
from .._native_layer import NativeLayer
from ._arguments import _positive


class _Recurrent(NativeLayer):
    """What recurrent layers share."""

    _passes_masks = True

    def __init__(self, units, activation="tanh", recurrent_activation="sigmoid", use_bias=True,
                 kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal",
                 bias_initializer="zeros", unit_forget_bias=True, kernel_regularizer=None,
                 recurrent_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, dropout=0.0,
                 recurrent_dropout=0.0, seed=None, return_sequences=False, return_state=False,
                 go_backwards=False, stateful=False, unroll=False, use_cudnn="auto", reset_after=True,
                 zero_output_for_mask=False, **kwargs):
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.units, self.stateful = _positive(
            units, f"Received an invalid value for argument `units`, expected a positive integer, got {units}."), stateful
        self.dropout, self.recurrent_dropout = dropout, recurrent_dropout
        object.__setattr__(self, "_kept_states", None)
        if self._kind == "SimpleRNN":
            self._draw_seed(seed)
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
        if self._kind != "SimpleRNN":
            self._draw_seed(seed)
        given = {"kernel": kernel_constraint, "recurrent": recurrent_constraint, "bias": bias_constraint}
        self._python_parts = [name for name, one in given.items() if one is not None]
        for name, one in given.items():
            setattr(self, f"{name}_constraint", constraints.get(one))
        self._regularizers = {"kernel_regularizer": regularizers.get(kernel_regularizer),
                              "recurrent_regularizer": regularizers.get(recurrent_regularizer),
                              "bias_regularizer": regularizers.get(bias_regularizer)}

    def _draw_seed(self, seed):
        """Also without dropout, as in Keras, where it counts among what is drawn from the global seed."""
        from ..random import SeedGenerator
        object.__setattr__(self, "_seeds", SeedGenerator(seed))

    states = property(lambda self: self._kept_states)
    zero_output_for_mask = property(lambda self: self._plain["zero_output_for_mask"])

    @zero_output_for_mask.setter
    def zero_output_for_mask(self, value):
        self._plain["zero_output_for_mask"] = value

    def reset_state(self):
        """Sets the states that are kept between batches back to zero."""
        from ...ops_array import zeros_like
        for one in self._kept_states or []:
            one.assign(zeros_like(one.value()))

    reset_states = reset_state

    def get_initial_state(self, batch_size):
        """Zeros for each state."""
        from ...ops_array import zeros
        return [zeros([batch_size, self.units], self._dtype) for _ in range(2 if self._kind == "LSTM" else 1)]

    def _keep_states(self, batch):
        """Makes the variables of the states. Raises: ValueError for a batch whose size is not known."""
        if is_unknown(batch):
            raise ValueError("When using `stateful=True` in a RNN, the batch size must be static. Found dynamic batch size: "
                             f"None; give {self.name}'s input a `batch_shape`, such as Input(batch_shape=(32, 10, 8))")
        from ..._function import init_scope
        from ...ops_array import zeros
        with init_scope():
            object.__setattr__(self, "_kept_states", [
                Variable(zeros([batch, self.units], self._dtype), trainable=False, name=f"{self.name}/state")
                for _ in range(2 if self._kind == "LSTM" else 1)])

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
        self._require_dense(nest.flatten(sequences))
        inputs = [self._computing(one) for one in (
            sequences if isinstance(sequences, (list, tuple)) else [sequences])]
        states = inputs[1:] + [convert_to_tensor(one) for one in nest.flatten(initial_state or [])] if initial_state is None or \
            nest.is_nested(initial_state) else inputs[1:] + [convert_to_tensor(initial_state)]
        if self.stateful and not states:
            if self._kept_states is None:
                self._keep_states(inputs[0]._shape[0])
            states = [one.value() for one in self._kept_states]
        if training and self.recurrent_dropout or self._is_own_activation():
            made = self._by_steps(inputs[0], states or None, mask, training)
        else:
            given = [self._dropped(inputs[0], training)] + states
            mask = nest.flatten(mask)[0] if mask is not None else None  # that of the sequences, not of states
            given += [] if mask is None else [convert_to_tensor(mask)]
            if not self.return_state and not self.stateful:
                return self._run(given, training)
            made = list(self._impl.call_with_states(given, bool(training)))
        for kept, now in zip(self._kept_states or [], made[1:]):
            kept.assign(now)
        return made if self.return_state else made[0]

    def compute_mask(self, sequences, mask=None):
        first = nest.flatten(mask)[0] if mask is not None else None
        kept = first if self.return_sequences else None
        return [kept] + [None] * (2 if self._kind == "LSTM" else 1) if self.return_state else kept

    def _is_own_activation(self):
        """Whether an activation is a function that the native layer does not have: steps are computed op by op then."""
        from .. import activations
        used = [self.activation] + ([] if self._kind == "SimpleRNN" else [self.recurrent_activation])
        return any(activations.native_name(one) is None for one in used)

    def _dropped(self, sequence, training):
        """While training the input times one mask for all steps."""
        if not training or not self.dropout:
            return sequence
        from ... import ops_array, ops_math, random
        sizes = ops_array.shape(sequence)
        drawn = random.stateless_uniform([sizes[0], 1, sizes[2]], self._seeds.next(), dtype=sequence.dtype)
        return sequence * (ops_math.cast(drawn >= self.dropout, sequence.dtype) / (1.0 - self.dropout))

    @property
    def cell(self):
        """One step of the layer, with its weights once it is built."""
        made = self.__dict__.get("_own_cell")
        if made is None:
            made = self._make_cell()
            object.__setattr__(self, "_own_cell", made)
        if not made.built and self._impl.built:
            kept = list(self.weights)
            for name, one in zip(("kernel", "recurrent_kernel", "bias"), kept):
                object.__setattr__(made, name, one)
            made._own_weights.extend(kept)
            object.__setattr__(made, "_trained_count", len(kept))
            object.__setattr__(made, "built", True)
        return made

    def _layers_aside(self):
        return [self._own_cell] if "_own_cell" in self.__dict__ else []

    state_size = property(lambda self: [self.units] * (2 if self._kind == "LSTM" else 1))

    def _make_cell(self):
        from . import _cells
        more = {key: self._plain[key] for key in {"LSTM": ("unit_forget_bias",), "GRU": ("reset_after",)}.get(self._kind, ())}
        if self._kind != "SimpleRNN":
            more["recurrent_activation"] = self.recurrent_activation
        cell = getattr(_cells, self._kind + "Cell")(
            self.units, activation=self.activation, use_bias=self._plain["use_bias"], dropout=self.dropout,
            recurrent_dropout=self.recurrent_dropout, seed=0, trainable=self.trainable, dtype=self.dtype_policy,
            kernel_initializer=self.kernel_initializer, recurrent_initializer=self.recurrent_initializer,
            bias_initializer=self.bias_initializer, name=to_snake_case(self._kind + "Cell"), **more, **self._regularizers, **{
                f"{one}_constraint": getattr(self, f"{one}_constraint") for one in ("kernel", "recurrent", "bias")})
        object.__setattr__(cell, "_seeds", self._seeds)
        return cell

    def _by_steps(self, sequence, states, mask, training):
        """[result, states]: step by step with a cell that has this layer's weights and drops parts of its states."""
        from . import _cells
        if not self._impl.built:
            self._impl.call([sequence], False)
        steps = _cells.RNN(self.cell, self.return_sequences, True, self.go_backwards,
                           zero_output_for_mask=self._plain["zero_output_for_mask"])
        return steps.call(sequence, states, mask, training)


class LSTM(_Recurrent):
    """Long short-term memory. Shapes: x [n, t, features]; result [n, units] or [n, t, units]."""

    _kind = "LSTM"


class GRU(_Recurrent):
    """Gated recurrent units."""

    _kind = "GRU"


class SimpleRNN(_Recurrent):
    """h = activation(x W + h U + b)."""

    _kind = "SimpleRNN"
