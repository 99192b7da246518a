"""Sessions with hooks: `tf.compat.v1.train.MonitoredTrainingSession` and what it calls."""

from ...errors import AbortedError, OutOfRangeError, UnavailableError
from ...train import Coordinator
from .hooks import (CheckpointSaverHook, SessionRunArgs, SessionRunContext, SessionRunValues, StepCounterHook,
                    SummarySaverHook)
from .queue_runner import start_queue_runners

_LOST = (AbortedError, UnavailableError)  # a task of the cluster began again: so does the session
_DEFAULT = object()


def from_collection(key, make):
    """What the graph's collection of the key holds; else what `make` gives, which is in it from then on.

    Raises: RuntimeError where it holds several."""
    from . import add_to_collection, get_collection
    found = get_collection(key)
    if len(found) > 1:
        raise RuntimeError(f"More than one item found in the collection \"{key}\". Please indicate which one to use by passing it to "
                           "the tf.Scaffold constructor")
    if found:
        return found[0]
    made = make()
    if made is not None:
        add_to_collection(key, made)
    return made


def _without_values(variables=None):
    from ...ops_array import concat
    from ..._tensor import convert_to_tensor
    from . import report_uninitialized_variables
    return concat([report_uninitialized_variables(variables), convert_to_tensor([], dtype="string")], 0)


class Scaffold:
    """What a session with hooks is set up with; what is not given is made by `finalize`, or taken from the graph's
    collections; the graph takes no more ops then. Raises: ValueError for an `init_fn` that takes no (scaffold, session)."""

    def __init__(self, init_op=None, init_feed_dict=None, init_fn=None, ready_op=None, ready_for_local_init_op=None,
                 local_init_op=None, summary_op=None, saver=None, copy_from_scaffold=None, local_init_feed_dict=None):
        before = copy_from_scaffold
        if before is not None and not isinstance(before, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")
        given = {"init_op": init_op, "init_feed_dict": init_feed_dict, "init_fn": init_fn, "ready_op": ready_op,
                 "ready_for_local_init_op": ready_for_local_init_op, "local_init_op": local_init_op,
                 "summary_op": summary_op, "saver": saver, "local_init_feed_dict": local_init_feed_dict}
        for name, value in given.items():
            setattr(self, name, getattr(before, name, None) if value is None else value)
        if init_fn is not None:
            self.init_fn = lambda session: init_fn(self, session)

    @staticmethod
    def default_local_init_op():
        """Sets local variables and tables."""
        from . import graph_group, local_variables_initializer, tables_initializer
        return graph_group([local_variables_initializer(), tables_initializer()], {})

    def finalize(self):
        """Makes what was not given. Returns: itself."""
        from . import get_default_graph, global_variables, global_variables_initializer
        from .saving import Saver, ask_for_hidden
        from .summary import merge_all
        if get_default_graph().finalized:
            return self
        makers = {"init_op": global_variables_initializer, "ready_op": _without_values,
                  "ready_for_local_init_op": lambda: _without_values(global_variables()),
                  "local_init_op": Scaffold.default_local_init_op, "summary_op": merge_all}
        for name, make in makers.items():
            if getattr(self, name) is None:
                setattr(self, name, from_collection(name, make))
        if self.saver is None and global_variables():
            self.saver = from_collection("savers", Saver)
        ask_for_hidden(get_default_graph())
        get_default_graph().finalize()
        return self


class SessionCreator:
    """Makes a session for `MonitoredSession`."""

    def create_session(self):
        raise NotImplementedError(f"create_session is not implemented for {self}.")


def _manager(scaffold):
    from . import get_default_graph
    from .session_manager import SessionManager
    scaffold.finalize()
    return SessionManager(scaffold.local_init_op, scaffold.ready_op, scaffold.ready_for_local_init_op, get_default_graph(),
                          local_init_feed_dict=scaffold.local_init_feed_dict)


class ChiefSessionCreator(SessionCreator):
    """Sets the variables, or restores them from the newest checkpoint of a directory, or from a checkpoint."""

    def __init__(self, scaffold=None, master="", config=None, checkpoint_dir=None, checkpoint_filename_with_path=None):
        self._scaffold = scaffold or Scaffold()
        self._config, self._directory, self._path = config, checkpoint_dir, checkpoint_filename_with_path
        self._master, self._sessions = master, None

    def create_session(self):
        """The session, ready to run. Raises: RuntimeError naming variables that have no values yet."""
        self._sessions = self._sessions or _manager(self._scaffold)
        return self._sessions.prepare_session(
            self._master, self._scaffold.init_op, self._scaffold.saver, self._directory, self._path, config=self._config,
            init_feed_dict=self._scaffold.init_feed_dict, init_fn=self._scaffold.init_fn)


class WorkerSessionCreator(SessionCreator):
    """Waits until the chief has given the variables values."""

    def __init__(self, scaffold=None, master="", config=None, max_wait_secs=1800):
        self._scaffold, self._master, self._config, self._seconds = scaffold or Scaffold(), master, config, max_wait_secs
        self._sessions = None

    def create_session(self):
        """The session, once the variables have values. Raises: DeadlineExceededError."""
        self._sessions = self._sessions or _manager(self._scaffold)
        return self._sessions.wait_for_session(self._master, self._config, self._seconds)


class StepContext:
    """What a function of `run_step_fn` gets."""

    def __init__(self, session, run_with_hooks):
        self.session, self.run_with_hooks = session, run_with_hooks

    def request_stop(self):
        """Ends the loop after this step."""
        raise StopIteration("step_fn has requested the iterations to stop.")


def _merge_feeds(feeds, more, who):
    """Raises: RuntimeError for a tensor that is fed twice."""
    known = {one if isinstance(one, str) else id(one) for one in feeds}
    twice = [one for one in more if (one if isinstance(one, str) else id(one)) in known]
    if twice:
        raise RuntimeError(f"Same tensor is fed by {who}. Conflict(s): {twice}")
    return {**feeds, **more}


class _Monitored:
    """A session whose runs hooks see; `should_stop` once one of them has asked for it. One that `recovers` is made again
    where a task of its cluster was lost."""

    StepContext = StepContext

    def __init__(self, session_creator, hooks, recovers, grace):
        from . import get_default_graph
        self._hooks, self._creator, self._recovers, self._grace = list(hooks or []), session_creator, recovers, grace
        self._graph = get_default_graph()
        self._reopens = not self._graph.finalized
        for one in self._hooks:
            one.begin()
        self._open()

    graph = property(lambda self: self._graph)

    def _open(self):
        while True:
            try:
                with self._graph.as_default():
                    self._coord, self._stop = Coordinator(clean_stop_exception_types=[]), False
                    self._session = self._creator.create_session()
                    start_queue_runners(self._session, self._coord)
                    for one in self._hooks:
                        one.after_create_session(self._session, self._coord)
                return
            except _LOST:
                if not self._recovers:
                    raise

    def _recovering(self, what):
        """What `what()` gives, in a new session where the old one was lost."""
        while True:
            try:
                return what()
            except _LOST:
                if not self._recovers:
                    raise
                try:
                    self._end()
                except _LOST:
                    pass
                self._open()

    def run_step_fn(self, step_fn):
        """What `step_fn(step_context)` gives; the context has the bare session, `run_with_hooks` and `request_stop`."""
        import inspect
        names = tuple(inspect.signature(step_fn).parameters)
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError("`step_fn` may either have one `step_context` argument, or `self` and `step_context` arguments if it's an "
                             f"instance method. Got {names} instead.")
        if self._session is None:
            raise RuntimeError("run_step_fn called even after should_stop requested.")
        return self._recovering(lambda: step_fn(StepContext(self._session, self._run)))  # StopIteration ends the `with` around

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """The values of `fetches`, with the hooks before and after. Raises: RuntimeError once it has stopped, and for a tensor
        that is fed twice."""
        if self._session is None:
            raise RuntimeError("Run called even after should_stop requested.")
        return self._recovering(lambda: self._run(fetches, feed_dict, options, run_metadata))

    def _run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        if self._stop:
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._session)
        options, feeds, more = _own_options(options), {}, {}
        for number, one in enumerate(self._hooks):
            asked = one.before_run(context)
            if asked is None:
                continue
            feeds = _merge_feeds(feeds, asked.feed_dict or {}, "two hooks")
            if asked.fetches is not None:
                more[f"hook{number}"] = asked.fetches
            if asked.options is not None:
                options.trace_level = max(options.trace_level, asked.options.trace_level)
                options.timeout_in_ms = max(options.timeout_in_ms, asked.options.timeout_in_ms)
        feeds = _merge_feeds(dict(feed_dict or {}), feeds, "a SessionRunHook and user")
        if run_metadata is None:
            from ._sessions import RunMetadata
            run_metadata = RunMetadata()
        try:
            values = self._session.run({"caller": fetches, **more}, feeds or None, options, run_metadata)
        except _LOST:
            raise
        except Exception as error:
            lost = self._coord._error
            raise lost if isinstance(lost, _LOST) else error
        for number, one in enumerate(self._hooks):
            one.after_run(context, SessionRunValues(values.get(f"hook{number}"), options, run_metadata))
        self._stop = self._stop or context.stop_requested
        return values["caller"]

    def should_stop(self):
        return self._session is None or self._stop or self._coord.should_stop()

    def close(self):
        """Tells the hooks, and closes the session."""
        if self._session is not None:
            try:
                for one in self._hooks:
                    one.end(self._session)
            finally:
                self._end()

    def _end(self):
        """Closes the session, which ends what its threads wait for, and joins them."""
        session, self._session = self._session, None
        if self._reopens:
            self._graph._native.reopen()
        self._coord.request_stop()
        for one in self._coord._registered:
            one.join(0.2)
        session.close()
        self._coord.join(stop_grace_period_secs=min(self._grace, 5), ignore_live_threads=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if kind is None or issubclass(kind, (OutOfRangeError, StopIteration)):
            self.close()  # the end of the input is a good end
            return True
        if self._session is not None:
            self._end()
        return False


def _own_options(options):
    """A copy, which hooks may change."""
    from ._sessions import RunOptions
    made = RunOptions()
    if options is not None:
        made.CopyFrom(options)
    return made


class MonitoredSession(_Monitored):
    """A session that a creator makes, and whose runs hooks see."""

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120):
        super().__init__(session_creator or ChiefSessionCreator(), hooks, True, stop_grace_period_secs)


class SingularMonitoredSession(_Monitored):
    """A session that calls hooks around its runs, and saves nothing."""

    def __init__(self, hooks=None, scaffold=None, master="", config=None, checkpoint_dir=None,
                 stop_grace_period_secs=120, checkpoint_filename_with_path=None):
        super().__init__(ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path), hooks, False,
                         stop_grace_period_secs)

    def raw_session(self):
        """The session itself, which no hook sees."""
        return self._session


def _one_of(steps, seconds, usual_steps, usual_seconds):
    """(steps, seconds) with what is usual where neither is given."""
    if steps is _DEFAULT and seconds is _DEFAULT:
        return usual_steps, usual_seconds
    return None if steps is _DEFAULT else steps, None if seconds is _DEFAULT else seconds


def MonitoredTrainingSession(master="", is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None,
                             chief_only_hooks=None, save_checkpoint_secs=_DEFAULT, save_summaries_steps=_DEFAULT,
                             save_summaries_secs=_DEFAULT, config=None, stop_grace_period_secs=120, log_step_count_steps=100,
                             max_wait_secs=7200, save_checkpoint_steps=_DEFAULT, summary_dir=None,
                             save_graph_def=True):
    """A session that sets the variables, or restores them from `checkpoint_dir`, and calls hooks around its runs. The chief
    saves in `checkpoint_dir` (every 600 s by default) and writes summaries (every 100 steps) and the speed in `summary_dir`,
    by default in `checkpoint_dir`, too; its own hooks come first. Who is not the chief waits for the variables' values."""
    scaffold = scaffold or Scaffold()
    if not is_chief:
        return MonitoredSession(WorkerSessionCreator(scaffold, master, config, max_wait_secs), hooks, stop_grace_period_secs)
    called = list(chief_only_hooks or [])
    summary_dir = summary_dir or checkpoint_dir
    steps, seconds = _one_of(save_summaries_steps, save_summaries_secs, 100, None)
    if summary_dir and log_step_count_steps and log_step_count_steps > 0:
        called.append(StepCounterHook(log_step_count_steps, output_dir=summary_dir))
    if summary_dir and ((steps or 0) > 0 or (seconds or 0) > 0):
        called.append(SummarySaverHook(steps, seconds, summary_dir, scaffold=scaffold))
    steps, seconds = _one_of(save_checkpoint_steps, save_checkpoint_secs, None, 600)
    if checkpoint_dir and ((steps or 0) > 0 or (seconds or 0) > 0):
        called.append(CheckpointSaverHook(checkpoint_dir, seconds, steps, scaffold=scaffold, save_graph_def=save_graph_def))
    return MonitoredSession(ChiefSessionCreator(scaffold, master, config, checkpoint_dir), called + list(hooks or []),
                            stop_grace_period_secs)
