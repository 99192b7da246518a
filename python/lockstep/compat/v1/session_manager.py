"""Sessions whose variables have values: `tf.compat.v1.train.SessionManager`."""

import time

from ...errors import DeadlineExceededError


class SessionManager:
    """Makes sessions that are ready: by first values, by a checkpoint, or by another task's.

    Args: local_init_op: run once variables have values; ready_op: gives the names of those that have none, by default
    those of all of the graph; recovery_wait_secs: between two looks."""

    def __init__(self, local_init_op=None, ready_op=None, ready_for_local_init_op=None, graph=None, recovery_wait_secs=30,
                 local_init_run_options=None, local_init_feed_dict=None):
        from . import get_default_graph
        self._graph = graph or get_default_graph()
        self._local, self._local_feeds, self._wait = local_init_op, local_init_feed_dict, recovery_wait_secs
        self._local_options = local_init_run_options
        self._asks_first = ready_for_local_init_op is not None
        from . import global_variables, report_uninitialized_variables
        with self._graph.as_default():
            # A finalized graph takes no op that would ask: it is as ready as its sessions are made.
            self._ready = report_uninitialized_variables() if ready_op is None and not self._graph.finalized else ready_op
            # Local variables have values once `local_init_op` has run, here.
            own = self._graph.get_collection_ref("lockstep/ready_for_local")
            if ready_for_local_init_op is None and not self._graph.finalized:
                own[:] = [report_uninitialized_variables(global_variables())]
            self._ready_for_local = [*own, self._ready][0] if ready_for_local_init_op is None else ready_for_local_init_op

    def _begin(self, session):
        if self._local is not None:
            session.run(self._local, self._local_feeds, self._local_options)

    @staticmethod
    def _missing(session, ready):
        return [] if ready is None else [one.decode() for one in session.run(ready)]

    def prepare_session(self, master, init_op=None, saver=None, checkpoint_dir=None, checkpoint_filename_with_path=None,
                        wait_for_checkpoint=False, max_wait_secs=7200, config=None, init_feed_dict=None, init_fn=None):
        """A session that is ready: by the newest checkpoint, else by `init_op` and `init_fn`.

        Raises: RuntimeError where it still is not."""
        session, restored = self._restored(master, saver, checkpoint_dir, checkpoint_filename_with_path,
                                           wait_for_checkpoint, max_wait_secs, config)
        if not restored:
            if init_op is None and init_fn is None and self._local is None:
                raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
            if init_op is not None:
                session.run(init_op, init_feed_dict)
            if init_fn is not None:
                init_fn(session)
        missing = self._missing(session, self._ready_for_local) if self._asks_first else None
        if missing:
            raise RuntimeError("Init operations did not make model ready for local_init.  Init op: "
                               f"{getattr(init_op, 'name', None)}, init fn: {init_fn}, error: Variables not initialized: "
                               f"{', '.join(missing)}")
        self._begin(session)
        missing = self._missing(session, self._ready)
        if missing:
            raise RuntimeError(f"Init operations did not make model ready.  Init op: {getattr(init_op, 'name', None)}, init fn: "
                               f"{init_fn}, local_init_op: {getattr(self._local, 'name', None)}, error: Variables not "
                               f"initialized: {', '.join(missing)}")
        return session

    def recover_session(self, master, saver=None, checkpoint_dir=None, checkpoint_filename_with_path=None,
                        wait_for_checkpoint=False, max_wait_secs=7200, config=None):
        """(session, whether it is ready)."""
        session, restored = self._restored(master, saver, checkpoint_dir, checkpoint_filename_with_path,
                                           wait_for_checkpoint, max_wait_secs, config)
        if not restored:
            return session, False
        self._begin(session)
        return session, not self._missing(session, self._ready)

    def wait_for_session(self, master, config=None, max_wait_secs=float("Inf")):
        """A session whose variables another task has given values. Raises: DeadlineExceededError naming those without."""
        from . import Session
        until = time.monotonic() + (float("Inf") if max_wait_secs is None else max_wait_secs)
        session = Session(master, graph=self._graph, config=config)
        while missing := self._missing(session, self._ready_for_local):
            if time.monotonic() > until:
                raise DeadlineExceededError(None, None, f"Session was not ready after waiting {max_wait_secs} secs; these "
                                            f"variables have no values: {', '.join(missing)}; is the chief there?")
            time.sleep(min(self._wait, 0.2))
        self._begin(session)
        return session

    def _restored(self, master, saver, folder, path, waits, seconds, config):
        from . import Session
        from ...train import latest_checkpoint
        session = Session(master, graph=self._graph, config=config)
        if saver is None or not (folder or path):
            return session, False
        until = time.monotonic() + seconds
        while path is None and (path := latest_checkpoint(folder)) is None and waits and time.monotonic() < until:
            time.sleep(min(self._wait, 0.2))
        if path is None:
            return session, False
        saver.restore(session, path)
        return session, True
