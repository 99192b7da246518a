"""Who tells a program of its cluster."""

import collections
import contextlib
import json
import os

from .. import _native, errors
from ..train_cluster import ClusterSpec


class ClusterResolver:
    """Knows the tasks of a cluster, and which of them this is."""

    def _adopt(self, native):
        self._native = native
        described = bool(native.jobs())
        self.task_type = native.task_type if described else None
        self.task_id = native.task_id if described else None
        self.rpc_layer = native.rpc_layer or None

    _spec, _order = None, ()

    def cluster_spec(self):
        """The cluster, its jobs in the order in which they were given."""
        if self._spec is not None:
            return self._spec
        jobs = self._native.jobs()
        return ClusterSpec({one: jobs[one] for one in dict.fromkeys((*self._order, *jobs)) if one in jobs})

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a task, of this one without arguments; "" without a cluster or with one task."""
        spec = self.cluster_spec()
        if not spec or (len(spec.jobs) == 1 and spec.num_tasks(spec.jobs[0]) == 1):
            return ""
        return self._url(self.task_type if task_type is None else task_type,
                         self.task_id if task_id is None else task_id,
                         self.rpc_layer if rpc_layer is None else rpc_layer)

    def _url(self, task_type, task_id, layer):
        address = self.cluster_spec().task_address(task_type, task_id)
        return f"{layer}://{address}" if layer else address

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        return collections.defaultdict(int, self._native.num_accelerators())

    @property
    def environment(self):
        return self._native.environment


def is_chief(resolver):
    """Whether its task writes what is written once: the chief, worker 0 where there is none, or the only task."""
    if resolver is None or not resolver.task_type:
        return True
    return resolver.task_type == "chief" or (
        resolver.task_type == "worker" and resolver.task_id == 0 and "chief" not in resolver.cluster_spec().jobs)


def described(resolver):
    """The cluster of a resolver that a strategy is given, in TF_CONFIG's words; "" where the environment tells as much, and
    for one process alone.

    Raises: ValueError for a task that the cluster does not have."""
    if resolver is None or not resolver.cluster_spec() or not resolver.task_type:
        return ""
    cluster, (job, task) = resolver.cluster_spec(), (resolver.task_type, resolver.task_id or 0)
    if job not in cluster.jobs and job != "evaluator":
        raise ValueError(f"`task_type` {job!r} is not in the cluster: its jobs are {cluster.jobs}.")
    if job in cluster.jobs and task not in cluster.task_indices(job):
        raise ValueError(f"The `task_id` {task} exceeds the maximum id of {job}.")
    with contextlib.suppress(errors.OpError):  # what the environment says wrongly does not count
        own = environment_resolver()
        if own.cluster_spec() == cluster and (own.task_type, own.task_id) == (job, task):
            return ""
    return json.dumps({"cluster": cluster.as_dict(), "task": {"type": job, "index": task}})


class TFConfigClusterResolver(ClusterResolver):
    """TF_CONFIG, as this process has it now. Raises: InvalidArgumentError with every mistake."""

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        self._adopt(_native.tf_config_resolver(task_type, task_id, rpc_layer, environment))
        self._environment = environment
        told = json.loads(os.environ.get("TF_CONFIG") or "{}")
        task, self._order = told.get("task", {}), tuple(told.get("cluster", {}))
        self.task_type = self.task_type if task_type or "type" in task else None
        self.task_id = self.task_id if task_id is not None or "index" in task else None
        if not self._native.jobs():
            self.task_type = task_type or task.get("type")
            self.task_id = task.get("index") if task_id is None else task_id

    @property
    def environment(self):
        """What was given: TF_CONFIG's own word for it counts for nothing, as in TensorFlow."""
        return self._environment


class SimpleClusterResolver(ClusterResolver):
    """A cluster that the program itself knows."""

    def __init__(self, cluster_spec, master="", task_type=None, task_id=None, environment="",
                 num_accelerators=None, rpc_layer=None):
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        spec = ClusterSpec(cluster_spec)
        self._adopt(_native.simple_resolver(spec._jobs, master, task_type or "", task_id or 0,
                                            environment, num_accelerators or {}, rpc_layer or ""))
        self.task_type, self.task_id, self._master, self._spec = task_type, task_id, master, cluster_spec

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a task, or without arguments the `master` that was given."""
        layer = rpc_layer or self.rpc_layer
        if task_type is not None and task_id is not None:
            return self._url(task_type, task_id, layer)
        return f"{layer}://{self._master}" if layer else self._master

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        return self._native.num_accelerators()


class SlurmClusterResolver(ClusterResolver):
    """A step of Slurm cut into jobs.

    Args: tasks_per_node: a number for every host, or {host: number}, instead of SLURM_STEP_TASKS_PER_NODE; gpus_per_node: by
    default those of this host; gpus_per_task: by default each host's GPUs in equal parts; auto_set_gpu: `cluster_spec()` puts
    the GPUs of this task into CUDA_VISIBLE_DEVICES. Raises: RuntimeError for more GPUs of tasks than a host has."""

    def __init__(self, jobs=None, port_base=8888, gpus_per_node=None, gpus_per_task=None,
                 tasks_per_node=None, auto_set_gpu=True, rpc_layer="grpc"):
        by_host = tasks_per_node if isinstance(tasks_per_node, dict) else {}
        self._adopt(_native.slurm_resolver(jobs or {}, port_base, rpc_layer, by_host, 0 if by_host else int(tasks_per_node or 0)))
        if gpus_per_node is None:
            from ..config import list_physical_devices
            gpus_per_node = len(list_physical_devices("GPU"))
        tasks = max((int(address.rpartition(":")[2]) - port_base + 1 for addresses in self._native.jobs().values()
                     for address in addresses.values()), default=1)
        self._gpus = gpus_per_node // tasks if gpus_per_task is None else gpus_per_task
        if tasks * self._gpus > gpus_per_node:
            raise RuntimeError("Requested more GPUs per node than available.")
        self._port_base, self._sets_gpus = port_base, auto_set_gpu

    def cluster_spec(self):
        """The cluster; chooses this task's GPUs."""
        made = super().cluster_spec()
        if self._sets_gpus and self._gpus and self.task_type is not None:
            slot = int(made.task_address(self.task_type, self.task_id).rpartition(":")[2]) - self._port_base
            os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, range(slot * self._gpus, (slot + 1) * self._gpus)))
        return made

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        """The GPUs of each task."""
        return {"GPU": self._gpus}


class UnionResolver(ClusterResolver):
    """Several clusters as one."""

    def __init__(self, *args, **kwargs):
        unknown = {name: value for name, value in kwargs.items() if name not in ("rpc_layer", "task_type", "task_id")}
        if unknown:
            raise ValueError(f"Unexpected kwargs provided {unknown!r}")
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        if not all(isinstance(one, ClusterResolver) for one in args):
            raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        _require_apart([one.cluster_spec() for one in args])
        self._adopt(_native.union_resolver([one._native for one in args]))
        self._first = args[0]
        for name in ("rpc_layer", "task_type", "task_id"):
            setattr(self, name, kwargs.get(name) or getattr(self._first, name))

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a task, or without arguments what the first resolver says."""
        if task_type is not None and task_id is not None:
            return self._url(task_type, task_id, rpc_layer or self.rpc_layer)
        return self._first.master(rpc_layer=rpc_layer)

    @property
    def environment(self):
        return self._first.environment


UnionClusterResolver = UnionResolver


def _require_apart(specs):
    """Raises: KeyError where clusters number the same tasks; of a job that all give as lists the tasks follow each other."""
    for job in {job for spec in specs for job in spec.jobs}:
        parts = [spec.as_dict()[job] for spec in specs if job in spec.jobs]
        taken = set()
        for part in parts if any(isinstance(one, dict) for one in parts) else ():
            numbers = set(part) if isinstance(part, dict) else set(range(len(part)))
            if taken & numbers:
                raise KeyError(f"Duplicate keys detected when merging two ClusterSpecs: {taken & numbers}")
            taken |= numbers


def _elsewhere(name, service):
    def refuse(self, *args, **kwargs):
        raise NotImplementedError(f"{name} asks {service}, which Lockstep does not; write the tasks into TF_CONFIG "
                                  "and use TFConfigClusterResolver, or name them to SimpleClusterResolver")
    return type(name, (ClusterResolver,), {"__doc__": f"Tasks that {service} knows: not built.",
                                           "__init__": refuse})


GCEClusterResolver = _elsewhere("GCEClusterResolver", "Google Compute Engine")
KubernetesClusterResolver = _elsewhere("KubernetesClusterResolver", "Kubernetes")
TPUClusterResolver = _elsewhere("TPUClusterResolver", "Cloud TPU")


def environment_resolver():
    """Whoever describes this process's cluster."""
    made = ClusterResolver()
    made._adopt(_native.environment_resolver())
    return made
