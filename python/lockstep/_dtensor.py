"""Tensors with layouts on a mesh of devices: `tf.experimental.dtensor`.

This implementation runs on one host. A tensor with a layout holds its whole value; the layout is carried along and
states which part of it each device of the mesh has, for `unpack`, `fetch_layout` and programs that ask for it. Ops compute
whole values, so a program gives the same bits on a mesh as on one device. Memory and work are therefore not divided by
a mesh; `tf.distribute` divides work. Results of `tf.function`s are uncut until `relayout` gives them a layout."""

import contextlib
import functools

import numpy

from . import _function, _records, _refused, config, errors, nest, ops_array
from ._composites import is_tensor
from ._layout_rules import layout_of, observe, set_layout
from ._mesh_layouts import Layout, MATCH, Mesh, UNSHARDED  # noqa: F401
from ._tensor import convert_to_tensor, Tensor
from ._variable import Variable
from .device_spec import DeviceSpec

_default_mesh = []


def _follow_layouts():
    """From the first mesh on ops give their results layouts."""
    if observe not in _records.observers:
        _records.observers.append(observe)
        _function.Function.__call__ = _uncut_results(_function.Function.__call__)


def _uncut_results(call):
    @functools.wraps(call)
    def run(self, *args, **kwargs):
        made = call(self, *args, **kwargs)
        layouts = [layout_of(one) for one in nest.flatten([args, kwargs]) if isinstance(one, (Tensor, Variable))]
        first = next((one for one in layouts if one is not None), None)
        for one in nest.flatten(made) if first is not None else ():
            if isinstance(one, Tensor) and one._rank is not None and layout_of(one) is None:
                set_layout(one, Layout.replicated(first.mesh, one._rank))
        return made
    return run


# ---- meshes and devices


def _device_name(device):
    base = DeviceSpec(job=job_name(), replica=0, task=0)
    spec = DeviceSpec.from_string(device if device.startswith("/") else f"/device:{device}") if isinstance(device, str) else device
    return base.make_merged_spec(spec).to_string()


def create_mesh(mesh_dims=None, mesh_name="", devices=None, device_type=None, use_xla_spmd=False):
    """A mesh of axes [(name, size)] or {name: size} over devices, by default all logical ones.

    Raises: ValueError for a number of devices that is not the product of the sizes."""
    _refused.only("create_mesh", use_xla_spmd=(use_xla_spmd, False))
    if devices is not None and device_type is not None and any(device_type not in str(one) for one in devices):
        raise ValueError(f"Conflicting devices {devices} and device_type {device_type}")
    devices = devices or [one.name for one in config.list_logical_devices(device_type or "CPU")]
    names = [_device_name(one) for one in devices]
    dims = list(mesh_dims.items()) if isinstance(mesh_dims, dict) else [("x", len(names))] if mesh_dims is None else list(mesh_dims)
    if len(dims) == 1 and dims[0][1] == -1:
        dims = [(dims[0][0], len(names))]
    shape = [size for _, size in dims]
    if numpy.prod(shape) != len(names):
        raise ValueError(f"length of devices ({len(names)}) must be equal to total size of the mesh of shape {shape}")
    _follow_layouts()
    return Mesh([name for name, _ in dims], numpy.arange(len(names)).reshape(shape), list(range(len(names))), names, mesh_name)


def create_distributed_mesh(mesh_dims, mesh_name="", local_devices=None, device_type=None, use_xla_spmd=False):
    """As `create_mesh`: there is one client."""
    return create_mesh(mesh_dims, mesh_name, local_devices, device_type, use_xla_spmd)


def client_id():
    """The number of this client: 0."""
    return 0


def num_clients():
    """How many clients there are: 1."""
    return 1


def job_name():
    """The job's name in names of devices."""
    return "localhost"


def full_job_name(task_id=None):
    """The job's name with replica and task."""
    return f"localhost/replica:0/task:{task_id or 0}"


def jobs():
    """The addresses of clients: none."""
    return []


def heartbeat_enabled():
    """Whether clients watch each other: by default, as in TensorFlow, with no one to watch."""
    return True


def local_devices(device_type, for_client_id=None):
    """The specs of the logical devices."""
    return [DeviceSpec.from_string(_device_name(one.name)) for one in config.list_logical_devices(device_type)]


def num_local_devices(device_type):
    """How many logical devices there are."""
    return len(local_devices(device_type))


def num_global_devices(device_type):
    """The same: there is one client."""
    return num_local_devices(device_type)


def preferred_device_type():
    """The type of devices that meshes have by default."""
    return "CPU"


def device_name():
    """The name of the device on which tensors with layouts are."""
    return f"/job:{full_job_name()}/device:CUSTOM:0"


def initialize_accelerator_system(device_type=None, enable_coordination_service=True, num_logical_cpu_devices=None,
                                  experimental_reset_context=False, experimental_enable_megcore=False):
    """Divides the processor into logical devices. Returns: the type of devices. Raises: ValueError for accelerators."""
    if device_type not in (None, "CPU"):
        raise ValueError(f"Meshes are made of logical CPU devices; got device_type={device_type!r}")
    if num_logical_cpu_devices is not None:
        config.set_logical_device_configuration(config.list_physical_devices("CPU")[0],
                                                [config.LogicalDeviceConfiguration()] * num_logical_cpu_devices)
    return "CPU"


def shutdown_accelerator_system():
    """Nothing is left open."""


def barrier(mesh, barrier_name=None, timeout_in_ms=None):
    """Waits for all clients; there is one."""


@contextlib.contextmanager
def default_mesh(mesh):
    """The time in which results of ops without a layout are uncut on a mesh."""
    if mesh is not None and not isinstance(mesh, Mesh):
        raise ValueError(f"Expect `mesh` to be `Mesh`, got {mesh}")
    _default_mesh.append(mesh)

    def uncut(function, arguments, results):
        for one in results:
            if one._rank is not None and layout_of(one) is None:
                set_layout(one, Layout.replicated(mesh, one._rank))
    _records.observers.append(uncut)
    try:
        yield
    finally:
        _records.observers.remove(uncut)
        _default_mesh.pop()


run_on = default_mesh


def get_default_mesh():
    """The mesh of the enclosing `default_mesh`; None outside."""
    return _default_mesh[-1] if _default_mesh else None


# ---- tensors


def is_dtensor(tensor):
    """Whether a tensor or a variable has a layout."""
    return layout_of(tensor) is not None


def fetch_layout(tensor):
    """The layout of a tensor or a variable. Raises: InvalidArgumentError for one without."""
    layout = layout_of(tensor)
    if layout is None:
        raise errors.InvalidArgumentError(None, None, "FetchLayout expects a tensor placed on the layout device.")
    return layout


def check_layout(tensor, layout):
    """Raises: ValueError for a tensor of another layout."""
    if fetch_layout(tensor) != layout:
        raise ValueError(f"Layout of tensor: {fetch_layout(tensor)}, did not match expected layout: {layout}")


def _fresh(value):
    """A tensor of the same value that has no other name, so that its layout is its own."""
    return ops_array.identity(convert_to_tensor(value))


def _with_layout(tensor, layout, divisible=True):
    if tensor._rank is None:
        return tensor
    if layout.rank != tensor._rank:
        raise errors.UnknownError(None, None, f"[dtensor] a layout must have the rank of the tensor; got rank {layout.rank} for shape "
                                              f"{tensor.shape}")
    for axis, size in enumerate(tensor._shape):
        if divisible and size is not None and size % layout.num_shards(axis):
            raise errors.UnknownError(None, None, f"[dtensor] dimension {axis} must be divisible by its number of shards; got size {size} "
                                                  f"for {layout.num_shards(axis)} shards along {layout.sharding_specs[axis]!r}")
    return set_layout(_fresh(tensor), layout)


def call_with_layout(fn, layout, *args, **kwargs):
    """What a function gives, in a layout. None: as it is. Raises: UnknownError for sizes that the layout cannot divide."""
    made = fn(*args, **kwargs)
    if layout is None:
        return made
    return nest.map_structure(lambda one: _with_layout(convert_to_tensor(one), layout) if is_tensor(one) else one, made)


def copy_to_mesh(tensor, layout, source_layout=None):
    """A tensor with a layout. Raises: UnknownError for sizes that the layout cannot divide."""
    return _with_layout(convert_to_tensor(tensor), layout)


def relayout(tensor, layout, name=None):
    """The same tensor in another layout; MATCH keeps the mesh axis. Raises: as `copy_to_mesh`."""
    if MATCH in layout.sharding_specs:
        raise errors.UnimplementedError(None, None, "[relayout] MATCH is not built; name the mesh axis, or dtensor.UNSHARDED")
    return _with_layout(convert_to_tensor(tensor), layout)


def relayout_like(tensor, layout_tensor, name=None):
    """The same tensor in the layout of another one."""
    return relayout(tensor, fetch_layout(layout_tensor))


def unpack(tensor):
    """The parts of the devices, in the order of the mesh. Raises: InvalidArgumentError for a tensor without layout."""
    layout = fetch_layout(tensor)
    whole = convert_to_tensor(tensor)
    return [_fresh(whole[layout.slices(device, whole._shape)]) for device in range(layout.mesh.size)]


def pack(tensors, layout):
    """The tensor of the devices' parts, in the order of the mesh. Parts of one place must have equal values.

    Raises: InvalidArgumentError for another number of parts, UnimplementedError for parts of different shapes."""
    size = layout.mesh.size
    if len(tensors) != size:
        raise errors.InvalidArgumentError(None, None, f"The dtensor device {device_name()} expected {size} inputs to DTensorPack, but got "
                                                      f"{len(tensors)}")
    parts = [convert_to_tensor(one) for one in tensors]
    if any(one.shape != parts[0].shape for one in parts):
        raise errors.UnimplementedError(None, None, "Components of a PackedTensor must currently all have the same shape")
    shape = layout.global_shape_from_local_shape(parts[0].shape)
    whole = numpy.empty(shape, object if parts[0].dtype.name == "string" else parts[0].dtype.as_numpy_dtype)
    for device in reversed(range(size)):  # the first device of each place has the last word
        whole[layout.slices(device, shape)] = parts[device].numpy()
    return _with_layout(convert_to_tensor(whole, dtype=parts[0].dtype), layout)


class DVariable(Variable):
    """A variable whose value has the layout of its first one. Raises: ValueError for another layout in `layout`."""

    def __init__(self, initial_value, *args, dtype=None, layout=None, **kwargs):
        value = initial_value() if callable(initial_value) else initial_value
        value = convert_to_tensor(value, dtype=dtype)
        own = layout_of(value) or layout
        if own is None and get_default_mesh() is not None:
            own = Layout.replicated(get_default_mesh(), value._rank)
        super().__init__(value, *args, dtype=dtype, **kwargs)
        self._mesh_layout = own

    layout = property(lambda self: self._mesh_layout)

    def _snapshot(self):
        value = super()._snapshot()
        return value if self._mesh_layout is None else set_layout(value, self._mesh_layout)

    def read_value(self):
        """The value, in the variable's layout."""
        value = super().read_value()
        return value if self._mesh_layout is None else set_layout(value, self._mesh_layout)
