"""Batches that a program's own Python code makes, a `PyDataset` or a generator, as a dataset."""

import collections
import concurrent.futures
import itertools
import random
import warnings

import numpy

from .. import nest
from .._composites import apart, specs
from .._function import TensorSpec
from ._symbol_parts import is_value
from .callbacks import Callback


_RAN_OUT = ("\nYour input ran out of data; interrupting training. Make sure that your dataset or generator can generate at least "
            "`steps_per_epoch * epochs` batches. You may need to use the `.repeat()` function when building your dataset.")


def _is_by_number(x):
    return hasattr(x, "__getitem__") and (hasattr(x, "__len__") or hasattr(x, "num_batches")) \
        and not hasattr(x, "shape") and not isinstance(x, (list, tuple, dict, str, bytes))


def is_items(x):
    """Whether `x` gives batches one after another, or by number."""
    return not getattr(x, "_is_dataset", False) and (
        hasattr(x, "__next__") or _is_by_number(x) and not hasattr(x, "__array__"))


def sample_weights(y, class_weight):
    """Each example's weight by its class, the largest of a row: float32[n]."""
    labels = numpy.asarray(y)
    if labels.ndim > 1:
        labels = labels.argmax(-1) if labels.shape[-1] != 1 else labels[..., 0]
    labels = numpy.round(labels).astype("int64").reshape(-1)
    return numpy.array([class_weight.get(int(one), 1.0) for one in labels], "float32")


def _count(x):
    if hasattr(x, "__next__"):
        return None
    return len(x) if hasattr(x, "__len__") else x.num_batches


def _in_threads(x, order):
    """x[i] of each number, made by the set's threads ahead of their use, in order."""
    workers, ahead = getattr(x, "workers", 1), getattr(x, "max_queue_size", 10)
    if workers < 2:
        yield from (x[i] for i in order)
        return
    with concurrent.futures.ThreadPoolExecutor(workers, thread_name_prefix="batches") as pool:
        waiting = collections.deque()
        try:
            for i in order:
                waiting.append(pool.submit(x.__getitem__, i))
                if len(waiting) > max(ahead, 1):
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for one in waiting:
                one.cancel()


def _standard(batch, class_weight):
    """A batch as a tuple (inputs,), (inputs, targets) or (inputs, targets, weights), or a dict, of tensors."""
    from ._training import _floats
    if isinstance(batch, dict):
        return nest.map_structure(_floats, batch)
    batch = tuple(batch) if isinstance(batch, list) else batch if isinstance(batch, tuple) else (batch,)
    if len(batch) not in (1, 2, 3):
        raise ValueError("PyDataset.__getitem__() must return a tuple or a dict. If a tuple, it must be ordered either "
                         "(input,) or (inputs, targets) or (inputs, targets, sample_weights). "
                         f"Received: {str(batch)[:100]}... of type {type(batch)}")
    if class_weight is not None and len(batch) == 3:
        raise ValueError("You cannot specify `class_weight` and `sample_weight` at the same time.")
    if class_weight is not None and len(batch) == 2:
        batch = (*batch, sample_weights(batch[1], class_weight))
    return nest.map_structure(_floats, tuple(tuple(one) if isinstance(one, list) else one for one in batch))


def _signature(batches):
    """Specs of the first batches: any number of examples, and any size that they do not share."""
    def spec(*tensors):
        first = tensors[0]
        if is_value(first):
            parts = apart(first)
            return specs(parts.general())
        sizes = [None if any(one._shape[axis] != size for one in tensors) else size
                 for axis, size in enumerate(first._shape)]
        return TensorSpec([None, *sizes[1:]] if sizes else sizes, first.dtype)
    return nest.map_structure(spec, *batches)


def dataset_of_items(x, shuffle=False, class_weight=None):
    """The dataset of such batches. Those of a `PyDataset` come in a new order each epoch with `shuffle`, as Python's
    `random` gives it, made by `workers` threads; a generator's first two are looked at for their form, then given.

    Raises: ValueError for no batch at all, or a batch that is none."""
    from ..data import Dataset
    count = _count(x)
    if hasattr(x, "__next__"):
        first = list(itertools.islice(x, 2))

        def make():  # each pass begins with the two that were looked at, as in Keras
            for one in itertools.chain(first, x):
                yield _standard(one, class_weight)
            warnings.warn(_RAN_OUT, stacklevel=2)
    else:
        first = [x[i] for i in range(2 if count is None else min(count, 2))]

        def make():
            order = itertools.count() if count is None else list(range(count))
            if shuffle and count is not None:
                random.shuffle(order)
            return (_standard(one, class_weight) for one in _in_threads(x, order))
    if not first:
        raise ValueError("The PyDataset has length 0" if count == 0 else "When passing a Python generator to a Keras model, the "
                         "generator must yield at least one batch. Received: a generator without batches")
    made = Dataset.from_generator(make, output_signature=_signature([_standard(one, class_weight) for one in first]))
    if count is not None:
        made._asserted = count
    else:
        made._first_batch = _standard(first[0], class_weight)
    return made


def first_of(dataset):
    """The first batch, or None; that of a generator, which gives each batch once, is not taken from it."""
    kept = getattr(dataset, "_first_batch", None)
    return next(iter(dataset), None) if kept is None else kept


def with_class_weights(dataset, class_weight):
    """A dataset of (inputs, targets) with each example's weight by its class. Raises: ValueError if it has weights."""
    from .. import math, ops_array, ops_math
    from .._tensor import convert_to_tensor

    def weighted(*batch):
        if len(batch) != 2:
            raise ValueError("You cannot specify `class_weight` and `sample_weight` at the same time.")
        x, y = batch
        labels = y
        if len(y.shape) > 1:
            labels = math.argmax(y, axis=-1) if y.shape[-1] != 1 else ops_array.squeeze(y, -1)
        labels = ops_math.cast(ops_math.round(ops_math.cast(labels, "float32")), "int32")
        weights = ops_array.ones_like(ops_math.cast(labels, "float32"))
        for label, weight in class_weight.items():
            weights = ops_array.where(labels == int(label), convert_to_tensor(float(weight)), weights)
        return x, y, weights
    return dataset.map(weighted)


class EpochCalls(Callback):
    """Tells a `PyDataset` of each epoch's begin and end. As in Keras, whose `fit` and `evaluate` start the set anew, it hears
    of an end before the first begin, too; in `predict` it does not."""

    def __init__(self, items, starts_anew=True):
        super().__init__()
        self._items = items if is_items(items) else None
        if starts_anew:
            self.tell("end")

    def tell(self, what):
        """Calls the set's own `on_epoch_begin` or `on_epoch_end`, if it has one."""
        getattr(self._items, f"on_epoch_{what}", lambda: None)()

    def on_epoch_begin(self, epoch, logs=None):
        self.tell("begin")

    def on_epoch_end(self, epoch, logs=None):
        self.tell("end")
