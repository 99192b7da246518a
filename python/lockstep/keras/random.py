"""Random tensors: `keras.random`."""

from .. import random as _random
from . import backend as _backend, utils as _utils

_SEEDS = 2 ** 31 - 2  # how many seeds the ops tell apart
_global = []  # the generator of calls without a seed, once there was one after `set_random_seed`


def _seeded(seed):
    """A pair of numbers for a seed: an integer, a `SeedGenerator`, or None, which after `set_random_seed` stands for the
    generator of all calls without a seed, and before it for the ops' own seeds. Raises: ValueError for anything else."""
    if seed is None:
        return _global_generator().next(ordered=False) if _utils.is_seeded() else None
    if isinstance(seed, SeedGenerator):
        drawn = seed.next()
        return drawn if (seed._initial_seed or 0) < _SEEDS else drawn % _SEEDS
    if isinstance(seed, int):
        return [seed % _SEEDS, 0]
    raise ValueError("Argument `seed` must be either an integer or an instance of `SeedGenerator`. "
                     f"Received: seed={seed} (of type {type(seed)})")


def _global_generator():
    from .._function import init_scope
    if not _global:
        with init_scope():
            _global.append(SeedGenerator())
    return _global[0]


def forget_global_generator():
    """Calls without a seed begin anew."""
    _global.clear()


def _drawn(kind, shape, seed, *options):
    pair = _seeded(seed)
    if pair is None:
        return getattr(_random, kind)(shape, *options)
    return getattr(_random, "stateless_" + kind)(shape, pair, *options)


def normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Normals; an integer seed gives the same ones each time."""
    return _drawn("normal", shape, seed, mean, stddev, dtype or _backend.floatx())


def uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    """Numbers in [minval, maxval)."""
    return _drawn("uniform", shape, seed, minval, maxval, dtype or _backend.floatx())


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Normals within two deviations."""
    return _drawn("truncated_normal", shape, seed, mean, stddev, dtype or _backend.floatx())


def dropout(inputs, rate, noise_shape=None, seed=None):
    """Sets elements to 0 with probability `rate`, and divides the others by 1 - rate."""
    from .. import nn, ops_array
    from .._tensor import convert_to_tensor
    inputs = convert_to_tensor(inputs)
    if not rate:
        return inputs
    if rate == 1:
        return ops_array.zeros_like(inputs)
    shape = ops_array.shape(inputs) if noise_shape is None else [
        size if given is None else given for given, size in zip(noise_shape, inputs.shape)]
    pair = _seeded(seed)
    if pair is not None:
        return nn.experimental.stateless_dropout(inputs, rate, pair, noise_shape=shape)
    return ops_array.where(_random.uniform(shape, dtype=inputs.dtype) >= rate, inputs / (1 - rate),
                           ops_array.zeros_like(inputs))


def randint(shape, minval, maxval, dtype="int32", seed=None):
    """Integers in [minval, maxval)."""
    from .. import ops_math
    whole = dtype if dtype in ("int32", "int64") else "int64"
    return ops_math.cast(_drawn("uniform", shape, seed, minval, maxval, whole), dtype)


def categorical(logits, num_samples, dtype="int32", seed=None):
    """Classes by their logits."""
    pair = _seeded(seed)
    if pair is None:
        return _random.categorical(logits, num_samples, dtype)
    return _random.stateless_categorical(logits, num_samples, pair, dtype)


def shuffle(x, axis=0, seed=None):
    """The slices along an axis in another order."""
    from .. import ops_array
    from .._tensor import convert_to_tensor
    x = convert_to_tensor(x)
    count = x._shape[axis]
    size = ops_array.shape(x)[axis] if count in (None, -1) else count
    return ops_array.gather(x, ops_array.argsort(_drawn("uniform", [size], seed)), axis=axis)


class SeedGenerator:
    """A sequence of seeds."""

    def __init__(self, seed=None, name=None, **kwargs):
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments: {kwargs}")
        from .._variable import CountVariable
        from ._names import auto_name
        self.name = name or auto_name("seed_generator")
        if seed is not None and (not isinstance(seed, int) or seed < 0):
            raise ValueError(f"Argument `seed` must be {'a non-negative integer' if isinstance(seed, int) else 'an integer'}. "
                             f"Received: seed={seed}")
        self._initial_seed = seed
        first = _utils.default_seed() or 0 if seed is None else seed
        self.state = CountVariable([first, 0], trainable=False, dtype="int64", name="seed_generator_state")

    def next(self, ordered=True):
        """The next seed, [2]: the first number stays, the second counts; both change if seeds need no order. In the function
        of a data set it counts elements."""
        from .. import _seeds
        from .._tensor import convert_to_tensor
        if _seeds.element() is not None:
            return _seeds.element().next(self)
        now = self.state.value()
        self.state.assign(now + convert_to_tensor([0, 1], dtype="int64") if ordered else (now + 1) * 5387 % 933199)
        return now

    def get_config(self):
        return {"seed": self._initial_seed, "name": self.name}

    @classmethod
    def from_config(cls, config):
        return cls(**config)
