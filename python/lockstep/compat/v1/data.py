"""Datasets of version 1: `tf.compat.v1.data`, with iterators whose `get_next` is an op."""

import weakref

from ... import _native, _refused, errors, nest
from ..._dtypes import as_dtype, TensorShape
from ..._function import TensorSpec, host_operation
from ..._tensor import convert_to_tensor, Tensor
from ...data import *  # noqa: F401,F403
from ...data import AUTOTUNE, Dataset, FixedLengthRecordDataset, Options, experimental  # noqa: F401
from ...data import TextLineDataset, TFRecordDataset  # noqa: F401
from ...data._deferred import Deferred

_by_handle = weakref.WeakValueDictionary()


class Iterator:
    """Elements of a dataset, one in each run that needs `get_next()`."""

    def __init__(self, dataset, ready, spec=None):
        if ready and isinstance(dataset, Deferred):
            dataset = _of_constants(dataset)
        self._dataset, self._ready = dataset, ready
        self._elements = iter(dataset) if ready else None
        self.element_spec = dataset.element_spec if spec is None else spec
        self._begin = self._handle = None

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        """One of no dataset yet: `make_initializer(dataset)` gives ops that begin with one."""
        return Iterator(None, False, _structure(output_types, output_shapes, output_classes))

    @staticmethod
    def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None):
        """One whose elements are those of the iterator that a fed `string_handle` names."""
        return _OfHandle(string_handle, _structure(output_types, output_shapes, output_classes))

    @property
    def initializer(self):
        """An op that begins anew. Raises: ValueError for one that begins by itself."""
        if self._ready or self._dataset is None:
            raise ValueError("Iterator does not have an initializer.")
        if self._begin is None:
            self._begin = self._begins_with(self._dataset)
        return self._begin

    def make_initializer(self, dataset, name=None):
        """An op that begins with a dataset. Raises: TypeError for elements of other kinds."""
        own, given = nest.flatten(self.element_spec), nest.flatten(dataset.element_spec)
        for what, wanted, got in (("types", [one.dtype for one in own], [one.dtype for one in given]),
                                  ("shapes", [one.shape for one in own], [one.shape for one in given])):
            fits = len(wanted) == len(got) and all(
                a == b if what == "types" else a.is_compatible_with(b) for a, b in zip(wanted, got))
            if not fits:
                raise TypeError(f"Expected output {what} {wanted!r} but got dataset with output {what} {got!r}.")
        return self._begins_with(dataset)

    def _begins_with(self, dataset):
        inputs = dataset._inputs if isinstance(dataset, Deferred) else []

        def begin(values):
            made = dataset._build({one._id: value for one, value in zip(inputs, values)}) if inputs else dataset
            self._elements = iter(made)
            return []
        return host_operation(begin, inputs, "MakeIterator")

    def string_handle(self, name=None):
        """A text that names this iterator, for `from_string_handle`. The graph keeps the iterator."""
        if self._handle is None:
            key = f"lockstep iterator {id(self)}".encode()
            _by_handle[key] = self

            def name_of(values, kept=self):
                return [convert_to_tensor(key)]
            self._handle = _native.host_call(name_of, [], [as_dtype("string")], [[]])[0]
        return self._handle

    def _take(self):
        if self._elements is None:
            raise errors.FailedPreconditionError(None, None, "GetNext() failed because the iterator has not been "
                                                 "initialized. Ensure that you have run the initializer operation "
                                                 "for this iterator before getting the next element.")
        try:
            return [convert_to_tensor(one) for one in nest.flatten(next(self._elements))]
        except StopIteration:
            raise errors.OutOfRangeError(None, None, "End of sequence") from None

    def get_next(self, name=None):
        """The next element as tensors of the graph; a run raises OutOfRangeError at the end, and
        FailedPreconditionError before the initializer has run."""
        return self._next_by(lambda values: self._take(), [])

    def _next_by(self, take, inputs):
        specs = [one for one in nest.flatten(self.element_spec) if isinstance(one, TensorSpec)]
        made = _native.host_call(take, inputs, [one.dtype for one in specs], [
            None if one.shape.rank is None else [-1 if size is None else size for size in one.shape] for one in specs])
        return nest._pack(self.element_spec, iter(made))

    output_types = property(lambda self: get_output_types(self))
    output_shapes = property(lambda self: get_output_shapes(self))
    output_classes = property(lambda self: get_output_classes(self))


class _OfHandle(Iterator):
    def __init__(self, handle, spec):
        super().__init__(None, False, spec)
        self._given = convert_to_tensor(handle)

    def get_next(self, name=None):
        """The next element of the iterator that the handle names. A run raises InvalidArgumentError for none."""
        def take(values):
            key = values[0]._item()
            found = _by_handle.get(key if isinstance(key, bytes) else str(key).encode())
            if found is None:
                raise errors.InvalidArgumentError(None, None, f"a handle names an iterator of this process; got {key!r}")
            return found._take()
        return self._next_by(take, [self._given])


def _of_constants(dataset):
    """The dataset of tensors that need no values from outside."""
    from ._sessions import _outside
    with _outside():
        session = _native.Session(_native.graph_of(dataset._inputs[0]))
        try:
            values = session.run(dataset._inputs, [], [])
        except errors.OpError as error:
            raise ValueError(
                "Failed to create a one-shot iterator for a dataset. `Dataset.make_initializable_iterator()` is "
                f"more general and can be used instead: {error}") from None
        return dataset._build({one._id: value for one, value in zip(dataset._inputs, values)})


def _structure(types, shapes, classes=None):
    """The spec of elements of these dtypes and shapes. Raises: NotImplementedError for classes other than Tensor."""
    for one in nest.flatten(classes):
        _refused.only("Iterator", output_classes=(one, None, Tensor))
    flat = nest.flatten(types)
    if shapes is None:
        sizes = [TensorShape(None)] * len(flat)
    elif nest.is_nested(types):
        sizes = [TensorShape(one) for one in nest.flatten_up_to(types, shapes)]
    else:
        sizes = [TensorShape(shapes)]
    return nest._pack(types, iter([TensorSpec(size, as_dtype(one)) for one, size in zip(flat, sizes)]))


def make_one_shot_iterator(dataset):
    """An iterator that goes through the dataset once."""
    return Iterator(dataset, True)


def make_initializable_iterator(dataset, shared_name=None):
    """An iterator that goes through the dataset anew whenever its `initializer` is run."""
    return Iterator(dataset, False)


def get_output_types(dataset_or_iterator):
    """The dtypes of elements, in their structure."""
    return nest.map_structure(lambda one: one.dtype, dataset_or_iterator.element_spec)


def get_output_shapes(dataset_or_iterator):
    """The shapes of elements, in their structure."""
    return nest.map_structure(lambda one: one.shape, dataset_or_iterator.element_spec)


def get_output_classes(dataset_or_iterator):
    """The classes of components, in their structure."""
    return nest.map_structure(lambda one: Tensor if isinstance(one, TensorSpec) else one.value_type,
                              dataset_or_iterator.element_spec)


for _name, _given in (("output_types", get_output_types), ("output_shapes", get_output_shapes),
                      ("output_classes", get_output_classes)):  # datasets of version 1 have them, as their iterators do
    setattr(Dataset, _name, property(_given))
