"""Classes of a program's own that travel as tensors do: `tf.experimental.ExtensionType`.

A value of an extension type has fields. Its tensors, composite tensors and extension types are its *components*; all else is
static. Functions, loops, datasets and `tf.nest` take a value apart into an `ExtensionParts` tuple of the components and
put it together again. The class of this tuple is made for the static part (the *form*), so that structures of different
static parts are different structures, and a function is traced once for each. The nested class `Spec` has the same
fields with specs in place of the components."""

import abc
import functools
import inspect

from . import _composites, nest
from ._dtypes import TensorShape
from ._extension_fields import convert_all, fields_of, ImmutableDict, is_reserved, NO_DEFAULT
from ._tensor import Tensor
from ._type_specs import type_spec_from_value, TypeSpec

_BUILDING = "_tf_extension_type_in_constructor"
_PLACE = object()  # of a component in a form


def _of_keras(name):
    return name in ("_keras_mask", "mask", "_keras_history")


def _is_spec(value):
    from ._function import TensorSpec
    return isinstance(value, TensorSpec) or _composites.is_composite(value) and hasattr(type(value), "is_compatible_with")


def _is_component(value):
    return isinstance(value, Tensor) or _is_spec(value) or _composites.is_composite(value)


def _map_fields(value, function):
    """A field's value with `function` of each leaf; tuples and mappings keep their form."""
    if isinstance(value, tuple):
        return tuple(_map_fields(one, function) for one in value)
    if isinstance(value, ImmutableDict):
        return ImmutableDict((key, _map_fields(one, function)) for key, one in value.items())
    return function(value)


def _leaves(value, found):
    _map_fields(value, found.append)
    return found


def _made(cls, fields):
    """A value of a class without its constructor."""
    value = object.__new__(cls)
    value.__dict__.update(fields)
    return value


# ---- components


class ExtensionParts(_composites.Parts):
    """The components of a value, or of a spec. Classes derived from it have the static part: `form`, `value_type`."""

    form = value_type = None

    def _with(self, cls):
        parts = iter(self)
        return _made(cls, {name: _map_fields(one, lambda leaf: next(parts) if leaf is _PLACE else leaf)
                           for name, one in self.form})

    def whole(self):
        done = [one.whole() if isinstance(one, _composites.Parts) else one for one in self]
        return self if any(isinstance(one, _composites.Parts) or _is_spec(one) for one in done) else \
            type(self)(*done)._with(self.value_type)

    def spec(self):
        return type(self)(*[one.spec() if isinstance(one, _composites.Parts) else one for one in self])._with(self.value_type.Spec)

    def plain(self):
        return self.whole()

    def general(self):
        """The specs of such a value; of a row of a batch those of any row."""
        return vars(self).get("any_row") or type(self)(*[one.general() if isinstance(one, _composites.Parts) else type_spec_from_value(one) for one in self])

    def of_other_rows(self):
        from .data._elements import _other_rows
        return type(self)(*[one.of_other_rows() if isinstance(one, _composites.Parts) else _other_rows(one) for one in self])

    # ---- batches

    @classmethod
    def stacked(cls, rows):
        """The parts of a batch of such values. Raises: TypeError for a type without batches."""
        values = [one.whole() for one in rows]
        spec = values[0]._type_spec
        encoder = _encoder(spec)
        encoded = [encoder.encode(spec, one) for one in values]
        columns = zip(*(nest.flatten(one) for one in encoded))
        return encoder.decode(encoder.batch(spec, len(values)), nest._pack(encoded[0], map(_stack, columns)))._parts()

    def batch_spec(self, size):
        spec = self.spec()
        return _encoder(spec).batch(spec, size)._parts()

    def rows(self):
        """The parts of the values along axis 0, one after another."""
        value = self.whole()
        spec = value._type_spec
        encoder = _encoder(spec)
        encoded = encoder.encode(spec, value, minimum_rank=1)
        of_row = encoder.unbatch(spec)
        for row in zip(*map(_unstack, nest.flatten(encoded))):
            parts = encoder.decode(of_row, nest._pack(encoded, iter(row)))._parts()
            parts.any_row = of_row._parts()  # rows of a ragged tensor have other sizes than this one
            yield parts

    def row_spec(self):
        """The parts of the spec of one row."""
        spec = self.spec()
        return _encoder(spec).unbatch(spec)._parts()


def _encoder(spec):
    encoder = getattr(type(spec), "__batch_encoder__", None)
    if encoder is None:
        raise TypeError(f"Values of {spec.value_type.__name__} cannot be batched: derive the class from "
                        "tf.experimental.BatchableExtensionType")
    return encoder


def _stack(column):
    from . import ops_array
    return _composites.stacked(column) if _composites.is_composite(column[0]) else ops_array.stack(list(column))


def _unstack(value):
    from . import ops_array
    if isinstance(value, Tensor):
        return ops_array.unstack(value)
    return [one.whole() for one in value._parts().rows()]


_forms = {}  # the classes of parts, by value type and static part


def _parts_class(value_type, form):
    key = value_type, repr([(name, _map_fields(one, lambda leaf: "<component>" if leaf is _PLACE else (type(leaf), leaf)))
                            for name, one in form])
    if key not in _forms:
        _forms[key] = type(f"{value_type.__name__}Parts{len(_forms)}", (ExtensionParts,), {"form": form, "value_type": value_type})
    return _forms[key]


def _parts_of(value, value_type):
    """The parts of a value or a spec of `value_type`."""
    fields = [(name, value.__dict__[name]) for name in value._field_names()]
    components = [one for one in _leaves(tuple(one for _, one in fields), []) if _is_component(one)]
    form = tuple((name, _map_fields(one, lambda leaf: _PLACE if _is_component(leaf) else leaf)) for name, one in fields)
    return _parts_class(value_type, form)(*map(_composites.apart, components))


# ---- values


class _ExtensionTypeMeta(abc.ABCMeta):
    """Gives a class of extension types its constructor and its `Spec`."""

    def __init__(cls, name, bases, namespace):
        if "_tf_extension_type_do_not_transform_this_class" not in namespace:
            _check_namespace(cls)
            cls.__init__ = _checking(cls.__init__, "value") if "__init__" in namespace else _constructor(cls, "value")
            cls.Spec = _spec_class(cls)
        super().__init__(name, bases, namespace)


def _check_namespace(cls):
    """Raises: ValueError for reserved names and fields without annotations."""
    annotations = cls.__dict__.get("__annotations__", {})
    for name, value in cls.__dict__.items():
        if name == "Spec":
            if not isinstance(value, type):
                raise ValueError(f"{cls.__qualname__}.Spec must be a nested class; got {value}.")
            if value.__bases__ not in ((TypeSpec,), (object,)):
                raise ValueError(f"{cls.__qualname__}.Spec must be directly subclassed from tf.TypeSpec.")
        elif is_reserved(name):
            raise ValueError(f"The field annotations for {cls.__name__} are invalid. Field '{name}' is reserved.")
    for name in annotations:
        if is_reserved(name):
            raise ValueError(f"The field annotations for {cls.__name__} are invalid. Field '{name}' is reserved.")
    for name, value in cls.__dict__.items():
        if not (name in annotations or callable(value) or name.startswith(("_abc_", "__"))
                or isinstance(value, (property, classmethod, staticmethod))):
            raise ValueError(f"The field annotations for {cls.__name__} are invalid. Field {name} is missing a type annotation.")


def _checking(init, mode):
    """A constructor of the user's with the checks behind it."""
    @functools.wraps(init)
    def run(self, *args, **kwargs):
        self.__dict__[_BUILDING] = True
        init(self, *args, **kwargs)
        del self.__dict__[_BUILDING]
        convert_all(self._fields_of_type(), self.__dict__, mode)
        self.__validate__()
    return run


def _constructor(cls, mode):
    """The constructor of a class without one; a spec's has no defaults."""
    value_type = cls if mode == "value" else cls.value_type
    kind, parameters = inspect.Parameter.POSITIONAL_OR_KEYWORD, []
    for field in value_type._fields_of_type():
        default = field.default if mode == "value" else NO_DEFAULT
        if default is NO_DEFAULT and parameters and parameters[-1].default is not NO_DEFAULT:
            kind = inspect.Parameter.KEYWORD_ONLY  # a field behind those with defaults
        parameters.append(inspect.Parameter(field.name, kind, default=default))
    signature = inspect.Signature(parameters)

    def __init__(self, *args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        self.__dict__.update(bound.arguments)
        convert_all(value_type._fields_of_type(), self.__dict__, mode)
        self.__validate__()
    __init__.__signature__ = inspect.Signature([inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *parameters])
    return __init__


class _Immutable:
    """Attributes that only a constructor sets."""

    def _may_set(self, name):
        return _of_keras(name) or _BUILDING in self.__dict__ and name in self._field_names()

    def __setattr__(self, name, value):
        if not self._may_set(name):
            raise AttributeError(f"Cannot mutate attribute `{name}` outside the custom constructor of {self._kind}.")
        self.__dict__[name] = value

    def __delattr__(self, name):
        if not self._may_set(name):
            raise AttributeError(f"Cannot mutate attribute `{name}` outside the custom constructor of {self._kind}.")
        del self.__dict__[name]

    def _field_names(self):
        return [one.name for one in self._fields_of_type()]

    def __validate__(self):
        """Checks a new value; a class may override it."""


class ExtensionType(_Immutable, metaclass=_ExtensionTypeMeta):
    """The base of classes that tensor functions take and give as they do tensors.

    Derive, and annotate the fields: `values: tf.Tensor`. The constructor takes the fields in order, converts values to
    their types (a list to a tensor) and calls `__validate__`. Values cannot be changed. The nested `Spec` describes them.
    Raises: TypeError for values of other types, ValueError for reserved names and attributes without annotation."""

    _tf_extension_type_do_not_transform_this_class = True
    _kind = "ExtensionType"

    def __init__(self, *args, **kwargs):
        if type(self) is ExtensionType:
            raise AssertionError("Cannot create an instance of ExtensionType because ExtensionType is an abstract base class.")

    @classmethod
    def _fields_of_type(cls):
        if "_tf_extension_type_fields_cache" not in cls.__dict__:
            fields, resolved = fields_of(cls)
            if not resolved:
                return fields
            type.__setattr__(cls, "_tf_extension_type_fields_cache", fields)
        return cls._tf_extension_type_fields_cache

    @property
    def _type_spec(self):
        return self.Spec.from_value(self)

    def _parts(self):
        return _parts_of(self, type(self))

    _key_parts = _parts

    def __tensor__(self):
        raise ValueError(f"Attempt to convert a value ({self!r}) with an unsupported type ({type(self)}) to a Tensor.")

    def __repr__(self):
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._field_names())})"

    def __eq__(self, other):
        """A bool tensor: whether types, static fields, and all components are equal."""
        from . import ops_array, ops_math
        if type(self) is not type(other) or self._type_spec != other._type_spec:
            return False
        pairs = zip(nest.flatten(self, expand_composites=True), nest.flatten(other, expand_composites=True))
        equal = [ops_math.reduce_all(ops_math.equal(one, two)) if one.shape == two.shape else ops_array.constant(False)
                 for one, two in pairs]
        return ops_math.reduce_all(ops_array.stack(equal)) if equal else ops_array.constant(True)

    def __ne__(self, other):
        from . import ops_math
        equal = self == other
        return ops_math.logical_not(equal) if isinstance(equal, Tensor) else not equal

    __hash__ = None


class BatchableExtensionType(ExtensionType):
    """An extension type whose values can be batched, unbatched and mapped over, by its `__batch_encoder__`."""

    _tf_extension_type_do_not_transform_this_class = True


# ---- specs


class ExtensionTypeSpec(_Immutable, TypeSpec):
    """The spec of an extension type: the same fields with specs in place of tensors."""

    _kind = "ExtensionTypeSpec"
    value_type = None

    @classmethod
    def _fields_of_type(cls):
        return cls.value_type._fields_of_type()

    @classmethod
    def from_value(cls, value):
        """The spec of a value."""
        return _made(cls, {name: _map_fields(value.__dict__[name], lambda leaf: type_spec_from_value(leaf)
                                             if _is_component(leaf) else leaf) for name in value._field_names()})

    def _parts(self):
        return _parts_of(self, self.value_type)

    @property
    def _component_specs(self):
        return tuple(one for one in _leaves(tuple(self.__dict__.values()), []) if _is_component(one))

    def _to_components(self, value):
        """The components of a value in order."""
        return tuple(one for one in _leaves(tuple(value.__dict__[name] for name in self.__dict__), []) if _is_component(one))

    def _from_components(self, components):
        """The value of components. Raises: ValueError for too many."""
        rest = iter(components)
        made = _made(self.value_type, {name: _map_fields(one, lambda leaf: next(rest) if _is_component(leaf) else leaf)
                                       for name, one in self.__dict__.items()})
        if list(rest):
            raise ValueError("Cannot build an ExtensionType instance from components because more components are provided than the "
                             "number expected by the type spec.")
        return made

    def _serialize(self):
        return tuple((name, _map_fields(dict(one) if isinstance(one, ImmutableDict) else one, lambda leaf: leaf))
                     for name, one in self.__dict__.items())

    def is_compatible_with(self, spec_or_value):
        """Whether a spec or a value has the same static fields and components that fit."""
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else getattr(spec_or_value, "_type_spec", None)
        if type(other) is not type(self) or type(other._parts()) is not type(self._parts()):
            return False
        return all(mine.is_compatible_with(its) for mine, its in zip(self._component_specs, other._component_specs))

    def most_specific_compatible_type(self, other):
        """The spec of values that either of two specs describes. Raises: ValueError where there is none."""
        if not isinstance(other, type(self)) or type(other._parts()) is not type(self._parts()):
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        from ._function import TensorSpec

        def join(mine, its):
            if isinstance(mine, TensorSpec):
                return TensorSpec(_common_shape(mine.shape, its.shape), mine.dtype)
            return mine.most_specific_compatible_type(its)
        pairs = iter([join(*one) for one in zip(self._component_specs, other._component_specs)])
        return _made(type(self), {name: _map_fields(one, lambda leaf: next(pairs) if _is_component(leaf) else leaf)
                                  for name, one in self.__dict__.items()})

    def __eq__(self, other):
        return type(other) is type(self) and repr(self) == repr(other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((type(self).value_type, repr(self)))

    def __repr__(self):
        return f"{type(self).__qualname__}({', '.join(f'{name}={one!r}' for name, one in self._serialize())})"


def _common_shape(one, two):
    if one.rank is None or two.rank != one.rank:
        return TensorShape(None)
    return TensorShape([a if a == b else None for a, b in zip(one.as_list(), two.as_list())])


class ExtensionTypeBatchEncoder:
    """How values of an extension type become tensors that can be stacked and unstacked, and back.

    By default each component is stacked for itself, and shapes among the fields get an axis. A type for which that is
    wrong overrides `batch`, `unbatch`, `encode` and `decode`, and has an encoder as its `__batch_encoder__`."""

    def batch(self, spec, batch_size):
        """The spec of a batch of so many values; None: any number."""
        return _made(type(spec), {name: _map_fields(one, lambda leaf: _batched(leaf, batch_size))
                                  for name, one in spec.__dict__.items()})

    def unbatch(self, spec):
        """The spec of one value of a batch."""
        return _made(type(spec), {name: _map_fields(one, _unbatched) for name, one in spec.__dict__.items()})

    def encode(self, spec, value, minimum_rank=0):
        """The structure of tensors of a value."""
        return spec._to_components(value)

    def decode(self, spec, encoded_value):
        """The value of what `encode` gave, stacked or unstacked, for the spec of the result."""
        return spec._from_components(encoded_value)

    def encoding_specs(self, spec):
        """The specs of what `encode` gives."""
        return spec._component_specs


def _batched(leaf, size):
    from ._function import TensorSpec
    if isinstance(leaf, TensorSpec):
        return TensorSpec(None if leaf.shape.rank is None else [size, *leaf.shape], leaf.dtype)
    if isinstance(leaf, TensorShape):
        return TensorShape([size, *leaf])
    return leaf._parts().batch_spec(size).spec() if _composites.is_composite(leaf) else leaf


def _unbatched(leaf):
    from ._function import TensorSpec
    if isinstance(leaf, TensorSpec):
        return TensorSpec(None if leaf.shape.rank is None else leaf.shape[1:], leaf.dtype)
    if isinstance(leaf, TensorShape):
        return leaf[1:]
    if isinstance(leaf, ExtensionTypeSpec):
        return _encoder(leaf).unbatch(leaf)
    return type(leaf)(leaf.shape[1:], leaf.dtype) if _composites.is_composite(leaf) else leaf


class BatchableExtensionTypeSpec(ExtensionTypeSpec):
    """The spec of a batchable extension type."""

    __batch_encoder__ = ExtensionTypeBatchEncoder()


def _spec_class(cls):
    """The nested `Spec` of a class, with what a `Spec` of the user's adds."""
    members = {"value_type": cls, "__module__": cls.__module__}
    user = cls.__dict__.get("Spec")
    for name, value in vars(user).items() if user is not None else ():
        if is_reserved(name):
            raise ValueError(f"TypeSpec {cls.__qualname__}.Spec uses reserved name '{name}'.")
        if any(one.name == name for one in cls._fields_of_type()):
            raise ValueError(f"TypeSpec {cls.__qualname__}.Spec defines a variable '{name}' which shadows a field in {cls.__qualname__}")
        if name not in ("__module__", "__dict__", "__weakref__"):
            members[name] = value
    batchable = issubclass(cls, BatchableExtensionType)
    if batchable and hasattr(cls, "__batch_encoder__"):
        members.setdefault("__batch_encoder__", cls.__batch_encoder__)
    elif not batchable and (hasattr(cls, "__batch_encoder__") or "__batch_encoder__" in members):
        raise ValueError("__batch_encoder__ should only be defined for BatchableExtensionType classes.")
    spec = type(f"{cls.__name__}.Spec", (BatchableExtensionTypeSpec if batchable else ExtensionTypeSpec,), members)
    spec.__qualname__ = f"{cls.__qualname__}.Spec"
    spec.__init__ = _checking(spec.__init__, "spec") if "__init__" in members else _constructor(spec, "spec")
    return spec


class extension_type:
    """Functions of extension types: `tf.experimental.extension_type`."""

    @staticmethod
    def as_dict(value):
        """{name of a field: its value}; values of extension types in it stay such."""
        return {name: getattr(value, name) for name in value._field_names()}
