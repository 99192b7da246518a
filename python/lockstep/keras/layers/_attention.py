"""Layers that look up values by keys."""

from ... import _native, math, ops_array
from ..._axes import axis_of
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
    return math.tanh(scale * (ops_array.expand_dims(query, -2) + ops_array.expand_dims(key, -3)))


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
        self.attention_axes = (attention_axes,) if isinstance(attention_axes, int) else \
            None if attention_axes is None else tuple(attention_axes)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self._seed_given = seed

    def _options(self):
        # Keras makes each kernel's initializer anew when it builds: of query, key, value; then the seed of the dropout.
        kernels = [self._kernel_anew([0]) for _ in range(3)]
        drawn = _seed(self._seed_given) if self.dropout else None
        kernels.append(self._kernel_anew([0, 1]))
        return _given(num_heads=self.num_heads, key_dim=self.key_dim, value_dim=self.value_dim,
                      dropout=float(self.dropout), use_bias=self.use_bias,
                      output_shape=None if self._output_size is None else self._output_sizes(()), seed=drawn,
                      kernel_initializer=initializers.one_after_another(kernels),
                      bias_initializer=initializers.native(self.bias_initializer))

    def _kernel_anew(self, inputs):
        first = self.kernel_initializer
        made = type(first).from_config(first.get_config()) if isinstance(first, initializers.Initializer) else first
        return initializers.of_axes(made, inputs)

    def _output_sizes(self, query_shape):
        """The sizes of the result's axes behind those of the steps."""
        size = self._output_size
        return list(query_shape[-1:]) if size is None else [int(one) for one in size] if isinstance(
            size, (list, tuple)) else [int(size)]

    def build(self, query_shape, value_shape=None, key_shape=None):
        """Makes the weights for a query, a value and a key of these shapes; by default the key's is the value's."""
        value_shape = query_shape if value_shape is None else value_shape
        shapes = [query_shape, value_shape, value_shape if key_shape is None else key_shape]
        self._build_on([(one[0], None, one[-1]) if len(one) > 3 else one for one in shapes])

    def compute_output_shape(self, query_shape, value_shape, key_shape=None):
        return (*query_shape[:-1], *self._output_sizes(query_shape))

    def _run_attention(self, inputs, mask, causal, training):
        """The result for [query, value, key] of shapes [n, steps, features]."""
        call = self._impl.call_causal if causal else self._impl.call
        return call(inputs if mask is None else [*inputs, mask], bool(training))

    def _attend_along_axes(self, inputs, mask, causal, training):
        """Attention along `attention_axes` of inputs with more than one axis of steps: the other axes become part of the batch,
        the attention axes become one."""
        rank = inputs[0]._rank
        axes = self.attention_axes or tuple(range(1, rank - 1))
        axes = [axis_of(axis, rank) for axis in axes]
        others = [axis for axis in range(rank - 1) if axis not in axes]
        order = others + axes + [rank - 1]
        rows, shapes = [], []
        for one in inputs:
            shape = ops_array.shape(one)
            steps = math.reduce_prod(ops_array.gather(shape, axes))
            rows.append(ops_array.reshape(ops_array.transpose(one, order), ops_array.stack([-1, steps, shape[-1]])))
            shapes.append(shape)
        if mask is not None:
            while mask._rank < len(others) + 2 * len(axes):
                mask = ops_array.expand_dims(mask, -2 * len(axes) - 1)
            ahead = ops_array.gather(shapes[0], others)
            ends = ops_array.concat([ops_array.gather(shapes[0], axes), ops_array.gather(shapes[1], axes)], 0)
            mask = ops_array.broadcast_to(mask, ops_array.concat([ahead, ends], 0))
            mask = ops_array.reshape(mask, ops_array.stack([-1, rows[0]._shape[1] or ops_array.shape(rows[0])[1],
                                                            rows[1]._shape[1] or ops_array.shape(rows[1])[1]]))
        made = self._run_attention(rows, mask, causal, training)
        sizes = self._output_sizes(inputs[0]._shape)
        made = ops_array.reshape(made, ops_array.concat([ops_array.gather(shapes[0], others + axes), sizes], 0))
        back = [(others + axes).index(axis) for axis in range(rank - 1)]
        return ops_array.transpose(made, back + list(range(rank - 1, rank - 1 + len(sizes))))

    def call(self, query, value, key=None, query_mask=None, value_mask=None, key_mask=None,
             attention_mask=None, return_attention_scores=False, training=False,
             use_causal_mask=False):
        inputs = [self._computing(one) for one in (query, value, value if key is None else key)]
        masks = [attention_mask] + [None if one is None else ops_array.expand_dims(_bools(one), axis)
                                    for one, axis in ((query_mask, -1), (value_mask, -2), (key_mask, -2))]
        if inputs[0]._rank != 3:
            if return_attention_scores:
                raise NotImplementedError(f"[{self.name}] return_attention_scores needs inputs of 3 axes; got "
                                          f"{inputs[0].shape}")
            return self._attend_along_axes(inputs, _joined(masks), use_causal_mask, training)
        if return_attention_scores:
            return self._with_scores(inputs, _joined(masks + [_causal(inputs) if use_causal_mask else None]), training)
        return self._run_attention(inputs, _joined(masks), use_causal_mask, training)

    def _with_scores(self, inputs, mask, training):
        """(result, scores [n, heads, t, s]), op by op with the weights of the native layer, which keeps no scores."""
        from ... import nn, ops_math
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
        made = ops_math.tensordot(made, parts[3][0], 2)
        return made + parts[3][1] if self.use_bias else made, scores


class Attention(NativeLayer):
    """softmax(query key^T) value. Inputs: [query, value] or [query, value, key]."""

    _kind = "Attention"
    _passes_masks = True

    def __init__(self, use_scale=False, score_mode="dot", dropout=0.0, seed=None, **kwargs):
        super().__init__(**kwargs)
        if score_mode not in ("dot", "concat"):
            raise ValueError(f"Invalid value for argument score_mode. Expected one of {{'dot', 'concat'}}. Received: score_mode="
                             f"{score_mode}")
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
