"""Sessions with hooks: `tf.compat.v1.train.MonitoredTrainingSession` and what it calls."""

import collections
import os
import time

SessionRunArgs = collections.namedtuple("SessionRunArgs", "fetches feed_dict options", defaults=(None, None))
SessionRunValues = collections.namedtuple("SessionRunValues", "results options run_metadata",
                                          defaults=(None, None))


class SessionRunContext:
    """What hooks are told of a run, and where they ask for the end."""

    def __init__(self, original_args, session):
        self.original_args, self.session = original_args, session
        self.stop_requested = False

    def request_stop(self):
        self.stop_requested = True


class SessionRunHook:
    """Called around the runs of a session; derive and override."""

    def begin(self):
        pass

    def after_create_session(self, session, coord):
        pass

    def before_run(self, run_context):
        return None

    def after_run(self, run_context, run_values):
        pass

    def end(self, session):
        pass


class StopAtStepHook(SessionRunHook):
    """Ends after `num_steps` more steps, or at `last_step` of the global step."""

    def __init__(self, num_steps=None, last_step=None):
        if (num_steps is None) == (last_step is None):
            raise ValueError("One of num_steps or last_step must be specified." if num_steps is None
                             else "Only one of num_steps or last_step can be specified.")
        self._more, self._last = num_steps, last_step

    def begin(self):
        from .train import get_global_step
        self._step = get_global_step()
        if self._step is None:
            raise RuntimeError("Global step should be created to use StopAtStepHook.")

    def after_create_session(self, session, coord):
        if self._last is None:
            self._last = int(session.run(self._step)) + self._more

    def after_run(self, run_context, run_values):
        if int(run_context.session.run(self._step)) >= self._last:
            run_context.request_stop()


class _EverySteps(SessionRunHook):
    """Acts every so many runs, and at the first."""

    def _setup(self, steps, secs):
        self._steps, self._secs = steps, secs
        self._count, self._at = -1, time.monotonic()

    def _due(self):
        self._count += 1
        if self._steps:
            return self._count % self._steps == 0
        due = self._count == 0 or time.monotonic() - self._at >= (self._secs or 600)
        if due:
            self._at = time.monotonic()
        return due


class LoggingTensorHook(_EverySteps):
    """Logs tensors every so many runs."""

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None):
        self._tensors = tensors if isinstance(tensors, dict) else {str(getattr(one, "name", one)): one
                                                                   for one in tensors}
        self._formatter = formatter
        self._setup(every_n_iter, every_n_secs)

    def before_run(self, run_context):
        self._now = self._due()
        return SessionRunArgs(self._tensors) if self._now else None

    def after_run(self, run_context, run_values):
        if self._now:
            import logging
            values = run_values.results
            logging.getLogger("tensorflow").info(self._formatter(values) if self._formatter else ", ".join(
                f"{name} = {value}" for name, value in values.items()))


class NanTensorHook(SessionRunHook):
    """Ends, or raises, at a loss that is no number."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss, self._fail = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context):
        return SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        import numpy
        if numpy.isnan(run_values.results).any():
            if self._fail:
                raise NanLossDuringTrainingError
            run_context.request_stop()


class NanLossDuringTrainingError(RuntimeError):
    def __str__(self):
        return "NaN loss during training."


class CheckpointSaverHook(SessionRunHook):
    """Saves at the beginning, every so many steps or seconds, and at the end."""

    def __init__(self, checkpoint_dir, save_secs=None, save_steps=None, saver=None,
                 checkpoint_basename="model.ckpt", scaffold=None, listeners=None):
        self._path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._secs, self._steps, self._saver = save_secs, save_steps, saver

    def begin(self):
        from .train import Saver, get_global_step
        self._step = get_global_step()
        self._saver = self._saver or Saver()

    def after_create_session(self, session, coord):
        self._save(session)

    def _save(self, session):
        self._saved, self._at = int(session.run(self._step)), time.monotonic()
        self._saver.save(session, self._path, self._saved)

    def after_run(self, run_context, run_values):
        step = int(run_context.session.run(self._step))
        due = step - self._saved >= self._steps if self._steps else time.monotonic() - self._at >= (self._secs or 600)
        if due:
            self._save(run_context.session)

    def end(self, session):
        if int(session.run(self._step)) != self._saved:
            self._save(session)


class _Monitored:
    """A session whose runs hooks see; `should_stop` once one of them has asked for it."""

    def __init__(self, hooks, restore_from=None, config=None):
        from . import Session, get_default_graph, global_variables_initializer, local_variables_initializer
        from .train import Saver, latest_checkpoint
        self._hooks, self._stop = list(hooks), False
        self.graph = get_default_graph()
        for one in self._hooks:
            one.begin()
        ready = [global_variables_initializer(), local_variables_initializer()]
        saver = Saver() if restore_from else None
        self._session = Session(graph=self.graph, config=config)
        self._session.run(ready)
        known = restore_from and latest_checkpoint(restore_from)
        if known:
            saver.restore(self._session, known)
        for one in self._hooks:
            one.after_create_session(self._session, None)

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """The values of `fetches`, with the hooks before and after. Raises: RuntimeError once it has stopped."""
        if self._session is None:
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._session)
        asked = [one.before_run(context) for one in self._hooks]
        feeds = dict(feed_dict or {})
        for one in asked:
            feeds.update((one and one.feed_dict) or {})
        more = {f"hook{i}": one.fetches for i, one in enumerate(asked) if one is not None and one.fetches is not None}
        values = self._session.run({"caller": fetches, **more}, feeds)
        for i, one in enumerate(self._hooks):
            one.after_run(context, SessionRunValues(values.get(f"hook{i}")))
        self._stop = self._stop or context.stop_requested
        return values["caller"]

    def should_stop(self):
        return self._stop or self._session is None

    def close(self):
        """Tells the hooks, and closes the session."""
        if self._session is not None:
            for one in self._hooks:
                one.end(self._session)
            self._session.close()
            self._session = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        from ...errors import OutOfRangeError
        if kind is None or issubclass(kind, (OutOfRangeError, StopIteration)):
            self.close()  # the end of the input is a good end
            return True
        self._session.close()
        self._session = None
        return False


def MonitoredTrainingSession(master="", is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None,
                             chief_only_hooks=None, save_checkpoint_secs=None, save_summaries_steps=None,
                             save_summaries_secs=None, config=None, stop_grace_period_secs=120, log_step_count_steps=100,
                             max_wait_secs=7200, save_checkpoint_steps=None, summary_dir=None,
                             save_graph_def=True):
    """A session that sets the variables, or restores them from `checkpoint_dir`, saves there as it goes (every
    600 s by default), and calls hooks around its runs."""
    called = list(hooks or []) + (list(chief_only_hooks or []) if is_chief else [])
    if checkpoint_dir and is_chief:
        called.append(CheckpointSaverHook(checkpoint_dir, save_checkpoint_secs, save_checkpoint_steps))
    return _Monitored(called, checkpoint_dir, config)


class SingularMonitoredSession(_Monitored):
    """A session that calls hooks around its runs, and saves nothing."""

    def __init__(self, hooks=None, scaffold=None, master="", config=None, checkpoint_dir=None,
                 stop_grace_period_secs=120, checkpoint_filename_with_path=None):
        super().__init__(hooks or [], checkpoint_dir, config)

    def raw_session(self):
        return self._session
