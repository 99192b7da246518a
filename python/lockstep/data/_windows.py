"""Windows: datasets whose elements are datasets."""

from .. import _native, nest
from .._dtypes import int64
from .._tensor import convert_to_tensor
from ._elements import _call_on


def _made(native, spec, name):
    from ._dataset import Dataset
    return Dataset._make(native, spec, name)


class _Windows:
    """Windows as datasets."""

    _is_dataset = True

    def __init__(self, stacked, spec):
        self._stacked = stacked
        self._spec = spec

    def _dataset_of(self, tensors):
        native = _native.Dataset.from_tensor_slices(tensors)
        return _made(native, self._spec, "_VariantDataset")

    def _parts_of(self, window):
        """A window as datasets in the structure of an element."""
        if not nest.is_nested(self._spec):
            return window
        return nest._pack(self._spec, iter([
            _made(window._native.map(lambda tensors, i=i: [tensors[i]], 1, False), one, "_MapDataset")
            for i, one in enumerate(nest.flatten(self._spec))]))

    element_spec = property(lambda self: f"DatasetSpec({self._spec!r}, TensorShape([]))")

    def __iter__(self):
        place = _native.DatasetIterator(self._stacked)
        while (tensors := place.next()) is not None:
            yield self._parts_of(self._dataset_of(tensors))

    def flat_map(self, map_func):
        def expand(tensors):
            return _call_on(map_func, self._parts_of(self._dataset_of(tensors)))._native
        native = self._stacked.interleave(expand, 1, 1)
        first = next(iter(self), None)
        spec = self._spec
        if first is not None:
            spec = _call_on(map_func, first)._spec
        return _made(native, spec, "_FlatMapDataset")

    def map(self, function, num_parallel_calls=None, deterministic=None, name=None):
        return _Mapped(self, function)

    def enumerate(self, start=0, name=None):
        """(number, window)."""
        return _Numbered(self, start)

    def take(self, count):
        made = _Windows(self._stacked.take(count), self._spec)
        return made

    def __repr__(self):
        return f"<_WindowDataset element_spec={self.element_spec}>"


class _Numbered:
    _is_dataset = True

    def __init__(self, windows, start):
        self._windows, self._start = windows, start

    def __iter__(self):
        for number, one in enumerate(self._windows, self._start):
            yield convert_to_tensor(number, int64), one


class _Mapped:
    _is_dataset = True

    def __init__(self, windows, function):
        self._windows = windows
        self._function = function

    def __iter__(self):
        for one in self._windows:
            yield _call_on(self._function, one)
