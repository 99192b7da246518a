"""Layers that bring what they get to mean 0 and variance 1."""

from .. import initializers
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
                 gamma_constraint=None, synchronized=False, **kwargs):
        super().__init__(axis, epsilon, center, scale, beta_initializer, gamma_initializer, beta_regularizer,
                         gamma_regularizer, beta_constraint, gamma_constraint, **kwargs)
        self.momentum, self.synchronized = momentum, synchronized
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)

    def _options(self):
        return dict(super()._options(), momentum=float(self.momentum), synchronized=self.synchronized,
                    moving_mean_initializer=initializers.native(self.moving_mean_initializer),
                    moving_variance_initializer=initializers.native(self.moving_variance_initializer))

    def call(self, inputs, training=False, mask=None):
        if mask is not None and training and self.trainable:
            raise NotImplementedError(f"{self.name}: statistics of the steps alone that a mask lets count are not built; put "
                                      "the layer in front of what makes the mask, or normalise each example by "
                                      "LayerNormalization")
        return super().call(inputs, training)


class LayerNormalization(_Scaled):
    """Each example (and place along the other axes) gets mean 0 and variance 1, then gamma and beta."""

    _kind = "LayerNormalization"

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
