"""FeatureSpace: the columns of a table as inputs of a model.

A space has a preprocessing layer for each feature, which gives a float or the number of a category, and crosses of
features, which give the hash of their categories. Numbers become rows over their categories ("one_hot"), unless the
output mode of the feature or cross is "int". The result is one concatenated vector per example, the features in the order
of their names and then the crosses, or a dict. `adapt` learns vocabularies, bins and means; the layers that encode are
created when their sizes are known."""

from .. import nest, ops_array
from .._dtypes import as_dtype
from .._tensor import convert_to_tensor
from . import layers, saving
from ._layer import Layer
from ._names import auto_name
from .layers._category_rows import PreprocessingLayer

_MODULE = "keras.src.layers.preprocessing.feature_space"


class FeaturePart:
    """A part of a space that a config describes."""

    _keras_module = _MODULE

    @classmethod
    def from_config(cls, config):
        """The part that `get_config` describes."""
        return cls(**config)


class Cross(FeaturePart):
    """Features whose categories are hashed together to `crossing_dim` categories."""

    def __init__(self, feature_names, crossing_dim, output_mode="one_hot"):
        if output_mode not in {"int", "one_hot"}:
            raise ValueError("Invalid value for argument `output_mode`. Expected one of {'int', 'one_hot'}. "
                             f"Received: output_mode={output_mode}")
        self.feature_names, self.crossing_dim, self.output_mode = tuple(feature_names), crossing_dim, output_mode

    name = property(lambda self: "_X_".join(self.feature_names))

    def get_config(self):
        """What `from_config` makes the cross of again."""
        return {"feature_names": self.feature_names, "crossing_dim": self.crossing_dim, "output_mode": self.output_mode}


class Feature(FeaturePart):
    """The dtype of a column, the layer that preprocesses it, and the form of the result."""

    def __init__(self, dtype, preprocessor, output_mode):
        if output_mode not in {"int", "one_hot", "float"}:
            raise ValueError("Invalid value for argument `output_mode`. Expected one of {'int', 'one_hot', 'float'}. "
                             f"Received: output_mode={output_mode}")
        self.dtype, self.output_mode = dtype, output_mode
        self.preprocessor = saving.deserialize_keras_object(preprocessor) if isinstance(preprocessor, dict) else preprocessor

    def get_config(self):
        """What `from_config` makes the feature of again."""
        return {"dtype": self.dtype, "preprocessor": saving.serialize_keras_object(self.preprocessor),
                "output_mode": self.output_mode}


class TFDIdentity(PreprocessingLayer):
    """The input."""

    _keras_module = _MODULE

    def call(self, x):
        return x


class TFDConcat(PreprocessingLayer):
    """Tensors joined along an axis, in the dtype to which they all convert."""

    _keras_module = _MODULE

    def __init__(self, axis, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, xs):
        from . import ops
        return ops.concatenate(xs, axis=self.axis)


def _feature(kind, dtype, output_mode, name, layer, **options):
    name = name or auto_name(kind)
    return Feature(dtype, layer(name=f"{name}_preprocessor", **options), output_mode)


class FeatureSpace(Layer):
    """Preprocesses and encodes the features of structured data.

    Args:
      features: {name: type}; a type is made by a method of this class, as `FeatureSpace.float_normalized()`, or is the name
        of one ("float", "float_normalized", "float_rescaled", "float_discretized", "integer_categorical",
        "string_categorical", "integer_hashed", "string_hashed").
      output_mode: "concat", one vector per example, or "dict", {name of a feature or cross: its encoding}.
      crosses: tuples of names of features, or `FeatureSpace.cross(...)`.
      crossing_dim, hashing_dim, num_discretization_bins: sizes of crosses and types that state none.

    Call `adapt` with data first; then the space maps dicts of columns, batched or not, in a dataset's `map` too.
    Raises: ValueError for no features, unknown types and names, and use before `adapt`."""

    _keeps_own_state = True
    _untracked = ("features", "crosses", "crosses_by_name", "inputs", "encoded_features")

    # ---- types of features

    @classmethod
    def cross(cls, feature_names, crossing_dim, output_mode="one_hot"):
        """The hash of the categories of features. Returns: a `Cross`."""
        return Cross(feature_names, crossing_dim, output_mode=output_mode)

    @classmethod
    def feature(cls, dtype, preprocessor, output_mode):
        """A feature with a preprocessing layer of one's own."""
        return Feature(dtype, preprocessor, output_mode)

    @classmethod
    def float(cls, name=None):
        """Numbers as they are."""
        return _feature("float", "float32", "float", name, TFDIdentity)

    @classmethod
    def float_rescaled(cls, scale=1.0, offset=0.0, name=None):
        """Numbers times `scale` plus `offset`."""
        return _feature("float_rescaled", "float32", "float", name, layers.Rescaling, scale=scale, offset=offset)

    @classmethod
    def float_normalized(cls, name=None):
        """Numbers of mean 0 and variance 1."""
        return _feature("float_normalized", "float32", "float", name, layers.Normalization, axis=-1)

    @classmethod
    def float_discretized(cls, num_bins, bin_boundaries=None, output_mode="one_hot", name=None):
        """The bins of numbers."""
        return _feature("float_discretized", "float32", output_mode, name, layers.Discretization, num_bins=num_bins,
                        bin_boundaries=bin_boundaries)

    @classmethod
    def integer_categorical(cls, max_tokens=None, num_oov_indices=1, output_mode="one_hot", name=None):
        """Integers as categories that `adapt` learns."""
        return _feature("integer_categorical", "int32", output_mode, name, layers.IntegerLookup, max_tokens=max_tokens,
                        num_oov_indices=num_oov_indices)

    @classmethod
    def string_categorical(cls, max_tokens=None, num_oov_indices=1, output_mode="one_hot", name=None):
        """Texts as categories that `adapt` learns."""
        return _feature("string_categorical", "string", output_mode, name, layers.StringLookup, max_tokens=max_tokens,
                        num_oov_indices=num_oov_indices)

    @classmethod
    def string_hashed(cls, num_bins, output_mode="one_hot", name=None):
        """Texts hashed to `num_bins` categories."""
        return _feature("string_hashed", "string", output_mode, name, layers.Hashing, num_bins=num_bins)

    @classmethod
    def integer_hashed(cls, num_bins, output_mode="one_hot", name=None):
        """Integers hashed to `num_bins` categories."""
        return _feature("integer_hashed", "int32", output_mode, name, layers.Hashing, num_bins=num_bins)

    def __init__(self, features, output_mode="concat", crosses=None, crossing_dim=32, hashing_dim=32, num_discretization_bins=32,
                 name=None):
        super().__init__(name=name)
        if not features:
            raise ValueError("The `features` argument cannot be None or empty.")
        self.crossing_dim, self.hashing_dim, self.num_discretization_bins = crossing_dim, hashing_dim, num_discretization_bins
        self.features = {name: self._standardize_feature(name, one) for name, one in features.items()}
        self.crosses = [self._standardize_cross(one, features) for one in crosses or []]
        self.crosses_by_name = {one.name: one for one in self.crosses}
        if output_mode not in {"dict", "concat"}:
            raise ValueError("Invalid value for argument `output_mode`. Expected one of {'dict', 'concat'}. "
                             f"Received: output_mode={output_mode}")
        self.output_mode = output_mode
        self.inputs = {name: layers.Input(shape=(1,), dtype=one.dtype, name=name) for name, one in self.features.items()}
        self.preprocessors = {name: one.preprocessor for name, one in self.features.items()}
        self.crossers = {one.name: layers.HashedCrossing(one.crossing_dim, name=one.name) for one in self.crosses}
        self.one_hot_encoders, self.concat, self.encoded_features = {}, None, None
        self._is_adapted = self._sublayers_built = False

    def _standardize_feature(self, name, feature):
        if isinstance(feature, Feature):
            return feature
        if isinstance(feature, dict):
            return saving.deserialize_keras_object(feature)
        sizes = {"float_discretized": {"num_bins": self.num_discretization_bins}, "integer_hashed": {"num_bins": self.hashing_dim},
                 "string_hashed": {"num_bins": self.hashing_dim}}
        if feature not in ("float", "float_normalized", "float_rescaled", "integer_categorical", "string_categorical", *sizes):
            raise ValueError(f"Invalid feature type: {feature}")
        return getattr(self, feature)(name=name, **sizes.get(feature, {}))

    def _standardize_cross(self, cross, features):
        cross = saving.deserialize_keras_object(cross) if isinstance(cross, dict) else cross
        if isinstance(cross, Cross):
            return cross
        if not self.crossing_dim:
            raise ValueError("When specifying `crosses`, the argument `crossing_dim` (dimensionality of the crossing space) "
                             "should be specified as well.")
        if any(name not in features for name in cross):
            raise ValueError("All features referenced in the `crosses` argument should be present in the `features` dict. "
                             f"Received unknown features: {cross}")
        return Cross(cross, crossing_dim=self.crossing_dim)

    # ---- learning

    def _adaptable(self):
        """Names of the features whose layers learn from data."""
        def learns(layer):
            if isinstance(layer, layers.Normalization) and layer.input_mean is not None:
                return False
            if isinstance(layer, layers.TextVectorization) and layer._lookup_layer._has_input_vocabulary:
                return False
            return hasattr(layer, "adapt")
        return [name for name, layer in self.preprocessors.items() if learns(layer)]

    def adapt(self, dataset):
        """Learns from a dataset of dicts, batched or not, or a dict of columns. Raises: ValueError for other data."""
        if isinstance(dataset, dict):
            from ..data import Dataset
            dataset = Dataset.from_tensor_slices(dataset)
        if not getattr(dataset, "_is_dataset", False):
            raise ValueError("`adapt()` can only be called on a tf.data.Dataset or a dict of arrays/lists. "
                             f"Received instead: {dataset} (of type {type(dataset)})")
        for name in self._adaptable():
            column = dataset.map(lambda row, name=name: row[name])
            rank = len(next(iter(column)).shape)
            column = column.batch(32) if rank == 0 else column
            if rank <= 1:  # a last axis for the feature
                column = column.map(lambda batch: ops_array.expand_dims(batch, -1))
            self.preprocessors[name].adapt(column)
        self._is_adapted = True
        self.get_encoded_features()
        object.__setattr__(self, "built", True)
        self._sublayers_built = True

    def _require_adapted(self):
        if not self._is_adapted and self._adaptable():
            raise ValueError("You need to call `.adapt(dataset)` on the FeatureSpace before you can start using it.")
        self._is_adapted = True

    def _require_built(self):
        if not self._sublayers_built:
            self.get_encoded_features()
            self._sublayers_built = True

    # ---- inputs and results of a model

    def get_inputs(self):
        """{name: Keras input} of the features, for `keras.Model`. Raises: ValueError before `adapt`."""
        self._require_built()
        return self.inputs

    def get_encoded_features(self):
        """The encoded features of `get_inputs()`. Raises: ValueError before `adapt`."""
        self._require_adapted()
        if self.encoded_features is None:
            self.encoded_features = self._encoded(self.inputs)
        return self.encoded_features

    def _encoded(self, columns):
        found = {name: self.preprocessors[name](columns[name]) for name in columns}
        crossed = {one.name: self.crossers[one.name]([found[name] for name in one.feature_names]) for one in self.crosses}
        made = {}
        for table in (found, crossed):
            for name in sorted(table):
                made[name] = self._one_hot(name, table[name])
        if self.output_mode == "dict":
            return made
        for name, one in made.items():
            dtype = as_dtype(one.dtype)
            if dtype.is_integer or dtype.name == "string":
                raise ValueError(f"Cannot concatenate features because feature '{name}' has not been encoded (it has dtype "
                                 f"{dtype.name}). Consider using `output_mode='dict'`.")
        if self.concat is None:
            self.concat = TFDConcat(axis=-1)
        return self.concat(list(made.values()))

    def _one_hot(self, name, value):
        """A feature or cross in its output mode; its encoder is created here once."""
        spec = self.features.get(name) or self.crosses_by_name[name]
        if spec.output_mode == "one_hot" and not self._sublayers_built:
            dtype = as_dtype(nest.flatten(value)[0].dtype)
            if not dtype.is_integer:
                raise ValueError(f"Feature '{name}' has `output_mode='one_hot'`. Thus its preprocessor should return an integer "
                                 f"dtype. Instead it returns a {dtype.name} dtype.")
            size = self._cardinality(name)
            if size is not None and name not in self.one_hot_encoders:
                self.one_hot_encoders[name] = layers.CategoryEncoding(num_tokens=size, output_mode="multi_hot")
        encoder = self.one_hot_encoders.get(name)
        return value if encoder is None else encoder(value)

    def _cardinality(self, name):
        """How many categories a feature or cross has."""
        layer = self.preprocessors.get(name) or self.crossers.get(name)
        if isinstance(layer, (layers.IntegerLookup, layers.StringLookup)):
            return layer.vocabulary_size()
        if isinstance(layer, layers.CategoryEncoding):
            return layer.num_tokens
        if isinstance(layer, (layers.Discretization, layers.HashedCrossing, layers.Hashing)):
            return layer.num_bins
        raise ValueError(f"Feature '{name}' has `output_mode='one_hot'`. However it isn't a standard feature and the dimensionality "
                         "of its output space is not known, thus it cannot be one-hot encoded. Try using `output_mode='int'`.")

    def __call__(self, data):
        """The encoding of a dict of columns: scalars of one example, or [n] or [n, k] of a batch.

        Raises: ValueError for other data and before `adapt`."""
        self._require_built()
        if not isinstance(data, dict):
            raise ValueError(f"A FeatureSpace can only be called with a dict. Received: data={data} (of type {type(data)}")
        columns, single = {}, False
        for name, one in data.items():
            one = one if hasattr(one, "dtype") and hasattr(one, "shape") and not hasattr(one, "__array_interface__") \
                else convert_to_tensor(one)
            rank = len(one.shape)
            single = single or rank == 0
            columns[name] = ops_array.reshape(one, [1, 1]) if rank == 0 else ops_array.expand_dims(one, -1) if rank == 1 else one
        made = self._encoded(columns)
        return self._without_batch(made) if single else made

    def _without_batch(self, made):
        if self.output_mode == "concat":
            if made.shape[0] != 1:
                raise ValueError(f"Expected rebatched data to have batch size 1. Received: shape={made.shape}")
            return ops_array.squeeze(made, axis=0)
        return {name: ops_array.squeeze(one, axis=0) if len(one.shape) == 2 and one.shape[0] == 1 else one
                for name, one in made.items()}

    # ---- files

    def get_config(self):
        """What `from_config` makes the space of again."""
        return {"features": saving.serialize_keras_object(self.features), "output_mode": self.output_mode,
                "crosses": saving.serialize_keras_object(self.crosses), "crossing_dim": self.crossing_dim,
                "hashing_dim": self.hashing_dim, "num_discretization_bins": self.num_discretization_bins}

    @classmethod
    def from_config(cls, config):
        """The space that `get_config` describes."""
        return cls(**config)

    def get_build_config(self):
        """{feature: the build config of its layer}"""
        return {name: layer.get_build_config() for name, layer in self.preprocessors.items()}

    def build_from_config(self, config):
        """Builds the layers of features that `get_build_config` has described."""
        for name, one in config.items():
            layer = self.preprocessors[name]
            if not layer.built and one:
                layer.build_from_config(one)
        self._is_adapted = True
        object.__setattr__(self, "built", True)

    def save(self, filepath):
        """Writes the space to a `.keras` file, which `keras.models.load_model` reads."""
        saving.save_model(self, filepath)

    def save_own_variables(self, store):
        """The space itself has no variables."""

    def load_own_variables(self, store):
        """The space itself has no variables."""
