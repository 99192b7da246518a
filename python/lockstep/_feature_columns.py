"""The classes of feature columns, which `tf.feature_column` makes.

A *dense* column gives a float tensor [batch, ...] of `variable_shape`. A *categorical* column gives an `IdWeightPair` of
sparse tensors [batch, n]: ids below `num_buckets`, and weights or None. Columns read raw features and results of other
columns from a `FeatureTransformationCache`, which computes each of them once."""

import collections

import numpy

from . import _features, _refused, lookup, nn, ops_array, ops_math, sparse, strings
from ._composites import is_tensor
from ._dtypes import as_dtype, float32, int64, TensorShape
from ._tensor import convert_to_tensor

IdWeightPair = collections.namedtuple("IdWeightPair", ("id_tensor", "weight_tensor"))


class FeatureTransformationCache:
    """The features of a batch, and what columns have made of them."""

    def __init__(self, features):
        self._features, self._made = dict(features), {}

    def get(self, key, state_manager=None):
        """A raw feature by its name, as a matrix or a sparse tensor, or what a column makes. Raises: ValueError, TypeError."""
        if key not in self._made:
            if key in self._features:
                self._made[key] = _with_two_axes(self._features[key], key)
            elif isinstance(key, str):
                raise ValueError(f"Feature {key} is not in features dictionary.")
            elif not isinstance(key, FeatureColumn):
                raise TypeError(f'"key" must be either a "str" or "FeatureColumn". Provided: {key}')
            else:
                self._made[key] = key.transform_feature(self, state_manager)
        return self._made[key]


def _with_two_axes(feature, key):
    feature = feature if is_tensor(feature) else convert_to_tensor(feature)
    rank = feature.shape.rank
    if rank == 0:
        raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {feature}")
    if rank != 1:
        return feature
    return sparse.expand_dims(feature, -1) if isinstance(feature, sparse.SparseTensor) else ops_array.expand_dims(feature, -1)


def _sparse_input(tensor, ignored=None):
    """A feature as a sparse tensor, of a dense one without "" or -1, which stand for no value."""
    if isinstance(tensor, sparse.SparseTensor):
        return tensor
    tensor = tensor.to_sparse() if hasattr(tensor, "to_sparse") else convert_to_tensor(tensor)
    if isinstance(tensor, sparse.SparseTensor):
        return tensor
    if ignored is None:
        ignored = "" if tensor.dtype.name == "string" else -1
    places = ops_array.where(ops_math.not_equal(tensor, convert_to_tensor(ignored, dtype=tensor.dtype)))
    return sparse.SparseTensor(places, ops_array.gather_nd(tensor, places), ops_array.shape(tensor, out_type=int64))


def _check_kind(column, tensor):
    if column.dtype.is_integer != tensor.dtype.is_integer:
        raise ValueError(f"Column dtype and SparseTensors dtype must be compatible. key: {column.key}, column dtype: {column.dtype}, "
                         f"tensor dtype: {tensor.dtype}")


class FeatureColumn:
    """The base of all columns."""

    _is_v2_column = True
    parents = property(lambda self: [self.key])

    def __lt__(self, other):
        return str(self) < str(other)

    def __gt__(self, other):
        return str(self) > str(other)

    _var_scope_name = property(lambda self: self.name)


class DenseColumn(FeatureColumn):
    """A column of floats."""

    def get_dense_tensor(self, transformation_cache, state_manager=None):
        """The tensor [batch, ...] of the column."""
        return transformation_cache.get(self, state_manager)


class CategoricalColumn(FeatureColumn):
    """A column of categories."""

    IdWeightPair = IdWeightPair

    def get_sparse_tensors(self, transformation_cache, state_manager=None):
        """The ids of the column and their weights."""
        return IdWeightPair(transformation_cache.get(self, state_manager), None)


class _KeyColumn(CategoricalColumn):
    """A categorical column of one raw feature of varying length."""

    name = property(lambda self: self.key)

    @property
    def parse_example_spec(self):
        return {self.key: _features.VarLenFeature(self.dtype)}

    def transform_feature(self, transformation_cache, state_manager=None):
        """The ids of the feature."""
        tensor = _sparse_input(transformation_cache.get(self.key, state_manager))
        return sparse.SparseTensor(tensor.indices, self._ids(tensor), tensor.dense_shape)


class NumericColumn(DenseColumn, collections.namedtuple("NumericColumn", ("key", "shape", "default_value", "dtype", "normalizer_fn"))):
    """Numbers, see `numeric_column`."""

    name = property(lambda self: self.key)
    variable_shape = property(lambda self: TensorShape(self.shape))

    @property
    def parse_example_spec(self):
        return {self.key: _features.FixedLenFeature(self.shape, self.dtype, self.default_value)}

    def transform_feature(self, transformation_cache, state_manager=None):
        """The normalized numbers, float32. Raises: ValueError for a sparse feature."""
        tensor = transformation_cache.get(self.key, state_manager)
        if isinstance(tensor, sparse.SparseTensor):
            raise ValueError("The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. key: "
                             f"{self.key}")
        return ops_math.cast(tensor if self.normalizer_fn is None else self.normalizer_fn(tensor), float32)


class BucketizedColumn(DenseColumn, CategoricalColumn, collections.namedtuple("BucketizedColumn", ("source_column", "boundaries"))):
    """The bins of numbers, see `bucketized_column`."""

    name = property(lambda self: f"{self.source_column.name}_bucketized")
    parse_example_spec = property(lambda self: self.source_column.parse_example_spec)
    variable_shape = property(lambda self: TensorShape([*self.source_column.shape, len(self.boundaries) + 1]))
    num_buckets = property(lambda self: (len(self.boundaries) + 1) * self.source_column.shape[0])
    parents = property(lambda self: [self.source_column])

    def transform_feature(self, transformation_cache, state_manager=None):
        """The numbers of the bins, int32."""
        tensor = transformation_cache.get(self.source_column, state_manager)
        bounds = convert_to_tensor(numpy.array(self.boundaries, "float32"))
        found = ops_array.searchsorted(bounds, ops_array.reshape(tensor, [-1]), side="right")
        return ops_array.reshape(found, ops_array.shape(tensor))

    def get_dense_tensor(self, transformation_cache, state_manager=None):
        """A row of zeros and a one for each number."""
        return ops_array.one_hot(transformation_cache.get(self, state_manager), len(self.boundaries) + 1)

    def get_sparse_tensors(self, transformation_cache, state_manager=None):
        """The bins, those of the i-th number of an example behind those of the number before."""
        bins = transformation_cache.get(self, state_manager)
        width = self.source_column.shape[0]
        sizes = ops_array.shape(bins, out_type=int64)
        ids = ops_math.cast(bins, int64) + ops_math.range(width, dtype=int64) * (len(self.boundaries) + 1)
        places = ops_array.where(ops_array.ones_like(bins, dtype="bool"))
        return IdWeightPair(sparse.SparseTensor(places, ops_array.reshape(ids, [-1]), sizes), None)


class HashedCategoricalColumn(_KeyColumn, collections.namedtuple("HashedCategoricalColumn", ("key", "hash_bucket_size", "dtype"))):
    """Hashes of texts or integers, see `categorical_column_with_hash_bucket`."""

    num_buckets = property(lambda self: self.hash_bucket_size)

    def _ids(self, tensor):
        _check_kind(self, tensor)
        texts = tensor.values if self.dtype.name == "string" else strings.as_string(tensor.values)
        return strings.to_hash_bucket_fast(texts, self.hash_bucket_size)


class _VocabularyColumn(_KeyColumn):
    """A column whose categories are words of a vocabulary."""

    def _ids(self, tensor):
        _check_kind(self, tensor)
        words = self._words()
        keys = [str(one) if self.dtype.name == "string" and not isinstance(one, bytes) else one for one in words]
        kind = "string" if self.dtype.name == "string" else "int64"
        values = tensor.values if kind == "string" else ops_math.cast(tensor.values, int64)
        pairs = lookup.KeyValueTensorInitializer(convert_to_tensor(keys, dtype=kind),
                                                 convert_to_tensor(list(range(len(keys))), dtype="int64"))
        table = lookup.StaticVocabularyTable(pairs, self.num_oov_buckets) if self.num_oov_buckets else \
            lookup.StaticHashTable(pairs, self.default_value)
        return table.lookup(values)


class VocabularyFileCategoricalColumn(_VocabularyColumn, collections.namedtuple("VocabularyFileCategoricalColumn", (
        "key", "vocabulary_file", "vocabulary_size", "num_oov_buckets", "dtype", "default_value", "file_format"))):
    """Lines of a file, see `categorical_column_with_vocabulary_file`."""

    num_buckets = property(lambda self: self.vocabulary_size + self.num_oov_buckets)

    def _words(self):
        from . import data, gfile
        if self.file_format == "tfrecord_gzip":
            lines = [one.numpy() for one in data.TFRecordDataset(self.vocabulary_file, "GZIP")]
        else:
            with gfile.GFile(self.vocabulary_file, "rb") as file:
                lines = file.read().splitlines()
        lines = lines[:self.vocabulary_size]
        return lines if self.dtype.name == "string" else [int(one) for one in lines]


class VocabularyListCategoricalColumn(_VocabularyColumn, collections.namedtuple("VocabularyListCategoricalColumn", (
        "key", "vocabulary_list", "dtype", "default_value", "num_oov_buckets"))):
    """Words of a list, see `categorical_column_with_vocabulary_list`."""

    num_buckets = property(lambda self: len(self.vocabulary_list) + self.num_oov_buckets)

    def _words(self):
        return list(self.vocabulary_list)


class IdentityCategoricalColumn(_KeyColumn, collections.namedtuple("IdentityCategoricalColumn", (
        "key", "number_buckets", "default_value"))):
    """Integers as they are, see `categorical_column_with_identity`."""

    num_buckets = property(lambda self: self.number_buckets)
    dtype = int64

    def _ids(self, tensor):
        if not tensor.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {tensor.dtype}")
        values = ops_math.cast(tensor.values, int64)
        if self.default_value is None:
            return values
        outside = ops_math.logical_or(values < 0, values >= self.num_buckets)
        return ops_array.where(outside, convert_to_tensor(self.default_value, dtype="int64"), values)


class WeightedCategoricalColumn(CategoricalColumn, collections.namedtuple("WeightedCategoricalColumn", (
        "categorical_column", "weight_feature_key", "dtype"))):
    """Categories with weights, see `weighted_categorical_column`."""

    name = property(lambda self: f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}")
    num_buckets = property(lambda self: self.categorical_column.num_buckets)
    parents = property(lambda self: [self.categorical_column, self.weight_feature_key])

    @property
    def parse_example_spec(self):
        config = dict(self.categorical_column.parse_example_spec)
        if self.weight_feature_key in config:
            raise ValueError(f"Parse config {config[self.weight_feature_key]} already exists for {self.weight_feature_key}.")
        return {**config, self.weight_feature_key: _features.VarLenFeature(self.dtype)}

    def transform_feature(self, transformation_cache, state_manager=None):
        """(ids, weights) as sparse tensors."""
        weights = transformation_cache.get(self.weight_feature_key, state_manager)
        if weights.dtype != self.dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        weights = _sparse_input(weights, 0)
        weights = weights if weights.dtype.is_floating else weights.with_values(ops_math.cast(weights.values, float32))
        return self.categorical_column.get_sparse_tensors(transformation_cache, state_manager).id_tensor, weights

    def get_sparse_tensors(self, transformation_cache, state_manager=None):
        """The ids of the column and their weights."""
        return IdWeightPair(*transformation_cache.get(self, state_manager))


class CrossedColumn(CategoricalColumn, collections.namedtuple("CrossedColumn", ("keys", "hash_bucket_size", "hash_key"))):
    """Hashes of combinations, see `crossed_column`."""

    num_buckets = property(lambda self: self.hash_bucket_size)
    parents = property(lambda self: list(self.keys))

    def _leaf_keys(self):
        return [leaf for one in self.keys for leaf in (one._leaf_keys() if isinstance(one, CrossedColumn) else [one])]

    @property
    def name(self):
        return "_X_".join(sorted(one if isinstance(one, str) else one.name for one in self._leaf_keys()))

    @property
    def parse_example_spec(self):
        made = {}
        for one in self.keys:
            made.update({one: _features.VarLenFeature(as_dtype("string"))} if isinstance(one, str) else one.parse_example_spec)
        return made

    def transform_feature(self, transformation_cache, state_manager=None):
        """The hashes of all combinations of the features of an example."""
        tensors = []
        for one in self._leaf_keys():
            if isinstance(one, str):
                tensors.append(transformation_cache.get(one, state_manager))
                continue
            pair = one.get_sparse_tensors(transformation_cache, state_manager)
            if pair.weight_tensor is not None:
                raise ValueError("crossed_column does not support weight_tensor, but the given column populates weight_tensor. "
                                 f"Given column: {one.name}")
            tensors.append(pair.id_tensor)
        return sparse.cross_hashed(tensors, self.hash_bucket_size, self.hash_key)


class IndicatorColumn(DenseColumn, collections.namedtuple("IndicatorColumn", ("categorical_column",))):
    """How often each category occurs, see `indicator_column`."""

    name = property(lambda self: f"{self.categorical_column.name}_indicator")
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)
    variable_shape = property(lambda self: TensorShape([1, self.categorical_column.num_buckets]))
    parents = property(lambda self: [self.categorical_column])

    def transform_feature(self, transformation_cache, state_manager=None):
        """The counts, or sums of weights, [batch, num_buckets]."""
        ids, weights = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        rows = ops_array.one_hot(sparse.to_dense(ids, default_value=-1), self.categorical_column.num_buckets)
        if weights is not None:
            dense = sparse.to_dense(sparse.SparseTensor(ids.indices, weights.values, ids.dense_shape))
            rows = rows * ops_array.expand_dims(dense, -1)
        return ops_math.reduce_sum(rows, axis=-2)

    def get_dense_tensor(self, transformation_cache, state_manager=None):
        """The counts. Raises: ValueError for a sequence."""
        _no_sequence("indicator_column", self)
        return transformation_cache.get(self, state_manager)


def _no_sequence(kind, column):
    if isinstance(column.categorical_column, SequenceCategoricalColumn):
        raise ValueError(f"In {kind}: {column.name}. categorical_column must not be of type SequenceCategoricalColumn. Suggested fix "
                         f"A: If you wish to use input_layer, use a non-sequence categorical_column_with_*. Given (type "
                         f"{type(column.categorical_column)}): {column.categorical_column}")


def embedded(column, weights, transformation_cache, state_manager=None):
    """The embeddings of a column's ids, combined per example: [batch, dimension]."""
    ids, id_weights = column.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
    find = nn.safe_embedding_lookup_sparse if column.use_safe_embedding_lookup else nn.embedding_lookup_sparse
    return find(weights, ids, id_weights, combiner=column.combiner, max_norm=column.max_norm)


class EmbeddingColumn(DenseColumn, collections.namedtuple("EmbeddingColumn", (
        "categorical_column", "dimension", "combiner", "initializer", "ckpt_to_load_from", "tensor_name_in_ckpt", "max_norm",
        "trainable", "use_safe_embedding_lookup"))):
    """Embeddings of categories, see `embedding_column`."""

    name = property(lambda self: f"{self.categorical_column.name}_embedding")
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)
    variable_shape = property(lambda self: TensorShape([self.dimension]))
    parents = property(lambda self: [self.categorical_column])
    weights_shape = property(lambda self: (self.categorical_column.num_buckets, self.dimension))

    def create_state(self, state_manager):
        """Creates the embedding weights by the state manager."""
        state_manager.create_variable(self, name="embedding_weights", shape=self.weights_shape, dtype=float32,
                                      trainable=self.trainable, use_resource=True, initializer=self.initializer)

    def get_dense_tensor(self, transformation_cache, state_manager):
        """The embeddings, whose weights the state manager has. Raises: ValueError for a sequence."""
        _no_sequence("embedding_column", self)
        return embedded(self, state_manager.get_variable(self, name="embedding_weights"), transformation_cache, state_manager)


class SharedEmbeddings:
    """The weights that several columns of `shared_embeddings` have in common."""

    def __init__(self, dimension, initializer, num_buckets, trainable, name):
        self.dimension, self.initializer, self.num_buckets, self.trainable, self.name = (
            dimension, initializer, num_buckets, trainable, name)


class SharedEmbeddingColumn(DenseColumn, collections.namedtuple("SharedEmbeddingColumn", (
        "categorical_column", "shared_embedding_column_creator", "combiner", "max_norm", "use_safe_embedding_lookup"))):
    """Embeddings with common weights, see `shared_embeddings`."""

    name = property(lambda self: f"{self.categorical_column.name}_shared_embedding")
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)
    variable_shape = property(lambda self: TensorShape([self.shared_embedding_column_creator.dimension]))
    parents = property(lambda self: [self.categorical_column])


class SequenceCategoricalColumn(CategoricalColumn, collections.namedtuple("SequenceCategoricalColumn", ("categorical_column",))):
    """Categories of the steps of a sequence."""

    name = property(lambda self: self.categorical_column.name)
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)
    num_buckets = property(lambda self: self.categorical_column.num_buckets)
    parents = property(lambda self: [self.categorical_column])

    def get_sparse_tensors(self, transformation_cache, state_manager=None):
        """The ids [batch, steps, n] and their weights."""
        pair = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        sizes = pair.id_tensor.dense_shape
        wide = ops_array.concat([sizes[:2], [-1]], 0) if pair.id_tensor.rank > 2 else ops_array.concat([sizes, [1]], 0)
        return IdWeightPair(*[None if one is None else sparse.reshape(one, wide) for one in pair])


class SequenceNumericColumn(FeatureColumn, collections.namedtuple("SequenceNumericColumn", (
        "key", "shape", "default_value", "dtype", "normalizer_fn"))):
    """Numbers of the steps of a sequence."""

    name = property(lambda self: self.key)
    variable_shape = property(lambda self: TensorShape(self.shape))

    @property
    def parse_example_spec(self):
        return {self.key: _features.VarLenFeature(self.dtype)}


def loads_no_checkpoint(where, ckpt_to_load_from, tensor_name_in_ckpt):
    """Raises: ValueError for one argument without the other, NotImplementedError for both."""
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    _refused.only(where, ckpt_to_load_from=(ckpt_to_load_from, None))
