"""In which dtypes the functions of `keras.ops` compute: Keras's promotion, in which Python's numbers take the other side's."""

from .. import ops_array as _a, ops_math as _m
from .._dtypes import as_dtype, float32, int32
from .._tensor import convert_to_tensor


def axes_of(axis):
    return list(axis) if isinstance(axis, tuple) else axis


def flat(x):
    return _a.reshape(convert_to_tensor(x), [-1])


def floats(x):
    """Whole numbers and truth values as float32."""
    x = convert_to_tensor(x)
    return x if x.dtype.is_floating else _m.cast(x, float32)


def wide_floats(x):
    """As `floats`, but int64 as float64."""
    x = convert_to_tensor(x)
    return _m.cast(x, "float64") if x.dtype.name == "int64" else floats(x)


def countable(x):
    """What is summed: whole numbers of fewer bits than 32 and truth values as int32, which holds the sum."""
    x = convert_to_tensor(x)
    return x if x.dtype.is_floating or x.dtype.name == "int64" else _m.cast(x, int32)


def numbers(x):
    """Truth values as int32, all others as they are."""
    x = convert_to_tensor(x)
    return _m.cast(x, int32) if x.dtype.is_bool else x


def common(*dtypes):
    """The dtype that holds numbers of all."""
    import numpy
    made = as_dtype(dtypes[0])
    for one in map(as_dtype, dtypes[1:]):
        if one == made:
            continue
        if made.is_floating != one.is_floating:
            made = made if made.is_floating else one
        elif {made.name, one.name} == {"float16", "bfloat16"}:
            made = float32
        elif made.is_floating and made.size != one.size:
            made = made if made.size > one.size else one
        else:
            made = as_dtype(numpy.promote_types(made.as_numpy_dtype, one.as_numpy_dtype))
    return made


def alike(x1, x2):
    """Both as tensors of one dtype, the wider one's."""
    x1 = convert_to_tensor(x1, dtype_hint=getattr(x2, "dtype", None))
    x2 = convert_to_tensor(x2, dtype_hint=x1.dtype)
    dtype = common(x1.dtype, x2.dtype)
    return _cast(x1, dtype), _cast(x2, dtype)


def all_alike(tensors):
    """All tensors in one dtype, the widest one's."""
    dtype = common(*(one.dtype for one in tensors))
    return [_cast(one, dtype) for one in tensors]


def alike_floats(x1, x2, one=floats):
    """As `alike`, then as floats, each by `one`."""
    x1, x2 = alike(x1, x2)
    return one(x1), one(x2)


def _cast(x, dtype):
    return x if x.dtype == dtype else _m.cast(x, dtype)


def of_floats(function):
    """The function of one tensor, whose whole numbers become floats."""
    return lambda x: function(floats(x))


def of_two(function):
    """The function of two tensors, brought to one dtype."""
    return lambda x1, x2: function(*alike(x1, x2))


def of_two_floats(function):
    return lambda x1, x2: function(*alike_floats(x1, x2))


def for_floats(function, value):
    """The function of one tensor that whole numbers and truth values need not be asked: `value` for them."""
    def run(x):
        x = convert_to_tensor(x)
        return function(x) if x.dtype.is_floating else _a.fill(_a.shape(x), value)
    return run


def of_two_numbers(function):
    """As `of_two`, with truth values as whole numbers."""
    return lambda x1, x2: function(*(numbers(one) for one in alike(x1, x2)))
