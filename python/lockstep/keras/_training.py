"""compile, fit, evaluate, predict.

A model with one input, one output and the `train_step` of Keras trains by the native `Fit`: one traced step
on the global batch. Everything else (a `train_step` of one's own, several inputs or outputs, added
losses) trains by the loop here, whose step is a traced `Strategy.run`."""

import inspect
import threading
import warnings
import weakref

from .. import _late, _native, distribute, nest
from .._dtypes import as_dtype
from .._function import Function, TensorSpec
from .._tensor import convert_to_tensor
from .._tape import GradientTape
from .._variable import Variable
from ..distribute._boundary import Looking
from . import callbacks as callbacks_module
from . import losses as losses_module
from . import metrics as metrics_module
from . import _compiled_metrics, _fit_arguments, _output_losses, _policy, _tracking
from . import optimizers as optimizers_module
from ._counted_passes import CountedPasses
from ._executions import whole_executions
from ._items import EpochCalls, first_of, is_items
from ._layer import is_of_package
from ._symbol_parts import is_value, sizes_of
from .utils import dataset_of


def _floats(value):
    """NumPy's float64 becomes float32, as everywhere in Keras."""
    value = _fit_arguments.array_of(value)
    if is_value(value):
        return _policy.cast(value, as_dtype("float32")) if value.dtype == "float64" else value
    tensor = convert_to_tensor(value)
    return _native.cast(tensor, as_dtype("float32")) if tensor._dtype == 2 else tensor


def shown_batch_of(count, batch_size):
    """The examples of each batch of so many, or None where the last one has fewer."""
    size = max(min(count, batch_size), 1)
    return size if count % size == 0 else None


def _is_dataset(value):
    return getattr(value, "_is_dataset", False)


class Trainer:
    """What a model knows of training."""

    def __init__(self):
        set_ = object.__setattr__
        set_(self, "optimizer", None)
        set_(self, "_compiled", None)
        set_(self, "_native_model", None)
        set_(self, "_tracked", [])
        set_(self, "stop_training", False)
        set_(self, "stop_evaluating", False)
        set_(self, "stop_predicting", False)
        set_(self, "history", None)
        set_(self, "_saves", None)  # what saves and resumes the training that goes on, or did last
        set_(self, "_functions", {})
        set_(self, "_strategy_of_model", None)
        set_(self, "compiled", False)
        set_(self, "run_eagerly", False)
        set_(self, "jit_compile", False)
        set_(self, "loss", None)

    def _note_scope(self):
        object.__setattr__(self, "_strategy_of_model", distribute.scope_in_force())

    distribute_strategy = property(lambda self: self._strategy_of_model or distribute.get_strategy())

    # ---- compile

    def compile(self, optimizer="rmsprop", loss=None, loss_weights=None, metrics=None,
                weighted_metrics=None, run_eagerly=False, steps_per_execution=1, jit_compile="auto",
                auto_scale_loss=True):
        """Says how to train: an optimizer, a loss (or a structure of them), metrics.

        Raises: ValueError for names that do not exist."""
        for name, given in (("metrics", metrics), ("weighted_metrics", weighted_metrics)):
            if given and not isinstance(given, (list, tuple, dict)):
                raise ValueError(f"Expected `{name}` argument to be a list, tuple, or dict. Received instead: {name}={given} of "
                                 f"type {type(given)}")
        scope = self._scope()
        with scope:
            set_ = object.__setattr__
            optimizer = None if optimizer is None else optimizers_module.get(optimizer)
            if auto_scale_loss and self._policy.name == "mixed_float16" and optimizer is not None and not isinstance(
                    optimizer, optimizers_module.LossScaleOptimizer):
                optimizer = optimizers_module.LossScaleOptimizer(optimizer)
            set_(self, "optimizer", optimizer)
            set_(self, "loss", loss)
            set_(self, "_loss_weights", loss_weights)
            set_(self, "run_eagerly", run_eagerly)
            set_(self, "jit_compile", False)
            set_(self, "steps_per_execution", steps_per_execution)
            set_(self, "_metrics_given", metrics)
            outputs = getattr(self, "output_names", None) or []
            set_(self, "_plain_metrics", _compiled_metrics.compiled(metrics, outputs))
            set_(self, "_weighted_given", weighted_metrics)
            set_(self, "_weighted_metrics", _compiled_metrics.compiled(weighted_metrics, outputs))
            set_(self, "_compile_metrics", None if metrics is None and weighted_metrics is None else
                 _compiled_metrics.CompileMetrics(self))
            set_(self, "_losses_made", _map_losses(loss))
            set_(self, "_output_losses", {})
            set_(self, "_loss_tracker", metrics_module.Mean(name="loss"))
            set_(self, "_functions", {})
            set_(self, "_native_compiled", False)
            set_(self, "compiled", True)

    def _scope(self):
        import contextlib
        strategy = self._strategy_of_model
        if strategy is None or distribute.scope_in_force() is strategy:
            return contextlib.nullcontext()
        return strategy.scope()

    def _need_compiled(self, what):
        if not self.compiled:
            raise ValueError("You must call `compile()` before using the model.")

    @property
    def metrics(self):
        """The loss, the compiled metrics as one entry, the outputs' losses, then those of layers."""
        made = []
        if self.compiled:
            made.append(self._loss_tracker)
            if self._compile_metrics is not None:
                made.append(self._compile_metrics)
            made.extend(self._output_losses.values())
        known = _compiled_metrics.each_of(made)
        return made + [one for one in self._metrics_of_layers() if all(one is not other for other in known)]

    def _metrics_of_layers(self):
        """The metrics of this model and of its layers. A model inside keeps its own, because its training is not this one's."""
        made, todo, seen = list(self._metrics), list(self._children), set()
        while todo:
            layer = todo.pop(0)
            if id(layer) in seen:
                continue
            seen.add(id(layer))
            if not isinstance(layer, Trainer):
                made.extend(layer._metrics)
            todo[:0] = layer._children
        return made

    def _metrics_by_figure(self):
        return _compiled_metrics.by_figure(self.metrics)

    @property
    def metrics_names(self):
        return [one.name for one in self.metrics]

    def reset_metrics(self):
        for one in self.metrics:
            one.reset_state()

    def get_metrics_result(self):
        """The figures now, by name."""
        return _compiled_metrics.figures_of(self.metrics)

    # ---- the native model

    def _bridge(self):
        """The native model, which knows all native layers that there are by now."""
        if self._native_model is None:
            # The native model keeps it, unseen by Python's collector.
            model = weakref.ref(self)

            def call(x, training):
                return model()(x, training=training)
            with self._scope():
                object.__setattr__(self, "_native_model",
                                   _native.PythonModel(self.name, call))
        for layer in self._native_layers():
            if all(layer is not one for one in self._tracked):
                self._native_model.add(layer)
                self._tracked.append(layer)
        return self._native_model

    def _compile_native(self):
        bridge = self._bridge()
        if not self._native_compiled:
            with self._scope():
                bridge.compile(self.optimizer._native, self._losses_made._native,
                               [one.metric._native for one in self._plain_metrics],
                               [one.metric._native for one in self._weighted_metrics])
            object.__setattr__(self, "_native_compiled", True)
        return bridge

    def _is_plain(self):
        from .models import Model
        cls = type(self)
        return (isinstance(self._losses_made, losses_module.Loss) and not self.run_eagerly
                and type(self._losses_made).__call__ is losses_module.Loss.__call__
                and self._loss_weights is None
                and cls.train_step is Model.train_step and cls.test_step is Model.test_step
                and cls.compute_loss is Model.compute_loss and self.optimizer is not None and self.optimizer._is_own()
                and cls.compute_metrics is Model.compute_metrics
                and all(one.metric._is_own() and not several_figures(one.metric)
                        for one in self._plain_metrics + self._weighted_metrics)
                and not self._adds_losses())

    def _adds_losses(self):
        """Whether a layer has added to the loss besides regularizers of weights, or regularizes or constrains weights in
        Python."""
        return any(one.__dict__.get("activity_regularizer") is not None or one.__dict__.get("_has_added_losses")
                   or one.__dict__.get("_metrics") or one.__dict__.get("_python_parts") for one in self._layers_inside())

    def _layers_inside(self):
        """This model and all layers in it."""
        todo, seen = [self], set()
        while todo:
            one = todo.pop()
            if id(one) not in seen:
                seen.add(id(one))
                yield one
                todo.extend(one._children)

    def _call_adds_losses(self, x, training):
        """Whether a call for inputs like `x` adds losses, or asks for the replica in which it runs, found by such a call on symbols,
        once per `compile`. Layers of the package alone have shown it when they were built."""
        from ._symbols import KerasTensor, infer
        if not any(one._has_users_code() for one in self._layers_inside()):
            return False
        key = ("adds losses", training)
        if key not in self._functions:
            before = distribute._context_requests.count
            try:
                infer(lambda tensors: self(tensors[0], training=training), [KerasTensor((None,) + tuple(x._shape[1:]), x.dtype)])
                self._functions[key] = self._adds_losses() or distribute._context_requests.count != before
            except Exception:  # what cannot be called on symbols trains by the loop, which says what is wrong
                self._functions[key] = True
            self._clear_losses()
        return self._functions[key]

    def _masks_outputs(self, data):
        """Whether what the model gives for such data has a mask, by which the loss leaves elements out."""
        from . import _masks
        from ._symbols import KerasTensor, infer
        if not _masks.may_come_of(self):
            return False
        x = data[1] if data[0] == "arrays" else (first_of(data[1]) or (None,))[0]
        if x is None:
            return False
        found = []

        def call(tensors):
            outputs = self(tensors[0], training=False)
            found.append(_masks.masks_of(outputs) is not None)
            return outputs
        infer(call, [KerasTensor((None,) + tuple(x._shape[1:]), x.dtype)])
        self._clear_losses()
        return found[-1]

    def _see(self, x, batch=None):
        """Builds the model for data that are to come, like `x`; shapes of layers are shown with `batch` examples."""
        from ._context import shown_batch
        from ._symbols import infer, symbol_like
        if self.built and self.weights and all(one.built for one in self._native_layers()):
            return
        with shown_batch(batch):
            infer(lambda tensors: self(nest._pack(x, iter(tensors)), training=False),
                  [symbol_like(one, (None,) + tuple(None if size == -1 else size for size in sizes_of(one)[1:]))
                   for one in nest.flatten(x)])
        object.__setattr__(self, "built", True)
        self._clear_losses()

    # ---- fit

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto", callbacks=None,
            validation_split=0.0, validation_data=None, shuffle=True, class_weight=None,
            sample_weight=None, initial_epoch=0, steps_per_epoch=None, validation_steps=None,
            validation_batch_size=None, validation_freq=1, **options):
        """Trains on arrays, or a dataset of batches; gives a `History`.

        Raises: ValueError for data and options that do not fit; RuntimeError before `compile`."""
        self._need_compiled("fit")
        _fit_arguments.require_known(options, f"{type(self).__name__}.fit", ("shards", "check_data"))
        object.__setattr__(self, "stop_training", False)
        verbose = _shown(verbose)
        batch_size, epochs = _fit_arguments.batch_size_of(batch_size), _fit_arguments.epochs_of(epochs, initial_epoch)
        steps_per_epoch = whole_executions(self, _fit_arguments.steps_of(steps_per_epoch, "steps_per_epoch"))
        validation_steps = whole_executions(self, validation_steps)
        items = x if is_items(x) else None
        x = dataset_of(x, steps_per_epoch, "steps_per_epoch", shuffle, class_weight)
        class_weight = None if items is not None else class_weight
        validation_data = dataset_of(validation_data, validation_steps, "validation_steps")
        if validation_data is not None and not _is_dataset(validation_data) and not isinstance(validation_data, (list, tuple)):
            raise ValueError(f"Unrecognized data type: x={validation_data} (of type {type(validation_data)}); validation_data is "
                             "a dataset, or a tuple (x, y) or (x, y, sample_weight)")
        if validation_steps and hasattr(validation_data, "take") and _is_dataset(validation_data):
            validation_data = validation_data.take(validation_steps)
        if validation_data is not None and not _is_dataset(validation_data):
            _fit_arguments.require_pair(validation_data)
        _check_given(x, y, sample_weight, class_weight, validation_split if validation_data is None else 0)
        if validation_split and validation_data is None:
            _fit_arguments.require_split(x, validation_split)
        _tell_untrained(self)
        hooks = callbacks_module.Hooks(self, callbacks, verbose, epochs, initial_epoch)
        if items is not None:
            hooks.callbacks.append(EpochCalls(items))
        object.__setattr__(self, "history", hooks.history)
        hooks.passes = CountedPasses(x, self.distribute_strategy, steps_per_epoch)
        native = self._native_data(x, y, sample_weight)
        validation = self._native_validation(validation_data, validation_steps, validation_batch_size or batch_size)
        with self._scope(), hooks.passes:
            by_number = isinstance(validation_freq, int) or validation_data is None and not validation_split
            if native is not None and validation is not False and by_number and self._is_plain() and not self._masks_outputs(
                    native):
                history = self._fit_natively(native, validation, hooks, {
                    "batch_size": batch_size, "epochs": epochs,
                    "initial_epoch": int(initial_epoch), "shuffle": bool(shuffle),
                    "validation_split": float(validation_split or 0),
                    "validation_freq": int(validation_freq) if validation or validation_split else 1,
                    "steps_per_epoch": int(steps_per_epoch or 0),
                    "first_pass": hooks.passes.first - hooks.passes.each * int(initial_epoch) * (not steps_per_epoch),
                    "passes_per_epoch": hooks.passes.each,
                    "class_weight": None if class_weight is None else {
                        int(key): float(value) for key, value in class_weight.items()},
                    "shards": options.get("shards", 0),
                    "check_data": options.get("check_data", False)})
                if history is not None:
                    return history
            from . import _loop
            return _loop.fit(self, x, y, batch_size, epochs, hooks, validation_split, validation_data,
                             shuffle, class_weight, sample_weight, initial_epoch, steps_per_epoch,
                             validation_steps, validation_batch_size, validation_freq)

    def _native_data(self, x, y, sample_weight):
        """What the native Fit takes: ("arrays", x, y, weight) or ("dataset", batches), else None."""
        if _is_dataset(x):
            spec = x.element_spec
            if hasattr(x, "_native") and isinstance(spec, tuple) and len(spec) in (2, 3) and all(
                    isinstance(one, TensorSpec) for one in spec):
                return ("dataset", _float_batches(x))
            return None
        if x is None or y is None or isinstance(x, (list, tuple, dict)) and not _is_numbers(x) \
                or isinstance(y, (list, tuple, dict)) and not _is_numbers(y) \
                or hasattr(x, "__getitem__") and not hasattr(x, "dtype") and not isinstance(x, (list, tuple)):
            return None
        try:
            arrays = [_floats(x), _floats(y)]
        except (TypeError, ValueError):
            return None
        if any(map(is_value, arrays)):
            return None
        if arrays[0]._rank == 0 or arrays[0]._shape[0] != (arrays[1]._shape or (0,))[0]:
            sizes = ", ".join(str(one._shape[0] if one._rank else 1) for one in arrays)
            raise ValueError("Data cardinality is ambiguous. Make sure all arrays contain the same number "
                             f"of samples.'x' sizes: {sizes.split(', ')[0]}\n'y' sizes: "
                             f"{sizes.split(', ')[1]}\n")
        weight = None if sample_weight is None else _floats(sample_weight)
        if weight is not None and (weight._shape or (1,))[0] != arrays[0]._shape[0]:
            sizes = [(name, (one._shape or (1,))[0]) for name, one in zip(("x", "y", "sample_weight"), (*arrays, weight))]
            raise ValueError("Data cardinality is ambiguous. Make sure all arrays contain the same number of samples." + "".join(
                f"'{name}' sizes: {size}\n" for name, size in sizes))
        return ("arrays", arrays[0], arrays[1], weight)

    def _in_order_of_keras(self, data, options):
        """The arrays as Keras's fit takes them after `set_random_seed`: the examples that are trained on shuffled
        once, in the order that all its epochs have then."""
        from .. import ops_math
        if data[0] != "arrays" or not options["shuffle"] or _native.global_seed() is None:
            return data
        count = data[1]._shape[0]
        trained = _trained_on(count, options["validation_split"])
        order = epoch_order(trained)
        if trained < count:
            order = _native.concat([order, ops_math.range(trained, count, dtype="int64")], 0)
        options["shuffle"] = False
        return ("arrays",) + tuple(None if one is None else _native.gather(one, order, 0, 0) for one in data[1:])

    def _native_validation(self, data, steps, batch_size):
        """Arguments of the native Fit; {} for none, False for data that it does not take. `steps`: how many batches of arrays."""
        if data is None:
            return {}
        if _is_dataset(data):
            spec = data.element_spec
            if hasattr(data, "_native") and isinstance(spec, tuple) and len(spec) in (2, 3) and all(
                    isinstance(one, TensorSpec) for one in spec):
                return {"validation_dataset": _float_batches(data)._native}
            return False
        made = self._native_data(data[0], data[1], data[2] if len(data) > 2 else None)
        if made is None or made[0] != "arrays":
            return False
        if steps:
            from ..data import Dataset
            arrays = tuple(one for one in made[1:] if one is not None)
            return {"validation_dataset": Dataset.from_tensor_slices(arrays).batch(batch_size).take(steps)._native}
        return {"validation_x": made[1], "validation_y": made[2], "validation_weight": made[3]}

    def _fit_natively(self, data, validation, hooks, options):
        """The `History`; None for a model without weights to train."""
        if data[0] == "arrays":
            first = data[1]
            count = data[1]._shape[0]
            count = _trained_on(count, options["validation_split"])
            data = self._in_order_of_keras(data, options)
            hooks.steps = options["steps_per_epoch"] or -(-count // options["batch_size"])
        else:
            element = first_of(data[1])
            if element is None:
                raise ValueError("the dataset is empty")
            first = element[0]
            size = data[1]._count()
            hooks.steps = options["steps_per_epoch"] or (size if size >= 0 else None)
        self._see(first, shown_batch_of(count, options["batch_size"]) if data[0] == "arrays" else
                  data[1].element_spec[0].shape[0])
        if not self.trainable_weights or self._call_adds_losses(first, training=True):
            return None
        bridge = self._compile_native()
        bridge.stop_training = False
        object.__setattr__(self, "_training_natively", True)
        options.update({key: one for key, one in validation.items() if one is not None})
        if _late.waiting and not self.optimizer.built:
            self.optimizer.build(self.trainable_weights)
        self.optimizer.built = True
        self.optimizer._weights = self.trainable_weights
        object.__setattr__(self, "_saves", bridge)
        hooks.begin()
        try:
            if data[0] == "arrays":
                if data[3] is not None:
                    options["sample_weight"] = data[3]
                bridge.fit_arrays(data[1], data[2], options, hooks)
            else:
                bridge.fit_dataset(data[1]._native, options, hooks)
        finally:
            object.__setattr__(self, "_training_natively", False)
        return hooks.history

    def __setattr__(self, name, value):
        if name == "stop_training":
            object.__setattr__(self, name, value)
            if self.__dict__.get("_native_model") is not None and value:
                self._native_model.stop_training = True
            return
        super().__setattr__(name, value)

    # ---- evaluate and predict

    def evaluate(self, x=None, y=None, batch_size=None, verbose="auto", sample_weight=None, steps=None,
                 callbacks=None, return_dict=False, **kwargs):
        """[loss, metrics] over all examples, in Keras's order; a number if there is only the loss."""
        self._need_compiled("evaluate")
        if set(kwargs) - {"use_cached_eval_dataset"}:
            raise ValueError(f"Arguments not recognized: {kwargs}")
        verbose = _shown(verbose)
        batch_size, steps = _fit_arguments.batch_size_of(batch_size), whole_executions(
            self, _fit_arguments.steps_of(steps, "steps"))
        calls = EpochCalls(x)
        calls.tell("begin")
        x = dataset_of(x, steps, "steps")
        native = self._native_data(x, y, sample_weight)
        with self._scope(), Looking(self.distribute_strategy), CountedPasses(
                x, self.distribute_strategy, steps) as passes:
            logs = None
            if not callbacks and native is not None and self._is_plain() and (
                    native[-1] is None or native[0] == "dataset") and not self._masks_outputs(native):
                logs = self._evaluate_natively(native, batch_size, steps, verbose)
            if logs is None:
                from . import _loop
                logs = _loop.evaluate(self, x, y, batch_size, verbose, sample_weight, steps, callbacks)
            passes.epoch_ends(1)
        calls.tell("end")
        if return_dict:
            return logs
        return self._in_order_of_metrics(logs)

    def _evaluate_natively(self, data, batch_size, steps, verbose):
        """The figures by name; None for a model that adds losses in Python."""
        dataset = _batches(data, batch_size)
        first = first_of(dataset)
        if first is None:
            raise ValueError("there are no examples to evaluate")
        self._see(first[0], shown_batch_of(data[1]._shape[0], batch_size) if data[0] == "arrays" else
                  dataset.element_spec[0].shape[0])
        if self._call_adds_losses(first[0], training=False):
            return None
        bridge = self._compile_native()
        line = callbacks_module.Line(verbose, None if steps is None else steps)
        logs = bridge.evaluate(dataset._native, int(steps or 0))
        line.end(steps or max(dataset._count(), 0), logs)
        return logs

    def _in_order_of_metrics(self, logs):
        """The figures as Keras lists them: those of `metrics` in their order, then all others by name, to which the
        compiled metrics of several outputs belong. A number where there is one only."""
        names = [one.name for one in _compiled_metrics.each_of(self.metrics)]
        values = [logs[name] for name in names if name in logs] + [
            logs[name] for name in sorted(logs) if name not in names]
        return values[0] if len(values) == 1 else values

    def predict(self, x, batch_size=None, verbose="auto", steps=None, callbacks=None):
        """The outputs for all examples, as NumPy arrays."""
        verbose = _shown(verbose)
        batch_size, steps = _fit_arguments.batch_size_of(batch_size), whole_executions(
            self, _fit_arguments.steps_of(steps, "steps"))
        calls = EpochCalls(x, starts_anew=False)
        calls.tell("begin")
        x = dataset_of(x, steps, "steps")
        from . import _loop
        with self._scope(), CountedPasses(x, None, steps) as passes:
            made = _loop.predict(self, x, batch_size, verbose, steps, callbacks)
            passes.epoch_ends(1)
        calls.tell("end")
        return made

    def predict_on_batch(self, x):
        """The outputs for one batch, as NumPy arrays. Under a strategy each replica gets the whole batch; these are replica 0's."""
        with self._scope():
            outputs = self._predict_function()((nest.map_structure(_floats, x),))
        return nest.map_structure(lambda one: _array_or_value(first_value(one)), outputs)

    def _predict_function(self):
        made = self._functions.get("predict")
        if made is None:
            strategy = self._predicting_strategy()
            made = self._functions["predict"] = Function(
                (lambda x: self.predict_step(x)) if strategy is None else lambda x: strategy.run(lambda own: self.predict_step(own), (x,)),
                reduce_retracing=True)
        return made

    def _predicting_strategy(self):
        """The strategy whose replicas predict, each its rows of a batch. None where each process predicts all rows by itself: without
        a strategy, and with one over several processes, which need not all predict."""
        native = getattr(self._strategy_of_model, "_native", None)
        alone = native is not None and native.workers == 1 and not getattr(native, "servers", 0)
        return self._strategy_of_model if alone else None

    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None, return_dict=False):
        """One step on one batch; its loss and metrics alone. Raises: ValueError for weights of both kinds."""
        from . import _loop
        if class_weight is not None and sample_weight is not None:
            raise ValueError("Arguments `sample_weight` and `class_weight` cannot be specified at the same time. Received: "
                             f"sample_weight={sample_weight}, class_weight={class_weight}")
        weights = _loop._weights_of_classes(y, class_weight, sample_weight)
        with self._scope():
            return _loop.on_batch(self, "train", x, y, weights, return_dict)

    def test_on_batch(self, x, y=None, sample_weight=None, return_dict=False):
        """The loss and metrics of one batch."""
        from . import _loop
        with self._scope():
            return _loop.on_batch(self, "test", x, y, sample_weight, return_dict)

    # ---- steps, to be overridden

    def train_step(self, data):
        """One step on a batch: forward, loss, gradients, update; the figures by name."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self._loss_of_step(x, y, y_pred, sample_weight, training=True)
            self._loss_tracker.update_state(loss * _replicas(), sample_weight=_batch_size(x))
            scaled = self.optimizer.scale_loss(loss)
        weights = self.trainable_weights
        if weights:
            self.optimizer.apply_gradients(zip(tape.gradient(scaled, weights), weights))
        else:
            warnings.warn("The model does not have any trainable weights.", stacklevel=2)
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def test_step(self, data):
        """The loss and metrics of a batch."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False)
        loss = self._loss_of_step(x, y, y_pred, sample_weight, training=False)
        self._loss_tracker.update_state(loss * _replicas(), sample_weight=_batch_size(x))
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def _loss_of_step(self, x, y, y_pred, sample_weight, training):
        """`compute_loss`, which a class of one's own may have without `training`."""
        takes = inspect.signature(self.compute_loss).parameters
        more = {"training": training} if "training" in takes or any(
            one.kind is one.VAR_KEYWORD for one in takes.values()) else {}
        return self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, **more)

    def predict_step(self, data):
        """The outputs of a batch."""
        x, _, _ = unpack_x_y_sample_weight(data)
        return self(x, training=False)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        """The compiled losses of a batch, plus what layers add; divided by the number of replicas."""
        total = None
        if self._losses_made is not None and y is not None:
            total = _output_losses.compute(self._losses_made, y, y_pred, sample_weight, self._loss_weights,
                                           self._track_output(y_pred), getattr(self, "output_names", None))
        for one in self.losses:
            one = convert_to_tensor(one)
            one = _native.reduce_sum(one, None, False) if one._rank else one
            if total is not None and one.dtype != total.dtype:
                one = _native.cast(one, as_dtype(total.dtype))  # what a layer in half precision adds
            total = one if total is None else total + one
        self._clear_losses()
        if total is None:
            raise ValueError("No loss to compute. Provide a `loss` argument in `compile()`.")
        return total / _replicas() if _replicas() > 1 else total

    def _track_output(self, y_pred):
        """Keeps the mean of each output's loss, where there are several: NAME_loss. As in Keras, whose traced steps know no
        sizes, batches of fewer examples count there as much as all others."""
        def track(key, value):
            if key is None or isinstance(key, int):
                key = f"output_{key or 0}"
            tracker = self._output_losses.get(key)
            if tracker is None:
                tracker = self._output_losses[key] = metrics_module.Mean(name=f"{key}_loss")
            tracker.update_state(value, sample_weight=None if _native.is_tracing() else _batch_size(y_pred))
        return track

    def compute_metrics(self, x, y, y_pred, sample_weight=None):
        """Updates the compiled metrics, and gives all figures by name."""
        self._update_compiled_metrics(y, y_pred, sample_weight)
        return self.get_metrics_result()

    def _update_compiled_metrics(self, y, y_pred, sample_weight):
        if isinstance(y_pred, dict) and not getattr(self, "output_names", None):
            for given in ("_plain_metrics", "_weighted_metrics"):
                object.__setattr__(self, given, _compiled_metrics.named_by_outputs(getattr(self, given), y_pred))
        for one in self._plain_metrics:
            _update(one.metric, *self._of_output(one.key, y, y_pred, None))
        for one in self._weighted_metrics:
            _update(one.metric, *self._of_output(one.key, y, y_pred, sample_weight))

    def _of_output(self, key, y, y_pred, sample_weight):
        """The labels, predictions and weights that a metric of the output `key` is of."""
        names = getattr(self, "output_names", None) or []
        outputs = _output_losses.parts_of(y_pred, names)
        if key is None:
            return y, y_pred, sample_weight if len(outputs) == 1 or sample_weight is None else \
                _output_losses.weight_of(sample_weight, next(iter(outputs)), 0)
        place = key if isinstance(key, int) else list(outputs).index(key) if key in outputs else names.index(key)
        labels = _output_losses.labels_for(y, y_pred, outputs, names, outputs)
        key = key if key in outputs else list(outputs)[place]
        return labels[key], outputs[key], _output_losses.weight_of(sample_weight, key, place)

    def compiled_loss(self, y, y_pred, sample_weight=None, regularization_losses=None):
        """`compute_loss` by its older name; what layers add is in it already."""
        warnings.warn("`model.compiled_loss()` is deprecated. Instead, use `model.compute_loss(x, y, y_pred, sample_weight, "
                      "training)`.", stacklevel=2)
        return self.compute_loss(x=None, y=y, y_pred=y_pred, sample_weight=sample_weight)

    @property
    def compiled_metrics(self):
        """What older steps update the metrics by: `compiled_metrics.update_state(y, y_pred)`."""
        return _compiled_metrics.OlderMetrics(self)

    def make_train_function(self, force=False):
        return None

    def advice(self):
        """What was said before the first step about things that cannot be meant."""
        return [] if self._native_model is None else self._native_model.advice()


def _check_given(x, y, sample_weight, class_weight, validation_split=0):
    """Raises: ValueError for arguments of `fit` that exclude each other."""
    if not _is_dataset(x):
        if class_weight is not None and isinstance(y, (dict, list, tuple)) and not _is_numbers(y):
            raise ValueError("`class_weight` is only supported for Models with a single output.")
        if class_weight is not None and sample_weight is not None:
            raise ValueError("You cannot `class_weight` and `sample_weight` at the same time.")
        return
    if validation_split:
        raise ValueError("Argument `validation_split` is only supported for tensors or NumPy arrays.Found incompatible "
                         f"type in the input: {[type(x)]}")
    for value, name, what in ((y, "y", "the targets"), (sample_weight, "sample_weights", "the sample weights")):
        if value is not None:
            raise ValueError(f"When providing `x` as a tf.data.Dataset, `{name}` should not be passed. Instead, {what} "
                             "should be included as part of the tf.data.Dataset.")


def _tell_untrained(model):
    """Says once which layers and variables the `train_step` of Keras leaves as they are."""
    if type(model).train_step is not Trainer.train_step or model.__dict__.get("_told_untrained"):
        return
    layers = _tracking.untracked_layers(model)
    if layers:
        object.__setattr__(model, "_told_untrained", True)
        warnings.warn(f"`fit` does not train layers that were put into a container by `l[i] = layer`, `setdefault`, or into a list "
                      f"that was itself appended, as in Keras 3; got {', '.join(layers)}; use `append`, `d[key] = layer`, or set "
                      "the attribute once the container is complete", stacklevel=3)
    names = sorted({one.name.removesuffix(":0") for one in model._untrained_variables()})
    if names:
        object.__setattr__(model, "_told_untrained", True)
        warnings.warn(f"`fit` does not train variables that layers made by tf.Variable, as in Keras 3; got {', '.join(names)}; "
                      "make them by `add_weight` or keras.Variable", stacklevel=3)


def _trained_on(count, validation_split):
    """How many of the first examples are not kept for validation."""
    return int(count * (1 - validation_split)) if validation_split else count


def epoch_order(count):
    """Keras's order of the examples in each epoch of `fit(shuffle=True)` after `set_random_seed`, int64 [count]:
    `tf.random.shuffle` as the first op of a graph."""
    stream = convert_to_tensor([0, 0, _native.global_seed()], dtype="int64")
    return _native.random_permutation(count, stream)


def _shown(verbose):
    from . import utils
    shown = int(utils.is_interactive_logging_enabled() if verbose == "auto" else verbose)
    return shown if shown in (1, 2) else 0


def several_figures(metric):
    """What a metric of the user's own gives by names, None for one that gives a figure."""
    if is_of_package(type(metric).result):
        return None
    try:
        made = metric.result()
    except Exception:  # before its first batch
        return None
    return made if isinstance(made, dict) else None


def _replicas():
    return distribute.get_strategy().num_replicas_in_sync


def first_value(one):
    """What the first replica has given."""
    return one._values[0] if isinstance(one, distribute.PerReplica) else one


def _array_or_value(one):
    """A dense tensor as an array; a sparse or ragged one as it is."""
    return one if is_value(one) else one.numpy()


def _batch_size(x):
    first = nest.flatten(x)[0]
    count = sizes_of(first)[0]
    if count is None:
        from .. import ops_array, ops_math
        count = first.nrows() if hasattr(first, "nrows") else first.dense_shape[0] if is_value(first) else ops_array.shape(first)[0]
        return ops_math.cast(count, "float32")
    return convert_to_tensor(count, dtype="float32")


def _update(metric, y, y_pred, sample_weight):
    if isinstance(y_pred, (list, tuple, dict)):
        y, y_pred = nest.flatten(y)[0], nest.flatten(y_pred)[0]
    sample_weight = _without_masked(metric, y_pred, sample_weight)
    if sample_weight is None:
        metric.update_state(y, y_pred)
    else:
        metric.update_state(y, y_pred, sample_weight=sample_weight)


def _without_masked(metric, y_pred, sample_weight):
    """The examples' weights, with 0 for masked steps of predictions where the metric is a mean of a function of them."""
    from . import _masks
    mask = _masks.mask_of(y_pred) if isinstance(metric, (metrics_module.MeanMetricWrapper, metrics_module._NativeMetric)) and \
        not isinstance(metric, metrics_module._Selected) and metric._kind not in metrics_module._COUNTS else None
    return sample_weight if mask is None else _masks.weights(sample_weight, mask, "sum")


def _map_losses(loss):
    if isinstance(loss, dict):
        return {key: _map_losses(one) for key, one in loss.items()}
    if isinstance(loss, (list, tuple)):
        return [_map_losses(one) for one in loss]
    return losses_module.loss_of(loss)


def _is_numbers(value):
    """Whether nested lists hold numbers alone, and so are one array."""
    if isinstance(value, dict):
        return False
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return isinstance(value, (int, float, bool))


def _float_batches(dataset):
    """The dataset with float32 in place of float64."""
    if any(one.dtype == "float64" for one in nest.flatten(dataset.element_spec)):
        return dataset.map(lambda *parts: tuple(_native.cast(one, as_dtype("float32"))
                                                if one._dtype == 2 else one for one in parts))
    return dataset


def _batches(native, batch_size):
    from ..data import Dataset
    if native[0] == "dataset":
        return native[1]
    return Dataset.from_tensor_slices((native[1], native[2])).batch(batch_size)


def unpack_x_y_sample_weight(data):
    """(x, y, sample_weight) of what a dataset gives; None for what it lacks."""
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return data, None, None
    return (tuple(data) + (None, None))[:3]


def pack_x_y_sample_weight(x, y=None, sample_weight=None):
    """The structure of which `unpack_x_y_sample_weight` makes its arguments again."""
    if y is None:
        return x if not isinstance(x, (list, tuple)) else (x,)
    return (x, y) if sample_weight is None else (x, y, sample_weight)


_ = (threading, Variable)
