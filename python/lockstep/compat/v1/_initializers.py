"""The initializers of version 1."""

from ..._tensor import convert_to_tensor


def random_normal_initializer(mean=0.0, stddev=1.0, seed=None, dtype=None):
    from ...keras import initializers
    return initializers.RandomNormal(mean, stddev, seed)


def random_uniform_initializer(minval=0.0, maxval=1.0, seed=None, dtype=None):
    from ...keras import initializers
    return initializers.RandomUniform(minval, maxval, seed)


def truncated_normal_initializer(mean=0.0, stddev=1.0, seed=None, dtype=None):
    from ...keras import initializers
    return initializers.TruncatedNormal(mean, stddev, seed)


def constant_initializer(value=0, dtype=None, verify_shape=False):
    from ..._dtypes import float32
    return lambda shape, dtype=float32: _full(shape, value, dtype)


def _full(shape, value, dtype):
    from ... import ops_array
    made = convert_to_tensor(value, dtype=dtype)
    return ops_array.fill(shape, made) if made._rank == 0 else ops_array.reshape(made, shape)


def zeros_initializer(dtype=None):
    return constant_initializer(0)


def ones_initializer(dtype=None):
    return constant_initializer(1)


def glorot_uniform_initializer(seed=None, dtype=None):
    from ...keras import initializers
    return initializers.GlorotUniform(seed)


def glorot_normal_initializer(seed=None, dtype=None):
    from ...keras import initializers
    return initializers.GlorotNormal(seed)


def orthogonal_initializer(gain=1.0, seed=None, dtype=None):
    from ...keras import initializers
    return initializers.Orthogonal(gain, seed)


def variance_scaling_initializer(scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None, dtype=None):
    from ...keras import initializers
    return initializers.VarianceScaling(scale, mode, {"normal": "truncated_normal"}.get(distribution, distribution), seed)
