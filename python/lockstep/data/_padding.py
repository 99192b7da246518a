"""Elements of different sizes, brought to one."""

from .._dtypes import TensorShape


def _padded_shapes(shapes, count):
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape) or (
            isinstance(shapes, (list, tuple)) and all(s is None or isinstance(s, int) for s in shapes)
            and (count == 1 or not shapes)):
        return [list(shapes)] * (1 if shapes else count)
    if isinstance(shapes, dict):
        return [list(shapes[key]) for key in sorted(shapes)]
    return [list(one) for one in shapes]


def _stack_padded(rows):
    from .. import ops_array
    columns = []
    for column in zip(*rows):
        sizes = [max(dims) for dims in zip(*[one._shape for one in column])]
        columns.append(ops_array.stack([
            ops_array.pad(one, [[0, size - own] for own, size in zip(one._shape, sizes)])
            if sizes else one for one in column]))
    return columns
