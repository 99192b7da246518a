"""Layers that bring what they get to mean 0 and variance 1."""

from ... import ops_array, ops_math
from ..._axes import axis_of
from ..._tensor import convert_to_tensor
from .. import backend, initializers
from .._native_layer import NativeLayer
from ._arguments import _given, _keep_parts, _native_parts


class _Scaled(NativeLayer):
    """What layers with a gamma and a beta share."""

    _passes_masks = True

    def __init__(self, axis=-1, epsilon=1e-3, center=True, scale=True, beta_initializer="zeros", gamma_initializer="ones",
                 beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, **kwargs):
        super().__init__(**kwargs)
        self.axis, self.epsilon, self.center, self.scale = axis, epsilon, center, scale
        _keep_parts(self, beta=(beta_initializer, beta_regularizer, beta_constraint),
                    gamma=(gamma_initializer, gamma_regularizer, gamma_constraint))

    def _options(self):
        return _given(axis=self.axis, epsilon=float(self.epsilon), center=self.center, scale=self.scale,
                      **_native_parts(self, "beta", "gamma"))


class BatchNormalization(_Scaled):
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta, with the batch's statistics while training,
    else the moving ones."""

    _computes = True
    _kind = "BatchNormalization"

    def __init__(self, axis=-1, momentum=0.99, epsilon=0.001, center=True, scale=True,
                 beta_initializer="zeros", gamma_initializer="ones",
                 moving_mean_initializer="zeros", moving_variance_initializer="ones",
                 beta_regularizer=None, gamma_regularizer=None, beta_constraint=None,
                 gamma_constraint=None, synchronized=False, renorm=False, renorm_clipping=None, renorm_momentum=0.99,
                 **kwargs):
        super().__init__(axis, epsilon, center, scale, beta_initializer, gamma_initializer, beta_regularizer,
                         gamma_regularizer, beta_constraint, gamma_constraint, **kwargs)
        self.momentum, self.synchronized = momentum, synchronized
        self.renorm, self.renorm_clipping, self.renorm_momentum = renorm, renorm_clipping, renorm_momentum
        if renorm:
            _require_clipping(renorm_clipping or {})
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)

    def _options(self):
        return dict(super()._options(), momentum=float(self.momentum), synchronized=self.synchronized,
                    moving_mean_initializer=initializers.native(self.moving_mean_initializer),
                    moving_variance_initializer=initializers.native(self.moving_variance_initializer))

    def _build_on(self, shapes):
        super()._build_on(shapes)
        self._add_renorm_weights(shapes[0])

    def _add_renorm_weights(self, shape):
        """Adds the weights of batch renormalization: the moving deviation for inference, and mean and deviation for training."""
        if not self.renorm or self._own_weights:
            return
        size = (shape[self.axis],)
        deviation = lambda shape, dtype=None: ops_math.sqrt(self.moving_variance_initializer(shape, dtype))  # noqa: E731
        self.moving_stddev = self.add_weight(size, deviation, trainable=False, name="moving_stddev")
        self.renorm_mean = self.add_weight(size, self.moving_mean_initializer, trainable=False, name="renorm_mean")
        self.renorm_stddev = self.add_weight(size, deviation, trainable=False, name="renorm_stddev")

    def call(self, inputs, training=False, mask=None):
        inputs = self._computing(inputs)
        mask = mask if mask is None else convert_to_tensor(mask)
        if mask is not None and mask._rank != inputs._rank - 1:
            raise ValueError("The mask provided should be one dimension less than the inputs. Received: "
                             f"mask.shape={tuple(mask.shape)}, inputs.shape={tuple(inputs.shape)}")
        if self.renorm and not self._own_weights:
            super().call(inputs, False)  # makes the weights of the native layer
            self._add_renorm_weights(inputs._shape)
        if training and self.trainable and (mask is not None or self.renorm):
            return self._normalized(inputs, mask)
        return super().call(inputs, training)

    def _normalized(self, inputs, mask):
        """The result while training with a mask, or with batch renormalization, op by op; updates the moving statistics."""
        if not self._impl.built:
            super().call(inputs, False)
        x = ops_math.cast(inputs, "float64" if inputs.dtype.name == "float64" else "float32")
        axis = axis_of(self.axis, x._rank)
        wide = [x._shape[axis] if one == axis else 1 for one in range(x._rank)]
        mean, variance = self._moments(x, mask, [one for one in range(x._rank) if one != axis])
        gamma = ops_math.cast(self.gamma, x.dtype) if self.scale else None
        beta = ops_math.cast(self.beta, x.dtype) if self.center else None
        if self.renorm:
            gamma, beta = self._renormalized(mean, variance, gamma, beta)
        else:
            self._move(self.moving_mean, mean, self.momentum)
            self._move(self.moving_variance, variance, self.momentum)
        made = (x - ops_array.reshape(mean, wide)) * ops_array.reshape(ops_math.rsqrt(variance + self.epsilon), wide)
        made = made if gamma is None else made * ops_array.reshape(gamma, wide)
        made = made if beta is None else made + ops_array.reshape(beta, wide)
        return ops_math.cast(made, inputs.dtype)

    def _moments(self, x, mask, axes):
        """Mean and variance along `axes` of the elements that the mask lets count."""
        counts = ops_array.ones_like(x) if mask is None else ops_array.broadcast_to(
            ops_math.cast(ops_array.expand_dims(mask, -1), x.dtype), ops_array.shape(x))
        weight = ops_math.reduce_sum(counts, axes, keepdims=True)
        weight = weight if mask is None else weight + backend.epsilon()
        there = ops_math.greater(counts, 0.0)
        zeros = ops_array.zeros_like(x)
        mean = ops_math.reduce_sum(ops_array.where(there, x, zeros), axes, keepdims=True) / weight
        squares = ops_math.square(ops_array.where(there, x - mean, zeros))
        variance = ops_math.reduce_sum(squares, axes, keepdims=True) / weight
        return ops_array.reshape(mean, [-1]), ops_array.reshape(variance, [-1])

    def _renormalized(self, mean, variance, gamma, beta):
        """The scale and the offset of batch renormalization; updates its statistics. Source: Ioffe, 2017."""
        deviation = ops_math.sqrt(variance + self.epsilon)
        steady = ops_math.maximum(ops_math.cast(self.renorm_stddev, mean.dtype), float(self.epsilon) ** 0.5)
        r = deviation / steady
        d = (mean - ops_math.cast(self.renorm_mean, mean.dtype)) / steady
        limits = self.renorm_clipping or {}
        r = r if limits.get("rmin") is None else ops_math.maximum(r, float(limits["rmin"]))
        r = r if limits.get("rmax") is None else ops_math.minimum(r, float(limits["rmax"]))
        d = d if limits.get("dmax") is None else ops_math.clip_by_value(d, -float(limits["dmax"]), float(limits["dmax"]))
        r, d = ops_array.stop_gradient(r), ops_array.stop_gradient(d)
        self._move(self.renorm_mean, mean, self.renorm_momentum)
        self._move(self.renorm_stddev, deviation, self.renorm_momentum)
        self._move(self.moving_mean, mean, self.momentum)
        moved = self._move(self.moving_stddev, deviation, self.momentum)
        self.moving_variance.assign(ops_math.maximum(moved * moved - self.epsilon, 0.0))
        scale, offset = (r, d) if gamma is None else (r * gamma, d * gamma)
        return scale, offset if beta is None else offset + beta

    def _move(self, variable, value, momentum):
        """Moves a moving average towards `value`. Returns: what it is assigned."""
        moved = ops_math.cast(variable, value.dtype) * momentum + value * (1.0 - momentum)
        variable.assign(moved)
        return moved


def _require_clipping(limits):
    """Raises: ValueError for limits of batch renormalization that Keras refuses."""
    unknown = set(limits) - {"rmin", "rmax", "dmax"}
    if unknown:
        raise ValueError(f"Received invalid keys for `renorm_clipping` argument: {unknown}. Supported values: "
                         "'rmax', 'rmin', 'dmax'.")
    low, high, shift = (limits.get(key) for key in ("rmin", "rmax", "dmax"))
    if shift is not None and shift < 0:
        raise ValueError(f"dmax should be non-negative in the `renorm_clipping` argument. Received: dmax={shift}.")
    if high is not None and low is not None and low > high:
        raise ValueError("rmax should be greater than rmin in the `renorm_clipping` argument. Received: "
                         f"rmax={high}, rmin={low}.")


class LayerNormalization(_Scaled):
    """Each example (and place along the other axes) gets mean 0 and variance 1, then gamma and beta."""

    _kind = "LayerNormalization"
    _keeps_rows = True

    def _options(self):
        axis = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        return dict(super()._options(), axis=list(axis))


class GroupNormalization(_Scaled):
    """Each example's groups of channels get mean 0 and variance 1."""

    _kind = "GroupNormalization"

    def __init__(self, groups=32, axis=-1, epsilon=1e-3, center=True, scale=True, beta_initializer="zeros",
                 gamma_initializer="ones", beta_regularizer=None, gamma_regularizer=None, beta_constraint=None,
                 gamma_constraint=None, **kwargs):
        super().__init__(axis, epsilon, center, scale, beta_initializer, gamma_initializer, beta_regularizer,
                         gamma_regularizer, beta_constraint, gamma_constraint, **kwargs)
        self.groups = groups

    def _options(self):
        return dict(super()._options(), groups=self.groups)


class RMSNormalization(NativeLayer):
    """x * scale / sqrt(mean x^2 + epsilon)."""

    _kind = "RMSNormalization"
    _keeps_rows = True
    _computes = True

    def __init__(self, axis=-1, epsilon=1e-6, **kwargs):
        super().__init__(**kwargs)
        self.axis, self.epsilon = axis, epsilon

    def _options(self):
        axis = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        return {"axis": list(axis), "epsilon": float(self.epsilon)}


class UnitNormalization(NativeLayer):
    """Vectors of length 1."""

    _passes_masks = True
    _kind = "UnitNormalization"

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def _options(self):
        return {"axis": list(self.axis) if isinstance(self.axis, (list, tuple)) else [self.axis]}
