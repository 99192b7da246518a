"""What layers take as arguments, in the form that they keep."""

from .. import backend, constraints, initializers, regularizers

_PARTS = {"initializer": initializers, "regularizer": regularizers, "constraint": constraints}  # of each weight


def _pair(value):
    return (int(value), int(value)) if isinstance(value, int) else tuple(int(one) for one in value)


def _one(value):
    return int(value[0] if isinstance(value, (list, tuple)) else value)


def _window(size, value, name):
    """`size(value)`, the sizes of a window. Raises: ValueError for one that is not positive."""
    made = size(value)
    sizes = made if isinstance(made, tuple) else (made,)
    wrong = {one for one in sizes if one <= 0}
    if wrong:
        raise ValueError(f"The `{name}` argument must be a tuple of {len(sizes)} integers. Received {name}={value}, including "
                         f"values {wrong} that do not satisfy `value > 0`")
    return made


def _padding(value, kinds=("valid", "same")):
    """Raises: ValueError for a padding that there is not."""
    if value.lower() not in kinds:
        raise ValueError(f"The `padding` argument must be a list/tuple or one of {set(kinds)}. Received: {value.lower()}")
    return value.lower()


def _positive(value, text):
    """A number of units, filters, rows. Raises: ValueError, with `text`, for one that is not positive."""
    if value <= 0:
        raise ValueError(text)
    return value


def _given(**options):
    return {key: value for key, value in options.items() if value is not None}


def _keep_parts(layer, **weights):
    """Keeps how weights begin and what holds for them, each as `kernel=(initializer, regularizer, constraint)`."""
    for weight, parts in weights.items():
        for (part, kinds), given in zip(_PARTS.items(), parts):
            setattr(layer, f"{weight}_{part}", kinds.get(given))


def _native_parts(layer, *weights):
    """What `_keep_parts` has kept, as options of a native layer."""
    return {f"{weight}_{part}": kinds.native(getattr(layer, f"{weight}_{part}"))
            for weight in weights for part, kinds in _PARTS.items()}


def _channels_last(data_format):
    """Raises: ValueError where channels come first, as given or, for None, as `keras.config` has it."""
    data_format = backend.standardize_data_format(data_format)
    if data_format != "channels_last":
        raise ValueError(f"data_format must be channels_last; got {data_format}; transpose the inputs of the layer")


def _seed(seed):
    from .. import utils
    return utils.default_seed() if seed is None else int(seed)


def _sides(value):
    if isinstance(value, int):
        return (value,) * 4
    first, second = value
    first = (first, first) if isinstance(first, int) else first
    second = (second, second) if isinstance(second, int) else second
    return tuple(first) + tuple(second)


def _ends(value):
    """The sizes at both ends of an axis. Raises: ValueError for what is neither a number nor two."""
    if not isinstance(value, int) and (not isinstance(value, (list, tuple)) or len(value) != 2):
        raise ValueError(f"The argument must be a tuple of 2 integers. Received: {value}")
    return (value, value) if isinstance(value, int) else tuple(value)


def _transposed_size(size, stride, window, padding, more):
    """How long an axis becomes by a transposed convolution; `more`: output_padding."""
    if more is not None:
        return (size - 1) * stride + (window % 2 if padding == "same" else window) + more
    return size * stride + (max(window - stride, 0) if padding == "valid" else 0)
