"""Gradients of several workers that are gathered until there are enough: `tf.compat.v1.ConditionalAccumulator`."""

import collections

from ... import _native
from ..._dtypes import TensorShape, as_dtype
from ..._run_shapes import unknown_ranks
from ..._tensor import IndexedSlices, convert_to_tensor, named
from ...queue import shared_object, shared_op

SparseAccumulatorTakeGradient = collections.namedtuple("SparseAccumulatorTakeGradient", "indices values shape")


class ConditionalAccumulatorBase:
    """What both kinds have. A gradient whose step is before the accumulator's is dropped, and each time that gradients are
    taken the accumulator's step grows by one."""

    _sparse = False

    def __init__(self, dtype, shape, shared_name, name, reduction_type):
        if reduction_type not in ("MEAN", "SUM"):
            raise ValueError(f"Attr 'reduction_type' of 'ResourceConditionalAccumulator' Op passed string "
                             f"'{reduction_type}' not in: \"MEAN\", \"SUM\".")
        self._dtype, self._shape = as_dtype(dtype), TensorShape(shape)
        known = self._shape.rank is not None
        self._handle, self._name = shared_object(
            "accumulator", name, shared_name, [(self._dtype, self._shape.as_list() if known else [])],
            {"has_shape": ("b", known and not (self._sparse and self._shape.rank == 0)),
             "sparse": ("b", self._sparse), "reduction_type": ("s", reduction_type.encode())})

    accumulator_ref = property(lambda self: self._handle)
    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)

    def num_accumulated(self, name=None):
        """How many gradients are there, int32."""
        made, = _native.emit("AccumulatorNumAccumulated", [self._handle], {})
        return named(made, name or f"{self._name}_NumAccumulated") if _native.is_tracing() else made

    def set_global_step(self, new_global_step, name=None):
        """Sets the step: earlier gradients are dropped from now on."""
        return shared_op("AccumulatorSetGlobalStep", self._handle, [_step(new_global_step)], name or "SetGlobalStep")

    def _apply(self, inputs, local_step, name):
        return shared_op("AccumulatorApplyGradient", self._handle, [_step(local_step), *inputs],
                         name or "AccumulatorApplyGradient")

    def _take(self, num_required, types, name):
        count = convert_to_tensor(num_required, dtype="int32")
        return shared_op("AccumulatorTakeGradient", self._handle, [count], name or "AccumulatorTakeGradient", types)


def _step(value):
    from ...ops_math import cast
    return cast(convert_to_tensor(value), "int64")


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Gradients of one shape. Their mean or sum does not depend on the order in which they have come.

    Args: shape: of the gradients; unknown where it is None; reduction_type: "MEAN" or "SUM".
    Source: tf.compat.v1.ConditionalAccumulator."""

    def __init__(self, dtype, shape=None, shared_name=None, name="conditional_accumulator", reduction_type="MEAN"):
        super().__init__(dtype, shape, shared_name, name, reduction_type)
        self._seen = None

    def apply_grad(self, grad, local_step=0, name=None):
        """Adds a gradient. Raises: InvalidArgumentError for another shape."""
        grad = convert_to_tensor(grad, dtype=self._dtype)
        self._seen = list(grad._shape)
        if self._shape.rank is not None and grad._id not in unknown_ranks and not self._shape.is_compatible_with(grad._shape):
            raise ValueError(f"Shapes {self._shape} and {TensorShape(grad._shape)} are incompatible")
        return self._apply([grad], local_step, name)

    def take_grad(self, num_required, name=None):
        """Their mean or sum, when there are `num_required` and more; then there are none."""
        shape = self._shape.as_list() if self._shape.rank is not None else self._seen
        if shape is None and _native.is_tracing():
            raise ValueError(f"'{self._name}' needs the shape of its gradients in a graph; got none, and no apply_grad "
                             "before; give `shape=`")
        return self._take(num_required, [(self._dtype, shape or [])], name)[0]


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Gradients of some rows each. The mean of a row is over the gradients that have it.

    Source: tf.compat.v1.SparseConditionalAccumulator."""

    _sparse = True

    def __init__(self, dtype, shape=None, shared_name=None, name="sparse_conditional_accumulator", reduction_type="MEAN"):
        super().__init__(dtype, shape, shared_name, name, reduction_type)
        self._seen = None

    def apply_indexed_slices_grad(self, grad, local_step=0, name=None):
        """Adds a gradient that is `IndexedSlices`."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(self, grad_indices, grad_values, grad_shape=None, local_step=0, name=None):
        """Adds a gradient: `grad_values[i]` is row `grad_indices[i]`. Raises: InvalidArgumentError for rows that are none."""
        from ...ops_array import zeros
        from ...ops_math import cast
        indices = cast(convert_to_tensor(grad_indices), "int64")
        values = convert_to_tensor(grad_values, dtype=self._dtype)
        shape = zeros([0], "int64") if grad_shape is None else cast(convert_to_tensor(grad_shape), "int64")
        self._seen = list(values._shape)[1:]
        return self._apply([indices, values, shape], local_step, name)

    def take_grad(self, num_required, name=None):
        """(indices, values, shape) of the rows, when there are `num_required` gradients and more."""
        if self._shape.rank:
            rest = self._shape.as_list()[1:]
        elif self._seen is not None or not _native.is_tracing():
            rest = self._seen or []
        else:
            raise ValueError(f"'{self._name}' needs the shape of its gradients in a graph; got none, and no apply_grad "
                             "before; give `shape=`")
        int64 = as_dtype("int64")
        return SparseAccumulatorTakeGradient(*self._take(
            num_required, [(int64, [None]), (self._dtype, [None, *rest]), (int64, [1 + len(rest)])], name))

    def take_indexed_slices_grad(self, num_required, name=None):
        """The same as `IndexedSlices`."""
        taken = self.take_grad(num_required, name)
        return IndexedSlices(values=taken.values, indices=taken.indices, dense_shape=taken.shape)
