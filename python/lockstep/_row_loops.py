"""Loops over the rows of tensors in functions that are traced: `fn` is traced once, whatever their number."""

from . import _composites, _native, errors, nest
from ._tensor import convert_to_tensor
from ._variable import Variable


class CannotStack(TypeError):
    """`fn` gives ragged or sparse tensors, or some of an unknown number of axes, which a loop does not stack."""


def read(result):
    """A result of `fn`, where variables, such as what an assignment gives, have become their values."""
    return nest.map_structure(lambda one: convert_to_tensor(one) if isinstance(one, Variable) else one, result)


def map_rows(fn, elems, leaves, rows):
    """`fn` of each row, stacked; `rows` is their number, or None. Raises: CannotStack."""
    forms = []

    def row(index):
        made = read(fn(nest._pack(elems, iter([one[index[0]] for one in leaves]))))
        flat = [one if _composites.is_composite(one) else convert_to_tensor(one) for one in nest.flatten(made)]
        if any(_composites.is_composite(one) or one._rank is None for one in flat):
            raise CannotStack("tf.map_fn over rows whose number is not known cannot give ragged or sparse tensors, or tensors of an "
                              "unknown number of axes")
        forms[:] = [made]
        return flat
    stacked = _native.row_loop(_count(leaves[0]), row)
    return nest._pack(forms[0], iter([_with_rows(one, rows) for one in stacked]))


def _count(leaf):
    from . import ops_array
    return ops_array.shape(leaf)[0]


def _with_rows(tensor, rows):
    """The same, known to have so many rows."""
    from . import ops_array
    return tensor if rows is None or tensor._rank is None else ops_array.ensure_shape(tensor, [rows] + list(tensor._shape[1:]))


class _Rows:
    """What `scan` and the folds go along: a state, and the rows from the first or from the last on."""

    def __init__(self, fn, elems, leaves, initializer, reverse):
        self.fn, self.elems, self.leaves, self.reverse = fn, elems, leaves, reverse
        self.count = _count(leaves[0])
        self.changed = False  # whether a state has changed its dtype
        self.begin = 1 if initializer is None else 0
        self.form = self.row(convert_to_tensor(0)) if initializer is None else nest.map_structure(convert_to_tensor, initializer)

    def row(self, i):
        place = self.count - 1 - i if self.reverse else i
        return nest._pack(self.elems, iter([one[place] for one in self.leaves]))

    def start(self):
        return [convert_to_tensor(self.begin)] + [convert_to_tensor(one) for one in nest.flatten(self.form)]

    def holds(self, now):
        return [now[0] < self.count]

    def step(self, now):
        state = read(self.fn(nest._pack(self.form, iter(now[1:])), self.row(now[0])))
        made = [convert_to_tensor(one) for one in nest.flatten(state)]
        self.changed = any(one.dtype != before.dtype for one, before in zip(made, now[1:]) if len(made) == len(now) - 1)
        return [now[0] + 1] + made

    def run(self, loop):
        try:
            return loop(self.holds, self.step, self.start())
        except errors.InvalidArgumentError as error:
            raise (TypeError if self.changed else ValueError)(str(error)) from None


def scan_rows(fn, elems, leaves, initializer, reverse):
    """The states behind each row, stacked."""
    from . import ops_array
    rows = _Rows(fn, elems, leaves, initializer, reverse)
    made = rows.run(lambda holds, step, start: _native.recorded_loop(holds, step, start, []))
    stacked = [_with_rows(one[1 - rows.begin:], leaves[0]._shape[0]) for one in made[len(made) // 2 + 1:]]
    return nest._pack(rows.form, iter([ops_array.reverse(one, [0]) if reverse else one for one in stacked]))


def fold_rows(fn, elems, leaves, initializer, reverse):
    """The state behind the last row."""
    rows = _Rows(fn, elems, leaves, initializer, reverse)
    return nest._pack(rows.form, iter(rows.run(lambda holds, step, start: _native.while_loop(holds, step, start, -1, []))[1:]))
