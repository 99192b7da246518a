"""Images with their channels in front: the functions of `tf.nn` compute with channels last."""

import functools
import inspect

from . import ops_array
from ._tensor import convert_to_tensor, integers

_LISTS = ("strides", "stride", "ksize", "dilations", "padding", "output_shape")


def _moved_last(value, rank):
    """A list of one entry an axis, with that of the channels last; anything else as it is."""
    value = integers(value, "sizes") if hasattr(value, "numpy") else value
    if not isinstance(value, (list, tuple)) or len(value) != rank:
        return value
    return [value[0], *value[2:], value[1]]


def with_channels_last(function, images, batch_axes=1):
    """What `function`, which takes and gives channels last, makes of images whose channels come first, behind
    `batch_axes` axes: channels first, too."""
    front, rank = range(batch_axes), images._rank
    made = function(ops_array.transpose(images, [*front, *range(batch_axes + 1, rank), batch_axes]))
    return ops_array.transpose(made, [*front, rank - 1, *range(batch_axes, rank - 1)])


def takes_channels_first(function):
    """The function of images and the like, which takes data_format="NCHW" and its relatives, too."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def either(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        data_format = bound.arguments.get("data_format")
        if not isinstance(data_format, str) or not data_format.startswith("NC"):
            return function(*args, **kwargs)
        del bound.arguments["data_format"]
        images = next(iter(bound.arguments))
        value = convert_to_tensor(bound.arguments[images])
        for name in _LISTS:
            if name in bound.arguments:
                bound.arguments[name] = _moved_last(bound.arguments[name], value._rank)

        def run(moved):
            bound.arguments[images] = moved
            return function(*bound.args, **bound.kwargs)
        return with_channels_last(run, value)
    return either
