"""Names that TensorFlow keeps under `experimental`."""

from . import dlpack, errors, nest
from .distribute._boundary import StepBoundary


class Optional:
    """A value, or none; in a graph a run tells which."""

    def __init__(self, value, there, element_spec=None):
        self._value = value
        self._there = there
        self._spec = element_spec

    @staticmethod
    def from_value(value):
        """One with a value: a tensor, what becomes one, or a structure of them."""
        from . import _composites
        from ._tensor import convert_to_tensor

        def tensor(one):
            return one if _composites.is_tensor(one) or one is None else convert_to_tensor(one)
        return Optional(nest.map_structure(tensor, value), True)

    @staticmethod
    def empty(element_spec=None):
        """One without a value."""
        return Optional(None, False, element_spec)

    @property
    def element_spec(self):
        """The specs of the value."""
        from ._type_specs import type_spec_from_value
        return self._spec if self._spec is not None else nest.map_structure(type_spec_from_value, self._value)

    def has_value(self, name=None):
        from ._tensor import convert_to_tensor
        return convert_to_tensor(self._there)

    def get_value(self, name=None):
        """Raises: InvalidArgumentError where there is none; in a graph the run does."""
        missing = "The given optional does not have a value."
        if not getattr(self._there, "_symbolic", False):
            if not self._there:
                raise errors.InvalidArgumentError(None, None, missing)
            return self._value
        from ._autograph_run import leaves_of, rebuilt
        from ._function import control_dependencies
        from ._host_calls import Assert
        from .ops_array import identity
        with control_dependencies([Assert(self._there, [missing])]):
            return rebuilt(self._value, [identity(one) for one in leaves_of(self._value)])

    def _carried(self):
        return [self.has_value(), self._value]

    def _carrying(self, parts):
        there, value = parts
        return Optional(value, there)


class OptionalSpec:
    """The kind of optionals whose values have a structure: `tf.OptionalSpec`."""

    def __init__(self, element_spec):
        self.element_spec = element_spec

    @classmethod
    def from_value(cls, value):
        """The spec of an optional."""
        return cls(value.element_spec)

    def is_compatible_with(self, spec_or_value):
        """Whether another spec, or an optional, has the same element spec."""
        return getattr(spec_or_value, "element_spec", None) == self.element_spec

    def __eq__(self, other):
        return isinstance(other, OptionalSpec) and self.element_spec == other.element_spec

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        return f"OptionalSpec({self.element_spec!r},)"


def set_race_check(check):
    """What is done with races between threads: "ignore", "warn" (the default) or "raise"."""
    from . import _native, _threads
    if check != "ignore":
        _threads.install()
    _native.set_race_check(("ignore", "warn", "raise").index(check))


def take_race_reports():
    """The races since the last call, as dicts: kind, variable, read, written, assigned, text."""
    from . import _native
    return _native.take_race_reports()


def async_clear_error():
    pass


_ELSEWHERE = {name: "._extension_types" for name in (
    "ExtensionType", "BatchableExtensionType", "ExtensionTypeSpec", "ExtensionTypeBatchEncoder", "extension_type")}
_ELSEWHERE.update({name: "._dispatch" for name in (
    "dispatch_for_api", "dispatch_for_unary_elementwise_apis", "dispatch_for_binary_elementwise_apis",
    "dispatch_for_binary_elementwise_assert_apis", "unregister_dispatch_for")})


def __getattr__(name):
    import importlib
    if name == "dtensor":
        return importlib.import_module("._dtensor", __package__)
    if name not in _ELSEWHERE:
        raise AttributeError(f"module 'lockstep.experimental' has no attribute {name!r}")
    return getattr(importlib.import_module(_ELSEWHERE[name], __package__), name)
