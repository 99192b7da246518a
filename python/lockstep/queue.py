"""Queues between threads: `tf.queue`. In a graph or a traced function each method becomes an op that does so
when it is run; the run waits without holding what others need."""

import collections
import random
import threading

from . import _native, errors
from ._dtypes import TensorShape, as_dtype
from ._tensor import convert_to_tensor


def _later(call, tensors, dtypes, shapes):
    """An op of the host that calls `call(*tensors)` when it is run."""
    def run(values):
        made = call(*values)
        made = [] if made is None else made if isinstance(made, list) else [made]
        return [convert_to_tensor(one, dtype=dtype) for one, dtype in zip(made, dtypes)]
    if not dtypes:
        from ._function import host_operation
        return host_operation(run, tensors, "Queue")
    made = _native.host_call(run, tensors, dtypes, shapes)
    return made[0] if len(made) == 1 else list(made)


def _is_list_of_shapes(shapes):
    return isinstance(shapes, (list, tuple)) and any(
        isinstance(one, (list, tuple, TensorShape)) for one in shapes)


class QueueBase:
    """Elements, each a tensor or a list of tensors, that threads put in and take out."""

    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name="queue", **kwargs):
        self._capacity = capacity if capacity > 0 else None
        self._dtypes = [as_dtype(one) for one in (
            dtypes if isinstance(dtypes, (list, tuple)) else [dtypes])]
        self._items = collections.deque()
        self._changed = threading.Condition()
        self._closed = False
        self._seen = None
        if names is not None and len(names) != len(self._dtypes):
            raise ValueError("Queue's `dtypes` and `names` must have the same length. Received "
                             f"len(dtypes)={len(self._dtypes)}, len(names)={len(names)}")
        self.names = None if names is None else list(names)
        self.name = name if name != "queue" else type(self)._name
        self._shapes = None if shapes is None else [TensorShape(one) for one in (
            shapes if len(self._dtypes) > 1 or _is_list_of_shapes(shapes) else [shapes])]

    _name = "queue"
    dtypes = property(lambda self: list(self._dtypes))
    shapes = property(lambda self: [TensorShape(None) for _ in self._dtypes] if self._shapes is None
                      else list(self._shapes))
    queue_ref = property(lambda self: self)

    def _columns(self, vals):
        """One tensor a component."""
        if self.names is not None:
            if not isinstance(vals, dict) or sorted(vals) != sorted(self.names):
                raise ValueError(f"Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                                 f"{sorted(vals) if isinstance(vals, dict) else vals}, Queue: {sorted(self.names)}")
            vals = [vals[one] for one in self.names]
            vals = vals[0] if len(vals) == 1 else vals
        values = vals if len(self._dtypes) > 1 else ([vals[0]] if isinstance(vals, (list, tuple)) and len(
            vals) == 1 else [vals])
        return [convert_to_tensor(one, dtype=dtype) for one, dtype in zip(values, self._dtypes)]

    def _given(self, made):
        """What a user gets of an element: by name where the components have names."""
        if self.names is None:
            return made
        return dict(zip(self.names, made if isinstance(made, list) else [made]))

    def _element_shapes(self, rows=()):
        if self._shapes is None:
            if self._seen is None:
                raise ValueError(f"a {type(self).__name__} that is used in a graph needs the shapes of its elements; got "
                                 "none, and no enqueue before; give `shapes=`")
            return [list(rows) + one for one in self._seen]
        return [list(rows) + one.as_list() for one in self._shapes]

    def _see(self, shapes):
        """Keeps what the ops that put elements in tell of shapes, for a queue that was given none."""
        before = self._seen or shapes
        self._seen = [[x if x == y else None for x, y in zip(a, b)] if len(a) == len(b) else a for a, b in zip(before, shapes)]

    def enqueue(self, vals, name=None):
        """Puts an element in; waits while the queue is full. Raises: CancelledError when it is closed."""
        element = self._columns(vals)
        if _native.is_tracing():
            self._see([list(one._shape) for one in element])
            return _later(lambda *values: self._put(list(values)), element, [], [])
        return self._put(element)

    def _put(self, element):
        with self._changed:
            while self._capacity is not None and len(self._items) >= self._capacity and not self._closed:
                self._changed.wait(0.1)
            if self._closed:
                raise errors.CancelledError(None, None, f"FIFOQueue '{self.name}' is closed.")
            self._items.append(element)
            self._changed.notify_all()

    def enqueue_many(self, vals, name=None):
        """Puts the rows in, one after another."""
        def put(*columns):
            for row in zip(*columns):
                self._put(list(row))
        columns = self._columns(vals)
        if _native.is_tracing():
            self._see([list(one._shape[1:]) for one in columns])
            return _later(put, columns, [], [])
        return put(*columns)

    def _take(self):
        return self._items.popleft()

    def dequeue(self, name=None):
        """Takes an element out; waits for one. Raises: OutOfRangeError when it is closed and empty."""
        if _native.is_tracing():
            return self._given(_later(self._next, [], self._dtypes, self._element_shapes()))
        return self._given(self._next())

    def _next(self):
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
        if _native.is_tracing():
            count = convert_to_tensor(n)
            known = _native.static_value(count)
            rows = None if known is None else int(known._item())
            return self._given(_later(lambda number: self._many(int(number._item())), [count], self._dtypes,
                                      self._element_shapes([rows])))
        return self._given(self._many(int(n)))

    def _many(self, count):
        from .ops_array import stack
        rows = [self._next() for _ in range(count)]
        if len(self._dtypes) == 1:
            return stack(rows)
        return [stack(list(column)) for column in zip(*rows)]

    def size(self, name=None):
        """How many elements there are, int32."""
        if _native.is_tracing():
            return _later(lambda: len(self._items), [], [as_dtype("int32")], [[]])
        return convert_to_tensor(len(self._items))

    def is_closed(self, name=None):
        """Whether it is closed."""
        if _native.is_tracing():
            return _later(lambda: self._closed, [], [as_dtype("bool")], [[]])
        return convert_to_tensor(self._closed)

    def close(self, cancel_pending_enqueues=False, name=None):
        """From now on nothing can be put in; what is there can be taken out."""
        if _native.is_tracing():
            return _later(self._end, [], [], [])
        return self._end()

    def _end(self):
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class FIFOQueue(QueueBase):
    """First in, first out."""

    _name = "fifo_queue"


class PaddingFIFOQueue(FIFOQueue):
    """First in, first out; `dequeue_many` pads with zeros to the largest of the elements taken."""

    _name = "padding_fifo_queue"

    def _many(self, count):
        import numpy
        from .ops_array import stack
        rows = [self._next() for _ in range(count)]
        columns = [rows] if len(self._dtypes) == 1 else [list(one) for one in zip(*rows)]
        made = []
        for column in columns:
            arrays = [one.numpy() for one in column]
            sizes = numpy.max([one.shape for one in arrays], axis=0) if arrays else []
            made.append(stack([convert_to_tensor(numpy.pad(one, [
                (0, int(size) - have) for size, have in zip(sizes, one.shape)])) for one in arrays]))
        return made[0] if len(made) == 1 else made


class PriorityQueue(QueueBase):
    """The least int64 first, which is the first component of every element."""

    _name = "priority_queue"

    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None, name="priority_queue"):
        types = list(types) if isinstance(types, (list, tuple)) else [types]
        if shapes is not None:
            shapes = [[]] + (list(shapes) if _is_list_of_shapes(shapes) else [shapes])
        super().__init__(capacity, ["int64"] + types, shapes, names, shared_name, name)

    def _take(self):
        place = min(range(len(self._items)), key=lambda i: int(self._items[i][0]._item()))
        element = self._items[place]
        del self._items[place]
        return element


class RandomShuffleQueue(QueueBase):
    """In random order."""

    _name = "random_shuffle_queue"

    def __init__(self, capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None, **kwargs):
        super().__init__(capacity, dtypes, shapes, names, **kwargs)
        self._draw = random.Random(0 if seed is None else seed)

    def _take(self):
        place = self._draw.randrange(len(self._items))
        self._items.rotate(-place)
        element = self._items.popleft()
        self._items.rotate(place)
        return element
