"""The tensors that stand for a symbol while layers are called on symbols, and the symbols that stand for results.

A dense symbol stands for one tensor. A sparse or ragged one stands for a tensor of that kind, which consists of several plain
tensors (`lockstep._composites.Parts`); only these enter a trace, and what a trace gives is put together again of such parts."""

from .. import nest
from .._composites import is_composite, taken_apart
from .._dtypes import BY_CODE
from .._function import TensorSpec
from .._ragged_specs import RaggedTensorSpec
from .._tensor import convert_to_tensor
from ..ragged import RaggedTensor
from ..sparse import SparseTensor, SparseTensorSpec


def sizes_of(value):
    """The sizes of a tensor of any kind, None or -1 for open ones; () for what is no tensor."""
    if is_composite(value):
        return tuple(value.shape.as_list())
    return tuple(getattr(value, "_shape", ()) or ())


def is_value(one):
    """Whether `one` is a sparse or ragged tensor."""
    return isinstance(one, (SparseTensor, RaggedTensor))


def kind_of(value):
    """The arguments of a `KerasTensor` besides shape and dtype for a tensor like `value`."""
    if isinstance(value, SparseTensor):
        return {"sparse": True}
    if isinstance(value, RaggedTensor):
        return {"ragged": True, "ragged_rank": value.ragged_rank, "row_splits_dtype": value.row_splits.dtype.name}
    return {}


def _parts_of(symbol):
    """The specs of the tensors that a symbol stands for, in their structure."""
    if symbol.sparse:
        return SparseTensorSpec(symbol.shape, symbol._dtype_of)._parts()
    if symbol.ragged:
        return RaggedTensorSpec(symbol.shape, symbol._dtype_of, symbol.ragged_rank, symbol.row_splits_dtype)._parts()
    return TensorSpec(symbol.shape, symbol._dtype_of)


def specs_of(symbols, size):
    """[(dtype, sizes)] of all tensors that symbols stand for, with `size` for open axes."""
    return [(int(one.dtype), [size if axis is None else axis for axis in one.shape.as_list()])
            for symbol in symbols for one in nest.flatten(_parts_of(symbol))]


def values_of(symbols, tensors, size):
    """The values for symbols, put together of such tensors."""
    tensors = iter(tensors)
    made = []
    for symbol in symbols:
        value = nest._pack(_parts_of(symbol), tensors)
        if symbol.sparse:
            value = value.whole()
            value.set_shape([(None if size == -1 else size) if axis is None else axis for axis in symbol.shape])
        made.append(value.whole() if symbol.ragged else value)
    return made


class Results:
    """The results of a call on symbols: the plain tensors that the trace gives, and what the symbols for them are made of."""

    def __init__(self, value):
        self.value = value
        self.leaves = [one if is_value(one) else convert_to_tensor(one) for one in nest.flatten(value)]
        self.tensors = [part for one in self.leaves for part in (taken_apart(one)[0] if is_value(one) else [one])]

    def shapes(self):
        """[(dtype, sizes)] of the sparse and ragged leaves, -1 for open sizes."""
        return [(int(one.dtype), [-1 if size is None else size for size in one.shape.as_list()])
                for one in self.leaves if is_value(one)]

    def symbols(self, made, shapes, new):
        """The symbols for the leaves. `made`: [(dtype, sizes)] of the tensors; `shapes`: those of `shapes()`; `new`: makes a
        symbol of a shape, a dtype and its kind."""
        made, shapes, symbols = iter(made), iter(shapes), []
        for one in self.leaves:
            if is_value(one):
                for _ in taken_apart(one)[0]:
                    next(made)
            code, sizes = next(shapes if is_value(one) else made)
            symbols.append(new([None if size == -1 else size for size in sizes], BY_CODE[code], **kind_of(one)))
        return symbols
