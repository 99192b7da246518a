"""Datasets: sequences of elements that are described, not held."""

import os
import sys
import time

from .. import _composites, _native, _refused, errors, nest
from .._dtypes import as_dtype, BY_CODE, int64, TensorShape
from .._function import TensorSpec
from .._tensor import convert_to_tensor, integers
from . import _lineage
from ._deferred import deferrable
from ._elements import (_as_structure, _both_specs, _call_on, _check_alike, _check_rows, _count_of, _element, _flat_element,
                        _op_by_op, _other_rows, _rows_of, _spec_of, _traced)
from ._generated import _check_generated, _map_signature, _signature_leaves
from ._iterator import ElementForm, Iterator, iterator_of_each_run
from ._names_of import _names_of
from ._options import Options
from ._padding import _check_padded, _padded_shapes, _padding_values
from ._windows import _Windows

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


@deferrable
class Dataset:
    """A sequence of elements, each a tensor or a structure of tensors. Transformations give new
    datasets and read nothing. An iteration is a pass; its number decides the order of reshuffled
    elements."""

    _is_dataset = True
    _name = "Dataset"

    def __init__(self, variant_tensor=None):
        raise TypeError("make a dataset by Dataset.from_tensor_slices, Dataset.range, ...")

    @classmethod
    def _make(cls, native, spec, name="Dataset"):
        made = object.__new__(Dataset)
        made._native = native
        made._spec = spec
        made._name = name
        return made

    def _derive(self, native, name, spec=None):
        """A dataset of elements of the same structure, with the shapes that the native one knows."""
        if spec is None:
            spec = self._spec
        known = native.specs()
        flat = nest.flatten(spec)
        if known is not None and len(known) == len(flat):
            spec = nest._pack(spec, iter([TensorSpec(shape, BY_CODE[code]) for code, shape in known]))
        return self._kept(Dataset._make(native, spec, name))

    def _kept(self, made, rows=None):
        """The dataset `made` of this one: it has its options, and batches of as many rows, if not of `rows`."""
        made.__dict__.update({key: value for key, value in self.__dict__.items() if key in ("_options", "_rows")})
        if rows is not None:
            made._rows = rows
        return made

    # ---- sources

    @staticmethod
    def from_tensors(tensors, name=None):
        """One element."""
        structure = _as_structure(_composites.apart(tensors))
        native = _native.Dataset.from_tensors(_flat_element(structure))
        return Dataset._make(native, nest.map_structure(_spec_of, structure), "_TensorDataset")

    @staticmethod
    def from_tensor_slices(tensors, name=None):
        """The slices along axis 0. Raises: ValueError when sizes along it differ."""
        from . import composites
        parts = composites.parts_of(tensors)
        if parts is not None:
            return composites.slices(_as_structure(parts))
        structure = _as_structure(tensors)
        flat = _flat_element(structure)
        for one in flat:
            if one._rank == 0:
                raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        for one in flat[1:]:
            if one._shape[0] != flat[0]._shape[0]:
                raise ValueError(f"Dimensions {flat[0]._shape[0]} and {one._shape[0]} are not compatible")
        native = _native.Dataset.from_tensor_slices(flat)
        spec = nest.map_structure(lambda one: TensorSpec(one._shape[1:], one.dtype), structure)
        return Dataset._make(native, spec, "_TensorSliceDataset")

    @staticmethod
    def counter(start=0, step=1, dtype=int64, name=None):
        """Numbers without an end."""
        first, step = convert_to_tensor(start, dtype=dtype), convert_to_tensor(step, dtype=dtype)
        return Dataset.from_tensors(0).repeat().scan(first, lambda number, _: (number + step, number))

    @staticmethod
    def range(*args, output_type=int64, name=None):
        """int64 numbers: range(stop), range(start, stop[, step])."""
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        values = [_count_of(one) for one in args]
        start, stop, step = (0, values[0], 1) if len(values) == 1 else (values + [1])[:3]
        native = _native.Dataset.range(start, stop, step)
        made = Dataset._make(native, TensorSpec([], int64), "_RangeDataset")
        if as_dtype(output_type) != int64:
            made = made._plain_map(lambda t: [_native.cast(t[0], as_dtype(output_type))],
                                   TensorSpec([], output_type), "_RangeDataset")
        return made

    @staticmethod
    def from_generator(generator, output_types=None, output_shapes=None, args=None,
                       output_signature=None, name=None):
        """What the iterator that `generator(*args)` gives yields.

        Args: output_signature: `TensorSpec`s in the structure of an element.
        Raises, at the element: InvalidArgumentError for elements that do not fit."""
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        if output_signature is None:
            if output_types is None:
                raise TypeError("To specify the output signature you need to provide either the `output_signature` argument or "
                                "the `output_types` argument.")
            shapes = output_shapes
            if shapes is None:
                shapes = nest.map_structure(lambda _: None, output_types)
                output_signature = nest.map_structure(lambda t: (None, as_dtype(t)), output_types)
            else:
                flat = [shapes] if not nest.is_nested(output_types) else list(
                    shapes if not isinstance(shapes, dict) else [shapes[k] for k in sorted(shapes)])
                output_signature = nest._pack(output_types, iter([
                    TensorSpec(shape, dtype)
                    for shape, dtype in zip(flat, nest.flatten(output_types))]))
        elif output_types is not None or output_shapes is not None:
            raise TypeError(f"The `output_{'types' if output_types is not None else 'shapes'}` argument can not be used together "
                            "with the `output_signature` argument.")
        output_signature = _composites.apart(output_signature)
        unknown = any(isinstance(one, tuple) or getattr(one, "shape", TensorShape([])).rank is None
                      for one in _signature_leaves(output_signature))
        leaves = _signature_leaves(output_signature)

        def make():
            items = generator(*[convert_to_tensor(one).numpy() for one in args or ()])
            return _check_generated(iter(items), output_signature, leaves)
        if unknown:  # ranks are those of the first element
            structure = _map_signature(output_signature)
            return Dataset._make(_native.Dataset.from_generator(make, []), structure,
                                 "_FlatMapDataset")
        native = _native.Dataset.from_generator(
            make, [(int(one.dtype), [-1 if s is None else s for s in one.shape]) for one in leaves])
        return Dataset._make(native, output_signature, "_FlatMapDataset")

    @staticmethod
    def random(seed=None, rerandomize_each_iteration=None, name=None):
        """An endless stream of numbers, as int64, the same in each pass unless `rerandomize_each_iteration`."""
        if rerandomize_each_iteration:
            from . import _rerandomized
            return _rerandomized.numbers(seed)
        return Dataset._make(_native.Dataset.random(seed), TensorSpec([], int64), "_RandomDataset")

    @staticmethod
    def zip(*args, datasets=None, name=None):
        """Element i holds element i of each; ends with the shortest."""
        structure = datasets if datasets is not None else (args[0] if len(args) == 1 else args)
        if structure == ():
            raise TypeError("Must pass at least one dataset to `zip`.")
        if isinstance(structure, Dataset):
            structure = (structure,)
        parts = nest.flatten(structure)
        for one in parts:
            if not isinstance(one, Dataset):
                raise TypeError("Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` "
                                f"objects but encountered object of type {type(one)}.")
        spec = nest._pack(structure, iter([one._spec for one in parts]))
        if isinstance(structure, list):
            spec = tuple(spec)
        native = _native.Dataset.zip([one._native for one in parts])
        return Dataset._make(native, spec, "_ZipDataset")

    @staticmethod
    def sample_from_datasets(datasets, weights=None, seed=None, stop_on_empty_dataset=False,
                             rerandomize_each_iteration=None):
        """Elements of one of the datasets at a time, drawn with `weights`; anew in each pass if `rerandomize_each_iteration`."""
        datasets = list(datasets)
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        if isinstance(weights, Dataset):
            from . import _rerandomized
            return _rerandomized.sampled(datasets, weights, seed, stop_on_empty_dataset, bool(rerandomize_each_iteration))
        chances = [1.0] * len(datasets) if weights is None else list(integers(weights, "weights"))
        if len(chances) != len(datasets):
            raise ValueError("Invalid `weights`. `weights` should have the same length as `datasets` but got "
                             f"`len(weights)={len(chances)}` vs. `len(datasets)={len(datasets)}`.")
        left = [(one, float(chance)) for one, chance in zip(datasets, chances) if chance > 0] or [(datasets[0].take(0), 1.0)]
        datasets, chances = [one for one, _ in left], [chance for _, chance in left]
        if len(datasets) == 1:
            return datasets[0]
        _check_alike(datasets)
        if rerandomize_each_iteration:
            from . import _rerandomized
            return _rerandomized.sampled(datasets, chances, seed, stop_on_empty_dataset, True)
        native = _native.sample_from_datasets([one._native for one in datasets], chances, seed,
                                              bool(stop_on_empty_dataset))
        return Dataset._make(native, datasets[0]._spec, "_DirectedInterleaveDataset")

    @staticmethod
    def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=True):
        """Elements of the dataset whose number the next element of `choice_dataset` is.

        Raises: TypeError for datasets of other elements than the first's; at the element, InvalidArgumentError for a
        number of no dataset."""
        datasets, choice = list(datasets), choice_dataset.element_spec
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        if not isinstance(choice, TensorSpec) or choice.dtype != int64 or choice.shape.rank:
            raise TypeError("Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
                            f"{choice}.")
        _check_alike(datasets)

        def make():
            places = [iter(one) for one in datasets]
            left = set(range(len(places)))
            for which in map(int, choice_dataset):
                if not 0 <= which < len(places):
                    raise errors.InvalidArgumentError(None, None, f"Selector index out of range: {which} >= {len(places)}")
                try:
                    yield _flat_element(next(places[which]))
                except StopIteration:
                    left.discard(which)
                    if stop_on_empty_dataset or not left:
                        return
        return datasets[0]._from_python(make, datasets[0]._spec, "_ChooseDataset")

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None):
        """The names of the files that fit a pattern, sorted, then shuffled unless `shuffle=False`."""
        from ..gfile import matching
        patterns = file_pattern if isinstance(file_pattern, (list, tuple)) else [file_pattern]
        names = sorted(name for one in patterns for name in matching(_names_of(one)[0]))
        if not names:
            raise errors.InvalidArgumentError(None, None, f"No files matched pattern: {file_pattern}")
        made = Dataset.from_tensor_slices(names)
        return made if shuffle is False else made.shuffle(len(names), seed)

    # ---- steps

    def map(self, map_func, num_parallel_calls=None, deterministic=None, synchronous=None,
            use_unbounded_threadpool=False, name=None):
        """`map_func` of each element: traced once for each kind of element."""
        parallel = 1 if num_parallel_calls is None else int(num_parallel_calls)
        try:
            call, spec = _traced(map_func, self._spec)
        except errors.UnimplementedError:  # a shape that only the values tell
            call, spec = _op_by_op(map_func, self)
        native = self._native.map(call, parallel, False)
        return self._kept(Dataset._make(native, spec,
                                        "_MapDataset" if num_parallel_calls is None else "_ParallelMapDataset"))

    def _plain_map(self, function, spec, name):
        return self._kept(Dataset._make(self._native.map(function, 1, False), spec, name))

    def _from_python(self, make, spec, name):
        flat = nest.flatten(spec)
        shapes = [(int(one.dtype), [-1 if s is None else s for s in one.shape]) for one in flat] \
            if all(one.shape.rank is not None for one in flat) else []
        return Dataset._make(_native.Dataset.from_generator(make, shapes), spec, name)

    def filter(self, predicate, name=None):
        """The elements for which `predicate` holds."""
        call, spec = _traced(predicate, self._spec)
        leaf = spec if isinstance(spec, TensorSpec) else None
        if leaf is None or leaf.dtype != "bool" or leaf.shape.rank:
            raise ValueError("Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, "
                             f"but its return type is {spec}.")
        return self._kept(Dataset._make(self._native.filter(call), self._spec, "_FilterDataset"))

    def flat_map(self, map_func, name=None):
        """The elements of the dataset that `map_func` gives for each element."""
        return self._interleave(map_func, 1, 1, "_FlatMapDataset")

    def interleave(self, map_func, cycle_length=None, block_length=None, num_parallel_calls=None,
                   deterministic=None, name=None):
        """The same with `cycle_length` of them open at a time, `block_length` elements of each in
        turn."""
        cycle = 16 if cycle_length in (None, AUTOTUNE) else int(cycle_length)
        block = 1 if block_length is None else int(block_length)
        return self._interleave(map_func, cycle, block, "_InterleaveDataset")

    def _interleave(self, map_func, cycle, block, name):
        structure = self._spec
        specs = []

        def expand(tensors):
            made = _call_on(map_func, _element(structure, tensors))
            if not isinstance(made, Dataset):
                raise TypeError("The `map_func` argument must return a `Dataset` object. Got "
                                f"{type(made)!r}.")
            specs.append(made._spec)
            return made._native
        native = self._native.interleave(expand, cycle, block)
        first = iter(self)
        try:
            element = _flat_element(next(first))
            _native.call_in_element(lambda: expand(element))
        except StopIteration:
            specs.append(self._spec)
        return Dataset._make(native, specs[0], name)

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None,
              name=None):
        """Stacks `batch_size` elements; the last batch is smaller, or left out."""
        size = _count_of(batch_size)
        if _composites.has_parts(self._spec):
            from . import composites
            return composites.batch(self, size, drop_remainder)
        spec = nest.map_structure(lambda one: _rows_of(size if drop_remainder else None, one), self._spec)
        return self._kept(Dataset._make(self._native.batch(size, drop_remainder), spec, "_BatchDataset"), size)

    def ragged_batch(self, batch_size, drop_remainder=False, row_splits_dtype=int64, name=None):
        """The same for elements of different sizes, as ragged tensors where the sizes are not known."""
        from . import composites
        if _composites.has_parts(self._spec):
            return self.batch(batch_size, drop_remainder)
        size = _count_of(batch_size)
        return composites.ragged_batch(self, size, drop_remainder, as_dtype(row_splits_dtype))

    def padded_batch(self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False,
                     name=None):
        """The same for elements of different sizes, padded behind. Raises: DataLossError for elements that are larger."""
        flat = nest.flatten(self._spec)
        wanted = _padded_shapes(padded_shapes, flat)
        _check_padded(wanted, flat)
        values = _padding_values(padding_values, self._spec, flat)
        size = _count_of(batch_size)
        shapes = [[-1 if s is None else int(s) for s in one] for one in wanted]
        native = self._native.padded_batch(size, shapes, values, drop_remainder)
        spec = nest._pack(self._spec, iter([
            TensorSpec([size if drop_remainder else None] + [None if s in (None, -1) else s
                                                              for s in shape], one.dtype)
            for one, shape in zip(flat, wanted)]))
        return self._kept(Dataset._make(native, spec, "_PaddedBatchDataset"), size)

    def bucket_by_sequence_length(self, element_length_func, bucket_boundaries, bucket_batch_sizes,
                                  padded_shapes=None, padding_values=None,
                                  pad_to_bucket_boundary=False, no_padding=False,
                                  drop_remainder=False, name=None):
        """Batches of elements of similar length."""
        bounds = [int(one) for one in bucket_boundaries]
        sizes = [int(one) for one in bucket_batch_sizes]
        if len(sizes) != len(bounds) + 1:
            raise ValueError(f"`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)="
                             f"{len(sizes)}` and `len(bucket_boundaries)={len(bounds)}`.")
        flat = nest.flatten(self._spec)
        shapes = [one.shape for one in flat] if no_padding else _padded_shapes(padded_shapes, flat)
        spec = nest._pack(self._spec, iter([
            _rows_of(None, TensorSpec([None if size == -1 else size for size in shape], one.dtype))
            for one, shape in zip(flat, shapes)]))
        length, _ = _traced(element_length_func, self._spec)
        native = self._native.bucket_by_sequence_length(
            length, bounds, sizes, [] if no_padding else shapes, _padding_values(padding_values, self._spec, flat),
            bool(pad_to_bucket_boundary), bool(no_padding), bool(drop_remainder))
        return self._kept(Dataset._make(native, spec, "_GroupByWindowDataset"))

    def group_by_window(self, key_func, reduce_func, window_size=None, window_size_func=None,
                        name=None):
        """What `reduce_func(key, dataset of a window)` gives, window by window."""
        if (window_size is None) == (window_size_func is None):
            raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")
        key, _ = _traced(key_func, self._spec)

        def reduced(key, native):
            return reduce_func(convert_to_tensor(key, int64), Dataset._make(native, self._spec, "_Window"))

        def size(key):
            return int(window_size if window_size_func is None else window_size_func(convert_to_tensor(key, int64)))
        spec = reduced(0, self._from_python(lambda: iter([]), self._spec, "_Window")._native)._spec  # as if it were traced
        native = self._native.group_by_window(key, lambda *given: reduced(*given)._native, size)
        return self._kept(Dataset._make(native, spec, "_GroupByWindowDataset"))

    def unbatch(self, name=None):
        """The rows of each element."""
        if _composites.has_parts(self._spec):
            from . import composites
            return composites.unbatch(self)
        _check_rows(nest.flatten(self._spec))
        spec = nest.map_structure(lambda one: TensorSpec(None if one.shape.rank is None else one.shape[1:], one.dtype),
                                  self._spec)
        return Dataset._make(self._native.unbatch(), spec, "_UnbatchDataset")

    def rebatch(self, batch_size, drop_remainder=False, name=None):
        """Cuts the rows of all elements into batches."""
        sizes = batch_size if isinstance(batch_size, (list, tuple)) else [batch_size]
        spec = nest.map_structure(_other_rows, self._spec)
        return Dataset._make(self._native.rebatch([int(s) for s in sizes], drop_remainder), spec,
                             "_RebatchDataset")

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None):
        """Datasets of `size` elements each; window k begins at element k * shift."""
        shift = size if shift is None else shift
        stacked = self._native.window(int(size), int(shift), int(stride), bool(drop_remainder))
        return _Windows(stacked, self._spec)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None):
        """Draws from a buffer, with TensorFlow's algorithm; UNKNOWN_CARDINALITY is one for all elements."""
        size = _count_of(buffer_size)
        if size == UNKNOWN_CARDINALITY:
            size = self._count() if self._count() > 0 else 2**31
        again = True if reshuffle_each_iteration is None else reshuffle_each_iteration
        seed = None if seed is None else int(integers(seed, "a seed"))
        return self._derive(self._native.shuffle(size, seed, again), "_ShuffleDataset")

    def repeat(self, count=None, name=None):
        """`count` passes one after another; endless without it."""
        count = -1 if count is None else _count_of(count)
        return self._derive(self._native.repeat(count), "_RepeatDataset")

    def take(self, count, name=None):
        """The first `count` elements."""
        return self._derive(self._native.take(_count_of(count)), "_TakeDataset")

    def skip(self, count, name=None):
        """All but the first `count` elements."""
        return self._derive(self._native.skip(_count_of(count)), "_SkipDataset")

    def shard(self, num_shards, index, name=None):
        """Elements index, index + num_shards, ..."""
        return self._derive(self._native.shard(int(num_shards), int(index)), "_ShardDataset")

    def concatenate(self, dataset, name=None):
        """The elements of `dataset` after these. Raises: TypeError for elements of another structure, or other dtypes."""
        own, other = nest.flatten(self._spec), nest.flatten(dataset._spec)
        if [getattr(one, "dtype", one) for one in own] != [getattr(one, "dtype", one) for one in other]:
            raise TypeError(f"Incompatible dataset elements:\n  {self.element_spec} vs.   {dataset.element_spec}")
        return self._derive(self._native.concatenate(dataset._native), "_ConcatenateDataset")

    def cache(self, filename="", name=None):
        """Keeps the elements of the first full pass: in memory, or in files that begin with `filename`."""
        if filename:
            from . import files
            return files.cached(self, _names_of(filename)[0])
        return self._derive(self._native.cache(), "CacheDataset")

    def save(self, path, compression=None, shard_func=None, checkpoint_args=None):
        """Writes the elements below a folder, from which `Dataset.load` reads them, of Lockstep alone."""
        from . import files
        _refused.only("Dataset.save", shard_func=(shard_func, None), checkpoint_args=(checkpoint_args, None))
        files.save(self, path, compression)

    @staticmethod
    def load(path, element_spec=None, compression=None, reader_func=None, wait=False):
        """The elements that `save` has written; with `wait` once they are there. Raises: NotFoundError; ValueError for another
        `element_spec`; NotImplementedError for a `reader_func`."""
        from . import files
        if reader_func is not None:
            raise NotImplementedError("the elements come in the order in which they were saved; shuffle the dataset that load "
                                      "gives")
        while wait and not os.path.exists(os.path.join(_names_of(path)[0], "element_spec.json")):
            time.sleep(0.5)
        return files.load(path, element_spec, compression)

    def snapshot(self, path, compression="AUTO", reader_func=None, shard_func=None, name=None):
        """The elements; the first full pass writes them below a folder, later ones, also of later runs, read them. A dataset
        of other steps, functions, arguments or kinds of elements gets a snapshot of its own; the values of tensors that it is
        made of, and what is in files, are not looked into.

        Raises: NotImplementedError for a `reader_func`."""
        from . import files
        if reader_func is not None:
            raise NotImplementedError("the elements come in the order in which they were written; shuffle the dataset that "
                                      "snapshot gives")
        _refused.only("Dataset.snapshot", shard_func=(shard_func, None))
        kind = files.compression_of("Dataset.snapshot", compression)
        described = f"{self.explain()}\n{self.element_spec!r}\n{_lineage.text(self.__dict__.get('_lineage'))}".encode()
        return files.cached(self, os.path.join(_names_of(path)[0], f"{_native.fingerprint64(described):016x}", "snapshot"), kind)

    def rejection_resample(self, class_func, target_dist, initial_dist=None, seed=None, name=None):
        """(class, element) of elements drawn so that their classes are distributed as `target_dist` says. Without
        `initial_dist` the distribution so far stands for it."""
        from . import resample
        return resample.rejection_resample(self, class_func, target_dist, initial_dist, seed)

    def fingerprint(self):
        """A number that follows from the steps of the dataset, uint64's bits as int64."""
        value = _native.fingerprint64(f"{self.explain()}\n{_lineage.text(self.__dict__.get('_lineage'))}".encode())
        return convert_to_tensor(value - (1 << 64) if value >> 63 else value, int64)

    def prefetch(self, buffer_size=AUTOTUNE, name=None):
        """Reads ahead on a thread of its own."""
        size = -1 if buffer_size is None else _count_of(buffer_size)
        return self._derive(self._native.prefetch(size), "_PrefetchDataset")

    def enumerate(self, start=0, name=None):
        """(number, element)."""
        native = self._native.enumerate(int(start))
        return Dataset._make(native, (TensorSpec([], int64), self._spec), "_ZipDataset")

    def scan(self, initial_state, scan_func, name=None):
        """What `scan_func(state, element)` gives beside the new state."""
        state = nest.map_structure(convert_to_tensor, initial_state)
        form = nest.map_structure(_spec_of, state)
        while True:
            call, spec = _traced(scan_func, (form, self._spec))
            if not isinstance(spec, tuple) or len(spec) != 2:
                raise TypeError("Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output "
                                f"value but its return type is {spec}.")
            nest.assert_same_structure(form, spec[0])
            wider = nest.map_structure(_both_specs, form, spec[0])
            if nest.flatten(wider) == nest.flatten(form):
                break
            form = wider  # sizes that change from step to step are not known
        native = self._native.scan([convert_to_tensor(one) for one in nest.flatten(state)], call)
        return self._kept(Dataset._make(native, spec[1], "_ScanDataset"))

    def take_while(self, predicate, name=None):
        """The elements before the first one for which `predicate` does not hold."""
        _, kind = _traced(predicate, self._spec)
        if not isinstance(kind, TensorSpec) or kind.dtype != "bool" or kind.shape.rank:
            raise ValueError("Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor but its return type is "
                             f"{kind}.")

        def make():
            for element in self:
                if not bool(_call_on(predicate, element)):
                    return
                yield _flat_element(element)
        return self._from_python(make, self._spec, "_TakeWhileDataset")

    def unique(self, name=None):
        """Each value once. Raises: TypeError for others than int32, int64 and string."""
        for one in nest.flatten(self._spec):
            if one.dtype not in ("int32", "int64", "string"):
                raise TypeError(f"`tf.data.Dataset.unique` does not support type {one.dtype!r} -- only `tf.int32`, `tf.int64`, "
                                "and `tf.string` are supported.")

        def make():
            seen = set()
            for element in self:
                key = element.numpy().tobytes() if element._dtype != 7 else element.numpy()
                if key not in seen:
                    seen.add(key)
                    yield [element]
        return self._from_python(make, self._spec, "_UniqueDataset")

    def ignore_errors(self, log_warning=False, name=None):
        """Leaves out elements that fail; with `log_warning` each error is written to the log."""
        def make():
            place = iter(self)
            refused = None
            while True:
                try:
                    yield _flat_element(next(place))
                except StopIteration:
                    return
                except errors.OpError as error:
                    if log_warning:
                        print(f"Error raised with error message: {error}", file=sys.stderr)
                    epoch, read = place._native.cursor()
                    if refused == (epoch, read):
                        raise  # the element behind it cannot be reached without it
                    refused = epoch, read + 1
                    place._native.resume(*refused)
        return self._from_python(make, self._spec, "_IgnoreErrorsDataset")

    def apply(self, transformation_func):
        """`transformation_func(self)`."""
        made = transformation_func(self)
        if not isinstance(made, (Dataset, _Windows)):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got "
                            f"{type(made)}.")
        return made

    def reduce(self, initial_state, reduce_func, name=None):
        """The last state of state = reduce_func(state, element)."""
        state = nest.map_structure(convert_to_tensor, initial_state)
        if _native.is_tracing():
            return self._reduced_in_graph(state, reduce_func)
        from .._function import function
        step = function(reduce_func)
        for element in self:
            state = step(state, element)
        return state

    def _reduced_in_graph(self, state, reduce_func):
        from .. import _autograph_run, autograph
        step, held = autograph.convert_callable(reduce_func), [state]

        def body(element):
            held[0] = step(held[0], element)

        def put(values):
            held[0] = values[0]
        _autograph_run.for_statement(self, None, body, lambda: (held[0],), put, ("the state",), None)
        return held[0]

    def _pieces(self, replicas, pipelines, pipeline, policy):
        """The batches of replicas that a pipeline of a distributed dataset reads, by TensorFlow's rules for a policy."""
        spec = nest.map_structure(_other_rows, self._spec)
        rows = next((one.shape[0] for one in nest.flatten(self._spec) if one.shape.rank), None) or self.__dict__.get("_rows")
        if rows is None:
            raise ValueError(f"AutoShardPolicy.{policy.name} needs the number of rows of a global batch, which is not known of this "
                             "dataset; make its batches by batch(n)")
        made = self._native.distributed_pieces(rows, replicas, pipelines, pipeline, int(policy))
        return Dataset._make(made, spec, "_RebatchDataset")

    def with_options(self, options, name=None):
        """The same dataset, which keeps the options, too; they change no element, but a policy of sharding how
        `experimental_distribute_dataset` divides them."""
        made = self._kept(Dataset._make(self._native, self._spec, "_OptionsDataset"))
        made._options = self.options().merge(options)
        return made

    def options(self):
        """The options that `with_options` gave to this dataset."""
        return self.__dict__.get("_options") or Options()

    # ---- reading

    @property
    def element_spec(self):
        """`TensorSpec`s, and those of sparse and ragged tensors, in the structure of an element."""
        return _composites.specs(self._spec)

    def cardinality(self, name=None):
        """The number of elements, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY."""
        return convert_to_tensor(self._count(), int64)

    def _count(self):
        """The number of elements, as it is known or was asserted."""
        return self.__dict__.get("_asserted", self._native.cardinality())

    def __len__(self):
        count = self._count()
        if count == INFINITE_CARDINALITY:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN_CARDINALITY:
            raise TypeError("The dataset length is unknown.")
        return count

    def __bool__(self):
        return True

    def explain(self):
        """Which kind of dataset this is, which step made it so, and who reads what."""
        return self._native.explain()

    @property
    def _form(self):
        return ElementForm(self._spec)

    def __iter__(self):
        if _native.is_tracing() and not _native.has_graph() and self._form.specs is not None and self._form.ranked:
            return iterator_of_each_run(self)
        return Iterator(self)

    def as_numpy_iterator(self):
        """The elements as NumPy arrays."""
        for element in self:
            yield nest.map_structure(
                lambda one: one._parts().plain() if _composites.is_composite(one) else one.numpy(), element)

    def get_single_element(self, name=None):
        """The only element. Raises: InvalidArgumentError for none or several."""
        place = iter(self)
        element = next(place, None)
        if element is None:
            raise errors.InvalidArgumentError(None, None, "Dataset was empty.")
        if next(place, None) is not None:
            raise errors.InvalidArgumentError(None, None, "Dataset had more than one element.")
        return element

    def make_one_shot_iterator(self):
        """An iterator that goes through the dataset once."""
        if not _native.has_graph():
            return Iterator(self)
        from ..compat.v1.data import make_one_shot_iterator
        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name=None):
        """One that begins when its `initializer` is run, in a session."""
        from ..compat.v1.data import make_initializable_iterator
        return make_initializable_iterator(self, shared_name)

    def __repr__(self):
        return f"<{self._name} element_spec={self.element_spec!r}>"

    __str__ = __repr__


DatasetV2 = Dataset


class DatasetSpec:
    """The kind of datasets whose elements have a structure."""

    def __init__(self, element_spec, dataset_shape=()):
        self.element_spec, self._shape = element_spec, TensorShape(dataset_shape)

    @classmethod
    def from_value(cls, value):
        """The spec of a dataset."""
        return cls(value.element_spec)

    def is_compatible_with(self, spec_or_value):
        """Whether a dataset, or another such spec, has elements that this one describes."""
        other = spec_or_value.element_spec if hasattr(spec_or_value, "element_spec") else None
        try:
            nest.assert_same_structure(self.element_spec, other)
        except (TypeError, ValueError):
            return False
        return all(one.is_compatible_with(own) for one, own in zip(nest.flatten(self.element_spec), nest.flatten(other)))

    def __eq__(self, other):
        return isinstance(other, DatasetSpec) and repr(self) == repr(other)

    def __repr__(self):
        return f"DatasetSpec({self.element_spec!r}, {self._shape!r})"
