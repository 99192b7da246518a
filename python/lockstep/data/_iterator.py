"""A place in one pass over a dataset."""

from .. import _composites, _native, errors, nest
from .._dtypes import int64
from .._function import TensorSpec


def next_in_graph(take, specs):
    """The next element, taken when the graph runs. Raises there: OutOfRangeError at the end."""
    def call(_):
        tensors = take()
        if tensors is None:
            raise errors.OutOfRangeError(None, None, "End of sequence")
        return tensors
    return _native.host_call(call, [], [one.dtype for one in specs], [
        [-1 if size is None else size for size in one.shape] for one in specs])


_hinted = []


def _hint():
    """Said once: replicas that call `next` themselves take turns at one dataset."""
    if not _hinted:
        _hinted.append(True)
        import sys
        print("[advice] `next` of a dataset that was not distributed: each replica takes the next batch in "
              "turn; to divide each batch over the replicas write: "
              "dataset = strategy.experimental_distribute_dataset(dataset)", file=sys.stderr)


class Iterator:
    """A place in one pass over a dataset."""

    def __init__(self, dataset):
        self._native = _native.DatasetIterator(dataset._native)
        self._spec = dataset._spec
        self._plain = isinstance(dataset._spec, TensorSpec)
        self._composite = _composites.has_parts(dataset._spec)
        flat = nest.flatten(dataset._spec)
        self._flat_specs = flat if all(
            isinstance(one, TensorSpec) and one.shape.rank is not None for one in flat) else None

    element_spec = property(lambda self: _composites.specs(self._spec))

    @property
    def state(self):
        """The place, [pass, elements read], as a variable: what a checkpoint saves and restores."""
        from .._variable import Variable
        made = self.__dict__.get("_state")
        if made is None:
            made = self._state = Variable([0, 0], trainable=False, dtype=int64, name="iterator_state")
        elif self._version != made._v.version:
            self._resume()
        made.assign(list(self._native.cursor()))
        self._version = made._v.version
        return made

    def _resume(self):
        """Goes to the place that a restore has put into the variable."""
        self._native.resume(*[int(one) for one in self._state.numpy()])
        self._version = self._state._v.version

    def __iter__(self):
        return self

    def __next__(self):
        if "_state" in self.__dict__ and self._version != self._state._v.version:
            self._resume()
        if _native.in_replica() and _native.has_strategy():
            _hint()
        if _native.is_tracing() and self._flat_specs is not None:
            tensors = next_in_graph(self._native.next, self._flat_specs)
        else:
            tensors = self._native.next()
        if tensors is None:
            raise StopIteration
        if self._plain:
            return tensors[0]
        made = nest._pack(self._spec, iter(tensors))
        return _composites.whole(made) if self._composite else made

    def next(self):
        return self.__next__()

    def get_next(self):
        """The next element. Raises: OutOfRangeError at the end."""
        try:
            return self.__next__()
        except StopIteration:
            raise errors.OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self):
        from ..experimental import Optional
        try:
            return Optional.from_value(self.__next__())
        except StopIteration:
            return Optional.empty()
