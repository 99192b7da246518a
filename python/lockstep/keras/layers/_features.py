"""Numbers and categories brought into the form that models want."""

from ... import _native
from ..._tensor import convert_to_tensor, Tensor
from .._layer import Layer


class Rescaling(Layer):
    """x * scale + offset."""

    def __init__(self, scale, offset=0.0, **kwargs):
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def _cast_input(self, one):
        one = super()._cast_input(one)
        return _native.cast(one, self._dtype) if isinstance(one, Tensor) else one

    def call(self, inputs):
        return inputs * self.scale + self.offset


class Normalization(Layer):
    """(x - mean) / sqrt(variance), of given numbers or those of data that `adapt` has seen."""

    def __init__(self, axis=-1, mean=None, variance=None, invert=False, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis
        self.mean, self.variance = mean, variance

    def adapt(self, data):
        import numpy
        data = numpy.asarray(data)
        axes = tuple(i for i in range(data.ndim) if self.axis is not None
                     and i != self.axis % data.ndim)
        axes = axes if self.axis is not None else None
        self.mean = data.mean(axes).astype("float32")
        self.variance = data.var(axes).astype("float32")

    def call(self, inputs):
        from ... import ops_math
        return (inputs - self.mean) / ops_math.maximum(
            ops_math.sqrt(convert_to_tensor(self.variance)), 1e-7)


class CategoryEncoding(Layer):
    """Integers as rows: one_hot, multi_hot or count."""

    def __init__(self, num_tokens=None, output_mode="multi_hot", sparse=False, **kwargs):
        super().__init__(**kwargs)
        self.num_tokens, self.output_mode = num_tokens, output_mode

    def _cast_input(self, one):
        return one

    def call(self, inputs, count_weights=None):
        from ... import ops_array, ops_math
        rows = ops_array.one_hot(ops_math.cast(convert_to_tensor(inputs), "int32"), self.num_tokens)
        if self.output_mode == "one_hot":
            return rows if rows._rank < 3 or rows._shape[-2] != 1 else ops_array.squeeze(rows, -2)
        fold = ops_math.reduce_max if self.output_mode == "multi_hot" else ops_math.reduce_sum
        return fold(rows, axis=-2) if rows._rank > 1 else rows
