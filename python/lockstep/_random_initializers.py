"""`tf.random_normal_initializer` and `tf.random_uniform_initializer`: TensorFlow's own initializers, apart from Keras's.

Without a seed they draw as `tf.random` does, from the global seed and the counter of ops, so they do not move Keras's sequence of
seeds. With a seed each call gives the same numbers."""

from ._dtypes import as_dtype, float32

MODULE = "tensorflow.python.ops.init_ops_v2"  # where configs of layers look for these classes
_IGNORED = ["partition_shape", "partition_offset"]


class _Initializer:
    _keras_module = MODULE

    def get_config(self):
        """The arguments that make another of the kind."""
        return dict(vars(self))

    @classmethod
    def from_config(cls, config):
        """The initializer of what `get_config` gave."""
        return cls(**{name: value for name, value in config.items() if name != "dtype"})

    def _drawn(self, kind, shape, first, second, dtype, options):
        """Numbers of one of the two kinds of `tf.random`. Raises: TypeError for other options than those of partitions."""
        from . import random
        unknown = [name for name in options if name not in _IGNORED]
        if unknown:
            raise TypeError(f"Keyword argument should be one of {_IGNORED}. Received: {unknown[0]}")
        shape = options.get("partition_shape", shape)
        if self.seed is None:
            return getattr(random, kind)(shape, first, second, dtype)
        return getattr(random, "stateless_" + kind)(shape, [self.seed, 0], first, second, dtype)


class RandomNormal(_Initializer):
    """Numbers from a normal distribution: `initializer(shape, dtype)`. Raises: ValueError for a dtype that is no float."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None):
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape, dtype=float32, **kwargs):
        dtype = as_dtype(dtype)
        if not dtype.is_floating:
            raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
        return self._drawn("normal", shape, self.mean, self.stddev, dtype, kwargs)


class RandomUniform(_Initializer):
    """Numbers from `minval` to below `maxval`: `initializer(shape, dtype)`. Raises: ValueError for a dtype that is no number."""

    def __init__(self, minval=-0.05, maxval=0.05, seed=None):
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape, dtype=float32, **kwargs):
        dtype = as_dtype(dtype)
        if not dtype.is_floating and not dtype.is_integer:
            raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype}.")
        return self._drawn("uniform", shape, self.minval, self.maxval, dtype, kwargs)
