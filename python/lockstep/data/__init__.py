"""Datasets: sequences of elements that are described, not held."""

import os

from .. import _native, errors, nest
from .._dtypes import BY_CODE, TensorShape, as_dtype, float32, int64
from .._function import TensorSpec
from .._tensor import Tensor, convert_to_tensor, integers

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class Options:
    """Options of a dataset, taken and kept; they never change an element."""

    def __init__(self):
        self.__dict__["_values"] = {}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("experimental_distribute", "threading", "experimental_optimization", "autotune",
                    "experimental_threading", "experimental_service"):
            return self._values.setdefault(name, Options())
        return self._values.get(name)

    def __setattr__(self, name, value):
        self._values[name] = value

    def _with(self, other):
        """These options, and over them those that `other` has."""
        made = Options()
        made._values.update(self._values)
        for name, value in other._values.items():
            inner = made._values.get(name)
            made._values[name] = inner._with(value) if isinstance(inner, Options) and isinstance(
                value, Options) else value
        return made


ThreadingOptions = Options


def _spec_of(tensor):
    return TensorSpec(tensor.shape, tensor.dtype)


def _flat_element(structure):
    return [convert_to_tensor(one) for one in nest.flatten(structure)]


def _as_structure(value):
    """Lists of numbers are one component, as everything else that is no tuple and no dict."""
    if isinstance(value, tuple):
        return nest._like(value, [_as_structure(one) for one in value])
    if isinstance(value, dict):
        return type(value)((key, _as_structure(one)) for key, one in value.items())
    return convert_to_tensor(value)


def _element(structure, tensors):
    if structure is None:
        return tensors[0]
    return nest._pack(structure, iter(tensors))


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
        return Dataset._make(native, spec, name)

    # ---- sources

    @staticmethod
    def from_tensors(tensors, name=None):
        """One element."""
        structure = _as_structure(tensors)
        native = _native.Dataset.from_tensors(_flat_element(structure))
        return Dataset._make(native, nest.map_structure(_spec_of, structure), "_TensorDataset")

    @staticmethod
    def from_tensor_slices(tensors, name=None):
        """The slices along axis 0. Raises: ValueError when sizes along it differ."""
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
        def numbers():
            number = start
            while True:
                yield number
                number += step
        return Dataset.from_generator(numbers, output_signature=TensorSpec([], dtype))

    @staticmethod
    def range(*args, output_type=int64, name=None):
        """int64 numbers: range(stop), range(start, stop[, step])."""
        values = [int(integers(one, "an end")) for one in args]
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
        Raises, at the element: TypeError, ValueError for elements that do not fit."""
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        if output_signature is None:
            if output_types is None:
                raise TypeError("Either `output_signature` or `output_types` must be specified")
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
        """An endless stream of numbers, as int64."""
        return Dataset._make(_native.Dataset.random(seed), TensorSpec([], int64), "_RandomDataset")

    @staticmethod
    def zip(*args, datasets=None, name=None):
        """Element i holds element i of each; ends with the shortest."""
        structure = datasets if datasets is not None else (args[0] if len(args) == 1 else args)
        if isinstance(structure, Dataset):
            structure = (structure,)
        parts = nest.flatten(structure)
        for one in parts:
            if not isinstance(one, Dataset):
                raise TypeError(f"Invalid input to `zip`. Inputs are expected to be (nested) "
                                f"structures of `tf.data.Dataset` objects. Encountered object {one}.")
        spec = nest._pack(structure, iter([one._spec for one in parts]))
        if isinstance(structure, list):
            spec = tuple(spec)
        native = _native.Dataset.zip([one._native for one in parts])
        return Dataset._make(native, spec, "_ZipDataset")

    @staticmethod
    def sample_from_datasets(datasets, weights=None, seed=None, stop_on_empty_dataset=False,
                             rerandomize_each_iteration=None):
        """Elements of one of the datasets at a time, drawn with `weights`."""
        chances = [] if weights is None else [float(one) for one in integers(weights, "weights")]
        native = _native.sample_from_datasets([one._native for one in datasets], chances, seed,
                                              bool(stop_on_empty_dataset))
        return Dataset._make(native, datasets[0]._spec, "_DirectedInterleaveDataset")

    @staticmethod
    def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=True):
        """Elements of the dataset whose number the next element of `choice_dataset` is."""
        def make():
            places = [iter(one) for one in datasets]
            for which in choice_dataset:
                try:
                    yield _flat_element(next(places[int(which)]))
                except StopIteration:
                    if stop_on_empty_dataset:
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
        call, spec = _traced(map_func, self._spec)
        native = self._native.map(call, parallel, False)
        return Dataset._make(native, spec,
                             "_MapDataset" if num_parallel_calls is None else "_ParallelMapDataset")

    def _plain_map(self, function, spec, name):
        return Dataset._make(self._native.map(function, 1, False), spec, name)

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
        return Dataset._make(self._native.filter(call), self._spec, "_FilterDataset")

    def flat_map(self, map_func, name=None):
        """The elements of the dataset that `map_func` gives for each element."""
        return self._interleave(map_func, 1, 1, "_FlatMapDataset")

    def interleave(self, map_func, cycle_length=None, block_length=None, num_parallel_calls=None,
                   deterministic=None, name=None):
        """The same with `cycle_length` of them open at a time, `block_length` elements of each in
        turn."""
        cycle = 16 if cycle_length in (None, AUTOTUNE) else int(cycle_length)
        return self._interleave(map_func, cycle, block_length or 1, "_InterleaveDataset")

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
            expand(_flat_element(next(first)))
        except StopIteration:
            specs.append(self._spec)
        return Dataset._make(native, specs[0], name)

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None,
              name=None):
        """Stacks `batch_size` elements; the last batch is smaller, or left out."""
        size = int(integers(batch_size, "a batch's size"))
        spec = nest.map_structure(
            lambda one: TensorSpec([size if drop_remainder else None] + list(one.shape), one.dtype),
            self._spec)
        return Dataset._make(self._native.batch(size, drop_remainder), spec, "_BatchDataset")

    def padded_batch(self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False,
                     name=None):
        """The same for elements of different sizes, padded behind."""
        flat = nest.flatten(self._spec)
        wanted = _padded_shapes(padded_shapes, len(flat)) or [
            [None] * one.shape.rank for one in flat]
        value = 0.0 if padding_values is None else nest.flatten(padding_values)[0]
        if padding_values is not None and len({str(v) for v in nest.flatten(padding_values)}) > 1:
            raise NotImplementedError("one padding value for all components")
        if isinstance(value, Tensor):
            value = value._item()
        size = int(integers(batch_size, "a batch's size"))
        shapes = [[-1 if s is None else int(s) for s in one] for one in wanted]
        native = self._native.padded_batch(size, shapes, float(value or 0), drop_remainder)
        spec = nest._pack(self._spec, iter([
            TensorSpec([size if drop_remainder else None] + [None if s in (None, -1) else s
                                                              for s in shape], one.dtype)
            for one, shape in zip(flat, wanted)]))
        return Dataset._make(native, spec, "_PaddedBatchDataset")

    def bucket_by_sequence_length(self, element_length_func, bucket_boundaries, bucket_batch_sizes,
                                  padded_shapes=None, padding_values=None,
                                  pad_to_bucket_boundary=False, no_padding=False,
                                  drop_remainder=False, name=None):
        """Batches of elements of similar length."""
        import bisect
        bounds = list(bucket_boundaries)

        def make():
            waiting = [[] for _ in bucket_batch_sizes]
            for element in self:
                which = bisect.bisect_right(bounds, int(_call_on(element_length_func, element)))
                waiting[which].append(_flat_element(element))
                if len(waiting[which]) == bucket_batch_sizes[which]:
                    yield _stack_padded(waiting[which])
                    waiting[which] = []
            if not drop_remainder:
                for rest in waiting:
                    if rest:
                        yield _stack_padded(rest)
        spec = nest.map_structure(
            lambda one: TensorSpec([None] + [None] * one.shape.rank, one.dtype), self._spec)
        return self._from_python(make, spec, "_GroupByWindowDataset")

    def group_by_window(self, key_func, reduce_func, window_size=None, window_size_func=None,
                        name=None):
        """What `reduce_func(key, dataset of a window)` gives, window by window."""
        specs = []

        def windows():
            waiting = {}
            for element in self:
                key = int(_call_on(key_func, element))
                waiting.setdefault(key, []).append(_flat_element(element))
                size = int(window_size if window_size is not None else window_size_func(key))
                if len(waiting[key]) >= size:
                    yield key, waiting.pop(key)
            for key in list(waiting):
                yield key, waiting.pop(key)

        def make():
            for key, rows in windows():
                made = reduce_func(convert_to_tensor(key, int64), self._of_rows(rows))
                specs.append(made._spec)
                for element in made:
                    yield _flat_element(element)
        try:
            next(iter(make()))
        except StopIteration:
            specs.append(self._spec)
        return self._from_python(make, specs[0], "_GroupByWindowDataset")

    def _of_rows(self, rows):
        return self._from_python(lambda: iter(rows), self._spec, "_Window")

    def unbatch(self, name=None):
        """The rows of each element."""
        spec = nest.map_structure(lambda one: TensorSpec(one.shape[1:], one.dtype), self._spec)
        return Dataset._make(self._native.unbatch(), spec, "_UnbatchDataset")

    def rebatch(self, batch_size, drop_remainder=False, name=None):
        """Cuts the rows of all elements into batches."""
        sizes = batch_size if isinstance(batch_size, (list, tuple)) else [batch_size]
        spec = nest.map_structure(
            lambda one: TensorSpec([None] + list(one.shape)[1:], one.dtype), self._spec)
        return Dataset._make(self._native.rebatch([int(s) for s in sizes], drop_remainder), spec,
                             "_RebatchDataset")

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None):
        """Datasets of `size` elements each; window k begins at element k * shift."""
        shift = size if shift is None else shift
        stacked = self._native.window(int(size), int(shift), int(stride), bool(drop_remainder))
        return _Windows(stacked, self._spec)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None):
        """Draws from a buffer, with TensorFlow's algorithm."""
        size = int(integers(buffer_size, "a buffer's size"))
        again = True if reshuffle_each_iteration is None else reshuffle_each_iteration
        seed = None if seed is None else int(integers(seed, "a seed"))
        return self._derive(self._native.shuffle(size, seed, again), "_ShuffleDataset")

    def repeat(self, count=None, name=None):
        """`count` passes one after another; endless without it."""
        count = -1 if count is None else int(integers(count, "a count"))
        return self._derive(self._native.repeat(count), "_RepeatDataset")

    def take(self, count, name=None):
        """The first `count` elements."""
        return self._derive(self._native.take(int(integers(count, "a count"))), "_TakeDataset")

    def skip(self, count, name=None):
        """All but the first `count` elements."""
        return self._derive(self._native.skip(int(integers(count, "a count"))), "_SkipDataset")

    def shard(self, num_shards, index, name=None):
        """Elements index, index + num_shards, ..."""
        return self._derive(self._native.shard(int(num_shards), int(index)), "_ShardDataset")

    def concatenate(self, dataset, name=None):
        """The elements of `dataset` after these."""
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
        files.save(self, path, compression)

    @staticmethod
    def load(path, element_spec=None, compression=None, reader_func=None, wait=False):
        """What `save` has written. Raises: NotFoundError."""
        from . import files
        return files.load(path)

    def snapshot(self, path, compression="AUTO", reader_func=None, shard_func=None, name=None):
        """The elements; the first full pass writes them below a folder, later ones, also of later runs, read them."""
        from . import files
        return files.cached(self, os.path.join(_names_of(path)[0], "snapshot"))

    def rejection_resample(self, class_func, target_dist, initial_dist=None, seed=None, name=None):
        """(class, element) of elements drawn so that their classes are distributed as `target_dist` says. Without
        `initial_dist` the distribution so far stands for it."""
        from . import resample
        return resample.rejection_resample(self, class_func, target_dist, initial_dist, seed)

    def fingerprint(self):
        """A number that follows from the steps of the dataset, uint64's bits as int64."""
        from .._fingerprints import fingerprint64
        value = fingerprint64(self.explain().encode())
        return convert_to_tensor(value - (1 << 64) if value >> 63 else value, int64)

    def prefetch(self, buffer_size=AUTOTUNE, name=None):
        """Reads ahead on a thread of its own."""
        size = -1 if buffer_size is None else int(integers(buffer_size, "a buffer's size"))
        return self._derive(self._native.prefetch(size), "_PrefetchDataset")

    def enumerate(self, start=0, name=None):
        """(number, element)."""
        native = self._native.enumerate(int(start))
        return Dataset._make(native, (TensorSpec([], int64), self._spec), "_ZipDataset")

    def scan(self, initial_state, scan_func, name=None):
        """What `scan_func(state, element)` gives beside the new state."""
        state_form = nest.map_structure(convert_to_tensor, initial_state)

        def make():
            state = state_form
            for element in self:
                state, out = scan_func(state, element)
                yield _flat_element(out)
        first = next(iter(self), None)
        spec = self._spec
        if first is not None:
            spec = nest.map_structure(lambda one: _spec_of(convert_to_tensor(one)),
                                      scan_func(state_form, first)[1])
        return self._from_python(make, spec, "_ScanDataset")

    def take_while(self, predicate, name=None):
        """The elements before the first one for which `predicate` does not hold."""
        def make():
            for element in self:
                if not bool(_call_on(predicate, element)):
                    return
                yield _flat_element(element)
        return self._from_python(make, self._spec, "_TakeWhileDataset")

    def unique(self, name=None):
        """Each value once."""
        def make():
            seen = set()
            for element in self:
                key = element.numpy().tobytes() if element._dtype != 7 else element.numpy()
                if key not in seen:
                    seen.add(key)
                    yield [element]
        return self._from_python(make, self._spec, "_UniqueDataset")

    def ignore_errors(self, log_warning=False, name=None):
        """Leaves out elements that fail."""
        def make():
            place = iter(self)
            refused = None
            while True:
                try:
                    yield _flat_element(next(place))
                except StopIteration:
                    return
                except errors.OpError:
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
        from .._function import function
        step = function(reduce_func)
        for element in self:
            state = step(state, element)
        return state

    def with_options(self, options, name=None):
        """The same dataset, which keeps the options, too; they change no element."""
        made = Dataset._make(self._native, self._spec, "_OptionsDataset")
        made._options = self.options()._with(options)
        return made

    def options(self):
        """The options that `with_options` gave to this dataset."""
        return self.__dict__.get("_options") or Options()

    # ---- reading

    @property
    def element_spec(self):
        """`TensorSpec`s in the structure of an element."""
        return self._spec

    def cardinality(self, name=None):
        """The number of elements, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY."""
        return convert_to_tensor(self._native.cardinality(), int64)

    def __len__(self):
        count = self._native.cardinality()
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

    def __iter__(self):
        return Iterator(self)

    def as_numpy_iterator(self):
        """The elements as NumPy arrays."""
        for element in self:
            yield nest.map_structure(lambda one: one.numpy(), element)

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
        return Iterator(self)

    def __repr__(self):
        return f"<{self._name} element_spec={self._spec!r}>"

    __str__ = __repr__


DatasetV2 = Dataset
builtin_range = __builtins__["range"] if isinstance(__builtins__, dict) else __builtins__.range


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
        flat = nest.flatten(dataset._spec)
        self._flat_specs = flat if all(
            isinstance(one, TensorSpec) and one.shape.rank is not None for one in flat) else None

    element_spec = property(lambda self: self._spec)

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
        return tensors[0] if self._plain else nest._pack(self._spec, iter(tensors))

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


class _Windows:
    """Windows as datasets."""

    _is_dataset = True

    def __init__(self, stacked, spec):
        self._stacked = stacked
        self._spec = spec

    def _dataset_of(self, tensors):
        native = _native.Dataset.from_tensor_slices(tensors)
        return Dataset._make(native, self._spec, "_VariantDataset")

    element_spec = property(lambda self: f"DatasetSpec({self._spec!r}, TensorShape([]))")

    def __iter__(self):
        place = _native.DatasetIterator(self._stacked)
        while (tensors := place.next()) is not None:
            made = self._dataset_of(tensors)
            if isinstance(self._spec, tuple):
                yield tuple(made.map(lambda *parts, i=i: parts[i])
                            for i in builtin_range(len(self._spec)))
            elif isinstance(self._spec, dict):
                yield {key: made.map(lambda parts, key=key: parts[key]) for key in self._spec}
            else:
                yield made

    def flat_map(self, map_func):
        def expand(tensors):
            made = self._dataset_of(tensors)
            if isinstance(self._spec, tuple):
                parts = [made._part(i) for i in builtin_range(len(self._spec))]
                return map_func(*parts)._native
            return map_func(made)._native
        native = self._stacked.interleave(expand, 1, 1)
        first = next(iter(self), None)
        spec = self._spec
        if first is not None:
            spec = (map_func(*first) if isinstance(first, tuple) else map_func(first))._spec
        return Dataset._make(native, spec, "_FlatMapDataset")

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
            yield self._function(*one) if isinstance(one, tuple) else self._function(one)


def _part(self, i):
    return Dataset._make(self._native.map(lambda tensors: [tensors[i]], 1, False), self._spec[i],
                         "_MapDataset")


Dataset._part = _part


def _signature_leaves(signature):
    if isinstance(signature, TensorSpec):
        return [signature]
    if isinstance(signature, tuple) and len(signature) == 2 and signature[0] is None:
        return [signature]
    if isinstance(signature, dict):
        return [leaf for key in sorted(signature) for leaf in _signature_leaves(signature[key])]
    return [leaf for one in signature for leaf in _signature_leaves(one)]


def _map_signature(signature):
    if isinstance(signature, TensorSpec):
        return signature
    if isinstance(signature, tuple) and len(signature) == 2 and signature[0] is None:
        return TensorSpec(None, signature[1])
    if isinstance(signature, dict):
        return {key: _map_signature(one) for key, one in signature.items()}
    return nest._like(signature, [_map_signature(one) for one in signature])


def _check_generated(items, signature, leaves):
    single = len(leaves) == 1 and not isinstance(signature, (tuple, list, dict)) or (
        isinstance(signature, tuple) and len(signature) == 2 and signature[0] is None)
    for item in items:
        try:
            values = [item] if single else nest.flatten_up_to(
                _map_signature(signature), item if isinstance(item, (dict, tuple)) else tuple(item))
        except (TypeError, ValueError):
            raise TypeError("`generator` yielded an element that did not match the expected structure. "
                            f"The expected structure was {signature!r}, but the yielded element was "
                            f"{item!r}.") from None
        tensors = []
        for value, leaf in zip(values, leaves):
            spec = leaf if isinstance(leaf, TensorSpec) else TensorSpec(None, leaf[1])
            try:
                tensor = convert_to_tensor(value, dtype_hint=spec.dtype)
                if tensor.dtype != spec.dtype:
                    tensor = convert_to_tensor(value, dtype=spec.dtype)
            except (TypeError, ValueError):
                raise TypeError("`generator` yielded an element that could not be converted to the "
                                f"expected type. The expected type was {spec.dtype.name}, but the "
                                f"yielded element was {item!r}.") from None
            if not spec.shape.is_compatible_with(tensor.shape):
                raise ValueError("`generator` yielded an element of shape "
                                 f"{tuple(tensor._shape)} where an element of shape {spec.shape} was "
                                 "expected.")
            tensors.append(tensor)
        yield tensors


def _padded_shapes(shapes, count):
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape) or (
            isinstance(shapes, (list, tuple)) and all(s is None or isinstance(s, int) for s in shapes)
            and (count == 1 or not shapes)):
        return [list(shapes)] * (1 if shapes else count)
    if isinstance(shapes, dict):
        return [list(shapes[key]) for key in sorted(shapes)]
    return [list(one) for one in shapes]


def _stack_padded(rows):
    from .. import ops_array
    columns = []
    for column in zip(*rows):
        sizes = [max(dims) for dims in zip(*[one._shape for one in column])]
        columns.append(ops_array.stack([
            ops_array.pad(one, [[0, size - own] for own, size in zip(one._shape, sizes)])
            if sizes else one for one in column]))
    return columns


def _call_on(function, element):
    """Tuples are the arguments of a function, everything else is one argument."""
    if isinstance(element, tuple):
        return function(*element)
    return function(element)


def _traced(function, spec):
    """(a function of lists of tensors, the structure that it gives)"""
    from .._function import Function, _flatten_results, _pack_results
    inner = Function(function)
    form = []

    def body(tensors):
        value = _call_on(inner._converted(), _element(spec, tensors))
        if isinstance(value, list):
            value = tuple(value) if any(isinstance(one, Tensor) for one in value) else \
                convert_to_tensor(value)
        flat, structure = _flatten_results(value)
        form[:] = [structure]
        return flat
    native = _native.Function(body, getattr(function, "__name__", "map"))
    specs = nest.flatten(spec)
    given = []
    if all(one.shape.rank is not None for one in specs):
        known = _native.symbolic_call(
            body, [(int(one.dtype), [-1 if s is None else s for s in one.shape]) for one in specs])
        given = [TensorSpec(shape, BY_CODE[code]) for code, shape in known]
    else:
        form[:] = [0]
        given = [TensorSpec(None, float32)]
    structure = form[0]
    if structure is None:
        raise TypeError(f"Unsupported return value from function passed to Dataset.map(): None.")
    return native.call, _pack_results(structure, given)


def _names_of(filenames):
    if isinstance(filenames, Dataset):
        filenames = list(filenames.as_numpy_iterator())
    if isinstance(filenames, Tensor):
        filenames = filenames.numpy()
        filenames = filenames.tolist() if hasattr(filenames, "tolist") else [filenames]
    filenames = filenames if isinstance(filenames, (list, tuple)) else [filenames]
    return [one.decode() if isinstance(one, bytes) else str(
        one.numpy().decode() if isinstance(one, Tensor) else one) for one in filenames]


class TFRecordDataset(Dataset):
    """The records of TFRecord files, as strings."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None,
                 name=None):
        self._native = _native.record_dataset(_names_of(filenames), compression_type or "")
        self._spec = TensorSpec([], "string")
        self._name = "TFRecordDatasetV2"


class TextLineDataset(Dataset):
    """The lines of text files, as strings."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None,
                 name=None):
        self._native = _native.line_dataset(_names_of(filenames), compression_type or "")
        self._spec = TensorSpec([], "string")
        self._name = "TextLineDatasetV2"


class FixedLengthRecordDataset(Dataset):
    """Pieces of `record_bytes` bytes of files, as strings, without a header and a footer of each file."""

    def __init__(self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None,
                 compression_type=None, num_parallel_reads=None, name=None):
        from . import files
        self._native = files.fixed_records(_names_of(filenames), int(record_bytes), int(header_bytes or 0),
                                           int(footer_bytes or 0), compression_type or "")._native
        self._spec = TensorSpec([], "string")
        self._name = "FixedLengthRecordDatasetV2"


class DatasetSpec:
    """The kind of datasets whose elements have a structure."""

    def __init__(self, element_spec, dataset_shape=()):
        self.element_spec, self._shape = element_spec, TensorShape(dataset_shape)

    def __eq__(self, other):
        return isinstance(other, DatasetSpec) and repr(self) == repr(other)

    def __repr__(self):
        return f"DatasetSpec({self.element_spec!r}, {self._shape!r})"


from . import experimental  # noqa: E402,F401
