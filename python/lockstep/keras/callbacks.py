"""Hooks into training: `keras.callbacks`."""

import math
import os
import sys
import time

import numpy

from .. import _refused
from . import _monitors
from ._callback_counts import Counts as _Counts
from ._executions import Executions as _Executions
from ._writable import fixed_directory as _fixed_directory, require_writable as _require_writable


class Callback:
    """Hooks that do nothing; derive and override. `self.model` and `self.params` are set by `fit`."""

    def __init__(self):
        self.params = None
        self._model = None

    @property
    def model(self):
        return self._model

    def set_params(self, params):
        self.params = params

    def set_model(self, model):
        self._model = model

    def on_batch_begin(self, batch, logs=None):
        pass

    def on_batch_end(self, batch, logs=None):
        pass

    def on_epoch_begin(self, epoch, logs=None):
        pass

    def on_epoch_end(self, epoch, logs=None):
        pass

    def on_train_batch_begin(self, batch, logs=None):
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch, logs=None):
        self.on_batch_end(batch, logs=logs)

    def on_test_batch_begin(self, batch, logs=None):
        pass

    def on_test_batch_end(self, batch, logs=None):
        pass

    def on_predict_batch_begin(self, batch, logs=None):
        pass

    def on_predict_batch_end(self, batch, logs=None):
        pass

    def on_train_begin(self, logs=None):
        pass

    def on_train_end(self, logs=None):
        pass

    def on_test_begin(self, logs=None):
        pass

    def on_test_end(self, logs=None):
        pass

    def on_predict_begin(self, logs=None):
        pass

    def on_predict_end(self, logs=None):
        pass


class History(Callback):
    """What training gathered: `history`, lists by name, and `epoch`."""

    def __init__(self):
        super().__init__()
        self.history = {}
        self.epoch = []

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class Hooks:
    """Passes the native training's hooks on to callbacks, and prints the progress."""

    def __init__(self, model, callbacks, verbose, epochs, initial_epoch):
        given = callbacks or []
        if isinstance(given, CallbackList):
            given = given.callbacks
        given = list(given) if isinstance(given, (list, tuple)) else [given]
        for one in given:
            if not hasattr(one, "set_model"):
                raise AttributeError(f"{type(one).__name__!r} object has no attribute 'set_model'; callbacks are derived from "
                                     "keras.callbacks.Callback")
        self.model = model
        self.history = next((one for one in given if isinstance(one, History)), None) or History()
        self.callbacks = [one for one in given if one is not self.history] + [self.history]
        self.initial_epoch, self.passes = initial_epoch, None  # over the dataset that is trained on
        self._counts = None  # until training has begun
        self.verbose = verbose
        self.epochs = epochs
        self.steps = None
        self._line = None
        self._batch_begin = [one for one in self.callbacks if _overrides(one, "train_batch_begin")]
        self._batch_end = [one for one in self.callbacks if _overrides(one, "train_batch_end")]
        self._tests = self.callbacks
        self._test_batch_end = [one for one in self.callbacks
                                if not _is_default(one, "on_test_batch_end")]
        self._trained = _Executions(model, self._tell_train_begin, self._tell_train_end, lambda: self._batch_end)
        self._tested = _Executions(model, self._tell_test_begin, self._tell_test_end, lambda: self._test_batch_end)

    def begin(self):
        params = {"verbose": self.verbose, "epochs": self.epochs, "steps": self.steps}
        for one in self.callbacks:
            one.set_params(params)
            one.set_model(self.model)
        self._line = Line(self.verbose, self.steps)  # of an epoch that this worker comes into, or that was begun before a save

    def train_begin(self):
        for one in self.callbacks:
            one.on_train_begin({})
        self._counts = _Counts([one for one in self.callbacks if one is not self.history])

    def reads_after_batches(self):
        """Whether any callback has something to do at the end of a batch, or at the beginning of one."""
        return bool(self._batch_begin or self._batch_end)

    def state(self):
        """What callbacks have counted, as a text."""
        return self._counts.write()

    def set_state(self, text):
        """Goes on with what callbacks have counted for a save, or on the workers to which this one comes."""
        self._counts.read(text)

    def train_enter(self, so_far):
        """This worker came into a training: the others' history."""
        self.history.history, self.history.epoch = so_far["history"], so_far["epoch"]

    def train_end(self):
        for one in self.callbacks:
            one.on_train_end(self._last if hasattr(self, "_last") else {})

    def epoch_begin(self, epoch):
        if self.passes is not None:
            self.passes.epoch_begins()
        for one in self.callbacks:
            one.on_epoch_begin(epoch, {})
        if self.verbose and self.epochs > 1:
            print(f"Epoch {epoch + 1}/{self.epochs}")
        self._line = Line(self.verbose, self.steps)

    def epoch_end(self, epoch, logs):
        if self.passes is not None:
            self.passes.epoch_ends(epoch + 1 - self.initial_epoch)
        self._trained.finish()
        self._last = dict(logs)
        # Saves come last, so that they hold what the others have counted; or before an error of one behind them.
        saves = [one for one in self.callbacks if isinstance(one, BackupAndRestore)]
        others = [one for one in self.callbacks if one is not self.history and one not in saves]
        try:
            for one in others:
                one.on_epoch_end(epoch, logs)
        except Exception:
            for save in self.callbacks[:self.callbacks.index(one)]:
                if save in saves:
                    save.on_epoch_end(epoch, logs)
            raise
        self.history.on_epoch_end(epoch, dict(logs))
        for one in saves:
            one.on_epoch_end(epoch, logs)
        self._line.end(self._line.done, logs)  # with what callbacks have added, such as the learning rate

    def train_batch_begin(self, batch):
        self._trained.begin(batch)

    def _tell_train_begin(self, batch):
        for one in self._batch_begin:
            one.on_train_batch_begin(batch, {})

    def train_batch_end(self, batch, source):
        self._trained.end(batch, source)
        self._line.step(batch + 1, source)

    def _tell_train_end(self, batch, source):
        logs = source()
        for one in self._batch_end:
            one.on_train_batch_end(batch, logs)

    def test_begin(self):
        self._trained.finish()
        for one in self.callbacks:
            one.on_test_begin({})

    def test_end(self, logs):
        self._tested.finish()
        for one in self.callbacks:
            one.on_test_end(logs)

    def test_batch_begin(self, batch):
        self._tested.begin(batch)

    def _tell_test_begin(self, batch):
        for one in self.callbacks:
            one.on_test_batch_begin(batch, {})

    def test_batch_end(self, batch, source):
        self._tested.end(batch, source)

    def _tell_test_end(self, batch, source):
        logs = source()
        for one in self._test_batch_end:
            one.on_test_batch_end(batch, logs)


def _is_default(callback, hook):
    """Whether a hook is the one of `Callback`, which is neither overridden by a class nor set on the instance."""
    return getattr(getattr(callback, hook), "__func__", None) is getattr(Callback, hook)


def _overrides(callback, hook):
    short = {"train_batch_begin": "on_batch_begin", "train_batch_end": "on_batch_end"}[hook]
    return not (_is_default(callback, "on_" + hook) and _is_default(callback, short))


class Line:
    """Keras's line of progress: redrawn on terminals and in notebooks, one line an epoch elsewhere."""

    def __init__(self, verbose, steps, width=20, interval=0.05, unit="step"):
        self.verbose = verbose
        self.steps = steps
        self._bar_width, self._interval, self._unit = width, interval, unit
        self.done = 0
        self._start = self._first = self._last = time.time()
        self._drawn = 0.0
        self._width = 0
        self._live = verbose == 1 and (
            getattr(sys.stdout, "isatty", lambda: False)() or "ipykernel" in sys.modules)

    def step(self, done, source):
        self.done = done
        self._last = time.time()
        if done == 1:
            self._first = self._last
        if self._live and done != self.steps and self._last - self._drawn > self._interval:
            self._drawn = self._last
            self._write(self._text(source(), False))

    def _write(self, text, end=""):
        plain = len(text)
        sys.stdout.write("\r" + text + " " * max(0, self._width - plain) + end)
        sys.stdout.flush()
        self._width = plain

    def end(self, done, logs):
        """The last line."""
        if done:
            self.done = done
        if self.steps is None:
            self.steps = self.done
        self._last = time.time() if self._last == self._start else self._last
        if not self.verbose:
            return
        text = self._text(logs, True)
        if self._live:
            self._write(text, "\n")
        else:
            print(text)

    def _text(self, logs, last):
        steps = self.steps
        counted = max(self.done - 1, 1)
        per_step = (self._last - self._first) / counted if self.done > 1 else self._last - self._start
        if self.done == 0:
            per_step = 0.0
        joint = " " if self.verbose == 1 else " - "
        if steps is None:
            text = f"{self.done:>7}/Unknown"
        else:
            digits = len(str(steps))
            text = f"{self.done:>{digits}}/{steps}"
        if self._live and steps is not None:
            text = f"\033[1m{text}\033[0m"
        if self.verbose == 1 and steps is not None:
            full = self._bar_width * self.done // max(steps, 1)
            bar = "━" * self._bar_width
            if self._live:
                bar = f"\033[32m{'━' * full}\033[0m\033[37m{'━' * (self._bar_width - full)}\033[0m"
            text += " " + bar
        seconds = time.time() - self._start if last or steps is None else per_step * (steps - self.done)
        text += joint + _duration(seconds) + joint + _per_step(per_step, self._unit)
        for name, value in logs.items():
            number = float(value) if not hasattr(value, "size") or getattr(value, "size", 1) == 1 else None
            text += f" - {name}: " + (_figure(number) if number is not None else str(value))
        return text


def _duration(seconds):
    seconds = int(seconds + 0.5)
    if seconds > 3600:
        return f"{seconds // 3600}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}"
    if seconds > 60:
        return f"{seconds // 60}:{seconds % 60:02d}"
    return f"{seconds}s"


def _per_step(seconds, unit):
    if seconds >= 1 or seconds == 0:
        return f"{seconds:.0f}s/{unit}"
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.0f}ms/{unit}"
    return f"{seconds * 1e6:.0f}us/{unit}"


def _figure(value):
    return f"{value:.4f}" if abs(value) > 1e-3 else f"{value:.4e}"


class CallbackList:
    """Several callbacks as one."""

    def __init__(self, callbacks=None, add_history=False, add_progbar=False, model=None, **params):
        self.callbacks = list(callbacks or [])
        self._history = next((one for one in self.callbacks if isinstance(one, History)), None)
        if add_history and self._history is None:
            self._history = History()
            self.callbacks.append(self._history)
        if add_progbar and not any(isinstance(one, ProgbarLogger) for one in self.callbacks):
            self.callbacks.append(ProgbarLogger())
        for one in self.callbacks:
            one.set_params(params)
            one.set_model(model)

    def __getattr__(self, name):
        if not name.startswith("on_"):
            raise AttributeError(name)

        def call(*args, **kwargs):
            for one in self.callbacks:
                getattr(one, name)(*args, **kwargs)
        return call


class LambdaCallback(Callback):
    """Calls functions."""

    def __init__(self, on_epoch_begin=None, on_epoch_end=None, on_train_begin=None, on_train_end=None,
                 on_train_batch_begin=None, on_train_batch_end=None, **kwargs):
        super().__init__()
        given = dict(kwargs, on_epoch_begin=on_epoch_begin, on_epoch_end=on_epoch_end,
                     on_train_begin=on_train_begin, on_train_end=on_train_end,
                     on_train_batch_begin=on_train_batch_begin, on_train_batch_end=on_train_batch_end)
        vars(self).update({name: function for name, function in given.items() if function is not None})


class EarlyStopping(Callback):
    """Stops after `patience` epochs without a better value."""

    def __init__(self, monitor="val_loss", min_delta=0, patience=0, verbose=0, mode="auto",
                 baseline=None, restore_best_weights=False, start_from_epoch=0):
        super().__init__()
        self.monitor, self.patience, self.verbose = monitor, patience, verbose
        self.mode = _monitors.known_mode(self, mode)
        self.min_delta, self.baseline = abs(min_delta), baseline
        self.restore_best_weights, self.start_from_epoch = restore_best_weights, start_from_epoch
        self.wait, self.stopped_epoch, self.best, self.best_epoch = 0, 0, None, 0
        self.best_weights = None

    def on_train_begin(self, logs=None):
        self.wait, self.stopped_epoch, self.best, self.best_epoch = 0, 0, None, 0
        self.best_weights = None

    def _improves(self, value, reference):
        if reference is None:
            return True
        if _monitors.is_lower_better(self):
            return value < reference - self.min_delta
        return value > reference + self.min_delta

    def on_epoch_end(self, epoch, logs=None):
        import warnings
        _monitors.is_lower_better(self)  # raises for a figure of an unknown direction, even where there is no such value
        value = (logs or {}).get(self.monitor)
        if value is None:
            warnings.warn(f"Early stopping conditioned on metric `{self.monitor}` which is not available. "
                          f"Available metrics are: {','.join(logs or {})}", stacklevel=2)
            return
        if epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights, self.best_epoch = self.model.get_weights(), epoch
        self.wait += 1
        if self._improves(value, self.best):
            self.best, self.best_epoch = value, epoch
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            if self.baseline is None or self._improves(value, self.baseline):
                self.wait = 0
            return
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs=None):
        if self.stopped_epoch > 0 and self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                print("Restoring model weights from the end of the best epoch: "
                      f"{self.best_epoch + 1}.")
            self.model.set_weights(self.best_weights)


class ModelCheckpoint(Callback):
    """Saves the model to `filepath`, in which {epoch} and the names of logs stand for values: the whole one to .keras unless
    `save_weights_only`, else the weights."""

    def __init__(self, filepath, monitor="val_loss", verbose=0, save_best_only=False,
                 save_weights_only=False, mode="auto", save_freq="epoch",
                 initial_value_threshold=None):
        super().__init__()
        self.filepath, self.monitor, self.verbose = os.fspath(filepath), monitor, verbose
        self.save_best_only, self.save_weights_only = save_best_only, save_weights_only
        self.mode = _monitors.known_mode(self, mode)
        self.save_freq, self.best = save_freq, initial_value_threshold
        self._batches = 0  # trained since the last save
        self._last_batch = -1
        self._epoch = 0
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(f"Unrecognized save_freq: {save_freq}. Expected save_freq are 'epoch' or integer values")
        if save_weights_only and not self.filepath.endswith(".weights.h5"):
            raise ValueError("When using `save_weights_only=True` in `ModelCheckpoint`, the filepath provided must end in "
                             f"`.weights.h5` (Keras weights format). Received: filepath={filepath}")
        if not save_weights_only and not self.filepath.endswith((".keras", ".h5")):
            raise ValueError("The filepath provided must end in `.keras` (Keras model format). Received: filepath="
                             f"{filepath}")

    def on_train_begin(self, logs=None):
        _require_writable(self.model, _fixed_directory(self.filepath))

    def on_epoch_begin(self, epoch, logs=None):
        self._epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        if self.save_freq == "epoch":
            return
        self._batches += batch + 1 if batch <= self._last_batch else batch - self._last_batch
        self._last_batch = batch
        if self._batches >= self.save_freq:
            self._batches = 0
            self._save(self._epoch, batch, logs or {})

    def on_epoch_end(self, epoch, logs=None):
        _monitors.is_lower_better(self)
        if self.save_freq == "epoch":
            self._save(epoch, None, logs or {})

    def _save(self, epoch, batch, logs):
        import warnings
        try:
            path = self.filepath.format(epoch=epoch + 1, batch=(batch or 0) + 1, **logs)
        except KeyError as error:
            raise KeyError(f'Failed to format this callback filepath: "{self.filepath}". Reason: {error}') from None
        if self.save_best_only:
            value = logs.get(self.monitor)
            if value is None:
                warnings.warn(f"Can save best model only with {self.monitor} available.", stacklevel=2)
                return
            lower = _monitors.is_lower_better(self)
            if self.best is not None and not (value < self.best if lower else value > self.best):
                if self.verbose > 0:
                    print(f"\nEpoch {epoch + 1}: {self.monitor} did not improve from {self.best:.5f}")
                return
            if self.verbose > 0:
                was = "None" if self.best is None else f"{self.best:.5f}"
                print(f"\nEpoch {epoch + 1}: {self.monitor} improved from {was} to {value:.5f}, "
                      f"saving model to {path}")
            self.best = value
        elif self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: saving model to {path}")
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if path.endswith(".keras") and not self.save_weights_only:
            self.model.save(path, overwrite=True)
        else:
            self.model.save_weights(path, overwrite=True)
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: finished saving model to {path}")


class ReduceLROnPlateau(Callback):
    """Multiplies the learning rate by `factor` after `patience` epochs without a better value."""

    def __init__(self, monitor="val_loss", factor=0.1, patience=10, verbose=0, mode="auto",
                 min_delta=1e-4, cooldown=0, min_lr=0.0, **kwargs):
        _refused.no_more("ReduceLROnPlateau.__init__", kwargs)
        super().__init__()
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau does not support a factor >= 1.0. Received factor={factor}")
        self.monitor, self.factor, self.patience, self.verbose = monitor, factor, patience, verbose
        self.min_delta, self.cooldown, self.min_lr = min_delta, cooldown, min_lr
        self.mode = _monitors.known_mode(self, mode)
        self.wait, self.cooldown_counter, self.best = 0, 0, None

    def on_train_begin(self, logs=None):
        self.wait, self.cooldown_counter, self.best = 0, 0, None

    def on_epoch_end(self, epoch, logs=None):
        logs = {} if logs is None else logs
        lower = _monitors.is_lower_better(self)
        logs["learning_rate"] = float(self.model.optimizer.learning_rate)
        value = logs.get(self.monitor)
        if value is None:
            import warnings
            warnings.warn(f"Learning rate reduction is conditioned on metric `{self.monitor}` which is not available. Available "
                          f"metrics are: {','.join(logs)}.", stacklevel=2)
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.best is None or (value < self.best - self.min_delta if lower
                                 else value > self.best + self.min_delta):
            self.best, self.wait = value, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            old = float(self.model.optimizer.learning_rate)
            if self.wait >= self.patience and old > float(numpy.float32(self.min_lr)):
                new = max(old * self.factor, self.min_lr)
                self.model.optimizer.learning_rate = new
                if self.verbose > 0:
                    print(f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {new}.")
                self.cooldown_counter, self.wait = self.cooldown, 0


class LearningRateScheduler(Callback):
    """Sets the learning rate to schedule(epoch, rate) when an epoch begins."""

    def __init__(self, schedule, verbose=0):
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch, logs=None):
        rate = float(self.model.optimizer.learning_rate)
        try:
            rate = self.schedule(epoch, rate)
        except TypeError:
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, numpy.float32, numpy.float64)):
            raise ValueError(f"The output of the `schedule` function should be a float. Got: {rate}")
        self.model.optimizer.learning_rate = float(rate)
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {float(rate)}.")

    def on_epoch_end(self, epoch, logs=None):
        if logs is not None:
            logs["learning_rate"] = float(self.model.optimizer.learning_rate)


class CSVLogger(Callback):
    """Writes a row an epoch."""

    def __init__(self, filename, separator=",", append=False):
        super().__init__()
        self.filename, self.sep, self.append = os.fspath(filename), separator, append
        self.keys = None

    def on_train_begin(self, logs=None):
        if not isinstance(self.sep, str) or len(self.sep) != 1:
            raise TypeError('"delimiter" must be a 1-character string')
        there = self.append and os.path.exists(self.filename) and os.path.getsize(self.filename)
        self._file = open(self.filename, "a" if self.append else "w")
        self._header = not there

    def on_epoch_end(self, epoch, logs=None):
        logs = logs or {}
        if self.keys is None:
            self.keys = sorted(logs)
            if not any(key.startswith("val_") for key in self.keys):  # a later epoch may be validated
                self.keys += ["val_" + key for key in self.keys]
            if self._header:
                self._file.write(self.sep.join(["epoch"] + self.keys) + "\n")
        row = [str(epoch)] + [str(logs.get(key, "NA")) for key in self.keys]
        self._file.write(self.sep.join(row) + "\n")
        self._file.flush()

    def on_train_end(self, logs=None):
        self._file.close()


def _batches(given):
    """(first, last) of the batches that `profile_batch` names; (0, 0) for none. Raises: ValueError."""
    parts = given.split(",") if isinstance(given, str) else given if isinstance(given, (list, tuple)) else [given]
    try:
        first, last = (int(one) for one in (parts if len(parts) == 2 else list(parts) * 2))
    except (TypeError, ValueError):
        first, last = -1, -1
    if first < 0 or last < first:
        raise ValueError("`profile_batch` must be a non-negative integer or (first, last) of such, the last not before the "
                         f"first. Received: {given!r}")
    return first, last


class TensorBoard(Callback):
    """Writes event files for TensorBoard: LOG_DIR/train and LOG_DIR/validation, the figures of each epoch as epoch_*,
    those of an evaluation as evaluation_*_vs_iterations, with `update_freq` those of batches as batch_*, with
    `write_graph` the layers, with `histogram_freq` the weights, with `write_images` as images, too; with `profile_batch`,
    a number or (first, last), counted from 1, a Chrome trace of these batches in LOG_DIR/profile. What Keras does not
    have: `write_weight_norms` and `write_gradient_norms`, <weight>/norm and <weight>/gradient_norm of the last step by
    epoch, and of all gradients epoch_gradient_norm and batch_gradient_norm; the latter cost a pass over the gradients."""

    def __init__(self, log_dir="logs", histogram_freq=0, write_graph=True, write_images=False,
                 write_steps_per_second=False, update_freq="epoch", profile_batch=0, embeddings_freq=0,
                 embeddings_metadata=None, write_weight_norms=False, write_gradient_norms=False):
        _refused.only("TensorBoard", embeddings_freq=(embeddings_freq, 0), embeddings_metadata=(embeddings_metadata, None))
        super().__init__()
        self.log_dir = str(log_dir)
        self.write_weight_norms, self.write_gradient_norms = write_weight_norms, write_gradient_norms
        self.histogram_freq, self.update_freq = histogram_freq, update_freq
        self.write_steps_per_second = write_steps_per_second
        self.write_graph, self.write_images = write_graph, write_images
        self._profiled = _batches(profile_batch)
        self._profiles = False
        self._writers = {}
        self._step = 0

    def _writer(self, part):
        from .. import summary
        if part not in self._writers:
            self._writers[part] = summary.create_file_writer(os.path.join(self.log_dir, part))
        return self._writers[part]

    def _write(self, part, figures, step):
        from .. import summary
        with self._writer(part).as_default():
            for name, value in figures.items():
                summary.scalar(name, float(value), step=step)

    def on_train_begin(self, logs=None):
        from . import _model_events
        with self._writer("train").as_default():
            if self.write_graph:
                _model_events.write_layers(self.model)
        self._keep_gradient_norms(True)

    def _keep_gradient_norms(self, keep):
        native = getattr(getattr(self.model, "optimizer", None), "_native", None)
        if self.write_gradient_norms and native is not None:
            native.keep_gradient_norms(keep)
            self.model._functions.pop("train", None)  # a step that was traced before keeps to what held then

    def _gradient_norms(self):
        """{weight: norm} of the last step, and the norm of all together."""
        native = getattr(getattr(self.model, "optimizer", None), "_native", None)
        found = native.gradient_norms() if self.write_gradient_norms and native is not None else []
        return dict(found), math.sqrt(sum(norm * norm for _, norm in found)) if found else None

    def on_epoch_begin(self, epoch, logs=None):
        self._since, self._first = time.monotonic(), self._step

    def on_train_batch_begin(self, batch, logs=None):
        self._batch_since = time.monotonic()
        if self._step + 1 == self._profiled[0]:
            from ..profiler import experimental
            experimental.start(self.log_dir)
            self._profiles = True

    def _end_profile(self):
        if self._profiles:
            from ..profiler import experimental
            self._profiles = False
            experimental.stop()

    def on_train_batch_end(self, batch, logs=None):
        self._step += 1
        if self._step >= self._profiled[1]:
            self._end_profile()
        every = 1 if self.update_freq == "batch" else self.update_freq
        if every != "epoch" and self._step % every == 0:
            figures = {"batch_" + name: one for name, one in (logs or {}).items()}
            together = self._gradient_norms()[1]
            if together is not None:
                figures["batch_gradient_norm"] = together
            if self.write_steps_per_second:
                figures["batch_steps_per_second"] = 1.0 / max(time.monotonic() - self._batch_since, 1e-9)
            self._write("train", figures, self._step)

    def on_epoch_end(self, epoch, logs=None):
        logs = dict(logs or {})
        train = {"epoch_" + name: one for name, one in logs.items() if not name.startswith("val_")}
        if getattr(self.model, "optimizer", None) is not None:
            train["epoch_learning_rate"] = float(self.model.optimizer.learning_rate)
        if self.write_steps_per_second:
            train["epoch_steps_per_second"] = (self._step - self._first) / max(
                time.monotonic() - self._since, 1e-9)
        norms, together = self._gradient_norms()
        if together is not None:
            train["epoch_gradient_norm"] = together
        train.update({name + "/gradient_norm": norm for name, norm in norms.items()})
        if self.write_weight_norms:
            train.update({one.path + "/norm": float((one.numpy().astype("float64") ** 2).sum() ** 0.5)
                          for one in self.model.weights if one.dtype.is_floating})
        self._write("train", train, epoch)
        other = {"epoch_" + name[4:]: one for name, one in logs.items() if name.startswith("val_")}
        if other:
            self._write("validation", other, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            from . import _model_events
            with self._writer("train").as_default():
                _model_events.write_weights(self.model.weights, epoch, self.write_images)

    def on_test_end(self, logs=None):
        if getattr(self.model, "optimizer", None) is not None:
            figures = {f"evaluation_{name}_vs_iterations": one for name, one in (logs or {}).items()}
            self._write("validation", figures, int(self.model.optimizer.iterations))

    def on_train_end(self, logs=None):
        self._end_profile()
        self._keep_gradient_norms(False)
        for one in self._writers.values():
            one.close()
        self._writers.clear()


class TerminateOnNaN(Callback):
    """Stops after a batch after which the loss is not a number. Raises: RuntimeError instead, with `raise_error`."""

    def __init__(self, raise_error=False):
        super().__init__()
        self.raise_error = raise_error

    def on_train_batch_end(self, batch, logs=None):
        loss = (logs or {}).get("loss")
        if loss is not None and not math.isfinite(loss):
            if self.raise_error:
                raise RuntimeError(f"NaN or Inf loss encountered at batch {batch}. Loss value: {loss}. Terminating training "
                                   "immediately.")
            print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class ProgbarLogger(Callback):
    """The line of progress, which `fit` prints by itself."""


from ._backup_and_restore import BackupAndRestore  # noqa: E402
from ._remote_monitor import RemoteMonitor  # noqa: E402, F401
from ._swap_ema_weights import SwapEMAWeights  # noqa: E402, F401
