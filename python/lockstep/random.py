"""Random numbers with TensorFlow's bits: `tf.random`."""

import enum

import numpy

from . import _native as n
from . import _seeds, _value_shapes
from ._dtypes import BY_CODE, as_dtype, float32, int32, int64
from ._tensor import Tensor, convert_to_tensor, integers, op, static_shape
from ._variable import Variable
from .errors import InvalidArgumentError, UnimplementedError


def set_seed(seed):
    """The global seed, from which ops follow that have no seed of their own; where a graph of version 1 is the default, the
    graph's."""
    n.set_seed(int(integers(seed, "a seed")))
    _seeds.kernel_states.clear()


def _sizes(shape):
    """A shape as a list of sizes; (what is known, a vector of int64) where only a run tells some."""
    if _value_shapes.is_value(shape):
        return _value_shapes.vector(shape, "a shape")
    sizes = static_shape(shape)
    if any(size < 0 for size in sizes):
        raise InvalidArgumentError(None, None, f"[random] the sizes of a shape must not be negative; got {sizes}")
    return sizes


def _known(value):
    """A bound as a Python number; None for tensors that only a run knows, of several elements, or that a tape follows."""
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, Variable) or isinstance(value, Tensor) and value.dtype.is_floating:
        return None
    if isinstance(value, Tensor):
        value = n.static_value(value)
    numbers = numpy.asarray(() if value is None else value)
    return numbers.item() if numbers.ndim == 0 else None


def _normals(draw, mean, stddev, dtype):
    """`draw(mean, stddev)`; for tensors what it gives for 0 and 1, stretched and moved."""
    known = _known(mean), _known(stddev)
    if None not in known:
        return draw(*map(float, known))
    return draw(0.0, 1.0) * convert_to_tensor(stddev, dtype=dtype) + convert_to_tensor(mean, dtype=dtype)


def _uniforms(draw, low, high, dtype):
    """`draw(low, high)`; for tensors what it gives for the unit interval, or for all integers, brought into theirs."""
    if dtype.is_integer and (low is None or high is None):
        raise ValueError(f"For integer dtype {dtype!r}, minval and maxval must be both `None` or both non-`None`; got "
                         f"minval={low} and maxval={high}")
    known = _known(low), _known(high)
    if None not in known:
        return draw(*map(int if dtype.is_integer else float, known))
    low, high = convert_to_tensor(low, dtype=dtype), convert_to_tensor(high, dtype=dtype)
    if not dtype.is_integer:
        return draw(0.0, 1.0) * (high - low) + low
    wide = n.cast(draw(dtype.min, dtype.max), int64)
    room = n.cast(high, int64) - n.cast(low, int64)
    moved = n.floormod(n.floormod(wide, room) + n.floormod(convert_to_tensor(dtype.max, dtype=int64), room) + 1, room)
    return n.cast(moved + n.cast(low, int64), dtype)


def _uniforms_or_all(floats, integers_of, all_integers, low, high, dtype):
    """By one of three functions: floats below 1 where no end is given, integers, or all integers where no bound is."""
    if not dtype.is_integer:
        return _uniforms(floats, low, 1 if high is None else high, dtype)
    return all_integers() if low is None and high is None else _uniforms(integers_of, low, high, dtype)


def uniform(shape, minval=0, maxval=None, dtype=float32, seed=None, name=None):
    """Numbers in [minval, maxval); integers need maxval."""
    dtype, shape = as_dtype(dtype), _sizes(shape)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    native = n.random_uniform_int if dtype.is_integer else n.random_uniform
    return _uniforms(lambda low, high: native(shape, low, high, dtype, seed), minval, maxval, dtype)


def normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None, name=None):
    """Normals."""
    dtype, shape = as_dtype(dtype), _sizes(shape)
    return _normals(lambda *of: n.random_normal(shape, *of, dtype, seed), mean, stddev, dtype)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None, name=None):
    """Normals drawn again until they lie within two deviations."""
    dtype, shape = as_dtype(dtype), _sizes(shape)
    return _normals(lambda *of: n.random_truncated_normal(shape, *of, dtype, seed), mean, stddev, dtype)


def shuffle(value, seed=None, name=None):
    """The rows in random order."""
    return n.random_shuffle(convert_to_tensor(value), seed)


def categorical(logits, num_samples, dtype=int64, seed=None, name=None):
    """Class numbers drawn with these unnormalised log probabilities. Shapes: [n, c] to
    [n, num_samples]."""
    return n.random_categorical(convert_to_tensor(logits), int(num_samples), as_dtype(dtype), seed)


def _parameters(what, values, dtype):
    """The parameters of a distribution, brought to one shape and in a row, as float64; and that shape."""
    from . import ops_array
    from .math import cast
    values = [convert_to_tensor(one, dtype=dtype) for one in values]
    whole = values[0]
    for one in values[1:]:
        whole = n.add(whole, n.zeros_like(one))
    if None in whole._shape:
        raise UnimplementedError(None, None, f"[random] the shape of the parameters of {what} must be known when it is traced; got "
                                 f"{whole.shape}")
    return [ops_array.reshape(cast(ops_array.broadcast_to(one, whole._shape), "float64"), [-1]) for one in values], whole._shape


def _samples(what, shape, inner):
    """How many numbers of each parameter a tensor of `shape` has. Raises: InvalidArgumentError where it does not end with
    `inner`."""
    shape = static_shape(shape)
    sizes, kept = list(shape), len(shape) - len(inner)
    if kept < 0 or sizes[kept:] != list(inner):
        raise InvalidArgumentError(None, None, f"Shape passed in must end with broadcasted shape; got {sizes} for {what} with "
                                   f"parameters of shape {list(inner)}")
    return sizes, int(numpy.prod(sizes[:kept], dtype=int))


def _made(numbers, shape, dtype):
    from . import ops_array
    from .math import cast
    return cast(ops_array.reshape(numbers, shape), dtype)


def _divided(numbers, beta, dtype):
    """Gamma numbers of rate 1 by the rates; none is 0."""
    from .math import maximum
    if beta is not None:
        numbers = numbers / convert_to_tensor(beta, dtype=dtype)
    return maximum(numbers, convert_to_tensor(float(numpy.finfo(dtype.as_numpy_dtype).tiny), dtype=dtype))


def _floating(alpha, dtype):
    """The dtype of gamma numbers. Raises: ValueError for what is no float."""
    dtype = as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Argument `dtype` got {dtype!r}; gamma numbers are floats")
    return dtype


def gamma(shape, alpha, beta=None, dtype=float32, seed=None, name=None):
    """Numbers of Gamma distributions, `shape` of each alpha and rate beta. Shapes: alpha, beta broadcast; result
    `shape` + theirs. No gradient."""
    dtype = _floating(alpha, dtype)
    (alphas, *_), inner = _parameters("gamma", [alpha] if beta is None else [alpha, beta], dtype)
    sizes = list(static_shape(shape))
    numbers = n.random_gamma(int(numpy.prod(sizes, dtype=int)), alphas, dtype, seed)
    return _divided(_made(numbers, sizes + list(inner), dtype), beta, dtype)


def stateless_gamma(shape, seed, alpha, beta=None, dtype=float32, name=None, alg="auto_select"):
    """The same, following from `seed`. Shapes: `shape` is the result's, and ends with the parameters'."""
    dtype = _floating(alpha, dtype)
    (alphas, *_), inner = _parameters("stateless_gamma", [alpha] if beta is None else [alpha, beta], dtype)
    sizes, samples = _samples("stateless_gamma", shape, inner)
    return _divided(_made(n.stateless_gamma(samples, _seed(seed, alg), alphas), sizes, dtype), beta, dtype)


def _highest(dtype):
    return float(dtype.max)


def poisson(shape, lam, dtype=float32, seed=None, name=None):
    """Numbers of Poisson distributions, `shape` of each rate. Shapes: `shape` + that of `lam`."""
    dtype = as_dtype(dtype)
    rates = convert_to_tensor(lam, dtype_hint=float32)
    (rates,), inner = _parameters("poisson", [rates], rates.dtype)
    sizes = list(static_shape(shape))
    numbers = n.random_poisson(int(numpy.prod(sizes, dtype=int)), rates, _highest(dtype), dtype, seed)
    return _made(numbers, sizes + list(inner), dtype)


def stateless_poisson(shape, seed, lam, dtype=int32, name=None):
    """The same, following from `seed`. Shapes: `shape` is the result's, and ends with that of `lam`."""
    dtype = as_dtype(dtype)
    rates = convert_to_tensor(lam, dtype_hint=float32)
    (rates,), inner = _parameters("stateless_poisson", [rates], rates.dtype)
    sizes, samples = _samples("stateless_poisson", shape, inner)
    return _made(n.stateless_poisson(samples, _seed(seed), rates, _highest(dtype)), sizes, dtype)


def _binomials(draw, what, shape, counts, probs, dtype):
    probs = convert_to_tensor(probs, dtype_hint=float32)
    counts = counts if isinstance(counts, Tensor) and counts.dtype == probs.dtype else n.cast(
        convert_to_tensor(counts), probs.dtype)
    (counts, probs), inner = _parameters(what, [counts, probs], probs.dtype)
    sizes, samples = _samples(what, shape, inner)
    return _made(draw(samples, counts, probs), sizes, as_dtype(dtype))


def stateless_binomial(shape, seed, counts, probs, output_dtype=int32, name=None):
    """How many of `counts` trials succeed, following from `seed`. Shapes: `shape` is the result's, and ends with that of
    the parameters."""
    return _binomials(lambda *of: n.stateless_binomial(of[0], _seed(seed), *of[1:]), "stateless_binomial", shape, counts, probs,
                      output_dtype)


def _seed(seed, alg=None):
    _checked(alg)
    return convert_to_tensor(seed)


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=float32, name=None,
                      alg="auto_select"):
    """Numbers that follow from `seed`, two integers, and the shape alone."""
    dtype, shape, seed = as_dtype(dtype), _sizes(shape), _seed(seed, alg)
    return _uniforms_or_all(lambda low, high: n.stateless_uniform(shape, seed, low, high, dtype),
                            lambda low, high: n.stateless_uniform_int(shape, seed, low, high, dtype),
                            lambda: n.stateless_uniform_full_int(shape, seed, dtype), minval, maxval, dtype)


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype=float32, name=None,
                     alg="auto_select"):
    """Normals that follow from `seed`."""
    dtype, shape, seed = as_dtype(dtype), _sizes(shape), _seed(seed, alg)
    return _normals(lambda *of: n.stateless_normal(shape, seed, *of, dtype), mean, stddev, dtype)


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=float32, name=None,
                               alg="auto_select"):
    """Truncated normals that follow from `seed`."""
    dtype, shape, seed = as_dtype(dtype), _sizes(shape), _seed(seed, alg)
    return _normals(lambda *of: n.stateless_truncated_normal(shape, seed, *of, dtype), mean, stddev, dtype)


def stateless_categorical(logits, num_samples, seed, dtype=int64, name=None, alg="auto_select"):
    """Class numbers that follow from `seed`. Shapes: [n, c] to [n, num_samples]."""
    return n.stateless_categorical(convert_to_tensor(logits), int(num_samples), _seed(seed, alg), as_dtype(dtype))


def stateless_shuffle(value, seed, alg="auto_select", name=None):
    """The rows in an order that follows from `seed`, TensorFlow's."""
    from . import ops_array
    from ._host_calls import _on_host
    value = convert_to_tensor(value)
    words = stateless_uniform(ops_array.shape(value)[:1], seed, None, None, int32, alg=alg)
    order = _on_host(_order, [words], [value._shape[0]], int64) if words._symbolic else _order(words)
    return ops_array.gather(value, order)


def _order(words):
    """As many numbers as there are words, each swapped with one behind it, or itself, that a word tells."""
    made = list(range(len(words)))
    for place, word in enumerate(words.numpy().astype("uint32").tolist()):
        other = place + word % (len(made) - place)
        made[place], made[other] = made[other], made[place]
    return convert_to_tensor(made, dtype=int64)


def crop(value, size, seed=None, stateless=False):
    """A part of `size`, its place at random; `tf.image.random_crop`. Raises: InvalidArgumentError."""
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
    return n.random_split(_seed(seed, alg), int(num))


def fold_in(seed, data, alg="auto_select"):
    """A new seed made of `seed` and an integer."""
    return n.random_fold_in(_seed(seed, alg), convert_to_tensor(data))


experimental_stateless_split = split
experimental_stateless_fold_in = fold_in


class Algorithm(enum.Enum):
    """How random numbers are made: always by Philox."""
    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def _checked(alg):
    """The number of an algorithm. Raises: ValueError for others than there are; UnimplementedError for ThreeFry."""
    if alg is None:
        return 1
    known = {one.name.lower().replace("_", ""): one.value for one in Algorithm} | {one.value: one.value for one in Algorithm}
    name = alg.value if isinstance(alg, Algorithm) else alg.lower().replace("_", "") if isinstance(alg, str) else integers(
        alg, "an algorithm")
    if name not in known:
        raise ValueError(f"Argument `alg` got unsupported value {alg}. Supported values are philox and auto_select; numbers are "
                         "always made by Philox")
    if known[name] == Algorithm.THREEFRY.value:
        raise UnimplementedError(None, None, "[random] ThreeFry is not supported; use philox")
    return known[name]


def _numbers(state):
    """A state's numbers. Raises: ValueError for another count."""
    state = [int(one) for one in integers(state, "a state")]
    if len(state) != 3:
        raise ValueError(f"Shapes ({len(state)},) and [3] are incompatible")
    return state


def _state_of(seed):
    """The numbers of the state that a seed gives: an integer's 64 bits each, lowest first; a list's own, at the end."""
    seed = integers(seed, "a seed")
    if isinstance(seed, int):
        words = [(seed >> 64 * place) % 2**64 for place in range(3)]
        return [one - 2**64 if one >= 2**63 else one for one in words]
    return ([0] * 3 + [int(one) for one in seed][:3])[-3:]


class Generator:
    """A stream of random numbers whose place is a variable: that of another generator, or a state."""

    def __init__(self, copy_from=None, state=None, alg=None):
        if copy_from is None:
            copy_from = Generator.from_state(state, alg)
        self._take(n.Generator.from_state(_numbers(copy_from.state)), copy_from.algorithm)

    def _take(self, native, algorithm):
        self._native, self._algorithm = native, algorithm
        self._state = Variable._wrap(native.state)
        return self

    @classmethod
    def _of(cls, native, alg=None):
        return object.__new__(cls)._take(native, _checked(alg))

    @classmethod
    def from_seed(cls, seed, alg=None):
        return cls._of(n.Generator.from_state(_state_of(seed)), alg)

    @classmethod
    def from_state(cls, state, alg=None):
        return cls._of(n.Generator.from_state(_numbers(state)), alg)

    @classmethod
    def from_key_counter(cls, key, counter, alg=None):
        return cls._of(n.Generator.from_key_counter(int(key), [int(one) for one in counter]), alg)

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        import secrets
        return cls.from_seed(secrets.randbits(62), alg)

    state = property(lambda self: self._state)
    algorithm = property(lambda self: self._algorithm)
    key = property(lambda self: self._state.value()[2])

    def uniform(self, shape, minval=0, maxval=None, dtype=float32, name=None):
        dtype, shape = as_dtype(dtype), _sizes(shape)
        return _uniforms_or_all(lambda low, high: self._native.uniform(shape, low, high, dtype),
                                lambda low, high: self._native.uniform_int(shape, low, high, dtype),
                                lambda: self._native.uniform_full_int(shape, dtype), minval, maxval, dtype)

    def uniform_full_int(self, shape, dtype=int32, name=None):
        return self._native.uniform_full_int(_sizes(shape), as_dtype(dtype))

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=float32, name=None):
        dtype, shape = as_dtype(dtype), _sizes(shape)
        return _normals(lambda *of: self._native.normal(shape, *of, dtype), mean, stddev, dtype)

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype=float32, name=None):
        dtype, shape = as_dtype(dtype), _sizes(shape)
        return _normals(lambda *of: self._native.truncated_normal(shape, *of, dtype), mean, stddev, dtype)

    def binomial(self, shape, counts, probs, dtype=int32, name=None):
        """How many of `counts` trials succeed. Shapes: `shape` is the result's, and ends with that of the parameters."""
        return _binomials(self._native.binomial, "binomial", shape, counts, probs, dtype)

    def make_seeds(self, count=1):
        return self._native.make_seeds(int(count))

    def split(self, count=1):
        return [Generator._of(one, self._algorithm) for one in self._native.split(int(count))]

    def skip(self, delta):
        self._native.skip(int(delta))
        return self._state

    def reset_from_seed(self, seed):
        self._state.assign(_state_of(seed))

    def reset_from_key_counter(self, key, counter):
        self._native.reset_from_key_counter(int(key), [int(one) for one in counter])

    def reset(self, state):
        self._state.assign(_numbers(state))


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
    _checked(alg)
    return convert_to_tensor(_state_of(seed), dtype=int64)


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


from ._candidate_samplers import (all_candidate_sampler, fixed_unigram_candidate_sampler,  # noqa: E402,F401
                                  learned_unigram_candidate_sampler, log_uniform_candidate_sampler, uniform_candidate_sampler)
