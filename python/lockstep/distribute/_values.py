"""Values of which each replica has one."""

import enum

from .. import _native, nest
from .._composites import Parts, apart, map_found, open_rows, whole
from .._tensor import IndexedSlices, convert_to_tensor


class ReduceOp(enum.Enum):
    """How values of replicas become one."""
    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation):
        return ReduceOp.MEAN if aggregation.name == "MEAN" else ReduceOp.SUM


def reduce_number(op):
    if isinstance(op, str):
        op = op.upper()
        if op not in ("SUM", "MEAN"):
            raise ValueError(f"{op!r} is not a valid ReduceOp: it must be SUM or MEAN")
        return 0 if op == "SUM" else 1
    if not isinstance(op, ReduceOp):
        raise TypeError(f"Expected type of `op` to be `tf.distribute.ReduceOp`, but got {type(op)}")
    return 0 if op is ReduceOp.SUM else 1


class DistributedValues:
    """A value for each replica."""


class _PerReplicaParts(Parts):
    """A value for each replica."""

    def whole(self):
        return local_value(PerReplica(map(whole, self)))

    def open_rows(self):
        return open_rows(list(self))


spread = []  # of the newest strategy over several workers: a weak reference


def own_replicas(count):
    """Which of so many replicas this process has, [first, last)."""
    strategy = spread[0]() if spread else None
    return strategy._native.local_replicas if strategy is not None and strategy.num_replicas_in_sync == count else (0, count)


def for_each_replica(structures, wrapped=True):
    """One structure of PerReplica values of these, one for each replica."""
    rows = zip(*(nest.flatten(one) for one in structures))
    return nest._pack(structures[0], iter([PerReplica(row, wrapped) for row in rows]))


class PerReplica(DistributedValues):
    """A value for each replica, in their order. It shows those of this worker; where that is a single one, it can be used as
    that one."""

    def __init__(self, values, wrapped=False):
        self._values, self._wrapped = tuple(values), wrapped

    @property
    def _type_spec(self):
        from .._type_specs import type_spec_from_value
        return PerReplicaSpec(*[type_spec_from_value(one) for one in self._values])

    @property
    def values(self):
        """Those of this worker's replicas."""
        first, last = own_replicas(len(self._values))
        return self._values[first:last]

    @property
    def dtype(self):
        return self._values[0].dtype

    @property
    def shape(self):
        return self._values[0].shape

    def __getattr__(self, name):
        if name.startswith("_") or len(self.values) != 1:
            raise AttributeError(f"'PerReplica' object has no attribute {name!r}")
        return getattr(self.__tensor__(), name)

    def _key_parts(self):
        """The values as arguments of a function, which is traced once for all of a kind."""
        return _PerReplicaParts(*map_found(list(self._values), lambda one: hasattr(type(one), "_key_parts"),
                                           lambda one: one._key_parts()))

    def _carried(self):
        return list(self._values)

    def _carrying(self, values):
        return PerReplica(values)

    def __tensor__(self):
        own = self.values
        if len(own) == 1:
            return convert_to_tensor(own[0])
        raise ValueError("Attempt to convert a value that differs on each replica (PerReplica) to a "
                         "Tensor; use strategy.reduce(...), strategy.gather(...) or "
                         "strategy.experimental_local_results(...)")

    def _one(self, problem):
        """The tensor of the single replica that this worker has. Raises: TypeError where there are several."""
        if len(self.values) != 1:
            raise TypeError(f"{problem}; it has a value for each of {len(self.values)} replicas: use strategy.reduce(...), "
                            "strategy.gather(...) or strategy.experimental_local_results(...)")
        return self.__tensor__()

    def __float__(self):
        return float(self._one("float() argument must be a string or a real number, not 'PerReplica'"))

    def __int__(self):
        return int(self._one("int() argument must be a string, a bytes-like object or a real number, not 'PerReplica'"))

    def __getitem__(self, key):
        return self._one("'PerReplica' object is not subscriptable")[key]

    def __iter__(self):
        return iter(self._one("'PerReplica' object is not iterable"))

    def __len__(self):
        return len(self._one("object of type 'PerReplica' has no len()"))

    def __bool__(self):
        return bool(self.__tensor__()) if len(self.values) == 1 else True

    def __format__(self, how):
        return format(self.__tensor__(), how) if how or len(self.values) == 1 else str(self)

    def __repr__(self):
        return self._text(repr)

    def __str__(self):
        return self._text(str)

    def _text(self, text):
        own = self.values
        if len(own) == 1 < len(self._values) and not self._wrapped:
            return text(own[0])
        return "PerReplica:{\n" + ",\n".join(f"  {i}: {text(one)}" for i, one in enumerate(own)) + "\n}"


def _give_operators():
    def operator(name):
        def apply(self, *others):
            return getattr(self.__tensor__(), name)(*others) if len(self.values) == 1 else NotImplemented
        return apply
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
        for one in (f"__{name}__", f"__r{name}__"):
            setattr(PerReplica, one, operator(one))
    for one in ("neg", "abs", "lt", "le", "gt", "ge"):
        setattr(PerReplica, f"__{one}__", operator(f"__{one}__"))


_give_operators()


def local_value(value):
    """A value of one replica as it is; `PerReplica` of several stays."""
    if isinstance(value, PerReplica) and len(value._values) == 1:
        return value._values[0]
    return value


def map_values(function, value):
    if isinstance(value, (list, tuple)) and not isinstance(value, PerReplica):
        return nest._like(value, [map_values(function, one) for one in value])
    if isinstance(value, dict):
        return {key: map_values(function, one) for key, one in value.items()}
    return function(value)


def plain(leaf):
    """What the native strategy takes: a tuple with a tensor for each replica, or one tensor."""
    if isinstance(leaf, PerReplica):
        if len(leaf._values) == 1:
            return row_of(leaf._values[0])
        return tuple(row_of(one) for one in leaf._values)
    return row_of(leaf)


def dividable(op, value):
    """What a mean is taken of: integers as the floats that their quotients are."""
    if isinstance(value, tuple):
        return tuple(dividable(op, one) for one in value)
    return value / 1 if op == 1 and value.dtype.is_integer else value


def are_open_slices(value):
    """Whether these are several replicas' slices of a tensor whose shape is not known."""
    return isinstance(value, PerReplica) and len(value._values) > 1 and all(
        isinstance(one, IndexedSlices) and one.dense_shape is None for one in value._values)


def dense(value):
    """Tensors in place of the slices of replicas."""
    if isinstance(value, PerReplica) and any(isinstance(one, IndexedSlices) for one in value._values):
        return PerReplica(map(convert_to_tensor, value._values))
    return value


def row_of(one):
    if isinstance(one, IndexedSlices):
        return one._row()
    return convert_to_tensor(one)


class PerReplicaSpec:
    """What a value of each replica looks like: a TensorSpec for each, all alike."""

    def __init__(self, *value_specs):
        self._value_specs = value_specs

    shape = property(lambda self: self._value_specs[0].shape)
    dtype = property(lambda self: self._value_specs[0].dtype)
    _component_specs = property(lambda self: nest.flatten(apart(list(self._value_specs))))

    def is_compatible_with(self, value):
        """Whether these are values that fit, one for each replica."""
        parts = getattr(value, "_values", None)
        return isinstance(value, PerReplica) and len(parts) == len(self._value_specs) and all(
            spec.is_compatible_with(one) for spec, one in zip(self._value_specs, parts))

    def __eq__(self, other):
        return isinstance(other, PerReplicaSpec) and self._value_specs == other._value_specs

    def __hash__(self):
        return hash(self._value_specs)

    def __repr__(self):
        return f"PerReplicaSpec({', '.join(map(repr, self._value_specs))})"
