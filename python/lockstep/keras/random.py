"""Random tensors: `keras.random`."""

from .. import random as _random


def normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Normals; an integer seed gives the same ones each time."""
    pair = _seeded(seed)
    if pair is None:
        return _random.normal(shape, mean, stddev, dtype or "float32")
    return _random.stateless_normal(shape, pair, mean, stddev, dtype or "float32")


def uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    """Numbers in [minval, maxval)."""
    pair = _seeded(seed)
    if pair is None:
        return _random.uniform(shape, minval, maxval, dtype or "float32")
    return _random.stateless_uniform(shape, pair, minval, maxval, dtype or "float32")


def _seeded(seed):
    """A pair of numbers for a seed: an integer, a `SeedGenerator`, or None for ops' own seeds."""
    if isinstance(seed, SeedGenerator):
        return seed.next()
    return None if seed is None else [int(seed), 0]


def dropout(inputs, rate, noise_shape=None, seed=None):
    """Sets elements to 0 with probability `rate`, and divides the others by 1 - rate."""
    from .. import ops_array, ops_math
    from .._tensor import convert_to_tensor
    inputs = convert_to_tensor(inputs)
    if not rate:
        return inputs
    shape = ops_array.shape(inputs) if noise_shape is None else [
        size if given is None else given for given, size in zip(noise_shape, inputs.shape)]
    pair = _seeded(seed)
    drawn = _random.uniform(shape) if pair is None else _random.stateless_uniform(shape, pair)
    keep = ops_math.cast(drawn >= rate, inputs.dtype)
    return inputs * keep / (1 - rate)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Normals within two deviations."""
    pair = _seeded(seed)
    if pair is None:
        return _random.truncated_normal(shape, mean, stddev, dtype or "float32")
    return _random.stateless_truncated_normal(shape, pair, mean, stddev, dtype or "float32")


def randint(shape, minval, maxval, dtype="int32", seed=None):
    """Integers in [minval, maxval)."""
    pair = _seeded(seed)
    if pair is None:
        return _random.uniform(shape, minval, maxval, dtype)
    return _random.stateless_uniform(shape, pair, minval, maxval, dtype)


def categorical(logits, num_samples, dtype="int32", seed=None):
    """Classes by their logits."""
    pair = _seeded(seed)
    if pair is None:
        return _random.categorical(logits, num_samples, dtype)
    return _random.stateless_categorical(logits, num_samples, pair, dtype)


def shuffle(x, axis=0, seed=None):
    """Rows in another order."""
    if axis != 0:
        raise NotImplementedError("rows are shuffled along axis 0; transpose first")
    pair = _seeded(seed)
    return _random.shuffle(x) if pair is None else _random.stateless_shuffle(x, pair)


class SeedGenerator:
    """A sequence of seeds."""

    def __init__(self, seed=None, name=None, **kwargs):
        from .._variable import Variable
        from .utils import default_seed
        if seed is not None and (not isinstance(seed, int) or seed < 0):
            raise ValueError(f"Argument `seed` must be {'a non-negative integer' if isinstance(seed, int) else 'an integer'}. "
                             f"Received: seed={seed}")
        self._initial_seed = seed
        first = default_seed() or 0 if seed is None else seed
        self.state = Variable([first, 0], trainable=False, dtype="int64", name="seed_generator_state")

    def next(self, ordered=True):
        """The next seed, [2]: the first number stays, the second counts. In the function of a data set it counts elements."""
        from .. import _seeds
        from .._tensor import convert_to_tensor
        if _seeds.element() is not None:
            return _seeds.element().next(self)
        now = self.state.value()
        if ordered:
            self.state.assign(now + convert_to_tensor([0, 1], dtype="int64"))
        return now

    def get_config(self):
        return {"seed": self._initial_seed}
