"""What rewritten functions call; see autograph.py."""

import itertools

from . import _composites, _native, errors, nest
from ._dtypes import as_dtype, int64
from ._function import init_scope
from ._newest import Newest
from ._tensor import Tensor, convert_to_tensor
from ._variable import Variable


class Undefined:
    """A name without a value yet."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def _refuse(self, *_, **__):
        raise ValueError(f"local variable '{self.name}' is referenced before assignment, or not "
                                "assigned in every branch of an `if` over tensors; give it a value "
                                "before the `if`")

    __getattr__ = __call__ = __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = _refuse
    __mul__ = __rmul__ = __truediv__ = __iter__ = __bool__ = __len__ = __float__ = __int__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __matmul__ = _refuse

    def __repr__(self):
        return f"<undefined {self.name}>"


class NoResult(Undefined):
    """What a function gives that has not returned."""


undefined = Undefined


def no_result():
    return NoResult("the function's result")


def result(value):
    return None if isinstance(value, NoResult) else value


def _symbolic(value):
    return isinstance(value, Tensor) and value._symbolic


def _test(value):
    """A symbolic tensor, or a Python value."""
    if isinstance(value, Variable):
        value = value.value()
    return value


def callee(function):
    """What is called instead of `function`: a user's function is rewritten, too."""
    from . import autograph
    if not _native.is_tracing():
        return function
    if function is range:
        return _range
    if function is len:
        return _length
    if function in _NUMBERS:
        return _NUMBERS[function]
    if function in _OF_DATASETS:
        return _OF_DATASETS[function]
    kind = type(function).__name__
    if kind in ("function", "method"):
        return autograph.convert_callable(function)
    return function


def _range(*args):
    if any(isinstance(one, (Tensor, Variable)) for one in args):
        return LazyRange(*args)
    return range(*args)


def _length(value):
    if isinstance(value, Tensor) and value._symbolic and value._rank and value._shape[0] is None:
        from . import ops_array
        return ops_array.shape(value)[0]
    return len(value)


def _to_int(value=0, *rest):
    if isinstance(value, (Tensor, Variable)) and _symbolic(_test(value)):
        from . import ops_math
        return ops_math.cast(value, "int32")
    return int(value, *rest)


def _to_float(value=0.0):
    if isinstance(value, (Tensor, Variable)) and _symbolic(_test(value)):
        from . import ops_math
        return ops_math.cast(value, "float32")
    return float(value)


def _absolute(value):
    return abs(value)


class _Table(dict):
    def __contains__(self, key):
        try:
            return dict.__contains__(self, key)
        except TypeError:
            return False


def _enumerate(items, start=0):
    return items.enumerate(start) if _is_dataset(items) else enumerate(items, start)


def _zip(*items, **options):
    if items and all(_is_dataset(one) for one in items):
        from .data import Dataset
        return Dataset.zip(items)
    return zip(*items, **options)


def _is_dataset(value):
    return getattr(value, "_is_dataset", False) and hasattr(value, "enumerate")


_NUMBERS = _Table({int: _to_int, float: _to_float})
_OF_DATASETS = _Table({enumerate: _enumerate, zip: _zip})


class LazyRange:
    """The bounds of a range, for a loop that counts instead of making all numbers."""

    def __init__(self, start, limit=None, delta=1):
        if limit is None:
            start, limit = 0, start
        hint = next((one.dtype for one in (limit, start, delta)
                     if isinstance(one, (Tensor, Variable))), None)
        self.start, self.limit, self.delta = (
            convert_to_tensor(one, dtype_hint=hint) for one in (start, limit, delta))
        self.dtype = self.start.dtype


_ranges = Newest()  # LazyRanges


def range_of_values(start, limit, delta, dtype=None):
    """A range whose bounds are values: a tensor that `for` in a traced function counts through."""
    from . import _value_shapes, ops_math
    made = _value_shapes.arange(start, limit, delta, None if dtype is None else as_dtype(dtype))
    _ranges.note(made, LazyRange(*[ops_math.cast(one, made.dtype) for one in (start, limit, delta)]))
    return made


# ---- expressions ----------------------------------------------------------------------------------


def _lazily(value, then, otherwise, whole):
    """`then()` or `otherwise()`, of which the other one is not computed: an index that a test guards may be out of
    range. Of tensors with axes both are, element by element."""
    if value._rank == 0:
        from ._control_flow import cond
        return cond(_truth(value), lambda: _truth(then()), lambda: _truth(otherwise()))
    from . import ops_math
    other = then() if whole == "logical_and" else otherwise()
    return getattr(ops_math, whole)(value, convert_to_tensor(other))


def _truth(value):
    value = convert_to_tensor(value)
    if value.dtype.is_bool:
        return value
    raise TypeError(f"`and`, `or` of tensors in a traced function take bools; got {value.dtype.name}; write `x != 0`")


def and_(*parts):
    value = True
    for place, part in enumerate(parts):
        value = _test(part())
        if _symbolic(value):
            if place == len(parts) - 1:
                return value
            return _lazily(value, lambda rest=parts[place + 1:]: and_(*rest), lambda: False, "logical_and")
        if not value:
            return value
    return value


def or_(*parts):
    value = False
    for place, part in enumerate(parts):
        value = _test(part())
        if _symbolic(value):
            if place == len(parts) - 1:
                return value
            return _lazily(value, lambda: True, lambda rest=parts[place + 1:]: or_(*rest), "logical_or")
        if value:
            return value
    return value


def not_(value):
    value = _test(value)
    if _symbolic(value):
        from . import ops_math
        return ops_math.logical_not(value)
    return not value


def if_expression(test, then, otherwise):
    test = _test(test)
    if _symbolic(test):
        from ._control_flow import cond
        return cond(test, then, otherwise)
    return then() if test else otherwise()


def assert_(test, message):
    test = _test(test)
    if _symbolic(test):
        from ._host_calls import Assert
        Assert(test, [message() or "assertion failed"])
    elif not test:
        raise AssertionError(message()) if message() != "" else AssertionError()


# ---- if -------------------------------------------------------------------------------------------


def if_statement(test, body, otherwise, get, put, names, _place):
    test = _test(test)
    if not _symbolic(test):
        if test:
            body()
        else:
            otherwise()
        return
    if test._dtype != 10:
        test = _native.not_equal(test, 0)
    before = get()
    ends, plans = [None, None], []

    def trace(number, branch):
        def call():
            put(before)
            branch()
            ends[number] = _opened_arrays(get())
        return call

    def join():
        put(before)
        ends[:] = _with_element_shapes(before, *ends)[1:]
        plans.extend(_join(name, yes, no) for name, yes, no in zip(names, *ends))

    def give(number):
        return [one for plan, value in zip(plans, ends[number]) for one in plan.flat(value)]
    try:
        results = iter(_native.join_branches(test, trace(0, body), trace(1, otherwise), join, give))
    finally:
        put(before)
    put(tuple(plan.pack(results) for plan in plans))


def _opened_arrays(values):
    """The values of all names where arrays hold tensors of the branch that is traced, and what it wrote no longer."""
    from ._tensor_array import TensorArray
    return tuple(one._opened() if isinstance(one, TensorArray) and not one._lacks_shape() else one for one in values)


def _with_element_shapes(*states):
    """The values of all names before and after branches, where arrays know the shape of elements from each other."""
    from ._tensor_array import TensorArray
    rows = []
    for values in zip(*states):
        arrays = [one for one in values if isinstance(one, TensorArray)]
        known = next((one for one in arrays if not one._lacks_shape() and one.element_shape is not None), None)
        if known is not None:
            values = tuple(one._with_shape_of(known) if isinstance(one, TensorArray) else one for one in values)
        rows.append(values)
    return [tuple(column) for column in zip(*rows)] if rows else list(states)


class _Keep:
    """A name with the same Python value in both branches."""

    def __init__(self, value):
        self.value = value

    def flat(self, value):
        return []

    def pack(self, results):
        return self.value


class _Values:
    """A name that becomes tensors; where a branch leaves it without a value there are zeros."""

    def __init__(self, example, specs):
        self.example = example
        self.specs = specs

    def flat(self, value):
        if isinstance(value, Undefined):
            return [_zeros(spec) for spec in self.specs]
        return [_strong(one, spec[0]) for one, spec in zip(leaves_of(value), self.specs)]

    def pack(self, results):
        return rebuilt(self.example, [next(results) for _ in self.specs])


def _is_carried(one):
    """Whether a branch or a loop takes it apart, into what `_carried` gives, and makes it again by `_carrying`."""
    return hasattr(type(one), "_carried") or _composites.is_composite(one)


def _carried(one):
    """What a branch or a loop carries of such a value, and what makes another one of other such parts."""
    return _composites.taken_apart(one) if _composites.is_composite(one) else (one._carried(), one._carrying)


def leaves_of(value):
    """The tensors of a structure, those too that tensor arrays, replicas' values and optionals carry."""
    flat = []
    for one in nest.flatten(value):
        flat.extend(leaves_of(_carried(one)[0]) if _is_carried(one) else [one])
    return flat


def declared_shapes(values, given=None):
    """The shapes that a loop's variables keep, None for a size that changes; [] where each keeps its own. `given`: those
    that the program asks for, one for each variable; arrays of tensors know theirs."""
    from ._tensor_array import TensorArray
    flat = nest.flatten(values)
    if given is None and not any(isinstance(one, TensorArray) for one in flat):
        return []
    shapes = []
    for i, one in enumerate(flat):
        if isinstance(one, TensorArray):
            shapes.extend(one._declared())
        elif given is not None:
            shapes.append(list(given[i]))
        else:
            shapes.extend(convert_to_tensor(part)._shape for part in leaves_of([one]))
    return shapes


def rebuilt(example, tensors):
    """A structure as `example` of other tensors."""
    tensors = iter(tensors)

    def again(one):
        parts, make = _carried(one)
        return make(rebuilt(parts, tensors))
    return nest._pack(example, iter([again(one) if _is_carried(one) else next(tensors) for one in nest.flatten(example)]))


def _strong(value, code):
    value = convert_to_tensor(value) if not isinstance(value, (bool, int, float)) else value
    if isinstance(value, Tensor):
        return value
    from ._dtypes import BY_CODE
    return convert_to_tensor(value, dtype=BY_CODE[code])


def _zeros(spec):
    from . import ops_array
    code, shape = spec
    from ._dtypes import BY_CODE
    return ops_array.zeros([1 if size is None else size for size in shape], BY_CODE[code])


def is_value(one):
    """Whether a branch or a loop may carry it: a tensor, a number, a text, or what carries tensors."""
    return isinstance(one, (Tensor, Variable, bool, int, float, str, bytes)) or _is_carried(one) or (
        hasattr(one, "__array__") and hasattr(one, "dtype"))


def _same(a, b):
    if a is b:
        return True
    return type(a) is type(b) and isinstance(a, (bool, int, float, str, bytes)) and a == b


def _join(name, yes, no):
    if isinstance(yes, Undefined) and isinstance(no, Undefined):
        return _Keep(yes)
    if isinstance(yes, Undefined) or isinstance(no, Undefined):
        given = no if isinstance(yes, Undefined) else yes
        missing = yes if isinstance(yes, Undefined) else no
        if isinstance(missing, NoResult) or name == "result__":
            if given is None:
                return _Keep(missing)
            if all(is_value(one) for one in nest.flatten(given)):
                return _Values(given, _specs(given))
        return _Keep(Undefined(name))
    if _same(yes, no):
        return _Keep(yes)
    if yes is None or no is None:
        raise ValueError(f"'{_shown(name)}' is None at the end of one branch of an `if` over tensors, "
                         "and a value at the end of the other; give it a value in both")
    try:
        nest.assert_same_structure(yes, no)
    except (TypeError, ValueError):
        raise TypeError(f"'{_shown(name)}' must have the same nested structure in both branches of an "
                        f"`if` over tensors; got {yes!r} and {no!r}") from None
    left, right = nest.flatten(yes), nest.flatten(no)
    if all(_same(a, b) for a, b in zip(left, right)):
        return _Keep(yes)
    for a, b in zip(left, right):
        if not (is_value(a) and is_value(b)):
            raise TypeError(f"'{_shown(name)}' must be a tensor or a number in both branches of an `if` "
                            f"over tensors; got {a!r} and {b!r}")
    specs = []
    for a, b in zip(leaves_of(yes), leaves_of(no)):
        strong = next((one for one in (a, b) if not isinstance(one, (bool, int, float))), None)
        number = a if strong is None and isinstance(a, float) else (b if strong is None else strong)
        one, two = convert_to_tensor(number), None
        if not isinstance(a, (bool, int, float)) and not isinstance(b, (bool, int, float)):
            two = convert_to_tensor(b)
            first = convert_to_tensor(a)
            if first._dtype != two._dtype:
                raise TypeError(f"'{_shown(name)}' must have the same dtype in both branches of an `if` "
                                f"over tensors; got {first.dtype.name} and {two.dtype.name}")
        specs.append((one._dtype, one._shape))
    return _Values(yes, specs)


def _shown(name):
    return "return value" if name == "result__" else name


def _specs(value):
    made = [convert_to_tensor(one) for one in leaves_of(value)]
    return [(one._dtype, one._shape) for one in made]


# ---- loops ----------------------------------------------------------------------------------------


def while_statement(test, body, get, put, names, _place, own):
    """`own`: the names that nothing outside of the body has."""
    while True:
        holds = _test(test())
        if _symbolic(holds):
            return _trace_while(test, body, get, put, names, own)
        if not holds:
            return None
        body()


def _loop_names(body, get, put, names):
    """Which names a loop carries, and with which values it begins."""
    before = get()
    ends = []

    def look():
        body()
        ends.append(get())
    _native.scratch(look)
    put(before)
    carried, start = [], list(before)
    for i, (name, first, last) in enumerate(zip(names, before, ends[0])):
        if isinstance(last, Undefined) or first is last and not is_value(first):
            continue
        if isinstance(first, Undefined):
            if last is not None and all(is_value(one) for one in nest.flatten(last)):
                start[i] = rebuilt(last, [_zeros(spec) for spec in _specs(last)])
                carried.append(i)
            continue
        if not all(is_value(one) for one in nest.flatten(first)) or first is None:
            if _same_structure_and_values(first, last):
                continue
            raise TypeError(f"'{_shown(name)}' changes in a loop over tensors and is neither a tensor nor "
                            f"a number; got {first!r} before and {last!r} after an iteration; use "
                            "tf.TensorArray for a list that grows")
        if nest.flatten(first) or nest.flatten(last):
            if len(nest.flatten(first)) != len(nest.flatten(last)):
                raise ValueError(f"'{_shown(name)}' does not have the same nested structure after one "
                                 f"iteration; got {first!r} and {last!r}; use tf.TensorArray for a list "
                                 "that grows")
        carried.append(i)
        start[i] = _with_dtype_of(first, last)
    return carried, start


def _with_dtype_of(first, last):
    """Numbers become tensors of the dtype that they have after an iteration."""
    from ._tensor_array import TensorArray
    made = []
    for a, b in zip(nest.flatten(first), nest.flatten(last)):
        if isinstance(a, TensorArray) and isinstance(b, TensorArray):
            a = a._copy()
            a.element_shape = a.element_shape or b.element_shape
            made.append(a)
        elif isinstance(a, (bool, int, float)) and isinstance(b, Tensor):
            made.append(convert_to_tensor(a, dtype=b.dtype) if (
                b.dtype.is_floating or not isinstance(a, float)) and (
                b._dtype == 10) == isinstance(a, bool) else convert_to_tensor(a))
        elif isinstance(a, (bool, int, float)) and isinstance(b, float) and isinstance(a, int):
            made.append(convert_to_tensor(float(a)))
        else:
            made.append(a)
    return nest._pack(first, iter(made))


def _same_structure_and_values(a, b):
    left, right = nest.flatten(a), nest.flatten(b)
    return len(left) == len(right) and all(_same(x, y) for x, y in zip(left, right))


def _trace_while(test, body, get, put, names, own):
    """Traces a loop: at once where each name has a value that the loop keeps the dtype of; else an iteration is looked at
    before, which tells what the names become."""
    before = get()
    carried = _carried_at_once(before, names, own)
    if carried is not None:
        try:
            return _emit_while(test, body, get, put, names, carried, list(before))
        except errors._TakenInGraphError:
            raise
        except (TypeError, ValueError, errors.InvalidArgumentError):
            put(before)
    return _emit_while(test, body, get, put, names, *_loop_names(body, get, put, names))


def _carried_at_once(before, names, own):
    """Which names a loop carries, where that is known without a look at an iteration; else None. A name of the body's own
    that has no value before the loop has none before the next iteration, either."""
    from ._tensor_array import TensorArray
    carried = []
    for i, (name, value) in enumerate(zip(names, before)):
        if isinstance(value, Undefined) and name in own:
            continue
        flat = nest.flatten(value)
        if value is None or isinstance(value, Undefined) or any(
                isinstance(one, TensorArray) and one._lacks_shape() for one in flat):
            return None
        if all(is_value(one) for one in flat):
            carried.append(i)
    return carried


def _emit_while(test, body, get, put, names, carried, start):
    before = get()
    flat, counts = [], []
    for i in carried:
        leaves = [convert_to_tensor(one) for one in leaves_of(start[i])]
        counts.append(len(leaves))
        flat.extend(leaves)
    dtypes = [one.dtype for one in flat]
    declared = declared_shapes([start[i] for i in carried])

    def enter(tensors):
        tensors = iter(tensors)
        state = list(start)
        for i, count in zip(carried, counts):
            state[i] = rebuilt(start[i], [next(tensors) for _ in range(count)])
        put(tuple(state))

    def leave():
        state = get()
        made = []
        for i, (one, first) in enumerate(zip(state, start)):
            if i not in carried and not isinstance(first, Undefined) and not _same_structure_and_values(one, first):
                raise TypeError(f"'{_shown(names[i])}' changes in a loop over tensors")  # looking tells more
        for i, count in zip(carried, counts):
            leaves = leaves_of(state[i])
            if len(leaves) != count:
                raise ValueError(f"'{_shown(names[i])}' does not have the same nested structure after "
                                 "one iteration")
            made.extend(leaves)
        return [_strong_as(one, dtype, names) for one, dtype in zip(made, dtypes)]

    def holds(tensors):
        enter(tensors)
        return [convert_to_tensor(test())]

    def step(tensors):
        enter(tensors)
        body()
        return leave()
    try:
        results = _native.while_loop(holds, step, flat, -1, declared)
    except errors.InvalidArgumentError as error:
        put(before)
        relaxed = _relaxed(step, flat, declared)
        if relaxed is None:
            raise ValueError(str(error)) from None
        results = _native.while_loop(holds, step, flat, -1, relaxed)
    put(before)
    results = iter(results)
    state = list(before)
    for i, count in zip(carried, counts):
        state[i] = rebuilt(start[i], [next(results) for _ in range(count)])
    put(tuple(state))


def _relaxed(step, flat, declared):
    """Shapes with unknown sizes where an iteration changes them; None where ranks change."""
    after = []
    _native.scratch(lambda: after.extend(step(flat)))
    shapes, differs = [], False
    for one, two, known in zip(flat, after, declared or [one._shape for one in flat]):
        if one._dtype != two._dtype or one._rank != two._rank:
            return None
        sizes = [a if a == b else None for a, b in zip(known, two._shape)]
        differs |= sizes != list(known)
        shapes.append(sizes)
    return shapes if differs else None


def _strong_as(value, dtype, names):
    if isinstance(value, (bool, int, float)):
        return convert_to_tensor(value, dtype=dtype)
    value = convert_to_tensor(value)
    if value.dtype != dtype:
        raise TypeError(f"a variable of a loop over tensors must keep its dtype; got {dtype.name} before "
                        f"and {value.dtype.name} after an iteration")
    return value


def for_statement(items, test, body, get, put, names, place, own=()):
    """`own`: the names that nothing outside of the body has."""
    if isinstance(items, Variable):
        items = items.value()
    if isinstance(items, Tensor):
        items = _ranges.find(items) or items
    traced = None
    if isinstance(items, LazyRange):
        traced = _for_range
    elif isinstance(items, Tensor) and _native.is_tracing() and items._rank:
        traced = _for_tensor
    if traced is not None:
        before = get()
        try:
            return traced(items, test, body, get, put, names, own)
        except errors._TakenInGraphError:
            items = _known_items(items)
            if items is None:
                raise
            put(before)
    form = getattr(items, "_form", None)  # of datasets and iterators
    if form is not None and form.specs is not None and _native.is_tracing():
        return _for_elements(items, test, body, get, put, names, own)
    for item in items:
        holds = True if test is None else _test(test())
        if _symbolic(holds):
            if_statement(holds, lambda item=item: body(item), lambda: None, get, put, names, place)
        elif not holds:
            break
        else:
            body(item)
    return None


def _counted(more, take, test, body, get, put, names, own, index_dtype):
    """A loop over numbered items as a `while` whose first variable is the number."""
    number = [convert_to_tensor(0, dtype=index_dtype)]
    names = ("the number of the iteration",) + tuple(names)

    def read():
        return (number[0],) + tuple(get())

    def write(values):
        number[0] = values[0]
        put(tuple(values[1:]))

    def holds():
        if test is None:
            return more(number[0])
        return and_(test, lambda: more(number[0]))  # an element that nobody takes is not read

    def step():
        body(take(number[0]))
        number[0] = number[0] + 1
    _trace_while(holds, step, read, write, names, own)


def _for_range(items, test, body, get, put, names, own):
    def more(number):
        here = items.start + number * items.delta
        up = _native.static_value(items.delta)
        if up is not None:
            return here < items.limit if up._item() > 0 else here > items.limit
        from . import ops_array
        return ops_array.where(items.delta > 0, here < items.limit, here > items.limit)
    _counted(more, lambda number: items.start + number * items.delta, test, body, get, put, names, own,
             items.dtype)


def _known_items(items):
    """The items of a range of integers or of a tensor, each as a constant, where the trace knows them; else None."""
    if not isinstance(items, LazyRange):
        known = _native.static_value(items)
        return None if known is None else [known[i] for i in range(len(known))]
    bounds = [_native.static_value(one) for one in (items.start, items.limit, items.delta)]
    if any(one is None for one in bounds) or not items.dtype.is_integer:
        return None
    return [convert_to_tensor(one, dtype=items.dtype) for one in range(*(one._item() for one in bounds))]


def _for_tensor(items, test, body, get, put, names, own):
    from . import ops_array
    size, = ops_array.sizes_of(items, [0])
    _counted(lambda number: number < size, lambda number: ops_array.gather(items, number), test, body,
             get, put, names, own, "int32")


class _Passes:
    """The passes over a dataset, or what is left of iterators', that calls of one traced loop make, each by its number:
    several threads and replicas may be in the loop at a time."""

    def __init__(self, first=None):
        self._numbers = itertools.count()
        self._first = [] if first is None else [first]  # the iterator of the first pass, where it is there already
        self._open = {}  # the iterator, and the tensors of the next element once they are there

    def begin(self, items):
        number = next(self._numbers)
        self._open[number] = [self._first.pop() if self._first else iter(items)]
        return number

    def has_next(self, number):
        one = self._open[number]
        if len(one) == 1:
            one.append(one[0]._taken())
        return one[1] is not None

    def take(self, number):
        return self._open[number].pop()

    def end(self, number):
        del self._open[number]


def _for_elements(items, test, body, get, put, names, own):
    """Over a dataset or an iterator. An element that the loop does not come to stays in the iterator."""
    from .data._iterator import GivenIterator
    form, passes = items._form, _Passes()
    if not form.ranked and not hasattr(items, "__next__") and not hasattr(items, "_inputs"):
        with init_scope():
            first = iter(items)
            form, passes = first._form, _Passes(first)

    def begin(values):
        here = GivenIterator.found(*values) if isinstance(items, GivenIterator) else items._now(values) if values else items
        return [convert_to_tensor(passes.begin(here), dtype="int64")]

    def has_next(values):
        return [convert_to_tensor(passes.has_next(values[0]._item()))]

    def take(values):
        return passes.take(values[0]._item())

    def end(values):
        passes.end(values[0]._item())
        return []
    inputs = [items.number] if isinstance(items, GivenIterator) else getattr(items, "_inputs", [])
    which, = _native.host_call(begin, inputs, [int64], [[]])

    def more(number):
        return _native.host_call(has_next, [which, number], [10], [[]])[0]

    def element(number):
        return form.packed(_native.host_call(take, [which, number], [one.dtype for one in form.specs], form.shapes()))
    _counted(more, element, test, body, get, put, names, own, "int64")
    _native.host_call(end, [which], [], [])
