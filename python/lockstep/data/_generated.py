"""Elements that a Python generator yields, checked against their signature."""

from .. import _composites, nest
from .._function import TensorSpec
from .._tensor import convert_to_tensor
from ..errors import InvalidArgumentError, of_python


def _signature_leaves(signature):
    if isinstance(signature, TensorSpec):
        return [signature]
    if isinstance(signature, tuple) and len(signature) == 2 and signature[0] is None:
        return [signature]
    if isinstance(signature, dict):
        return [leaf for key in sorted(signature) for leaf in _signature_leaves(signature[key])]
    return [leaf for one in signature for leaf in _signature_leaves(one)]


def _map_signature(signature):
    if isinstance(signature, TensorSpec):
        return signature
    if isinstance(signature, tuple) and len(signature) == 2 and signature[0] is None:
        return TensorSpec(None, signature[1])
    if isinstance(signature, dict):
        return {key: _map_signature(one) for key, one in signature.items()}
    return nest._like(signature, [_map_signature(one) for one in signature])


def _wrong(what):
    return InvalidArgumentError(None, None, f"TypeError: `generator` yielded an element {'' if what[:2] == 'of' else 'that '}{what}")


def _passed(items):
    """The elements; what the generator raises is an op's error."""
    while True:
        try:
            item = next(items, _END)
        except Exception as error:
            raise of_python(error) from error
        if item is _END:
            return
        yield item


_END = object()


def _check_generated(items, signature, leaves):
    single = len(leaves) == 1 and not isinstance(signature, (tuple, list, dict)) or (
        isinstance(signature, tuple) and len(signature) == 2 and signature[0] is None)
    for item in _passed(items):
        item = _composites.apart(item)
        try:
            values = [item] if single else nest.flatten_up_to(
                _map_signature(signature), item if isinstance(item, (dict, tuple)) else tuple(item))
        except (TypeError, ValueError):
            raise _wrong("did not match the expected structure. "
                         f"The expected structure was {signature!r}, but the yielded element was {item!r}.") from None
        tensors = []
        for value, leaf in zip(values, leaves):
            spec = leaf if isinstance(leaf, TensorSpec) else TensorSpec(None, leaf[1])
            try:
                tensor = convert_to_tensor(value, dtype_hint=spec.dtype)
                if tensor.dtype != spec.dtype:
                    tensor = convert_to_tensor(value, dtype=spec.dtype)
            except (TypeError, ValueError):
                raise _wrong("could not be converted to the expected type. The expected type was "
                             f"{spec.dtype.name}, but the yielded element was {item!r}.") from None
            if not spec.shape.is_compatible_with(tensor.shape):
                raise _wrong(f"of shape {tuple(tensor._shape)} where an element of shape {spec.shape} was expected.")
            tensors.append(tensor)
        yield tensors
