"""Elements with sparse and ragged tensors: batches, and slices."""

from .. import nest
from .._composites import Parts, apart, general, has_parts, map_found
from .._function import TensorSpec
from ._elements import _flat_element, _rows_of


def _over(structure, function):
    """The structure with `function` of its leaves and of the parts of composite tensors."""
    return map_found(structure, lambda one: isinstance(one, Parts) or not nest.is_nested(one), function)


def _batch_spec(spec, size):
    return _over(spec, lambda one: one.batch_spec(size) if isinstance(one, Parts) else
                 _rows_of(size, one))


def _stacked(spec, rows):
    """One structure of the rows' ones, of plain tensors."""
    from .. import ops_array
    if isinstance(spec, Parts):
        return spec.stacked(rows)
    if isinstance(spec, TensorSpec):
        return ops_array.stack(rows)
    if isinstance(spec, dict):
        return {key: _stacked(one, [row[key] for row in rows]) for key, one in spec.items()}
    return nest._like(spec, [_stacked(one, [row[i] for row in rows]) for i, one in enumerate(spec)])


def _together(dataset, size, drop_remainder, function):
    """`function` of each `size` elements, as lists of tensors; of fewer at the end, if these are not dropped."""
    rows = []
    for element in dataset:
        rows.append(_flat_element(element))
        if len(rows) == size:
            yield function(rows)
            rows = []
    if rows and not drop_remainder:
        yield function(rows)


def _counted(dataset, made, size, drop_remainder):
    """`made`, the batches of a dataset, with their number where it is known."""
    count = dataset._count()
    made._asserted = count if count < 0 else count // size if drop_remainder else -(-count // size)
    return made


def batch(dataset, size, drop_remainder):
    """`Dataset.batch` of such elements: the parts of a batch are made in Python."""
    def stacked(rows):
        packed = [nest._pack(dataset._spec, iter(row)) for row in rows]
        return nest.flatten(_stacked(dataset._spec, packed))

    def make():
        return _together(dataset, size, drop_remainder, stacked)
    made = dataset._from_python(make, _batch_spec(dataset._spec, size if drop_remainder else None), "_BatchDataset")
    return _counted(dataset, made, size, drop_remainder)


def _rows(structure):
    """(how many slices along axis 0 there are, the parts and rows of each leaf)"""
    counts, leaves = [], []

    def take(leaf):
        if isinstance(leaf, Parts):
            leaves.append(list(leaf.rows()))
        else:
            from .. import ops_array
            leaves.append(ops_array.unstack(leaf))
        counts.append(len(leaves[-1]))
        return len(leaves) - 1
    form = _over(structure, take)
    if len(set(counts)) > 1:
        raise ValueError(f"Dimensions {counts[0]} and {next(n for n in counts if n != counts[0])} are not compatible")
    return counts[0], form, leaves


def slices(structure):
    """`Dataset.from_tensor_slices` of such a structure, which the parts of composite tensors stand in."""
    from ._dataset import Dataset
    count, form, leaves = _rows(structure)
    spec = _over(form, lambda i: leaves[i][0].general() if isinstance(leaves[i][0], Parts) else
                 TensorSpec(leaves[i][0].shape, leaves[i][0].dtype)) if count else general(structure)

    def make():
        for row in range(count):
            yield nest.flatten(_over(form, lambda i: leaves[i][row]))
    return Dataset.from_tensors(0)._from_python(make, spec, "_TensorSliceDataset")


def unbatch(dataset):
    """`Dataset.unbatch` of elements with composite tensors."""
    def sliced(one):
        if hasattr(one, "row_spec"):
            return one.row_spec()
        if isinstance(one, Parts):
            inner = one.spec()
            return type(inner)(inner.shape[1:], inner.dtype)._parts()
        return TensorSpec(one.shape[1:], one.dtype)

    def make():
        for element in dataset:
            count, form, leaves = _rows(apart(element))
            for number in range(count):
                yield nest.flatten(_over(form, lambda i: leaves[i][number]))
    return dataset._from_python(make, _over(dataset._spec, sliced), "_UnbatchDataset")


def parts_of(structure):
    """A structure that has composite tensors with their parts in place of them; None for one without."""
    made = apart(structure)
    return made if has_parts(made) else None


def _ragged_spec(one, size, splits):
    """Of a batch of tensors whose sizes differ where they are not known."""
    from ..ragged import RaggedTensorSpec
    if one.shape.rank is None:
        raise ValueError(f"[ragged_batch] the number of axes must be known; got {one!r}")
    unknown = [i for i, axis in enumerate(one.shape) if axis is None]
    if not unknown:
        return _rows_of(size, one)
    return RaggedTensorSpec([size] + list(one.shape), one.dtype, unknown[-1] + 1, splits)._parts()


def _row_parts(row, spec):
    """A row as the parts of a ragged tensor, one of a batch with the parts' specs `spec`."""
    import numpy
    from .. import ops_array
    from .._tensor import convert_to_tensor
    from ..ragged import RaggedParts
    depth, kind = len(spec) - 2, spec[-1].dtype
    sizes, splits, count = list(row._shape), [], 1
    for axis in range(depth):
        count *= sizes[axis]
        splits.append(convert_to_tensor(numpy.arange(count + 1, dtype="int64") * sizes[axis + 1], dtype=kind))
    return RaggedParts(ops_array.reshape(row, [count * sizes[depth]] + sizes[depth + 1:]), *splits)


def ragged_batch(dataset, size, drop_remainder, splits):
    """`Dataset.ragged_batch`: components whose sizes are not known become ragged."""
    specs = nest.flatten(dataset._spec)
    made = [_ragged_spec(one, size if drop_remainder else None, splits) for one in specs]

    def stacked(rows):
        from .. import ops_array, ops_math
        flat = []
        for number, spec in enumerate(made):
            column = [row[number] for row in rows]
            if isinstance(spec, Parts):
                stacked = spec.stacked([_row_parts(one, spec) for one in column])
                flat += [stacked[0], *[ops_math.cast(one, splits) for one in stacked[1:]]]
            else:
                flat.append(ops_array.stack(column))
        return flat

    def make():
        return _together(dataset, size, drop_remainder, stacked)
    batches = dataset._from_python(make, nest._pack(dataset._spec, iter(made)), "_RaggedBatchDataset")
    return _counted(dataset, batches, size, drop_remainder)
