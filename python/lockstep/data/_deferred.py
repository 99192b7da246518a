"""Datasets made of tensors that have no values yet. Those of a graph of version 1, such as placeholders, have elements when an
iterator's initializer is run, in a session; those of a function that is traced, each time it runs."""

import functools
import inspect

from .. import _native, nest
from .._dtypes import int64, TensorShape
from .._function import TensorSpec
from .._tensor import Tensor, convert_to_tensor
from . import _lineage
from ._elements import _flat_element

# What gives no dataset.
_OTHERS = {"as_numpy_iterator", "cardinality", "reduce", "get_single_element", "save", "options", "make_one_shot_iterator",
           "make_initializable_iterator"}


def _of_graph(one):
    """Whether it is a tensor of a graph, and not of a function that is being traced."""
    if not (isinstance(one, Tensor) and one._symbolic):
        return False
    try:
        _native.graph_of(one)
    except Exception:  # noqa: BLE001  (it belongs to a function)
        return False
    return True


def _waits(one):
    """Whether it is a tensor without a value, for a dataset of which there is nothing to read yet."""
    return _of_graph(one) if _native.has_graph() else isinstance(one, Tensor) and one._symbolic


def _leaves(args, kwargs):
    return nest.flatten([list(args), kwargs])


def _replaced(structure, values):
    """A structure with the values of the tensors of a graph in it, and the datasets that follow from them."""
    def put(one):
        if isinstance(one, Deferred):
            return one._build(values)
        return values[one._id] if isinstance(one, Tensor) and one._id in values else one
    return nest.map_structure(put, structure)


class Deferred:
    """What a deferred dataset is beside a dataset: tensors of a graph, and what makes the dataset of their values."""

    def _build(self, values):
        args, kwargs = _replaced(list(self._args), values), _replaced(self._kwargs, values)
        return self._make(*args, **kwargs)

    def _now(self, tensors):
        """The dataset of these values of its inputs."""
        return self._build({one._id: value for one, value in zip(self._inputs, tensors)})

    def cardinality(self, name=None):
        """The number of elements, which a run tells."""
        return _native.host_call(lambda values: [self._now(values).cardinality()], self._inputs, [int64], [[]])[0]

    def get_single_element(self, name=None):
        """The only element. Raises, when it runs: InvalidArgumentError for none or several."""
        form = self._form

        def call(values):
            return _flat_element(self._now(values).get_single_element())
        return form.packed(_native.host_call(call, self._inputs, [one.dtype for one in form.specs], form.shapes()))

    def _at(self, prototypes):
        return self._build({one._id: make(one) for one, make in zip(self._inputs, prototypes)})

    @property
    def element_spec(self):
        """As far as it does not depend on values: two datasets of other sizes tell what does."""
        if self._known is None:
            scope = _native.EagerScope()
            scope.enter()
            try:
                first, second = (self._at([functools.partial(_prototype, unknown=size)] * len(self._inputs)).element_spec
                                 for size in (1, 2))
            finally:
                scope.exit()
            self._known = nest.map_structure(_common, first, second)
        return self._known

    _spec = element_spec

    @property
    def _native(self):
        if not _native.has_graph():
            raise RuntimeError("A dataset of tensors of a function that is traced has elements when the function runs: go through "
                               "it by `for`, reduce or get_single_element")
        raise RuntimeError("A dataset of tensors of a graph has elements in a session: make an iterator by "
                           "tf.compat.v1.data.make_initializable_iterator(dataset), run its initializer, and fetch get_next()")

    def __iter__(self):
        return self._native


def _prototype(tensor, unknown):
    from ..ops_array import fill, ones
    sizes = [unknown if size is None else size for size in TensorShape(tensor._shape).as_list()]
    if tensor.dtype.name == "string":
        return fill(sizes, convert_to_tensor(""))
    return ones(sizes, tensor.dtype) * unknown if tensor.dtype.name != "bool" else ones(sizes, tensor.dtype)


def _common(a, b):
    if not isinstance(a, TensorSpec) or not isinstance(b, TensorSpec):
        return a
    if len(a.shape) != len(b.shape):
        return TensorSpec(None, a.dtype)
    return TensorSpec([x if x == y else None for x, y in zip(a.shape, b.shape)], a.dtype, name=a.name)


def _defers(function, kind):
    @functools.wraps(function)
    def call(*args, **kwargs):
        if _native.is_tracing() or args and isinstance(args[0], Deferred):
            inputs = {}
            for one in _leaves(args, kwargs):
                if isinstance(one, Deferred):
                    inputs.update((each._id, each) for each in one._inputs)
                elif _waits(one):
                    inputs[one._id] = one
            if inputs:
                made = object.__new__(kind())
                made._make, made._args, made._kwargs = function, args, kwargs
                made._inputs, made._known, made._name = list(inputs.values()), None, "Deferred"
                return made
        made = function(*args, **kwargs)
        if "_native" in getattr(made, "__dict__", ()):
            made._lineage = _lineage.step(function.__name__, args, kwargs)
        return made
    return call


def deferrable(cls):
    """Decorates a class of datasets: what is made of tensors of a graph is made when an iterator begins."""
    for name, value in list(vars(cls).items()):
        if name in _OTHERS or name.startswith("_"):
            continue
        if isinstance(value, staticmethod):
            setattr(cls, name, staticmethod(_defers(value.__func__, _kind)))
        elif inspect.isfunction(value):
            setattr(cls, name, _defers(value, _kind))
    return cls


def deferrable_files(cls):
    """The same for a class that is made of names of files."""
    make = _defers(lambda *args, **kwargs: cls(*args, **kwargs), _kind)

    def new(kind, *args, **kwargs):
        if _native.is_tracing() and any(_waits(one) for one in _leaves(args, kwargs)):
            return make(*args, **kwargs)
        return object.__new__(kind)
    cls.__new__ = staticmethod(new)
    return cls


@functools.cache
def _kind():
    from ._dataset import Dataset
    return type("DeferredDataset", (Deferred, Dataset), {})
