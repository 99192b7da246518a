"""One step of recurrent layers, and the layer that goes through steps with any cell."""

from ... import _refused, nest, ops_array, ops_math, random
from ..._tensor import Tensor, convert_to_tensor
from ..._variable import Variable
from .. import activations
from .._context import is_unknown
from .._layer import Layer
from ._arguments import _keep_parts


class _Cell(Layer):
    """What cells share: kernels, a bias, and masks that leave out inputs and states while training."""

    _gates = 1
    _seed_first = False  # whether Keras draws its seed before those of the kernels

    def __init__(self, units, activation="tanh", use_bias=True, kernel_initializer="glorot_uniform",
                 recurrent_initializer="orthogonal", bias_initializer="zeros", kernel_regularizer=None,
                 recurrent_regularizer=None, bias_regularizer=None, kernel_constraint=None, recurrent_constraint=None,
                 bias_constraint=None, dropout=0.0, recurrent_dropout=0.0, seed=None, **kwargs):
        if not isinstance(units, int) or units <= 0:
            raise ValueError("Received an invalid value for argument `units`, expected a positive integer, got "
                             f"{units}.")
        super().__init__(**kwargs)
        self.units, self.use_bias, self.seed = units, use_bias, seed
        if self._seed_first:
            self._draw_seed(seed)
        self.activation = activations.get(activation)
        _keep_parts(self, kernel=(kernel_initializer, kernel_regularizer, kernel_constraint),
                    recurrent=(recurrent_initializer, recurrent_regularizer, recurrent_constraint),
                    bias=(bias_initializer, bias_regularizer, bias_constraint))
        self.dropout, self.recurrent_dropout = (min(1.0, max(0.0, one)) for one in (dropout, recurrent_dropout))
        self.state_size, self.output_size = units, units
        object.__setattr__(self, "_masks", {})
        if not self._seed_first:
            self._draw_seed(seed)

    def _draw_seed(self, seed):
        """Also without dropout, as in Keras, where it counts among what is drawn from the global seed."""
        from ..random import SeedGenerator
        object.__setattr__(self, "_seeds", SeedGenerator(seed))

    def _cast_input(self, one):
        one = super()._cast_input(one)
        return self._computing(one) if isinstance(one, Tensor) else one

    def _bias_shape(self):
        return (self.units * self._gates,)

    def _first_bias(self):
        return self.bias_initializer

    def build(self, input_shape):
        wide = self.units * self._gates
        self.kernel = self.add_weight(shape=(input_shape[-1], wide), name="kernel", initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self.recurrent_kernel = self.add_weight(shape=(self.units, wide), name="recurrent_kernel",
                                                initializer=self.recurrent_initializer,
                                                regularizer=self.recurrent_regularizer, constraint=self.recurrent_constraint)
        self.bias = self.add_weight(shape=self._bias_shape(), name="bias", initializer=self._first_bias(),
                                    regularizer=self.bias_regularizer, constraint=self.bias_constraint) if self.use_bias else None

    def get_initial_state(self, batch_size=None):
        """Zeros for each state."""
        sizes = self.state_size if isinstance(self.state_size, (list, tuple)) else [self.state_size]
        return [ops_array.zeros([batch_size, one], self.compute_dtype) for one in sizes]

    def reset_dropout_mask(self):
        self._masks.pop("dropout", None)

    def reset_recurrent_dropout_mask(self):
        self._masks.pop("recurrent", None)

    def _dropped(self, value, kind, rate, training):
        """While training `value` times a mask, which stays the same until it is reset."""
        if not training or not rate:
            return value
        mask = self._masks.get(kind)
        if mask is None:
            drawn = random.stateless_uniform(ops_array.shape(value), self._seeds.next(), dtype=value.dtype)
            mask = self._masks[kind] = ops_math.cast(drawn >= rate, value.dtype) / (1.0 - rate)
        return value * mask

    def _inner(self, inputs, state, training):
        """(what the input gives, what the state gives) before gates and activations."""
        inputs = self._dropped(inputs, "dropout", self.dropout, training)
        state = self._dropped(state, "recurrent", self.recurrent_dropout, training)
        made = ops_math.matmul(inputs, self.kernel)
        return made, ops_math.matmul(state, self.recurrent_kernel)


class SimpleRNNCell(_Cell):
    """One step of SimpleRNN. Shapes: inputs [n, features]; state [n, units]."""

    _seed_first = True

    def call(self, sequence, states, training=False):
        state = states[0] if nest.is_nested(states) else states
        a, b = self._inner(sequence, state, training)
        made = a + self.bias if self.use_bias else a
        output = self.activation(made + b)
        return output, [output] if nest.is_nested(states) else output


class LSTMCell(_Cell):
    """One step of LSTM. Shapes: inputs [n, features]; states h and c [n, units]."""

    _gates = 4

    def __init__(self, units, activation="tanh", recurrent_activation="sigmoid", use_bias=True,
                 kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal", bias_initializer="zeros",
                 unit_forget_bias=True, **kwargs):
        super().__init__(units, activation, use_bias, kernel_initializer, recurrent_initializer, bias_initializer, **kwargs)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias
        self.state_size = [units, units]

    def _first_bias(self):
        if not self.unit_forget_bias:
            return self.bias_initializer
        units, first = self.units, self.bias_initializer

        def made(shape, dtype=None):
            return ops_array.concat([first([units], dtype), ops_array.ones([units], dtype), first([2 * units], dtype)], 0)
        return made

    def call(self, sequence, states, training=False):
        h, c = states
        a, b = self._inner(sequence, h, training)
        z = a + b + self.bias if self.use_bias else a + b
        i, f, g, o = ops_array.split(z, 4, axis=1)
        c = self.recurrent_activation(f) * c + self.recurrent_activation(i) * self.activation(g)
        h = self.recurrent_activation(o) * self.activation(c)
        return h, [h, c]


class GRUCell(_Cell):
    """One step of GRU. Shapes: inputs [n, features]; state [n, units]."""

    _gates = 3

    def __init__(self, units, activation="tanh", recurrent_activation="sigmoid", use_bias=True,
                 kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal", bias_initializer="zeros",
                 reset_after=True, **kwargs):
        super().__init__(units, activation, use_bias, kernel_initializer, recurrent_initializer, bias_initializer, **kwargs)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.reset_after = reset_after

    def _bias_shape(self):
        return (2, 3 * self.units) if self.reset_after else (3 * self.units,)

    def call(self, sequence, states, training=False):
        h = states[0] if nest.is_nested(states) else states
        sequence = self._dropped(sequence, "dropout", self.dropout, training)
        hidden = self._dropped(h, "recurrent", self.recurrent_dropout, training)
        x = ops_math.matmul(sequence, self.kernel)
        if self.use_bias:
            x = x + (self.bias[0] if self.reset_after else self.bias)
        xz, xr, xh = ops_array.split(x, 3, axis=-1)
        if self.reset_after:
            inner = ops_math.matmul(hidden, self.recurrent_kernel)
            inner = inner + self.bias[1] if self.use_bias else inner
            rz, rr, rh = ops_array.split(inner, 3, axis=-1)
        else:
            units = self.units
            rz, rr = ops_array.split(ops_math.matmul(hidden, self.recurrent_kernel[:, :2 * units]), 2, axis=-1)
        z, r = self.recurrent_activation(xz + rz), self.recurrent_activation(xr + rr)
        rh = r * rh if self.reset_after else ops_math.matmul(r * hidden, self.recurrent_kernel[:, 2 * self.units:])
        h = z * h + (1 - z) * self.activation(xh + rh)
        return h, [h] if nest.is_nested(states) else h


class StackedRNNCells(Layer):
    """Cells one above the other, as one. Raises: ValueError for one without `call` or `state_size`."""

    def __init__(self, cells, **kwargs):
        super().__init__(**kwargs)
        for one in cells:
            if not hasattr(one, "call"):
                raise ValueError(f"All cells must have a `call` method. Received cell without a `call` method: {one}")
            if not hasattr(one, "state_size"):
                raise ValueError(f"All cells must have a `state_size` attribute. Received cell without a `state_size`: {one}")
        self.cells = list(cells)

    state_size = property(lambda self: [one.state_size for one in self.cells])
    output_size = property(lambda self: getattr(self.cells[-1], "output_size", None) or _sizes(self.cells[-1])[0])

    def build(self, input_shape):
        """Makes the weights of the cells, each for the output of the one below."""
        for one in self.cells:
            _build_cell(one, input_shape)
            input_shape = (input_shape[0], getattr(one, "output_size", None) or _sizes(one)[0])
        object.__setattr__(self, "built", True)

    def get_initial_state(self, batch_size=None):
        """The first states of all cells."""
        def first(cell):
            if hasattr(cell, "get_initial_state"):
                return cell.get_initial_state(batch_size=batch_size)
            made = _first_states(cell, batch_size)
            return made if nest.is_nested(cell.state_size) else made[0]
        return [first(one) for one in self.cells]

    def call(self, inputs, states, training=False, **kwargs):
        _refused.no_more("call", kwargs)
        made = []
        for cell, state in zip(self.cells, states):
            inputs, after = _step(cell, inputs, list(state) if nest.is_nested(state) else [state], training)
            made.append(after if nest.is_nested(state) else after[0])  # as it came
        return inputs, made

    def get_config(self):
        from .. import saving
        return {**super().get_config(), "cells": [saving.serialize_keras_object(one) for one in self.cells]}


def _build_cell(cell, input_shape):
    if isinstance(cell, Layer) and not cell.built:
        cell.build(input_shape)
        object.__setattr__(cell, "built", True)


def _sizes(cell):
    size = cell.state_size
    return list(size) if isinstance(size, (list, tuple)) else [size]


def _first_states(cell, batch):
    if hasattr(cell, "get_initial_state"):
        made = cell.get_initial_state(batch_size=batch)
        return list(made) if nest.is_nested(made) else [made]
    return [ops_array.zeros([batch, one]) for one in _sizes(cell)]


def _step(cell, inputs, states, training):
    takes = isinstance(cell, Layer) and "training" in cell._call_parameters()
    output, after = cell(inputs, states, **({"training": training} if takes else {}))
    return output, list(after) if nest.is_nested(after) else [after]


class RNN(Layer):
    """Goes through steps with a cell. Shapes: x [n, t, ...]; result [n, ...], or [n, t, ...] with `return_sequences`; with
    `return_state` a list of the result and the last states. The number of steps must be known.

    Raises: ValueError for a cell without `call` or `state_size`."""

    _passes_masks = True

    def __init__(self, cell, return_sequences=False, return_state=False, go_backwards=False, stateful=False, unroll=False,
                 zero_output_for_mask=False, **kwargs):
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        if not hasattr(cell, "call"):
            raise ValueError(f"Argument `cell` should have a `call` method. Received: cell={cell}")
        if not hasattr(cell, "state_size"):
            raise ValueError("The RNN cell should have a `state_size` attribute (single integer or list of integers, one "
                             f"integer per RNN state). Received: cell={cell}")
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences, self.return_state, self.go_backwards = return_sequences, return_state, go_backwards
        self.stateful, self.unroll, self.zero_output_for_mask = stateful, unroll, zero_output_for_mask
        object.__setattr__(self, "_kept_states", None)

    states = property(lambda self: self._kept_states)

    def compute_mask(self, sequences, mask=None):
        first = nest.flatten(mask)[0] if mask is not None else None
        kept = first if self.return_sequences else None
        return [kept] + [None] * len(nest.flatten(self.cell.state_size)) if self.return_state else kept

    def build(self, sequences_shape, initial_state_shape=None):
        _build_cell(self.cell, (sequences_shape[0],) + tuple(sequences_shape[2:]))
        if self.stateful:
            if is_unknown(sequences_shape[0]):
                raise ValueError("When using `stateful=True` in a RNN, the batch size must be static. Found dynamic batch size: "
                                 f"sequence.shape={(None, *sequences_shape[1:])}; give the input a `batch_shape`")
            object.__setattr__(self, "_kept_states", nest.map_structure(
                lambda one: Variable(one, trainable=False, name="rnn_state"), _first_states(self.cell, sequences_shape[0])))

    def get_initial_state(self, batch_size):
        """The states that a sequence begins with."""
        return _first_states(self.cell, batch_size)

    def reset_state(self):
        """Sets the states that are kept between batches back to zero."""
        for one in nest.flatten(self._kept_states or []):
            one.assign(ops_array.zeros_like(one.value()))

    reset_states = reset_state

    def _begin(self, sequences, initial_state):
        if initial_state is not None:
            return list(initial_state) if nest.is_nested(initial_state) else [initial_state]
        if self._kept_states is not None:
            return nest.map_structure(lambda one: one.value(), self._kept_states)
        batch = sequences._shape[0]
        return self.get_initial_state(ops_array.shape(sequences)[0] if batch in (None, -1) else batch)

    def call(self, sequences, initial_state=None, mask=None, training=False):
        steps = sequences._shape[1]
        if steps in (None, -1):
            raise ValueError(f"the number of steps must be known; got a sequence of shape {tuple(sequences._shape)}; give the "
                             "input's shape as (steps, features)")
        states = self._begin(sequences, initial_state)
        for one in ("reset_dropout_mask", "reset_recurrent_dropout_mask"):
            for cell in getattr(self.cell, "cells", [self.cell]):
                getattr(cell, one, lambda: None)()
        outputs, output = [], None
        for place in reversed(range(steps)) if self.go_backwards else range(steps):
            made, after = _step(self.cell, sequences[:, place], states, training)
            output, states = (made, after) if mask is None else self._masked(
                convert_to_tensor(nest.flatten(mask)[0])[:, place], made, output, after, states)
            outputs.append(output)
        if self._kept_states is not None:
            for kept, now in zip(nest.flatten(self._kept_states), nest.flatten(states)):
                kept.assign(now)
        result = ops_array.stack(outputs, axis=1) if self.return_sequences else output
        return [result] + list(states) if self.return_state else result

    def _masked(self, there, made, before, after, states):
        """Where a step is masked, the states and the output stay."""
        def choose(new, old):
            wide = ops_array.reshape(there, list(ops_array.shape(there)[:1] if there._shape[0] is None else there._shape[:1])
                                     + [1] * (new._rank - 1))
            return ops_array.where(wide, new, old)
        empty = ops_array.zeros_like(made)
        output = choose(made, empty if before is None or self.zero_output_for_mask else before)
        flat = [choose(new, old) for new, old in zip(nest.flatten(after), nest.flatten(states))]
        return output, nest._pack(states, iter(flat))

    def get_config(self):
        from .. import saving
        config = super().get_config()
        config["cell"] = saving.serialize_keras_object(self.cell)
        return config

