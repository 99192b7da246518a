"""Queues that threads fill for a graph of version 1: `tf.compat.v1.train.QueueRunner` and what is made of it."""

import threading
import weakref

from ... import _refused, errors
from ..._tensor import convert_to_tensor
from ._graphs import get_default_graph, name_scope

QUEUE_RUNNERS = "queue_runners"


class QueueRunner:
    """Runs ops that put elements into a queue, each in a thread of its own, until the data end."""

    def __init__(self, queue=None, enqueue_ops=None, close_op=None, cancel_op=None, queue_closed_exception_types=None,
                 queue_runner_def=None, import_scope=None):
        _refused.only("QueueRunner", queue_runner_def=(queue_runner_def, None))
        if queue is None or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self.queue, self.enqueue_ops = queue, list(enqueue_ops)
        if queue_closed_exception_types is not None and not (isinstance(queue_closed_exception_types, tuple) and all(
                issubclass(one, errors.OpError) for one in queue_closed_exception_types)):
            raise TypeError("queue_closed_exception_types, when provided, must be a tuple of tf.error types, but saw: "
                            f"{queue_closed_exception_types}")
        self.close_op = queue.close() if close_op is None else close_op
        self.cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        self.queue_closed_exception_types = queue_closed_exception_types or (errors.OutOfRangeError,)
        self._running = weakref.WeakKeyDictionary()  # threads that put elements in, by session
        self._lock = threading.Lock()
        self.exceptions_raised = []

    name = property(lambda self: self.queue.name)

    def _run(self, session, op, coord):
        try:
            while coord is None or not coord.should_stop():
                session.run(op)
        except (*self.queue_closed_exception_types, errors.CancelledError):
            pass
        except Exception as error:  # noqa: BLE001  (the coordinator's join raises it)
            if coord is None:
                self.exceptions_raised.append(error)
            else:
                coord.request_stop(error)
        finally:
            with self._lock:
                self._running[session] -= 1
                last = self._running[session] == 0
            if last:
                _run_if_open(session, self.close_op)

    def _watch(self, session, coord):
        coord.wait_for_stop()
        _run_if_open(session, self.cancel_op)

    def create_threads(self, sess, coord=None, daemon=False, start=False):
        """The threads, one an op, and with a coordinator one that closes the queue when it stops; none while those of an
        earlier call run in this session."""
        with self._lock:
            if self._running.get(sess):
                return []
            self._running[sess] = len(self.enqueue_ops)
            self.exceptions_raised.clear()
        threads = [threading.Thread(target=self._run, args=(sess, op, coord), daemon=daemon, name=f"QueueRunnerThread-{self.name}-{op.name}")
                   for op in self.enqueue_ops]
        if coord is not None:
            threads.append(threading.Thread(target=self._watch, args=(sess, coord), daemon=daemon,
                                            name=f"QueueRunnerThread-{self.name}-close_on_stop"))
            for one in threads:
                coord.register_thread(one)
        if start:
            for one in threads:
                one.start()
        return threads


def _run_if_open(session, op):
    try:
        session.run(op)
    except (errors.OpError, RuntimeError):  # the queue or the session is closed
        pass


def add_queue_runner(qr, collection=QUEUE_RUNNERS):
    """Notes a runner with the graph, for `start_queue_runners`."""
    from . import add_to_collection
    add_to_collection(collection, qr)


def start_queue_runners(sess=None, coord=None, daemon=True, start=True, collection=QUEUE_RUNNERS):
    """Starts the threads of all runners of the session's graph. Raises: ValueError without a session."""
    from . import get_default_session
    sess = sess or get_default_session()
    if sess is None:
        raise ValueError("Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or "
                         "pass an explicit session to tf.start_queue_runners(sess=sess)")
    return [thread for one in sess.graph.get_collection(collection)
            for thread in one.create_threads(sess, coord, daemon, start)]


def input_producer(input_tensor, element_shape=None, num_epochs=None, shuffle=True, seed=None, capacity=32,
                   shared_name=None, summary_name=None, name=None, cancel_op=None):
    """A queue of the rows of a tensor, again in each epoch, that a runner fills. `num_epochs` are counted in a local variable."""
    from ... import queue, random
    with name_scope(name or "input_producer"):
        rows = convert_to_tensor(input_tensor)
        source = random.shuffle(rows, seed=seed) if shuffle else rows
        source = limit_epochs(source, num_epochs)
        made = queue.FIFOQueue(capacity, [rows.dtype], [rows._shape[1:]], shared_name=shared_name, name=name or "input_producer")
        add_queue_runner(QueueRunner(made, [made.enqueue_many(source)], cancel_op=cancel_op))
        if summary_name is not None:
            _tell_how_full(summary_name, made.size(), capacity)
    return made


def _tell_how_full(name, size, capacity):
    """A summary of the part of a queue that is taken."""
    from ...ops_math import cast
    from . import summary
    summary.scalar(name, cast(size, "float32") * (1. / capacity))


def limit_epochs(tensor, num_epochs=None, name=None):
    """The tensor, `num_epochs` times, counted in the local variable "NAME/epochs"; then OutOfRangeError.
    Raises: ValueError for `num_epochs` below 1."""
    from ...ops_array import identity
    from ..._function import control_dependencies
    from . import get_local_variable
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with name_scope(name or "limit_epochs"):
        epochs = get_local_variable(get_default_graph().get_name_scope() + "/epochs", initializer=convert_to_tensor(0, dtype="int64"))
        with control_dependencies([epochs.count_up_to(num_epochs)]):
            return identity(convert_to_tensor(tensor))


def string_input_producer(string_tensor, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None,
                          name=None, cancel_op=None):
    """A queue of texts, such as names of files. Raises: ValueError for none."""
    if isinstance(string_tensor, (list, tuple)) and not string_tensor:
        raise ValueError("string_input_producer requires a non-null input tensor")
    return input_producer(convert_to_tensor(string_tensor, dtype="string"), None, num_epochs, shuffle, seed, capacity, shared_name,
                          f"fraction_of_{capacity}_full", name, cancel_op)


def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """A queue of the numbers below `limit`."""
    from ...ops_math import range as numbers
    return input_producer(numbers(limit), None, num_epochs, shuffle, seed, capacity, shared_name, f"fraction_of_{capacity}_full", name)


def slice_input_producer(tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """One row of each tensor at a time."""
    from ...ops_array import gather
    if not tensor_list:
        raise ValueError("Expected at least one tensor in slice_input_producer().")
    with name_scope(name or "input_producer"):
        tensors = [convert_to_tensor(one) for one in tensor_list]
        place = range_input_producer(tensors[0]._shape[0], num_epochs, shuffle, seed, capacity, shared_name).dequeue()
        return [gather(one, place) for one in tensors]


def _listed(tensors):
    return [convert_to_tensor(one) for one in (tensors if isinstance(tensors, (list, tuple)) else [tensors])]


def _batched(made, sources, batch_size, enqueue_many, up_to):
    """Batches of a queue that a runner fills from each of the sources, lists of tensors, in a thread of its own."""
    put = made.enqueue_many if enqueue_many else made.enqueue
    add_queue_runner(QueueRunner(made, [put(one if len(one) > 1 else one[0]) for one in map(_listed, sources)]))
    return made.dequeue_up_to(batch_size) if up_to else made.dequeue_many(batch_size)


def _parts(tensors, enqueue_many, shapes=None):
    parts = _listed(tensors)
    return [one.dtype for one in parts], shapes or [one._shape[1:] if enqueue_many else one._shape for one in parts]


def batch(tensors, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
          allow_smaller_final_batch=False, shared_name=None, name=None):
    """Batches of tensors that are computed again for each element, by threads that a queue runner starts.

    Args: enqueue_many: the tensors are rows of elements; dynamic_pad: elements may differ in size;
    allow_smaller_final_batch: the last batch may have fewer."""
    return batch_join([tensors] * num_threads, batch_size, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
                      shared_name, name or "batch")


def batch_join(tensors_list, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
               allow_smaller_final_batch=False, shared_name=None, name=None):
    """The same of several sources, lists of tensors of equal dtypes, each with a thread of its own."""
    from ... import queue
    kind = queue.PaddingFIFOQueue if dynamic_pad else queue.FIFOQueue
    with name_scope(name or "batch_join"):
        made = kind(capacity, *_parts(tensors_list[0], enqueue_many, shapes), shared_name=shared_name)
        _tell_how_full(f"fraction_of_{capacity}_full", made.size(), capacity)
        return _batched(made, tensors_list, batch_size, enqueue_many, allow_smaller_final_batch)


def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None, enqueue_many=False,
                  shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):
    """Batches in random order."""
    return shuffle_batch_join([tensors] * num_threads, batch_size, capacity, min_after_dequeue, seed, enqueue_many, shapes,
                              allow_smaller_final_batch, shared_name, name or "shuffle_batch")


def shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, seed=None, enqueue_many=False, shapes=None,
                       allow_smaller_final_batch=False, shared_name=None, name=None):
    """The same of several sources."""
    from ... import queue
    from ...ops_math import maximum
    with name_scope(name or "shuffle_batch_join"):
        dtypes, sizes = _parts(tensors_list[0], enqueue_many, shapes)
        made = queue.RandomShuffleQueue(capacity, min_after_dequeue, dtypes, sizes, seed=seed, shared_name=shared_name)
        free = capacity - min_after_dequeue
        _tell_how_full(f"fraction_over_{min_after_dequeue}_of_{free}_full", maximum(0, made.size() - min_after_dequeue), free)
        return _batched(made, tensors_list, batch_size, enqueue_many, allow_smaller_final_batch)
