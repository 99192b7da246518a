"""First values of weights: `keras.initializers`."""

import math

from .. import _native, _random_initializers
from .._dtypes import BY_CODE, as_dtype
from .._tensor import convert_to_tensor
from ..distribute import first_value
from ._identifiers import deserializer, serialize  # noqa: F401
from ._names import to_snake_case


class Initializer:
    """Makes the first value of a weight: `initializer(shape, dtype)`. To write one, derive and override
    `__call__`."""

    def __call__(self, shape, dtype=None):
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")

    def get_config(self):
        return {}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


def _is_generator(seed):
    from .random import SeedGenerator
    return isinstance(seed, SeedGenerator)


_VARIANCES = {  # scale, mode, distribution of those that VarianceScaling has a name for
    "GlorotUniform": (1.0, "fan_avg", "uniform"), "GlorotNormal": (1.0, "fan_avg", "truncated_normal"),
    "HeUniform": (2.0, "fan_in", "uniform"), "HeNormal": (2.0, "fan_in", "truncated_normal"),
    "LecunUniform": (1.0, "fan_in", "uniform"), "LecunNormal": (1.0, "fan_in", "truncated_normal")}
_TRUNCATED_DEVIATION = 0.87962566103423978  # of a standard normal truncated at two deviations


def _drawn(kind, values, shape, dtype):
    """Values drawn with the next seed of a `SeedGenerator`, by the formulas of Keras's initializers."""
    from . import random
    seed = values["seed"]
    if kind == "RandomUniform":
        return random.uniform(shape, values["minval"], values["maxval"], dtype, seed)
    if kind in ("RandomNormal", "TruncatedNormal"):
        draw = random.normal if kind == "RandomNormal" else random.truncated_normal
        return draw(shape, values["mean"], values["stddev"], dtype, seed)
    if kind == "Orthogonal":
        return _orthogonal(shape, values["gain"], dtype, seed)
    scale, mode, distribution = _VARIANCES.get(kind) or (values["scale"], values["mode"], values["distribution"])
    field = math.prod(shape[:-2]) if len(shape) > 2 else 1
    into, out = (1, 1) if not shape else (shape[0], shape[0]) if len(shape) == 1 else (shape[-2] * field, shape[-1] * field)
    scale /= max(1.0, {"fan_in": into, "fan_out": out, "fan_avg": (into + out) / 2}[mode])
    if distribution == "uniform":
        return random.uniform(shape, -math.sqrt(3 * scale), math.sqrt(3 * scale), dtype, seed)
    if distribution == "untruncated_normal":
        return random.normal(shape, 0.0, math.sqrt(scale), dtype, seed)
    return random.truncated_normal(shape, 0.0, math.sqrt(scale) / _TRUNCATED_DEVIATION, dtype, seed)


def _orthogonal(shape, gain, dtype, seed):
    """Rows or columns, whichever are fewer, that are orthonormal. Raises: ValueError for fewer than two axes."""
    from .. import linalg, math as tf_math, ops_array
    from . import random
    if len(shape) < 2:
        raise ValueError(f"The tensor to initialize must be at least two-dimensional. Received: shape={shape}")
    rows = math.prod(shape[:-1])
    q, r = linalg.qr(random.normal([max(rows, shape[-1]), min(rows, shape[-1])], dtype=dtype, seed=seed))
    q = q * tf_math.sign(linalg.diag_part(r))
    return gain * ops_array.reshape(ops_array.transpose(q) if rows < shape[-1] else q, shape)


class _Native(Initializer):
    _random = False
    _defaults = {}

    def __init__(self, *args, **kwargs):
        names = list(self._defaults)
        values = dict(self._defaults)
        for name, value in zip(names, args):
            values[name] = value
        for name, value in kwargs.items():
            if name not in values:
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument "
                                f"{name!r}")
            values[name] = value
        for name, value in values.items():
            setattr(self, name, value)
        if self._random and values.get("seed") is None:
            from . import utils
            values["seed"] = utils.default_seed()
        self._values = values
        self._own = None if _is_generator(values.get("seed")) else _native.make_initializer(self._kind, {
            key: value for key, value in values.items() if value is not None})

    @property
    def _made(self):
        """What native layers take; None where a class overrides the call."""
        return self._own if type(self).__call__.__module__ == __name__ else None

    def __call__(self, shape, dtype=None):
        dtype, sizes = as_dtype(dtype or "float32"), [int(one) for one in shape]
        if self._own is None:  # each call draws a seed of its own from the generator
            return _drawn(self._kind, self._values, sizes, dtype)
        if dtype.is_floating or self._random:
            return self._own.make(sizes, dtype, 0)
        return _native.cast(self._own.make(sizes, as_dtype("float32"), 0), dtype)

    def get_config(self):
        config = {name: getattr(self, name) for name in sorted(self._defaults, key="seed".__ne__)}
        return {**config, "input_axes": None, "output_axes": None} if self._kind in _SCALED else config

    @classmethod
    def from_config(cls, config):
        return cls(**{key: one for key, one in config.items() if key not in ("input_axes", "output_axes")})


_SCALED = ("GlorotUniform", "GlorotNormal", "HeUniform", "HeNormal", "LecunUniform", "LecunNormal", "VarianceScaling")


def _class(name, text, random=False, **defaults):
    return type(name, (_Native,), {"__doc__": text, "_kind": name, "_random": random, "_defaults": defaults,
                                   "__module__": __name__})


Zeros = _class("Zeros", "Zeros.")
Ones = _class("Ones", "Ones.")


class Constant(_class("Constant", "", value=0.0)):
    """One number, or numbers that are broadcast to the shape."""

    _kind = "Constant"

    def __init__(self, value=0.0):
        import numpy
        self._numbers = numpy.asarray(value) if numpy.ndim(value) else None
        super().__init__(value=0.0 if self._numbers is not None else value)
        self.value = value

    @property
    def _made(self):
        return None if self._numbers is not None else super()._made

    def __call__(self, shape, dtype=None):
        if self._numbers is None:
            return super().__call__(shape, dtype)
        from ..ops_array import broadcast_to
        return broadcast_to(convert_to_tensor(self._numbers, dtype=as_dtype(dtype or "float32")), shape)


class PlainConstant(Constant):
    """`tf.constant_initializer`: without a dtype the value's own."""

    def __call__(self, shape, dtype=None):
        from ..ops_array import constant
        return constant(self.value, dtype, shape)


Identity = _class("Identity", "`gain` on the diagonal.", gain=1.0)
IdentityInitializer = Identity
RandomUniform = _class("RandomUniform", "Uniform in [minval, maxval).", True, minval=-0.05,
                       maxval=0.05, seed=None)
RandomNormal = _class("RandomNormal", "Normals.", True, mean=0.0, stddev=0.05, seed=None)
TruncatedNormal = _class("TruncatedNormal", "Normals within two deviations.", True, mean=0.0,
                         stddev=0.05, seed=None)
GlorotUniform = _class("GlorotUniform", "Uniform, +-sqrt(6 / (in + out)).", True, seed=None)
GlorotNormal = _class("GlorotNormal", "Truncated normals, sqrt(2 / (in + out)).", True, seed=None)
HeUniform = _class("HeUniform", "Uniform, +-sqrt(6 / in).", True, seed=None)
HeNormal = _class("HeNormal", "Truncated normals, sqrt(2 / in).", True, seed=None)
LecunUniform = _class("LecunUniform", "Uniform, +-sqrt(3 / in).", True, seed=None)
LecunNormal = _class("LecunNormal", "Truncated normals, sqrt(1 / in).", True, seed=None)
Orthogonal = _class("Orthogonal", "Orthonormal columns.", True, gain=1.0, seed=None)
OrthogonalInitializer = Orthogonal


class VarianceScaling(_class("VarianceScaling", "", True, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None)):
    """Values of variance scale / fan. Raises: ValueError for a scale that is not positive, another mode or distribution."""

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None):
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be positive float. Received: scale={scale}")
        for name, value, choices in (("mode", mode, ("fan_in", "fan_out", "fan_avg")), ("distribution", distribution, (
                "uniform", "truncated_normal", "untruncated_normal"))):
            if value.lower() not in choices:
                raise ValueError(f"Invalid `{name}` argument: {value}. Please use one of the {choices}")
        super().__init__(scale=scale, mode=mode.lower(), distribution=distribution.lower(), seed=seed)



zeros, ones, constant, identity = Zeros, Ones, Constant, Identity
random_normal, random_uniform, truncated_normal = RandomNormal, RandomUniform, TruncatedNormal
glorot_uniform, glorot_normal, he_uniform, he_normal = GlorotUniform, GlorotNormal, HeUniform, HeNormal
lecun_uniform, lecun_normal, orthogonal, variance_scaling = (LecunUniform, LecunNormal, Orthogonal,
                                                             VarianceScaling)
_ALL = {cls.__name__: cls for cls in (
    Zeros, Ones, Constant, Identity, RandomUniform, RandomNormal, TruncatedNormal, GlorotUniform,
    GlorotNormal, HeUniform, HeNormal, LecunUniform, LecunNormal, Orthogonal, VarianceScaling)}


_BY_NAME = dict(_ALL)
_BY_NAME.update({to_snake_case(name): cls for name, cls in _ALL.items()})
_BY_NAME.update({"uniform": RandomUniform, "normal": RandomNormal, "zero": Zeros, "one": Ones})


def get(identifier):
    """The initializer of a name, a class, an object or a function. Raises: ValueError."""
    if identifier is None:
        return None
    if isinstance(identifier, dict):
        if identifier["class_name"] not in _BY_NAME or identifier.get("module") == _random_initializers.MODULE:
            from . import saving
            return saving.deserialize_keras_object(identifier)
        cls = _BY_NAME[identifier["class_name"]]
        return cls.from_config(identifier.get("config", {}))
    if isinstance(identifier, str):
        if identifier not in _BY_NAME:
            raise ValueError(f"Could not interpret initializer identifier: {identifier}")
        return _BY_NAME[identifier]()
    if isinstance(identifier, type):
        return identifier()
    if callable(identifier):
        return identifier
    return lambda shape, dtype=None: convert_to_tensor(identifier, dtype_hint=dtype)


def native(identifier):
    """What native layers take; None stays."""
    made = get(identifier)
    if made is None:
        return None
    if getattr(made, "_made", None) is not None:
        return made._made

    return _native.python_initializer(lambda shape, dtype: _value_of(made, shape, dtype))


def _value_of(made, shape, dtype):
    dtype = BY_CODE[dtype]
    try:
        value = made(tuple(shape), dtype=dtype)
    except TypeError:
        value = made(tuple(shape))
    return first_value("a weight", convert_to_tensor(value, dtype_hint=dtype))


def of_axes(initializer, inputs):
    """An initializer for weights whose axes `inputs` are of what comes in, all others of what goes out: where it scales by
    both, it makes a matrix of as many rows and columns, as Keras does, and not the filters of a convolution. Without a seed
    it stays as it is: then the weight's name decides."""
    made = get(initializer)
    if not isinstance(made, _Native) or made._kind not in _SCALED or made._made is None or made._values.get("seed") is None:
        return made

    def scaled(shape, dtype=None):
        rows = math.prod(shape[axis] for axis in inputs)
        return _native.reshape(made([rows, math.prod(shape) // max(rows, 1)], dtype), list(shape))
    return scaled


def one_after_another(each):
    """What a native layer takes for several weights, which it makes in this order. Initializers of the package that are all
    alike, and have no seed, are left to the layer, whose weights' names then decide."""
    first = each[0]
    if all(isinstance(one, _Native) and one._made is not None and type(one) is type(first) and one._values == first._values
           and one._values.get("seed") is None for one in each):
        return native(first)
    order = iter(each)
    return _native.python_initializer(lambda shape, dtype: _value_of(next(order, each[-1]), shape, dtype))


deserialize = deserializer(get)
