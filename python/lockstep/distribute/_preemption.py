"""Saving on a notice that the machine will be taken away: `tf.distribute.experimental.PreemptionCheckpointHandler`."""

import contextlib
import os
import shutil
import signal
import sys
import threading
import time

from .. import errors
from .._tensor import convert_to_tensor
from .._variable import Variable
from .cluster_resolver import is_chief

_POLL_SECONDS = 1.0


class TerminationConfig:
    """How a program is told to end, and how it does.

    Args:
      termination_watcher_fn: asked once a second whether the end is near; without it SIGTERM says so.
      exit_fn: called when all is saved; without it the program ends with status 42.
      grace_period: seconds between the notice and the end, in which training goes on as long as it can.
      save_fn: saves in place of the manager's `save`."""

    def __init__(self, termination_watcher_fn=None, exit_fn=None, grace_period=None, save_fn=None):
        self.termination_watcher_fn, self.exit_fn = termination_watcher_fn, exit_fn
        self.grace_period, self.save_fn = grace_period, save_fn


class PreemptionCheckpointHandler:
    """Goes on from the last save, and saves and ends once any worker is told to end, all workers at the same step.

    Args:
      cluster_resolver: that of the strategy; None for one process.
      checkpoint_or_checkpoint_manager: a manager saves where it is told to, each worker its own; for a checkpoint one is
        made, of which only the chief's files stay.
      checkpoint_dir: where, for a checkpoint.
      termination_config: a `TerminationConfig`.
    Raises: InvalidArgumentError for a checkpoint without a directory; NotImplementedError with parameter servers.
    Before each step of several workers one number is added up over them, so that they agree on the step."""

    def __init__(self, cluster_resolver, checkpoint_or_checkpoint_manager, checkpoint_dir=None, termination_config=None):
        from ..train import Checkpoint, CheckpointManager
        from . import get_strategy, has_strategy
        jobs = {} if cluster_resolver is None else cluster_resolver.cluster_spec().as_dict()
        if "ps" in jobs:
            raise NotImplementedError("PreemptionCheckpointHandler does not support usage with "
                                      "tf.distribute.experimental.ParameterServerStrategy.")
        config = termination_config or TerminationConfig()
        self._exit = config.exit_fn or (lambda: sys.exit(42))
        self._grace, self._save_fn, self._watcher = config.grace_period or 0.0, config.save_fn, config.termination_watcher_fn
        self._workers = sum(len(tasks) for job, tasks in jobs.items() if job in ("chief", "worker"))
        self._strategy = get_strategy() if has_strategy() else None
        self._remove = None
        if isinstance(checkpoint_or_checkpoint_manager, Checkpoint):
            if not checkpoint_dir:
                raise errors.InvalidArgumentError(
                    None, None, "When a checkpoint is passed, a checkpoint_dir must be passed as well.")
            checkpoint = checkpoint_or_checkpoint_manager
        else:
            checkpoint = checkpoint_or_checkpoint_manager.checkpoint
        self._saved_runs, self._runs = Variable(0, trainable=False, name="checkpointed_runs"), 0
        checkpoint._ckpt_runs = self._saved_runs
        if checkpoint is checkpoint_or_checkpoint_manager:
            reader = self._writer = CheckpointManager(checkpoint, checkpoint_dir, max_to_keep=1)
            if self._workers > 1 and not is_chief(cluster_resolver):
                self._remove = os.path.join(os.fspath(checkpoint_dir), f"workertemp_{cluster_resolver.task_id}")
                self._writer = CheckpointManager(checkpoint, self._remove, max_to_keep=1)
        else:
            reader = self._writer = checkpoint_or_checkpoint_manager
        reader.restore_or_initialize()
        self._told, self._ended = threading.Event(), threading.Event()
        self._told_at = self._save_seconds = self._run_seconds = 0.0
        self._watch()

    def _watch(self):
        if self._watcher is not None:
            threading.Thread(target=self._poll, name="preemption", daemon=True).start()
        elif threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, lambda *_: self._tell())
        else:
            raise RuntimeError("[preemption] signals are heard by the main thread; make the handler there, or give a "
                               "termination_watcher_fn")

    def _poll(self):
        while not self._ended.wait(_POLL_SECONDS):
            if self._watcher():
                return self._tell()

    def _tell(self):
        self._told_at = time.monotonic()
        self._told.set()

    @property
    def total_run_calls(self):
        """How many times `run` was called, those before the last save included."""
        return int(self._saved_runs.numpy()) + self._runs

    def run(self, distributed_train_function, *args, **kwargs):
        """What the function gives; before that all is saved and the program ended, where the notice has come."""
        self.save_checkpoint_if_preempted()
        began = time.monotonic()
        result = distributed_train_function(*args, **kwargs)
        self._run_seconds = time.monotonic() - began
        return result

    def save_checkpoint_if_preempted(self, *args, **kwargs):
        """Saves and ends the program where the notice has come; to be called by all workers alike. The arguments are those
        of the manager's `save`."""
        if self._agreed():
            self._save(args, kwargs)
            self._ended.set()
            self._exit()
        self._runs += 1

    def _agreed(self):
        own = self._told.is_set() and time.monotonic() - self._told_at >= (
            self._grace - 2 * self._save_seconds - 5 * self._run_seconds)
        if self._workers < 2 or self._strategy is None:
            return own
        flags = self._strategy.experimental_distribute_values_from_function(lambda _: convert_to_tensor(float(own)))
        return float(self._strategy.reduce("SUM", flags, axis=None)) > 0

    def _save(self, args, kwargs):
        began = time.monotonic()
        self._saved_runs.assign(self.total_run_calls)
        self._runs = 0
        (self._save_fn or self._writer.save)(*args, **kwargs)
        if self._remove is not None:
            shutil.rmtree(self._remove, ignore_errors=True)
        self._save_seconds = time.monotonic() - began

    @contextlib.contextmanager
    def watch_preemption_scope(self):
        """A scope in which steps run; the notice is heard between them."""
        yield
