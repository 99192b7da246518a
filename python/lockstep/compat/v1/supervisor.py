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


class _Unset:
    """What stands for "the supervisor makes one"."""


class Supervisor:
    """Gives sessions whose variables are set or restored, saves them every so often, and ends their threads.

    The chief sets the variables; others wait until they have values."""

    USE_DEFAULT = _Unset

    def __init__(self, graph=None, ready_op=_Unset, ready_for_local_init_op=_Unset, is_chief=True, init_op=_Unset,
                 init_feed_dict=None, local_init_op=_Unset, logdir=None, summary_op=_Unset, saver=_Unset,
                 global_step=_Unset, save_summaries_secs=120, save_model_secs=600, recovery_wait_secs=30, stop_grace_secs=120,
                 checkpoint_basename="model.ckpt", session_manager=None, summary_writer=_Unset, init_fn=None,
                 local_init_run_options=None):
        from . import (get_default_graph, global_variables, global_variables_initializer, local_variables_initializer)
        from .train import Saver, get_global_step
        self._graph = graph or get_default_graph()
        with self._graph.as_default():
            self.is_chief = is_chief
            self.init_op = global_variables_initializer() if init_op is _Unset else init_op
            self.local_init_op = local_variables_initializer() if local_init_op is _Unset else local_init_op
            self.saver = (Saver() if global_variables() else None) if saver is _Unset else saver
            self.global_step = get_global_step() if global_step is _Unset else global_step
            self.summary_op = None if summary_op is _Unset else summary_op
        self.init_feed_dict, self._init_fn = init_feed_dict, init_fn
        self._logdir, self._save_seconds, self._wait = logdir, save_model_secs, recovery_wait_secs
        self.save_path = os.path.join(logdir, checkpoint_basename) if logdir else None
        self.summary_writer = None if summary_writer is _Unset else summary_writer
        self._grace = stop_grace_secs
        self.coord = Coordinator()
        if logdir and is_chief:
            os.makedirs(logdir, exist_ok=True)

    coordinator = property(lambda self: self.coord)
    graph = property(lambda self: self._graph)
    save_model_secs = property(lambda self: self._save_seconds)

    def prepare_or_wait_for_session(self, master="", config=None, wait_for_checkpoint=False, max_wait_secs=7200,
                                    start_standard_services=True):
        """A session whose variables have values: those of the newest checkpoint of `logdir`, else their first ones; who is not
        the chief waits for the chief to give them. Raises: DeadlineExceededError after `max_wait_secs`."""
        from . import Session
        self.coord.clear_stop()
        if self.is_chief:
            session = Session(master, graph=self._graph, config=config)
            self._set(session)
            if start_standard_services:
                self.start_standard_services(session)
        else:
            manager = SessionManager(self.local_init_op, graph=self._graph, recovery_wait_secs=self._wait)
            session = manager.wait_for_session(master, config, max_wait_secs)
        self.start_queue_runners(session)
        return session

    def _set(self, session):
        from .train import latest_checkpoint
        known = latest_checkpoint(self._logdir) if self._logdir and self.saver is not None else None
        if known is None:
            if self.init_op is None and self._init_fn is None:
                raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
            if self.init_op is not None:
                session.run(self.init_op, self.init_feed_dict)
            if self._init_fn is not None:
                self._init_fn(session)
        else:
            self.saver.restore(session, known)
        if self.local_init_op is not None:
            session.run(self.local_init_op)

    def start_standard_services(self, sess):
        """The thread that saves every `save_model_secs`, where there is a `logdir`; the threads."""
        if not self.is_chief:
            raise RuntimeError("Only chief supervisor can start standard services. Because only chief supervisors can write "
                               "checkpoints, write summaries, or restore from a previous checkpoint.")
        if not self._logdir or not self._save_seconds or self.saver is None:
            return []
        return [LooperThread.loop(self.coord, self._save_seconds, self._save, (sess,))]

    def _save(self, session):
        self.saver.save(session, self.save_path, global_step=self.global_step)

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
        self.coord.join(threads, stop_grace_period_secs=self._grace, ignore_live_threads=ignore_live_threads)
        if close_summary_writer and self.summary_writer is not None:
            self.summary_writer.close()

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
