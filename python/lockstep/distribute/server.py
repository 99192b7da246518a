"""Tasks that wait for the work of others."""

import atexit

from .. import _native
from ..errors import NotFoundError
from ..train_cluster import ClusterSpec, ServerDef


_running = []  # a server runs to the end of its process, also where nobody keeps the object, as in TensorFlow
atexit.register(_running.clear)


class Server:
    """A task that keeps variables and runs what a chief's sessions and coordinators give it, to the end of its process.

    Args:
      server_or_cluster_def: a `ClusterSpec`, or a dict of jobs.
      job_name, task_index: which task this is; may be left out where there is one alone.
    Raises: ValueError for a task that is not there; UnavailableError for an address that is taken."""

    def __init__(self, server_or_cluster_def, job_name=None, task_index=None, protocol=None,
                 config=None, start=True):
        if isinstance(server_or_cluster_def, ServerDef):
            job_name = server_or_cluster_def.job_name if job_name is None else job_name
            task_index = server_or_cluster_def.task_index if task_index is None else task_index
            server_or_cluster_def = server_or_cluster_def.cluster
        if protocol not in (None, "grpc", "lockstep"):
            raise NotFoundError(None, None, "No server factory registered for the given ServerDef: the protocol must be \"grpc\"; "
                                f"got {protocol!r}")
        spec = ClusterSpec(server_or_cluster_def)
        if job_name is None:
            if len(spec.jobs) != 1:
                raise ValueError("Must specify an explicit `job_name`.")
            job_name = spec.jobs[0]
        if task_index is None:
            if len(spec.task_indices(job_name)) != 1:
                raise ValueError("Must specify an explicit `task_index`.")
            task_index = spec.task_indices(job_name)[0]
        spec.task_address(job_name, task_index)
        self._jobs, self._task, self._native, self._config = spec._jobs, (job_name, task_index), None, config
        if start:
            self.start()

    @staticmethod
    def create_local_server(config=None, start=True):
        """A cluster of this process alone, at a free port. It always listens: a port is not free before."""
        server = object.__new__(Server)
        server._native, server._config = _native.Server.local(), config
        _running.append(server._native)
        return server

    @property
    def server_def(self):
        """`cluster`, `job_name`, `task_index`, `protocol` and `default_session_config` of this server."""
        jobs = getattr(self, "_jobs", None) or {"localhost": {0: self.target.partition("://")[2]}}
        name, index = getattr(self, "_task", ("localhost", 0))
        return ServerDef(cluster=ClusterSpec(jobs).as_cluster_def(), job_name=name, task_index=index, protocol="grpc",
                         default_session_config=self._config)

    def start(self):
        """Listens; once."""
        if self._native is None:
            self._native = _native.Server(self._jobs, *self._task)
            _running.append(self._native)

    @property
    def target(self):
        """"grpc://host:port", as TensorFlow has it; what sessions take."""
        if getattr(self, "_jobs", None):
            return "grpc://" + self._jobs[self._task[0]][self._task[1]]
        return self._native.target.replace("lockstep://127.0.0.1", "grpc://localhost").replace("lockstep://", "grpc://")

    def join(self):
        """Waits for ever."""
        from . import _interruptible
        _interruptible(self._native.join)
