"""Devices and threads: `tf.config`. There are processors alone."""

from ._function import functions_run_eagerly, run_functions_eagerly  # noqa: F401


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


def list_physical_devices(device_type=None):
    """The processor; there are no others."""
    if device_type in (None, "CPU"):
        return [PhysicalDevice("/physical_device:CPU:0", "CPU")]
    return []


get_visible_devices = list_physical_devices


def list_logical_devices(device_type=None):
    if device_type in (None, "CPU"):
        return [LogicalDevice(f"/device:CPU:{i}", "CPU") for i in range(_logical[0])]
    return []


def set_logical_device_configuration(device, logical_devices):
    """Divides the processor into logical devices."""
    _logical[0] = max(1, len(logical_devices))


def set_visible_devices(devices, device_type=None):
    pass


def set_soft_device_placement(enabled):
    pass


def get_soft_device_placement():
    return True


class threading:
    @staticmethod
    def set_inter_op_parallelism_threads(num_threads):
        pass

    @staticmethod
    def set_intra_op_parallelism_threads(num_threads):
        pass

    @staticmethod
    def get_inter_op_parallelism_threads():
        return 0

    @staticmethod
    def get_intra_op_parallelism_threads():
        return 0


class optimizer:
    @staticmethod
    def set_jit(enabled):
        pass

    @staticmethod
    def set_experimental_options(options):
        pass


class experimental:
    list_physical_devices = staticmethod(list_physical_devices)
    set_virtual_device_configuration = staticmethod(set_logical_device_configuration)
    VirtualDeviceConfiguration = LogicalDeviceConfiguration

    @staticmethod
    def set_memory_growth(device, enable):
        pass

    @staticmethod
    def enable_op_determinism():
        """Nothing to do: every op gives the same bits in every run."""

    @staticmethod
    def enable_tensor_float_32_execution(enabled):
        pass


def enable_tensor_float_32_execution(enabled):
    pass
