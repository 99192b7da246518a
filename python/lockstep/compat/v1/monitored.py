"""Sessions with hooks: `tf.compat.v1.train.MonitoredTrainingSession` and what it calls."""

import collections
import os
import time

from ...train import Coordinator
from .queue_runner import start_queue_runners

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
        self._scaffold, self._listeners = scaffold or Scaffold(), list(listeners or [])

    def begin(self):
        from .train import get_global_step
        self._step = get_global_step()
        if self._step is None:
            raise RuntimeError("Global step should be created to use CheckpointSaverHook.")
        if self._saver is None:
            self._saver = self._scaffold.finalize().saver
        for one in self._listeners:
            one.begin()

    def after_create_session(self, session, coord):
        self._save(session)

    def _save(self, session):
        self._saved, self._at = int(session.run(self._step)), time.monotonic()
        for one in self._listeners:
            one.before_save(session, self._saved)
        self._saver.save(session, self._path, self._saved)
        for one in self._listeners:
            one.after_save(session, self._saved)

    def after_run(self, run_context, run_values):
        step = int(run_context.session.run(self._step))
        due = step - self._saved >= self._steps if self._steps else time.monotonic() - self._at >= (self._secs or 600)
        if due:
            self._save(run_context.session)

    def end(self, session):
        if int(session.run(self._step)) != self._saved:
            self._save(session)
        for one in self._listeners:
            one.end(session, self._saved)


class SummarySaverHook(SessionRunHook):
    """Writes summaries every so many steps or seconds.

    Args: summary_op: what gives them, or `scaffold`'s. Raises: ValueError unless one of `save_steps` and `save_secs`, and one
    of `scaffold` and `summary_op`, is given."""

    def __init__(self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None, scaffold=None, summary_op=None):
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        if (save_steps is None) == (save_secs is None):
            raise ValueError("exactly one of every_steps and every_secs should be provided.")
        self._steps, self._secs, self._folder = save_steps, save_secs, output_dir
        self._writer, self._scaffold, self._summary = summary_writer, scaffold, summary_op
        self._written = self._at = None

    def begin(self):
        from .summary import FileWriter
        from .train import get_global_step
        if self._writer is None and self._folder:
            self._writer = FileWriter(self._folder)
        self._step = get_global_step()
        if self._step is None:
            raise RuntimeError("Global step should be created to use SummarySaverHook.")

    def _due(self, step):
        if self._written is None:
            return True
        return step - self._written >= self._steps if self._steps else time.monotonic() - self._at >= self._secs

    def before_run(self, run_context):
        summary = self._summary if self._summary is not None else self._scaffold.summary_op
        if summary is None or self._written is not None and self._secs and not self._due(self._written):
            return SessionRunArgs({"step": self._step})
        return SessionRunArgs({"step": self._step, "summary": summary})

    def after_run(self, run_context, run_values):
        step = int(run_context.session.run(self._step))
        summary = run_values.results.get("summary")
        if self._writer is None or summary is None or not self._due(step):
            return
        self._written, self._at = step, time.monotonic()
        for one in summary if isinstance(summary, (list, tuple)) else [summary]:
            self._writer.add_summary(one, step)
        self._writer.flush()

    def end(self, session):
        if self._writer is not None:
            self._writer.flush()


class CheckpointSaverListener:
    """Told before and after saves; derive and override."""

    def begin(self):
        pass

    def before_save(self, session, global_step_value):
        pass

    def after_save(self, session, global_step_value):
        pass

    def end(self, session, global_step_value):
        pass


class FinalOpsHook(SessionRunHook):
    """Runs ops at the end; their values are `final_ops_values`."""

    def __init__(self, final_ops, final_ops_feed_dict=None):
        self._ops, self._feeds = final_ops, final_ops_feed_dict
        self.final_ops_values = None

    def end(self, session):
        if self._ops is not None:
            self.final_ops_values = session.run(self._ops, self._feeds)


class FeedFnHook(SessionRunHook):
    """Feeds each run with what a function gives."""

    def __init__(self, feed_fn):
        self._feed = feed_fn

    def before_run(self, run_context):
        return SessionRunArgs(fetches=None, feed_dict=self._feed())


class GlobalStepWaiterHook(SessionRunHook):
    """Lets the first run wait until others have brought the global step to a number."""

    def __init__(self, wait_until_step):
        self._until = wait_until_step

    def begin(self):
        from .train import get_global_step
        self._step = get_global_step()
        if self._step is None:
            raise RuntimeError("Global step should be created to use _GlobalStepWaiterHook.")
        self._waited = self._until <= 0

    def before_run(self, run_context):
        while not self._waited:
            self._waited = int(run_context.session.run(self._step)) >= self._until
            if not self._waited:
                time.sleep(0.05)


class StepCounterHook(SessionRunHook):
    """Logs how many steps a second are made, every so many."""

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None):
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)

    def begin(self):
        from .train import get_global_step
        self._step = get_global_step()
        if self._step is None:
            raise RuntimeError("Global step should be created to use StepCounterHook.")

    def after_run(self, run_context, run_values):
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step):
            seconds, steps = self._timer.update_last_triggered_step(step)
            if seconds:
                import logging
                logging.getLogger("tensorflow").info("global_step/sec: %g", steps / seconds)


class SecondOrStepTimer:
    """Says when so many seconds, or steps, are over since it was told the last time."""

    def __init__(self, every_secs=None, every_steps=None):
        self.reset()
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._secs, self._steps = every_secs, every_steps

    def reset(self):
        self._step = self._at = None

    def should_trigger_for_step(self, step):
        """True at first, and once the time or the steps are over; never twice for one step."""
        if self._step is None:
            return True
        if step == self._step:
            return False
        if self._secs is not None:
            return time.monotonic() >= self._at + self._secs
        return step >= self._step + self._steps

    def update_last_triggered_step(self, step):
        """(seconds, steps) since the last time; (None, None) at first."""
        now = time.monotonic()
        gone = (None, None) if self._step is None else (now - self._at, step - self._step)
        self._step, self._at = step, now
        return gone

    def last_triggered_step(self):
        return self._step


class Scaffold:
    """What a session with hooks is set up with. Raises: ValueError for an `init_fn` that takes no (scaffold, session)."""

    def __init__(self, init_op=None, init_feed_dict=None, init_fn=None, ready_op=None, ready_for_local_init_op=None,
                 local_init_op=None, summary_op=None, saver=None, copy_from_scaffold=None, local_init_feed_dict=None):
        before = copy_from_scaffold or type("Empty", (), {})
        given = {"init_op": init_op, "init_feed_dict": init_feed_dict, "init_fn": init_fn, "ready_op": ready_op,
                 "ready_for_local_init_op": ready_for_local_init_op, "local_init_op": local_init_op,
                 "summary_op": summary_op, "saver": saver, "local_init_feed_dict": local_init_feed_dict}
        for name, value in given.items():
            setattr(self, name, getattr(before, name, None) if value is None else value)

    def finalize(self):
        """Makes what was not given; the graph takes no more ops."""
        from . import get_default_graph, global_variables, global_variables_initializer, local_variables_initializer
        from .train import Saver
        graph = get_default_graph()
        if not graph.finalized:
            self.init_op = global_variables_initializer() if self.init_op is None else self.init_op
            self.local_init_op = local_variables_initializer() if self.local_init_op is None else self.local_init_op
            if self.saver is None and global_variables():
                self.saver = Saver()
        return self

    def prepare(self, session, restore_from):
        """Gives the variables their values: those of a checkpoint, else the first ones."""
        session.run(self.init_op, self.init_feed_dict)
        if restore_from:
            self.saver.restore(session, restore_from)
        elif self.init_fn is not None:
            self.init_fn(self, session)
        session.run(self.local_init_op, self.local_init_feed_dict)


class SessionCreator:
    """Makes a session for `MonitoredSession`."""

    def create_session(self):
        raise NotImplementedError("create_session is not implemented for {self}.")


class ChiefSessionCreator(SessionCreator):
    """Sets the variables, or restores them from the newest checkpoint of a directory, or from a checkpoint."""

    def __init__(self, scaffold=None, master="", config=None, checkpoint_dir=None, checkpoint_filename_with_path=None):
        self._scaffold = scaffold or Scaffold()
        self._config, self._directory, self._path = config, checkpoint_dir, checkpoint_filename_with_path
        self._master = master

    def create_session(self):
        """The session, ready to run."""
        from . import Session, get_default_graph
        from .train import latest_checkpoint
        self._scaffold.finalize()
        session = Session(self._master, graph=get_default_graph(), config=self._config)
        self._scaffold.prepare(session, self._path or self._directory and latest_checkpoint(self._directory))
        return session


class WorkerSessionCreator(SessionCreator):
    """Waits until the chief has given the variables values."""

    def __init__(self, scaffold=None, master="", config=None, max_wait_secs=1800):
        self._scaffold, self._master, self._config, self._seconds = scaffold or Scaffold(), master, config, max_wait_secs

    def create_session(self):
        """The session, once the variables have values. Raises: DeadlineExceededError."""
        from .supervisor import Supervisor
        self._scaffold.finalize()
        helper = Supervisor(is_chief=False, init_op=None, local_init_op=self._scaffold.local_init_op, saver=self._scaffold.saver)
        return helper.prepare_or_wait_for_session(self._master, self._config, max_wait_secs=self._seconds)


class StepContext:
    """What a function of `run_step_fn` gets."""

    def __init__(self, session, run_with_hooks):
        self.session, self.run_with_hooks = session, run_with_hooks

    def request_stop(self):
        """Ends the loop after this step."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class _Monitored:
    """A session whose runs hooks see; `should_stop` once one of them has asked for it."""

    def __init__(self, session_creator, hooks):
        from . import get_default_graph
        self._hooks, self._stop = list(hooks or []), False
        self.graph = get_default_graph()
        for one in self._hooks:
            one.begin()
        self._coord = Coordinator()
        self._session = session_creator.create_session()
        start_queue_runners(self._session, self._coord)
        for one in self._hooks:
            one.after_create_session(self._session, self._coord)

    def run_step_fn(self, step_fn):
        """What `step_fn(step_context)` gives; the context has the bare session, `run_with_hooks` and `request_stop`."""
        import inspect
        names = list(inspect.signature(step_fn).parameters)
        if names not in (["step_context"], ["self", "step_context"]):
            raise ValueError(f"`step_fn` may either have one `step_context` argument, or two: `self` and `step_context`; got {names}")
        if self._session is None:
            raise RuntimeError("run_step_fn called even after should_stop requested.")
        try:
            return step_fn(StepContext(self._session, self.run))
        except StopIteration:  # it ends the `with` around, too
            self._stop = True
            raise

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
        return self._stop or self._session is None or self._coord.should_stop()

    def close(self):
        """Tells the hooks, and closes the session."""
        if self._session is not None:
            for one in self._hooks:
                one.end(self._session)
            self._end()

    def _end(self):
        """Closes the session, which ends what its threads wait for, and joins them."""
        session, self._session = self._session, None
        self._coord.request_stop()
        for one in self._coord._registered:
            one.join(0.2)
        session.close()
        self._coord.join(stop_grace_period_secs=5, ignore_live_threads=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        from ...errors import OutOfRangeError
        if kind is None or issubclass(kind, (OutOfRangeError, StopIteration)):
            self.close()  # the end of the input is a good end
            return True
        if self._session is not None:
            self._end()
        return False


class MonitoredSession(_Monitored):
    """A session that a creator makes, and whose runs hooks see."""

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120):
        super().__init__(session_creator or ChiefSessionCreator(), hooks)


class SingularMonitoredSession(_Monitored):
    """A session that calls hooks around its runs, and saves nothing."""

    def __init__(self, hooks=None, scaffold=None, master="", config=None, checkpoint_dir=None,
                 stop_grace_period_secs=120, checkpoint_filename_with_path=None):
        super().__init__(ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path), hooks)

    def raw_session(self):
        """The session itself, which no hook sees."""
        return self._session


def MonitoredTrainingSession(master="", is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None,
                             chief_only_hooks=None, save_checkpoint_secs=None, save_summaries_steps=None,
                             save_summaries_secs=None, config=None, stop_grace_period_secs=120, log_step_count_steps=100,
                             max_wait_secs=7200, save_checkpoint_steps=None, summary_dir=None,
                             save_graph_def=True):
    """A session that sets the variables, or restores them from `checkpoint_dir`, saves there as it goes (every
    600 s by default), and calls hooks around its runs. Who is not the chief waits for the variables' values."""
    scaffold = scaffold or Scaffold()
    if not is_chief:
        return MonitoredSession(WorkerSessionCreator(scaffold, master, config, max_wait_secs), hooks)
    called = list(hooks or []) + list(chief_only_hooks or [])
    if checkpoint_dir:
        called.append(CheckpointSaverHook(checkpoint_dir, save_checkpoint_secs, save_checkpoint_steps, scaffold=scaffold))
    return MonitoredSession(ChiefSessionCreator(scaffold, master, config, checkpoint_dir), called)
