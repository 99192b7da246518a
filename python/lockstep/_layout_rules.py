"""Which layout a result has, of the layouts of what an op was computed from.

An op's values are computed on the whole tensors, so a layout never changes a value. These rules only state where the parts
of a result would lie: elementwise ops keep the layouts of their operands, products of matrices those of the rows and
columns, reductions those of the axes that stay, transpositions move them. Any other op gives an uncut result. If two
axes would be cut along one mesh axis, the later one is not cut."""

import weakref

from ._mesh_layouts import Layout, UNSHARDED
from ._tensor import Tensor

_known = {}  # by the identity of a tensor: (a weak reference, its layout)


def set_layout(tensor, layout):
    """Gives a tensor a layout. Returns: the tensor."""
    key = id(tensor)
    _known[key] = (weakref.ref(tensor, lambda _: _known.pop(key, None)), layout)
    return tensor


def layout_of(value):
    """The layout of a tensor or a variable; None for one without."""
    own = getattr(value, "_mesh_layout", None)
    if own is not None:
        return own
    found = _known.get(id(value))
    return found[1] if found is not None and found[0]() is value else None


def _operands(arguments):
    for one in arguments:
        if isinstance(one, (list, tuple)):
            yield from _operands(one)
        elif isinstance(one, Tensor) or hasattr(one, "_mesh_layout"):
            yield one


def observe(function, arguments, results):
    """Gives the results of an op their layouts, if an operand has one."""
    operands = list(_operands(arguments))
    layouts = [layout_of(one) for one in operands]
    first = next((one for one in layouts if one is not None), None)
    if first is None:
        return
    rule = _RULES.get(getattr(function, "__name__", "").strip("_"))
    for result in results:
        if result._rank is not None:
            specs = rule(operands, layouts, arguments, result) if rule else _elementwise(operands, layouts, result)
            set_layout(result, Layout(_without_repeats(specs), first.mesh))


def _without_repeats(specs):
    return [UNSHARDED if one in specs[:place] else one for place, one in enumerate(specs)]


def _elementwise(operands, layouts, result):
    """The specs of a result in whose shape all operands fit, one axis by one; else uncut."""
    made = [UNSHARDED] * result._rank
    for operand, layout in zip(operands, layouts):
        sizes = list(operand.shape)
        if len(sizes) > result._rank or any(size not in (1, whole) for size, whole in zip(reversed(sizes), reversed(result._shape))):
            return [UNSHARDED] * result._rank
        for back in range(1, len(sizes) + 1):
            if layout is not None and sizes[-back] != 1 and made[-back] == UNSHARDED:
                made[-back] = layout.sharding_specs[-back]
    return made


def _specs(operand, layout):
    return layout.sharding_specs if layout is not None else [UNSHARDED] * len(operand.shape)


def _matmul(operands, layouts, arguments, result):
    first, second = [_specs(*one) for one in zip(operands[:2], layouts[:2])]
    flags = [one for one in arguments if isinstance(one, bool)] + [False, False]
    rows = first[-1] if flags[0] else first[-2]
    columns = second[-2] if flags[1] else second[-1]
    front = first[:-2] if len(first) == result._rank else second[:-2] if len(second) == result._rank else [UNSHARDED] * (result._rank - 2)
    return [*front, rows, columns]


def _reduction(operands, layouts, arguments, result):
    specs = _specs(operands[0], layouts[0])
    axes = arguments[1] if len(arguments) > 1 else None
    rank = len(specs)
    axes = range(rank) if axes is None else [axes] if isinstance(axes, int) else axes
    gone = {int(one) % rank for one in axes} if rank else set()
    if result._rank == rank:
        return [UNSHARDED if i in gone else one for i, one in enumerate(specs)]
    return [one for i, one in enumerate(specs) if i not in gone]


def _transpose(operands, layouts, arguments, result):
    specs = _specs(operands[0], layouts[0])
    order = list(arguments[1]) if len(arguments) > 1 and isinstance(arguments[1], (list, tuple)) else []
    return [specs[i] for i in order or reversed(range(len(specs)))]


def _expand_dims(operands, layouts, arguments, result):
    specs = _specs(operands[0], layouts[0])
    place = int(arguments[1]) % (len(specs) + 1)
    return [*specs[:place], UNSHARDED, *specs[place:]]


_RULES = {"matmul": _matmul, "transpose": _transpose, "expand_dims": _expand_dims,
          **{name: _reduction for name in ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_any",
                                           "reduce_all", "argmax", "argmin")}}
