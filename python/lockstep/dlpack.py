"""Tensors to and from other libraries without NumPy between: `tf.experimental.dlpack`."""

from ._tensor import convert_to_tensor


class _Given:
    """What holds a capsule, as NumPy takes it."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **_):
        return self._capsule

    def __dlpack_device__(self):
        return 1, 0


def to_dlpack(tf_tensor):
    """A capsule that shares the tensor's memory; one library may take it, once.

    Raises: BufferError for a tensor of texts or of a graph."""
    return convert_to_tensor(tf_tensor).__dlpack__()


def from_dlpack(dlcapsule):
    """A tensor of its own memory of what a capsule holds, or what has `__dlpack__`.

    Raises: ValueError for a capsule that was taken before; TypeError for anything else."""
    import numpy
    if hasattr(dlcapsule, "__dlpack__"):
        return convert_to_tensor(numpy.from_dlpack(dlcapsule))
    if type(dlcapsule).__name__ != "PyCapsule":
        raise TypeError(f"from_dlpack takes a capsule, as to_dlpack gives it; got {dlcapsule!r}")
    return convert_to_tensor(numpy.from_dlpack(_Given(dlcapsule)))
