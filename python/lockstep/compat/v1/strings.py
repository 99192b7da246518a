"""`tf.strings` with the arguments of version 1, where they differ."""

from ... import strings as _strings
from ...strings import *  # noqa: F401,F403
from ._older_arguments import with_old as _with_old

reduce_join = _with_old(_strings.reduce_join, "reduction_indices", "keep_dims")


def __getattr__(name):
    return getattr(_strings, name)


def split(input=None, sep=None, maxsplit=-1, result_type="SparseTensor", source=None, name=None):
    """The parts of texts, as a sparse tensor, or as `result_type` says a RaggedTensor; a scalar counts as a vector of one.

    Raises: ValueError for both `input` and `source`, or another `result_type`."""
    from ...ops_array import expand_dims
    from ..._tensor import convert_to_tensor
    if (input is None) == (source is None):
        raise ValueError("one of `input` and `source` is needed")
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError(f"result_type must be 'RaggedTensor' or 'SparseTensor'. Received: {result_type}")
    texts = convert_to_tensor(source if input is None else input)
    parts = _strings.split(texts if texts._rank else expand_dims(texts, 0), sep, maxsplit)
    return parts.to_sparse() if result_type == "SparseTensor" else parts
