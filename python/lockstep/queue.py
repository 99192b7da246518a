"""Queues between threads: `tf.queue`. Eager; inside of a traced function by `tf.py_function`."""

import collections
import random
import threading

from . import errors
from ._dtypes import as_dtype
from ._tensor import convert_to_tensor


class QueueBase:
    """Elements, each a tensor or a list of tensors, that threads put in and take out."""

    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name="queue", **kwargs):
        self._capacity = capacity if capacity > 0 else None
        self._dtypes = [as_dtype(one) for one in (
            dtypes if isinstance(dtypes, (list, tuple)) else [dtypes])]
        self._items = collections.deque()
        self._changed = threading.Condition()
        self._closed = False
        self.name = name

    dtypes = property(lambda self: list(self._dtypes))

    def enqueue(self, vals, name=None):
        """Puts an element in; waits while the queue is full. Raises: CancelledError when it is closed."""
        values = vals if len(self._dtypes) > 1 else ([vals[0]] if isinstance(vals, (list, tuple)) and len(
            vals) == 1 else [vals])
        element = [convert_to_tensor(one, dtype=dtype) for one, dtype in zip(values, self._dtypes)]
        with self._changed:
            while self._capacity is not None and len(self._items) >= self._capacity and not self._closed:
                self._changed.wait(0.1)
            if self._closed:
                raise errors.CancelledError(None, None, f"FIFOQueue '{self.name}' is closed.")
            self._items.append(element)
            self._changed.notify_all()

    def enqueue_many(self, vals, name=None):
        """Puts the rows in, one after another."""
        columns = vals if len(self._dtypes) > 1 else [vals[0] if isinstance(vals, (list, tuple)) and len(
            vals) == 1 else vals]
        for row in zip(*[convert_to_tensor(one) for one in columns]):
            self.enqueue(row[0] if len(row) == 1 else list(row))

    def _take(self):
        return self._items.popleft()

    def dequeue(self, name=None):
        """Takes an element out; waits for one. Raises: OutOfRangeError when it is closed and empty."""
        with self._changed:
            while not self._items:
                if self._closed:
                    raise errors.OutOfRangeError(
                        None, None, f"FIFOQueue '{self.name}' is closed and has insufficient elements "
                        "(requested 1, current size 0)")
                self._changed.wait(0.1)
            element = self._take()
            self._changed.notify_all()
        return element[0] if len(element) == 1 else element

    def dequeue_many(self, n, name=None):
        """`n` elements, stacked."""
        from .ops_array import stack
        rows = [self.dequeue() for _ in range(int(n))]
        if len(self._dtypes) == 1:
            return stack(rows)
        return [stack(list(column)) for column in zip(*rows)]

    def size(self, name=None):
        return convert_to_tensor(len(self._items))

    def is_closed(self, name=None):
        return convert_to_tensor(self._closed)

    def close(self, cancel_pending_enqueues=False, name=None):
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class FIFOQueue(QueueBase):
    """First in, first out."""


class RandomShuffleQueue(QueueBase):
    """In random order."""

    def __init__(self, capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None, **kwargs):
        super().__init__(capacity, dtypes, shapes, names, **kwargs)
        self._draw = random.Random(0 if seed is None else seed)

    def _take(self):
        place = self._draw.randrange(len(self._items))
        self._items.rotate(-place)
        element = self._items.popleft()
        self._items.rotate(place)
        return element
