"""Rows of a table for whole numbers."""

from ... import _native
from ..._dtypes import as_dtype
from ..._tensor import Tensor
from ...ragged import RaggedTensor
from .. import _policy, constraints, initializers, regularizers
from .._native_layer import NativeLayer
from .._ops_sparse import dense
from .._symbol_parts import is_value
from ._arguments import _given, _positive
from ._lora import LowRank


class Embedding(LowRank, NativeLayer):
    """Row x[...] of a table [input_dim, output_dim]."""

    _kind = "Embedding"
    _adapted_weight = "embeddings"
    _takes_any = True

    def __init__(self, input_dim, output_dim, embeddings_initializer="uniform",
                 embeddings_regularizer=None, embeddings_constraint=None, mask_zero=False, weights=None,
                 lora_rank=None, lora_alpha=None, **kwargs):
        kwargs.pop("input_length", None)
        super().__init__(**kwargs)
        for name, size in (("input_dim", input_dim), ("output_dim", output_dim)):
            _positive(size, f"`{name}` must be a positive integer. Received: {name}={size} (of type {type(size).__name__}).")
        self.input_dim, self.output_dim, self.mask_zero = input_dim, output_dim, mask_zero
        self.supports_masking = bool(mask_zero)
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer = regularizers.get(embeddings_regularizer)
        self.embeddings_constraint = constraints.get(embeddings_constraint)
        self._set_lora(lora_rank, lora_alpha)
        if weights is not None:
            self.build()
            self.set_weights(weights if isinstance(weights, list) and len(weights) == 1 else [weights])

    def build(self, input_shape=None):
        """Makes the table; the shape of the inputs does not matter."""
        self._build_on([(None,) if input_shape is None else input_shape])

    def _run_adapted(self, inputs):
        from ... import ops_array
        return ops_array.gather(self._adapted(), inputs if inputs.dtype.is_integer else _native.cast(inputs, as_dtype("int32")))

    def _options(self):
        return _given(input_dim=self.input_dim, output_dim=self.output_dim,
                      embeddings_initializer=initializers.native(self.embeddings_initializer),
                      embeddings_regularizer=regularizers.native(self.embeddings_regularizer),
                      embeddings_constraint=constraints.native(self.embeddings_constraint))

    def compute_mask(self, inputs, mask=None):
        from .. import ops
        return ops.not_equal(inputs, 0) if self.mask_zero and not isinstance(inputs, RaggedTensor) else None

    def _cast_input(self, one):
        one = super()._cast_input(one)
        if (isinstance(one, Tensor) or is_value(one)) and not one.dtype.is_integer:
            return _policy.cast(one, as_dtype("int32"))
        return one

    def call(self, inputs, training=False):
        """Of a ragged tensor a ragged one of rows; of a sparse one row 0 at each place that is not kept."""
        if isinstance(inputs, RaggedTensor):
            return inputs.with_flat_values(self.call(inputs.flat_values, training))
        return super().call(dense(inputs), training)
