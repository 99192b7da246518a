"""HDF5 files read without trust: links, external storage and declared sizes are checked before data is read."""

import collections.abc
import contextlib
import math
import os

from .._damage import reading, refuse

_FILTERS = ("gzip", "deflate", "shuffle", "fletcher32", "lzf", "szip", "scaleoffset", "nbit")
_SLACK = 64 << 20  # bytes that a dataset may hold besides `_RATIO` times what is stored
_RATIO = 16
_MOST_OBJECTS = 1_000_000


@contextlib.contextmanager
def opened(source, label):
    """The HDF5 file of a path or a file. Raises: ImportError without h5py; DamagedFileError."""
    from .saving import need_h5py
    h5py = need_h5py()
    with reading(label):
        file = h5py.File(source, "r")
    try:
        yield file
    finally:
        file.close()


_HEAP = b"GCOL\x01\0\0\0"  # signature, version and reserved bytes of a collection of the global heap


def require_sound_heaps(path):
    """Checks the collections of the global heap, which hold strings of any length, before they are read: HDF5 loops for ever in
    a damaged one. Each is its signature, its size (8 bytes), and objects: index and counter (2 bytes each), 4 bytes, size (8
    bytes), data up to a multiple of 8; the object 0 is the free rest, header included. Raises: DamagedFileError."""
    import mmap
    if os.path.getsize(path) == 0:
        return
    with reading(path), open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        begin = data.find(_HEAP)
        while begin >= 0:
            end = begin + int.from_bytes(data[begin + 8:begin + 16], "little")
            place = begin + 16
            while place + 16 <= min(end, len(data)):
                index, size = int.from_bytes(data[place:place + 2], "little"), int.from_bytes(data[place + 8:place + 16], "little")
                need = 16 + -(-size // 8) * 8 if index else size
                if need < 16 or place + need > end:
                    refuse(path, f"the heap at {begin} has an object of {size} bytes at {place}")
                place += need
            begin = data.find(_HEAP, begin + 8)


def child(group, name, label):
    """A member of a group; None where there is none. Raises: DamagedFileError for links to elsewhere."""
    import h5py
    link = group.get(name, getlink=True)
    if link is None:
        return None
    if not isinstance(link, h5py.HardLink):
        refuse(label, f"{name!r} in {group.name!r} is a {type(link).__name__}")
    return group[name]


def group_at(group, path, label):
    """The group at a path below a group; None where there is none. Raises: DamagedFileError."""
    import h5py
    for name in path.split("/") if path else ():
        group = child(group, name, label)
        if group is None:
            return None
        if not isinstance(group, h5py.Group):
            refuse(label, f"{name!r} of {path!r} must be a group")
    return group


def dataset_at(group, path, label):
    """The dataset at a path below a group, whose data is safe to read. Raises: DamagedFileError."""
    import h5py
    place, _, name = path.rpartition("/")
    holder = group_at(group, place, label)
    dataset = None if holder is None else child(holder, name, label)
    if not isinstance(dataset, h5py.Dataset):
        refuse(label, f"{path!r} in {group.name!r} must be a dataset")
    _require_plain(dataset, label)
    return dataset


def _require_plain(dataset, label):
    """Raises: DamagedFileError for data outside of the file, other filters than HDF5's own, and oversized chunks."""
    name = dataset.name
    if dataset.external or dataset.is_virtual:
        refuse(label, f"the data of {name!r} is in another file")
    if dataset.dtype.kind not in "biufcSV" or dataset.dtype.itemsize > 1 << 16 or dataset.dtype.fields or dataset.shape is None:
        refuse(label, f"{name!r} must hold numbers; got {dataset.dtype}")
    size = math.prod(dataset.shape) * dataset.dtype.itemsize
    if dataset.chunks and math.prod(dataset.chunks) * dataset.dtype.itemsize > size + (1 << 20):
        refuse(label, f"the chunks of {name!r} are larger than its data")
    made = dataset.id.get_create_plist()
    for place in range(made.get_nfilters()):
        kind = made.get_filter(place)[3].decode(errors="replace")
        if kind not in _FILTERS:
            refuse(label, f"{name!r} is packed by {kind!r}")


def value_of(dataset, label):
    """A dataset as an array. Raises: DamagedFileError where it declares far more than the file stores."""
    size = math.prod(dataset.shape) * dataset.dtype.itemsize
    stored = dataset.id.get_storage_size()
    if size > _SLACK + _RATIO * stored:
        refuse(label, f"{dataset.name!r} declares {size} bytes in {stored}")
    return dataset[()]


class Arrays(collections.abc.Mapping):
    """The datasets of a group as arrays by name, each read when it is asked for; of None none."""

    def __init__(self, group, label):
        self._group, self._label = group, label

    def __getitem__(self, name):
        if self._group is None or name not in self._group:
            raise KeyError(name)
        return value_of(dataset_at(self._group, name, self._label), self._label)

    def __iter__(self):
        return iter(() if self._group is None else self._group)

    def __len__(self):
        return 0 if self._group is None else len(self._group)


def groups_of_variables(group, label, path=""):
    """The paths of all groups `vars` that hold something, below a group."""
    import h5py
    todo, seen, found = [(path, group)], set(), []
    while todo:
        path, group = todo.pop()
        address = h5py.h5o.get_info(group.id).addr
        if address in seen:
            continue
        seen.add(address)
        if len(seen) > _MOST_OBJECTS:
            refuse(label, f"the file has above {_MOST_OBJECTS} groups")
        for name in group:
            one = child(group, name, label)
            if isinstance(one, h5py.Group):
                if name == "vars" and len(one):
                    found.append(path)
                elif name != "vars":
                    todo.append((f"{path}/{name}" if path else name, one))
    return sorted(found)
