"""What is known of ragged tensors that are to come, and how they travel: `tf.RaggedTensorSpec`."""

from . import _refused, ops_array
from ._composites import Parts
from ._dtypes import TensorShape, as_dtype, int64
from ._function import TensorSpec
from ._tensor import convert_to_tensor


class RaggedTensorSpec:
    """The shape and dtype of a ragged tensor that is to come."""

    def __init__(self, shape=None, dtype="float32", ragged_rank=None, row_splits_dtype=int64, flat_values_spec=None):
        _refused.only("RaggedTensorSpec", flat_values_spec=(flat_values_spec, None))
        self.shape, self.dtype, self.row_splits_dtype = TensorShape(shape), as_dtype(dtype), as_dtype(row_splits_dtype)
        self.ragged_rank = self.shape.rank - 1 if ragged_rank is None else ragged_rank

    def _parts(self):
        tail = self.shape.as_list()[self.ragged_rank + 1:]
        rows = self.shape.as_list()[0] if self.ragged_rank else None
        splits = [TensorSpec([None if rows is None or i else rows + 1], self.row_splits_dtype)
                  for i in range(self.ragged_rank)]
        return RaggedParts(TensorSpec([None] + tail, self.dtype), *splits)

    @classmethod
    def from_value(cls, value):
        """The spec of a ragged tensor."""
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)

    def is_compatible_with(self, other):
        return self.dtype == other.dtype and self.shape.is_compatible_with(other.shape)

    def __eq__(self, other):
        return isinstance(other, RaggedTensorSpec) and repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        return f"RaggedTensorSpec({self.shape!r}, {self.dtype!r}, {self.ragged_rank}, {self.row_splits_dtype!r})"


class RaggedParts(Parts):
    """The flat values, then the splits from the outermost on; without splits a row of its own."""

    def whole(self):
        if isinstance(self[0], TensorSpec):
            return self
        from . import ragged
        made = self[0]
        for splits in reversed(self[1:]):
            made = ragged.RaggedTensor(made, splits, internal=True)
        return made

    def spec(self):
        depth = len(self) - 1
        splits = self[1].shape[0] if depth else None
        first = None if splits is None else splits - 1
        return RaggedTensorSpec([first] + [None] * depth + self[0].shape.as_list()[1:], self[0].dtype, depth,
                                self[1].dtype if depth else int64)

    def general(self):
        depth = len(self) - 1
        return RaggedTensorSpec([None] * (depth + 1) + list(self[0]._shape)[1:], self[0].dtype, depth,
                                self[1].dtype if depth else int64)._parts()

    def plain(self):
        return self.whole().numpy()

    def open_rows(self):
        """All but the outermost splits, which tell the number of rows."""
        return [place != 1 for place in range(len(self))]

    @classmethod
    def stacked(cls, rows):
        """The parts of a batch of such tensors."""
        import numpy
        values = ops_array.concat([one[0] for one in rows], 0)
        counts = [[one[1]._shape[0] - 1 if len(one) > 1 else one[0]._shape[0] for one in rows]]
        for level in range(1, len(rows[0])):
            counts.append(numpy.concatenate([numpy.diff(one[level].numpy()) for one in rows]))
        kind = rows[0][1].dtype if len(rows[0]) > 1 else int64
        return cls(values, *[convert_to_tensor(numpy.concatenate([[0], numpy.cumsum(one)]), dtype=kind) for one in counts])

    def rows(self):
        """The parts of its rows, one after another."""
        for row in self.whole():
            yield row._parts() if hasattr(row, "row_splits") else RaggedParts(row)

    def batch_spec(self, size):
        splits = TensorSpec([None if size is None else size + 1], self[1].dtype if len(self) > 1 else int64)
        return RaggedParts(TensorSpec([None] + self[0].shape.as_list()[1:], self[0].dtype), splits,
                           *[TensorSpec([None], one.dtype) for one in self[1:]])
