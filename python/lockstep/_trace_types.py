"""How the types of arguments and results of functions are written: as TensorFlow's trace types are."""

from ._tensor import Tensor


def spec_of(one):
    """The spec of a tensor, of a spec itself, and of anything else that same."""
    from ._function import TensorSpec
    if isinstance(one, TensorSpec):
        return TensorSpec(one.shape, one.dtype, one.name)
    return TensorSpec(one.shape, one.dtype) if isinstance(one, Tensor) else one


def text(value):
    """`List[...]`, `Dict[[key, ...], ...]` and their like around specs, `Literal[...]` for a value of Python."""
    from ._function import TensorSpec
    one = spec_of(value)
    if isinstance(one, TensorSpec):
        return repr(one)
    if isinstance(one, dict):
        return f"Dict[{_pairs(one.items())}]"
    if isinstance(one, tuple) and hasattr(one, "_fields"):
        return f"{type(one).__name__}[{_pairs(zip(one._fields, one))}]"
    if isinstance(one, (list, tuple)):
        return f"{'List' if isinstance(one, list) else 'Tuple'}[{', '.join(map(text, one))}]"
    if one is None or isinstance(one, (bool, int, float, complex, str, bytes, type)):
        return f"Literal[{one!r}]"
    return repr(one)


def _pairs(items):
    return ", ".join(f"[{key!r}, {text(value)}]" for key, value in items)
