"""Sessions that a supervisor sets up, saves and ends: `tf.compat.v1.train.Supervisor`."""

import contextlib
import os
import threading
import time

from ...train import Coordinator
from .session_manager import SessionManager


class LooperThread(threading.Thread):
    """A thread that does something again and again until its coordinator asks to stop."""

    def __init__(self, coord, timer_interval_secs, target=None, args=None, kwargs=None):
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__(daemon=True)
        self._coord, self._seconds = coord, timer_interval_secs
        self._does, self._with = target, (tuple(args or ()), dict(kwargs or {}))
        coord.register_thread(self)

    @staticmethod
    def loop(coord, timer_interval_secs, target, args=None, kwargs=None):
        """Starts a thread that calls `target` every so many seconds, or without a pause where that is None."""
        made = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        made.start()
        return made

    def run(self):
        with self._coord.stop_on_exception():
            self.start_loop()
            next_at = time.monotonic()
            while not self._coord.wait_for_stop(max(0.0, next_at - time.monotonic())):
                next_at += self._seconds or 0.0
                self.run_loop()
            self.stop_loop()

    def start_loop(self):
        pass

    def stop_loop(self):
        pass

    def run_loop(self):
        if self._does is not None:
            self._does(*self._with[0], **self._with[1])


def _is_default(one):
    return isinstance(one, int) and not isinstance(one, bool) and one == Supervisor.USE_DEFAULT


class Supervisor:
    """Gives sessions whose variables are set or restored, saves them and writes summaries every so often, and ends their
    threads. The graph takes no more ops.

    The chief sets the variables; others wait until they have values. What is `USE_DEFAULT` is made: for all variables,
    summaries and the newest checkpoint of `logdir`; what is None is left out."""

    USE_DEFAULT = 0

    def __init__(self, graph=None, ready_op=USE_DEFAULT, ready_for_local_init_op=USE_DEFAULT, is_chief=True, init_op=USE_DEFAULT,
                 init_feed_dict=None, local_init_op=USE_DEFAULT, logdir=None, summary_op=USE_DEFAULT, saver=USE_DEFAULT,
                 global_step=USE_DEFAULT, save_summaries_secs=120, save_model_secs=600, recovery_wait_secs=30, stop_grace_secs=120,
                 checkpoint_basename="model.ckpt", session_manager=None, summary_writer=USE_DEFAULT, init_fn=None,
                 local_init_run_options=None):
        from . import get_default_graph
        from .saving import ask_for_hidden
        self._graph, self.is_chief = graph or get_default_graph(), is_chief
        self.init_feed_dict, self._init_fn = init_feed_dict, init_fn
        self._logdir, self.save_model_secs, self.save_summaries_secs = logdir, save_model_secs, save_summaries_secs
        self.save_path = os.path.join(logdir, checkpoint_basename) if logdir else None
        self._grace, self.coord = stop_grace_secs, Coordinator()
        with self._graph.as_default():
            self._make(init_op, ready_op, ready_for_local_init_op, local_init_op, saver, global_step, summary_op)
            self.session_manager = session_manager or SessionManager(
                self.local_init_op, self.ready_op, self.ready_for_local_init_op, self._graph, recovery_wait_secs, local_init_run_options)
        if logdir and is_chief:
            os.makedirs(logdir, exist_ok=True)
        self._own_writer, self._writer_is_closed = _is_default(summary_writer), False
        self.summary_writer = None if self._own_writer else summary_writer
        if self._own_writer and logdir and is_chief:
            from .summary import FileWriter
            self.summary_writer = FileWriter(logdir)
        ask_for_hidden(self._graph)
        self._graph.finalize()

    def _make(self, init_op, ready_op, ready_for_local_init_op, local_init_op, saver, global_step, summary_op):
        from . import get_collection, global_variables, global_variables_initializer, report_uninitialized_variables
        from .monitored import Scaffold, from_collection
        from .summary import merge_all
        from .train import Saver, get_global_step

        def made(given, key, make):
            if not _is_default(given):
                return given
            found = get_collection(key)
            return found[0] if found else from_collection(key, make)
        self.init_op = made(init_op, "init_op", global_variables_initializer)
        self.ready_op = made(ready_op, "ready_op", report_uninitialized_variables)
        self.ready_for_local_init_op = made(ready_for_local_init_op, "ready_for_local_init_op", lambda: None)
        self.local_init_op = made(local_init_op, "local_init_op", Scaffold.default_local_init_op)
        self.saver = made(saver, "savers", lambda: Saver() if global_variables() else None)
        self.global_step = get_global_step() if _is_default(global_step) else global_step
        self.summary_op = made(summary_op, "summary_op", merge_all)

    coordinator = property(lambda self: self.coord)
    graph = property(lambda self: self._graph)

    def prepare_or_wait_for_session(self, master="", config=None, wait_for_checkpoint=False, max_wait_secs=7200,
                                    start_standard_services=True):
        """A session whose variables have values: those of the newest checkpoint of `logdir`, else their first ones; who is not
        the chief waits for the chief to give them. Raises: DeadlineExceededError after `max_wait_secs`."""
        self.coord.clear_stop()
        if self._own_writer and self._writer_is_closed:
            from .summary import FileWriter
            self.summary_writer, self._writer_is_closed = FileWriter(self._logdir), False
        if self.is_chief:
            session = self.session_manager.prepare_session(
                master, self.init_op, self.saver, self._logdir, wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs, config=config, init_feed_dict=self.init_feed_dict, init_fn=self._init_fn)
            self._write_graph()
            if start_standard_services:
                self.start_standard_services(session)
        else:
            session = self.session_manager.wait_for_session(master, config, max_wait_secs)
        self.start_queue_runners(session)
        return session

    def _write_graph(self):
        from ._graph_defs import write_graph
        if self._logdir:
            found = self._graph.as_graph_def()
            write_graph(found, self._logdir, "graph.pbtxt")
            if self.summary_writer is not None:
                self.summary_writer.add_graph(found)

    def start_standard_services(self, sess):
        """The threads that save every `save_model_secs` and write summaries and the speed every `save_summaries_secs`, where there
        is a `logdir`; the threads."""
        if not self.is_chief:
            raise RuntimeError("Only chief supervisor can start standard services. Because only chief supervisors can write "
                               "checkpoints, write summaries, or restore from a previous checkpoint.")
        services = []
        if self._logdir and self.save_summaries_secs and self.summary_writer is not None:
            if self.summary_op is not None:
                services.append((self.save_summaries_secs, lambda: self.summary_computed(sess, sess.run(self.summary_op))))
            if self.global_step is not None:
                services.append((self.save_summaries_secs, _Speed(self, sess)))
        if self._logdir and self.save_model_secs and self.saver is not None:
            services.append((self.save_model_secs, lambda: self.saver.save(sess, self.save_path, global_step=self.global_step)))
        return [LooperThread.loop(self.coord, seconds, does) for seconds, does in services]

    def start_queue_runners(self, sess, queue_runners=None):
        """Starts the threads of queue runners: those given, or all of the graph."""
        from .queue_runner import QUEUE_RUNNERS
        runners = self._graph.get_collection(QUEUE_RUNNERS) if queue_runners is None else queue_runners
        threads = [thread for one in runners for thread in one.create_threads(sess, self.coord, True, True)]
        for one in threads:
            self.coord.register_thread(one)
        return threads

    def loop(self, timer_interval_secs, target, args=None, kwargs=None):
        """Starts a thread that calls `target` until the supervisor stops."""
        return LooperThread.loop(self.coord, timer_interval_secs, target, args, kwargs)

    @contextlib.contextmanager
    def managed_session(self, master="", config=None, start_standard_services=True, close_summary_writer=True):
        """A context with such a session. What leaves it ends the threads and is raised again, but the end of the input."""
        session = None
        try:
            session = self.prepare_or_wait_for_session(master, config, start_standard_services=start_standard_services)
            yield session
        except Exception as error:  # noqa: BLE001  (`stop` raises it)
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if session is not None:
                    session.close()

    def stop(self, threads=None, close_summary_writer=True, ignore_live_threads=False):
        """Asks all threads to stop, and joins them. Raises: what stopped them."""
        self.coord.request_stop()
        try:
            self.coord.join(threads, stop_grace_period_secs=self._grace, ignore_live_threads=ignore_live_threads)
        finally:
            if close_summary_writer and self.summary_writer is not None:
                self.summary_writer.close()
                self._writer_is_closed = True

    def request_stop(self, ex=None):
        self.coord.request_stop(ex)

    def should_stop(self):
        return self.coord.should_stop()

    def stop_on_exception(self):
        return self.coord.stop_on_exception()

    def wait_for_stop(self):
        self.coord.wait_for_stop()

    def summary_computed(self, sess, summary, global_step=None):
        """Writes a summary. Raises: RuntimeError without a writer."""
        if self.summary_writer is None:
            raise RuntimeError("Writing a summary requires a summary writer.")
        step = int(sess.run(self.global_step)) if global_step is None and self.global_step is not None else global_step
        self.summary_writer.add_summary(summary, step)

    PrepareSession, StartQueueRunners, StartStandardServices = prepare_or_wait_for_session, start_queue_runners, start_standard_services
    Loop, Stop, RequestStop, ShouldStop, StopOnException = loop, stop, request_stop, should_stop, stop_on_exception
    WaitForStop, SummaryComputed = wait_for_stop, summary_computed


class _Speed:
    """Writes how many steps a second were made since the last time."""

    def __init__(self, supervisor, session):
        self._supervisor, self._session = supervisor, session
        self._at, self._step = time.monotonic(), self._now()

    def _now(self):
        return int(self._session.run(self._supervisor.global_step))

    def __call__(self):
        from ._summary_messages import Summary
        at, step = time.monotonic(), self._now()
        name = self._supervisor.global_step.name.split(":")[0] + "/sec"
        speed = (step - self._step) / ((at - self._at) or float("inf"))
        self._at, self._step = at, step
        self._supervisor.summary_writer.add_summary(Summary(value=[Summary.Value(tag=name, simple_value=speed)]), step)
