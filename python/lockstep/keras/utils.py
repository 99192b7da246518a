"""Small helpers: `keras.utils`."""

import itertools
import random as _python_random

from .. import _native, _refused, _seeds

_seeded = [False]


def set_random_seed(seed):
    """Sets the seeds of Python, NumPy, ops, layers and initializers."""
    import numpy
    if not isinstance(seed, int):
        raise ValueError("Expected `seed` argument to be an integer. "
                         f"Received: seed={seed} (of type {type(seed)})")
    _python_random.seed(seed)
    numpy.random.seed(seed)
    _native.set_random_seed(seed)
    _seeds.kernel_states.clear()
    _seeded[0] = True
    from .random import forget_global_generator
    forget_global_generator()


def is_seeded():
    """Whether `set_random_seed` was called."""
    return _seeded[0]


def default_seed():
    """Keras's next seed after `set_random_seed`; None before, where names decide."""
    return _python_random.randint(1, int(1e9)) if _seeded[0] else None


class DatasetCreator:
    """A dataset for `fit` under a `ParameterServerStrategy`: `dataset_fn(InputContext)` makes it.

    It is called once, by the task that reads the data: the chief, which hands its batches out. So the context has
    one pipeline, and each element is trained on once a pass, where TensorFlow calls it on each worker.
    Raises: TypeError for what cannot be called, or gives no dataset."""

    def __init__(self, dataset_fn, input_options=None):
        if not callable(dataset_fn):
            raise TypeError("`dataset_fn` for `DatasetCreator` must be a `callable`. "
                            f"Received: {dataset_fn}")
        self.dataset_fn = dataset_fn
        self.input_options = input_options

    def __call__(self, *args, **kwargs):
        dataset = self.dataset_fn(*args, **kwargs)
        if not getattr(dataset, "_is_dataset", False):
            raise TypeError("The `callable` provided to `DatasetCreator` must return a Dataset. "
                            f'Received: "{dataset}"')
        return dataset


def dataset_of(x, steps, what, shuffle=False, class_weight=None):
    """`x`, or the dataset of what a `DatasetCreator`, a `PyDataset` or a generator makes.

    Raises: ValueError where the length of a `DatasetCreator`'s is not known then."""
    if not isinstance(x, DatasetCreator):
        from ._items import dataset_of_items, is_items
        return dataset_of_items(x, shuffle, class_weight) if is_items(x) else x
    if not steps:
        raise ValueError(f"When using a `tf.keras.utils.experimental.DatasetCreator`, `{what}` must be provided, "
                         "as nobody knows how long the dataset is.")
    from ..distribute import InputContext
    return x(InputContext())


class experimental:
    """Names that TensorFlow keeps under `utils.experimental`."""
    DatasetCreator = DatasetCreator


def to_categorical(x, num_classes=None):
    """Rows with a one at the place of each class."""
    import numpy
    x = numpy.asarray(x, dtype="int64")
    shape = x.shape[:-1] if x.ndim > 1 and x.shape[-1] == 1 else x.shape
    x = x.reshape(-1)
    count = int(num_classes or x.max() + 1)
    made = numpy.zeros((len(x), count))
    made[numpy.arange(len(x)), x] = 1
    return made.reshape(shape + (count,))


def normalize(x, axis=-1, order=2):
    """Vectors of norm 1."""
    import numpy
    norm = numpy.atleast_1d(numpy.linalg.norm(x, order, axis))
    norm[norm == 0] = 1
    return x / numpy.expand_dims(norm, axis)


def _split_size(size, count, side):
    """A size of a side as a number of rows; None as it is. Raises: TypeError, ValueError for others than parts of `count`."""
    if size is None:
        return None
    if isinstance(size, bool) or not isinstance(size, (int, float)):
        raise TypeError(f"Invalid `{side}_size` Type. Expected: int or float or None, Received: type({side}_size)={type(size)}.")
    most = count if isinstance(size, int) else 1
    if not 0 < size < most:
        raise ValueError(f"`{side}_size` should be either a positive integer smaller than {count}, or a float within the range "
                         f"`[0, 1]`. Received: {side}_size={size}")
    return size if isinstance(size, int) else round(size * count)


def split_dataset(dataset, left_size=None, right_size=None, shuffle=False, seed=None):
    """The first and the last rows of a dataset, or of arrays: whole numbers of them, or shares. Batches are taken apart, and
    made again. `shuffle`: the rows are shuffled before. Raises: TypeError, ValueError for sizes that do not divide it."""
    import random
    from .. import nest, ops_array
    from ..data import AUTOTUNE, Dataset
    size = dataset.__dict__.get("_rows") if isinstance(dataset, Dataset) else None
    if left_size is None and right_size is None:
        raise ValueError("At least one of the `left_size` or `right_size` must be specified. Received: left_size=None and "
                         "right_size=None")
    if not isinstance(dataset, Dataset):
        dataset = Dataset.from_tensor_slices(tuple(dataset) if isinstance(dataset, list) else dataset)
    rows = list(dataset if size is None else dataset.unbatch())
    if shuffle:
        random.seed(random.randint(0, int(1e6)) if seed is None else seed)
        random.shuffle(rows)
    left, right = _split_size(left_size, len(rows), "left"), _split_size(right_size, len(rows), "right")
    left = len(rows) - right if left is None else left
    right = len(rows) - left if right is None else right
    if left + right > len(rows):
        raise ValueError(f"The sum of `left_size` and `right_size` should be smaller than the {len(rows)}. Received: left_size="
                         f"{left_size}, right_size={right_size}")
    if not left or not right:
        raise ValueError(f"With `dataset` of length={len(rows)}, `left_size`={left_size} and `right_size`={right_size}, one side "
                         "of the split is empty. Adjust any of the aforementioned parameters")

    def made(part):
        together = Dataset.from_tensor_slices(nest.map_structure(lambda *values: ops_array.stack(values), *part))
        return (together if size is None else together.batch(size)).prefetch(AUTOTUNE)
    return made(rows[:left]), made(rows[-right:])


class Progbar:
    """Keras's line of progress for loops of one's own.

    Args: interval: seconds between two drawings; stateful_metrics: names of values that are shown as they are, the others as
    means over the steps; unit_name: the name of a step."""

    def __init__(self, target, width=20, verbose=1, interval=0.05, stateful_metrics=None,
                 unit_name="step"):
        from .callbacks import Line
        self.target, self.stateful_metrics = target, set(stateful_metrics or ())
        self._line = Line(verbose, target, width, interval, unit_name)
        self._sums = {}

    def update(self, current, values=None, finalize=None):
        if finalize is None:
            finalize = self.target is not None and current >= self.target
        steps = max(current - self._line.done, 1)
        for name, value in values or []:
            if finalize or name in self.stateful_metrics:
                self._sums[name] = (float(value), 1)
            else:
                total, count = self._sums.get(name, (0.0, 0))
                self._sums[name] = (total + float(value) * steps, count + steps)
        self._line.step(current, self._means)
        if finalize:
            self._line.end(current, self._means())

    def add(self, n, values=None):
        self.update(self._line.done + n, values)

    def _means(self):
        return {name: total / count for name, (total, count) in self._sums.items()}


class PyDataset:
    """Batches by number: derive and override `__getitem__`, and `__len__` or `num_batches`.

    Args:
      workers: threads that make batches ahead of their use; what they make comes in order.
      use_multiprocessing: taken; threads do it, as Python's run side by side while tensors are made.
      max_queue_size: how many batches are made ahead at most."""

    workers, use_multiprocessing, max_queue_size = 1, False, 10

    def __init__(self, workers=1, use_multiprocessing=False, max_queue_size=10):
        self.workers, self.use_multiprocessing, self.max_queue_size = workers, use_multiprocessing, max_queue_size

    def __getitem__(self, index):
        raise NotImplementedError

    def __iter__(self):
        count = self.num_batches
        return (self[i] for i in (itertools.count() if count is None else range(count)))

    @property
    def num_batches(self):
        """How many batches an epoch has; None for no end."""
        if hasattr(self, "__len__"):
            return len(self)
        raise NotImplementedError("You need to implement the `num_batches` property:\n\n"
                                  "@property\ndef num_batches(self):\n  return ...")

    def on_epoch_begin(self):
        """Called before each epoch of `fit`."""

    def on_epoch_end(self):
        """Called after each epoch of `fit`."""


Sequence = PyDataset


def clear_session(free_memory=True):
    """Names of layers begin anew."""
    from . import backend
    backend.clear_session(free_memory)


def pad_sequences(sequences, maxlen=None, dtype="int32", padding="pre", truncating="pre", value=0.0):
    """Lists of numbers as rows of one length: filled with `value`, or cut. Raises: ValueError."""
    import numpy
    rows = [list(one) for one in sequences]
    longest = max((len(one) for one in rows), default=0) if maxlen is None else maxlen
    tail = next((numpy.asarray(one).shape[1:] for one in rows if one), ())
    made = numpy.full((len(rows), longest) + tuple(tail), value, dtype=dtype)
    for i, row in enumerate(rows):
        if not row:
            continue
        if truncating not in ("pre", "post") or padding not in ("pre", "post"):
            raise ValueError(f'Padding type "{padding}" or truncating type "{truncating}" not understood')
        row = row[-longest:] if truncating == "pre" else row[:longest]
        if padding == "post":
            made[i, :len(row)] = row
        else:
            made[i, longest - len(row):] = row
    return made


def is_keras_tensor(x):
    from ._symbols import KerasTensor
    return isinstance(x, KerasTensor)


def standardize_dtype(dtype):
    from .._dtypes import as_dtype
    return as_dtype(dtype or "float32").name


def timeseries_dataset_from_array(data, targets, sequence_length, sequence_stride=1, sampling_rate=1,
                                  batch_size=128, shuffle=False, seed=None, start_index=None,
                                  end_index=None):
    """Windows over a series, with their targets, in batches; with `shuffle` in another order in each pass."""
    import numpy
    from ..data import Dataset
    start, end = start_index or 0, end_index or len(data)
    span = (sequence_length - 1) * sampling_rate
    count = end - start - span if targets is None else min(end - start - span, len(targets) - start)
    places = numpy.arange(start, start + max(count, 0), sequence_stride)
    if shuffle:
        seed = numpy.random.randint(1e6) if seed is None else seed
        numpy.random.RandomState(seed).shuffle(places)
    steps = numpy.arange(sequence_length) * sampling_rate
    rows = numpy.asarray(data)[places[:, None] + steps]
    made = Dataset.from_tensor_slices(rows if targets is None else (rows, numpy.asarray(targets)[places]))
    if shuffle:
        made = made.shuffle(1024 if batch_size is None else batch_size * 8, seed)
    return made if batch_size is None else made.batch(batch_size)


def plot_model(*args, **kwargs):
    raise NotImplementedError("models are not drawn; use model.summary()")


from ._feature_space import FeatureSpace  # noqa: E402,F401
from .saving import (CustomObjectScope, custom_object_scope, deserialize_keras_object,  # noqa: E402,F401
                     get_custom_objects, get_registered_name, get_registered_object,
                     register_keras_serializable, serialize_keras_object)
from ._training import pack_x_y_sample_weight, unpack_x_y_sample_weight  # noqa: E402,F401


_interactive = True


def enable_interactive_logging():
    """`fit` and its like show a line of progress where they are not told otherwise."""
    global _interactive
    _interactive = True


def disable_interactive_logging():
    """`fit` and its like show nothing where they are not told otherwise."""
    global _interactive
    _interactive = False


def is_interactive_logging_enabled():
    return _interactive


def img_to_array(img, data_format=None, dtype=None):
    """An image, as of PIL, as an array [h, w, c]. Raises: ValueError for other ranks."""
    _refused.only("img_to_array", data_format=(data_format, None, "channels_last"))
    import numpy
    from . import backend
    made = numpy.asarray(img, dtype=dtype or backend.floatx())
    if made.ndim not in (2, 3):
        raise ValueError(f"Unsupported image shape: {made.shape}")
    return made if made.ndim == 3 else made[:, :, None]


from ._get_file import get_file  # noqa: E402,F401
