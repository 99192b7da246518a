"""Queues between threads and between tasks: `tf.queue`. In a graph or a traced function each method becomes an op that
does so when it is run; a run that waits keeps nobody from its variables. On a cluster a queue is where its device says,
and those of one name on one task are one queue."""

from . import _native
from ._dtypes import TensorShape, as_dtype
from ._run_shapes import unknown_ranks
from ._tensor import convert_to_tensor, named
from .errors import InvalidArgumentError


def shared_object(kind, name, shared_name, types, options):
    """A queue or an accumulator: (handle, name). `types`: (dtype, sizes) of its components, -1 unknown."""
    return _native.shared_object(kind, name, shared_name or "", {**element_types(types), **options})


def element_types(types):
    """Types of tensors as attributes of an op."""
    sizes = [one for _, shape in types for one in (len(shape), *(-1 if size is None else int(size) for size in shape))]
    return {"dtypes": ("list(int)", [int(dtype) for dtype, _ in types]), "shapes": ("list(int)", sizes)}


def shared_op(op, handle, inputs, name, types=None, options=None):
    """Carries out an op of a queue or an accumulator, or adds it to a graph: tensors where `types` says what it gives, else
    an operation (None eagerly)."""
    from ._function import Operation
    attributes = dict(options or {})
    if types is not None:
        attributes.update(element_types(types))
    made = _native.emit(op, [handle, *inputs], attributes)
    if _native.is_tracing() and name:
        made = [named(made[0], name), *made[1:]]
    if types is not None:
        return made
    return Operation(made, name or op) if _native.is_tracing() else None


def _is_list_of_shapes(shapes):
    return isinstance(shapes, (list, tuple)) and any(
        isinstance(one, (list, tuple, TensorShape)) for one in shapes)


class QueueBase:
    """Elements, each a tensor or a list of tensors, that threads put in and take out.

    Source of orders, waiting and errors: tf.queue.QueueBase."""

    _name, _order = "queue", 0

    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name=None, **kwargs):
        self._dtypes = [as_dtype(one) for one in (
            dtypes if isinstance(dtypes, (list, tuple)) else [dtypes])]
        self._seen = None
        if names is not None and len(names) != len(self._dtypes):
            raise ValueError("Queue's `dtypes` and `names` must have the same length. Received "
                             f"len(dtypes)={len(self._dtypes)}, len(names)={len(names)}")
        self.names = None if names is None else list(names)
        self._shapes = None if shapes is None else [TensorShape(one) for one in (
            shapes if len(self._dtypes) > 1 or _is_list_of_shapes(shapes) else [shapes])]
        if self._shapes is not None and len(self._shapes) != len(self._dtypes):
            raise ValueError("Queue shapes must have the same length as dtypes, received "
                             f"len(shapes)={len(self._shapes)}, len(dtypes)={len(self._dtypes)}")
        types = [(dtype, [] if self._shapes is None else shape.as_list())
                 for dtype, shape in zip(self._dtypes, self._shapes or self._dtypes)]
        options = {"order": ("i", self._order), "capacity": ("i", max(int(capacity), 0)),
                   "has_shapes": ("b", self._shapes is not None), **self._options(**kwargs)}
        self._handle, self.name = shared_object("queue", name or self._name, shared_name, types, options)

    def _options(self):
        return {}

    def _named(self, op):
        """The name of one of its ops: the last part of its own, "queue_Dequeue"."""
        return f"{self.name.rpartition('/')[2]}_{op}"

    dtypes = property(lambda self: list(self._dtypes))
    shapes = property(lambda self: [TensorShape(None) for _ in self._dtypes] if self._shapes is None
                      else list(self._shapes))
    queue_ref = property(lambda self: self._handle)

    def _columns(self, vals):
        """One tensor a component."""
        if self.names is not None:
            if not isinstance(vals, dict) or sorted(vals) != sorted(self.names):
                raise ValueError(f"Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                                 f"{sorted(vals) if isinstance(vals, dict) else vals}, Queue: {sorted(self.names)}")
            vals = [vals[one] for one in self.names]
            vals = vals[0] if len(vals) == 1 else vals
        elif isinstance(vals, dict):
            raise ValueError("Queue must have names to enqueue a dictionary")
        values = vals if len(self._dtypes) > 1 else ([vals[0]] if isinstance(vals, (list, tuple)) and len(
            vals) == 1 else [vals])
        return [convert_to_tensor(one, dtype=dtype) for one, dtype in zip(values, self._dtypes)]

    def _given(self, made):
        """What a user gets of an element: by name where the components have names."""
        if self.names is None:
            return made[0] if len(made) == 1 else list(made)
        return dict(zip(self.names, made))

    def _types(self, rows=()):
        if not _native.is_tracing():
            return [(dtype, []) for dtype in self._dtypes]
        if self._shapes is not None:
            return [(dtype, [*rows, *one.as_list()]) for dtype, one in zip(self._dtypes, self._shapes)]
        if self._seen is None:
            raise ValueError(f"a {type(self).__name__} that is used in a graph needs the shapes of its elements; got "
                             "none, and no enqueue before; give `shapes=`")
        return [(dtype, [*rows, *one]) for dtype, one in zip(self._dtypes, self._seen)]

    def _see(self, parts, first_axis):
        """Checks the shapes of what is put in, and keeps what they tell for a queue that was given none."""
        shapes = [list(one._shape)[first_axis:] for one in parts]
        if self._shapes is not None and _native.is_tracing():
            for one, part, given in zip(self._shapes, parts, shapes):
                if part._id not in unknown_ranks and not one.is_compatible_with(TensorShape(given)):
                    raise ValueError(f"Shapes {TensorShape(given)} and {one} are incompatible")
        before = self._seen or shapes
        self._seen = [[x if x == y else None for x, y in zip(a, b)] if len(a) == len(b) else a for a, b in zip(before, shapes)]

    def enqueue(self, vals, name=None):
        """Puts an element in; waits while the queue is full. Raises: CancelledError when it is closed."""
        element = self._columns(vals)
        self._see(element, 0)
        return shared_op("QueueEnqueue", self._handle, element, name or self._named("enqueue"))

    def enqueue_many(self, vals, name=None):
        """Puts the rows in, one after another."""
        columns = self._columns(vals)
        self._see(columns, 1)
        return shared_op("QueueEnqueueMany", self._handle, columns, name or self._named("EnqueueMany"))

    def dequeue(self, name=None):
        """Takes an element out; waits for one. Raises: OutOfRangeError when it is closed and empty."""
        return self._given(shared_op("QueueDequeue", self._handle, [], name or self._named("Dequeue"), self._types()))

    def dequeue_many(self, n, name=None):
        """`n` elements, stacked. Raises: OutOfRangeError when it is closed and has fewer; they stay; InvalidArgumentError,
        eagerly, for a queue without shapes."""
        return self._stacked("QueueDequeueMany", n, name or self._named("DequeueMany"))

    def dequeue_up_to(self, n, name=None):
        """The same, but fewer, and at least one, where it is closed and has no more."""
        return self._stacked("QueueDequeueUpTo", n, name or self._named("DequeueUpTo"))

    def _stacked(self, op, n, name):
        if self._shapes is None and not _native.is_tracing():
            raise InvalidArgumentError(None, None, f"{type(self).__name__}'s DequeueMany and DequeueUpTo require the components to have "
                                       "specified shapes; give `shapes=` where the queue is made")
        count = convert_to_tensor(n, dtype="int32")
        known = _native.static_value(count) if op == "QueueDequeueMany" else None
        rows = [None if known is None else int(known._item())]
        return self._given(shared_op(op, self._handle, [count], name, self._types(rows)))

    def _asked(self, op, name):
        made = _native.emit(op, [self._handle], {})[0]
        return named(made, name) if _native.is_tracing() else made

    def size(self, name=None):
        """How many elements there are, int32."""
        return self._asked("QueueSize", name or self._named("Size"))

    def is_closed(self, name=None):
        """Whether it is closed."""
        return self._asked("QueueIsClosed", name or self._named("Is_Closed"))

    def close(self, cancel_pending_enqueues=False, name=None):
        """From now on nothing can be put in; what is there can be taken out. What waits to be put in still is, unless it is
        cancelled. Raises: CancelledError when it is closed already, unless it cancels."""
        return shared_op("QueueClose", self._handle, [], name or self._named("Close"),
                         options={"cancel_pending_enqueues": ("b", bool(cancel_pending_enqueues))})


class FIFOQueue(QueueBase):
    """First in, first out."""

    _name = "fifo_queue"


class PaddingFIFOQueue(FIFOQueue):
    """First in, first out; `dequeue_many` pads with zeros to the largest of the elements taken."""

    _name, _order = "padding_fifo_queue", 1

    def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None, name=None):
        super().__init__(capacity, dtypes, shapes, names, shared_name, name)


class PriorityQueue(QueueBase):
    """The least int64 first, which is the first component of every element."""

    _name, _order = "priority_queue", 3

    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None, name=None):
        types = list(types) if isinstance(types, (list, tuple)) else [types]
        if shapes is not None:
            shapes = [[]] + (list(shapes) if _is_list_of_shapes(shapes) else [shapes])
        super().__init__(capacity, ["int64"] + types, shapes, names, shared_name, name)


class RandomShuffleQueue(QueueBase):
    """In random order, TensorFlow's for a seed; while it is open, `min_after_dequeue` elements stay."""

    _name, _order = "random_shuffle_queue", 2

    def __init__(self, capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None, shared_name=None,
                 name=None):
        super().__init__(capacity, dtypes, shapes, names, shared_name, name, min_after_dequeue=min_after_dequeue, seed=seed)

    def _options(self, min_after_dequeue, seed):
        from .compat.v1._random import get_seed
        first, second = get_seed(seed)
        return {"min_after_dequeue": ("i", int(min_after_dequeue)), "seed": ("i", first or 0), "seed2": ("i", second or 0)}
