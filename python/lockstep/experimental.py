"""Names that TensorFlow keeps under `experimental`."""

from . import errors


class Optional:
    """A value, or none; in a graph a run tells which."""

    def __init__(self, value, there):
        self._value = value
        self._there = there

    @staticmethod
    def from_value(value):
        return Optional(value, True)

    @staticmethod
    def empty(element_spec=None):
        return Optional(None, False)

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


class dispatch:
    pass
