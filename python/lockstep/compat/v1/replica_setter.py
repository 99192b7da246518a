"""Variables on parameter servers in turn: `tf.compat.v1.train.replica_device_setter`."""

import threading

from ...device_spec import DeviceSpec
from ...train_cluster import ClusterSpec

_local = threading.local()


class ReplicaDeviceSetter:
    """What `tf.device` takes instead of a name: ops go to `worker_device`, each new variable to the next
    of `ps_tasks` servers."""

    def __init__(self, ps_tasks, ps_device, worker_device, strategy):
        self._ps_tasks, self._strategy = ps_tasks, strategy
        self._ps, self.worker_device = DeviceSpec.from_string(ps_device), worker_device
        self._next = 0

    def variable_device(self, variable=None):
        """The server of the next variable."""
        if self._ps.job is not None and self._ps.task is not None:
            return self._ps.to_string()
        if self._strategy is not None:
            task = int(self._strategy(variable))
        else:
            task, self._next = self._next, (self._next + 1) % self._ps_tasks
        return self._ps.replace(task=task).to_string()

    def __enter__(self):
        self._outer = getattr(_local, "setter", None)
        _local.setter = self

    def __exit__(self, *_):
        _local.setter = self._outer


def current():
    """The setter in force in this thread."""
    return getattr(_local, "setter", None)


def replica_device_setter(ps_tasks=0, ps_device="/job:ps", worker_device="/job:worker", merge_devices=True,
                          cluster=None, ps_ops=None, ps_strategy=None):
    """Something for `tf.device` that spreads variables over the servers in turn and leaves ops on the worker;
    None without servers.

    Args: cluster: a `ClusterSpec` or a dict, whose job `ps` says how many servers there are;
    ps_strategy: gives the server's number for the next variable, instead of taking turns.
    Raises: TypeError for a cluster that is none."""
    if cluster is not None:
        spec = ClusterSpec(cluster)
        job = DeviceSpec.from_string(ps_device).job or "ps"
        ps_tasks = len(spec.as_dict().get(job, ()))
    if not ps_tasks:
        return None
    return ReplicaDeviceSetter(ps_tasks, ps_device, worker_device, ps_strategy)
