"""A place in one pass over a dataset."""

import collections
import itertools
import weakref

from .. import _composites, _native, errors, nest
from .._dtypes import bool as bool_, int64
from .._function import _traces, init_scope, TensorSpec
from .._tensor import convert_to_tensor
from ._elements import _other_rows


def _of_other_rows(spec):
    """The spec of an element whose tensors have other numbers of rows."""
    return _composites.map_found(spec, lambda one: isinstance(one, (_composites.Parts, TensorSpec)), lambda one: (
        _other_rows(one) if isinstance(one, TensorSpec) else one.of_other_rows()))


class ElementForm:
    """What elements of an iterator are made of: tensors of some dtypes and shapes, of each replica where there are several."""

    def __init__(self, spec, replicas=1):
        self.spec, self._replicas = spec, replicas
        self._plain = isinstance(spec, TensorSpec) and replicas == 1
        self._composite = _composites.has_parts(spec)
        flat = nest.flatten(spec)
        self.specs = None  # of the tensors; None: not known enough for a graph
        if all(isinstance(one, TensorSpec) for one in flat):
            self.specs = flat if replicas == 1 else [
                one for one in nest.flatten(_of_other_rows(spec)) for _ in range(replicas)]
        self.ranked = self.specs is None or all(one.shape.rank is not None for one in flat)
        self._key = (repr(spec), replicas)

    def with_ranks(self, examples):
        """The form where a number of axes that is not known is that of the tensor, or spec, among `examples`."""
        known = [one if one.shape.rank is not None else TensorSpec(
                     None if example.shape.rank is None else [None] * example.shape.rank, one.dtype)
                 for one, example in zip(nest.flatten(self.spec), examples)]
        return ElementForm(nest._pack(self.spec, iter(known)), self._replicas)

    def __eq__(self, other):
        return isinstance(other, ElementForm) and self._key == other._key

    def __hash__(self):
        return hash(self._key)

    def packed(self, tensors):
        """An element."""
        if self._plain:
            return tensors[0]
        if self._replicas > 1:
            from ..distribute import _values
            return _values.for_each_replica([self._whole(tensors[r::self._replicas]) for r in range(self._replicas)], wrapped=False)
        return self._whole(tensors)

    def _whole(self, tensors):
        made = nest._pack(self.spec, iter(tensors))
        return _composites.whole(made) if self._composite else made

    def shapes(self):
        """Of the tensors: -1 for sizes that are not known, None where the number of axes is not."""
        return [None if one.shape.rank is None else [-1 if size is None else size for size in one.shape]
                for one in self.specs]

    def next_in_graph(self, take, inputs=()):
        """The next element, taken when the graph runs: `take(*inputs)` gives its tensors, None at the end. Raises there:
        OutOfRangeError at the end."""
        for trace in _traces()[-1:]:
            trace.takes_element()

        def call(values):
            tensors = take(*values)
            if tensors is None:
                raise errors.OutOfRangeError(None, None, "End of sequence")
            return tensors
        return self.packed(_native.host_call(call, list(inputs), [one.dtype for one in self.specs], self.shapes()))

    def optional_in_graph(self, take, inputs=()):
        """The same as an optional; at the end it has none, and its tensors have no rows."""
        from ..experimental import Optional

        def call(values):
            from ..ops_array import zeros
            tensors = take(*values)
            if tensors is None:
                return [convert_to_tensor(False)] + [
                    zeros([size or 0 for size in one.shape or ()], one.dtype) for one in self.specs]
            return [convert_to_tensor(True), *tensors]
        there, *tensors = _native.host_call(call, list(inputs), [bool_] + [one.dtype for one in self.specs],
                                            [[]] + self.shapes())
        return Optional(self.packed(tensors), there)


_known = weakref.WeakValueDictionary()
_numbers = itertools.count()


class Argument:
    """Iterators as arguments of traced functions: one trace serves all whose elements are alike. A class of them has
    `_form`, and `_taken()`, which gives the next element's tensors, None at the end."""

    _is_iterator = True

    def _key_parts(self):
        if self._form.specs is None:
            return self
        if "_number" not in self.__dict__:
            self._number = next(_numbers)
            _known[self._number] = self
        return IteratorParts(convert_to_tensor(self._number, dtype=int64), self._form)


class IteratorParts(_composites.Parts):
    """Which iterator it is, and the form of its elements."""

    def whole(self):
        return GivenIterator(*self)


class GivenIterator:
    """What a function that is traced gets for an iterator; which one it is, a run tells."""

    _is_iterator = True

    def __init__(self, number, form):
        self.number, self._form = number, form

    element_spec = property(lambda self: _composites.specs(self._form.spec))

    @staticmethod
    def found(number):
        """The iterator of a number."""
        return _known[number._item()]

    @staticmethod
    def _take(number):
        return GivenIterator.found(number)._taken()

    def _key_parts(self):
        return IteratorParts(self.number, self._form)

    def __iter__(self):
        return self

    def __next__(self):
        return self._form.next_in_graph(self._take, [self.number])

    next = get_next = __next__

    def get_next_as_optional(self):
        return self._form.optional_in_graph(self._take, [self.number])


_KEPT_ITERATORS = 16  # of one call of `iter` in a function: as many runs of the function at once find theirs


def iterator_of_each_run(dataset):
    """The iterator that `iter(dataset)` gives while a function is traced: each run of the function begins a new pass."""
    form, kept = dataset._form, collections.deque(maxlen=_KEPT_ITERATORS)

    def begin(_):
        made = Iterator(dataset)
        made._number = next(_numbers)
        _known[made._number] = made
        kept.append(made)
        return [convert_to_tensor(made._number, dtype=int64)]
    return GivenIterator(_native.host_call(begin, [], [int64], [[]])[0], form)


_hinted = []


def _hint():
    """Said once: replicas that call `next` themselves take turns at one dataset."""
    if not _hinted:
        _hinted.append(True)
        import sys
        print("[advice] `next` of a dataset that was not distributed: each replica takes the next batch in "
              "turn; to divide each batch over the replicas write: "
              "dataset = strategy.experimental_distribute_dataset(dataset)", file=sys.stderr)


class Iterator(Argument):
    """A place in one pass over a dataset. Threads may share it: each element goes to one of them."""

    def __init__(self, dataset):
        self._native = _native.DatasetIterator(dataset._native)
        self._declared = dataset._form
        self.element_spec = _composites.specs(self._declared.spec)
        self._ahead = []  # (the place before it, the tensors) of an element that was looked at

    @property
    def _form(self):
        """What graphs are built for. Where the dataset does not tell numbers of axes, those of the next element are taken."""
        if not self._declared.ranked:
            tensors = self._look_ahead()
            if tensors is not None:
                self._declared = self._declared.with_ranks(tensors)
        return self._declared

    def _look_ahead(self):
        if not self._ahead:
            place = self._native.cursor()
            with init_scope():
                self._ahead.append((place, self._taken()))
        return self._ahead[-1][1]

    @property
    def state(self):
        """The place, [pass, elements read], as a variable: what a checkpoint saves and restores."""
        from .._variable import Variable
        made = self.__dict__.get("_state")
        if made is None:
            made = self._state = Variable([0, 0], trainable=False, dtype=int64, name="iterator_state")
        elif self._version != made._v.version:
            self._resume()
        made.assign(list(self._ahead[-1][0] if self._ahead else self._native.cursor()))
        self._version = made._v.version
        return made

    def _resume(self):
        """Goes to the place that a restore has put into the variable."""
        self._ahead.clear()
        self._native.resume(*[int(one) for one in self._state.numpy()])
        self._version = self._state._v.version

    def __iter__(self):
        return self

    def __next__(self):
        if _native.in_replica() and _native.has_strategy():
            _hint()
        if _native.is_tracing() and self._declared.specs is not None:
            return self._form.next_in_graph(self._taken)
        tensors = self._taken()
        if tensors is None:
            raise StopIteration
        return self._declared.packed(tensors)

    def _taken(self):
        if "_state" in self.__dict__ and self._version != self._state._v.version:
            self._resume()
        try:
            return self._ahead.pop()[1]
        except IndexError:
            return self._native.next()

    def next(self):
        return self.__next__()

    def get_next(self):
        """The next element. Raises: OutOfRangeError at the end."""
        try:
            return self.__next__()
        except StopIteration:
            raise errors.OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self):
        """An optional with the next element, or with none at the end."""
        if _native.is_tracing() and self._declared.specs is not None:
            return self._form.optional_in_graph(self._taken)
        from ..experimental import Optional
        try:
            return Optional.from_value(self.__next__())
        except StopIteration:
            return Optional.empty()
