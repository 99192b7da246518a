"""Random numbers with TensorFlow's bits: `tf.random`."""

import enum

from . import _native as n
from . import _value_shapes
from ._dtypes import BY_CODE, as_dtype, float32, int32, int64
from ._tensor import convert_to_tensor, integers, op, static_shape
from ._variable import Variable


def set_seed(seed):
    """The global seed, from which ops follow that have no seed of their own."""
    n.set_seed(int(integers(seed, "a seed")))


def _sizes(shape):
    """A shape as a list of sizes; (what is known, a vector of int64) where only a run tells some."""
    return _value_shapes.vector(shape, "a shape") if _value_shapes.is_value(shape) else static_shape(shape)


def _plain(value):
    return integers(value, "a bound")


def uniform(shape, minval=0, maxval=None, dtype=float32, seed=None, name=None):
    """Numbers in [minval, maxval); integers need maxval."""
    dtype = as_dtype(dtype)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    shape = _sizes(shape)
    if dtype.is_integer:
        return n.random_uniform_int(shape, int(_plain(minval)), int(_plain(maxval)), dtype, seed)
    return n.random_uniform(shape, float(_plain(minval)), float(_plain(maxval)), dtype, seed)


def normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None, name=None):
    """Normals."""
    return n.random_normal(_sizes(shape), float(_plain(mean)), float(_plain(stddev)),
                           as_dtype(dtype), seed)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None, name=None):
    """Normals drawn again until they lie within two deviations."""
    return n.random_truncated_normal(_sizes(shape), float(_plain(mean)), float(_plain(stddev)),
                                     as_dtype(dtype), seed)


def shuffle(value, seed=None, name=None):
    """The rows in random order."""
    return n.random_shuffle(convert_to_tensor(value), seed)


def categorical(logits, num_samples, dtype=int64, seed=None, name=None):
    """Class numbers drawn with these unnormalised log probabilities. Shapes: [n, c] to
    [n, num_samples]."""
    return n.random_categorical(convert_to_tensor(logits), int(num_samples), as_dtype(dtype), seed)


def _seed(seed):
    return convert_to_tensor(seed)


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=float32, name=None,
                      alg="auto_select"):
    """Numbers that follow from `seed`, two integers, and the shape alone."""
    dtype, shape = as_dtype(dtype), _sizes(shape)
    if dtype.is_integer:
        if minval is None or maxval is None:
            return n.stateless_uniform_full_int(shape, _seed(seed), dtype)
        return n.stateless_uniform_int(shape, _seed(seed), int(_plain(minval)), int(_plain(maxval)),
                                       dtype)
    high = 1 if maxval is None else maxval
    return n.stateless_uniform(shape, _seed(seed), float(_plain(minval)), float(_plain(high)), dtype)


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype=float32, name=None,
                     alg="auto_select"):
    """Normals that follow from `seed`."""
    return n.stateless_normal(_sizes(shape), _seed(seed), float(mean), float(stddev),
                              as_dtype(dtype))


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=float32, name=None,
                               alg="auto_select"):
    """Truncated normals that follow from `seed`."""
    return n.stateless_truncated_normal(_sizes(shape), _seed(seed), float(mean),
                                        float(stddev), as_dtype(dtype))


def stateless_categorical(logits, num_samples, seed, dtype=int64, name=None, alg="auto_select"):
    """Class numbers that follow from `seed`. Shapes: [n, c] to [n, num_samples]."""
    return n.stateless_categorical(convert_to_tensor(logits), int(num_samples), _seed(seed), as_dtype(dtype))


def stateless_shuffle(value, seed, alg="auto_select", name=None):
    """The rows in an order that follows from `seed`."""
    from . import ops_array
    value = convert_to_tensor(value)
    order = ops_array.argsort(n.stateless_uniform([value._shape[0]], _seed(seed), 0.0, 1.0, float32))
    return ops_array.gather(value, order)


def crop(value, size, seed=None, stateless=False):
    """A part of `size`, its place at random; `tf.image.random_crop`. Raises: InvalidArgumentError."""
    from .errors import InvalidArgumentError
    value = convert_to_tensor(value)
    size = [int(one) for one in integers(size, "a size")] if hasattr(size, "numpy") else list(size)
    free = [whole - part + 1 for whole, part in zip(value._shape, size)]
    if min(free) < 1:
        raise InvalidArgumentError(None, None, f"Need value.shape >= size, got {value.shape} and {size}")
    draw = (lambda: stateless_uniform([len(size)], seed, None, None, int32)) if stateless else (
        lambda: uniform([len(size)], 0, int32.max, int32, seed))
    places = draw()
    for axis, (room, part) in enumerate(zip(free, size)):
        if room > 1:
            first = n.floormod(places[axis], room)
            steps = n.add(convert_to_tensor(list(range(part)), dtype=int32), first)
            value = n.gather(value, steps, axis, 0)
    return value


def split(seed, num=2, alg="auto_select"):
    """`num` new seeds."""
    return n.random_split(_seed(seed), int(num))


def fold_in(seed, data, alg="auto_select"):
    """A new seed made of `seed` and an integer."""
    return n.random_fold_in(_seed(seed), convert_to_tensor(data))


experimental_stateless_split = split
experimental_stateless_fold_in = fold_in


class Algorithm(enum.Enum):
    """How random numbers are made: always by Philox."""
    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


class Generator:
    """A stream of random numbers whose place is a variable."""

    def __init__(self, native):
        self._native = native
        self._state = Variable._wrap(native.state)

    @classmethod
    def from_seed(cls, seed, alg=None):
        return cls(n.Generator.from_seed(int(integers(seed, "a seed"))))

    @classmethod
    def from_state(cls, state, alg=None):
        return cls(n.Generator.from_state([int(one) for one in integers(state, "a state")]))

    @classmethod
    def from_key_counter(cls, key, counter, alg=None):
        return cls(n.Generator.from_key_counter(int(key), [int(one) for one in counter]))

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        import secrets
        return cls.from_seed(secrets.randbits(62))

    state = property(lambda self: self._state)
    algorithm = property(lambda self: 1)
    key = property(lambda self: self._state.value()[2])

    def uniform(self, shape, minval=0, maxval=None, dtype=float32, name=None):
        dtype, shape = as_dtype(dtype), _sizes(shape)
        if dtype.is_integer:
            return self._native.uniform_int(shape, int(minval), int(maxval), dtype)
        return self._native.uniform(shape, float(minval), float(1 if maxval is None else maxval), dtype)

    def uniform_full_int(self, shape, dtype=int32, name=None):
        return self._native.uniform_full_int(_sizes(shape), as_dtype(dtype))

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=float32, name=None):
        return self._native.normal(_sizes(shape), float(mean), float(stddev), as_dtype(dtype))

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype=float32, name=None):
        return self._native.truncated_normal(_sizes(shape), float(mean), float(stddev),
                                             as_dtype(dtype))

    def make_seeds(self, count=1):
        return self._native.make_seeds(int(count))

    def split(self, count=1):
        return [Generator(one) for one in self._native.split(int(count))]

    def skip(self, delta):
        self._native.skip(int(delta))
        return self._state

    def reset_from_seed(self, seed):
        self._native.reset_from_seed(int(seed))

    def reset_from_key_counter(self, key, counter):
        self._native.reset_from_key_counter(int(key), [int(one) for one in counter])

    def reset(self, state):
        self._state.assign(state)


_global = []


def get_global_generator():
    """The generator of the process, made from the global seed."""
    if not _global:
        _global.append(Generator.from_seed(n.global_seed() or 0))
    return _global[0]


def set_global_generator(generator):
    _global[:] = [generator]


def create_rng_state(seed, alg="philox"):
    """The state of a generator made from a seed, or from a state's own numbers: int64[3]."""
    if isinstance(alg, Algorithm):
        alg = alg.value
    if alg not in (1, "philox", "auto_select", 3):
        raise ValueError(f"random numbers are always made by Philox; got the algorithm {alg!r}")
    numbers = integers(seed, "a seed")
    numbers = [numbers] if isinstance(numbers, int) else [int(one) for one in numbers]
    return convert_to_tensor(([0] * max(3 - len(numbers), 0) + numbers)[:3] if len(numbers) > 1 else numbers + [0, 0], dtype=int64)


class experimental:
    create_rng_state = staticmethod(create_rng_state)
    Algorithm = Algorithm
    Generator = Generator
    get_global_generator = staticmethod(get_global_generator)
    set_global_generator = staticmethod(set_global_generator)
    stateless_split = staticmethod(split)
    stateless_shuffle = staticmethod(stateless_shuffle)
    stateless_fold_in = staticmethod(fold_in)


_ = (BY_CODE, op)
