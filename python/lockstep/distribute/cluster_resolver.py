"""Who tells a program of its cluster."""

from .. import _native
from ..train_cluster import ClusterSpec


class ClusterResolver:
    """Knows the tasks of a cluster, and which of them this is."""

    def _adopt(self, native):
        self._native = native
        self.task_type = native.task_type
        self.task_id = native.task_id
        self.rpc_layer = native.rpc_layer or None

    def cluster_spec(self):
        return ClusterSpec(self._native.jobs())

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a task, of this one without arguments; "" without a cluster."""
        if task_type is not None and task_id is not None and self.cluster_spec():
            address = self.cluster_spec().task_address(task_type, task_id)
            layer = self.rpc_layer if rpc_layer is None else rpc_layer
            return f"{layer}://{address}" if layer else address
        return self._native.master(task_type, task_id)

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        return self._native.num_accelerators()

    @property
    def environment(self):
        return self._native.environment


class TFConfigClusterResolver(ClusterResolver):
    """TF_CONFIG, as this process has it now. Raises: InvalidArgumentError with every mistake."""

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        self._adopt(_native.tf_config_resolver(task_type, task_id, rpc_layer, environment))


class SimpleClusterResolver(ClusterResolver):
    """A cluster that the program itself knows."""

    def __init__(self, cluster_spec, master="", task_type=None, task_id=None, environment="",
                 num_accelerators=None, rpc_layer=None):
        spec = ClusterSpec(cluster_spec)
        self._adopt(_native.simple_resolver(spec._jobs, master, task_type or "", task_id or 0,
                                            environment, num_accelerators or {}, rpc_layer or ""))


class SlurmClusterResolver(ClusterResolver):
    """A step of Slurm cut into jobs."""

    def __init__(self, jobs=None, port_base=8888, gpus_per_node=None, gpus_per_task=None,
                 tasks_per_node=None, auto_set_gpu=True, rpc_layer="grpc"):
        self._adopt(_native.slurm_resolver(jobs or {}, port_base, rpc_layer))


class UnionResolver(ClusterResolver):
    """Several clusters as one."""

    def __init__(self, *args, **kwargs):
        self._adopt(_native.union_resolver([one._native for one in args]))


UnionClusterResolver = UnionResolver


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
