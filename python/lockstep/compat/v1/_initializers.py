"""The initializers of version 1: random ones draw by ops, with the seeds of ops."""

import math

from ..._dtypes import as_dtype, float32, TensorShape
from ..._tensor import convert_to_tensor
from ._graphs import in_graph


class Initializer:
    """Makes a first value: `initializer(shape, dtype)`."""

    def get_config(self):
        """The arguments that make another of the kind."""
        return {name: as_dtype(value).name if name == "dtype" else value
                for name, value in vars(self).items() if not name.startswith("_")}

    @classmethod
    def from_config(cls, config):
        """The initializer of what `get_config` gave."""
        return cls(**config)

    def _dtype_of(self, dtype):
        return as_dtype(self.dtype if dtype is None else dtype)


class constant_initializer(Initializer):
    """A value, or an array's numbers row by row; in graphs, where there are too few, the last one fills the rest.

    Raises: TypeError for what is no number, text or array of these, and for another shape where `verify_shape` is set."""

    def __init__(self, value=0, dtype=float32, verify_shape=False):
        if not (isinstance(value, (int, float, str, bytes, list, tuple)) or hasattr(value, "__array__")):
            raise TypeError(f"Invalid type for initial value={value} of type: {type(value).__name__}. Expected Python scalar, "
                            "list or tuple of values, or numpy.ndarray.")
        self.value, self.dtype, self._verifies = value, dtype or float32, verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        from ... import ops_array
        value = int(self.value) if isinstance(self.value, bool) else self.value
        dtype = self._dtype_of(dtype)
        plain = {"bool": bool(value), "string": ""} if isinstance(value, int) else {}
        made = convert_to_tensor(plain.get(dtype.name, value), dtype=dtype)
        sizes = TensorShape(shape).as_list()
        if (self._verifies if verify_shape is None else verify_shape) and made.shape != sizes:
            raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, but got {made.shape}.")
        if made._rank == 0:
            return ops_array.fill(sizes, made)
        return ops_array.reshape(_with_last_repeated(made, math.prod(sizes)), sizes)


def _with_last_repeated(made, count):
    """At most `count` elements as so many: one for all, and in graphs the last one for those that lack."""
    from ... import ops_array
    flat = ops_array.reshape(made, [-1])
    have = int(flat.shape[0])
    if have == count:
        return flat
    if have == 1:
        return ops_array.repeat(flat, count)
    if not in_graph():
        raise TypeError(f"Eager execution of tf.constant with unsupported shape. Tensor {made.numpy()} has {have} elements, "
                        f"but got a shape with {count} elements).")
    if have > count:
        raise ValueError(f"Too many elements provided. Takes at most {count}, but got {have}.")
    last = flat[-1:] if have else convert_to_tensor([0], dtype=made.dtype)
    return ops_array.concat([flat, ops_array.repeat(last, count - have)], 0)


class zeros_initializer(constant_initializer):
    """Zeros."""

    def __init__(self, dtype=float32):
        super().__init__(0, dtype)

    def get_config(self):
        return {"dtype": as_dtype(self.dtype).name}


class ones_initializer(zeros_initializer):
    """Ones."""

    def __init__(self, dtype=float32):
        constant_initializer.__init__(self, 1, dtype)


class random_uniform_initializer(Initializer):
    """Evenly from `minval` to below `maxval`; without `maxval` below 1, for integers any number."""

    def __init__(self, minval=0.0, maxval=None, seed=None, dtype=float32):
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, dtype or float32

    def __call__(self, shape, dtype=None, partition_info=None):
        from ... import random
        return random.uniform(shape, self.minval, self.maxval, self._dtype_of(dtype), self.seed)


class random_normal_initializer(Initializer):
    """From a normal distribution."""

    _draw = "normal"

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=float32):
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, dtype or float32

    def __call__(self, shape, dtype=None, partition_info=None):
        from ... import random
        return getattr(random, self._draw)(shape, self.mean, self.stddev, self._dtype_of(dtype), self.seed)


class truncated_normal_initializer(random_normal_initializer):
    """The same, with values more than two standard deviations away drawn again."""

    _draw = "truncated_normal"


class variance_scaling_initializer(Initializer):
    """With a variance by the number of inputs, outputs, or their mean. Raises: ValueError."""

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None, dtype=float32):
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}")
        distribution = {"normal": "truncated_normal"}.get(distribution.lower(), distribution.lower())
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError("Argument `distribution` should be one of ('normal', uniform', 'truncated_normal', "
                             f"'untruncated_normal'). Received: {distribution}")
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed
        self.dtype = dtype or float32

    def __call__(self, shape, dtype=None, partition_info=None):
        from ... import random
        sizes = [int(one) for one in (partition_info.full_shape if partition_info is not None else shape)]
        field = math.prod(sizes[:-2])
        fan_in, fan_out = (1, 1) if not sizes else (sizes[0],) * 2 if len(sizes) == 1 else (
            sizes[-2] * field, sizes[-1] * field)
        scale = self.scale / max(1.0, {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode])
        dtype = self._dtype_of(dtype)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * scale)
            return random.uniform(shape, -limit, limit, dtype, self.seed)
        if self.distribution == "untruncated_normal":
            return random.normal(shape, 0.0, math.sqrt(scale), dtype, self.seed)
        return random.truncated_normal(shape, 0.0, math.sqrt(scale) / 0.87962566103423978, dtype, self.seed)


class glorot_uniform_initializer(variance_scaling_initializer):
    """Glorot's, evenly."""

    def __init__(self, seed=None, dtype=float32):
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self):
        return {"seed": self.seed, "dtype": as_dtype(self.dtype).name}


class glorot_normal_initializer(glorot_uniform_initializer):
    """Glorot's, from a normal distribution."""

    def __init__(self, seed=None, dtype=float32):
        variance_scaling_initializer.__init__(self, 1.0, "fan_avg", "truncated_normal", seed, dtype)


class orthogonal_initializer(Initializer):
    """An orthogonal matrix, times `gain`. Raises: ValueError for fewer than two axes."""

    def __init__(self, gain=1.0, seed=None, dtype=float32):
        self.gain, self.seed, self.dtype = gain, seed, dtype or float32

    def __call__(self, shape, dtype=None, partition_info=None):
        from ... import linalg, ops_array, ops_math, random
        sizes = [int(one) for one in shape]
        if len(sizes) < 2:
            raise ValueError(f"The tensor to initialize, specified by argument `shape` must be at least two-dimensional. "
                             f"Received shape={shape}")
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        drawn = random.normal([max(rows, columns), min(rows, columns)], dtype=self._dtype_of(dtype), seed=self.seed)
        q, r = linalg.qr(drawn, full_matrices=False)
        q = q * ops_math.sign(linalg.diag_part(r))
        if rows < columns:
            q = ops_array.transpose(q)
        return self.gain * ops_array.reshape(q, sizes)
