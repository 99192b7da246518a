"""The context of a call: whether it trains, and in which layers."""

import threading

from .. import _native

_local = threading.local()


class shown_batch:
    """The size of a batch that shapes of layers built meanwhile are shown with."""

    def __init__(self, batch):
        self._batch = batch

    def __enter__(self):
        _local.batch = self._batch

    def __exit__(self, *_):
        _local.batch = None


def known_sizes(tensor):
    """The sizes of a tensor, None for those that are open."""
    from ._symbol_parts import sizes_of
    return tuple(None if is_unknown(one) else one for one in sizes_of(tensor))


def shown_sizes(tensor):
    """The sizes of a tensor as shapes of layers are shown: with the batch's size for an open first one, None for others."""
    sizes = known_sizes(tensor)
    return (getattr(_local, "batch", None),) + sizes[1:] if sizes and sizes[0] is None else sizes


def is_unknown(size):
    """Whether the size of an axis is open, or guessed while a layer's output is inferred."""
    return size in (None, -1) or size == getattr(_local, "guessed_size", None)


class guessed_size:
    """The time in which open axes have a size."""

    def __init__(self, size):
        self._size = size

    def __enter__(self):
        self._outer = getattr(_local, "guessed_size", None)
        _local.guessed_size = self._size

    def __exit__(self, *_):
        _local.guessed_size = self._outer


class CallContext:
    """Whether the call in progress trains."""

    def __init__(self, training):
        self.training = training

    def __enter__(self):
        self._outer = getattr(_local, "training", None)
        _local.training = self.training

    def __exit__(self, *_):
        _local.training = self._outer


def current_training():
    return getattr(_local, "training", None)


class Computing:
    """The time in which weights are read in the dtype in which a layer computes; None: in their own."""

    def __init__(self, dtype):
        self._dtype = -1 if dtype is None else int(dtype)

    def __enter__(self):
        self._outer = _native.set_autocast(self._dtype)

    def __exit__(self, *_):
        _native.set_autocast(self._outer)


class _Inside:
    """The time in which a layer is called or built."""

    def __init__(self, layer):
        self._layer = layer

    def __enter__(self):
        self._outer = getattr(_local, "inside", [])
        if not self._outer or self._outer[-1] is not self._layer:
            _local.inside = self._outer + [self._layer]

    def __exit__(self, *_):
        _local.inside = self._outer
