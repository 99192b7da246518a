"""What layers take as arguments, in the form that they keep."""


def _pair(value):
    return (int(value), int(value)) if isinstance(value, int) else tuple(int(one) for one in value)


def _one(value):
    return int(value[0] if isinstance(value, (list, tuple)) else value)


def _given(**options):
    return {key: value for key, value in options.items() if value is not None}


def _channels_last(data_format):
    if data_format not in (None, "channels_last"):
        raise ValueError(f"data_format must be channels_last; got {data_format}")


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
    return (value, value) if isinstance(value, int) else tuple(value)


def _transposed_size(size, stride, window, padding, more):
    """How long an axis becomes by a transposed convolution; `more`: output_padding."""
    if more is not None:
        return (size - 1) * stride + (window % 2 if padding == "same" else window) + more
    return size * stride + (max(window - stride, 0) if padding == "valid" else 0)
