"""Category numbers as rows over all categories, as preprocessing layers return them.

A row has one element per category. Mode "one_hot" makes a row of each number, "multi_hot" and "count" make one row of the
numbers of one example: whether, or how often, each category occurs. Numbers at or above `depth` are left out."""

import numpy

from ... import ops_math
from ..._dtypes import as_dtype
from ..._tensor import Tensor, convert_to_tensor
from .._layer import Layer

_MOST_NATIVE = 1 << 16  # elements of the one-hot rows of one example; above that Python counts


class PreprocessingLayer(Layer):
    """A layer without weights that receives numbers and texts as they are: dense, ragged or sparse."""

    _takes_any = True

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        object.__setattr__(self, "built", True)

    def _cast_input(self, one):
        return one

    def __call__(self, inputs, *args, **kwargs):
        return super().__call__(tensors_of(inputs), *args, **kwargs)

    def _base_config(self):
        """The part of a config that all layers have."""
        from .. import saving
        return {"name": self.name, "trainable": self.trainable, "dtype": saving.policy(self._policy.name)}


def tensors_of(inputs):
    """Lists, arrays and Python values as tensors; a list of tensors and symbols as they are."""
    from .._symbols import has_symbols
    from ..._composites import is_tensor
    if has_symbols(inputs) or is_tensor(inputs) or isinstance(inputs, (list, tuple)) and any(map(is_tensor, inputs)):
        return inputs
    return convert_to_tensor(inputs)


def check_sparse(sparse, output_mode):
    """Raises: ValueError for sparse results of mode "int"."""
    if sparse and output_mode == "int":
        raise ValueError("`sparse` may only be true if `output_mode` is `'one_hot'`, `'multi_hot'`, `'count'` or `'tf_idf'`. "
                         f"Received: sparse={sparse} and output_mode={output_mode}")


def check_choice(layer, name, value, allowed):
    """Raises: ValueError for a value of an argument that is not among those allowed."""
    if value not in allowed:
        raise ValueError(f"Unknown value for `{name}` argument of {type(layer).__name__}. Allowed values are: {allowed}. "
                         f"Received: {name}={value}")


def encode_categories(numbers, mode, depth, dtype, sparse=False):
    """Numbers in the form of an output mode.

    Shapes: int as `numbers`; one_hot [..., depth], a last axis of size 1 left out; multi_hot and count [depth] of [n],
    [rows, depth] of [rows, n], [rows, k, depth] of [rows, n, k].
    Raises: ValueError for sparse numbers in one_hot mode; InvalidArgumentError for negative numbers in the other two."""
    from ... import sparse as sparse_ops
    from ...ragged import RaggedTensor
    from ...sparse import SparseTensor
    if isinstance(numbers, RaggedTensor) and mode in ("int", "one_hot"):
        return numbers.with_flat_values(encode_categories(numbers.flat_values, mode, depth, dtype))
    if isinstance(numbers, SparseTensor):
        if mode == "one_hot":
            raise ValueError("Sparse inputs have no one_hot form; use output_mode 'multi_hot' or 'count', or a dense input")
        if mode == "int":
            return SparseTensor(numbers.indices, ops_math.cast(numbers.values, dtype), numbers.dense_shape)
    if mode == "int":
        return ops_math.cast(numbers, dtype)
    rows = _rows(numbers, mode, depth, as_dtype(dtype))
    return sparse_ops.from_dense(rows) if sparse else rows


def _rows(numbers, mode, depth, dtype):
    from ... import ops_array
    from ...ragged import RaggedTensor
    from ...sparse import SparseTensor
    if isinstance(numbers, RaggedTensor):
        if numbers.ragged_rank != 1 or numbers.flat_values._rank != 1:
            raise ValueError(f"Ragged inputs of mode {mode!r} must have two axes; got shape {numbers.shape}")
        return _counted(numbers.value_rowids(), numbers.flat_values, numbers.nrows(), mode, depth, dtype, None)
    if isinstance(numbers, SparseTensor):
        if numbers.indices._shape[-1] != 2:
            raise ValueError(f"Sparse inputs of mode {mode!r} must have two axes; got shape {numbers.shape}")
        return _counted(numbers.indices[:, 0], numbers.values, numbers.dense_shape[0], mode, depth, dtype, None)
    if numbers._rank == 0:
        numbers = ops_array.expand_dims(numbers, -1)
    if mode == "one_hot":
        numbers = ops_array.squeeze(numbers, [-1]) if numbers._rank > 1 and numbers._shape[-1] == 1 else numbers
        return ops_array.one_hot(numbers, depth, dtype=dtype)
    if numbers._rank > 2:
        fold = ops_math.reduce_max if mode == "multi_hot" else ops_math.reduce_sum
        return fold(ops_array.one_hot(numbers, depth, dtype=dtype), axis=1)
    if numbers._shape[-1] is not None and numbers._shape[-1] * depth <= _MOST_NATIVE:
        return _native_rows(numbers, mode, depth, dtype)
    wide = numbers if numbers._rank == 2 else ops_array.expand_dims(numbers, 0)
    counts = _counted(None, wide, ops_array.shape(wide)[0], mode, depth, dtype, wide._shape[0])
    return counts if numbers._rank == 2 else ops_array.squeeze(counts, [0])


def _native_rows(numbers, mode, depth, dtype):
    """The same by ops alone, which graphs cut into shards: the one-hot rows of all numbers, folded."""
    from ... import ops_array
    if not numbers._symbolic:
        _require_non_negative(numbers.numpy())
    rows = ops_array.one_hot(numbers, depth, dtype=dtype)
    if numbers._shape[-1] == 1:
        return ops_array.squeeze(rows, [-2])
    return (ops_math.reduce_max if mode == "multi_hot" else ops_math.reduce_sum)(rows, axis=-2)


def _counted(places, numbers, rows, mode, depth, dtype, known_rows):
    """The rows of `numbers`, of which `places` are the row numbers; None: those of a matrix."""
    binary = mode == "multi_hot"

    def count(rows, numbers, *places):
        return convert_to_tensor(_count(int(rows), numbers.numpy(), places and places[0].numpy(), depth, binary, dtype))
    given = [convert_to_tensor(rows), numbers, *(() if places is None else (places,))]
    if any(one._symbolic for one in given if isinstance(one, Tensor)):
        from ..._host_calls import _on_host
        return _on_host(count, given, [known_rows, depth], dtype)
    return count(*given)


def _require_non_negative(numbers):
    from ...errors import InvalidArgumentError
    if (numbers < 0).any():
        raise InvalidArgumentError(None, None, f"Categories must be non-negative numbers; got {numbers[numbers < 0][0]}")


def _count(rows, numbers, places, depth, binary, dtype):
    if places is None or not len(places) and numbers.ndim == 2:
        places = numpy.repeat(numpy.arange(rows), numbers.shape[-1])
    numbers = numbers.reshape(-1)
    _require_non_negative(numbers)
    kept = numbers < depth
    places, numbers = places[kept], numbers[kept].astype("int64")
    made = numpy.zeros((rows, depth), dtype.as_numpy_dtype)
    if binary:
        made[places, numbers] = 1
    else:
        numpy.add.at(made, (places, numbers), 1)
    return made
