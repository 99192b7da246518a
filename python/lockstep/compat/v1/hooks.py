"""What sessions with hooks call: `tf.compat.v1.train.SessionRunHook` and those that TensorFlow has."""

import collections
import logging
import os
import time

import numpy

SessionRunArgs = collections.namedtuple("SessionRunArgs", "fetches feed_dict options", defaults=(None, None))
SessionRunValues = collections.namedtuple("SessionRunValues", "results options run_metadata",
                                          defaults=(None, None))
_LOG = logging.getLogger("tensorflow")


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


class _NeverTimer(SecondOrStepTimer):
    """Says so at no step."""

    def __init__(self):
        self.reset()

    def should_trigger_for_step(self, step):
        return False


def _global_step(hook):
    """The global step. Raises: RuntimeError naming the hook where there is none."""
    from .train import get_global_step
    step = get_global_step()
    if step is None:
        raise RuntimeError(f"Global step should be created to use {type(hook).__name__}.")
    return step


def _graph_element(one):
    """What a hook was given as a tensor, or by name; "x" is "x:0". Raises: ValueError for what is of another graph."""
    from . import get_default_graph
    graph = get_default_graph()
    if isinstance(one, str):
        return graph.as_graph_element(one if ":" in one else one + ":0")
    if getattr(one, "graph", None) is None:
        raise ValueError(f"Passed {one} should have graph attribute that is equal to current graph {graph}.")
    return one


class StopAtStepHook(SessionRunHook):
    """Ends after `num_steps` more steps, or at `last_step` of the global step."""

    def __init__(self, num_steps=None, last_step=None):
        if (num_steps is None) == (last_step is None):
            raise ValueError("One of num_steps or last_step must be specified." if num_steps is None
                             else "Only one of num_steps or last_step can be specified.")
        self._more, self._last = num_steps, last_step

    def begin(self):
        self._step = _global_step(self)

    def after_create_session(self, session, coord):
        if self._last is None:
            self._last = int(session.run(self._step)) + self._more

    def after_run(self, run_context, run_values):
        if int(run_context.session.run(self._step)) >= self._last:
            run_context.request_stop()


class LoggingTensorHook(SessionRunHook):
    """Logs tensors every so many runs or seconds, or at the end.

    Args: tensors: {tag: tensor or its name}, or some of them, which are their own tags; formatter: makes the line of
    {tag: value}. Raises: ValueError unless `at_end`, or one of `every_n_iter` and `every_n_secs`, is given."""

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None):
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        # A tensor is no key by itself, as it is compared by value.
        self._tags = [(tag, tensors[tag]) for tag in sorted(tensors)] if isinstance(tensors, dict) else [
            (one if isinstance(one, str) else str(one), one) for one in tensors]
        self._formatter, self._at_end = formatter, at_end
        self._timer = _NeverTimer() if only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)

    def begin(self):
        self._timer.reset()
        self._count = 0
        self._tensors = {tag: _graph_element(one) for tag, one in self._tags}

    def before_run(self, run_context):
        self._now = self._timer.should_trigger_for_step(self._count)
        return SessionRunArgs(self._tensors) if self._now else None

    def after_run(self, run_context, run_values):
        if self._now:
            self._log(run_values.results)
        self._count += 1

    def end(self, session):
        if self._at_end:
            self._log(session.run(self._tensors))

    def _log(self, values):
        seconds, _ = self._timer.update_last_triggered_step(self._count)
        if self._formatter:
            _LOG.info(self._formatter(values))
            return
        with numpy.printoptions(suppress=True):
            line = ", ".join(f"{tag} = {values[tag]}" for tag, _ in self._tags)
        _LOG.info(line if seconds is None else f"{line} ({seconds:.3f} sec)")


class NanLossDuringTrainingError(RuntimeError):
    def __str__(self):
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Ends, or raises, at a loss that is no number. Args: loss_tensor: the loss, or its name."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss, self._fail = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context):
        return SessionRunArgs(_graph_element(self._loss))

    def after_run(self, run_context, run_values):
        if numpy.isnan(run_values.results).any():
            if self._fail:
                _LOG.error("Model diverged with loss = NaN.")
                raise NanLossDuringTrainingError
            _LOG.warning("Model diverged with loss = NaN.")
            run_context.request_stop()


class CheckpointSaverListener:
    """Told before and after saves; derive and override. What `after_save` gives says whether to stop."""

    def begin(self):
        pass

    def before_save(self, session, global_step_value):
        pass

    def after_save(self, session, global_step_value):
        pass

    def end(self, session, global_step_value):
        pass


class CheckpointSaverHook(SessionRunHook):
    """Saves at the beginning, every so many steps or seconds, and at the end; the graph once, as `graph.pbtxt`.

    Args: saver: else that of `scaffold`, else the one of the graph's collection of savers; save_graph_def: whether graphs
    are written, too. Raises: ValueError unless one of `save_secs` and `save_steps`, and no more than one of `saver` and
    `scaffold`, is given."""

    def __init__(self, checkpoint_dir, save_secs=None, save_steps=None, saver=None, checkpoint_basename="model.ckpt",
                 scaffold=None, listeners=None, save_graph_def=True):
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._folder, self._path = checkpoint_dir, os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._saver, self._scaffold, self._with_graph = saver, scaffold, save_graph_def
        self._listeners = list(listeners or [])

    def begin(self):
        from .summary import FileWriterCache
        self._writer = FileWriterCache.get(self._folder)
        self._step = _global_step(self)
        for one in self._listeners:
            one.begin()

    def after_create_session(self, session, coord):
        from ._graph_defs import write_graph
        step = int(session.run(self._step))
        found = session.graph.as_graph_def()
        if self._with_graph:
            write_graph(found, self._folder, "graph.pbtxt")
        self._writer.add_graph(found)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def after_run(self, run_context, run_values):
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session):
        step = int(session.run(self._step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for one in self._listeners:
            one.end(session, step)

    def _save(self, session, step):
        """Whether a listener asks for the end."""
        for one in self._listeners:
            one.before_save(session, step)
        self._own_saver(session.graph).save(session, self._path, step, write_meta_graph=self._with_graph)
        return any([one.after_save(session, step) for one in self._listeners])

    def _own_saver(self, graph):
        if self._saver is None and self._scaffold is not None:
            return self._scaffold.saver
        if self._saver is None:
            found = graph.get_collection("savers")
            if not found:
                raise RuntimeError("No items in collection savers. Please add a saver to the collection or provide a saver or "
                                   "scaffold.")
            if len(found) > 1:
                raise RuntimeError("More than one item in collection savers. Please indicate which one to use by passing it to "
                                   "the constructor.")
            self._saver = found[0]
        return self._saver


class SummarySaverHook(SessionRunHook):
    """Writes summaries every so many steps or seconds.

    Args: summary_op: what gives them, or `scaffold`'s. Raises: ValueError unless one of `save_steps` and `save_secs`, and one
    of `scaffold` and `summary_op`, is given."""

    def __init__(self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None, scaffold=None, summary_op=None):
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._folder, self._writer = output_dir, summary_writer
        self._scaffold, self._summary = scaffold, summary_op

    def begin(self):
        from .summary import FileWriterCache
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(self._folder)
        self._next = None
        self._step = _global_step(self)

    def before_run(self, run_context):
        self._asks = self._next is None or self._timer.should_trigger_for_step(self._next)
        summary = self._summary if self._summary is not None else self._scaffold.summary_op
        if not self._asks or summary is None:
            return SessionRunArgs({"step": self._step})
        return SessionRunArgs({"step": self._step, "summary": summary})

    def after_run(self, run_context, run_values):
        step = int(run_context.session.run(self._step))
        if self._asks:
            self._timer.update_last_triggered_step(step)
            summary = run_values.results.get("summary")
            if self._writer is not None and summary is not None:
                for one in summary if isinstance(summary, (list, tuple)) else [summary]:
                    self._writer.add_summary(one, step)
        self._next = step + 1

    def end(self, session):
        if self._writer is not None:
            self._writer.flush()


class StepCounterHook(SessionRunHook):
    """Logs how many steps a second are made, every so many, and writes that as a summary."""

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None):
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._folder, self._writer = output_dir, summary_writer

    def begin(self):
        from .summary import FileWriterCache
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(self._folder)
        self._step = _global_step(self)
        self._tag = self._step.name.split(":")[0] + "/sec"

    def after_run(self, run_context, run_values):
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step):
            seconds, steps = self._timer.update_last_triggered_step(step)
            if seconds:
                self._log_and_record(steps, seconds, step)

    def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
        from ._summary_messages import Summary
        if self._writer is not None:
            self._writer.add_summary(Summary(value=[Summary.Value(tag=self._tag, simple_value=elapsed_steps / elapsed_time)]),
                                     global_step)
        _LOG.info("%s: %g", self._tag, elapsed_steps / elapsed_time)


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
        self.feed_fn = feed_fn

    def before_run(self, run_context):
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


class GlobalStepWaiterHook(SessionRunHook):
    """Lets the first run wait until others have brought the global step to a number."""

    def __init__(self, wait_until_step):
        self._until = wait_until_step

    def begin(self):
        self._step = _global_step(self)
        self._waited = self._until <= 0

    def before_run(self, run_context):
        while not self._waited:
            self._waited = int(run_context.session.run(self._step)) >= self._until
            if not self._waited:
                time.sleep(0.05)


class ProfilerHook(SessionRunHook):
    """Writes what a run did, every so many steps or seconds, as `timeline-STEP.json`, which Chrome's tracing page shows."""

    def __init__(self, save_steps=None, save_secs=None, output_dir="", show_dataflow=True, show_memory=False):
        self._path = os.path.join(output_dir, "timeline-{}.json")
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._shown = {"show_dataflow": show_dataflow, "show_memory": show_memory}

    def begin(self):
        self._next = None
        self._step = _global_step(self)

    def before_run(self, run_context):
        from ._sessions import RunOptions
        self._asks = self._next is not None and self._timer.should_trigger_for_step(self._next)
        return SessionRunArgs({"step": self._step},
                              options=RunOptions(trace_level=RunOptions.FULL_TRACE) if self._asks else None)

    def after_run(self, run_context, run_values):
        from ...python.client.timeline import Timeline
        step = int(run_values.results["step"])
        if self._next is None:
            self._timer.update_last_triggered_step(step)
        step = int(run_context.session.run(self._step))
        if self._asks:
            self._timer.update_last_triggered_step(step)
            os.makedirs(os.path.dirname(self._path) or ".", exist_ok=True)
            with open(self._path.format(step), "w") as file:
                file.write(Timeline(run_values.run_metadata.step_stats).generate_chrome_trace_format(**self._shown))
        self._next = step + 1
