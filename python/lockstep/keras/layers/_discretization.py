"""Discretization: numbers as the numbers of their bins.

`adapt` learns boundaries from a summary of the data: values in rising order, each with the count of data that it stands
for. The summary of each batch is merged into that of all batches before and compressed to about 1 / epsilon values, so
the data needs to be read once and is not kept. The boundaries are the quantiles of the last summary."""

import numpy

from ... import errors, ops_array
from ..._dtypes import as_dtype
from ..._composites import values_of, with_values
from ..._tensor import Tensor, convert_to_tensor
from .. import backend
from .._symbol_parts import is_value
from ._category_rows import check_choice, encode_categories, PreprocessingLayer


def _summary(values, epsilon):
    """Values and counts of one batch, float32 [2, n]."""
    values = numpy.sort(numpy.reshape(values, [-1]))
    step = max(values.size / (1.0 / epsilon), 1)
    kept = values[int(step - 1)::int(step)]
    return numpy.stack([kept, numpy.ones_like(kept) * step])


def _compressed(summary, epsilon):
    """A summary with one value for each `epsilon` of the total count, interpolated between those there."""
    if summary.shape[1] * epsilon < 1:
        return summary
    shares = epsilon + numpy.arange(0.0, 1.0, epsilon)
    totals = summary[1].cumsum()
    known = totals / totals[-1]
    at_shares = numpy.interp(shares, known, totals)
    return numpy.stack([numpy.interp(shares, known, summary[0]), numpy.diff(at_shares, prepend=0)]).astype("float32")


def _merged(first, second, epsilon):
    both = numpy.concatenate((first, second), axis=1)
    return _compressed(both[:, numpy.argsort(both[0])], epsilon)


class Discretization(PreprocessingLayer):
    """The number of the bin in which a number lies. Bins begin at `bin_boundaries`, given or learned by `adapt`.

    Results: int32 of the input's shape; other modes: see `encode_categories`."""

    _untracked = ("summary", "bin_boundaries")

    def __init__(self, bin_boundaries=None, num_bins=None, epsilon=0.01, output_mode="int", sparse=False, dtype=None, name=None):
        super().__init__(name=name, dtype=dtype)
        if sparse and output_mode == "int":
            raise ValueError("`sparse=True` may only be used if `output_mode` is `'one_hot'`, `'multi_hot'`, or `'count'`. "
                             f"Received: sparse={sparse} and output_mode={output_mode}")
        check_choice(self, "output_mode", output_mode, ("int", "one_hot", "multi_hot", "count"))
        if num_bins is not None and num_bins < 0:
            raise ValueError(f"`num_bins` must be greater than or equal to 0. Received: `num_bins={num_bins}`")
        if num_bins is not None and bin_boundaries is not None:
            raise ValueError("Both `num_bins` and `bin_boundaries` should not be set. Received: "
                             f"`num_bins={num_bins}` and `bin_boundaries={bin_boundaries}`")
        if num_bins is None and bin_boundaries is None:
            raise ValueError("You need to set either `num_bins` or `bin_boundaries`.")
        self.bin_boundaries, self.num_bins, self.epsilon = bin_boundaries, num_bins, epsilon
        self.output_mode, self.sparse = output_mode, sparse
        self.reset_state()

    input_dtype = property(lambda self: backend.floatx())
    output_dtype = property(lambda self: "int32" if self.output_mode == "int" else self.compute_dtype)

    def adapt(self, data, steps=None):
        """Learns the boundaries of `num_bins` bins that hold about as many numbers each.

        data: an array, a tensor, or batches (a dataset or any iterable), of which the first `steps` are read.
        Raises: ValueError for a layer with given boundaries."""
        if self.num_bins is None:
            raise ValueError("Cannot adapt a Discretization layer that has been initialized with `bin_boundaries`, use "
                             "`num_bins` instead.")
        self.reset_state()
        whole = isinstance(data, (numpy.ndarray, Tensor)) or not hasattr(data, "__iter__")
        for place, batch in enumerate([data] if whole else data):
            if steps is not None and place >= steps and not whole:
                break
            self.update_state(batch)
        self.finalize_state()

    def update_state(self, data):
        """Adds a batch to the summary."""
        self.summary = _merged(_summary(numpy.array(data).astype("float32"), self.epsilon), self.summary, self.epsilon)

    def finalize_state(self):
        """Makes the boundaries of the summary."""
        if self.num_bins is not None:
            self.bin_boundaries = _compressed(self.summary, 1.0 / self.num_bins)[0, :-1].tolist()

    def reset_state(self):
        """Forgets the data seen."""
        self.summary = numpy.array([[], []], dtype="float32")

    def call(self, inputs):
        if self.bin_boundaries is None:
            raise ValueError("You need to either pass the `bin_boundaries` argument at construction time or call "
                             "`adapt(dataset)` before you can start using the `Discretization` layer.")
        bounds = numpy.asarray(self.bin_boundaries, "float32").reshape(-1)
        if (bounds[1:] < bounds[:-1]).any():
            raise errors.InvalidArgumentError(None, None, f"Expected sorted boundaries; got {self.bin_boundaries}")
        inputs = inputs if is_value(inputs) else convert_to_tensor(inputs)
        elements = values_of(inputs)
        flat = ops_array.reshape(_float32(elements), [-1])
        bins = _of_shape(ops_array.searchsorted(convert_to_tensor(bounds), flat, side="right"), elements)
        return encode_categories(with_values(inputs, bins), self.output_mode, len(bounds) + 1, self.output_dtype, self.sparse)

    def get_config(self):
        """What `from_config` makes the layer of again, learned boundaries included."""
        return {"bin_boundaries": self.bin_boundaries, "num_bins": self.num_bins, "epsilon": self.epsilon,
                "output_mode": self.output_mode, "sparse": self.sparse, "name": self.name, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config):
        """The layer that `get_config` describes."""
        config = dict(config)
        learned = config.pop("bin_boundaries", None) if config.get("num_bins") is not None else None
        made = cls(**config)
        made.bin_boundaries = learned if learned is not None else made.bin_boundaries
        return made


def _float32(tensor):
    from ... import ops_math
    return ops_math.cast(tensor, as_dtype("float32"))


def _of_shape(flat, like):
    known = list(like._shape)
    return ops_array.reshape(flat, known if None not in known and not like._symbolic else ops_array.shape(like))
