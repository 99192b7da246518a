"""Windows: datasets whose elements are datasets."""

from .. import _native, nest
from .._dtypes import bool as bool_, int64
from .._function import TensorSpec
from .._tensor import convert_to_tensor
from ._elements import _as_structure, _call_on, _flat_element


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

    @property
    def element_spec(self):
        """The spec of a window, or those of its components, in the structure of an element."""
        from ._dataset import DatasetSpec
        if not nest.is_nested(self._spec):
            return DatasetSpec(self._spec)
        return nest._pack(self._spec, iter([DatasetSpec(one) for one in nest.flatten(self._spec)]))

    def cardinality(self, name=None):
        """The number of windows, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY."""
        return convert_to_tensor(self._stacked.cardinality(), int64)

    def __len__(self):
        from ._dataset import INFINITE_CARDINALITY
        count = self._stacked.cardinality()
        if count < 0:
            raise TypeError(f"The dataset {'is infinite' if count == INFINITE_CARDINALITY else 'length is unknown'}.")
        return count

    def __bool__(self):
        return True

    def __iter__(self):
        place = _native.DatasetIterator(self._stacked)
        while (tensors := place.next()) is not None:
            yield self._parts_of(self._dataset_of(tensors))

    def flat_map(self, map_func, name=None):
        """The elements of the datasets that `map_func` makes of the windows, one dataset after another."""
        return self._expanded(map_func, 1, 1, "_FlatMapDataset")

    def interleave(self, map_func, cycle_length=None, block_length=None, num_parallel_calls=None, deterministic=None,
                   name=None):
        """The same with `cycle_length` datasets (16 if not given) open at a time, `block_length` elements (1 if not given) of
        each in turn. Parallel calls keep the order."""
        cycle = 16 if cycle_length in (None, -1) else int(cycle_length)
        return self._expanded(map_func, cycle, 1 if block_length is None else int(block_length), "_InterleaveDataset")

    def _expanded(self, map_func, cycle, block, name):
        from ._dataset import Dataset

        def dataset_of(window):
            made = _call_on(map_func, window)
            if not isinstance(made, Dataset):
                raise TypeError(f"The `map_func` argument must return a `Dataset` object. Got {type(made)!r}.")
            return made

        native = self._stacked.interleave(lambda tensors: dataset_of(self._parts_of(self._dataset_of(tensors)))._native,
                                          cycle, block)
        first = next(iter(self), None)
        return _made(native, self._spec if first is None else dataset_of(first)._spec, name)

    def filter(self, predicate, name=None):
        """The windows for which `predicate` gives True."""
        kept = self._stacked.filter(lambda tensors: [convert_to_tensor(
            _call_on(predicate, self._parts_of(self._dataset_of(tensors))), dtype=bool_)])
        return _Windows(kept, self._spec)

    def concatenate(self, dataset, name=None):
        """The windows, then those of another dataset of windows with the same spec. Raises: TypeError for other datasets."""
        if not isinstance(dataset, _Windows) or dataset._spec != self._spec:
            raise TypeError(f"Incompatible dataset elements: {self.element_spec} and {dataset.element_spec}")
        return _Windows(self._stacked.concatenate(dataset._stacked), self._spec)

    def shard(self, num_shards, index, name=None):
        """Every `num_shards`-th window from `index` on."""
        return _Windows(self._stacked.shard(int(num_shards), int(index)), self._spec)

    def map(self, map_func, num_parallel_calls=None, deterministic=None, name=None):
        """`map_func` of each window; it may give tensors, or datasets."""
        from ._dataset import Dataset
        first = next(iter(self), None)
        made = None if first is None else _as_structure(_call_on(map_func, first))
        if made is None or any(hasattr(one, "_is_dataset") for one in nest.flatten(made)):
            return _Mapped(self, map_func)
        open_sizes = nest.map_structure(lambda one: TensorSpec([None] * len(one._shape), one.dtype), made)

        def make():
            for window in self:
                yield _flat_element(_as_structure(_call_on(map_func, window)))
        mapped = Dataset.from_tensors(0)._from_python(make, open_sizes, "_MapDataset")
        mapped._asserted = self._stacked.cardinality()
        return mapped

    def enumerate(self, start=0, name=None):
        """(number, window)."""
        return _Numbered(self, start)

    def take(self, count, name=None):
        """The first windows."""
        return _Windows(self._stacked.take(int(count)), self._spec)

    def skip(self, count, name=None):
        """All but the first windows."""
        return _Windows(self._stacked.skip(int(count)), self._spec)

    def repeat(self, count=None, name=None):
        """`count` passes one after another; endless without it."""
        return _Windows(self._stacked.repeat(-1 if count is None else int(count)), self._spec)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None):
        """Windows drawn from a buffer."""
        return _Windows(self._stacked.shuffle(int(buffer_size), seed, reshuffle_each_iteration is not False), self._spec)

    def prefetch(self, buffer_size=-1, name=None):
        """Reads ahead on a thread of its own."""
        return _Windows(self._stacked.prefetch(-1 if buffer_size is None else int(buffer_size)), self._spec)

    def __repr__(self):
        return f"<_WindowDataset element_spec={self.element_spec!r}>"


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
