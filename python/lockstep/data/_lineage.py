"""How a dataset was made: what tells two of the same steps apart whose functions or arguments differ."""

import functools
import inspect
import types
import zlib

_PLAIN = (bool, int, float, complex, str, bytes, type(None))


def step(name, args, kwargs):
    """What a call of a dataset's method leaves behind in the dataset that it gives: functions as they are, of tensors the kind."""
    return name, [_kept(one) for one in args], [(key, _kept(one)) for key, one in sorted(kwargs.items())]


def _kept(value):
    if getattr(value, "_is_dataset", False):
        return value.__dict__.get("_lineage")
    if isinstance(value, _PLAIN) or callable(value):
        return value
    if isinstance(value, (list, tuple)):
        return [_kept(one) for one in value[:100]]
    if isinstance(value, dict):
        return [(str(key), _kept(one)) for key, one in value.items()]
    return f"{getattr(value, 'dtype', type(value).__name__)}{list(getattr(value, 'shape', ()))}"


def text(lineage):
    """The text of what `step` gave, equal in all runs of a program."""
    if callable(lineage):
        return _text_of(lineage, set())
    if isinstance(lineage, (list, tuple)):
        return "(" + ", ".join(text(one) for one in lineage) + ")"
    return repr(lineage)


def _text_of(value, seen):
    """The text of a value that a function uses; of functions what they do."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if id(value) in seen:
        return "again"
    seen = seen | {id(value)}
    if isinstance(value, functools.partial):
        return f"partial({', '.join(_text_of(one, seen) for one in (value.func, value.args, value.keywords))})"
    if isinstance(value, types.MethodType):
        return f"{_text_of(value.__func__, seen)} of {type(value.__self__).__qualname__}"
    if isinstance(value, types.FunctionType):
        return _text_of_function(value, seen)
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(_text_of(one, seen) for one in value) + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_text_of(one, seen)}" for key, one in value.items()) + "}"
    inner = getattr(value, "python_function", None)
    if isinstance(inner, types.FunctionType):
        return _text_of_function(inner, seen)
    if hasattr(value, "tobytes") or hasattr(value, "numpy"):
        return _text_of_array(value)
    return getattr(value, "__qualname__", type(value).__qualname__)


def _text_of_array(value):
    import numpy
    try:
        array = numpy.asarray(value)
    except Exception:  # noqa: BLE001  (it has no value)
        return type(value).__qualname__
    return f"{array.dtype}{array.shape}{array.tolist() if array.size <= 1000 else zlib.crc32(array.tobytes())}"


def _text_of_function(function, seen):
    if function.__module__ and function.__module__.split(".")[0] == __name__.split(".")[0]:
        return f"{function.__module__}.{function.__qualname__}"
    found = inspect.getclosurevars(function)
    used = [_text_of(cell, seen) for cell in found.nonlocals.values()]
    used += [f"{name}={_text_of(value, seen)}" for name, value in sorted(found.globals.items())]
    return f"def({_text_of_code(function.__code__)}; {_text_of(function.__defaults__ or (), seen)}; {'; '.join(used)})"


def _text_of_code(code):
    constants = [_text_of_code(one) if isinstance(one, types.CodeType) else repr(one) for one in code.co_consts]
    return f"{code.co_code.hex()} {constants} {code.co_names} {code.co_varnames}"
