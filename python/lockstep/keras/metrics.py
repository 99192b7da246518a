"""Figures gathered over batches: `keras.metrics`."""

import weakref

from .. import _logits, _native, _refused
from .._dtypes import as_dtype
from .._function import init_scope as _init_scope, strategy_of_scope as _strategy_of_scope
from .._tensor import convert_to_tensor
from .._variable import Variable
from ..ops_array import ones_like as _ones_like
from . import _metric_parts
from ._names import auto_name, to_snake_case
from ._policy import _widened
from ._replica_figures import noting as _noting
from ._variables import require_sum as _require_sum


class Metric:
    """A figure gathered in variables. To write one, derive; make variables by `add_weight` (or
    `add_variable`), and override `update_state` and `result`."""

    def __init__(self, dtype=None, name=None):
        self.name = name or _auto_name(to_snake_case(type(self).__name__))
        self._dtype = as_dtype(dtype or "float32")
        self._states = {} if _metric_parts.has_parts(_strategy_of_scope()) else None

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        for name in ("result", "update_state"):
            if callable(cls.__dict__.get(name)):
                setattr(cls, name, _noting(name, cls.__dict__[name]))

    dtype = property(lambda self: self._dtype.name)

    @property
    def _native(self):
        made = self.__dict__.get("_made")
        if made is None:
            weak = weakref.ref(self)  # what is native keeps these functions, unseen by Python's collector
            made = self.__dict__["_made"] = _native.PythonMetric(
                self.name, lambda *args: weak()._update_from_native(*args),
                lambda: convert_to_tensor(weak()._figure()))
        return made

    def _is_own(self):
        """Whether a native `fit` may update it without asking Python."""
        return True

    def _update_from_native(self, y_true, y_pred, weight):
        if weight is None:
            self.update_state(y_true, y_pred)
        else:
            self.update_state(y_true, y_pred, sample_weight=weight)

    def _figure(self):
        made = self.result()
        return next(iter(made.values())) if isinstance(made, dict) else made

    def add_variable(self, shape=(), initializer=None, dtype=None, aggregation="sum", name=None):
        """A variable of the metric; in a replica it is that one's own, and outside the sum over them. Raises:
        NotImplementedError for another `aggregation` of several replicas; ValueError for no kind of aggregation."""
        _require_sum("Metric.add_variable", aggregation)
        dtype = as_dtype(dtype or "float32")
        made = self._native.add(name or "variable", [int(s) for s in shape], int(dtype))
        if initializer is not None:
            from . import initializers
            with _init_scope():  # also where the first batch in a function makes it
                value = convert_to_tensor(initializers.get(initializer)(shape, "float32"))
                if float(_native.reduce_sum(_native.abs(value), None, False)):
                    made.assign(_native.cast(value, dtype))
        variable = self._variable_of(made)
        variable._keras_path = f"{self.name}/{name or auto_name('variable')}"
        return variable

    def add_weight(self, shape=(), initializer=None, dtype=None, name=None):
        if isinstance(shape, str):
            name, shape = shape, ()
        return self.add_variable(shape, initializer, dtype, name=name)

    def update_state(self, *args, **kwargs):
        raise NotImplementedError

    def result(self):
        raise NotImplementedError

    def reset_state(self):
        """Sets the state to zeros."""
        self._native.reset()
        for state in (self._states or {}).values():
            state.clear_part()

    reset_states = reset_state

    def __call__(self, *args, **kwargs):
        self.update_state(*args, **kwargs)
        return self.result()

    @property
    def variables(self):
        return [self._variable_of(one) for one in self._native.variables()]

    def _variable_of(self, native):
        made = self._states.get(native.key) if self._states is not None else Variable._wrap(native)
        if made is None:
            made = self._states[native.key] = _metric_parts.State.of(native)
        if made._keras_path is None:
            made._keras_path = f"{self.name}/{self._keras_name(native.name.rpartition('/')[2])}"
        return made

    def _keras_name(self, name):
        return name

    non_trainable_variables = weights = variables

    @classmethod
    def from_config(cls, config):
        """The metric that `get_config` describes."""
        return cls(**config)

    def get_config(self):
        return {"name": self.name, "dtype": self.dtype}

    def __repr__(self):
        return f"<{type(self).__name__} name={self.name}>"

    __str__ = __repr__


_names = {}


_OF_LOSSES = frozenset(
    "mse MSE mae MAE mape MAPE msle MSLE kld KLD kullback_leibler_divergence logcosh log_cosh hinge squared_hinge categorical_hinge "
    "huber poisson binary_focal_crossentropy categorical_focal_crossentropy".split())
_LATER = ("R2Score", "FBetaScore", "F1Score", "PrecisionAtRecall", "RecallAtPrecision", "SensitivityAtSpecificity",
          "SpecificityAtSensitivity", "IoU", "BinaryIoU", "OneHotIoU", "OneHotMeanIoU")
_CORRELATIONS = ("pearson_correlation", "concordance_correlation", "PearsonCorrelation", "ConcordanceCorrelation")


def __getattr__(name):
    if name in _LATER:
        from . import _more_metrics
        return getattr(_more_metrics, name)
    if name in _CORRELATIONS:
        from . import _correlations
        return getattr(_correlations, name)
    if name in _OF_LOSSES:
        from . import losses
        return getattr(losses, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _auto_name(prefix):
    count = _names.get(prefix, 0)
    _names[prefix] = count + 1
    return prefix if count == 0 else f"{prefix}_{count}"


_OF_FLOATS = frozenset(
    "MeanSquaredError RootMeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredLogarithmicError LogCoshError "
    "CosineSimilarity KLDivergence Poisson Hinge SquaredHinge CategoricalHinge BinaryCrossentropy CategoricalCrossentropy "
    "SparseCategoricalCrossentropy BinaryAccuracy".split())  # whose predictions may be whole numbers, too


_CROSS_ENTROPIES = ("BinaryCrossentropy", "CategoricalCrossentropy", "SparseCategoricalCrossentropy")


_CHOICES = {"AUC": {"curve": ("ROC", "PR"), "summation_method": ("interpolation", "minoring", "majoring")}}


class _NativeMetric(Metric):
    _defaults = {}
    _order = ()

    def __init__(self, *args, **kwargs):
        names = list(self._order or self._defaults) + ["name", "dtype"]
        if not self._defaults:
            names = ["name", "dtype"]
        values = dict(self._defaults)
        values.update(zip(names, args))
        values.update(kwargs)
        self._check_options(values, set(names) | {"name", "dtype"})
        name = values.pop("name", None)
        dtype = values.pop("dtype", None)
        super().__init__(dtype, name or self._name)
        options = {key: value for key, value in values.items() if value is not None}
        if "thresholds" in options and not isinstance(options["thresholds"], (list, tuple)):
            options["thresholds"] = [float(options["thresholds"])]
        self._options = options
        self._made = _native.make_metric(self._kind, dict(options, name=self.name))
        self.variables  # noqa: B018  those of a strategy have parts from the beginning

    def _check_options(self, values, known):
        """Raises: TypeError for an option that is none; NotImplementedError for one of Keras's that is not built."""
        kind = type(self).__name__
        if "num_classes" in self._defaults and values["num_classes"] is None:
            raise TypeError(f"{kind}.__init__() missing 1 required positional argument: 'num_classes'")
        for key, value in values.items():
            choices = _CHOICES.get(self._kind, {}).get(key)
            if choices is not None and value not in choices:
                raise ValueError(f'Invalid {kind} {key} value: "{value}". Expected values are {list(choices)}')
            if key in _UNBUILT.get(self._kind, {}):
                if value != _UNBUILT[self._kind][key]:
                    raise NotImplementedError(f"{kind} with {key}={value!r} is not built; leave {key} out")
            elif key not in known:
                raise TypeError(f"{kind}.__init__() got an unexpected keyword argument '{key}'; it takes {sorted(known)}")

    def _keras_name(self, name):
        return "accumulator" if self._kind in ("TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives") else name

    def __getattr__(self, name):
        """A variable by Keras's name for it: `total`, `count`, `true_positives`."""
        if not name.startswith("_") and "_made" in self.__dict__:
            for one in self.variables:
                if one.name == {"total_cm": "total_confusion_matrix"}.get(name, name):
                    return one
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _is_own(self):
        cls = type(self)
        return cls.update_state is _NativeMetric.update_state and cls.result is _NativeMetric.result

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, given = convert_to_tensor(y_true), convert_to_tensor(y_pred)
        y_pred = _widened(given)
        if self._kind in _OF_FLOATS and not y_pred.dtype.is_floating:
            y_pred = _native.cast(y_pred, 1)
        function = "Sigmoid" if self._kind == "BinaryCrossentropy" else "Softmax"
        logits = _logits.behind(given, function) if self._kind in _CROSS_ENTROPIES else None
        if logits is None or not self._made.update_of_logits(y_true, _widened(logits), sample_weight):
            self._made.update(y_true, y_pred, sample_weight)
        self._add_to_parts(_metric_parts.sums_of, self, y_true, y_pred, sample_weight)

    def _add_to_parts(self, sums, *batch):
        """In one of several replicas also adds to what it has of the sums."""
        if self._states is not None and _metric_parts.in_replica():
            for state, value in zip(self.variables, sums(*batch)):
                state.add_to_part(value)

    def result(self):
        if self._states is not None and _metric_parts.in_replica():
            return _metric_parts.figure_of(self, [one.value() for one in self.variables])
        return self._made.result()

    def get_config(self):
        left = {key: one for key, one in _UNBUILT.get(self._kind, {}).items() if key != "thresholds"}
        return {**super().get_config(), **{key: self._options.get(key) for key in self._defaults}, **left}


class Mean(_NativeMetric):
    """The weighted mean of values."""

    _kind = _name = None
    _kind, _name = "Mean", "mean"

    def __init__(self, name="mean", dtype=None):
        super().__init__(name=name, dtype=dtype)

    def update_state(self, values, sample_weight=None):
        values = convert_to_tensor(values)
        values = _native.cast(values, 1) if not values.dtype.is_floating else _widened(values)
        if values._rank == 0 and sample_weight is not None:  # one value for all that have a weight
            values = values * _ones_like(convert_to_tensor(sample_weight), dtype=values.dtype)
        self._made.update_values(values, sample_weight)
        self._add_to_parts(_metric_parts.sum_sums if self._kind == "Sum" else _metric_parts.mean_sums, values, sample_weight)


class Sum(Mean):
    """The weighted sum of values."""

    _kind, _name = "Sum", "sum"

    def __init__(self, name="sum", dtype=None):
        super().__init__(name=name, dtype=dtype)


class MeanMetricWrapper(Mean):
    """The mean of a function of (y_true, y_pred)."""

    def __init__(self, fn, name=None, dtype=None, **kwargs):
        super().__init__(name or to_snake_case(type(self).__name__), dtype)
        self._fn, self._fn_kwargs = fn, kwargs

    def get_config(self):
        from . import saving
        return {**super().get_config(), "fn": saving.serialize_keras_object(self._fn), **self._fn_kwargs}

    @classmethod
    def from_config(cls, config):
        from . import losses, saving
        if isinstance(config.get("fn"), str):
            config = {**config, "fn": losses.get(config["fn"])}
        return cls(**{key: saving.deserialize_keras_object(one) if isinstance(one, dict) else one
                      for key, one in config.items()})

    def update_state(self, y_true, y_pred, sample_weight=None):
        super().update_state(self._fn(convert_to_tensor(y_true), convert_to_tensor(y_pred),
                                      **self._fn_kwargs), sample_weight)


_LOGITS = {"from_logits": False, "label_smoothing": 0.0}
_KINDS = {
    "Accuracy": {}, "BinaryAccuracy": {"threshold": 0.5}, "CategoricalAccuracy": {},
    "SparseCategoricalAccuracy": {}, "TopKCategoricalAccuracy": {"k": 5},
    "SparseTopKCategoricalAccuracy": {"k": 5}, "TruePositives": {"thresholds": None},
    "TrueNegatives": {"thresholds": None}, "FalsePositives": {"thresholds": None},
    "FalseNegatives": {"thresholds": None}, "AUC": {"num_thresholds": 200, "curve": "ROC"},
    "MeanSquaredError": {}, "RootMeanSquaredError": {}, "MeanAbsoluteError": {},
    "MeanAbsolutePercentageError": {}, "MeanSquaredLogarithmicError": {}, "LogCoshError": {},
    "CosineSimilarity": {"axis": -1}, "KLDivergence": {}, "Poisson": {}, "Hinge": {},
    "SquaredHinge": {}, "CategoricalHinge": {}, "BinaryCrossentropy": _LOGITS,
    "CategoricalCrossentropy": _LOGITS, "SparseCategoricalCrossentropy": {"from_logits": False},
    "MeanIoU": {"num_classes": None}}
_FIRST = ("TopKCategoricalAccuracy", "SparseTopKCategoricalAccuracy",
          "TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives", "AUC", "MeanIoU")
_COUNTS = ("TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives", "AUC", "MeanIoU",
           "RootMeanSquaredError")  # which are no means of a function of labels and predictions
_NAMES = {"AUC": "auc", "LogCoshError": "logcosh", "KLDivergence": "kl_divergence",
          "MeanIoU": "mean_io_u"}
_UNBUILT = {"AUC": {"summation_method": "interpolation", "thresholds": None, "multi_label": False, "num_labels": None,
                    "label_weights": None, "from_logits": False},
            "MeanIoU": {"ignore_class": None, "sparse_y_true": True, "sparse_y_pred": True, "axis": -1},
            "CategoricalCrossentropy": {"axis": -1}, "SparseCategoricalCrossentropy": {"ignore_class": None, "axis": -1}}


class _Selected(_NativeMetric):
    """A rate of one class, or of the `top_k` largest predictions of each example."""

    _order = ("thresholds", "top_k", "class_id")

    def __init__(self, thresholds=None, top_k=None, class_id=None, name=None, dtype=None):
        super().__init__(thresholds=thresholds, name=name, dtype=dtype)
        self.thresholds, self.top_k, self.class_id = thresholds, top_k, class_id

    def _is_own(self):
        cls = type(self)
        return (self.top_k is None and self.class_id is None and cls.update_state is _Selected.update_state
                and cls.result is _NativeMetric.result)

    def update_state(self, y_true, y_pred, sample_weight=None):
        from .. import ops_array
        y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
        if self.top_k is not None:
            places = ops_array.one_hot(ops_array.top_k(y_pred, self.top_k)[1], y_pred._shape[-1])
            best = _native.greater(_native.reduce_sum(places, [-2], False), 0.0)
            shown = y_pred if self.thresholds is not None else ops_array.ones_like(y_pred)
            y_pred = ops_array.where(best, shown, ops_array.zeros_like(y_pred))
        if self.class_id is not None:
            y_true, y_pred = y_true[..., self.class_id], y_pred[..., self.class_id]
        super().update_state(y_true, y_pred, sample_weight)

    def get_config(self):
        return {"name": self.name, "dtype": self.dtype, "thresholds": self.thresholds, "top_k": self.top_k,
                "class_id": self.class_id}


class Precision(_Selected):
    """The share of right ones among what is predicted."""

    _kind, _name, _defaults = "Precision", "precision", {"thresholds": None}


class Recall(_Selected):
    """The share of what is true that is predicted."""

    _kind, _name, _defaults = "Recall", "recall", {"thresholds": None}


_CLASSES = {"Mean": Mean, "Sum": Sum, "Precision": Precision, "Recall": Recall}
for _kind, _options in _KINDS.items():
    _members = {"_defaults": _options, "_kind": _kind, "_name": _NAMES.get(_kind, to_snake_case(_kind)),
                "__module__": __name__, "__doc__": f"Keras's {_kind}."}
    if _kind not in _FIRST and _options:
        def _init(self, name=None, dtype=None, *args, _names_of=tuple(_options), **kwargs):
            _NativeMetric.__init__(self, name=name, dtype=dtype,
                                   **dict(zip(_names_of, args), **kwargs))
        _members["__init__"] = _init
    _CLASSES[_kind] = type(_kind, (_NativeMetric,), _members)
globals().update(_CLASSES)
_SHORT = {"mse": "MeanSquaredError", "MSE": "MeanSquaredError", "mae": "MeanAbsoluteError",
          "MAE": "MeanAbsoluteError", "mape": "MeanAbsolutePercentageError",
          "msle": "MeanSquaredLogarithmicError", "kld": "KLDivergence", "cosine": "CosineSimilarity",
          "bce": "BinaryCrossentropy", "rmse": "RootMeanSquaredError", "auc": "AUC"}
for _kind, _class in _CLASSES.items():
    _SHORT[_kind] = _kind
    _SHORT[_class._name] = _kind


class AccuracyByShape(_NativeMetric):
    """The binary, sparse or categorical accuracy, as the shapes tell."""

    _kind, _name = "AccuracyByShape", "accuracy"


def get(identifier):
    """The metric of a name, a class, an object or a function. Raises: ValueError."""
    if isinstance(identifier, str):
        if identifier.lower() in ("accuracy", "acc"):
            return AccuracyByShape(name=identifier)
        later = next((name for name in _LATER + _CORRELATIONS[2:] if identifier in (name, to_snake_case(name))), None)
        if later is not None:
            return __getattr__(later)(name=identifier)
        if identifier not in _SHORT:
            raise ValueError(f"Could not interpret metric identifier: {identifier}")
        return _CLASSES[_SHORT[identifier]](name=identifier)
    if isinstance(identifier, Metric):
        return identifier
    if isinstance(identifier, type):
        return identifier()
    if callable(identifier):
        from .losses import Loss
        name = identifier.name if isinstance(identifier, Loss) else getattr(identifier, "__name__", type(identifier).__name__)
        return MeanMetricWrapper(identifier, to_snake_case(name))
    raise ValueError(f"Could not interpret metric identifier: {identifier}")


def serialize(metric):
    """A metric as {class_name, config}."""
    from . import saving
    return saving.serialize_keras_object(metric)


def deserialize(config, custom_objects=None):
    """The metric of {class_name, config}."""
    from . import saving
    return saving.deserialize_keras_object(config, custom_objects)


def _function(kind, name):
    def metric(y_true, y_pred, **options):
        from . import losses
        return losses._CLASSES[kind](**options).call(y_true, y_pred)
    metric.__name__ = metric.__qualname__ = name
    return metric


for _name, _kind in (("mean_squared_error", "MeanSquaredError"), ("mean_absolute_error", "MeanAbsoluteError"),
                     ("binary_crossentropy", "BinaryCrossentropy"), ("categorical_crossentropy", "CategoricalCrossentropy"),
                     ("sparse_categorical_crossentropy", "SparseCategoricalCrossentropy")):
    globals()[_name] = _function(_kind, _name)


def sparse_categorical_accuracy(y_true, y_pred):
    """1 where the largest prediction is at the label."""
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    if y_true._rank == y_pred._rank:
        y_true = _native.squeeze(y_true, [-1])
    best = _native.argmax(y_pred, -1, 9)
    return _native.cast(_native.equal(_native.cast(y_true, 9), best), 1)


def categorical_accuracy(y_true, y_pred):
    """1 where the largest prediction is at the largest of y_true."""
    return _native.cast(_native.equal(_native.argmax(convert_to_tensor(y_true), -1, 9),
                                      _native.argmax(convert_to_tensor(y_pred), -1, 9)), 1)


def binary_accuracy(y_true, y_pred, threshold=0.5):
    """The share of predictions on the label's side of the threshold, example by example."""
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    side = _native.cast(_native.greater(y_pred, convert_to_tensor(threshold, dtype=y_pred.dtype)), y_pred.dtype)
    right = _native.cast(_native.equal(_native.cast(y_true, y_pred.dtype), side), as_dtype("float32"))
    return _native.reduce_mean(right, [-1], False)


def top_k_categorical_accuracy(y_true, y_pred, k=5):
    """1 where the label with the largest y_true is among the k largest predictions."""
    return sparse_top_k_categorical_accuracy(_native.argmax(convert_to_tensor(y_true), -1, 9), y_pred, k)


def sparse_top_k_categorical_accuracy(y_true, y_pred, k=5, from_sorted_ids=False):
    """1 where the label is among the k largest predictions."""
    from .. import ops_math
    from ..nn import in_top_k
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    if y_true._rank == y_pred._rank:
        y_true = _native.squeeze(y_true, [-1])
    if from_sorted_ids:
        near = _native.equal(_native.cast(y_pred[:, :k], 9), _native.cast(y_true, 9)[:, None])
        return ops_math.cast(ops_math.reduce_any(near, axis=-1), "float32")
    return ops_math.cast(in_top_k(_native.cast(y_true, 9), y_pred, k), "float32")
