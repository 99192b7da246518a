"""Layers that look up values by keys."""

from ... import _native
from ..._dtypes import as_dtype
from ..._tensor import convert_to_tensor
from .. import initializers
from .._native_layer import NativeLayer
from ._arguments import _given, _seed


def _bools(mask):
    return _native.cast(convert_to_tensor(mask), as_dtype("bool"))


def _causal(inputs):
    """Which keys each query may see: itself and those before it. Shape: [1, queries, keys]."""
    from ...ops_array import band_part, expand_dims, ones
    return expand_dims(_bools(band_part(ones((inputs[0]._shape[1], inputs[1]._shape[1])), -1, 0)), 0)


def _joined(masks):
    """What all masks let through; None: everything."""
    made = None
    for one in masks:
        if one is not None:
            made = _bools(one) if made is None else _native.logical_and(made, _bools(one))
    return made


def _tanh_of_sums(query, key, scale=1.0):
    """tanh(scale * (query + key)) of each query and each key: [n, t, s, features]."""
    from ... import math
    from ...ops_array import expand_dims
    return math.tanh(scale * (expand_dims(query, -2) + expand_dims(key, -3)))


class MultiHeadAttention(NativeLayer):
    """Several heads that look for keys that fit their queries. Shapes: query [n, t, d], value [n, s, e],
    key [n, s, d]; result [n, t, d]."""

    _kind = "MultiHeadAttention"
    _passes_masks = True

    def __init__(self, num_heads, key_dim, value_dim=None, dropout=0.0, use_bias=True,
                 output_shape=None, attention_axes=None, flash_attention=None,
                 kernel_initializer="glorot_uniform", bias_initializer="zeros", seed=None, **kwargs):
        super().__init__(**kwargs)
        self.num_heads, self.key_dim, self.value_dim = num_heads, key_dim, value_dim
        self.dropout, self.use_bias, self._output_size = dropout, use_bias, output_shape
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self._causal = False
        self._seed_given = seed

    def _options(self):
        # Keras makes each kernel's initializer anew when it builds: of query, key, value; then the seed of the dropout.
        kernels = [self._kernel_anew([0]) for _ in range(3)]
        drawn = _seed(self._seed_given) if self.dropout else None
        kernels.append(self._kernel_anew([0, 1]))
        return _given(num_heads=self.num_heads, key_dim=self.key_dim, value_dim=self.value_dim,
                      dropout=float(self.dropout), use_bias=self.use_bias,
                      output_shape=self._output_size, use_causal_mask=self._causal, seed=drawn,
                      kernel_initializer=initializers.one_after_another(kernels),
                      bias_initializer=initializers.native(self.bias_initializer))

    def _kernel_anew(self, inputs):
        first = self.kernel_initializer
        made = type(first).from_config(first.get_config()) if isinstance(first, initializers.Initializer) else first
        return initializers.of_axes(made, inputs)

    def build(self, query_shape, value_shape=None, key_shape=None):
        """For a query, a value and a key of these shapes; a key is like the value, where it is not given."""
        value_shape = query_shape if value_shape is None else value_shape
        self._build_on([query_shape, value_shape, value_shape if key_shape is None else key_shape])

    def compute_output_shape(self, query_shape, value_shape, key_shape=None):
        size = self._output_size
        last = query_shape[-1:] if size is None else size if isinstance(size, (list, tuple)) else (size,)
        return (*query_shape[:-1], *last)

    def call(self, query, value, key=None, query_mask=None, value_mask=None, key_mask=None,
             attention_mask=None, return_attention_scores=False, training=False,
             use_causal_mask=False):
        if use_causal_mask and self._impl_layer is None and not return_attention_scores:
            object.__setattr__(self, "_causal", True)
        inputs = [self._computing(one) for one in (query, value, value if key is None else key)]
        from ...ops_array import expand_dims
        causal = use_causal_mask and (return_attention_scores or not self._causal)
        masks = [attention_mask, _causal(inputs) if causal else None]
        masks += [one if one is None else expand_dims(_bools(one), axis) for one, axis in (
            (query_mask, -1), (value_mask, -2), (key_mask, -2))]
        mask = _joined(masks)
        if return_attention_scores:
            return self._with_scores(inputs, mask, training)
        if mask is not None:
            inputs.append(mask)
        return self._run(inputs, training)

    def _with_scores(self, inputs, mask, training):
        """(result, scores [n, heads, t, s]), op by op with the weights of the native layer, which keeps no scores."""
        from ... import nn, ops_array, ops_math
        if not self._impl.built:
            self._impl.call(inputs, False)
        weights = [self._wrap(native, constraint) for native, _, constraint in self._impl.weights()]
        each = 2 if self.use_bias else 1
        parts = [weights[i * each:(i + 1) * each] for i in range(4)]

        def projected(x, part):
            made = ops_math.einsum("abc,cde->abde", x, part[0])
            return made + part[1] if self.use_bias else made
        query, value, key = inputs
        query, key, value = (projected(x, part) for x, part in zip((query, key, value), parts))
        scores = ops_math.einsum("aecd,abcd->acbe", key, query * (1.0 / float(self.key_dim) ** 0.5))
        if mask is not None:
            hidden = 1.0 - _native.cast(ops_array.expand_dims(mask, 1), scores.dtype)
            scores = scores + hidden * -3.4e38 / 2
        scores = nn.softmax(scores)
        kept = nn.dropout(scores, self.dropout) if training and self.dropout else scores
        made = ops_math.einsum("acbe,aecd->abcd", kept, value)
        made = ops_math.einsum("abcd,cde->abe", made, parts[3][0])
        return made + parts[3][1] if self.use_bias else made, scores


class Attention(NativeLayer):
    """softmax(query key^T) value. Inputs: [query, value] or [query, value, key]."""

    _kind = "Attention"
    _passes_masks = True

    def __init__(self, use_scale=False, score_mode="dot", dropout=0.0, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.use_scale, self.score_mode, self.dropout = use_scale, score_mode, dropout
        self._drawn = _seed(seed) if dropout else None

    def _options(self):
        return _given(use_scale=self.use_scale, dropout=float(self.dropout), concat_scores=self.score_mode == "concat",
                      seed=self._drawn)

    def call(self, inputs, mask=None, training=False, return_attention_scores=False,
             use_causal_mask=False):
        from ...ops_array import expand_dims
        inputs = [self._taken(one) for one in inputs]
        of_query, of_value = (list(mask) + [None])[:2] if isinstance(mask, (list, tuple)) else (None, mask)
        joined = _joined([None if of_value is None else expand_dims(_bools(of_value), -2),
                          _causal(inputs) if use_causal_mask else None])
        if return_attention_scores:
            made, scores = self._with_scores(inputs, joined, training)
        else:
            made = self._run(inputs + ([] if joined is None else [joined]), training)
        if of_query is not None:
            made = made * _native.cast(expand_dims(_bools(of_query), -1), made.dtype)
        return (made, scores) if return_attention_scores else made

    def _taken(self, one):
        return convert_to_tensor(one)

    def _with_scores(self, inputs, mask, training):
        """(result, scores [n, t, s]), op by op with the weights of the native layer, which keeps no scores."""
        from ... import nn, ops_math
        if not self._impl.built:
            self._impl.call(inputs, False)
        scores = self._scores(inputs[0], inputs[-1], self._own_variables())
        if mask is not None:
            scores = scores - 1e9 * (1.0 - _native.cast(mask, scores.dtype))
        scores = nn.softmax(scores)
        if training and self.dropout:
            scores = nn.dropout(scores, self.dropout)
        return ops_math.matmul(scores, inputs[1]), scores

    def _scores(self, query, key, weights):
        """How well keys fit queries, before the softmax: [n, t, s]."""
        from ... import ops_math
        if self.score_mode == "concat":
            return weights[-1] * ops_math.reduce_sum(_tanh_of_sums(query, key, *weights[:-1]), -1)
        made = ops_math.matmul(query, key, transpose_b=True)
        return made * weights[0] if weights else made

    def build(self, input_shape):
        """For [query, value] or [query, value, key] of these shapes."""
        self._build_on(list(input_shape))

    def compute_mask(self, inputs, mask=None):
        return mask[0] if isinstance(mask, (list, tuple)) else None


class AdditiveAttention(Attention):
    """The same with the scores sum(scale * tanh(query + key))."""

    _kind = "AdditiveAttention"

    def __init__(self, use_scale=True, dropout=0.0, **kwargs):
        super().__init__(use_scale, "dot", dropout, **kwargs)

    def _taken(self, one):
        return self._computing(one)

    def _scores(self, query, key, weights):
        from ... import ops_math
        made = _tanh_of_sums(query, key)
        return ops_math.reduce_sum(made * weights[0] if weights else made, -1)
