"""Elements of datasets, and functions of them."""

from .. import _native, _seeds, nest
from .._composites import _is_parts, apart, general, has_parts, whole
from .._dtypes import BY_CODE, int64
from .._function import TensorSpec
from .._tensor import convert_to_tensor, integers, Tensor


def _spec_of(tensor):
    return TensorSpec(tensor.shape, tensor.dtype)


def _rows_of(size, one):
    """The spec of `size` (None: any number) elements in rows."""
    return TensorSpec(None if one.shape.rank is None else [size] + list(one.shape), one.dtype)


def _other_rows(one):
    """The spec of a tensor with another number of rows."""
    return TensorSpec(None if one.shape.rank is None else [None] + list(one.shape)[1:], one.dtype)


def _flat_element(structure):
    return [convert_to_tensor(one) for one in nest.flatten(apart(structure))]


def _as_structure(value):
    """Lists of numbers are one component, as everything else that is no tuple and no dict."""
    if isinstance(value, tuple):
        return nest._like(value, [_as_structure(one) for one in value])
    if isinstance(value, dict):
        return type(value)((key, _as_structure(one)) for key, one in value.items())
    return convert_to_tensor(value)


def _element(structure, tensors):
    if structure is None:
        return tensors[0]
    return whole(nest._pack(structure, iter(tensors)))


def _call_on(function, element):
    """Plain tuples are the arguments of a function, everything else is one argument."""
    if type(element) is tuple:
        return function(*element)
    return function(element)


def _returned(value):
    """What a function of elements gives, as an element: lists in a structure are one tensor each, a list alone is a tuple."""
    if isinstance(value, list):
        value = tuple(value) if any(isinstance(one, Tensor) for one in value) else convert_to_tensor(value)
    if isinstance(value, tuple) and not _is_parts(value):
        return nest._like(value, [convert_to_tensor(one) if isinstance(one, list) else _returned(one) for one in value])
    if isinstance(value, dict):
        return type(value)((key, convert_to_tensor(one) if isinstance(one, list) else _returned(one))
                           for key, one in value.items())
    return value


def _traced(function, spec):
    """(a function of lists of tensors, the structure that it gives)"""
    from .._function import Function, _flatten_results, _pack_results
    inner = Function(function)
    form = []

    def body(tensors):
        flat, structure = _flatten_results(_returned(_call_on(inner._converted(), _element(spec, tensors))))
        form[:] = [structure]
        return flat
    calls = {}

    def placed(tensors):
        with _seeds.of_element(tensors[-1], calls):
            return _native.call_with_place(body, tensors)
    name = getattr(function, "__name__", "map")
    types = [(int(one.dtype), None if one.shape.rank is None else list(one.shape)) for one in nest.flatten(spec)]
    types.append((int(int64), [4]))
    if _native.is_tracing() or any(shape is None for _, shape in types):
        native = _native.Function(placed, name)  # a trace for each shape
        known = _native.symbolic_call(placed, types)
    else:
        once = _native.SpecFunction(placed, types, name)
        if any(asked > 1 for asked in calls.values()):
            once = _native.SpecFunction(placed, types, name)  # now that it is known how often an element asks for seeds
        native, known = once.function, once.results
    given = [TensorSpec(shape, BY_CODE[code]) for code, shape in known]
    structure = form[0]
    if structure is None:
        raise TypeError(f"Unsupported return value from function passed to Dataset.map(): None.")
    return native, _pack_results(structure, given)


def _op_by_op(function, dataset):
    """The same for a function that is called for each element, not traced; the first element tells its structure."""
    from .._function import _flatten_results, _pack_results
    form, calls = [], {}

    def body(tensors):
        with _seeds.of_element(_native.element_place(), calls):
            flat, structure = _flatten_results(_returned(_call_on(function, _element(dataset._spec, tensors))))
        form[:] = [structure]
        return flat
    first = next(iter(dataset), None)
    if first is None:
        return body, dataset._spec
    flat = body(_flat_element(first))
    return body, general(nest.pack_sequence_as(form[0], flat)) if has_parts(form[0]) else _pack_results(
        form[0], [TensorSpec(None, one.dtype) for one in flat])


def _check_alike(datasets):
    """Raises: TypeError for datasets of elements of other structures and dtypes than the first's."""
    for one in datasets[1:]:
        own, other = nest.flatten(datasets[0]._spec), nest.flatten(one._spec)
        if [getattr(leaf, "dtype", leaf) for leaf in own] != [getattr(leaf, "dtype", leaf) for leaf in other]:
            raise TypeError("Invalid `datasets`. `datasets` must have compatible element specs; got "
                            f"{datasets[0].element_spec} and {one.element_spec}.")


def _check_rows(leaves):
    """Raises: ValueError for components that have no rows, or other numbers of them."""
    known = {}
    for one in leaves:
        if one.shape.rank == 0:
            raise ValueError("Cannot unbatch an input with scalar components.")
        if one.shape.rank and one.shape[0] is not None:
            known[one.shape[0]] = None
    if len(known) > 1:
        first, second = list(known)[:2]
        raise ValueError("`unbatch()` is only supported for datasets of elements whose components have a matching leading "
                         f"dimension. Encountered both {first} and {second}.")


def _both_specs(one, other):
    """What describes values of two specs. Raises: TypeError for other dtypes."""
    if one.dtype != other.dtype:
        raise TypeError("Invalid `scan_func`. The element types for the new state must match the initial state. Expected "
                        f"{one.dtype!r}; got {other.dtype!r}.")
    if one.shape.rank is None or one.shape.rank != other.shape.rank:
        return TensorSpec(None, one.dtype)
    return TensorSpec([size if size == own else None for size, own in zip(one.shape, other.shape)], one.dtype)


def _count_of(value):
    """A number of elements as an int. Raises: TypeError for one that is not whole, by its dtype."""
    if isinstance(value, (str, bytes, float)):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype int64")
    return int(integers(value, "a number of elements"))
