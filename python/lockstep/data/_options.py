"""Options of datasets."""

_NEWER = {"experimental_deterministic": "deterministic", "experimental_slack": "slack",
          "experimental_threading": "threading"}


class _Kept:
    """Options by name: None, a default, or what was set.

    Raises: AttributeError for options that there are not; TypeError for values of another kind."""

    _kinds = {}
    _defaults = {}

    def __init__(self):
        self.__dict__["_values"] = {}

    def __getattr__(self, name):
        newer = _NEWER.get(name, name)
        if newer not in self._kinds:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")
        kind = self._kind_of(newer)
        if issubclass(kind, _Kept):
            return self._values.setdefault(newer, kind())
        value = self._values.get(newer)
        return self._defaults.get(newer) if value is None else value

    def __setattr__(self, name, value):
        newer = _NEWER.get(name, name)
        if newer not in self._kinds:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        kind = self._kind_of(newer)
        if value is not None and not isinstance(value, kind):
            raise TypeError(f'Property "{newer}" must be of type {kind}, got: {value} (type: {type(value)})')
        self._values[newer] = value

    def _kind_of(self, name):
        return self._kinds[name]

    def _set(self):
        """Those that have a value."""
        found = {name: one._set() if isinstance(one, _Kept) else one for name, one in self._values.items()}
        return {name: one for name, one in found.items() if one is not None and one != {}}

    def __eq__(self, other):
        return isinstance(other, type(self)) and self._set() == other._set()

    def merge(self, other):
        """These options, and over them those that `other` has."""
        made = type(self)()
        made._values.update(self._values)
        for name, value in other._values.items():
            inner = made._values.get(name)
            if isinstance(inner, _Kept) and isinstance(value, _Kept):
                made._values[name] = inner.merge(value)
            elif value is not None:
                made._values[name] = value
        return made


class DistributeOptions(_Kept):
    """How a dataset is divided over workers."""

    _kinds = {"auto_shard_policy": None, "num_devices": int}

    def __getattr__(self, name):
        value = super().__getattr__(name)
        return self._kind_of(name).AUTO if name == "auto_shard_policy" and value is None else value

    def _kind_of(self, name):
        from .experimental import AutoShardPolicy
        return self._kinds[name] or AutoShardPolicy


class ThreadingOptions(_Kept):
    """How many threads read."""

    _kinds = dict.fromkeys(("max_intra_op_parallelism", "private_threadpool_size"), int)


class OptimizationOptions(_Kept):
    """Which steps may become one; it never changes an element."""

    _kinds = dict.fromkeys((
        "apply_default_optimizations", "filter_fusion", "filter_parallelization", "inject_prefetch", "map_and_batch_fusion",
        "map_and_filter_fusion", "map_fusion", "map_parallelization", "noop_elimination", "parallel_batch",
        "seq_interleave_prefetch", "shuffle_and_repeat_fusion"), bool)


class AutotuneOptions(_Kept):
    """How much a dataset may tune itself."""

    _kinds = {"enabled": bool, "autotune_algorithm": object,
              **dict.fromkeys(("cpu_budget", "initial_parallelism", "min_parallelism", "ram_budget"), int)}


class ServiceOptions(_Kept):
    """Options of a data service."""

    _kinds = {"pinned": bool}


class Options(_Kept):
    """Options of a dataset, taken and kept; they never change an element.

    Raises: AttributeError for options that there are not; TypeError for values of another kind."""

    _kinds = {"deterministic": bool, "slack": bool, "experimental_symbolic_checkpoint": bool, "experimental_warm_start": bool,
              "dataset_name": str, "framework_type": list, "experimental_external_state_policy": object,
              "experimental_distribute": DistributeOptions, "threading": ThreadingOptions,
              "experimental_optimization": OptimizationOptions, "autotune": AutotuneOptions,
              "experimental_service": ServiceOptions}
