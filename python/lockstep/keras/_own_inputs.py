"""Graphs that begin in the midst of others."""

from .. import nest
from ._symbols import KerasTensor, Node
from .layers import InputLayer


def with_own_inputs(inputs, outputs):
    """(inputs, outputs) of the same calls, begun by layers of inputs: as they are where all inputs come of such, else copies
    of the calls behind the inputs."""
    if all(_is_begin(one) for one in nest.flatten(inputs)):
        return inputs, outputs
    copies = {id(one): _input_of(one) for one in nest.flatten(inputs)}

    def copied(one):
        if isinstance(one, KerasTensor) and id(one) not in copies and not _is_begin(one):
            _copy(one._node)
        return copies.get(id(one), one)

    def _copy(node):
        args, kwargs = nest.map_structure(copied, (node.args, node.kwargs))
        made = Node(node.layer, args, kwargs)
        made.outputs = nest.map_structure(lambda one: _output_of(made, one), node.outputs)
        copies.update(zip(map(id, nest.flatten(node.outputs)), nest.flatten(made.outputs)))
        node.layer._inbound.append(made)
    return nest.map_structure(lambda one: copies[id(one)], inputs), nest.map_structure(copied, outputs)


def _is_begin(one):
    return not isinstance(one, KerasTensor) or one._node is None or isinstance(one._node.layer, InputLayer)


def _input_of(one):
    if _is_begin(one):
        return one
    return _masked_like(one, InputLayer(batch_shape=one.shape, dtype=one.dtype, sparse=one.sparse, ragged=one.ragged, name=f"{one.name}CLONE").output)


def _output_of(node, one):
    return _masked_like(one, KerasTensor(one.shape, one._dtype_of, one.sparse, one.ragged, one.ragged_rank, one.row_splits_dtype,
                                         f"{one.name}CLONE", node, one._index))


def _masked_like(one, copy):
    if one._mask is not None:
        copy._mask = KerasTensor(one._mask.shape, one._mask._dtype_of)
    return copy
