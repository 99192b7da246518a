"""Numbers and categories brought into the form that models want."""

from ... import _native
from ..._axes import axis_of
from ..._tensor import convert_to_tensor, Tensor
from .._layer import Layer
from ._category_rows import encode_categories, PreprocessingLayer


class Rescaling(Layer):
    """x * scale + offset."""

    _passes_masks = True

    def __init__(self, scale, offset=0.0, **kwargs):
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def call(self, inputs):
        inputs = self._computing(inputs)
        scale, offset = (_native.cast(convert_to_tensor(one), inputs.dtype) for one in (self.scale, self.offset))
        return inputs * scale + offset


class Normalization(Layer):
    """(x - mean) / sqrt(variance) along `axis`, or with `invert` the way back.

    Mean and variance are given, or those of data that `adapt` has seen, which are weights then. Raises: ValueError for
    one without the other."""

    _passes_masks = True

    def __init__(self, axis=-1, mean=None, variance=None, invert=False, **kwargs):
        super().__init__(**kwargs)
        self.axis = () if axis is None else tuple(axis) if isinstance(axis, (list, tuple)) else (axis,)
        self.invert = invert
        if (mean is None) != (variance is None):
            raise ValueError("When setting values directly, both `mean` and `variance` must be set. Received: "
                             f"mean={mean} and variance={variance}")
        self.input_mean, self.input_variance = mean, variance

    mean = property(lambda self: self._shown("mean"))
    variance = property(lambda self: self._shown("variance"))

    def _shown(self, name):
        """What is subtracted or divided by, in a shape that fits inputs; None before the layer is built."""
        if "_wide" not in self.__dict__:
            return None
        given = getattr(self, f"input_{name}")
        return self._fitting(getattr(self, f"adapt_{name}").value() if given is None else given, self._dtype)

    def _fitting(self, value, dtype):
        from ... import ops_array, ops_math
        value = convert_to_tensor(value)
        value = ops_array.reshape(value, self._wide) if value._rank else value
        return ops_math.cast(ops_array.broadcast_to(value, self._wide), dtype)

    def build(self, input_shape):
        if input_shape is None:
            return
        rank = len(input_shape)
        for axis in self.axis:
            if not -rank <= axis < rank:
                raise ValueError("All `axis` values must be in the range [-ndim, ndim). "
                                 f"Received inputs with ndim={rank}, while axis={self.axis}")
        self._kept = sorted(axis_of(axis, rank) for axis in self.axis)
        for axis in self._kept:
            if input_shape[axis] is None:
                raise ValueError("All `axis` values to be kept must have a known shape. "
                                 f"Received axis={self.axis}, inputs.shape={tuple(input_shape)}, "
                                 f"with unknown axis at index {axis}")
        self._reduced = tuple(axis for axis in range(rank) if axis not in self._kept)
        self._wide = [input_shape[axis] if axis in self._kept else 1 for axis in range(rank)]
        if self.input_mean is None and not self._own_weights:
            shape = [input_shape[axis] for axis in self._kept]
            self.adapt_mean = self.add_weight(shape, "zeros", trainable=False, name="mean")
            self.adapt_variance = self.add_weight(shape, "ones", trainable=False, name="variance")
            self.count = self.add_weight((), "zeros", dtype="int64", trainable=False, name="count")

    def adapt(self, data):
        """Computes mean and variance of `data`: an array, a tensor, or batches (a dataset, a `PyDataset`, or any iterable of
        arrays or tensors). Of a batch that is a tuple the first element counts.

        Raises: ValueError for kept axes whose sizes differ from those of the built layer, and for no batches; TypeError for
        elements that have no shape."""
        import numpy
        whole = isinstance(data, numpy.ndarray) or isinstance(data, Tensor)
        if whole:
            shape = tuple(data.shape)
        else:
            data, shape = self._batches_of(data)
        if not self.built:
            self.build(shape)
        for axis in self._kept:
            if shape[axis] != self._wide[axis]:
                raise ValueError("The layer was built with input_shape="
                                 f"{tuple(self._wide)}, but adapt() is being called with data with an incompatible "
                                 f"shape, data.shape={shape}")
        if whole:
            data = numpy.asarray(data)
            mean, variance = data.mean(self._reduced), data.var(self._reduced)
        else:
            mean, variance = self._of_batches(data)
        if self.input_mean is None:
            self.adapt_mean.assign(numpy.asarray(mean, "float32"))
            self.adapt_variance.assign(numpy.asarray(variance, "float32"))

    def _batches_of(self, data):
        """(an iterator over the batches of `data`, the shape of the first one)"""
        import itertools
        if getattr(data, "_is_dataset", False):
            spec = data.element_spec
            spec = spec[0] if isinstance(spec, tuple) else spec
            data = data.batch(128) if len(spec.shape) == 1 else data
        elif not hasattr(data, "__iter__"):
            raise TypeError(f"Unsupported data type: {type(data)}. `adapt` takes an array, a tensor, a dataset, a `PyDataset` "
                            "or an iterable of batches.")
        batches = (one[0] if isinstance(one, tuple) else one for one in data)
        first = next(batches, None)
        if first is None:
            raise ValueError("adapt() received an empty iterable (no batches). Expected at least one batch.")
        if not hasattr(first, "shape"):
            raise TypeError("adapt() expects an iterable of arrays or tensors with a `.shape`. Got an element of type "
                            f"{type(first).__name__}.")
        return itertools.chain([first], batches), tuple(first.shape)

    def _of_batches(self, batches):
        import numpy
        mean = variance = numpy.zeros([self._wide[axis] for axis in self._kept], "float32")
        seen = 0
        for batch in batches:
            batch = numpy.asarray(batch, "float32")
            for axis in self._kept:
                if batch.shape[axis] != self._wide[axis]:
                    raise ValueError("adapt() yielded a batch with incompatible shape. Expected "
                                     f"{tuple(self._wide)}, got {batch.shape}.")
            own_mean, own_variance = batch.mean(self._reduced), batch.var(self._reduced)
            count = int(numpy.prod([batch.shape[axis] for axis in self._reduced]))
            seen += count
            share = float(count) / seen
            joined = mean * (1.0 - share) + own_mean * share
            variance = (variance + (mean - joined) ** 2) * (1.0 - share) + (
                own_variance + (own_mean - joined) ** 2) * share
            mean = joined
        return mean, variance

    def call(self, inputs):
        from ... import ops_math
        inputs = self._computing(inputs)
        mean, variance = self.input_mean, self.input_variance
        if mean is None:
            mean, variance = self.adapt_mean.value(), self.adapt_variance.value()
        wide = [self._fitting(one, inputs.dtype) for one in (mean, variance)]
        scale = ops_math.maximum(ops_math.sqrt(wide[1]), 1e-7)
        return wide[0] + inputs * scale if self.invert else (inputs - wide[0]) / scale

    def get_config(self):
        import numpy
        own = {"axis": self.axis, "invert": self.invert, "mean": numpy.array(self.input_mean).tolist(),
               "variance": numpy.array(self.input_variance).tolist()}
        return {**{key: one for key, one in super().get_config().items() if key not in own}, **own}


class CategoryEncoding(PreprocessingLayer):
    """Integers as rows over `num_tokens` categories: one_hot, multi_hot or count, as `encode_categories` describes.

    count_weights: in mode "count" the numbers to add in place of 1, of the inputs' shape.
    Raises: ValueError for other modes and weights without mode "count"."""

    def __init__(self, num_tokens=None, output_mode="multi_hot", sparse=False, **kwargs):
        super().__init__(**kwargs)
        output_mode = "multi_hot" if output_mode == "binary" else output_mode
        if output_mode not in ("count", "one_hot", "multi_hot"):
            raise ValueError(f"Unknown arg for output_mode: {output_mode}")
        if num_tokens is None:
            raise ValueError("num_tokens must be set to use this layer. If the number of tokens is not known beforehand, use "
                             "the IntegerLookup layer instead.")
        if num_tokens < 1:
            raise ValueError(f"`num_tokens` must be >= 1. Received: num_tokens={num_tokens}.")
        self.num_tokens, self.output_mode, self.sparse = num_tokens, output_mode, sparse

    def call(self, inputs, count_weights=None):
        if count_weights is not None and self.output_mode != "count":
            raise ValueError("`count_weights` is not used when `output_mode` is not `'count'`. Received `count_weights="
                             f"{count_weights}`.")
        if isinstance(inputs, Tensor) and not inputs.dtype.is_integer:
            from ... import ops_math
            inputs = ops_math.cast(inputs, "int64")
        if count_weights is None:
            return encode_categories(inputs, self.output_mode, self.num_tokens, self.dtype, self.sparse)
        from ... import ops_array, ops_math, sparse
        weights = ops_math.cast(convert_to_tensor(count_weights), self._compute_dtype)
        one_hot = ops_array.one_hot(ops_math.cast(inputs, "int64"), self.num_tokens, dtype=self._compute_dtype)
        rows = ops_math.reduce_sum(one_hot * ops_array.expand_dims(weights, -1), axis=1 if inputs._rank > 1 else 0)
        return sparse.from_dense(rows) if self.sparse else rows

    def get_config(self):
        return {**self._base_config(), "num_tokens": self.num_tokens, "output_mode": self.output_mode}
