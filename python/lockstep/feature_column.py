"""Columns of a table as inputs of linear models and networks: `tf.feature_column`.

TensorFlow has deprecated these for Keras's preprocessing layers, and so does this package: `keras.utils.FeatureSpace` does
the same with them. `tf.compat.v1.feature_column.input_layer` and `linear_model` apply columns to features."""

import math

from . import _feature_columns as _c
from ._dtypes import as_dtype, float32, string


def _check_key(key):
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


def _check_text_or_integer(dtype, prefix):
    if dtype.name != "string" and not dtype.is_integer:
        raise ValueError(f"{prefix} dtype must be string or integer. dtype: {dtype}.")


def _shape_of(shape, key):
    shape = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    for size in shape:
        if not isinstance(size, int):
            raise TypeError(f"shape dimensions must be integer. shape: {shape}, key: {key}")
        if size < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {shape}, key: {key}")
    return shape


def _default_of(shape, value, dtype, key):
    """A default of a numeric column in the column's shape. Raises: TypeError, ValueError for one that does not fit."""
    import numpy
    if value is None:
        return None
    array = numpy.asarray(value)
    kind = array.dtype.kind
    if kind not in "iuf" or kind == "f" and dtype.is_integer:
        raise TypeError(f"default_value must be compatible with dtype. default_value: {value}, dtype: {dtype}, key: {key}")
    if array.ndim and array.shape != shape:
        raise ValueError(f"The shape of default_value must be equal to given shape. default_value: {value}, shape: {shape}, key: {key}")
    typed = numpy.broadcast_to(array.astype(dtype.as_numpy_dtype), shape).tolist()

    def tuples(one):
        return tuple(map(tuples, one)) if isinstance(one, list) else one
    return tuples(typed)


def numeric_column(key, shape=(1,), default_value=None, dtype=float32, normalizer_fn=None):
    """Numbers of `shape` per example, through `normalizer_fn`, as float32. Raises: ValueError, TypeError for wrong arguments."""
    shape, dtype = _shape_of(shape, key), as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    default_value = _default_of(shape, default_value, dtype, key)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    _check_key(key)
    return _c.NumericColumn(key, shape, default_value, dtype, normalizer_fn)


def bucketized_column(source_column, boundaries):
    """The bins of a numeric column of one axis, which begin at `boundaries`: dense, and categorical. Raises: ValueError."""
    if not isinstance(source_column, _c.NumericColumn):
        raise ValueError(f"source_column must be a column generated with numeric_column(). Given: {source_column}")
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    if not isinstance(boundaries, (list, tuple)) or any(one >= two for one, two in zip(boundaries, boundaries[1:])):
        raise ValueError("boundaries must be a sorted list.")
    return _c.BucketizedColumn(source_column, tuple(boundaries))


def categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=string):
    """Texts or integers as their hash below `hash_bucket_size`. Raises: ValueError."""
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}")
    _check_key(key)
    _check_text_or_integer(as_dtype(dtype), f"column_name: {key}")
    return _c.HashedCategoricalColumn(key, hash_bucket_size, as_dtype(dtype))


def _check_unknown(num_oov_buckets, default_value, usual, key):
    if num_oov_buckets and default_value != usual:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if num_oov_buckets and num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


def categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size=None, dtype=string, default_value=None,
                                            num_oov_buckets=0, file_format=None):
    """Words as the numbers of their lines in a file; others as `default_value` (-1: none) or hashed to `num_oov_buckets`
    numbers behind the lines. Raises: ValueError."""
    from . import gfile
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if file_format is None and vocabulary_file.endswith("tfrecord.gz"):
        file_format = "tfrecord_gzip"
    _check_unknown(num_oov_buckets, default_value, None, key)
    _check_text_or_integer(as_dtype(dtype), f"column_name: {key}")
    _check_key(key)
    made = _c.VocabularyFileCategoricalColumn(key, vocabulary_file, vocabulary_size, num_oov_buckets or 0, as_dtype(dtype),
                                              -1 if default_value is None else default_value, file_format)
    if vocabulary_size is None:
        if not gfile.exists(vocabulary_file):
            raise ValueError(f"vocabulary_file in {key} does not exist.")
        made = made._replace(vocabulary_size=len(made._words()))
    if made.vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    return made


def categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0):
    """Words as their places in a list; others as `default_value` (-1: none) or hashed to `num_oov_buckets` numbers behind the
    list. Raises: ValueError."""
    import numpy
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    own = numpy.array(vocabulary_list).dtype
    own = string if own.kind in "USO" else as_dtype(own)
    _check_unknown(num_oov_buckets, default_value, -1, key)
    _check_text_or_integer(own, f"column_name: {key} vocabulary")
    dtype = own if dtype is None else as_dtype(dtype)
    if dtype.is_integer != own.is_integer:
        raise ValueError(f"dtype {dtype} and vocabulary dtype {own} do not match, column_name: {key}")
    _check_text_or_integer(dtype, f"column_name: {key}")
    _check_key(key)
    return _c.VocabularyListCategoricalColumn(key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets)


def categorical_column_with_identity(key, num_buckets, default_value=None):
    """Integers below `num_buckets` as they are; others as `default_value`. Raises: ValueError."""
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}")
    _check_key(key)
    return _c.IdentityCategoricalColumn(key, num_buckets, default_value)


def indicator_column(categorical_column):
    """How often each category of a column occurs in an example: dense [batch, num_buckets]."""
    if not isinstance(categorical_column, _c.CategoricalColumn):
        raise ValueError("Unsupported input type. Input must be a CategoricalColumn. Given: {}".format(categorical_column))
    return _c.IndicatorColumn(categorical_column)


def weighted_categorical_column(categorical_column, weight_feature_key, dtype=float32):
    """A column's categories with the weights of another feature. Raises: ValueError for weights that are no numbers."""
    if dtype is None or not (as_dtype(dtype).is_integer or as_dtype(dtype).is_floating):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return _c.WeightedCategoricalColumn(categorical_column, weight_feature_key, as_dtype(dtype))


def crossed_column(keys, hash_bucket_size, hash_key=None):
    """The hash below `hash_bucket_size` of each combination of several features or categorical columns. Raises: ValueError."""
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, _c.CategoricalColumn)):
            raise ValueError("Unsupported key type. All keys must be either string, or categorical column except "
                             f"HashedCategoricalColumn. Given: {key}")
        if isinstance(key, _c.HashedCategoricalColumn):
            raise ValueError("categorical_column_with_hash_bucket is not supported for crossing. Hashing before crossing will increase "
                             "probability of collision. Instead, use the feature name as a string. Given: {}".format(key))
    return _c.CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


def _initializer(initializer, dimension, column=""):
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified.{column}")
    if initializer is None:
        from .compat import v1
        return v1.truncated_normal_initializer(mean=0.0, stddev=1 / math.sqrt(dimension))
    return initializer


def embedding_column(categorical_column, dimension, combiner="mean", initializer=None, ckpt_to_load_from=None,
                     tensor_name_in_ckpt=None, max_norm=None, trainable=True, use_safe_embedding_lookup=True):
    """Embeddings of a column's categories, combined per example: dense [batch, dimension]. Raises: ValueError."""
    _c.loads_no_checkpoint("embedding_column", ckpt_to_load_from, tensor_name_in_ckpt)
    initializer = _initializer(initializer, dimension, f" Embedding of column_name: {categorical_column.name}")
    return _c.EmbeddingColumn(categorical_column, dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm,
                              trainable, use_safe_embedding_lookup)


def _plain(column):
    while isinstance(column, (_c.WeightedCategoricalColumn, _c.SequenceCategoricalColumn)):
        column = column.categorical_column
    return column


def shared_embeddings(categorical_columns, dimension, combiner="mean", initializer=None, shared_embedding_collection_name=None,
                      ckpt_to_load_from=None, tensor_name_in_ckpt=None, max_norm=None, trainable=True,
                      use_safe_embedding_lookup=True):
    """Embedding columns of several columns of one kind and size that have one table of weights, in graphs alone.

    Raises: RuntimeError for use outside of a graph, ValueError for columns that differ."""
    from . import executing_eagerly
    if executing_eagerly():
        raise RuntimeError("shared_embedding_columns are not supported when eager execution is enabled.")
    _c.loads_no_checkpoint("shared_embeddings", ckpt_to_load_from, tensor_name_in_ckpt)
    initializer = _initializer(initializer, dimension)
    in_order = sorted(categorical_columns, key=lambda one: one.name)
    first = in_order[0]
    for one in in_order:
        if not isinstance(one, _c.CategoricalColumn):
            raise ValueError(f"All categorical_columns must be subclasses of CategoricalColumn. Given: {one}, of type: {type(one)}")
        if not isinstance(_plain(one), type(_plain(first))):
            raise ValueError("To use shared_embedding_column, all categorical_columns must have the same type, or be "
                             "weighted_categorical_column or sequence column of the same type. Given column: "
                             f"{first} of type: {type(first)} does not match given column: {one} of type: {type(one)}")
        if one.num_buckets != first.num_buckets:
            raise ValueError("To use shared_embedding_column, all categorical_columns must have the same number of buckets. Given column: "
                             f"{first} with buckets: {first.num_buckets} does  not match column: {one} with buckets: {one.num_buckets}")
    name = shared_embedding_collection_name or "_".join(one.name for one in in_order) + "_shared_embedding"
    shared = _c.SharedEmbeddings(dimension, initializer, first.num_buckets, trainable, name)
    return [_c.SharedEmbeddingColumn(one, shared, combiner, max_norm, use_safe_embedding_lookup) for one in categorical_columns]


def sequence_categorical_column_with_identity(key, num_buckets, default_value=None):
    """As `categorical_column_with_identity`, for steps of sequences."""
    return _c.SequenceCategoricalColumn(categorical_column_with_identity(key, num_buckets, default_value))


def sequence_categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=string):
    """As `categorical_column_with_hash_bucket`, for steps of sequences."""
    return _c.SequenceCategoricalColumn(categorical_column_with_hash_bucket(key, hash_bucket_size, dtype))


def sequence_categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0,
                                                     default_value=None, dtype=string):
    """As `categorical_column_with_vocabulary_file`, for steps of sequences."""
    return _c.SequenceCategoricalColumn(categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets))


def sequence_categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0):
    """As `categorical_column_with_vocabulary_list`, for steps of sequences."""
    return _c.SequenceCategoricalColumn(categorical_column_with_vocabulary_list(
        key, vocabulary_list, dtype, default_value, num_oov_buckets))


def sequence_numeric_column(key, shape=(1,), default_value=0.0, dtype=float32, normalizer_fn=None):
    """Numbers of the steps of sequences, `default_value` where there is none. Raises: ValueError, TypeError."""
    shape, dtype = _shape_of(shape, key), as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return _c.SequenceNumericColumn(key, shape, default_value, dtype, normalizer_fn)


def make_parse_example_spec(feature_columns):
    """{feature: how `tf.io.parse_example` reads it} of columns. Raises: ValueError for no columns, and different specs of a key."""
    result = {}
    for column in feature_columns:
        if not isinstance(column, _c.FeatureColumn):
            raise ValueError(f"All feature_columns must be FeatureColumn instances. Given: {column}")
        for key, value in column.parse_example_spec.items():
            if key in result and value != result[key]:
                raise ValueError(f"feature_columns contain different parse_spec for key {key}. Given {value} and {result[key]}")
            result[key] = value
    return result
