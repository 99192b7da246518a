"""Recurrent layers whose states are images: LSTM with convolutions in place of products."""

from ... import nn, ops_array
from .. import activations
from .._context import is_unknown
from .._input_spec import incompatible
from ._arguments import _channels_last
from ._cells import RNN, _Cell


def _sizes(given, rank, name):
    made = (given,) * rank if isinstance(given, int) else tuple(int(one) for one in given)
    if len(made) != rank or min(made) <= 0:
        raise ValueError(f"The `{name}` argument must be a tuple of {rank} positive integers. Received: {name}={given}")
    return made


class ConvLSTMCell(_Cell):
    """One step of ConvLSTM. Shapes: inputs [n, ..., channels]; states h and c [n, ..., filters], as large as what the
    convolution of the inputs gives.

    Raises: ValueError for other paddings than "valid" and "same", channels that come first, and sizes that are not known."""

    _gates = 4
    _seed_first = True

    def __init__(self, rank, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1,
                 activation="tanh", recurrent_activation="sigmoid", use_bias=True, kernel_initializer="glorot_uniform",
                 recurrent_initializer="orthogonal", bias_initializer="zeros", unit_forget_bias=True, **kwargs):
        super().__init__(filters, activation, use_bias, kernel_initializer, recurrent_initializer, bias_initializer, **kwargs)
        if str(padding).lower() not in ("valid", "same"):
            raise ValueError(f"The `padding` argument must be one of \"valid\", \"same\". Received: padding={padding}")
        _channels_last(data_format)
        self.rank, self.filters, self.padding, self.data_format = rank, filters, str(padding).lower(), "channels_last"
        self.kernel_size = _sizes(kernel_size, rank, "kernel_size")
        self.strides, self.dilation_rate = _sizes(strides, rank, "strides"), _sizes(dilation_rate, rank, "dilation_rate")
        self.recurrent_activation = activations.get(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias
        self.state_size = [filters, filters]

    def _first_bias(self):
        first, filters = self.bias_initializer, self.filters
        if not self.unit_forget_bias:
            return first

        def made(shape, dtype=None):
            return ops_array.concat([first([filters], dtype), ops_array.ones([filters], dtype), first([2 * filters], dtype)], 0)
        return made

    def build(self, inputs_shape, states_shape=None):
        *images, channels = inputs_shape[1:]
        if is_unknown(channels) or any(is_unknown(one) for one in images):
            raise ValueError("The sizes of the images and the channel dimension of the inputs must be known. Received: "
                             f"inputs_shape={tuple(inputs_shape)}")
        wide = self.filters * self._gates
        self.kernel = self.add_weight(shape=(*self.kernel_size, channels, wide), name="kernel",
                                      initializer=self.kernel_initializer, regularizer=self.kernel_regularizer,
                                      constraint=self.kernel_constraint)
        self.recurrent_kernel = self.add_weight(
            shape=(*self.kernel_size, self.filters, wide), name="recurrent_kernel", initializer=self.recurrent_initializer,
            regularizer=self.recurrent_regularizer, constraint=self.recurrent_constraint)
        self.bias = self.add_weight(shape=(wide,), name="bias", initializer=self._first_bias(),
                                    regularizer=self.bias_regularizer, constraint=self.bias_constraint) if self.use_bias else None
        self._images = [self._size(*one) for one in zip(images, self.kernel_size, self.strides, self.dilation_rate)]

    def _size(self, size, kernel, stride, dilation):
        """Of one axis of a state."""
        given = size if self.padding == "same" else size - (kernel - 1) * dilation
        return max(0, -(-given // stride))

    def get_initial_state(self, batch_size=None):
        """Zeros for h and c."""
        return [ops_array.zeros([batch_size, *self._images, self.filters], self.compute_dtype) for _ in range(2)]

    def states_of(self, inputs):
        """The first states, zeros, made of the inputs: so each example has its own, however a batch is cut."""
        empty = nn.convolution(ops_array.zeros_like(inputs), ops_array.zeros_like(self.kernel)[..., :self.filters],
                               strides=list(self.strides), padding=self.padding.upper(), dilations=list(self.dilation_rate))
        return [empty, empty]

    def call(self, inputs, states, training=False):
        h, c = states
        inputs = self._dropped(inputs, "dropout", self.dropout, training)
        hidden = self._dropped(h, "recurrent", self.recurrent_dropout, training)
        x = nn.convolution(inputs, self.kernel, strides=list(self.strides), padding=self.padding.upper(),
                           dilations=list(self.dilation_rate))
        x = x + self.bias if self.use_bias else x
        z = x + nn.convolution(hidden, self.recurrent_kernel, strides=[1] * self.rank, padding="SAME")
        i, f, g, o = ops_array.split(z, 4, axis=-1)
        c = self.recurrent_activation(f) * c + self.recurrent_activation(i) * self.activation(g)
        h = self.recurrent_activation(o) * self.activation(c)
        return h, [h, c]


def _layer(rank):
    class ConvLSTM(RNN):
        def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1,
                     activation="tanh", recurrent_activation="sigmoid", use_bias=True, kernel_initializer="glorot_uniform",
                     recurrent_initializer="orthogonal", bias_initializer="zeros", unit_forget_bias=True,
                     kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                     kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, dropout=0.0,
                     recurrent_dropout=0.0, seed=None, return_sequences=False, return_state=False, go_backwards=False,
                     stateful=False, **kwargs):
            cell = ConvLSTMCell(
                rank, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, recurrent_activation,
                use_bias, kernel_initializer, recurrent_initializer, bias_initializer, unit_forget_bias,
                kernel_regularizer=kernel_regularizer, recurrent_regularizer=recurrent_regularizer,
                bias_regularizer=bias_regularizer, kernel_constraint=kernel_constraint,
                recurrent_constraint=recurrent_constraint, bias_constraint=bias_constraint, dropout=dropout,
                recurrent_dropout=recurrent_dropout, seed=seed, dtype=kwargs.get("dtype"), name="conv_lstm_cell")
            super().__init__(cell, return_sequences, return_state, go_backwards, stateful,
                             activity_regularizer=activity_regularizer, **kwargs)

        def build(self, sequences_shape, initial_state_shape=None):
            if len(sequences_shape) != rank + 3:
                raise ValueError(incompatible(0, None, self.name, f"expected ndim={rank + 3}, found ndim={len(sequences_shape)}. "
                                              f"Full shape received: {tuple(sequences_shape)}"))
            super().build(sequences_shape, initial_state_shape)

        def _begin(self, sequences, initial_state):
            if initial_state is None and self._kept_states is None:
                return self.cell.states_of(sequences[:, 0])
            return super()._begin(sequences, initial_state)

        def get_config(self):
            config = super().get_config()
            config.pop("cell")
            return config
    ConvLSTM.__name__ = ConvLSTM.__qualname__ = f"ConvLSTM{rank}D"
    axes = ("steps, rows", "steps, rows, columns", "steps, depth, rows, columns")[rank - 1]
    ConvLSTM.__doc__ = (f"LSTM with convolutions. Shapes: x [n, {axes}, channels]; result [n, {axes[7:]}, filters], or with the "
                        "steps where `return_sequences` is true.\n\nRaises: ValueError for other inputs, and options of "
                        "ConvLSTMCell that are none.")
    return ConvLSTM


ConvLSTM1D, ConvLSTM2D, ConvLSTM3D = (_layer(rank) for rank in (1, 2, 3))
