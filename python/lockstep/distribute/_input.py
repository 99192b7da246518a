"""Datasets whose batches are divided over replicas."""

import enum
import typing

from .. import _composites, _native, errors, nest
from .._ragged_specs import RaggedTensorSpec
from .._tensor import convert_to_tensor
from ..sparse import SparseTensor, SparseTensorSpec, rows_between as sparse_rows_between
from ..data._iterator import Argument, ElementForm
from ._values import PerReplica, PerReplicaSpec


class InputContext:
    """Which part of the input a function is asked for."""

    def __init__(self, num_input_pipelines=1, input_pipeline_id=0, num_replicas_in_sync=1):
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size):
        """The share of one replica. Raises: ValueError when the replicas do not divide the batch."""
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(f"The `global_batch_size` {global_batch_size!r} is not divisible by "
                             f"`num_replicas_in_sync` {self.num_replicas_in_sync!r} ")
        return global_batch_size // self.num_replicas_in_sync

    def __repr__(self):
        return (f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: "
                f"{self.num_input_pipelines})")


class ValueContext:
    """For which replica a function is asked."""

    def __init__(self, replica_id_in_sync_group=0, num_replicas_in_sync=1):
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync


class InputReplicationMode(enum.Enum):
    """Whether a worker has one pipeline of input, or each replica one of its own."""
    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions(typing.NamedTuple):
    """Options of input distribution, taken and without effect on what is computed."""
    experimental_fetch_to_device: bool = True
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


def _specs_for_replicas(spec, count, dealt):
    """The specs of a dataset's elements as replicas get them: their parts of a batch, or each a batch of its own."""
    if count == 1:
        return spec
    from .._function import TensorSpec

    def for_replicas(one):
        if not isinstance(one, (TensorSpec, RaggedTensorSpec, SparseTensorSpec)) or one.shape.rank == 0 and not dealt:
            return one
        if not one.shape.rank:
            return PerReplicaSpec(*[one] * count)
        rows, *rest = one.shape.as_list()
        rows = rows if dealt or rows is None else rows // count if rows % count == 0 else None
        more = [one.ragged_rank, one.row_splits_dtype] if isinstance(one, RaggedTensorSpec) else []
        return PerReplicaSpec(*[type(one)([rows] + rest, one.dtype, *more)] * count)
    return nest.map_structure(for_replicas, spec)


def require_dataset(dataset):
    if not getattr(dataset, "_is_dataset", False):
        raise AttributeError(f"a tf.data.Dataset is distributed; got {type(dataset).__name__}, which has no 'element_spec'; "
                             "make one by tf.data.Dataset.from_tensor_slices(...).batch(n)")


def _rows_between(value, begin, end):
    """Rows of a tensor, or of a sparse or ragged one."""
    return sparse_rows_between(value, begin, end) if isinstance(value, SparseTensor) else value[begin:end]


def _shares(value, count):
    """The rows of a ragged or sparse tensor, ceil(n / count) for each replica."""
    rows = int(value.dense_shape[0] if isinstance(value, SparseTensor) else value.nrows())
    each = -(-rows // count)
    return tuple(_rows_between(value, min(i * each, rows), min((i + 1) * each, rows)) for i in range(count))


class DistributedDataset:
    """Batches divided over replicas: each is cut, or, `dealt`, dealt to the replicas of its pipeline."""

    _is_dataset = True

    def __init__(self, strategy, pipelines, dealt=False):
        for one in pipelines:
            require_dataset(one)
        self._strategy = strategy
        self._pipelines = pipelines
        self._dealt = dealt

    _dataset = property(lambda self: self._pipelines[0])

    @property
    def element_spec(self):
        return _specs_for_replicas(self._dataset.element_spec, self._strategy.num_replicas_in_sync, self._dealt)

    @property
    def _form(self):
        return ElementForm(_composites.apart(self._dataset.element_spec), self._strategy.num_replicas_in_sync)

    @property
    def cardinality(self):
        """How many batches there are, -1 for no end, -2 where nobody knows."""
        return int(self._dataset.cardinality())

    def __len__(self):
        return len(self._dataset)

    def __iter__(self):
        return DistributedIterator(self, [iter(one) for one in self._pipelines])


class DistributedDatasetsFromFunction(DistributedDataset):
    """What `distribute_datasets_from_function` gives: each pipeline's batches go to its replicas in turn."""

    def __init__(self, strategy, pipelines):
        super().__init__(strategy, pipelines, dealt=True)


class DistributedIterator(Argument):
    """A place in one pass over a distributed dataset; its elements hold values for each replica."""

    def __init__(self, dataset, sources):
        self._strategy = dataset._strategy
        self._sources = sources
        self._dealt = dataset._dealt
        self.element_spec, self._declared = dataset.element_spec, dataset._form

    @property
    def _form(self):
        if not self._declared.ranked:
            self._declared = self._declared.with_ranks(nest.flatten(self._sources[0]._form.spec))
        return self._declared

    def __iter__(self):
        return self

    def __next__(self):
        count = self._strategy.num_replicas_in_sync
        if count == 1:
            return next(self._sources[0])
        if _native.is_tracing() and self._declared.specs is not None:
            return self._form.next_in_graph(self._taken)
        if self._dealt:
            return self._deal(count)
        element = next(self._sources[0])
        flat = nest.flatten(element)
        apart = [_composites.is_composite(one) for one in flat]
        shares = iter(self._strategy._native.split([convert_to_tensor(one) for one, kind in zip(flat, apart) if not kind]))
        shares = [_shares(one, count) if kind else next(shares) for one, kind in zip(flat, apart)]
        return nest._pack(element, iter([
            PerReplica(share) if isinstance(share, tuple) else PerReplica((share,) * count)
            for share in shares]))

    def _taken(self):
        scope = _native.EagerScope()
        scope.enter()
        try:
            element = next(self, None)
        finally:
            scope.exit()
        if element is None:
            return None
        return [convert_to_tensor(value) for one in nest.flatten(element)
                for column in zip(*(nest.flatten(_composites.apart(value)) for value in getattr(one, "_values", [one])))
                for value in column]

    def _deal(self, count):
        elements = [next(self._sources[r * len(self._sources) // count], None) for r in range(count)]
        like = next((one for one in elements if one is not None), None)
        if like is None:
            raise StopIteration
        columns = []
        for place, first in enumerate(nest.flatten(like)):
            columns.append(PerReplica([
                _rows_between(first, 0, 0) if one is None else nest.flatten(one)[place] for one in elements]))
        return nest._pack(like, iter(columns))

    def get_next(self):
        try:
            return next(self)
        except StopIteration:
            raise errors.OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self):
        """An optional with the next element, or with none at the end."""
        if self._strategy.num_replicas_in_sync == 1:
            return self._sources[0].get_next_as_optional()
        if _native.is_tracing() and self._declared.specs is not None:
            return self._form.optional_in_graph(self._taken)
        from ..experimental import Optional
        try:
            return Optional(next(self), True)
        except StopIteration:
            return Optional.empty(self.element_spec)
