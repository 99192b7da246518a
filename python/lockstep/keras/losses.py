"""What training makes small: `keras.losses`."""

import warnings

from .. import _logits, _native
from .._dtypes import as_dtype
from .._tensor import convert_to_tensor
from . import _masks, _policy, backend
from ._names import to_snake_case


class Loss:
    """A value for each example, then a reduction. To write one, derive and override
    `call(y_true, y_pred)`, which gives a value for each example."""

    def __init__(self, name=None, reduction="sum_over_batch_size", dtype=None):
        self.name = name or to_snake_case(type(self).__name__)
        if reduction == "mean":
            reduction = "sum_over_batch_size"
        if reduction not in ("sum_over_batch_size", "sum", "none", None, "mean_with_sample_weight"):
            raise ValueError(f"Invalid value for argument `reduction`. Received: reduction={reduction}")
        self.reduction = "none" if reduction is None else reduction
        self.dtype = _policy.get(dtype or backend.floatx()).compute_dtype

    def call(self, y_true, y_pred):
        raise NotImplementedError

    @property
    def _native(self):
        made = self.__dict__.get("_made")
        if made is None:
            made = self.__dict__["_made"] = self._of_function(lambda t, p: self.call(self._numbers(t), self._numbers(p)))
        return made

    def _of_function(self, function):
        return _native.python_loss(self.name, lambda t, p: convert_to_tensor(function(t, p)), {"reduction": self.reduction})

    def _for(self, y_pred, note_rank):
        """(native loss, what it takes): `call` sees this very tensor, of which it is known what has made it. `note_rank` is
        called with the number of axes of what `call` gives."""
        def values(t, _):
            made = convert_to_tensor(self.call(self._numbers(t), y_pred))
            note_rank(made._rank)
            return made
        return self._of_function(values), y_pred

    def _numbers(self, one):
        """What becomes a tensor in the loss's dtype."""
        return _policy.numbers_in(convert_to_tensor(one), as_dtype(self.dtype))

    def __call__(self, y_true, y_pred, sample_weight=None):
        """The reduced loss. Where a strategy with R replicas is in force, a mean over several values is divided by R, so that
        the sum over the replicas is a mean over all of them, as in Keras."""
        value, is_mean = self._reduced(y_true, y_pred, sample_weight)
        return value / _replicas_in_force() if is_mean and _replicas_in_force() > 1 else value

    def for_total(self, y_true, y_pred, sample_weight=None):
        """The value of which a replica's part of the loss of all replicas is 1 / R: the mean, or R times the sum."""
        value, _ = self._reduced(y_true, y_pred, sample_weight)
        return value * _replicas_in_force() if self.reduction == "sum" and _replicas_in_force() > 1 else value

    def _reduced(self, y_true, y_pred, sample_weight):
        """(the reduced loss, whether it is a mean over several values)"""
        if isinstance(y_pred, dict) or isinstance(y_true, dict):
            raise ValueError("Structures don't have the same nested structure.")
        mask = _masks.mask_of(y_pred)
        if mask is not None:
            sample_weight = _masks.weights(sample_weight, mask, self.reduction)
        ranks = []
        native, y_pred = self._for(self._numbers(y_pred), ranks.append)
        value = native.call(convert_to_tensor(y_true), y_pred, sample_weight)
        several = 0 not in ranks or sample_weight is not None and convert_to_tensor(sample_weight)._rank != 0
        return value, several and self.reduction in ("sum_over_batch_size", "mean_with_sample_weight")

    def get_config(self):
        return {"name": self.name, "reduction": self.reduction}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


def call_for_total(loss):
    """What calls a loss for `Model.compute_loss`, which divides by the number of replicas itself."""
    return loss.for_total if isinstance(loss, Loss) and type(loss).__call__ is Loss.__call__ else loss


def _replicas_in_force():
    from .. import distribute
    return distribute.get_strategy().num_replicas_in_sync


class _NativeLoss(Loss):
    _defaults = {}

    def __init__(self, *args, **kwargs):
        names = list(self._defaults) + ["reduction", "name", "dtype"]
        values = dict(self._defaults)
        values.update(zip(names, args))
        values.update(kwargs)
        reduction = values.pop("reduction", "sum_over_batch_size")
        name = values.pop("name", None)
        dtype = values.pop("dtype", None)
        for key in values:
            if key not in self._defaults:
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument "
                                f"{key!r}")
        super().__init__(name or self._name, reduction, dtype)
        self._options = {key: value for key, value in values.items() if value is not None}
        for key, value in values.items():
            setattr(self, key, value)
        options = dict(self._options, reduction=self.reduction)
        if name:
            options["name"] = name
        self._along = along = self._options.get("axis") if self._kind in _OVERLAPS else None
        self._own = _native.make_loss(self._kind, {
            key: value for key, value in options.items() if along is None or key != "axis"})
        if self._is_native():
            self._made = self._own

    def _is_native(self):
        return type(self).call is _NativeLoss.call and self._along is None

    def _for(self, y_pred, note_rank):
        if not self._is_native():
            return super()._for(y_pred, note_rank)
        note_rank(0 if self._kind in _OVERLAPS else max((2 if y_pred._rank is None else y_pred._rank) - 1, 0))
        return self._of_logits(y_pred)

    def call(self, y_true, y_pred):
        y_pred = convert_to_tensor(y_pred)
        y_pred = y_pred if y_pred.dtype.is_floating else _native.cast(y_pred, 1)
        if self._along is not None:
            return self._apart(_native.cast(convert_to_tensor(y_true), y_pred.dtype), y_pred)
        own, y_pred = self._of_logits(y_pred)
        return own.per_example(convert_to_tensor(y_true), y_pred)

    def _of_logits(self, y_pred):
        """(native loss, what it takes): a cross entropy takes the logits that a sigmoid or softmax has made `y_pred` of."""
        made = self._own.of_logits()
        function = "Sigmoid" if self._kind.startswith("Binary") else "Softmax"
        logits = None if made is None else _logits.behind(y_pred, function)
        if logits is None:
            return self._own, y_pred
        if getattr(self, "from_logits", False):
            warnings.warn(f'"`{self._name}` received `from_logits=True`, but the `output` argument was produced by a '
                          f"{function} activation and thus does not represent logits. Was this intended?", stacklevel=4)
        return made, logits

    def _apart(self, y_true, y_pred):
        """1 - how much of two sets is of both, of the elements along the axes."""
        from .. import ops_math
        axes = list(self._along) if isinstance(self._along, (list, tuple)) else self._along

        def total(x):
            return ops_math.reduce_sum(x, axes)
        both = total(y_true * y_pred)
        if self._kind == "Dice":
            return 1.0 - 2.0 * both / (total(y_true) + total(y_pred) + backend.epsilon())
        missed, wrong = total(y_true * (1.0 - y_pred)), total((1.0 - y_true) * y_pred)
        return 1.0 - both / (both + self.alpha * missed + self.beta * wrong + backend.epsilon())

    def get_config(self):
        return dict(super().get_config(), **{
            key: getattr(self, key) for key in [*(_CROSS if "from_logits" in self._defaults and "axis" in self._defaults else ()), *self._defaults]})


_CROSS = {"from_logits": False, "label_smoothing": 0.0, "axis": -1}
_KINDS = {
    "MeanSquaredError": {}, "MeanAbsoluteError": {}, "MeanAbsolutePercentageError": {},
    "MeanSquaredLogarithmicError": {}, "LogCosh": {}, "Hinge": {}, "SquaredHinge": {},
    "CategoricalHinge": {}, "KLDivergence": {}, "Poisson": {}, "Huber": {"delta": 1.0},
    "CosineSimilarity": {"axis": -1}, "BinaryCrossentropy": _CROSS, "CategoricalCrossentropy": _CROSS,
    "BinaryFocalCrossentropy": dict({"apply_class_balancing": False, "alpha": 0.25, "gamma": 2.0},
                                    **_CROSS),
    "CategoricalFocalCrossentropy": dict({"alpha": 0.25, "gamma": 2.0}, **_CROSS),
    "SparseCategoricalCrossentropy": {"from_logits": False, "ignore_class": None},
    "CategoricalGeneralizedCrossEntropy": {"q": 0.5}, "Dice": {"axis": None},
    "Tversky": {"alpha": 0.5, "beta": 0.5, "axis": None}}
_OVERLAPS = ("Dice", "Tversky")  # whose sums over given axes Python takes
_NAMES = {"KLDivergence": "kl_divergence", "LogCosh": "log_cosh"}
_SHORT = {"mse": "MeanSquaredError", "MSE": "MeanSquaredError", "mae": "MeanAbsoluteError",
          "MAE": "MeanAbsoluteError", "mape": "MeanAbsolutePercentageError",
          "MAPE": "MeanAbsolutePercentageError", "msle": "MeanSquaredLogarithmicError",
          "MSLE": "MeanSquaredLogarithmicError", "kld": "KLDivergence", "KLD": "KLDivergence",
          "kullback_leibler_divergence": "KLDivergence", "logcosh": "LogCosh",
          "bce": "BinaryCrossentropy", "BCE": "BinaryCrossentropy"}
_CLASSES = {}
for _kind, _options in _KINDS.items():
    _name = _NAMES.get(_kind, to_snake_case(_kind))
    _CLASSES[_kind] = type(_kind, (_NativeLoss,), {
        "_defaults": _options, "_name": _name, "_kind": _kind, "__module__": __name__,
        "__doc__": f"Keras's {_kind}. Shapes: y_true, y_pred [n, ...]."})
    _SHORT[_name] = _kind
    _SHORT[_kind] = _kind
_CLASSES["Huber"]._name = "huber_loss"
globals().update(_CLASSES)


def _function(kind, name):
    def loss(y_true, y_pred, **options):
        return _CLASSES[kind](**options).call(y_true, y_pred)
    loss.__name__ = loss.__qualname__ = name
    loss.__doc__ = f"The value of {kind} for each example."
    loss._loss_class = kind
    return loss


for _name, _kind in list(_SHORT.items()):
    if _name not in _CLASSES:
        globals()[_name] = _function(_kind, _name)


def get(identifier):
    """What a name, a class or a config stands for: a function of (y_true, y_pred) for names of functions, as "mse", else a
    loss; functions and losses are themselves. Raises: ValueError."""
    known = isinstance(identifier, str) and identifier in _SHORT
    found = globals().get(identifier) if known else identifier
    return found if callable(found) and not isinstance(found, type) else loss_of(identifier)


def loss_of(identifier):
    """The loss of a name, a class, an object or a function. Raises: ValueError."""
    if identifier is None:
        return None
    if isinstance(identifier, str):
        if identifier not in _SHORT:
            raise ValueError(f"Could not interpret loss identifier: {identifier}")
        return _CLASSES[_SHORT[identifier]]()
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, type):
        return identifier()
    if isinstance(identifier, Loss):
        return identifier
    if callable(identifier):
        kind = getattr(identifier, "_loss_class", None)
        if kind is not None:
            return _CLASSES[kind]()
        made = Loss(getattr(identifier, "__name__", "loss"))
        made.call = identifier
        return made
    raise ValueError(f"Could not interpret loss identifier: {identifier}")


def serialize(loss):
    """A loss as {class_name, config}."""
    from . import saving
    return saving.serialize_keras_object(loss)


def deserialize(config, custom_objects=None):
    """The loss of a name or of {class_name, config}."""
    from . import saving
    if isinstance(config, dict) and config.get("class_name") in _CLASSES:
        options = dict(config.get("config", {}))
        if options.get("reduction") == "auto":  # in files of Keras 2
            options["reduction"] = "sum_over_batch_size"
        return _CLASSES[config["class_name"]](**options)
    return get(config) if isinstance(config, str) else saving.deserialize_keras_object(config, custom_objects)


class Reduction:
    """Names of reductions, as Keras 2 had them."""
    AUTO, NONE, SUM, SUM_OVER_BATCH_SIZE = "auto", "none", "sum", "sum_over_batch_size"
