"""Elements of different sizes, brought to one."""

from .. import nest
from .._dtypes import TensorShape
from .._tensor import convert_to_tensor


def _padded_shapes(shapes, specs):
    """The shape to which each component is padded; None for a size that follows from the batch."""
    count = len(specs)
    shapes = [shapes] if isinstance(shapes, int) else shapes
    if shapes is None:
        for place, one in enumerate(specs):
            if one.shape.rank is None:
                raise ValueError(f"You must provide `padded_shapes` argument because component {place} has unknown rank.")
        return [[None] * one.shape.rank for one in specs]
    if isinstance(shapes, TensorShape) or (
            isinstance(shapes, (list, tuple)) and all(s is None or isinstance(s, int) for s in shapes)
            and (count == 1 or not shapes)):
        return [list(shapes)] * (1 if shapes else count)
    return _flat_shapes(shapes)


def _check_padded(wanted, specs):
    """Raises: ValueError for shapes that components cannot be padded to."""
    for shape, one in zip(wanted, specs):
        known = None if one.shape.rank is None else one.shape.as_list()
        if known is not None and (len(known) != len(shape) or any(
                to not in (None, -1) and size is not None and int(to) < size for to, size in zip(shape, known))):
            shown = tuple(None if to in (None, -1) else int(to) for to in shape)
            raise ValueError(f"The padded shape {shown} is not compatible with the shape {tuple(known)} of the corresponding input "
                             "component.")


def _flat_shapes(shapes):
    """The shapes in a structure of them, in the order of the components."""
    if isinstance(shapes, dict):
        return [one for key in sorted(shapes) for one in _flat_shapes(shapes[key])]
    if isinstance(shapes, TensorShape) or hasattr(shapes, "numpy") or all(
            one is None or isinstance(one, int) or hasattr(one, "__index__") for one in shapes):
        return [list(shapes)]
    return [inner for one in shapes for inner in _flat_shapes(one)]


def _padding_values(values, spec, flat):
    """One scalar for each component; none where all are padded with zeros and empty strings. Raises: TypeError for one of
    another dtype than the component."""
    if values is None:
        return []
    given = nest.flatten(values)
    if len(given) == 1 and (len(flat) > 1 or not nest.is_nested(values)):
        given = given * len(flat)
    else:
        nest.assert_same_structure(values, spec)
    for value, one in zip(given, flat):
        kind = one.dtype if value is None else convert_to_tensor(value).dtype
        if kind != one.dtype:
            raise TypeError(f"Invalid `padding_values`. `padding_values` values type {kind} does not match type {one.dtype} "
                            "of the corresponding input component.")
    default = {"string": "", "bool": False}
    return [convert_to_tensor(default.get(one.dtype.name, 0) if value is None else value, dtype=one.dtype)
            for value, one in zip(given, flat)]
