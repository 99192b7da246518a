"""How tensors that consist of several ones (sparse, ragged) travel through functions and datasets: taken apart into
tuples of plain tensors, and put together where Python sees them."""

from . import _native, nest
from ._tensor import IndexedSlices, Tensor, convert_to_tensor, is_tensor as is_plain


class Parts(tuple):
    """The tensors of one composite tensor, or their specs, in a structure."""

    _fields = ()  # `nest` makes another such tuple of other leaves

    def __new__(cls, *parts):
        return tuple.__new__(cls, parts)

    def whole(self):
        """The tensor."""
        raise NotImplementedError

    def spec(self):
        """The spec that users see, of parts that are specs."""
        raise NotImplementedError

    def plain(self):
        """What `Dataset.as_numpy_iterator` gives."""
        raise NotImplementedError

    def of_other_rows(self):
        """Of parts that are specs those of a tensor with another number of rows."""
        from .data._elements import _other_rows
        return type(self)(*map(_other_rows, self))

    def open_rows(self):
        """For each leaf whether a function that gets it is traced once for any number of rows."""
        return [False] * len(nest.flatten(self))


class SlicesParts(Parts):
    """The values and indices of IndexedSlices, and the dense shape where there is one."""

    def open_rows(self):
        return [True, True] + super().open_rows()[2:]

    def whole(self):
        if not is_plain(self[0]):
            return self
        values, indices, *shape = self
        return IndexedSlices(values, indices, *[convert_to_tensor(one) for one in shape])


def stacked(values):
    """Composite tensors of one kind along a new axis 0."""
    parts = [one._parts() for one in values]
    return type(parts[0]).stacked(parts).whole()


def is_composite(leaf):
    return hasattr(type(leaf), "_parts")


def values_of(one):
    """The tensor of the elements of a composite one, through which gradients flow; of anything else that itself."""
    for name in ("flat_values", "values"):
        if is_composite(one) and hasattr(one, name):
            return getattr(one, name)
    return one


def with_values(one, values):
    """A composite tensor with other elements; of anything else these themselves."""
    if values is None or not is_composite(one):
        return values
    return one.with_flat_values(values) if hasattr(one, "with_flat_values") else one.with_values(values)


def taken_apart(value):
    """(tensors, make): the tensors of which a value consists, and what makes such a value of others like them. For a tensor, a
    ragged or sparse one, IndexedSlices and, while a function is traced, a TensorArray; None for any other value."""
    from ._tensor_array import TensorArray
    if isinstance(value, Tensor):
        return [value], lambda tensors: tensors[0]
    if isinstance(value, IndexedSlices):
        return _slices_apart(value)
    if is_composite(value):
        parts = value._parts()
        return nest.flatten(parts), lambda tensors: nest._pack(parts, iter(tensors)).whole()
    if isinstance(value, TensorArray) and _native.is_tracing():
        return value._carried(), value._carrying
    return None


def _slices_apart(slices):
    """The same for IndexedSlices: a dense shape that is known now stays with `make`, because dense tensors are made of it."""
    shape, tensors = slices.dense_shape, [convert_to_tensor(slices.values), convert_to_tensor(slices.indices)]
    if isinstance(shape, Tensor):
        shape = _native.static_value(shape)
        tensors += [slices.dense_shape] if shape is None else []
    known = None if shape is None else convert_to_tensor(shape).numpy()

    def make(tensors):
        values, indices, *shape = tensors
        return IndexedSlices(values, indices, shape[0] if shape else None if known is None else convert_to_tensor(known))
    return tensors, make


def is_tensor(x):
    """Whether `x` is a tensor, of whatever kind, or a variable."""
    from .ragged import RaggedTensor
    from .sparse import SparseTensor
    return is_plain(x) or isinstance(x, (RaggedTensor, SparseTensor, IndexedSlices))


def map_found(value, found, change):
    """The structure with `change(part)` in place of each part that is `found`."""
    if found(value):
        return change(value)
    if isinstance(value, (list, tuple)):
        return nest._like(value, [map_found(one, found, change) for one in value])
    if isinstance(value, dict):
        made = {key: map_found(one, found, change) for key, one in value.items()}
        return made if type(value) is dict else type(value)(made)
    return value


def apart(value):
    """The structure with the parts of composite tensors and specs in place of them."""
    return map_found(value, is_composite, lambda one: one._parts())


def components(value):
    """The same with the parts of IndexedSlices, as `tf.nest` takes them."""
    def parts(one):
        return SlicesParts(one.values, one.indices, *([] if one.dense_shape is None else [one.dense_shape])) if isinstance(
            one, IndexedSlices) else one._parts()
    return map_found(value, lambda one: is_composite(one) or isinstance(one, IndexedSlices), parts)


def _is_parts(value):
    return isinstance(value, Parts)


def has_parts(structure):
    """Whether parts of composite tensors are in a structure."""
    if _is_parts(structure):
        return True
    if isinstance(structure, dict):
        structure = list(structure.values())
    return isinstance(structure, (list, tuple)) and any(has_parts(one) for one in structure)


def open_rows(structure):
    """For each leaf of a structure whether a function that gets it is traced once for any number of rows."""
    if _is_parts(structure):
        return structure.open_rows()
    if isinstance(structure, dict):
        structure = [structure[key] for key in sorted(structure)]
    return [one for part in structure for one in open_rows(part)] if isinstance(structure, (list, tuple)) else [False]


def whole(value):
    """The inverse of `apart`."""
    return map_found(value, _is_parts, lambda one: one.whole())


def specs(value):
    """The structure with the specs of composite tensors in place of their parts' ones."""
    return map_found(value, _is_parts, lambda one: one.spec())


def general(value):
    """The structure of tensors and parts with specs in place of them, which any such element fits."""
    from ._function import TensorSpec
    return map_found(value, lambda one: _is_parts(one) or hasattr(one, "_symbolic"),
                lambda one: one.general() if _is_parts(one) else TensorSpec(None, one.dtype))
