"""Variables on parameter servers in turn: `tf.compat.v1.train.replica_device_setter`."""

from ...device_spec import DeviceSpec
from ...train_cluster import ClusterSpec

_VARIABLES = ("Variable", "VariableV2", "AutoReloadVariable", "MutableHashTable", "MutableHashTableV2",
              "MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", "MutableDenseHashTable",
              "MutableDenseHashTableV2", "VarHandleOp", "BoostedTreesEnsembleResourceHandleOp",
              "BoostedTreesQuantileStreamResourceHandleOp", "ResourceConditionalAccumulator",
              "DecisionTreeResource")


class _DeviceSetter:
    """A function of devices: each new variable goes to the next of the servers, other ops to the worker."""

    def __init__(self, ps_tasks, ps_device, worker_device, merge, ps_ops, strategy):
        self._ps_tasks, self._strategy, self._merge, self._ps_ops = ps_tasks, strategy, merge, ps_ops
        self._ps, self._worker = DeviceSpec.from_string(ps_device), DeviceSpec.from_string(worker_device)
        self._next = 0

    def __call__(self, op):
        said = DeviceSpec.from_string(op.device)
        if op.device and not self._merge:
            return op.device
        if getattr(op, "type", None) not in self._ps_ops:
            return self._worker.make_merged_spec(said).to_string()
        place = self._ps
        if place.job is not None and said.job in (None, place.job):
            place = place.replace(task=self._task(op))
        return place.make_merged_spec(said).to_string()

    def _task(self, op):
        if self._strategy is not None:
            return int(self._strategy(op))
        task, self._next = self._next, (self._next + 1) % self._ps_tasks
        return task


def replica_device_setter(ps_tasks=0, ps_device="/job:ps", worker_device="/job:worker", merge_devices=True,
                          cluster=None, ps_ops=None, ps_strategy=None):
    """A function for `tf.device` that spreads variables over the servers in turn and leaves ops on the worker;
    None without servers.

    Args: merge_devices: whether a device that an inner scope names in part is completed; cluster: a `ClusterSpec` or a
    dict, whose job `ps` says how many servers there are; ps_ops: the types of ops that are spread; ps_strategy: gives
    the server's number for an op, instead of taking turns.
    Raises: TypeError for a cluster or a strategy that is none."""
    if cluster is not None:
        spec = ClusterSpec(cluster)
        job = DeviceSpec.from_string(ps_device).job or "ps"
        ps_tasks = len(spec.as_dict().get(job, ()))
    if not ps_tasks:
        return None
    if ps_strategy is not None and not callable(ps_strategy):
        raise TypeError("ps_strategy must be callable")
    return _DeviceSetter(ps_tasks, ps_device, worker_device, merge_devices, ps_ops or _VARIABLES, ps_strategy)
