"""In which dtypes layers compute, and in which they keep their weights: `keras.DTypePolicy`."""

from .. import _native
from .._composites import is_composite, values_of, with_values
from .._dtypes import as_dtype
from . import backend

_HALVES = ("bfloat16", "float16")
_global = None


def _invalid(name):
    return (f"Cannot convert '{name}' to a mixed precision DTypePolicy. Valid policies include 'mixed_float16', "
            "'mixed_bfloat16', and the name of any float dtype such as 'float32'.")


class DTypePolicy:
    """In which dtype a layer computes, and in which it keeps its weights.

    Args: name: a floating dtype for both, or "mixed_bfloat16" or "mixed_float16": weights in float32. Raises: ValueError
    for another name."""

    def __init__(self, name="float32"):
        if not isinstance(name, str):
            raise TypeError(f"'name' must be a string, such as 'mixed_float16'. Received: name={name} "
                            f"(of type {type(name)})")
        mixed = name.startswith("mixed_")
        if mixed and name.removeprefix("mixed_") not in _HALVES:
            raise ValueError(_invalid(name))
        try:
            self._compute = as_dtype(name.removeprefix("mixed_"))
        except TypeError:
            raise ValueError(_invalid(name)) from None
        if self._compute.name != name.removeprefix("mixed_"):
            raise ValueError(_invalid(name))
        self._variable = as_dtype("float32") if mixed else self._compute
        self._name = name if mixed else self._compute.name

    name = property(lambda self: self._name)
    compute_dtype = property(lambda self: self._compute.name)
    variable_dtype = property(lambda self: self._variable.name)
    quantization_mode = None

    def convert_input(self, x, autocast, dtype):
        """`x` in `dtype` where it is of another floating one."""
        from .._tensor import convert_to_tensor
        x = x if is_composite(x) else convert_to_tensor(x)
        dtype = as_dtype(dtype)
        casts = autocast and x.dtype.is_floating and x.dtype != dtype
        return cast(x, dtype) if casts else x

    def __eq__(self, other):
        return isinstance(other, DTypePolicy) and self._name == other._name

    def __hash__(self):
        return hash(self._name)

    def __repr__(self):
        return f'<DTypePolicy "{self._name}">'

    def get_config(self):
        return {"name": self._name}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


def dtype_policy():
    """The policy of layers that say none."""
    return _global or DTypePolicy(backend.floatx())


def set_dtype_policy(policy):
    """From now on layers that say none have this one. Raises: ValueError for another name than `DTypePolicy` takes."""
    global _global
    if not isinstance(policy, (str, DTypePolicy)):
        raise ValueError("Invalid `policy` argument. Expected the string name of a policy (such as 'mixed_float16') or a "
                         f"`DTypePolicy` instance. Received: policy={policy} (of type {type(policy)})")
    _global = get(policy)


def get(identifier):
    """A policy by its name, its config or a dtype; None: the one of layers that say none."""
    if identifier is None:
        return dtype_policy()
    if isinstance(identifier, DTypePolicy):
        return identifier
    if isinstance(identifier, dict):
        from . import dtype_policies
        return dtype_policies.deserialize(identifier)
    return DTypePolicy(getattr(identifier, "name", identifier))


def numbers_in(tensor, dtype):
    """A tensor, also a sparse or ragged one, in a dtype; one of texts, or of that dtype, as it is."""
    own = tensor.dtype
    if own == dtype or not (own.is_floating or own.is_integer or own.is_bool):
        return tensor
    return cast(tensor, dtype)


def cast(tensor, dtype):
    """A tensor, also a sparse or ragged one, in a dtype, with the shape that is known of it."""
    if not is_composite(tensor):
        return _native.cast(tensor, dtype)
    made = with_values(tensor, _native.cast(values_of(tensor), dtype))
    if hasattr(made, "set_shape"):
        made.set_shape(tensor.shape)
    return made


def _widened(tensor):
    """Half precision as float32, for losses and metrics."""
    return _native.cast(tensor, as_dtype("float32")) if tensor.dtype.name in _HALVES else tensor
