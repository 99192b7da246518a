"""Feature columns applied to features: `tf.compat.v1.feature_column`."""

from ... import _feature_columns as _c
from ... import _refused, nn, ops_array, ops_math
from ..._dtypes import float32
from ...feature_column import (bucketized_column, categorical_column_with_hash_bucket, categorical_column_with_identity,  # noqa: F401
                               categorical_column_with_vocabulary_list, crossed_column, embedding_column,
                               indicator_column, make_parse_example_spec, numeric_column,
                               sequence_categorical_column_with_hash_bucket, sequence_categorical_column_with_identity,
                               sequence_categorical_column_with_vocabulary_file,
                               sequence_categorical_column_with_vocabulary_list, sequence_numeric_column, shared_embeddings,
                               weighted_categorical_column)
from ...feature_column import categorical_column_with_vocabulary_file as _with_vocabulary_file
from ._variables import get_variable, variable_scope


def categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0, default_value=None,
                                            dtype=_c.as_dtype("string")):
    """As `tf.feature_column.categorical_column_with_vocabulary_file`, with the arguments in version 1's order."""
    return _with_vocabulary_file(key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets)


def shared_embedding_columns(categorical_columns, dimension, combiner="mean", initializer=None,
                             shared_embedding_collection_name=None, ckpt_to_load_from=None, tensor_name_in_ckpt=None,
                             max_norm=None, trainable=True, use_safe_embedding_lookup=True):
    """As `tf.feature_column.shared_embeddings`."""
    return shared_embeddings(categorical_columns, dimension, combiner, initializer, shared_embedding_collection_name,
                             ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable, use_safe_embedding_lookup)


def _columns(feature_columns, kinds, text):
    """The columns as a list. Raises: ValueError for none, two of one name, and other kinds."""
    columns = [feature_columns] if isinstance(feature_columns, _c.FeatureColumn) else list(feature_columns)
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    for one in columns:
        if not isinstance(one, _c.FeatureColumn):
            raise ValueError(f"Items of feature_columns must be a _FeatureColumn. Given (type {type(one)}): {one}.")
        if not isinstance(one, kinds):
            raise ValueError(f"Items of feature_columns must be {text}. Given: {one}")
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    seen = {}
    for one in columns:
        if one.name in seen:
            raise ValueError(f"Duplicate feature column name found for columns: {one} and {seen[one.name]}. This usually means that "
                             "these columns refer to same base feature. Either one must be discarded or a duplicated but renamed item "
                             "must be inserted in features dict.")
        seen[one.name] = one
    return columns


def _dense(column, cache, trainable, collections, shared):
    """(the tensor of a dense column, its weights)"""
    if isinstance(column, _c.EmbeddingColumn):
        _c._no_sequence("embedding_column", column)
        weights = get_variable("embedding_weights", shape=column.weights_shape, dtype=float32, initializer=column.initializer,
                               trainable=column.trainable and trainable, collections=collections)
        return _c.embedded(column, weights, cache), weights
    if isinstance(column, _c.SharedEmbeddingColumn):
        own = column.shared_embedding_column_creator
        if own not in shared:
            shared[own] = get_variable("embedding_weights", shape=(own.num_buckets, own.dimension), dtype=float32,
                                       initializer=own.initializer, trainable=own.trainable and trainable, collections=collections)
        return _c.embedded(column, shared[own], cache), shared[own]
    return column.get_dense_tensor(cache), None


def _scope_of(column):
    shared = getattr(column, "shared_embedding_column_creator", None)
    return column.name if shared is None else shared.name


def input_layer(features, feature_columns, weight_collections=None, trainable=True, cols_to_vars=None, cols_to_output_tensors=None):
    """The dense columns of a batch side by side, in the order of their names: [batch, sizes of all].

    features: {name: tensor or sparse tensor}. The weights of embeddings are variables of version 1.
    cols_to_vars, cols_to_output_tensors: dicts that get the weights, and the tensor, of each column.
    Raises: ValueError for columns that are not dense, for two of a name and for features that are not there."""
    columns = _columns(feature_columns, _c.DenseColumn, "a _DenseColumn. You can wrap a categorical column "
                       "with an embedding_column or indicator_column")
    cache, made, shared = _c.FeatureTransformationCache(features), [], {}
    with variable_scope(None, default_name="input_layer"):
        for column in sorted(columns, key=lambda one: one.name):
            with variable_scope(None, default_name=_scope_of(column)):
                tensor, weights = _dense(column, cache, trainable, weight_collections, shared)
                rows = ops_array.reshape(tensor, [ops_array.shape(tensor)[0], column.variable_shape.num_elements()])
            made.append(rows)
            if cols_to_vars is not None:
                cols_to_vars[column] = [] if weights is None else [weights]
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = rows
    return ops_array.concat(made, 1)


def linear_model(features, feature_columns, units=1, sparse_combiner="sum", weight_collections=None, trainable=True,
                 cols_to_vars=None):
    """A bias and the weighted sum of all columns: [batch, units]. All weights begin with 0.

    A dense column has a weight for each number, a categorical one for each category. Raises: as `input_layer`."""
    columns = _columns(feature_columns, (_c.DenseColumn, _c.CategoricalColumn), "either a _DenseColumn or _CategoricalColumn")
    _refused.one_of("linear_model", "sparse_combiner", sparse_combiner, ("sum", "mean", "sqrtn"))
    cache, sums, shared = _c.FeatureTransformationCache(features), [], {}

    def weights_of(name, shape):
        from . import zeros_initializer
        return get_variable(name, shape=shape, dtype=float32, initializer=zeros_initializer(), trainable=trainable,
                            collections=weight_collections)
    with variable_scope(None, default_name="linear_model"):
        for column in sorted(columns, key=lambda one: one.name):
            with variable_scope(None, default_name=_scope_of(column)):
                own = []
                if isinstance(column, _c.CategoricalColumn):
                    ids, id_weights = column.get_sparse_tensors(cache)
                    own.append(weights_of("weights", (column.num_buckets, units)))
                    sums.append(nn.safe_embedding_lookup_sparse(own[0], ids, id_weights, combiner=sparse_combiner))
                else:
                    size = column.variable_shape.num_elements()
                    own.append(weights_of("weights", (size, units)))
                    tensor, embedding = _dense(column, cache, trainable, weight_collections, shared)
                    rows = ops_array.reshape(tensor, [ops_array.shape(tensor)[0], size])
                    sums.append(ops_math.matmul(rows, own[0]))
                    own += [] if embedding is None else [embedding]
            if cols_to_vars is not None:
                cols_to_vars[column] = own
        bias = weights_of("bias_weights", (units,))
    if cols_to_vars is not None:
        cols_to_vars["bias"] = [bias]
    return ops_math.add_n(sums) + bias
