"""Options of datasets."""


_NEWER = {"experimental_deterministic": "deterministic", "experimental_slack": "slack",
          "experimental_threading": "threading"}


class Options:
    """Options of a dataset, taken and kept; they never change an element."""

    def __init__(self):
        self.__dict__["_values"] = {}

    def __getattr__(self, name):
        name = _NEWER.get(name, name)
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("experimental_distribute", "threading", "experimental_optimization", "autotune", "experimental_service"):
            return self._values.setdefault(name, Options())
        return self._values.get(name)

    def __setattr__(self, name, value):
        self._values[_NEWER.get(name, name)] = value

    def _with(self, other):
        """These options, and over them those that `other` has."""
        made = Options()
        made._values.update(self._values)
        for name, value in other._values.items():
            inner = made._values.get(name)
            made._values[name] = inner._with(value) if isinstance(inner, Options) and isinstance(
                value, Options) else value
        return made


ThreadingOptions = Options
