"""Functions whose arguments had other names in version 1."""

import functools

_OLD = {"reduction_indices": "axis", "keep_dims": "keepdims", "dimension": "axis", "dim": "axis", "squeeze_dims": "axis",
        "fn1": "true_fn", "fn2": "false_fn"}


def _with_old(function, *old):
    @functools.wraps(function)
    def call(*args, **kwargs):
        for name in old:
            value = kwargs.pop(name, None)
            if value is not None:
                if kwargs.get(_OLD[name]) is not None:
                    raise ValueError(f"[{function.__name__}] {name} and {_OLD[name]} are one argument; got both")
                kwargs[_OLD[name]] = value
        return function(*args, **kwargs)
    return call


def _all():
    import lockstep
    for name in ("sum", "mean", "prod", "max", "min", "any", "all", "logsumexp"):
        yield "reduce_" + name, _with_old(getattr(lockstep, "reduce_" + name), "reduction_indices", "keep_dims")
    for name in ("argmax", "argmin"):
        yield name, _with_old(getattr(lockstep, name), "dimension")
    yield "count_nonzero", _with_old(lockstep.math.count_nonzero, "reduction_indices", "keep_dims")
    yield "expand_dims", _with_old(lockstep.expand_dims, "dim")
    yield "squeeze", _with_old(lockstep.squeeze, "squeeze_dims")
    yield "norm", _with_old(lockstep.norm, "keep_dims")
    yield "cond", _with_old(lockstep.cond, "fn1", "fn2")


def find(name):
    """The function of a name, or None."""
    if not _made:
        _made.update(_all())
    return _made.get(name)


def names():
    """The names that `find` knows."""
    return [name for name, _ in _all()]


_made = {}
