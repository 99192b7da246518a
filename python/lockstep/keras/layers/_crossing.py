"""Categories crossed with each other."""

import numpy

from ..._dtypes import as_dtype
from ..._sparse_crosses import DEFAULT_KEY, fingerprints, joined
from ..._tensor import convert_to_tensor
from .. import backend
from ._category_rows import check_choice, encode_categories, PreprocessingLayer

class HashedCrossing(PreprocessingLayer):
    """Whole numbers or texts of several inputs, place by place, as one number below `num_bins`: the hash of all of them,
    TensorFlow's. Shapes: inputs (), [n] or [n, 1]; result the same, or with output_mode "one_hot" [n, num_bins].

    Raises: ValueError for other modes, less than two inputs, and other shapes and dtypes."""

    def __init__(self, num_bins, output_mode="int", sparse=False, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype or ("int64" if output_mode == "int" else backend.floatx()), **kwargs)
        check_choice(self, "output_mode", output_mode, ("int", "one_hot"))
        self.num_bins, self.output_mode, self.sparse = int(num_bins), output_mode, sparse

    def __call__(self, inputs, *args, **kwargs):
        from .._symbols import has_symbols
        if isinstance(inputs, (list, tuple)) and not has_symbols(inputs):
            inputs = [convert_to_tensor(one) if isinstance(one, (str, bytes, int, list, numpy.ndarray)) else one for one in inputs]
        return super().__call__(inputs, *args, **kwargs)

    def call(self, inputs):
        self._check(inputs)
        shape = list(inputs[0]._shape)
        if any(one._symbolic for one in inputs):
            from ..._host_calls import _on_host
            made = _on_host(lambda *ones: self._crossed(ones), list(inputs), shape, as_dtype("int64"))
        else:
            made = self._crossed(inputs)
        return encode_categories(made, self.output_mode, self.num_bins, self.dtype, self.sparse)

    def _check(self, inputs):
        if not isinstance(inputs, (list, tuple)):
            raise ValueError(f"`HashedCrossing` should be called on a list or tuple of inputs. Received: inputs={inputs}")
        if len(inputs) < 2:
            raise ValueError(f"`HashedCrossing` should be called on at least two inputs. Received: inputs={inputs}")
        if any(not hasattr(one, "_shape") or hasattr(one, "flat_values") or hasattr(one, "indices") for one in inputs):
            raise ValueError(f"All `HashedCrossing` inputs should be dense tensors. Received: inputs={inputs}")
        first = tuple(inputs[0]._shape)
        for one in inputs:
            if tuple(one._shape) != first:
                raise ValueError(f"All `HashedCrossing` inputs should have equal shape. Received: inputs={inputs}")
            if not one.dtype.is_integer and one.dtype.name != "string":
                raise ValueError("All `HashedCrossing` inputs should have an integer or string dtype. "
                                 f"Received: inputs={inputs}")
        if len(first) > 2 or len(first) == 2 and first[1] != 1:
            raise ValueError("All `HashedCrossing` inputs should have shape `()`, `(batch_size)` or `(batch_size, 1)`. "
                             f"Received: inputs={inputs}")

    def _crossed(self, inputs):
        """The number of each place, int64."""
        made = numpy.full(inputs[0]._size, DEFAULT_KEY, "uint64")
        for one in inputs:
            made = joined(made, fingerprints(one))
        made = (made % numpy.uint64(self.num_bins)).astype("int64")
        return convert_to_tensor(made.reshape(tuple(inputs[0]._shape)))

    def get_config(self):
        return {"num_bins": self.num_bins, "output_mode": self.output_mode, "sparse": self.sparse, "name": self.name,
                "dtype": self.dtype}
