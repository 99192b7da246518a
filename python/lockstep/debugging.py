"""Assertions: `tf.debugging`."""

from . import _native, ops_math
from ._composites import is_tensor
from ._host_calls import Assert as Assert  # noqa: F401
from ._dtypes import as_dtype
from ._function import control_dependencies, group
from ._tensor import Tensor, convert_to_tensor
from .errors import InvalidArgumentError


def _named(label, value):
    """What stands before a value: "x (name) = "."""
    name = _native.name_of(value) if isinstance(value, Tensor) and value._symbolic else None
    return f"{label} ({name}) = " if name else f"{label} = "


def _prefix(message):
    return f"{message}.  " if message else ""


def _check(holds, x, y, message, what, summarize=None):
    each = holds
    holds = ops_math.reduce_all(holds)
    x = convert_to_tensor(x)
    y = None if y is None else convert_to_tensor(y, dtype_hint=x.dtype)
    if holds._symbolic:
        start = [] if message is None and y is not None else [message or ""]
        data = start + [f"Condition {what} did not hold element-wise:", _named("x", x), x] + (
            [] if y is None else [_named("y", y), y])
        known = _native.static_value(holds)
        if known is None:
            return Assert(holds, data, summarize)
        if not bool(known):  # TensorFlow, too, tells what is known while it traces
            raise InvalidArgumentError(None, None, "\n".join(map(_static_text, data)))
        return group()  # an assertion in every step would be work, and in replicas order
    if not bool(holds):
        most = 3 if summarize is None else summarize if summarize >= 0 else 1 << 30
        raise InvalidArgumentError(None, None, "\n".join(_told(each, x, y, message, what, most)))
    return None


def _static_text(one):
    value = _native.static_value(one) if isinstance(one, Tensor) else one
    return str(one if value is None else value.numpy() if isinstance(value, Tensor) else value)


def _told(each, x, y, message, what, most):
    """The lines of an eager check that has failed."""
    import numpy
    lines = [message] if message else [""] if y is None else []
    lines.append(f"Condition {what} did not hold." if y is not None else f"Condition {what} did not hold element-wise:")
    values = [("x", x.numpy())] + ([] if y is None else [("y", y.numpy())])
    if y is not None and list(x._shape) == list(y._shape) and x._rank:
        differ = numpy.argwhere(~each.numpy())
        count = min(most, len(differ))
        lines += [f"Indices of first {count} different values:", str(differ[:count])]
        for name, value in values:
            lines += [f"Corresponding {name} values:", str(value[~each.numpy()][:count])]
    for name, value in values:
        flat = value.reshape(-1) if hasattr(value, "reshape") else numpy.asarray([value])
        lines += [f"First {min(most, len(flat))} elements of {name}:", str(flat[:most])]
    return lines


def _make(name, function, what):
    def check(x, y, message=None, summarize=None, name=None):
        return _check(function(x, y), x, y, message, what, summarize)
    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"Raises InvalidArgumentError unless {what} for all elements."
    return check


assert_equal = _make("assert_equal", ops_math.__dict__["equal"], "x == y")
assert_none_equal = _make("assert_none_equal", ops_math.__dict__["not_equal"], "x != y")
assert_less = _make("assert_less", ops_math.__dict__["less"], "x < y")
assert_less_equal = _make("assert_less_equal", ops_math.__dict__["less_equal"], "x <= y")
assert_greater = _make("assert_greater", ops_math.__dict__["greater"], "x > y")
assert_greater_equal = _make("assert_greater_equal", ops_math.__dict__["greater_equal"], "x >= y")


def assert_positive(x, message=None, summarize=None, name=None):
    """Raises InvalidArgumentError unless x > 0 for all elements."""
    return _check(convert_to_tensor(x) > 0, x, None, message, "x > 0", summarize)


def assert_non_negative(x, message=None, summarize=None, name=None):
    """Raises InvalidArgumentError unless x >= 0 for all elements."""
    return _check(convert_to_tensor(x) >= 0, x, None, message, "x >= 0", summarize)


def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    """Raises InvalidArgumentError unless |x - y| <= atol + rtol |y| for all elements."""
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    rtol = 1e-6 if rtol is None else rtol
    atol = 1e-6 if atol is None else atol
    return _check(ops_math.abs(x - y) <= atol + rtol * ops_math.abs(y), x, y, message, "x and y near", summarize)


_ANY = ("...", "*", Ellipsis)


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Raises ValueError for other shapes; equal letters stand for equal sizes, None for any, "..." in front for any axes. Sizes
    that only a run has are checked in the run; where they differ, it raises InvalidArgumentError with the first `summarize`
    elements of the tensors in `data`."""
    known, checks = {}, []
    for tensor, shape in (shapes.items() if isinstance(shapes, dict) else shapes):
        tensor = tensor if is_tensor(tensor) else convert_to_tensor(tensor)
        wanted = list(shape) if isinstance(shape, (list, tuple, str)) else [shape]
        begins_anywhere = bool(wanted) and wanted[0] in _ANY
        wanted = wanted[1:] if begins_anywhere else wanted
        told = f"Tensor shape={tuple(tensor.shape)} dtype={tensor.dtype.name}"
        if any(one in _ANY for one in wanted):
            raise ValueError(f"{told}: `...` or `*` for any number of axes is only allowed as the first entry")
        if begins_anywhere:
            assert_rank_at_least(tensor, len(wanted), message)
        elif len(wanted) == 1:
            assert_rank_in(tensor, (0, 1), message)
        else:
            assert_rank(tensor, len(wanted), message)
        checks += _check_sizes(tensor, wanted, known, told, message, data, summarize)
    return group(*checks) if checks else None


def _check_sizes(tensor, wanted, known, told, message, data, summarize):
    """Raises ValueError for other sizes of the last axes; `known`: {letter: (size, text of its origin)}, which is added to.
    Returns: assertions about sizes that only a run has."""
    from .ops_array import shape
    own, checks = tensor.shape.as_list(), []
    for axis, one in enumerate(wanted, len(own) - len(wanted)):
        size, cause = own[axis] if own else 1, "Specified explicitly."
        if size is None and one is not None:
            size = shape(tensor)[axis]
        if isinstance(one, str):
            if one not in known:
                known[one] = size, f"Specified by tensor {told.partition(' ')[2]} dimension {axis}."
            one, cause = known[one]
        if one is None or one is size:
            continue
        if isinstance(one, Tensor) or isinstance(size, Tensor):
            checks.append(Assert(ops_math.equal(size, one), [
                f"{_prefix(message)}{cause}", f"{told} dimension {axis} must have size", convert_to_tensor(one),
                "Received shape: ", shape(tensor)] if data is None else data, summarize))
        elif size != one:
            raise ValueError(f"{_prefix(message)}{cause}  {told} dimension {axis} must have size {one}.  Received size {size}, "
                             f"shape {tuple(own)}")
    return checks


def check_numerics(tensor, message, name=None):
    """`tensor`. Raises: InvalidArgumentError for NaN or infinity, in graphs where the result is needed."""
    tensor = convert_to_tensor(tensor)
    nan, infinite = (ops_math.reduce_any(each(tensor)) for each in (ops_math.is_nan, ops_math.is_inf))
    found = [(ops_math.logical_and(nan, infinite), "Inf and NaN"), (nan, "NaN"), (infinite, "Inf")]
    told = [(ops_math.logical_not(one), f"{message} : Tensor had {what} values") for one, what in found]
    if tensor._symbolic:
        from .ops_array import identity
        with control_dependencies([Assert(fine, [text]) for fine, text in told]):
            return identity(tensor, name=name)
    for fine, text in told:
        if not bool(fine):
            raise InvalidArgumentError(None, None, text)
    return tensor


def assert_all_finite(x, message, name=None):
    return check_numerics(x, message)


def is_numeric_tensor(tensor):
    return isinstance(tensor, Tensor) and (tensor.dtype.is_floating or tensor.dtype.is_integer)


def enable_check_numerics(stack_height_limit=30, path_length_limit=50):
    """From now on ops that are called, and functions that are traced, raise InvalidArgumentError where a result is NaN or
    infinite, naming the op. Functions that were traced before do not. Slow: ops are no longer computed together."""
    _native.set_check_numerics(True)


def disable_check_numerics():
    """Ends `enable_check_numerics` for what is called and traced from now on."""
    _native.set_check_numerics(False)


def set_log_device_placement(enabled):
    pass


def assert_integer(x, message=None, name=None):
    """Raises TypeError unless x has integers."""
    x = convert_to_tensor(x)
    if not x.dtype.is_integer:
        raise TypeError(f'{_prefix(message)}Expected "x" to be integer type.  Found: tensor of dtype {x.dtype}')


def assert_negative(x, message=None, summarize=None, name=None):
    """Raises InvalidArgumentError unless x < 0 for all elements."""
    return _check(convert_to_tensor(x) < 0, x, None, message, "x < 0", summarize)


def assert_non_positive(x, message=None, summarize=None, name=None):
    """Raises InvalidArgumentError unless x <= 0 for all elements."""
    return _check(convert_to_tensor(x) <= 0, x, None, message, "x <= 0", summarize)


def assert_scalar(tensor, message=None, name=None):
    """`tensor`. Raises ValueError unless it is a scalar."""
    tensor = convert_to_tensor(tensor)
    if tensor._rank:
        raise ValueError(f"{_prefix(message)}Expected scalar shape, saw shape: {tensor.shape}.")
    return tensor


def _check_rank(x, holds, what, message):
    """Raises ValueError unless `holds(rank)`, where the number of axes is known."""
    x = x if is_tensor(x) else convert_to_tensor(x)
    rank = x.shape.rank
    if rank is not None and not holds(rank):
        called = _native.name_of(x) if isinstance(x, Tensor) and x._symbolic else ""
        raise ValueError(f"{_prefix(message)}Tensor {called} must have rank {what}.  Received rank {rank}, shape {x.shape}")


def assert_rank_at_least(x, rank, message=None, name=None):
    """Raises ValueError for fewer axes."""
    _check_rank(x, lambda own: own >= rank, f"at least {rank}", message)


def assert_rank_in(x, ranks, message=None, name=None):
    """Raises ValueError for another number of axes."""
    _check_rank(x, lambda own: own in tuple(ranks), f"in {tuple(ranks)}", message)


def assert_same_float_dtype(tensors=None, dtype=None):
    """The dtype of all. Raises ValueError where they differ or are no floats."""
    found = {convert_to_tensor(one).dtype for one in tensors or []} | ({as_dtype(dtype)} if dtype else set())
    if len(found) > 1 or any(not one.is_floating for one in found):
        raise ValueError(f"Expected floating point type, got {sorted(one.name for one in found)}.")
    return next(iter(found), as_dtype("float32"))


def assert_proper_iterable(values):
    """Raises TypeError for tensors, texts, and what cannot be iterated."""
    if isinstance(values, (Tensor, str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"Expected argument \"values\" to be a \"proper\" iterable.  Found: {type(values)}")


def enable_traceback_filtering():
    """Tracebacks end in the user's line."""
    _native.keep_frames(False)


def disable_traceback_filtering():
    """Tracebacks show the frames of the package, too."""
    _native.keep_frames(True)


def assert_type(tensor, tf_type, message=None, name=None):
    """Raises TypeError for a tensor, of whatever kind, of another dtype."""
    found, wanted = tensor.dtype if is_tensor(tensor) else convert_to_tensor(tensor).dtype, as_dtype(tf_type)
    if found != wanted:
        raise TypeError(f"{_prefix(message)}tensor must be of type {wanted!r}; got {found!r}")


def assert_rank(x, rank, message=None, name=None):
    """Raises ValueError for another number of axes."""
    _check_rank(x, lambda own: own == rank, rank, message)
