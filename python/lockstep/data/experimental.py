"""Names that TensorFlow keeps under `experimental`."""

import enum
import inspect

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class AutoShardPolicy(enum.IntEnum):
    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


def cardinality(dataset):
    """The number of elements."""
    return dataset.cardinality()


def get_single_element(dataset):
    return dataset.get_single_element()


def unbatch():
    return lambda dataset: dataset.unbatch()


def ignore_errors(log_warning=False):
    return lambda dataset: dataset.ignore_errors(log_warning)


def enumerate_dataset(start=0):
    return lambda dataset: dataset.enumerate(start)


def assert_cardinality(expected_cardinality):
    """The dataset with that many elements, told before they are read. Raises, at its end: FailedPreconditionError for others."""
    from ..errors import FailedPreconditionError
    from ._elements import _flat_element

    def apply(dataset):
        def make():
            count = 0
            for element in dataset:
                count += 1
                if count > expected_cardinality >= 0:
                    break
                yield _flat_element(element)
            if count != expected_cardinality and expected_cardinality >= 0:
                got = "at least" if count > expected_cardinality else "only"
                raise FailedPreconditionError(None, None, f"Input dataset was expected to contain {expected_cardinality} "
                                              f"element{'s' if expected_cardinality != 1 else ''} but contained {got} {count} "
                                              f"element{'s' if count != 1 else ''}.")
        made = dataset._from_python(make, dataset._spec, "_AssertCardinalityDataset") \
            if dataset._native.cardinality() != expected_cardinality else dataset.take(-1)
        made._asserted = expected_cardinality
        return made
    return apply


def prefetch_to_device(device, buffer_size=None):
    return lambda dataset: dataset.prefetch(buffer_size or -1)


def make_saveable_from_iterator(iterator, external_state_policy=None):
    raise NotImplementedError("iterators are saved by their dataset's cursor")


def CsvDataset(filenames, record_defaults, compression_type=None, buffer_size=None, header=False, field_delim=",",
               use_quote_delim=True, na_value="", select_cols=None, exclude_cols=None):
    """The lines of CSV files as tuples of columns, all or those of some numbers. Raises: as `tf.io.decode_csv`;
    InvalidArgumentError for columns that are both selected and excluded."""
    from . import Dataset, TextLineDataset
    from ..io import decode_csv
    if exclude_cols is not None:
        if select_cols is not None:
            from ..errors import InvalidArgumentError
            raise InvalidArgumentError(None, None, "Either select_cols or exclude_cols should be empty.")
        excluded = {int(one) for one in exclude_cols}
        select_cols = [one for one in range(len(record_defaults) + len(excluded)) if one not in excluded]

    def of_file(name):
        return TextLineDataset(name, compression_type).skip(1 if header else 0)
    names = filenames if isinstance(filenames, (list, tuple)) else [filenames]
    single = len(names) == 1 and (isinstance(names[0], (str, bytes)) or getattr(names[0], "_rank", None) == 0)
    lines = of_file(names[0]) if single else Dataset.from_tensor_slices(
        filenames if not isinstance(filenames, (str, bytes)) else names).flat_map(of_file)
    return lines.map(lambda line: tuple(decode_csv(line, record_defaults, field_delim, use_quote_delim, na_value,
                                                   select_cols)))


def SqlDataset(driver_name, data_source_name, query, output_types):
    """The rows that a query of a SQLite database gives, as tuples of scalars. Raises: InvalidArgumentError for other drivers, and
    where there are not as many columns as `output_types`; what SQLite refuses."""
    from . import Dataset
    from .. import errors
    from .._dtypes import as_dtype
    from .._function import TensorSpec
    from .._tensor import convert_to_tensor
    if driver_name != "sqlite":
        raise errors.InvalidArgumentError(None, None, f"The database type, {driver_name}, "
                                          "is not supported by SqlDataset. The set of supported databases is: {'sqlite'}.")
    types = [as_dtype(one) for one in output_types]

    def rows():
        import contextlib
        import sqlite3
        try:
            with contextlib.closing(sqlite3.connect(data_source_name)) as database:
                for row in database.execute(query):
                    if len(row) != len(types):
                        raise errors.InvalidArgumentError(None, None, f"The number of columns in query ({len(row)}) must match the "
                                                          f"number of elements in output_types ({len(types)}).")
                    yield [_cell(value, dtype) for value, dtype in zip(row, types)]
        except sqlite3.Error as error:
            raise errors.InvalidArgumentError(None, None, f"SQLite: {error}") from None

    def _cell(value, dtype):
        if dtype.name == "string":
            return convert_to_tensor(b"" if value is None else value if isinstance(value, bytes) else str(value).encode())
        return convert_to_tensor({"bool": bool}.get(dtype.name, float if dtype.is_floating else int)(value or 0), dtype=dtype)
    return Dataset.range(0)._from_python(rows, tuple(TensorSpec([], one) for one in types), "SqlDatasetV2")


def make_csv_dataset(file_pattern, batch_size, **options):
    """Batches of the columns of CSV files by name. Raises: ValueError."""
    from .files import make_csv_dataset as make
    return make(file_pattern, batch_size, **options)


def get_structure(dataset_or_iterator):
    """The `TensorSpec`s of an element."""
    return dataset_or_iterator.element_spec


def at(dataset, index):
    """Element `index`. Raises: OutOfRangeError."""
    from .. import errors
    found = next(iter(dataset.skip(int(index)).take(1)), None) if int(index) >= 0 else None
    if found is None:
        raise errors.OutOfRangeError(None, None, f"Index out of range [0, {dataset._native.cardinality()}):{int(index)}")
    return found


def from_list(elements, name=None):
    """The elements of a list: tensors or structures of them; lists of numbers are a tensor. Raises: ValueError without any."""
    from . import Dataset
    from .. import nest
    from .._function import TensorSpec
    from ._elements import _as_structure, _flat_element
    if not elements:
        raise ValueError("Invalid `elements`. `elements` should not be empty. If you want an empty dataset, use "
                         "`tf.data.Dataset.range(0)`.")
    rows = [_flat_element(_as_structure(one)) for one in elements]
    first = Dataset.from_tensors(elements[0])
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("Invalid `elements`. All elements must have the same structure.")
    shapes = [[own if all(own == row[place].shape[axis] for row in rows) else None for axis, own in enumerate(one.shape)]
              if all(row[place].shape.rank == one.shape.rank for row in rows) else None for place, one in enumerate(rows[0])]
    spec = nest._pack(first._spec, iter([TensorSpec(shape, one.dtype) for shape, one in zip(shapes, rows[0])]))
    return first._from_python(lambda: iter(rows), spec, "_ListDataset")


def save(dataset, path, compression=None, shard_func=None):
    dataset.save(path, compression, shard_func)


def load(path, element_spec=None, compression=None, reader_func=None):
    from . import Dataset
    return Dataset.load(path, element_spec, compression, reader_func)


def sample_from_datasets(datasets, weights=None, seed=None, stop_on_empty_dataset=False):
    from . import Dataset
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=False):
    from . import Dataset
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def _applied(name):
    def make(*args, **kwargs):
        from . import Dataset
        inspect.signature(getattr(Dataset, name)).bind(None, *args, **kwargs)  # unknown arguments raise TypeError here
        return lambda dataset: getattr(dataset, name)(*args, **kwargs)
    make.__doc__ = f"What `Dataset.apply` takes for `Dataset.{name}`."
    return make


unique, scan, take_while = _applied("unique"), _applied("scan"), _applied("take_while")
rejection_resample, snapshot = _applied("rejection_resample"), _applied("snapshot")
bucket_by_sequence_length, group_by_window = _applied("bucket_by_sequence_length"), _applied("group_by_window")


def Counter(start=0, step=1, dtype="int64"):
    """Numbers without an end."""
    from . import Dataset
    return Dataset.counter(start, step, dtype)


def dense_to_ragged_batch(batch_size, drop_remainder=False, row_splits_dtype="int64"):
    """`Dataset.ragged_batch`, for `Dataset.apply`."""
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def dense_to_sparse_batch(batch_size, row_shape):
    """Batches of tensors of other sizes as sparse tensors [batch, *row_shape], where -1 or None stands for the largest size.

    Raises, at the element: InvalidArgumentError for elements that are larger than `row_shape`."""
    from ..ops_array import ones_like
    from ..sparse import SparseTensor
    from ..ops_array import gather_nd, shape, where
    sizes = [None if size in (None, -1) else int(size) for size in row_shape]

    def sparse(rows, there):
        places = where(there)
        return SparseTensor(places, gather_nd(rows, places), shape(rows, "int64"))
    return lambda dataset: dataset.map(lambda row: (row, ones_like(row, "bool"))).padded_batch(
        batch_size, padded_shapes=(sizes, sizes)).map(sparse)


def make_batched_features_dataset(file_pattern, batch_size, features, reader=None, label_key=None, reader_args=None, num_epochs=None,
                                  shuffle=True, shuffle_buffer_size=10000, shuffle_seed=None, prefetch_buffer_size=None,
                                  reader_num_threads=None, parser_num_threads=None, sloppy_ordering=False, drop_final_batch=False):
    """Batches of the parsed examples of files, by name; with `label_key` pairs of the others and that one.

    Raises: TypeError for a label that is no feature."""
    from . import Dataset, TFRecordDataset
    from ..io import parse_example
    if label_key is not None and label_key not in features:
        raise ValueError(f"Invalid `label_key`. Label key {label_key!r} is not in features.")
    read = TFRecordDataset if reader is None else reader
    examples = Dataset.list_files(file_pattern, shuffle, shuffle_seed).interleave(
        lambda name: read(name, *(reader_args or [])), cycle_length=reader_num_threads or 1)
    examples = examples.map(lambda *one: one[1]) if isinstance(examples.element_spec, tuple) else examples
    if shuffle:
        examples = examples.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        examples = examples.repeat(num_epochs)
    parsed = examples.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None).map(lambda one: parse_example(one, features))
    if label_key is not None:
        parsed = parsed.map(lambda found: ({key: one for key, one in found.items() if key != label_key}, found[label_key]))
    return parsed.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


SHARD_HINT = -1


class ExternalStatePolicy(enum.Enum):
    """What a saved dataset does with state: taken, and without effect."""
    WARN, IGNORE, FAIL = 0, 1, 2


class AutotuneAlgorithm(enum.Enum):
    """How buffers are tuned: taken, and without effect."""
    DEFAULT, HILL_CLIMB, GRADIENT_DESCENT, MAX_PARALLELISM, STAGE_BASED = range(5)


def __getattr__(name):
    if name in ("DistributeOptions", "OptimizationOptions", "ThreadingOptions", "AutotuneOptions", "ServiceOptions"):
        from . import _options
        return getattr(_options, name)
    if name in ("TFRecordWriter", "Optional"):
        from . import _extra
        return getattr(_extra, name)
    raise AttributeError(f"module 'lockstep.data.experimental' has no attribute {name!r}")


def RandomDataset(seed=None, rerandomize_each_iteration=None, name=None):
    """An endless stream of numbers, as int64."""
    from . import Dataset
    return Dataset.random(seed, rerandomize_each_iteration)


class Reducer:
    """How elements become one value: `init_func(key)`, `reduce_func(state, element)`, `finalize_func(state)`."""

    def __init__(self, init_func, reduce_func, finalize_func):
        self.init_func, self.reduce_func, self.finalize_func = init_func, reduce_func, finalize_func


def group_by_reducer(key_func, reducer):
    """One element a key, in the order of the keys' numbers."""
    def apply(dataset):
        from .. import nest
        from .._tensor import convert_to_tensor
        from . import Dataset
        states = {}
        for element in dataset:
            parts = element if type(element) is tuple else (element,)
            key = int(key_func(*parts))
            state = states[key] if key in states else reducer.init_func(convert_to_tensor(key, dtype="int64"))
            states[key] = reducer.reduce_func(state, element)
        made = [reducer.finalize_func(states[key]) for key in sorted(states)]
        if not made:
            return dataset.take(0)
        stacked = [_stacked([nest.flatten(one)[i] for one in made]) for i in range(len(nest.flatten(made[0])))]
        return Dataset.from_tensor_slices(nest._pack(made[0], iter(stacked)))
    return apply


def _stacked(values):
    from ..ops_array import stack
    return stack(values)


def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    """`map` and `batch`, for `Dataset.apply`."""
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """`shuffle` and `repeat`, for `Dataset.apply`."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None,
                        prefetch_input_elements=None):
    """`interleave`, for `Dataset.apply`; the order is fixed, also where `sloppy` would let it go."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


def parse_example_dataset(features, num_parallel_calls=1, deterministic=None):
    """Batches of serialized examples as dicts of tensors, for `Dataset.apply`."""
    from ..io import parse_example
    return lambda dataset: dataset.map(lambda texts: parse_example(texts, features), num_parallel_calls)


def get_next_as_optional(iterator):
    """The next element, or that there is none."""
    return iterator.get_next_as_optional()


def copy_to_device(target_device, source_device="/cpu:0"):
    return lambda dataset: dataset


def enable_debug_mode():
    """Functions of datasets run eagerly."""
    from .._function import run_functions_eagerly
    run_functions_eagerly(True)


def pad_to_cardinality(cardinality, mask_key="valid"):
    """For `Dataset.apply`: a dataset of dicts with zeros behind until there are `cardinality` elements; `mask_key` says of each
    whether it was there. Raises: ValueError for other elements, and for a dataset with more or an unknown number of them."""
    def apply(dataset):
        from .._tensor import convert_to_tensor
        from ..ops_array import zeros
        from . import Dataset
        if not isinstance(dataset.element_spec, dict):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        count = dataset._count()
        if count < 0:
            raise ValueError("The dataset passed into `pad_to_cardinality` must have a known cardinalty, but has cardinality "
                             f"{count}")
        if count > cardinality:
            raise ValueError("The dataset passed into `pad_to_cardinality` must have a cardinalty less than the target "
                             f"cardinality ({cardinality}), but has cardinality {count}")
        blank = {name: zeros(one.shape, one.dtype) for name, one in dataset.element_spec.items()}
        marked = dataset.map(lambda one: {**one, mask_key: convert_to_tensor(True)})
        behind = Dataset.from_tensors({**blank, mask_key: convert_to_tensor(False)}).repeat(cardinality - count)
        return marked.concatenate(behind)
    return apply
