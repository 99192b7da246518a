"""Element types and shapes."""


class DType(int):
    """The type of a tensor's elements, such as `tf.float32`. Compares equal to its name."""

    __slots__ = ()
    _names = {}
    _codes = {}

    @property
    def name(self):
        return DType._names[int(self)]

    @property
    def base_dtype(self):
        return self

    @property
    def as_numpy_dtype(self):
        """The NumPy scalar type; bfloat16 needs the package ml_dtypes."""
        import numpy
        if self.name == "string":
            return numpy.object_
        if self.name == "bfloat16":
            try:
                import ml_dtypes
                return ml_dtypes.bfloat16
            except ImportError:
                return numpy.float32
        if self.name == "bool":
            return numpy.bool_
        return getattr(numpy, self.name)

    @property
    def is_floating(self):
        return int(self) in (1, 2, 14, 19)

    @property
    def is_integer(self):
        return int(self) in (3, 4, 5, 6, 9)

    @property
    def is_bool(self):
        return int(self) == 10

    @property
    def is_complex(self):
        return False

    @property
    def is_numpy_compatible(self):
        return True

    @property
    def size(self):
        known = {"bool": 1, "string": 0, "resource": 0, "bfloat16": 2, "float16": 2}.get(self.name)
        return int("".join(c for c in self.name if c.isdigit())) // 8 if known is None else known

    @property
    def as_datatype_enum(self):
        return int(self)

    @property
    def min(self):
        import numpy
        if self.is_bool:
            return False
        info = numpy.finfo if self.is_floating else numpy.iinfo
        return info(self.as_numpy_dtype).min

    @property
    def max(self):
        import numpy
        if self.is_bool:
            return True
        info = numpy.finfo if self.is_floating else numpy.iinfo
        return info(self.as_numpy_dtype).max

    @property
    def limits(self):
        """(least, greatest) of the values that colors and pixels have: floats are in [0, 1]."""
        return (0, 1) if self.is_floating else (0 if self.is_integer else self.min, self.max)

    def __repr__(self):
        return "tf." + self.name

    def __str__(self):
        return f"<dtype: {self.name!r}>"

    def __format__(self, spec):
        return format(str(self), spec)

    def __eq__(self, other):
        if type(other) is DType:
            return int(self) == int(other)
        try:
            return int(self) == int(as_dtype(other))
        except (TypeError, ValueError):
            return False

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(int(self))

    def __reduce__(self):
        return as_dtype, (self.name,)


def _make(name, code):
    DType._names[code] = name
    dtype = DType(code)
    DType._codes[name] = dtype
    return dtype


float32 = _make("float32", 1)
float64 = double = _make("float64", 2)
int32 = _make("int32", 3)
uint8 = _make("uint8", 4)
int16 = _make("int16", 5)
int8 = _make("int8", 6)
string = _make("string", 7)
int64 = _make("int64", 9)
bool = _make("bool", 10)
bfloat16 = _make("bfloat16", 14)
float16 = half = _make("float16", 19)
resource = _make("resource", 20)
BY_CODE = [None] * 21
for _dtype in DType._codes.values():
    BY_CODE[int(_dtype)] = _dtype
_ALIASES = {"float": float32, "double": float64, "half": float16, "int": int32, "str": string}
_PYTHON = {float: float32, int: int32, str: string, bytes: string}


def as_dtype(value):
    """The DType that `value` names: a DType, a name, a NumPy dtype or a Python type.

    Raises: TypeError for anything else."""
    if type(value) is DType:
        return value
    if isinstance(value, str):
        found = DType._codes.get(value) or _ALIASES.get(value)
        if found is not None:
            return found
    elif isinstance(value, type):
        if value in _PYTHON:
            return _PYTHON[value]
        if value is __builtins_bool:
            return bool
    elif isinstance(value, int) and 0 < value < 21 and BY_CODE[value] is not None:
        return BY_CODE[value]
    name = getattr(value, "name", None) or getattr(value, "__name__", None)
    if isinstance(name, str):
        name = {"bool_": "bool", "object": "string", "object_": "string", "str_": "string",
                "bytes_": "string"}.get(name, name)
        if name.startswith(("str", "bytes")):
            name = "string"
        if name in DType._codes:
            return DType._codes[name]
    raise TypeError(f"Cannot convert the argument `type_value`: {value!r} to a TensorFlow DType.")


class _Foreign(str):
    """A dtype of TensorFlow that tensors do not have here."""

    name = property(str)

    def __repr__(self):
        return f"<dtype: '{self}'>"


_FOREIGN = {8: "complex64", 11: "qint8", 12: "quint8", 13: "qint32", 17: "uint16", 18: "complex128",
            21: "variant", 22: "uint32", 23: "uint64"}


def of_number(number):
    """The DType of TensorFlow's number, or the name of one that is not built."""
    found = BY_CODE[number] if 0 < number < len(BY_CODE) else None
    return found if found is not None else _Foreign(_FOREIGN.get(number, f"dtype {number}"))


class _Named(DType):
    """The dtype of a variable of Keras, which is a name: it reads as text, and NumPy takes it."""

    __slots__ = ()

    @property
    def dtype(self):
        import numpy
        return numpy.dtype(self.as_numpy_dtype)

    def __repr__(self):
        return repr(self.name)

    def __str__(self):
        return self.name

    def __contains__(self, part):
        return part in self.name

    def __len__(self):
        return len(self.name)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.name, name)


NAMED_BY_CODE = [None if one is None else _Named(int(one)) for one in BY_CODE]


import builtins as _builtins  # noqa: E402

__builtins_bool = _builtins.bool


class Dimension(int):
    """A size of an axis; of version 1. One that is not known has the value None."""

    def __new__(cls, value):
        value = getattr(value, "value", value)
        if value is not None and int(value) < 0:
            raise ValueError(f"Dimension {int(value)} must be >= 0")
        return super().__new__(cls, -1 if value is None else value)

    @property
    def value(self):
        return None if int.__eq__(self, -1) else int(self)

    def __eq__(self, other):
        other = getattr(other, "value", other)
        if other is None or self.value is None:
            return True if other is self.value else None  # whether two sizes agree that are not both known, nobody knows
        return self.value == other

    __hash__ = int.__hash__

    def is_compatible_with(self, other):
        return None in (self.value, Dimension(other).value) or self == other

    def __str__(self):
        return "?" if self.value is None else str(self.value)

    def __repr__(self):
        return f"Dimension({self.value})"


def _of_sizes(name):
    """An operator of sizes, which gives one that is not known where one of the two is not."""
    plain = getattr(int, name)

    def operate(self, other):
        if other is not None and not hasattr(other, "__index__"):
            return NotImplemented
        a, b = self.value, getattr(other, "value", other)
        return Dimension(None if None in (a, b) else plain(a, int(b)))
    return operate


for _name in ("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__floordiv__", "__rfloordiv__", "__mod__",
              "__rmod__"):
    setattr(Dimension, _name, _of_sizes(_name))

_of_version_1 = [False]  # whether the sizes of shapes are `Dimension`s


def use_version_1_shapes(use):
    """Whether shapes have a `Dimension` for each size from now on, and show "?" for one that is not known."""
    _of_version_1[0] = use


def _size(size):
    return Dimension(size) if _of_version_1[0] else size


class TensorShape:
    """The sizes of the axes; None stands for a size that is not known, rank None for no rank."""

    __slots__ = ("_dims",)

    def __init__(self, dims):
        if dims is None:
            self._dims = None
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif isinstance(dims, int):
            self._dims = (dims,)
        else:
            sizes = [getattr(d, "value", d) for d in dims]
            self._dims = tuple(None if d is None or d == -1 else int(d) for d in sizes)

    @property
    def rank(self):
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self):
        return self.rank

    @property
    def dims(self):
        return None if self._dims is None else [_size(one) for one in self._dims]

    def as_list(self):
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self):
        if self._dims is None or None in self._dims:
            return None
        count = 1
        for size in self._dims:
            count *= size
        return count

    def is_fully_defined(self):
        return self._dims is not None and None not in self._dims

    def is_compatible_with(self, other):
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, other._dims))

    def assert_is_compatible_with(self, other):
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def assert_has_rank(self, rank):
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def with_rank(self, rank):
        self.assert_has_rank(rank)
        return self

    def merge_with(self, other):
        other = TensorShape(other)
        self.assert_is_compatible_with(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        return TensorShape([b if a is None else a for a, b in zip(self._dims, other._dims)])

    def most_specific_compatible_shape(self, other):
        """The shape with the sizes that both have, None for the others; of unknown rank where theirs differ."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None or len(self._dims) != len(other._dims):
            return TensorShape(None)
        return TensorShape([a if a == b else None for a, b in zip(self._dims, other._dims)])

    def concatenate(self, other):
        return TensorShape(self._dims + TensorShape(other)._dims)

    def __len__(self):
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self):
        return self._dims is not None

    def __iter__(self):
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self.dims)

    def __getitem__(self, key):
        if isinstance(key, slice):
            return TensorShape(self._dims[key])
        return _size(self._dims[key])

    def __add__(self, other):
        return self.concatenate(other)

    def __radd__(self, other):
        return TensorShape(other).concatenate(self)

    def __eq__(self, other):
        try:
            return self._dims == TensorShape(other)._dims
        except (TypeError, ValueError):
            return False

    def __hash__(self):
        return hash(self._dims)

    def __repr__(self):
        if self._dims is None:
            return "TensorShape(None)"
        return f"TensorShape({self.dims})"

    def __str__(self):
        if self._dims is None:
            return "<unknown>"
        shown = [str(_size(one)) for one in self._dims]
        return f"({shown[0]},)" if len(shown) == 1 else f"({', '.join(shown)})"

    def __reduce__(self):
        return TensorShape, (self._dims,)


def __getattr__(name):
    """The conversions of `tf.dtypes`."""
    if name not in ("cast", "saturate_cast"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import ops_math
    return getattr(ops_math, name)
