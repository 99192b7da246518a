"""Numbers that all of Keras shares: `keras.backend`."""

_floatx = "float32"


def floatx():
    return _floatx


def set_floatx(value):
    global _floatx
    if value not in ("float16", "bfloat16", "float32", "float64"):
        raise ValueError(f"Unknown `floatx` value: {value}.")
    _floatx = value


_epsilon = 1e-7


def epsilon():
    return _epsilon


def set_epsilon(value):
    global _epsilon
    _epsilon = value


_image_data_format = "channels_last"


def image_data_format():
    """Where images have their channels when nothing says so: "channels_last" or "channels_first"."""
    return _image_data_format


def set_image_data_format(data_format):
    """Raises: ValueError for another one than "channels_last" and "channels_first"."""
    global _image_data_format
    _image_data_format = _data_format(data_format)


def standardize_data_format(data_format):
    """The one of `image_data_format` for None. Raises: ValueError as `set_image_data_format`."""
    return _image_data_format if data_format is None else _data_format(data_format)


def _data_format(data_format):
    made = str(data_format).lower()
    if made not in ("channels_first", "channels_last"):
        raise ValueError("The `data_format` argument must be one of {'channels_first', 'channels_last'}. "
                         f"Received: data_format={data_format}")
    return made


def backend():
    return "lockstep"


def clear_session(free_memory=True):
    """Names of layers, and random numbers without seeds, begin anew."""
    from ._names import reset_names
    from .random import forget_global_generator
    reset_names()
    forget_global_generator()
    _uids.clear()


def get_value(x):
    return x.numpy() if hasattr(x, "numpy") else x


def set_value(x, value):
    x.assign(value)


def is_keras_tensor(x):
    from ._symbols import KerasTensor
    return isinstance(x, KerasTensor)


def standardize_dtype(dtype):
    """The name of a dtype, that of `floatx` for None."""
    from .._dtypes import as_dtype
    return _floatx if dtype is None else as_dtype(dtype).name


def result_type(*dtypes):
    """The name of the dtype that numbers of all have together: names and dtypes, and `int` and `float`, which take those of
    the others where they can. Raises: ValueError for what is no dtype."""
    from ._ops_dtypes import common
    kinds = [one for one in dtypes if one in (int, float)]
    known = [_as_known(one) for one in dtypes if one not in (int, float)]
    made = common(*known) if known else None
    if float in kinds and (made is None or not made.is_floating):
        return _floatx
    if int in kinds and (made is None or made.is_bool):
        return "int32"
    return _floatx if made is None else made.name


def _as_known(dtype):
    from .._dtypes import as_dtype
    try:
        return as_dtype(dtype)
    except TypeError:
        raise ValueError(f"Invalid dtype: {dtype}") from None


def is_float_dtype(dtype):
    return standardize_dtype(dtype).startswith(("float", "bfloat"))


def is_int_dtype(dtype):
    return standardize_dtype(dtype).startswith(("int", "uint"))


_uids = {}


def get_uid(prefix=""):
    """How often it was asked for a prefix, this time included."""
    _uids[prefix] = _uids.get(prefix, 0) + 1
    return _uids[prefix]


def __getattr__(name):
    """What older programs call: `K.mean`, `K.square`, ..."""
    if not name.startswith("_"):
        from . import _backend_functions
        if hasattr(_backend_functions, name):
            return getattr(_backend_functions, name)
    raise AttributeError(f"module 'lockstep.keras.backend' has no attribute {name!r}")
