"""Meshes of devices and layouts of tensors on them: `Mesh` and `Layout` of `tf.experimental.dtensor`.

A mesh names the axes of a grid of devices. A layout has for each axis of a tensor the mesh axis along which it is cut, or
"unsharded". Device i of the mesh has the coordinates of i in row-major order, and the part of the tensor at its
coordinates along the axes that are cut."""

import collections

import numpy

from ._dtypes import TensorShape
from .device_spec import DeviceSpec

UNSHARDED = "unsharded"
MATCH = "match"

MeshDimension = collections.namedtuple("MeshDimension", ("name", "size"))


class Mesh:
    """A grid of devices with named axes."""

    def __init__(self, dim_names, global_device_ids, local_device_ids, local_devices, mesh_name="", global_devices=None,
                 use_xla_spmd=False):
        ids = numpy.asarray(global_device_ids)
        if ids.ndim != len(dim_names):
            raise ValueError("global_device_ids does not have the same rank as dim_names; got "
                             f"{ids.ndim} and {len(dim_names)}")
        if ids.size and ids.size != int(ids.max() - ids.min() + 1):
            raise ValueError("global_device_ids must be sequential")
        self._dim_names, self._ids, self.name, self.use_xla_spmd = list(dim_names), ids, mesh_name, use_xla_spmd
        self._local_ids = list(local_device_ids)
        self._devices = [one if isinstance(one, str) else one.to_string() for one in local_devices]
        self._global_devices = list(global_devices or [])

    dim_names = property(lambda self: list(self._dim_names))
    size = property(lambda self: int(self._ids.size))
    global_device_ids = property(lambda self: self._ids)
    strides = property(lambda self: [int(numpy.prod(self._ids.shape[axis + 1:])) for axis in range(self._ids.ndim)])

    def shape(self):
        """The sizes of the axes."""
        return list(self._ids.shape)

    def dim_size(self, dim_name):
        """The size of an axis. Raises: ValueError for an unknown name."""
        if dim_name not in self._dim_names:
            raise ValueError(f'"{dim_name}" not a dimension name in current mesh. Dimension names: {self._dim_names}.')
        return int(self._ids.shape[self._dim_names.index(dim_name)])

    def __getitem__(self, dim_name):
        return MeshDimension(dim_name, self.dim_size(dim_name))

    def __contains__(self, dim_name):
        return dim_name in self._dim_names

    contains_dim = __contains__

    def device_type(self):
        """"CPU" or another kind of devices."""
        return DeviceSpec.from_string(self._devices[0]).device_type

    def num_local_devices(self):
        """How many devices of this process the mesh has: all."""
        return len(self._devices)

    def local_devices(self):
        """The names of the devices."""
        return list(self._devices)

    def local_device_ids(self):
        """The numbers of the devices."""
        return list(self._local_ids)

    def local_device_locations(self):
        """For each device {axis: coordinate}."""
        return [dict(zip(self._dim_names, self._place(i))) for i in range(self.size)]

    def is_remote(self):
        """Whether the devices are another process's: never."""
        return False

    def host_mesh(self):
        """The mesh of the processors that the devices belong to."""
        return self if self.device_type() == "CPU" else Mesh(
            self._dim_names, self._ids, self._local_ids, [one.replace(self.device_type(), "CPU") for one in self._devices], self.name)

    def _place(self, device):
        return [int(one) for one in numpy.unravel_index(device, self._ids.shape)]

    def coords(self, device_idx):
        """The coordinates of a device, int32 [axes]."""
        from ._tensor import convert_to_tensor
        return convert_to_tensor(self._place(device_idx), dtype="int32")

    def unravel_index(self):
        """[{axis: coordinate}] of all devices."""
        return self.local_device_locations()

    def to_string(self):
        """TensorFlow's text of the mesh: name, axes, numbers and names of devices."""
        axes = ",".join(f"{name}={size}" for name, size in zip(self._dim_names, self._ids.shape))
        return "|".join([self.name, axes, ",".join(map(str, self._ids.reshape(-1).tolist())), ",".join(map(str, self._local_ids)),
                         ",".join(self._devices)])

    @classmethod
    def from_string(cls, mesh_str):
        """The mesh of a text."""
        name, axes, ids, local_ids, devices = mesh_str.split("|")[:5]
        pairs = [one.split("=") for one in axes.split(",")]
        return cls([one for one, _ in pairs], numpy.array([int(one) for one in ids.split(",")]).reshape([int(size) for _, size in pairs]),
                   [int(one) for one in local_ids.split(",")], devices.split(","), name)

    def __repr__(self):
        return f"Mesh.from_string({self.to_string()})"

    def __eq__(self, other):
        return isinstance(other, Mesh) and self.to_string() == other.to_string()

    def __hash__(self):
        return hash(self.to_string())

    def __reduce__(self):
        return Mesh.from_string, (self.to_string(),)


class Layout:
    """Along which axis of a mesh each axis of a tensor is cut. Raises: ValueError for unknown and repeated mesh axes."""

    def __init__(self, sharding_specs, mesh):
        if not isinstance(mesh, Mesh):
            raise ValueError(f"mesh is not a valid Mesh object; got {mesh!r}")
        for place, one in enumerate(sharding_specs):
            if one == UNSHARDED:
                continue
            if one not in mesh:
                raise ValueError(f"{one}: A dimension sharding must either be a valid mesh dimension or UNSHARDED.")
            if one in sharding_specs[:place]:
                raise ValueError(f"Mesh dimension {one} was repeated in sharding specification {list(sharding_specs)}. Mesh dimensions "
                                 "must be unique in a layout.")
        self._specs, self.mesh = list(sharding_specs), mesh

    sharding_specs = property(lambda self: list(self._specs))
    rank = property(lambda self: len(self._specs))
    shape = property(lambda self: self.mesh.shape())

    @classmethod
    def replicated(cls, mesh, rank):
        """A whole copy on each device."""
        return cls([UNSHARDED] * rank, mesh)

    @classmethod
    def batch_sharded(cls, mesh, batch_dim, rank, axis=0):
        """Cut along one axis of the tensor, the first one by default."""
        return cls([batch_dim if i == axis % rank else UNSHARDED for i in range(rank)], mesh)

    @classmethod
    def inner_sharded(cls, mesh, inner_dim, rank):
        """Cut along the last axis."""
        return cls.batch_sharded(mesh, inner_dim, rank, axis=-1)

    def num_shards(self, idx):
        """Into how many parts an axis is cut."""
        return 1 if self._specs[idx] == UNSHARDED else self.mesh.dim_size(self._specs[idx])

    def is_fully_replicated(self):
        """Whether no axis is cut into several parts."""
        return all(self.num_shards(i) == 1 for i in range(self.rank))

    def is_batch_parallel(self):
        """Whether no axis but the first is cut."""
        return all(self.num_shards(i) == 1 for i in range(1, self.rank))

    def delete(self, dims):
        """The layout without some axes."""
        gone = {one % self.rank for one in ([dims] if isinstance(dims, int) else dims)}
        return Layout([one for i, one in enumerate(self._specs) if i not in gone], self.mesh)

    def local_shape_from_global_shape(self, global_shape):
        """The shape of one device's part."""
        return tuple(None if size is None else size // self.num_shards(i) for i, size in enumerate(TensorShape(global_shape)))

    def global_shape_from_local_shape(self, local_shape):
        """The shape of the tensor of one device's part."""
        return tuple(None if size is None else size * self.num_shards(i) for i, size in enumerate(TensorShape(local_shape)))

    def slices(self, device, shape):
        """The part of a tensor of a shape that a device has, as slices."""
        place = dict(zip(self.mesh.dim_names, self.mesh._place(device)))
        made = []
        for i, size in enumerate(shape):
            part = size // self.num_shards(i)
            begin = place[self._specs[i]] * part if self._specs[i] != UNSHARDED else 0
            made.append(slice(begin, begin + part))
        return tuple(made)

    def to_string(self):
        """TensorFlow's text of the layout."""
        return f"sharding_specs:{','.join(self._specs)}, mesh:{self.mesh.to_string()}"

    @classmethod
    def from_string(cls, layout_str):
        """The layout of a text."""
        specs, mesh = layout_str.split(", mesh:")
        return cls([one for one in specs.removeprefix("sharding_specs:").split(",") if one], Mesh.from_string(mesh))

    def __repr__(self):
        return f"Layout.from_string({self.to_string()})"

    def __eq__(self, other):
        return isinstance(other, Layout) and self._specs == other._specs and self.mesh == other.mesh

    def __hash__(self):
        return hash(self.to_string())

    def __reduce__(self):
        return Layout.from_string, (self.to_string(),)
