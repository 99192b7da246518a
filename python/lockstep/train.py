"""Clusters, checkpoints, examples: `tf.train`."""

import atexit
import contextlib
import functools
import os
import re
import threading

from . import _attribute_containers, _checkpoint_status, _late, _native, _refused, _whole_files
from ._checkpoint_graphs import (NameBasedSaverStatus, SessionVariable, has_names_alone, outside_of_graphs,
                                 session_of)
from ._checkpoint_options import call_back, CheckpointOptions, is_async, way  # noqa: F401
from ._damage import reading
from .errors import DataLossError, FailedPreconditionError, InvalidArgumentError, OutOfRangeError
from ._tensor import Tensor, convert_to_tensor
from ._variable import Variable
from ._example import (BytesList, Example, Feature, FeatureList, FeatureLists, Features, FloatList, Int64List,  # noqa: F401
                       SequenceExample)
from .train_cluster import ClusterDef, ClusterSpec, JobDef, ServerDef  # noqa: F401


# ---- checkpoints ----------------------------------------------------------------------------------


class _Whole:
    """A variable of this process that stands for one whose rows are spread over servers, while it is saved or restored."""

    def __init__(self, sharded, filled):
        from .ops_array import zeros
        value = sharded.value() if filled else zeros(sharded.shape.as_list(), sharded.dtype)
        self.sharded, self.native = sharded, _native.Variable.apart(value, sharded.name)
        self.key = sharded.variables[0]._v.key

    def give_back(self):
        """The rows get what was restored, if anything was."""
        if self.native.version > 0:
            self.sharded.assign(self.native.value())


def _is_variable(value):
    from .distribute.coordinator import ShardedVariable
    return isinstance(value, (Variable, ShardedVariable))


def _trackable(value, seen, filled=True):
    """The native object of a variable, a model, an optimizer, a module, a list, a dict. `filled`: whether what stands for a
    variable in shards has its value."""
    if id(value) in seen:
        return seen[id(value)][1]
    if _is_variable(value) and not isinstance(value, Variable):
        whole = _Whole(value, filled)
        made = _native.Trackable.of(whole.native)
        seen[id(value)] = whole, made
        return made
    if isinstance(value, Variable):
        session = session_of(value)
        kept = value if session is None else SessionVariable(value, session, filled)
        made = _native.Trackable.of(value._v if session is None else kept.native)
        seen[id(value)] = kept, made
        return made
    made = _native.Trackable()
    seen[id(value)] = value, made  # kept alive, so that no other object gets its id
    for name, one in _parts(value):
        if _is_variable(one) or _parts(one):
            made.add(name, _trackable(one, seen, filled))
    return made


def _parts(value):
    from .keras._layer import Layer
    from .keras.optimizers import Optimizer
    from .module import Module
    if isinstance(value, Checkpoint):
        return sorted(value._objects.items())
    if isinstance(value, Optimizer):
        return _optimizer_parts(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return list(zip(value._fields, value))
    if isinstance(value, (list, tuple)):
        return [(str(place), one) for place, one in enumerate(value)]
    if isinstance(value, dict):
        return [(str(key), value[key]) for key in sorted(value, key=str)]
    if isinstance(value, Module):
        return [(name, one) for name, one in sorted(vars(value).items())
                if _is_variable(one) or isinstance(one, (list, tuple, dict, Module)) or hasattr(one, "weights")]
    if isinstance(value, Layer):
        return _layer_parts(value)
    state = getattr(value, "state", None)
    return [("_state_var", state)] if isinstance(state, Variable) else []


# Names that Keras's objects have for their parts, as `TrackModel` and `TrackOptimizer` know them in C++.
_HOLDERS = {"query": "_query_dense", "key": "_key_dense", "value": "_value_dense",
            "attention_output": "_output_dense"}


def _holder(part):
    for side in ("forward", "backward"):
        if part.startswith(side + "_"):
            return side + "_layer"
    return "cell" if part.endswith("_cell") else _HOLDERS.get(part, part)


def _holds_weights(value):
    from .keras._layer import Layer
    if isinstance(value, dict):
        return any(_holds_weights(one) for one in value.values())
    if isinstance(value, (list, tuple)):
        return any(_holds_weights(one) for one in value)
    return _is_variable(value) or isinstance(value, Layer)


_KEPT_BY_LAYERS = ("_children", "_own_weights", "_metrics", "_losses", "_inbound", "_init_arguments", "_tracked", "_graph", "_stack",
                   "_as_functional", "_given_to_package")


def _attribute_parts(layer):
    return [(name, one) for name, one in sorted(vars(layer).items()) if name not in _KEPT_BY_LAYERS and _holds_weights(one)]


def _layer_parts(layer):
    from .distribute.coordinator import with_shards_joined
    from .keras._native_layer import NativeLayer
    from .keras.models import Functional, Model, Sequential
    optimizer = getattr(layer, "optimizer", None) if isinstance(layer, Model) else None
    compiled = [("optimizer", optimizer)] if optimizer is not None and optimizer.variables else []
    if isinstance(layer, Sequential):
        return [("_functional", {"_operations": [{}] + layer._stack}), *_attribute_parts(layer)] + compiled
    if isinstance(layer, Functional):
        return [("_operations", layer.operations), *_attribute_parts(layer)] + compiled
    if not isinstance(layer, NativeLayer):
        return _attribute_parts(layer) + compiled
    root = {}
    for variable in with_shards_joined(layer._own_variables()):
        *holders, name = variable._v.name.removeprefix(layer._impl.name + "/").split("/")
        place = root
        for one in holders:
            place = place.setdefault(_holder(one), {})
        place[name] = variable
        if name in ("kernel", "embeddings"):
            place["_" + name] = variable
    return sorted(root.items())


def _optimizer_parts(optimizer):
    from .distribute.coordinator import with_shards_joined
    variables, inner = list(optimizer.variables), getattr(optimizer, "inner_optimizer", None)
    if not variables:
        return []
    rate = [] if optimizer._schedule is not None and inner is None else [("_learning_rate", variables[1])]
    parts = [("_iterations", variables[0]), *rate, ("_trainable_variables", with_shards_joined(optimizer._weights))]
    if inner is None:
        return parts + [("_variables", _keras_variables(optimizer))]
    return parts + [("_variables", optimizer._of_its_own()), ("dynamic_scale", optimizer.dynamic_scale),
                    ("inner_optimizer", inner), ("step_counter", optimizer.step_counter)]


def _keras_variables(optimizer):
    """The variables in the order in which Keras has them in its files."""
    from .keras.optimizers import Adafactor
    inner = getattr(optimizer, "inner_optimizer", None)
    if inner is not None:
        return optimizer._of_its_own() + _keras_variables(inner)
    counters = 1 if optimizer._schedule is not None else 2
    factors = isinstance(optimizer, Adafactor)
    variables = optimizer._by_weight()
    return _slots_by_kind(variables if factors else _with_slots_joined(optimizer, variables), counters, factors)


def _with_slots_joined(optimizer, variables):
    """The variables with the slots of a weight's shards joined, as the weight's are. Those of Adafactor are no rows of one."""
    from .distribute.coordinator import ShardedVariable, with_shards_joined
    made = list(variables)
    for whole in with_shards_joined(optimizer._weights):
        if isinstance(whole, Variable):
            continue
        prefix = f"{variables[0]._v.name.rpartition('/')[0]}/{whole.name.replace('/', '_')}_"
        of_shards = [[one for one in made if isinstance(one, Variable) and one._v.name.startswith(f"{prefix}part_{place}_")]
                     for place in range(len(whole.variables))]
        if not of_shards[0] or len({len(slots) for slots in of_shards}) > 1:
            continue
        at = next(place for place, one in enumerate(made) if one is of_shards[0][0])
        taken = {one._v.key for slots in of_shards for one in slots}
        joined = [ShardedVariable(slots, prefix + slots[0]._v.name.removeprefix(f"{prefix}part_0_")) for slots in zip(*of_shards)]
        made[at:] = joined + [one for one in made[at:] if not isinstance(one, Variable) or one._v.key not in taken]
    return made


def _slots_by_kind(variables, counters, factors):
    """Keras makes some kinds of slots for all weights before the next kind, others weight by weight. `factors`: of
    Adafactor, which keeps three of each weight there."""
    from .keras.optimizers._slot_order import stages_of
    stages = [[] for _ in range(5)]
    rows = None
    for stage, one in stages_of(variables[counters:]):
        name = one._v.name
        if factors and name.endswith("_velocity"):
            from ._tensor import convert_to_tensor
            stages[stage] += [_beside(convert_to_tensor(0)) for _ in range(2)]
        stages[stage].append(one)
        if factors and name.endswith("_column_means"):
            stages[stage].append(_matrix_of(rows, one))
        rows = one
    return variables[:counters] + [one for stage in stages for one in stage]


def _beside(value):
    """What Keras's Adafactor keeps beside, and reads as little as we do."""
    return Variable(value, trainable=False)


def _matrix_of(rows, columns):
    """The matrix that means of rows and of columns make."""
    from .ops_array import expand_dims
    from .ops_math import divide_no_nan, reduce_mean
    rows = rows.read_value()
    return _beside(expand_dims(divide_no_nan(rows, reduce_mean(rows, -1, keepdims=True)), -1)
                   * expand_dims(columns.read_value(), -2))


def _version_here(variable):
    """How often it was assigned to; None where servers of a cluster keep it."""
    try:
        here = _native.is_cell(variable.handle)
    except FailedPreconditionError:  # each replica has a copy with a handle of its own
        here = True
    return variable.version if here else None


def _one_at_a_time(method):
    """Of a checkpoint and its managers, in whatever threads: saves have numbers of their own."""
    @functools.wraps(method)
    def call(self, *args, **kwargs):
        with self._alone:
            self._finish()
            return method(self, *args, **kwargs)
    return call


_being_written = {}  # the writers of a checkpoint until a call has waited for them, and the function to call afterwards


@atexit.register
def _finish_all():
    while _being_written:
        writers, after = _being_written.popitem()
        writers[0].sync()
        after()


_OTHER_SHAPE = re.compile(r"got (\w+)\[([\d,]*)\] for \1\[([\d,]*)\] \((.*?)(/\.ATTRIBUTES/VARIABLE_VALUE)? of ")


@contextlib.contextmanager
def _shapes_told():
    """Raises: ValueError where a saved value has another shape than its variable."""
    try:
        yield
    except InvalidArgumentError as error:
        found = _OTHER_SHAPE.search(str(error))
        if found is None:
            raise
        saved, own = (tuple(int(one) for one in found[group].split(",") if one) for group in (2, 3))
        raise ValueError(f"Received incompatible tensor with shape {saved} when attempting to restore variable with shape {own} "
                         f"and name {found[4]}.") from None


class Checkpoint:
    """Objects by name, saved and restored together, in TensorFlow's format."""

    def __init__(self, root=None, **kwargs):
        kwargs = {name: _attribute_containers.wrap(one) for name, one in kwargs.items()}
        objects = dict(kwargs)
        for name, one in kwargs.items():
            if isinstance(one, (bool, int, float, complex, str, bytes, _native.Tensor)):
                raise ValueError(f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from "
                                 f"`Trackable`), got {one}. If you believe this object should be trackable (i.e. it is part "
                                 "of the TensorFlow Python API and manages state), please open an issue.")
        if root is not None:
            for name, one in _parts(root):
                objects.setdefault(name, one)
        self.__dict__["_objects"] = objects
        self.__dict__["_alone"] = threading.RLock()
        self.__dict__["_counter"] = None
        self.__dict__["_waiting"] = None
        self.__dict__.update(kwargs)

    def __setattr__(self, name, value):
        value = _attribute_containers.wrap(value)
        self._objects[name] = value
        self.__dict__[name] = value
        if self._waiting is not None:
            self._restore_new()

    def _made(self, filled=True):
        from .keras.models import Model
        for one in self._objects.values():
            optimizer = getattr(one, "optimizer", None) if isinstance(one, Model) else None
            if optimizer is not None and not optimizer._weights:
                optimizer._weights = list(one.trainable_variables)
        seen = {}
        native = _native.Checkpoint([(name, _trackable(one, seen, filled))
                                     for name, one in sorted(self._objects.items())], _native.has_graph())
        self.__dict__["_reached"] = {one._v.key: one for one, _ in seen.values() if isinstance(one, Variable)}
        self.__dict__["_wholes"] = {one.key: one for one, _ in seen.values() if isinstance(one, (_Whole, SessionVariable))}
        own = self.__dict__.get("_own_counter")
        if own is not None:
            self.__dict__["_counter"] = int(own.numpy())
        if self._counter is not None:
            native_counter = Variable._wrap(native.save_counter())
            native_counter.assign(self._counter)
        return native

    @property
    def save_counter(self):
        """How often it has been saved, or what it was restored from: a variable, int64."""
        made = self.__dict__.get("_own_counter")
        if made is None:
            from ._function import init_scope
            with init_scope():
                made = self.__dict__["_own_counter"] = Variable(self._counter or 0, trainable=False, name="save_counter",
                                                                dtype="int64")
        return made

    def _keep_count(self, native):
        self.__dict__["_counter"] = int(native.save_counter().value()._item())
        if "_own_counter" in self.__dict__:
            self._own_counter.assign(self._counter)

    @_one_at_a_time
    def save(self, file_prefix, options=None):
        """Counts the saves, and writes to "PREFIX-<count>"; its path."""
        with outside_of_graphs():
            native = self._made()
            path = native.save(os.fspath(file_prefix), *way(options))
            self._keep_count(native)
            self._writes(options, path, native)
        return path

    @_one_at_a_time
    def write(self, file_prefix, options=None):
        """Writes to the prefix as it is."""
        with outside_of_graphs():
            native = self._made()
            native.write(os.fspath(file_prefix), *way(options))
            self._writes(options, os.fspath(file_prefix), native)
        return os.fspath(file_prefix)

    @_one_at_a_time
    def sync(self):
        """Waits for a save with `CheckpointOptions(enable_async=True)`. Raises: what went wrong with it."""

    def _writes(self, options, path, *writers):
        """Calls the options' callbacks with what was written; if a thread writes, keeps the writers, a native checkpoint first,
        until a call waits for them, and calls back then."""
        after = functools.partial(call_back, options, path)
        if is_async(options):
            self.__dict__["_writers"] = writers
            _being_written[writers] = after
        else:
            after()

    def _finish(self):
        writers = self.__dict__.pop("_writers", None)
        if writers is not None:
            after = _being_written.pop(writers, None)
            writers[0].sync()
            if after is not None:
                after()

    @_one_at_a_time
    def restore(self, save_path, options=None):
        """Assigns the saved values to the variables at the same places. Raises: ValueError for another shape; NotFoundError
        where there is no checkpoint."""
        if save_path is None:
            return _Nothing()
        path = os.fspath(save_path)
        _require_checkpoint(path)
        if has_names_alone(path):
            status = NameBasedSaverStatus(self, path)
            status.restore_new()
            self.__dict__["_waiting"] = (path, status, None)
            if status.left():
                _late.wait(self)
            return status
        with outside_of_graphs():
            native = self._made(filled=False)
            before = self._versions()
            with _shapes_told():
                status = _checkpoint_status.CheckpointLoadStatus(native.restore(path))
            got = self._got(before)
            self._keep_count(native)
            self._wait(path, status, got, "restore")
        self._give_back(status)
        return status

    def _give_back(self, status):
        """Variables in shards get what was restored; those of a session when the status restores it."""
        for one in self._wholes.values():
            if isinstance(one, SessionVariable):
                status.of_sessions.append(one)
            else:
                one.give_back()

    def _versions(self):
        """By key; None for variables that servers of a cluster keep, which count as restored."""
        return {key: _version_here(one._v) for key, one in self._reached.items()}

    def _got(self, before):
        """Keys of the variables that a restore gave values, since their versions were `before`."""
        return {key for key, version in self._versions().items() if version is None or version != before[key]} | {
            key for key, one in self._wholes.items() if one.native.version > 0}

    def _wait(self, path, status, got, how="read"):
        """What is made later, or comes to a place with a saved value later, gets its value then."""
        self.__dict__["_waiting"] = (path, status, how)
        self.__dict__["_restored"] = got
        status._checkpoint = self
        if status._native.unused:
            _late.wait(self)

    @_one_at_a_time
    def _is_of_other_strategy(self):
        """Whether another strategy's scope is open than the one to which the objects' variables belong."""
        if not _native.has_strategy():
            return False
        owners = {one._v.strategy_id for one in self.__dict__.get("_reached", {}).values() if hasattr(one._v, "strategy_id")}
        return any(one not in (None, _native.strategy_id()) for one in owners)

    def _restore_new(self):
        """Restores the variables that had no saved value at the last restore; the others keep their values."""
        path, status, how = self._waiting
        if how is None:
            status.restore_new()
            if not status.left():
                _late.stop(self)
            return
        native = self._made(filled=False)
        if not {*self._reached, *self._wholes} - self._restored:
            return
        kept, before = [(one, one._v.value()) for key, one in self._reached.items() if key in self._restored], self._versions()
        with _shapes_told():
            status._native = getattr(native, how)(path)
        got = self._got(before)
        for one, value in kept:
            one._v.assign(value)
        for key, one in self._wholes.items():
            if key not in self._restored:
                one.give_back()
        self._restored.update(got)
        if not status._native.unused:
            _late.stop(self)

    @_one_at_a_time
    def read(self, save_path, options=None):
        """Assigns what `write` has written. Raises: NotFoundError where nothing is."""
        _require_checkpoint(os.fspath(save_path))
        native = self._made(filled=False)
        before = self._versions()
        with _shapes_told():
            status = _checkpoint_status.CheckpointLoadStatus(native.read(os.fspath(save_path)))
        got = self._got(before)
        for one in self._wholes.values():
            one.give_back()
        self._wait(os.fspath(save_path), status, got)
        return status


def _require_checkpoint(path):
    """Raises: NotFoundError where no checkpoint begins with the path."""
    if "://" not in path and not os.path.exists(path + ".index") and not os.path.exists(path):
        from .errors import NotFoundError
        raise NotFoundError(None, None, f"Error when restoring from checkpoint or SavedModel at {path}: Unsuccessful "
                            f"TensorSliceReader constructor: Failed to find any matching files for {path}")


class _Nothing:
    """The status of a restore of nothing."""

    def assert_consumed(self):
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_nontrivial_match = assert_existing_objects_matched = assert_consumed

    def expect_partial(self):
        return self


class CheckpointManager:
    """Saves a checkpoint again and again into one directory, and removes old ones."""

    def __init__(self, checkpoint, directory, max_to_keep, keep_checkpoint_every_n_hours=None,
                 checkpoint_name="ckpt", step_counter=None, checkpoint_interval=None, init_fn=None):
        self._checkpoint, self._alone = checkpoint, checkpoint._alone
        self._directory = os.fspath(directory)
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        self._options = (max_to_keep, keep_checkpoint_every_n_hours, checkpoint_name)
        self._init = init_fn
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._step, self._interval, self._saved_at = step_counter, checkpoint_interval, None

    directory = property(lambda self: self._directory)
    checkpoint = property(lambda self: self._checkpoint)
    checkpoint_interval = property(lambda self: self._interval)

    def _too_early(self):
        """Whether fewer steps than the interval have gone since the last save."""
        step = int(self._step)
        if self._saved_at is not None and step < self._saved_at + self._interval:
            return True
        self._saved_at = step
        return False

    def _finish(self):
        self._checkpoint._finish()

    def _opened(self, filled=False):
        native = self._checkpoint._made(filled)
        return native, _native.CheckpointManager(native, self._directory, *self._options)

    @_one_at_a_time
    def save(self, checkpoint_number=None, check_interval=True, options=None):
        """Saves, and removes what is too old; its path. None where `check_interval` and too few steps have gone."""
        if self._interval is not None and check_interval and self._too_early():
            return None
        native, manager = self._opened(filled=True)
        number = None if checkpoint_number is None else int(checkpoint_number)
        path = manager.save(number, *way(options))
        self._checkpoint._keep_count(native)
        self._checkpoint._writes(options, path, native, manager)
        return path

    @property
    @_one_at_a_time
    def latest_checkpoint(self):
        return self._opened()[1].latest()

    @property
    @_one_at_a_time
    def checkpoints(self):
        return self._opened()[1].all()

    def sync(self):
        """Waits for asynchronous saves, see `Checkpoint.sync`."""
        self._checkpoint.sync()

    @_one_at_a_time
    def restore_or_initialize(self):
        latest = self.latest_checkpoint
        if latest is not None:
            self._checkpoint.restore(latest)
        elif self._init is not None:
            self._init()
        return latest


def latest_checkpoint(checkpoint_dir, latest_filename=None):
    """The path of the newest checkpoint of a directory, which the file `latest_filename` there ("checkpoint") tells, or None."""
    if latest_filename in (None, "checkpoint"):
        return _native.latest_checkpoint(os.fspath(checkpoint_dir))
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    path = None if state is None else state.model_checkpoint_path
    return path if path is not None and os.path.exists(path + ".index") else None


def load_checkpoint(ckpt_dir_or_file):
    """A reader of a checkpoint's tensors. Raises: ValueError for a directory without one; NotFoundError."""
    return CheckpointReader(_checkpoint_path(ckpt_dir_or_file))


def load_variable(ckpt_dir_or_file, name):
    """The array that a checkpoint has under a name."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file):
    """[(name, shape)] of all tensors of a checkpoint, in the order of their names."""
    shapes = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
    return [(name, shapes[name]) for name in sorted(shapes)]


def _checkpoint_path(given):
    path = os.fspath(given)
    if not os.path.isdir(path):
        return path
    latest = latest_checkpoint(path)
    if latest is None:
        raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}")
    return latest


class CheckpointReader:
    """The tensors of a checkpoint, by name."""

    def __init__(self, path):
        with reading(path, (DataLossError,)):
            self._bundle = _native.TensorBundle.open(path)
            self._entries = {name: (code, shape) for name, code, shape in self._bundle.entries()}

    def get_variable_to_shape_map(self):
        return {name: list(shape) for name, (_, shape) in self._entries.items()}

    def get_variable_to_dtype_map(self):
        from ._dtypes import of_number
        return {name: of_number(code) for name, (code, _) in self._entries.items()}

    def has_tensor(self, tensor_str):
        return tensor_str in self._entries

    def get_tensor(self, tensor_str):
        """A tensor as a NumPy array, its checksum verified. Raises: NotFoundError, DataLossError."""
        if tensor_str not in self._entries:
            from .errors import NotFoundError
            raise NotFoundError(None, None, f"Key {tensor_str} not found in checkpoint")
        return self._bundle.read(tensor_str).numpy()

    def debug_string(self):
        return "\n".join(f"{name} {code} {list(shape)}" for name, (code, shape) in self._entries.items())


class CheckpointState:
    """What the file `checkpoint` of a directory says."""

    def __init__(self, paths):
        self.model_checkpoint_path = paths[-1]
        self.all_model_checkpoint_paths = paths


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """The newest checkpoint of a directory, and all that it keeps; None where there is none."""
    directory = os.fspath(checkpoint_dir)
    path = os.path.join(directory, latest_filename or "checkpoint")
    if not os.path.exists(path):
        return None
    latest, every = None, []
    with reading(path):
        with open(path, encoding="utf-8") as file:
            lines = list(file)
        for line in lines:
            key, _, value = line.partition(":")
            value = value.strip().strip('"')
            if key in ("model_checkpoint_path", "all_model_checkpoint_paths"):
                value = value if os.path.isabs(value) else os.path.join(directory, value)
                latest = value if key == "model_checkpoint_path" else latest
                every += [value] if key == "all_model_checkpoint_paths" else []
    if latest is None:
        return None
    return CheckpointState([one for one in every if one != latest] + [latest])


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """The paths of new checkpoints of a directory, as they come."""
    import time
    seen, since = None, time.monotonic()
    while True:
        path = latest_checkpoint(checkpoint_dir)
        if path is not None and path != seen:
            seen, since = path, time.monotonic()
            yield path
            time.sleep(max(0, min_interval_secs - (time.monotonic() - since)))
            continue
        if timeout is not None and time.monotonic() - since >= timeout:
            if timeout_fn is None or timeout_fn():
                return
            since = time.monotonic()
        time.sleep(0.05)


# ---- threads of version 1 -------------------------------------------------------------------------


class Coordinator:
    """Joins threads and passes on the first exception."""

    def __init__(self, clean_stop_exception_types=None):
        import threading
        self._stop, self._lock = threading.Event(), threading.Lock()
        self._error = None
        self._clean = (OutOfRangeError,) if clean_stop_exception_types is None else tuple(clean_stop_exception_types)
        self._registered = []
        self._joined = False

    def should_stop(self):
        return self._stop.is_set()

    def request_stop(self, ex=None):
        """Asks all to stop; `join` raises the `ex` of who asks first, unless it is of a kind that is a good end.

        Raises: `ex` itself once all were joined."""
        if isinstance(ex, tuple):  # as sys.exc_info() gives it
            ex = ex[1]
        clean = ex is None or isinstance(ex, self._clean)
        with self._lock:
            if self._joined:
                if not clean:
                    raise ex
                return
            if not self._stop.is_set():
                self._error = None if clean else ex
                self._stop.set()

    def clear_stop(self):
        """Forgets that it was asked to stop, and the exception."""
        self._error, self._joined = None, False
        self._stop.clear()

    def stop_on_exception(self):
        """A context that asks all to stop when an exception leaves it, and swallows that; `join` raises it."""
        import contextlib

        @contextlib.contextmanager
        def context():
            try:
                yield
            except Exception as error:  # noqa: BLE001  (join raises it)
                self.request_stop(error)
        return context()

    def register_thread(self, thread):
        """`join` waits for this thread, too."""
        self._registered.append(thread)

    @property
    def joined(self):
        return self._joined

    def raise_requested_exception(self):
        if self._error is not None:
            raise self._error

    def wait_for_stop(self, timeout=None):
        return self._stop.wait(timeout)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Waits for the threads; once somebody has asked to stop, no longer than the grace period.

        Raises: the exception that was passed to `request_stop` first; RuntimeError naming the threads that do
        not end."""
        import time
        waiting = list(threads or []) + self._registered
        while not self._stop.is_set() and any(one.is_alive() for one in waiting):
            for one in waiting:
                one.join(0.05)
        until = time.monotonic() + stop_grace_period_secs
        for one in waiting:
            one.join(max(0.0, until - time.monotonic()))
        self._joined, self._registered = True, []
        self.raise_requested_exception()
        stragglers = [one.name for one in waiting if one.is_alive()]
        if stragglers and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(stragglers)}")


class ExponentialMovingAverage:
    """Running averages of variables."""

    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        _refused.only("ExponentialMovingAverage", zero_debias=(zero_debias, False))
        self._decay = decay
        self._num_updates = num_updates
        self._averages = {}
        self.name = name

    def apply(self, var_list=None):
        """An op that brings the averages on; of all trainable variables by default."""
        from ._function import group
        from .compat import v1
        done = []
        if var_list is None and v1.in_graph():
            var_list = v1.trainable_variables()
        decay = self._decay
        if self._num_updates is not None:
            if isinstance(self._num_updates, (Tensor, Variable)):
                from . import ops_math
                steps = ops_math.cast(convert_to_tensor(self._num_updates), "float32")
                decay = ops_math.minimum(decay, (1 + steps) / (10 + steps))
            else:
                steps = float(self._num_updates)
                decay = min(decay, (1 + steps) / (10 + steps))
        for one in var_list or []:
            key = one.ref()
            if key not in self._averages:
                made = self._averages[key] = Variable(one.initialized_value(), trainable=False, name=self.average_name(one))
                if one.part_of is not None:
                    v1._variables.note_part(made, one.part_of._replace(name=f"{one.part_of.name}/{self.name}"))
                if v1.in_graph():
                    v1.add_to_collection(v1.GraphKeys.MOVING_AVERAGE_VARIABLES, one)
            average = self._averages[key]
            done.append(average.assign_sub((average - one) * (1 - decay)))
        return group(*done)

    def average_name(self, var):
        """The name of the variable's average."""
        return f"{var._v.name}/{self.name}"

    def average(self, var):
        """The variable's average; None where there is none."""
        return self._averages.get(var.ref())

    def variables_to_restore(self, moving_avg_variables=None):
        """{name in a checkpoint: variable}: averaged variables get their averages, others their own values."""
        from .compat import v1
        averaged = list(moving_avg_variables or v1.trainable_variables() + v1.moving_average_variables())
        made = {self.average_name(one): one for one in averaged}
        taken = {one._v.key for one in averaged}
        for one in v1.global_variables():
            if one._v.key not in taken:
                made.setdefault(one._v.name, one)
        return {name: made[name] for name in made}
