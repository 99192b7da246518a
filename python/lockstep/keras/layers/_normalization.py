"""Layers that bring what they get to mean 0 and variance 1."""

from .. import initializers
from .._native_layer import NativeLayer


class BatchNormalization(NativeLayer):
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta, with the batch's statistics while training,
    else the moving ones."""

    _passes_masks = True
    _kind = "BatchNormalization"

    def __init__(self, axis=-1, momentum=0.99, epsilon=0.001, center=True, scale=True,
                 beta_initializer="zeros", gamma_initializer="ones",
                 moving_mean_initializer="zeros", moving_variance_initializer="ones",
                 beta_regularizer=None, gamma_regularizer=None, beta_constraint=None,
                 gamma_constraint=None, synchronized=False, **kwargs):
        super().__init__(**kwargs)
        self.axis, self.momentum, self.epsilon = axis, momentum, epsilon
        self.center, self.scale, self.synchronized = center, scale, synchronized
        self._first = {"beta_initializer": beta_initializer, "gamma_initializer": gamma_initializer,
                       "moving_mean_initializer": moving_mean_initializer,
                       "moving_variance_initializer": moving_variance_initializer}

    def _options(self):
        made = {"axis": self.axis, "momentum": float(self.momentum), "epsilon": float(self.epsilon),
                "center": self.center, "scale": self.scale, "synchronized": self.synchronized}
        made.update({key: initializers.native(one) for key, one in self._first.items()})
        return made

    def call(self, inputs, training=False, mask=None):
        if mask is not None and training and self.trainable:
            raise NotImplementedError(f"{self.name}: statistics of the steps alone that a mask lets count are not built; put "
                                      "the layer in front of what makes the mask, or normalise each example by "
                                      "LayerNormalization")
        return super().call(inputs, training)


class LayerNormalization(NativeLayer):
    """Each example (and place along the other axes) gets mean 0 and variance 1, then gamma and beta."""

    _passes_masks = True
    _kind = "LayerNormalization"

    def __init__(self, axis=-1, epsilon=0.001, center=True, scale=True, beta_initializer="zeros",
                 gamma_initializer="ones", beta_regularizer=None, gamma_regularizer=None,
                 beta_constraint=None, gamma_constraint=None, **kwargs):
        super().__init__(**kwargs)
        self.axis, self.epsilon, self.center, self.scale = axis, epsilon, center, scale
        self._first = {"beta_initializer": beta_initializer, "gamma_initializer": gamma_initializer}

    def _options(self):
        axis = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        made = {"axis": list(axis), "epsilon": float(self.epsilon), "center": self.center,
                "scale": self.scale}
        made.update({key: initializers.native(one) for key, one in self._first.items()})
        return made


class GroupNormalization(NativeLayer):
    """Each example's groups of channels get mean 0 and variance 1."""

    _passes_masks = True
    _kind = "GroupNormalization"

    def __init__(self, groups=32, axis=-1, epsilon=1e-3, center=True, scale=True, **kwargs):
        super().__init__(**kwargs)
        self.groups, self.axis, self.epsilon = groups, axis, epsilon
        self.center, self.scale = center, scale

    def _options(self):
        return {"groups": self.groups, "axis": self.axis, "epsilon": float(self.epsilon),
                "center": self.center, "scale": self.scale}


class RMSNormalization(NativeLayer):
    """x * scale / sqrt(mean x^2 + epsilon)."""

    _passes_masks = True
    _kind = "RMSNormalization"

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
