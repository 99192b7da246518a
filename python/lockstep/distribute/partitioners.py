"""Into how many shards a variable is cut."""

import math

from .._dtypes import as_dtype


class Partitioner:
    """Gives the number of shards along each axis: `partitioner(shape, dtype, axis=0)`."""

    def __call__(self, shape, dtype, axis=0):
        raise NotImplementedError

    @staticmethod
    def _cut(shape, axis, count):
        sizes = [int(size) for size in shape]
        shards = [1] * len(sizes)
        if sizes:
            shards[axis] = max(1, min(count, sizes[axis]))
        return shards

    @staticmethod
    def _bytes(dtype, bytes_per_string):
        dtype = as_dtype(dtype)
        return bytes_per_string if dtype.name == "string" else dtype.size


class FixedShardsPartitioner(Partitioner):
    """`num_shards`, but no more than there are rows."""

    def __init__(self, num_shards):
        self._num_shards = num_shards

    def __call__(self, shape, dtype, axis=0):
        return self._cut(shape, axis, self._num_shards)


class MinSizePartitioner(Partitioner):
    """As many as leave each shard at least about `min_shard_bytes`, at most `max_shards`."""

    def __init__(self, min_shard_bytes=256 << 10, max_shards=1, bytes_per_string=16):
        if min_shard_bytes < 1 or max_shards < 1 or bytes_per_string < 1:
            raise ValueError("Arguments must be positive, got "
                             f"{min_shard_bytes}, {max_shards}, {bytes_per_string}")
        self._min, self._max, self._string = min_shard_bytes, max_shards, bytes_per_string

    def __call__(self, shape, dtype, axis=0):
        total = math.prod(int(size) for size in shape) * self._bytes(dtype, self._string)
        return self._cut(shape, axis, min(self._max, -(-total // self._min)))


class MaxSizePartitioner(Partitioner):
    """As many as keep each shard within `max_shard_bytes`, at most `max_shards` where given."""

    def __init__(self, max_shard_bytes, max_shards=None, bytes_per_string=16):
        if max_shard_bytes < 1 or bytes_per_string < 1 or (max_shards is not None and max_shards < 1):
            raise ValueError("Arguments must be positive, got "
                             f"{max_shard_bytes}, {max_shards}, {bytes_per_string}")
        self._bytes_most, self._max, self._string = max_shard_bytes, max_shards, bytes_per_string

    def __call__(self, shape, dtype, axis=0):
        sizes = [int(size) for size in shape]
        if not sizes:
            return []
        row = math.prod(sizes) // max(1, sizes[axis]) * self._bytes(dtype, self._string)
        count = -(-sizes[axis] // max(1, self._bytes_most // max(1, row)))
        return self._cut(shape, axis, count if self._max is None else min(count, self._max))
