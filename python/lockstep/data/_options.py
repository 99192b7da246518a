"""Options of datasets."""


_NEWER = {"experimental_deterministic": "deterministic", "experimental_slack": "slack",
          "experimental_threading": "threading"}


_PARTS = ("experimental_distribute", "threading", "experimental_optimization", "autotune", "experimental_service")
_KINDS = {"deterministic": bool, "slack": bool, "experimental_symbolic_checkpoint": bool, "experimental_warm_start": bool,
          "dataset_name": str, "framework_type": list, "experimental_external_state_policy": object,
          **dict.fromkeys(_PARTS, object)}


class Options:
    """Options of a dataset, taken and kept; they never change an element.

    Raises: AttributeError for options that there are not; TypeError for values of another kind."""

    _kinds = _KINDS

    def __init__(self):
        self.__dict__["_values"] = {}

    def __getattr__(self, name):
        name = _NEWER.get(name, name)
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _PARTS:
            return self._values.setdefault(name, _Part())
        return self._values.get(name)

    def __setattr__(self, name, value):
        newer = _NEWER.get(name, name)
        if self._kinds is not None and newer not in self._kinds:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        kind = (self._kinds or {}).get(newer, object)
        if value is not None and not isinstance(value, kind):
            raise TypeError(f'Property "{name}" must be of type {kind}, got: {value} (type: {type(value)})')
        self._values[newer] = value

    def _set(self):
        """Those that have a value."""
        found = {name: one._set() if isinstance(one, Options) else one for name, one in self._values.items()}
        return {name: one for name, one in found.items() if one is not None and one != {}}

    def __eq__(self, other):
        return isinstance(other, type(self)) and self._set() == other._set()

    def merge(self, other):
        """These options, and over them those that `other` has."""
        made = type(self)()
        made._values.update(self._values)
        for name, value in other._values.items():
            inner = made._values.get(name)
            made._values[name] = inner.merge(value) if isinstance(inner, Options) and isinstance(
                value, Options) else value
        return made


class _Part(Options):
    """Options of one kind, below a dataset's."""

    _kinds = None


ThreadingOptions = _Part
