"""Devices and threads: `tf.config`. There are processors alone."""

import operator

from . import _native
from ._function import functions_run_eagerly, run_functions_eagerly  # noqa: F401

experimental_functions_run_eagerly = functions_run_eagerly
experimental_run_functions_eagerly = run_functions_eagerly


class PhysicalDevice:
    """A device of this machine."""

    def __init__(self, name, device_type):
        self.name = name
        self.device_type = device_type

    def __repr__(self):
        return f"PhysicalDevice(name={self.name!r}, device_type={self.device_type!r})"


class LogicalDevice(PhysicalDevice):
    def __repr__(self):
        return f"LogicalDevice(name={self.name!r}, device_type={self.device_type!r})"


class LogicalDeviceConfiguration:
    def __init__(self, memory_limit=None, experimental_priority=None,
                 experimental_device_ordinal=None):
        self.memory_limit = memory_limit


_logical = [1]
_in_use = [False]
_soft = [True]
_jit = [""]


def list_physical_devices(device_type=None):
    """The processor; there are no others."""
    if device_type in (None, "CPU"):
        return [PhysicalDevice("/physical_device:CPU:0", "CPU")]
    return []


get_visible_devices = list_physical_devices


def list_logical_devices(device_type=None):
    """The devices that programs name. From then on their number is fixed."""
    _in_use[0] = True
    if device_type in (None, "CPU"):
        return [LogicalDevice(f"/device:CPU:{i}", "CPU") for i in range(_logical[0])]
    return []


def set_logical_device_configuration(device, logical_devices):
    """Divides the processor into logical devices. Raises: RuntimeError once they are in use."""
    if _in_use[0] and len(logical_devices) != _logical[0]:
        raise RuntimeError("Virtual devices cannot be modified after being initialized")
    _logical[0] = max(1, len(logical_devices))


def get_logical_device_configuration(device):
    """What the processor was divided into; None before."""
    return [LogicalDeviceConfiguration() for _ in range(_logical[0])] if _logical[0] > 1 else None


def set_visible_devices(devices, device_type=None):
    pass


def set_soft_device_placement(enabled):
    """Kept; a device that is not there is an error either way."""
    _soft[0] = bool(enabled)


def get_soft_device_placement():
    return _soft[0]


def _thread_count(which, num_threads):
    if isinstance(num_threads, bool):
        raise TypeError(f"Field tensorflow.ConfigProto.{which}_op_parallelism_threads: Expected an int, got a boolean.")
    return operator.index(num_threads)


class threading:
    """How many threads compute. Runs use all cores that the process may use; the bits do not depend on it."""
    _counts = {"inter": 0, "intra": 0}

    @staticmethod
    def set_inter_op_parallelism_threads(num_threads):
        """Kept: ops that run side by side share the threads of a run, whose number `set_intra_op_parallelism_threads` limits.

        Raises: TypeError for what is no integer."""
        threading._counts["inter"] = _thread_count("inter", num_threads)

    @staticmethod
    def set_intra_op_parallelism_threads(num_threads):
        """At most so many threads compute for a function, an op or a step, under every strategy; 0 for all cores. It may be
        set at any time.

        Raises: TypeError for what is no integer."""
        threading._counts["intra"] = _thread_count("intra", num_threads)
        _native.set_lane_limit(min(max(threading._counts["intra"], 0), 1024))

    @staticmethod
    def get_inter_op_parallelism_threads():
        return threading._counts["inter"]

    @staticmethod
    def get_intra_op_parallelism_threads():
        return threading._counts["intra"]


class optimizer:
    @staticmethod
    def set_jit(enabled):
        """Kept; every function is compiled in Lockstep's own way."""
        _jit[0] = enabled

    @staticmethod
    def get_jit():
        return _jit[0]

    @staticmethod
    def get_experimental_options():
        return {}

    @staticmethod
    def set_experimental_options(options):
        pass


_tensor_float_32 = [True]


def _set_tensor_float_32(enabled):
    """Kept; products have the same bits either way."""
    _tensor_float_32[0] = bool(enabled)


class experimental:
    list_physical_devices = staticmethod(list_physical_devices)
    list_logical_devices = staticmethod(list_logical_devices)
    get_visible_devices = staticmethod(get_visible_devices)
    get_virtual_device_configuration = staticmethod(get_logical_device_configuration)
    enable_tensor_float_32_execution = staticmethod(_set_tensor_float_32)

    @staticmethod
    def set_visible_devices(devices, device_type=None):
        pass

    @staticmethod
    def tensor_float_32_execution_enabled():
        return _tensor_float_32[0]

    @staticmethod
    def get_synchronous_execution():
        return True

    @staticmethod
    def set_synchronous_execution(enable):
        pass

    @staticmethod
    def get_memory_growth(device):
        return False

    @staticmethod
    def get_device_details(device):
        """What is known of a device; of processors nothing."""
        return {}
    set_virtual_device_configuration = staticmethod(set_logical_device_configuration)
    VirtualDeviceConfiguration = LogicalDeviceConfiguration

    @staticmethod
    def set_memory_growth(device, enable):
        pass

    @staticmethod
    def enable_op_determinism():
        """Nothing to do: every op gives the same bits in every run."""

enable_tensor_float_32_execution = _set_tensor_float_32


def experimental_connect_to_cluster(cluster_spec_or_resolver, job_name="localhost", task_index=0, protocol=None,
                                    make_master_device_default=True, cluster_device_filters=None):
    """Eager ops are carried out by this process alone. Raises: NotImplementedError with what to write instead."""
    raise NotImplementedError(
        "Lockstep carries out eager ops in this process. For ops and variables on other tasks use "
        "tf.distribute.ParameterServerStrategy with a ClusterCoordinator, or build a graph with tf.device scopes and run it by "
        "tf.compat.v1.Session(server.target)")


experimental_connect_to_host = experimental_connect_to_cluster
