"""Functions that run functions, for `keras.ops`."""

import builtins

from .. import nest, ops_array as _a
from .._axes import axis_of
from .._tensor import convert_to_tensor


def while_loop(cond, body, loop_vars, maximum_iterations=None):
    """The loop's variables at its end, in the structure of `loop_vars`."""
    from .._control_flow import while_loop as loop
    single = not isinstance(loop_vars, (list, tuple))
    given = (loop_vars,) if single else tuple(loop_vars)
    made = loop(cond, lambda *now: _as_tuple(body(*now)), tuple(convert_to_tensor(one) for one in given),
                maximum_iterations=maximum_iterations)
    return made[0] if single else type(loop_vars)(made)


def _as_tuple(value):
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


def fori_loop(lower, upper, body_fun, init_val):
    """body_fun(i, value) for each i from `lower` up to `upper`."""
    return while_loop(lambda i, _: i < upper, lambda i, value: (i + 1, body_fun(i, value)), (lower, init_val))[1]


def scan(f, init, xs=None, length=None, reverse=False, unroll=1):
    """(the last state, what `f(state, x)` gave besides for each x, stacked). The number of steps must be known."""
    count = length if xs is None else len(nest.flatten(xs)[0])
    state, rows = init, []
    for place in builtins.reversed(builtins.range(count)) if reverse else builtins.range(count):
        state, row = f(state, None if xs is None else nest.map_structure(lambda one: one[place], xs))
        rows.append(row)
    rows = rows[::-1] if reverse else rows
    if not rows or rows[0] is None:
        return state, None
    return state, nest.map_structure(lambda *parts: _a.stack([convert_to_tensor(one) for one in parts]), *rows)


def map(f, xs):
    """`f` of each row, stacked."""
    from .._control_flow import map_fn
    return map_fn(f, xs)


def vectorized_map(function, elements):
    """`function` of each row, stacked."""
    from .._control_flow import vectorized_map as rows
    return rows(function, elements)


def switch(index, branches, *operands):
    """What the branch of a number, held between the first and the last, gives for the operands."""
    from .. import ops_math
    from .._control_flow import switch_case
    operands = [convert_to_tensor(one) if hasattr(one, "__array__") else one for one in operands]
    index = ops_math.clip_by_value(ops_math.cast(index, "int32"), 0, len(branches) - 1)
    return switch_case(index, [lambda one=one: one(*operands) for one in branches])


def associative_scan(f, elems, reverse=False, axis=0):
    """`f` of all elements along `axis` up to each, where f(f(a, b), c) is f(a, f(b, c)): in about log2 of their number steps.

    Raises: TypeError for an `f` that cannot be called, ValueError for elements of other numbers along the axis."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    flat = [convert_to_tensor(one) for one in nest.flatten(elems)]
    flat = [_a.reverse(one, [axis]) for one in flat] if reverse else flat
    counts = {one._shape[axis] for one in flat}
    if len(counts) != 1:
        raise ValueError("Array inputs to associative_scan must have the same first dimension. "
                         f"(saw: {[tuple(one._shape) for one in flat]})")

    def join(a, b):
        return [convert_to_tensor(one) for one in nest.flatten(f(nest._pack(elems, iter(a)), nest._pack(elems, iter(b))))]

    def part(one, start, stop):
        place = axis_of(axis, one._rank)
        return one[(builtins.slice(None),) * place + (builtins.slice(start, stop),)]
    count, reach = counts.pop(), 1
    while reach < count:
        joined = join([part(one, 0, count - reach) for one in flat], [part(one, reach, count) for one in flat])
        flat = [_a.concat([part(one, 0, reach), more], axis) for one, more in zip(flat, joined)]
        reach *= 2
    return nest._pack(elems, iter([_a.reverse(one, [axis]) for one in flat] if reverse else flat))


def vectorize(pyfunc, *, excluded=None, signature=None):
    """Raises: ValueError, as Keras does over TensorFlow."""
    raise ValueError("Not supported with `vectorize()` with the TensorFlow backend.")


def custom_gradient(f):
    """A function that gives (result, function of gradients), as one that has these gradients."""
    from .._function import custom_gradient as made
    return made(f)


def rearrange(tensor, pattern, **axes_lengths):
    """`tensor` with its axes as "b h w c -> b (h w) c" says: axes in parentheses are parts of one.

    Raises: ValueError for a pattern that does not fit."""
    x = convert_to_tensor(tensor)
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError(f"a pattern is like 'a b -> b a'; got {pattern!r}")
    before, behind = (_groups(one) for one in sides)
    if len(before) != x._rank:
        raise ValueError(f"{pattern!r} names {len(before)} axes; got a tensor of shape {tuple(x._shape)}")
    sizes = dict(axes_lengths)
    for group, size in zip(before, _a.sizes_of(x)):
        _solve(group, size, sizes, pattern)
    names = [name for group in before for name in group]
    order = [name for group in behind for name in group]
    if sorted(names) != sorted(order):
        raise ValueError(f"both sides of {pattern!r} must name the same axes, each once")
    x = _a.transpose(_a.reshape(x, [sizes[name] for name in names]), [names.index(name) for name in order])
    return _a.reshape(x, [_product([sizes[name] for name in group]) for group in behind])


def _groups(side):
    """[[names of one axis], ...] of "a (b c)"."""
    import re
    return [one[1:-1].split() if one.startswith("(") else [one] for one in re.findall(r"\([^)]*\)|[^\s()]+", side)]


def _product(sizes):
    made = 1
    for one in sizes:
        made = made * one
    return made


def _solve(group, size, sizes, pattern):
    """Notes the sizes of the names of an axis. Raises: ValueError for more than one that is open, or a size that does not fit."""
    open_ones = [name for name in group if name not in sizes]
    known = _product([sizes[name] for name in group if name in sizes])
    if len(open_ones) > 1:
        raise ValueError(f"the sizes of {open_ones[1:]} in {pattern!r} must be given")
    fits = not (isinstance(size, int) and isinstance(known, int)) or (size % known == 0 if open_ones else size == known)
    if not fits:
        raise ValueError(f"an axis of {size} is no product of {group} in {pattern!r} with {sizes}")
    if open_ones:
        sizes[open_ones[0]] = size // known
