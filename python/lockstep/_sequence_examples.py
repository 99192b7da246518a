"""Parsing of `tf.train.SequenceExample`: a context, and lists with a feature for each step."""

from . import _native
from ._dtypes import as_dtype
from ._tensor import convert_to_tensor


def parse_single_sequence_example(serialized, context_features=None, sequence_features=None, example_name=None, name=None):
    """The context's features, and those of each step stacked [steps, ...], by name, of one serialized example.

    `sequence_features` are FixedLenSequenceFeature (dense), VarLenFeature (sparse) or RaggedFeature.
    Raises: InvalidArgumentError naming a feature that is missing or of another kind."""
    _require_any(context_features, sequence_features)
    serialized = convert_to_tensor(serialized)
    if serialized._rank != 0:
        raise ValueError(f"Shape must be rank 0 but is rank {serialized._rank}: [parse_single_sequence_example] one serialized "
                         "example is parsed; of a batch write tf.io.parse_sequence_example")
    steps = _Steps(serialized)
    return _context(serialized, context_features), {key: steps.single(key, one) for key, one in _sorted(sequence_features)}


def parse_sequence_example(serialized, context_features=None, sequence_features=None, example_names=None, name=None):
    """The same of each of a vector of serialized examples: dense features [n, most steps, ...], padded with zeros or empty
    strings, sparse ones of three axes, ragged ones; and behind the two dicts a third of how many steps the dense ones have."""
    _require_any(context_features, sequence_features)
    serialized = convert_to_tensor(serialized)
    if serialized._rank != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {serialized._rank}: [parse_sequence_example] a vector of serialized "
                         "examples is parsed; of one write tf.io.parse_single_sequence_example")
    steps, lengths = _Steps(serialized), {}
    lists = {key: steps.batched(key, one, lengths) for key, one in _sorted(sequence_features)}
    return _context(serialized, context_features), lists, lengths


def _require_any(context_features, sequence_features):
    if not context_features and not sequence_features:
        raise ValueError("Missing features: both `context_features` and `sequence_features` are empty")


def _sorted(features):
    return sorted((features or {}).items())


def _context(serialized, features):
    from .io import parse_example
    return parse_example(serialized, features) if features else {}


class _Steps:
    """The feature lists of examples, whose steps are parsed as examples of their own."""

    def __init__(self, serialized):
        self._serialized = _native.expand_dims(serialized, 0) if serialized._rank == 0 else serialized

    def _parsed(self, key, feature):
        """(what the steps of all examples give, one after another, how many each example has)."""
        from . import io
        if not isinstance(feature, (io.FixedLenSequenceFeature, io.VarLenFeature, io.RaggedFeature)):
            raise ValueError(f"Unsupported feature of a sequence for key {key}: got {feature!r}; give a FixedLenSequenceFeature, "
                             "a VarLenFeature or a RaggedFeature")
        if getattr(feature, "partitions", ()):
            raise NotImplementedError(f"rows within a step are not built; parse the partitions of {key} as features of their own")
        dense = isinstance(feature, io.FixedLenSequenceFeature)
        name = getattr(feature, "value_key", None) or key
        steps, lengths = _native.feature_list_steps(self._serialized, name, dense and not feature.allow_missing)
        wanted = io.FixedLenFeature(feature.shape, feature.dtype, feature.default_value) if dense else feature
        return io.parse_example(steps, {name: wanted})[name], lengths

    def single(self, key, feature):
        return self._parsed(key, feature)[0]

    def batched(self, key, feature, lengths):
        from .ragged import RaggedTensor
        from .sparse import SparseTensor
        values, steps = self._parsed(key, feature)
        if isinstance(values, SparseTensor):
            return _of_examples(values, steps)
        if isinstance(values, RaggedTensor):
            return RaggedTensor.from_row_lengths(values, _native.cast(steps, as_dtype(feature.row_splits_dtype)), validate=False)
        lengths[key] = steps
        return RaggedTensor.from_row_lengths(values, steps, validate=False).to_tensor()


def _of_examples(values, steps):
    """A sparse tensor [all steps, n] as one [examples, most steps, n]."""
    from . import ops_array, ops_math
    from .ragged import RaggedTensor
    from .sparse import SparseTensor
    rows = RaggedTensor.from_row_lengths(ops_math.range(ops_math.reduce_sum(steps)), steps, validate=False)
    example = ops_array.gather(rows.value_rowids(), values.indices[:, 0])
    step = values.indices[:, 0] - ops_array.gather(rows.row_starts(), example)
    most = ops_math.reduce_max(ops_array.concat([steps, ops_array.zeros([1], "int64")], 0))
    return SparseTensor(ops_array.stack([example, step, values.indices[:, 1]], 1), values.values,
                        ops_array.stack([ops_array.shape(steps, "int64")[0], most, values.dense_shape[1]]))
