"""Fields of extension types: which annotations they may have, and how values are checked and converted.

An annotation is a Python type (int, float, str, bytes, bool, None), a dtype, a shape, a tensor or composite tensor, another
extension type, or a tuple, mapping or union of these. Each kind of value has a converter of one signature,
`converter(value, annotation, place, mode)`; `mode` states what is converted: the value of a field ("value"), the spec of
one ("spec"), or a default of a class ("default")."""

import collections
import collections.abc
import inspect
import types
import typing

from ._dtypes import as_dtype, DType, TensorShape
from ._tensor import convert_to_tensor, Tensor

_PLAIN = (int, float, str, bytes, bool, type(None))
_RESERVED = {"self", "Spec", "_type_spec", "value_type", "is_compatible_with", "most_specific_compatible_type", "_component_specs",
             "_to_components", "_from_components", "_serialize", "_deserialize", "_keras_mask", "_parts", "_key_parts"}
NO_DEFAULT = inspect.Parameter.empty

Field = collections.namedtuple("Field", ["name", "value_type", "default"])


class ImmutableDict(collections.abc.Mapping):
    """A mapping that cannot be changed, in which mappings of fields are kept."""

    def __init__(self, *args, **kwargs):
        self._dict = dict(*args, **kwargs)

    def __getitem__(self, key):
        return self._dict[key]

    def __iter__(self):
        return iter(self._dict)

    def __len__(self):
        return len(self._dict)

    def __repr__(self):
        return f"ImmutableDict({self._dict})"


def is_reserved(name):
    """Whether no field may have this name."""
    return name in _RESERVED or name.lower().startswith("_tf_extension_type")


def _is_composite_type(annotation):
    from . import _composites
    return isinstance(annotation, type) and typing.get_origin(annotation) is None and (
        hasattr(annotation, "_parts") or annotation.__name__ == "IndexedSlices") and not issubclass(annotation, _composites.Parts)


def _kind(annotation):
    """The origin of an annotation: tuple, Mapping, Union, or None for a plain one."""
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, getattr(types, "UnionType", None)) and origin is not None:
        return typing.Union
    if origin is tuple:
        return tuple
    return collections.abc.Mapping if origin in (collections.abc.Mapping, dict) else None


def check_annotation(annotation, in_key=False):
    """Raises: TypeError for an annotation that a field cannot have."""
    if isinstance(annotation, (str, typing.ForwardRef)) or annotation is None or annotation in (*_PLAIN, DType):
        return
    if annotation in (Tensor, TensorShape) or _is_composite_type(annotation):
        if in_key:
            raise TypeError(f"Mapping had a key {annotation.__name__!r} with type {type(annotation).__name__!r}")
        return
    kind, arguments = _kind(annotation), typing.get_args(annotation)
    if kind is None:
        shown = annotation.__name__ if isinstance(annotation, type) and typing.get_origin(annotation) is None else annotation
        raise TypeError(f"Unsupported type annotation {shown!r}")
    for place, one in enumerate(arguments):
        if one is not Ellipsis:
            check_annotation(one, in_key or kind is collections.abc.Mapping and place == 0)


def fields_of(cls):
    """(the fields of a class in order, whether all names in annotations are resolved). Raises: TypeError."""
    hints, resolved = {}, True
    try:
        hints = typing.get_type_hints(cls)
    except (NameError, AttributeError):
        resolved = False
        for base in reversed(cls.__mro__):
            hints.update(base.__dict__.get("__annotations__", {}))
    fields = []
    for name, annotation in hints.items():
        try:
            check_annotation(annotation)
        except TypeError as error:
            raise TypeError(f"In field {name!r}: {error}") from error
        default = getattr(cls, name, NO_DEFAULT)
        if default is not NO_DEFAULT:
            default = convert(default, annotation, f"default value for {name}", "default")
        fields.append(Field(name, annotation, default))
    return tuple(fields), resolved


def convert_all(fields, values, mode):
    """Checks and converts the values of all fields in place. Raises: ValueError for other names, TypeError for other types."""
    expected, given = {one.name for one in fields}, set(values)
    if given - expected:
        raise ValueError(f"Got unexpected fields: {given - expected}")
    if expected - given:
        raise ValueError(f"Missing required fields: {expected - given}")
    values.update({one.name: convert(values[one.name], one.value_type, one.name, mode) for one in fields})


def convert(value, annotation, place, mode):
    """A value as its annotation states. Raises: TypeError for one that is not of the type."""
    if annotation is Tensor:
        return _tensor(value, place, mode)
    if _is_composite_type(annotation):
        return _composite(value, annotation, place, mode)
    for kind, make, name in ((TensorShape, TensorShape, "tf.TensorShape"), (DType, as_dtype, "tf.DType")):
        if annotation is kind:
            try:
                return make(value)
            except (TypeError, ValueError) as error:
                raise TypeError(f"{place}: expected '{name}', got {type(value).__name__!r}") from error
    if annotation is None or annotation in _PLAIN:
        annotation = type(None) if annotation is None else annotation
        if not isinstance(value, annotation):
            raise TypeError(f"{place}: expected {annotation.__name__!r}, got {type(value).__name__!r}")
        return value
    convert_kind = {tuple: _tuple, collections.abc.Mapping: _mapping, typing.Union: _union}.get(_kind(annotation))
    if convert_kind is None:
        raise TypeError(f"{place}: Unsupported type annotation {annotation!r}")
    return convert_kind(value, annotation, place, mode)


def _tensor(value, place, mode):
    from ._function import TensorSpec
    if mode == "spec":
        if not isinstance(value, TensorSpec):
            raise TypeError(f"{place}: expected a TensorSpec, got {type(value).__name__!r}")
        return value
    if mode == "default" or isinstance(value, Tensor):
        return value
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{place}: expected a Tensor, got {type(value).__name__!r}") from error


def value_type_of(spec):
    """The class whose values a spec describes; None for what is no spec."""
    from ._function import TensorSpec
    from .ragged import RaggedTensor, RaggedTensorSpec
    from .sparse import SparseTensor, SparseTensorSpec
    known = {TensorSpec: Tensor, RaggedTensorSpec: RaggedTensor, SparseTensorSpec: SparseTensor}
    return known.get(type(spec), getattr(type(spec), "value_type", None))


def _composite(value, annotation, place, mode):
    if mode == "spec":
        kind = value_type_of(value)
        if kind is None or not issubclass(kind, annotation):
            raise TypeError(f"{place}: expected a TypeSpec for {annotation.__name__!r}, got {type(value).__name__!r}")
    elif not isinstance(value, annotation):
        raise TypeError(f"{place}: expected {annotation.__name__!r}, got {type(value).__name__!r}")
    return value


def _tuple(value, annotation, place, mode):
    if not isinstance(value, collections.abc.Sequence):
        raise TypeError(f"{place}: expected tuple, got {type(value).__name__!r}")
    kinds = typing.get_args(annotation)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = [kinds[0]] * len(value)
    if len(kinds) != len(value):
        raise TypeError(f"{place}: expected tuple with length {len(kinds)}, got {type(value).__name__!r})")
    return tuple(convert(one, kind, f"{place}[{number}]", mode) for number, (one, kind) in enumerate(zip(value, kinds)))


def _mapping(value, annotation, place, mode):
    if not isinstance(value, collections.abc.Mapping):
        raise TypeError(f"{place}: expected mapping, got {type(value).__name__!r}")
    key_type, value_type = typing.get_args(annotation)
    return ImmutableDict((convert(key, key_type, f"{place}[<key>]", mode), convert(one, value_type, f"{place}[{key!r}]", mode))
                         for key, one in value.items())


def _union(value, annotation, place, mode):
    for one in typing.get_args(annotation):
        try:
            return convert(value, one, place, mode)
        except TypeError:
            pass
    raise TypeError(f"{place}: expected {annotation!r}, got {type(value).__name__!r}")
