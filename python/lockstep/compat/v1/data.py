"""Datasets of version 1: `tf.compat.v1.data`, with iterators whose `get_next` is an op."""

from ... import _native, errors, nest
from ..._function import TensorSpec, host_operation
from ..._tensor import convert_to_tensor
from ...data import *  # noqa: F401,F403
from ...data import AUTOTUNE, Dataset, Options, experimental  # noqa: F401


class Iterator:
    """Elements of a dataset, one in each run that needs `get_next()`."""

    def __init__(self, dataset, ready):
        self._dataset = dataset
        self._elements = iter(dataset) if ready else None
        self.element_spec = dataset.element_spec
        self._ready = ready
        self._begin = None

    @property
    def initializer(self):
        """An op that begins anew. Raises: ValueError for one that begins by itself."""
        if self._ready:
            raise ValueError("Iterator does not have an initializer.")
        if self._begin is None:
            def begin(values):
                self._elements = iter(self._dataset)
                return []
            self._begin = host_operation(begin, [], "MakeIterator")
        return self._begin

    def get_next(self, name=None):
        """The next element as tensors of the graph; a run raises OutOfRangeError at the end, and
        FailedPreconditionError before the initializer has run."""
        specs = [one for one in nest.flatten(self.element_spec) if isinstance(one, TensorSpec)]

        def take(values):
            if self._elements is None:
                raise errors.FailedPreconditionError(None, None, "GetNext() failed because the iterator has not been "
                                                     "initialized. Ensure that you have run the initializer operation "
                                                     "for this iterator before getting the next element.")
            try:
                return [convert_to_tensor(one) for one in nest.flatten(next(self._elements))]
            except StopIteration:
                raise errors.OutOfRangeError(None, None, "End of sequence") from None
        made = _native.host_call(take, [], [one.dtype for one in specs], [
            [-1 if size is None else size for size in one.shape] for one in specs])
        return nest._pack(self.element_spec, iter(made))


def make_one_shot_iterator(dataset):
    """An iterator that goes through the dataset once."""
    return Iterator(dataset, True)


def make_initializable_iterator(dataset, shared_name=None):
    """An iterator that goes through the dataset anew whenever its `initializer` is run."""
    return Iterator(dataset, False)
