"""The loops around a step of one's own."""

import collections

import numpy

from .. import _native, distribute, errors, nest
from .._function import Function, TensorSpec
from .._tensor import Tensor, convert_to_tensor
from ..distribute._boundary import StepBoundary
from ..sparse import SparseTensor, concat as sparse_concat
from . import _fit_arguments, _row_batches
from ._compiled_metrics import each_of
from ._executions import execution_size, Executions
from ._items import sample_weights, with_class_weights
from ._replica_figures import result_now, StepRecord
from ._training import _floats, _is_dataset, _replicas, shown_batch_of
from ._symbol_parts import is_value, sizes_of
from .callbacks import Line


def _structure(x, y, sample_weight):
    if isinstance(y, dict):  # outputs without labels
        y = {key: one for key, one in y.items() if one is not None}
    elif isinstance(y, (list, tuple)) and any(one is None for one in y):
        y = [one for one in y if one is not None]
    parts = [x] + ([y] if y is not None else []) + ([sample_weight] if sample_weight is not None else [])

    def tensors(value):
        if isinstance(value, dict):
            return {key: tensors(one) for key, one in value.items()}
        if isinstance(value, (list, tuple)) and value and any(
                hasattr(one, "shape") or isinstance(one, (list, tuple, dict)) and any(
                    hasattr(inner, "shape") for inner in nest.flatten(one)) for one in value):
            return tuple(tensors(one) for one in value)
        return _floats(_fit_arguments.array_of(value))
    parts = [tensors(one) for one in parts]
    return parts[0] if len(parts) == 1 and not isinstance(parts[0], tuple) else tuple(parts)


def _dataset(model, x, y, sample_weight, batch_size, shuffle):
    """(batches, how many there are or None, how many examples each has or None)"""
    from ..data import Dataset
    from ._training import epoch_order
    if _is_dataset(x):
        size = x._count() if hasattr(x, "_count") else -2
        return x, (size if size >= 0 else None), _size_of(x.element_spec)
    data = _structure(x, y, sample_weight)
    size = batch_size or 32
    seeded = shuffle and _native.global_seed() is not None
    if _row_batches.has_values(data):
        count = _row_batches.count_of(data)
        batches = _row_batches.batches(data, size, epoch_order(count) if seeded else None, shuffle and not seeded)
        return batches, -(-count // size), shown_batch_of(count, size)
    count = nest.flatten(data)[0]._shape[0]
    if seeded:
        order = epoch_order(count)
        data = nest.map_structure(lambda one: _native.gather(one, order, 0, 0), data)
    dataset = Dataset.from_tensor_slices(data)
    if shuffle and _native.global_seed() is None:
        dataset = dataset.shuffle(max(count, 1), seed=0)
    return dataset.batch(size), -(-count // size), shown_batch_of(count, size)


def _divided(strategy, batches):
    """The batches as the replicas get them; a dataset that is distributed stays as it is."""
    if strategy.num_replicas_in_sync == 1 or isinstance(batches, distribute.DistributedDataset):
        return batches
    return strategy.experimental_distribute_dataset(batches)


def _step_function(model, kind, spec=None):
    """The step as a function of a batch. It is traced once for all batches that `spec` describes, and shows its open sizes;
    without one, for batches of one size, and for all others once more."""
    known = model._functions.setdefault(kind, {})
    key = None if spec is None else repr(spec)
    if key not in known:
        step = model.train_step if kind == "train" else model.test_step
        strategy = model.distribute_strategy

        record = step_record(model, kind)

        def step_of_replica(data):
            with record:
                outputs = step(data)
                record.name_results(outputs)
            return outputs

        def run(data):
            return strategy.run(step_of_replica, args=(data,))
        known[key] = run if model.run_eagerly else Function(
            run, None if spec is None else (spec,), name=kind + "_step", reduce_retracing=spec is None).share_streams(
                next(iter(known.values()), None))
    return known[key]


def step_record(model, kind):
    """Which metrics a step of the model updates and returns, known once a replica has carried it out."""
    return model._functions.setdefault("record of " + kind, StepRecord())


def _open_spec(batches, size):
    """The spec of batches with open sizes, where one trace can serve them all, else None. `size`: that of every batch, if it is
    known."""
    spec = getattr(batches, "element_spec", None)
    flat = nest.flatten(spec)
    described = flat and all(type(one) is TensorSpec and one.shape.rank is not None for one in flat)
    return spec if described and size is None and not _native.has_strategy() else None


class _Steps:
    """Calls of steps, in their order: at once, or, where workers only serve, as functions that a coordinator
    gives them, several at a time. What they give is taken in the order of the calls."""

    def __init__(self, model, training):
        from ..distribute import coordinator
        strategy = model.distribute_strategy
        self._strategy = strategy if isinstance(strategy, coordinator._Chief) else None
        self._waiting = collections.deque()  # [value, others that may take place meanwhile, take]
        self._most = self._bound = None
        if self._strategy is None:
            return
        if model.run_eagerly:
            raise ValueError("a step that workers carry out is traced; compile the model without run_eagerly")
        self._coordinator = coordinator.ClusterCoordinator(strategy)
        self._most = {"train": strategy._most_steps(), "test": 1}.get(training, 2 * strategy._chief.workers)
        self._bound = strategy._staleness if training == "train" and strategy._mode == "bounded" else None

    scheduled = property(lambda self: self._strategy is not None)

    def _has_room(self):
        return len(self._waiting) < self._most and (
            self._bound is None or all(one[1] < self._bound for one in self._waiting))

    def wait_for_room(self):
        while self._strategy is not None and not self._has_room():
            self._take()

    def add(self, function, batch, take):
        """Calls `take` with what the step gives; later, perhaps."""
        if self._strategy is None:
            return take(function(batch))
        self.wait_for_room()
        for one in self._waiting:
            one[1] += 1
        value = self._coordinator.schedule(function, args=(batch,))
        self._waiting.append([value, len(self._waiting), take])

    def _take(self):
        value, _, take = self._waiting.popleft()
        try:
            result = value.get()
        except Exception:
            self._waiting.clear()
            self._coordinator.join()  # raises the error for which others were cancelled
            raise
        take(result)

    def finish(self):
        while self._waiting:
            self._take()


def _logs(model, outputs, kind):
    """Figures as numbers, by name, as Keras orders them. Over several replicas those that are results of metrics are the metrics'
    results in cross-replica context, all others the mean. What stands in a dict of its own comes where the dict's name has
    its place."""
    strategy, sources = model.distribute_strategy, step_record(model, kind).sources

    def over_replicas(name, value):
        return result_now(sources[name]) if name in sources else strategy.reduce("MEAN", value, axis=None)

    def put(values):
        for name, value in sorted(values.items()):
            if isinstance(value, dict):
                put(value)
                continue
            if isinstance(value, distribute.PerReplica):
                value = over_replicas(name, value)
            logs[name] = float(value) if not isinstance(value, Tensor) or value._rank == 0 else value.numpy()
    logs = {}
    put(outputs or {})
    return logs


def _final_logs(model, outputs, kind):
    """The figures of an epoch or an evaluation."""
    logs, metrics = _logs(model, outputs, kind), each_of(model.metrics)
    if metrics and step_record(model, kind).updates(metrics):
        of_metrics = _logs(model, model.get_metrics_result(), kind)
        if set(of_metrics) == set(outputs or {}):
            return {name: of_metrics[name] for name in logs}
    return logs


def _after_all(model, outputs):
    """The figures of training once all steps have taken place, whichever came last."""
    sources = step_record(model, "train").sources
    return {name: result_now(sources[name]) if name in sources else value for name, value in (outputs or {}).items()}


def _is_built(model):
    return model.built and all(one.built for one in model._native_layers() if True)


def _build(model, batch, size=None):
    """Makes the weights before the step is traced. `size`: that of every batch, if it is known."""
    from ._training import unpack_x_y_sample_weight
    if model.weights and (model.built or all(one.built for one in model._layers_inside() if one is not model)):
        return
    x, _, _ = unpack_x_y_sample_weight(nest.map_structure(
        lambda one: one._values[0] if isinstance(one, distribute.PerReplica) else one, batch))
    try:
        model._see(x, size)
    except Exception:  # a model that cannot be followed without values; what is really wrong is told again
        first = nest.map_structure(lambda one: one[:1] if isinstance(one, Tensor) else one, x)
        try:
            model(first, training=False)
        except NotImplementedError:
            pass
    model._clear_losses()


def _size_of(spec):
    """The size of every batch of an element's spec, or None."""
    sizes = [one.shape[0] for one in nest.flatten(spec) if getattr(one, "shape", None) is not None and one.shape.rank]
    return sizes[0] if sizes else None


def _weights_of_classes(y, class_weight, sample_weight):
    """Each example's weight: its class's, times its own where it has one."""
    if class_weight is None or y is None:
        return sample_weight
    own = sample_weights(y, class_weight)
    return own if sample_weight is None else own * numpy.asarray(sample_weight)


class _Passes:
    """The batches of a training, pass after pass."""

    def __init__(self, batches, counted):
        self._batches, self._counted, self._iterator, self._newest = batches, counted, None, None
        self.passes = self.taken = 0  # how many were begun, and how far this one is

    def begin(self):
        if self.passes > 0 and self._counted is not None:
            self._counted.skip()
        self._iterator = iter(self._batches)
        self.passes, self.taken = self.passes + 1, 0

    def next(self):
        """A batch, or None at the end of the pass."""
        batch = next(self._iterator, None)
        if batch is not None:
            self.taken, self._newest = self.taken + 1, batch
        return batch

    def go_to(self, passes, taken):
        """The batch that is number `taken` of a pass, which may be the newest."""
        if (passes, taken) < (self.passes, self.taken):
            raise RuntimeError(f"a training cannot go back to batch {taken} of pass {passes}, as it is at batch {self.taken} of "
                               f"pass {self.passes}")
        while self.passes < passes:
            self.begin()
        while self.taken < taken:
            self.next()
        return self._newest


class _Training:
    """One call of `fit`: where it stands, and its steps."""

    def __init__(self, model, batches, size, spec, hooks, initial_epoch, steps_per_epoch):
        self.model, self.hooks, self._size, self._spec, self._per_epoch = model, hooks, size, spec, steps_per_epoch
        self._passes = _Passes(batches, hooks.passes)
        self._function = None
        self._begun = False  # the epoch
        self._held = None  # a batch that is taken, and no step yet
        self._came = False  # this worker has come in, and taken no step yet
        self._boundary = self._resumed = None
        self.outputs = {}  # of the newest step
        self.epoch, self.given, self._steps = initial_epoch, 0, 0

    def begin_epoch(self):
        """Unless it has begun already, before this worker came, or before a save."""
        if self._begun:
            return
        self._begun, self.given, self.outputs = True, 0, {}
        self.model.reset_metrics()
        self.hooks.epoch_begin(self.epoch)
        if self._held is None and (self._passes.passes == 0 or self._per_epoch is None):
            self._passes.begin()

    def end_epoch(self):
        """Its number. An epoch that was stopped inside stays the one to go on in."""
        epoch = self.epoch
        if not self.model.stop_training or self.hooks.steps == self.given:
            self._begun, self.epoch, self.given = False, epoch + 1, 0
        return epoch

    def _next_batch(self):
        """The epoch's next batch, or None."""
        if self._held is not None:
            return self._held
        if self._per_epoch is not None and self.given >= self._per_epoch or self.given and self.model.stop_training:
            return None
        self._held = self._passes.next()
        if self._held is None and self._per_epoch is not None:
            self._passes.begin()
            self._held = self._passes.next()
        return self._held

    def _step_on(self, batch):
        if self._function is None:
            model = self.model
            _build(model, batch, self._size)
            if model.optimizer is not None and not model.optimizer.built and model.trainable_weights:
                model.optimizer.build(model.trainable_weights)
            self._function = _step_function(model, "train", self._spec)
        return self._function

    def _functions(self):
        return [self._function] if isinstance(self._function, Function) else []

    def run_epoch(self):
        """The steps that are left of the epoch."""
        steps = self._running = _Steps(self.model, "train")
        while True:
            steps.wait_for_room()
            batch = self._next_batch()
            if batch is None:
                break
            function = self._step_on(batch)
            if not steps.scheduled and not self._pass():
                self.model.stop_training = True
                break
            self.hooks.train_batch_begin(self.given)

            def take(made, number=self.given):
                self.outputs = made
                self.hooks.train_batch_end(number, lambda: _logs(self.model, made, "train"))
            self._held = None
            self.given += 1
            self._steps += 1
            steps.add(function, batch, take)
        steps.finish()
        if steps.scheduled:
            self.outputs = _after_all(self.model, self.outputs)

    def _pass(self):
        """Lets in who waits, and takes the next step with the others. False: all leave."""
        came, self._came = self._came, False  # behind the others' boundary
        if came or not self._steps or not self._functions():  # before the first step nothing is traced
            return True
        return self._boundary.pass_step(self._steps, self._functions(), self._position)

    def _position(self):
        history, ends = self.hooks.history, self._begun and self._held is None  # with this step, perhaps
        return {"epoch": self.epoch, "begun": self._begun, "given": self.given, "steps": self._steps,
                "passes": self._passes.passes, "taken": self._passes.taken, "held": self._held is not None,
                "figures": _logs(self.model, self.outputs, "train") if ends else {}, "callbacks": self.hooks.state(),
                "history": history.history, "epochs": history.epoch}

    def _go_to(self, position):
        self.epoch, self._begun = position["epoch"], position["begun"]
        self.given, self._steps, self.outputs = position["given"], position["steps"], position["figures"]
        batch = self._passes.go_to(position["passes"], position["taken"])
        self._held = batch if position["held"] else None
        self.hooks.set_state(position["callbacks"])

    def begin(self, boundary, enters):
        """Comes to where the other workers are, or to where a save stands; or begins."""
        self._boundary = boundary
        if not enters and self._resumed is None:
            return
        if self._passes.passes == 0:
            self._passes.begin()
            self._held = self._passes.next()
        if self._held is None and self._function is None:
            raise ValueError("fit needs batches; got none")
        if self._function is None:
            boundary.trace(self._step_on(self._held), self._held)  # makes the variables
        position = boundary.enter(self._functions()) if enters else None
        if position is not None:
            self._go_to(position)
            self.hooks.train_enter({"history": position["history"], "epoch": position["epochs"]})
            self._came = True
        elif self._resumed is not None:
            self._go_to(boundary.resume(self._resumed, self._functions()))
        self._resumed = None

    # What BackupAndRestore calls.

    def resume_training(self, directory):
        """Begins where the directory's newest save stands."""
        self._refuse_eager()
        self._resumed = directory

    def save_training(self, directory):
        """Saves where training stands, between two steps."""
        self._refuse_eager()
        if self._running.scheduled and self._begun:
            raise errors.FailedPreconditionError(
                None, None, "[fit] workers carry out several steps at a time, so training is saved at the end of an epoch; use "
                "save_freq=\"epoch\"")
        self._boundary.save(directory, self._steps, self._functions(), self._position())

    def _refuse_eager(self):
        if self.model.run_eagerly:
            raise NotImplementedError("a save of training holds what its traced step uses; compile the model without run_eagerly")


def fit(model, x, y, batch_size, epochs, hooks, validation_split, validation_data, shuffle, class_weight,
        sample_weight, initial_epoch, steps_per_epoch, validation_steps, validation_batch_size,
        validation_freq):
    """Trains by the model's own `train_step`."""
    if class_weight is not None and _is_dataset(x):
        x = with_class_weights(x, class_weight)
    if validation_split and validation_data is None:
        x = nest.map_structure(lambda one: _fit_arguments.array_of(one) if _row_batches.is_scipy(one) else one, x)
        count = _rows(nest.flatten(x)[0])
        kept = int(count * (1 - validation_split))

        def part(value, begin, end):
            return None if value is None else nest.map_structure(lambda one: _row_batches.cut(one, begin, end), value)
        validation_data = tuple(part(one, kept, count) for one in (x, y, sample_weight))
        x, y, sample_weight = (part(one, 0, kept) for one in (x, y, sample_weight))
    sample_weight = _weights_of_classes(y, class_weight, sample_weight)  # not of those that are kept for validation
    batches, count, size = _dataset(model, x, y, sample_weight, batch_size, shuffle)
    strategy = model.distribute_strategy
    shared = _divided(strategy, batches)
    spec = _open_spec(batches, size)
    hooks.steps = steps_per_epoch or count
    training = _Training(model, shared, size, spec, hooks, initial_epoch, steps_per_epoch)

    def run_epochs():
        while training.epoch < epochs:
            training.begin_epoch()
            training.run_epoch()
            hooks.steps = hooks.steps or training.given
            logs = _final_logs(model, training.outputs, "train")
            if validation_data is not None and _fit_arguments.evaluates_after(training.epoch, validation_freq):
                data = validation_data if isinstance(validation_data, tuple) else (validation_data, None)
                own = evaluate(model, data[0], data[1], validation_batch_size or batch_size, 0,
                               data[2] if len(data) > 2 else None, validation_steps, None, hooks)
                in_order = list(logs) == sorted(logs)  # but for figures in dicts of their own
                logs.update({"val_" + name: value for name, value in own.items()})
                logs = dict(sorted(logs.items())) if in_order else logs
            hooks.epoch_end(training.end_epoch(), logs)
            if model.stop_training:
                break

    object.__setattr__(model, "_saves", training)
    hooks.begin()
    hooks.train_begin()
    with StepBoundary(strategy, "fit by steps") as boundary:
        enters = boundary.entering and not model.run_eagerly  # nobody comes into steps that are not traced
        while True:
            try:
                training.begin(boundary, enters)
                run_epochs()
                break
            except errors.AbortedError:
                enters = boundary.entering  # left out, as it was stopped or cut off: it comes again
                if not enters:
                    raise
    if epochs > 0 and model.optimizer is not None and model.optimizer.built:
        model.optimizer.finalize_variable_values(model.trainable_weights)
    hooks.train_end()
    return hooks.history


def evaluate(model, x, y, batch_size, verbose, sample_weight, steps, callbacks, hooks=None):
    """The figures over all batches, by name."""
    batches, count, size = _dataset(model, x, y, sample_weight, batch_size, False)
    strategy = model.distribute_strategy
    shared = _divided(strategy, batches)
    kept = [(one, [v.value() for v in one.variables]) for one in model.metrics] if hooks else []
    model.reset_metrics()
    object.__setattr__(model, "stop_evaluating", False)
    line = Line(verbose, steps or count)
    function, outputs, done = None, [{}], 0
    calls = _Steps(model, "test")
    heard = listeners(model, callbacks, steps or count, verbose)
    told = _told(model, heard, "test")
    _call(heard, "on_test_begin", {})
    if hooks:
        hooks.test_begin()
    for batch in shared:
        if steps is not None and done >= steps:
            break
        if function is None:
            _build(model, batch, size)
            function = _step_function(model, "test", _open_spec(batches, size))
        calls.wait_for_room()
        told.begin(done)
        if hooks:
            hooks.test_batch_begin(done)

        def take(made, number=done):
            outputs[0] = made
            told.end(number, lambda: _logs(model, made, "test"))
            if hooks:
                hooks.test_batch_end(number, lambda: _logs(model, made, "test"))
        calls.add(function, batch, take)
        done += 1
        if model.stop_evaluating:
            break
    calls.finish()
    told.finish()
    logs = _final_logs(model, outputs[0], "test")
    _call(heard, "on_test_end", logs)
    if hooks:
        hooks.test_end(logs)
    for metric, values in kept:
        for variable, value in zip(metric.variables, values):
            variable.assign(value)
    line.end(done, logs)
    return logs


def _call(callbacks, name, *arguments):
    for one in callbacks:
        getattr(one, name)(*arguments)


def _told(model, heard, kind):
    """Tells these callbacks of executions."""
    return Executions(model, lambda batch: _call(heard, f"on_{kind}_batch_begin", batch, {}),
                      lambda batch, source: _call(heard, f"on_{kind}_batch_end", batch, source()), lambda: heard)


def listeners(model, callbacks, steps, verbose):
    """Callbacks that were given to `evaluate` or `predict`, ready to be called."""
    from .callbacks import CallbackList
    if isinstance(callbacks, CallbackList):
        callbacks = callbacks.callbacks
    made = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks] if callbacks else []
    for one in made:
        one.set_params({"verbose": verbose, "epochs": 1, "steps": steps})
        one.set_model(model)
    return made


def predict(model, x, batch_size, verbose, steps, callbacks):
    """The outputs of all batches, one after another."""
    if _is_dataset(x):
        batches, count, size = _dataset(model, x, None, None, batch_size, False)
    else:
        from ..data import Dataset
        data = _structure(x, None, None)
        total = _rows(nest.flatten(data)[0])
        batches = _row_batches.batches(data, batch_size) if _row_batches.has_values(data) else \
            Dataset.from_tensor_slices(data).batch(batch_size)
        count = -(-total // batch_size)
        size = shown_batch_of(total, batch_size)
    line = Line(verbose, steps or count)
    parts, form, done = [], [], 0
    object.__setattr__(model, "stop_predicting", False)
    function = None
    calls = _Steps(model, "predict")
    heard = listeners(model, callbacks, steps or count, verbose)
    told = _told(model, heard, "predict")
    _call(heard, "on_predict_begin", {})
    strategy = model._predicting_strategy()
    for batch in batches if strategy is None else _divided(strategy, batches):
        if steps is not None and done >= steps:
            break
        data = batch if _is_dataset(x) or isinstance(batch, tuple) else (batch,)
        if function is None:
            _build(model, data, size)
            function = model._predict_function()
        told.begin(done)

        def take(value, number=done):
            form[:] = [value]
            parts.append([_rows_of_all(one) for one in nest.flatten(value)])
            size = execution_size(model)
            told.end(number, lambda: {"outputs": nest._pack(value, iter([
                _joined(column) for column in zip(*parts[number - number % size:])]))})
        calls.add(function, data, take)
        done += 1
        if model.stop_predicting:
            break
    calls.finish()
    told.finish()
    line.end(done, {})
    _call(heard, "on_predict_end", {})
    if not form:
        raise ValueError("predict needs at least one batch")
    return nest._pack(form[0], iter([_joined(column) for column in zip(*parts)]))


def _rows(value):
    """How many rows a tensor of any kind, an array or a list has."""
    return sizes_of(value)[0] if isinstance(value, Tensor) or is_value(value) else len(numpy.asarray(value))


def _joined(parts):
    """The rows of arrays, or of sparse or ragged tensors, one after another."""
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], SparseTensor):
        return sparse_concat(0, parts)
    if is_value(parts[0]):
        from .. import concat
        return concat(parts, 0)
    return numpy.concatenate(parts)


def _rows_of_all(value):
    """What replicas have predicted, one after another, as an array."""
    return _joined(one if is_value(one) else one.numpy()
                   for one in (value._values if isinstance(value, distribute.PerReplica) else [value]))


def on_batch(model, kind, x, y, sample_weight, return_dict):
    """One step on one batch; the figures are those of this batch alone."""
    model.reset_metrics()
    data = _structure(x, y, sample_weight)
    data = data if isinstance(data, tuple) else (data,)
    _build(model, data, _size_of(data))
    logs = _logs(model, _step_function(model, kind)(data), kind)
    if return_dict:
        return logs
    return model._in_order_of_metrics(logs)


_ = (_native, convert_to_tensor, _replicas)
